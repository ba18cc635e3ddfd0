"""Distributions contain what they should, and install and run in an empty environment."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email import message_from_string
from pathlib import Path

import pytest
from hatch_build import without_relative_links

import liftgraph as lg
from liftgraph.datasets.examples import MODELS, TABLES
from tests.snippets import snippets

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src"
README = (ROOT / "README.md").read_text()
MODULES = {path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py")}
EXAMPLES = {f"liftgraph/datasets/{file}" for file in (MODELS | TABLES).values()}


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
    assert library == MODULES | EXAMPLES | {"liftgraph/py.typed"}
    assert any(name.endswith("licenses/LICENSE") for name in names)
    needed = [line for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line]
    assert {line.split(">")[0] for line in needed} == {"numpy", "msgspec", "rich"}
    assert metadata["Requires-Python"] == ">=3.11"
    page = str(metadata.get_payload())
    assert page.startswith("# liftgraph")
    assert _relative_links(page) == []


def _relative_links(page: str) -> list[str]:
    """The targets of links that need a file beside the page."""
    return re.findall(r"\]\((?!https:)([^)]*)\)", page)


def test_links_of_the_readme_lead_to_the_repository_if_there_is_one() -> None:
    targets = _relative_links(README)
    assert len(targets) > 10
    address = "https://example.org/liftgraph"
    page = without_relative_links(README, address)
    assert _relative_links(page) == []
    for target in targets:
        kind = "raw" if target.endswith(".svg") else "blob"
        assert f"]({address}/{kind}/HEAD/{target})" in page
    assert [*snippets(page)] == [*snippets(README)]


def test_without_a_repository_paths_are_spelt_out() -> None:
    page = without_relative_links(README, None)
    assert _relative_links(page) == []
    assert page.count("](") == README.count("](") - len(_relative_links(README))
    for target in _relative_links(README):
        assert target.endswith(".svg") or f"(`{target}`)" in page
    assert [*snippets(page)] == [*snippets(README)]


def test_what_is_cited_is_this_version() -> None:
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {lg.__version__}\n" in citation
    assert f"version = {{{lg.__version__}}}" in (ROOT / "docs" / "citing.md").read_text()


def test_all_brings_every_library_but_those_of_other_models_and_tools() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = set(declared["optional-dependencies"])
    (everything,) = declared["optional-dependencies"]["all"]
    brought = set(everything.removeprefix("liftgraph[").removesuffix("]").split(","))
    others = {"all", "pgmpy", "pyagrum", "gpu", "spark", "docs", "test", "peers"}
    assert extras - brought == others
    installation = (ROOT / "docs" / "installation.md").read_text()
    assert set(re.findall(r"^\| `(\w+)` \|", installation, flags=re.MULTILINE)) == extras


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
    first = next(block for block in snippets(README) if block.language == "python")
    assert run(python, "-c", first.code, cwd=tmp_path) == first.shown
    demo = run(tmp_path / "empty" / "bin" / "liftgraph", "demo", cwd=tmp_path)
    assert demo.count("P(Sick.alice)") == 2
    assert demo.count("φ4(") == 1
