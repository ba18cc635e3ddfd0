"""Distributions contain what they should, and install and run in an empty environment."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from email import message_from_string
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src"
MODULES = {path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py")}


def run(*command: object, cwd: Path) -> str:
    done = subprocess.run(list(map(str, command)), cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def built(source: Path, distribution: str, target: Path) -> Path:
    """Build a distribution, ``sdist`` or ``wheel``, and return its path."""
    run(sys.executable, "-m", "build", "-n", f"--{distribution}", "-o", target, source, cwd=target)
    (path,) = target.glob("*.whl" if distribution == "wheel" else "*.tar.gz")
    return path


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(ROOT, "sdist", tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def wheel(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from the source distribution, and nothing else."""
    unpacked = tmp_path_factory.mktemp("source")
    with tarfile.open(sdist) as archive:
        archive.extractall(unpacked, filter="data")
    (source,) = unpacked.iterdir()
    return built(source, "wheel", tmp_path_factory.mktemp("wheel"))


def test_the_wheel_has_the_library_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        entry_points = [name for name in names if name.endswith("entry_points.txt")]
        assert "liftgraph = liftgraph_command:main" in archive.read(entry_points[0]).decode()
        (metadata_name,) = [name for name in names if name.endswith("METADATA")]
        metadata = message_from_string(archive.read(metadata_name).decode())
    library = {name for name in names if ".dist-info/" not in name}
    assert library == MODULES | {"liftgraph/py.typed"}
    assert any(name.endswith("licenses/LICENSE") for name in names)
    needed = [line for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line]
    assert {line.split(">")[0] for line in needed} == {"numpy", "msgspec", "rich"}
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata.get_payload().startswith("# liftgraph")  # type: ignore[union-attr]


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="git knows which files belong to it")
def test_the_source_distribution_has_what_the_tests_need(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    tracked = set(run("git", "ls-files", cwd=ROOT).splitlines())
    left_out = {name for name in tracked - names if not name.startswith((".ci/", ".git"))}
    assert left_out == set()
    assert names - tracked <= {"PKG-INFO"}


@pytest.mark.long
def test_the_wheel_runs_in_an_empty_environment(wheel: Path, tmp_path: Path) -> None:
    run(sys.executable, "-m", "venv", tmp_path / "empty", cwd=tmp_path)
    python = tmp_path / "empty" / "bin" / "python"
    run(python, "-m", "pip", "install", "-q", wheel, cwd=tmp_path)
    everything = "import liftgraph as lg; [getattr(lg, name) for name in lg.__all__]"
    run(python, "-W", "error", "-c", everything, cwd=tmp_path)
    model = ROOT / "src/liftgraph/datasets/epidemic.json"
    command = tmp_path / "empty" / "bin" / "liftgraph"
    answer = run(command, "query", model, "Sick.alice", "--given", "Epid=true", cwd=tmp_path)
    assert answer.startswith("P(Sick.alice)")
    assert run(command, "lift", model, cwd=tmp_path).count("φ4(") == 1
