"""Types as users see them: a typed client and the README pass mypy --strict, and run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import liftgraph as lg
from tests import typed_client
from tests.snippets import snippets

ROOT = Path(__file__).parent.parent


def checked(*paths: Path, cache: Path) -> subprocess.CompletedProcess[str]:
    """What mypy --strict says of some files, without the configuration of this project."""
    options = ["--strict", "--allow-redefinition", "--config-file=", f"--cache-dir={cache}"]
    return subprocess.run(
        [sys.executable, "-m", "mypy", *options, *map(str, paths)],
        capture_output=True,
        text=True,
        env={**os.environ, "MYPYPATH": str(Path(lg.__file__).parent.parent)},
    )


@pytest.mark.long
def test_a_typed_client_and_the_readme_pass_mypy(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    blocks = snippets((ROOT / "README.md").read_text())
    readme, wrong = tmp_path / "readme.py", tmp_path / "wrong.py"
    readme.write_text("\n".join(block.code for block in blocks if block.language == "python"))
    done = checked(Path(typed_client.__file__), readme, cache=tmp_path / "cache")
    assert done.returncode == 0, done.stdout + done.stderr
    wrong.write_text("import liftgraph as lg\nlg.read('x').query('A').nonsense\n")
    done = checked(wrong, cache=tmp_path / "cache")
    assert "nonsense" in done.stdout


def test_the_typed_client_runs(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    pytest.importorskip("pandas")
    graph = typed_client.epidemic(3)
    for name, model in (("ground", graph), ("lifted", lg.lift(graph))):
        lg.write(model, tmp_path / f"{name}.json")
        found = typed_client.answers(tmp_path / f"{name}.json")
        sick = graph.marginals(given={"Sick.0": "true"})
        assert found == pytest.approx({variable: sick[variable]["true"] for variable in sick})
        expected = graph.query("Epid", given={"Sick.2": "false"})["true"]
        assert typed_client.risk(model, {"Sick.2": False}) == pytest.approx(expected)
    assert typed_client.risks(graph) == pytest.approx([graph.query("Epid")["true"]] * 2)
    with pytest.raises(lg.InputError, match="did you mean given="):
        typed_client.mistakes(graph)
