"""The command ``liftgraph experiment``: killed and continued, its tables and its figures."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib.image
import pytest
from pyarrow import parquet

import liftgraph as lg
from liftgraph.cli import main
from liftgraph.cli.experiments import STUDIES as NAMES
from liftgraph.cli.parser import make_parser
from liftgraph.experiments import STUDIES, Settings, evaluation, floats, run_study, tolerance
from liftgraph.experiments.figures.style import save
from liftgraph.experiments.float_comparisons import COMPARISONS
from liftgraph.experiments.instances import ASKED
from liftgraph.experiments.running import header

QUICK = Settings(quick=True, repeats=1)


def run_quick(folder: Path, *arguments: str) -> list[str]:
    command = [sys.executable, "-m", "liftgraph", "experiment", *arguments]
    return [*command, "--quick", "--repeats", "1", "-o", str(folder)]


@pytest.fixture(scope="module")
def quick_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes, dict[str, Any]]:
    """A quick run that was killed in the middle, and then continued to its end: the folder, what
    the journal had when it was killed, and what the second command says."""
    folder = tmp_path_factory.mktemp("experiment")
    journal = folder / "paper-quick" / "journal.jsonl"
    first = subprocess.Popen(run_quick(folder), stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while not journal.exists() or journal.read_bytes().count(b"\n") < 4:
        assert first.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    first.send_signal(signal.SIGKILL)
    first.wait()
    assert not (folder / "paper-quick" / "results.csv").exists()
    command = [*run_quick(folder, "paper"), "--parquet", "--json"]
    kept = journal.read_bytes()
    second = subprocess.run(command, capture_output=True, text=True, check=True)
    return folder / "paper-quick", kept, json.loads(second.stdout)


@pytest.mark.long
def test_a_killed_run_continues_where_it_stopped(
    quick_run: tuple[Path, bytes, dict[str, Any]],
) -> None:
    folder, before, said = quick_run
    whole = before[: before.rindex(b"\n") + 1]
    assert (folder / "journal.jsonl").read_bytes().startswith(whole)  # nothing measured is lost
    assert said["kept"] == whole.count(b"\n") - 1 >= 3
    assert said["measured"] + said["kept"] == len(evaluation.cells(QUICK))
    lines = (folder / "journal.jsonl").read_text().splitlines()[1:]
    measured = [tuple(json.loads(line)["cell"]) for line in lines]
    assert measured == evaluation.cells(QUICK)  # each once


@pytest.mark.long
def test_more_graphs_join_those_measured_before(tmp_path: Path) -> None:
    asked = []

    def measure(cell: tuple[Any, ...], settings: Settings) -> list[Any]:
        asked.append(cell[-1])
        return tolerance.measure(cell, settings)

    cells = partial(map, lambda seed: ("ds4", 4, "0", seed))
    study = replace(STUDIES["tolerance"], cells=lambda s: list(cells(s.seeds)), measure=measure)
    first = run_study(study, Settings(graphs=1, repeats=1), tmp_path, figures=False)
    more = run_study(study, Settings(graphs=3, repeats=1), tmp_path, figures=False)
    assert (first.measured, more.measured, more.kept) == (1, 2, 1)
    assert more.rows[0] == first.rows[0]
    assert asked == [0, 0, 0, 1, 2]  # the smallest one first, as a warm-up
    fewer = run_study(study, Settings(graphs=2, repeats=1), tmp_path, figures=False)
    assert (fewer.measured, [row["seed"] for row in fewer.rows]) == (0, [0, 1])
    with pytest.raises(lg.InputError, match="has settings"):
        run_study(study, Settings(graphs=1, repeats=2), tmp_path, figures=False)


@pytest.mark.long
def test_results_are_a_tidy_table(quick_run: tuple[Path, bytes, dict[str, Any]]) -> None:
    folder, _, said = quick_run
    with (folder / "results.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert tuple(rows[0]) == evaluation.COLUMNS
    cells = evaluation.cells(QUICK)
    assert len(rows) == said["rows"] == sum(2 * len(ASKED[family]) for family, *_ in cells)
    assert all(float(row["difference"]) < 1e-9 for row in rows)
    table = parquet.read_table(folder / "results.parquet").to_pylist()
    assert [{k: str(v) for k, v in row.items()} for row in table] == rows
    assert "| d | ACP, ms |" in (folder / "summary.md").read_text()


@pytest.mark.long
def test_figures_are_there_and_not_empty(quick_run: tuple[Path, bytes, dict[str, Any]]) -> None:
    folder, _, said = quick_run
    for name in STUDIES["paper"].figures:
        assert {f"{name}.svg", f"{name}.png"} <= set(said["files"])
        picture = matplotlib.image.imread(folder / f"{name}.png")
        assert (picture[..., :3].min(axis=2) < 0.9).mean() > 0.005  # something is drawn
        assert len({tuple(colour) for colour in picture.reshape(-1, picture.shape[-1])}) > 10
        root = ElementTree.parse(folder / f"{name}.svg").getroot()
        assert len(root.findall(".//{http://www.w3.org/2000/svg}path")) > 20


@pytest.mark.long
def test_every_study_draws_its_figures(tmp_path: Path) -> None:
    chosen: dict[str, list[tuple[Any, ...]]] = {
        "sizes": [("ds4", d, a) for d in (1024, 2048) for a in ("alpha-acp", "written")],
        "floats": [
            ("ds4", 16, data, c) for data in floats.DATA for c in (floats.EXACT, *COMPARISONS)
        ],
        "tolerance": [("ds4", 16, e, 0) for e in ("0", "0.01", "0.1")],
        "treewidth": [
            ("clique", n, m) for n in (4, 8, 32) for m in ("ground", "lifted", "written")
        ],
    }
    for name, cells in chosen.items():
        study = STUDIES[name]
        rows = [row for cell in cells for row in study.measure(cell, QUICK)]
        for figure, draw in study.figures.items():
            for path in save(draw, rows, tmp_path, figure):
                assert path.stat().st_size > 5000
            again = (tmp_path / f"{figure}.svg").read_bytes()
            save(draw, rows, tmp_path, figure)
            assert (
                tmp_path / f"{figure}.svg"
            ).read_bytes() == again  # the same data, the same file
        table = study.summary(rows).splitlines()
        assert len({line.count("|") for line in table}) == 1


def test_whatever_changes_rows_is_in_the_header() -> None:
    study, plain = STUDIES["paper"], Settings()
    said = header(study, plain)
    assert set(said) == {"study", "settings", "liftgraph", "python", "numpy", "machine"}
    for other in (Settings(seed=1), Settings(repeats=1), Settings(permuted=True)):
        assert header(study, other) != said
    assert header(study, Settings(commutative=True)) != said
    assert header(study, Settings(graphs=9, quick=True)) == said  # more cells, the same rows


def test_the_command_knows_every_study_and_the_settings() -> None:
    assert tuple(STUDIES) == NAMES
    options, settings = make_parser().parse_args(["experiment"]), Settings()
    chosen = options.quick, options.graphs, options.seed, options.repeats
    assert chosen == (settings.quick, settings.graphs, settings.seed, settings.repeats)


@pytest.mark.long
def test_progress_counts_what_was_kept(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    study = replace(STUDIES["tolerance"], cells=lambda s: [("ds4", 4, "0", n) for n in s.seeds])
    run_study(study, Settings(graphs=1, repeats=1), tmp_path, figures=False)
    counted = partial(run_study, study, folder=tmp_path, figures=False)
    counted(settings=Settings(graphs=3, repeats=1), progress=lambda *n: told.append(n))
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_wrong_uses_are_told_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def told(*arguments: str) -> str:
        assert main(["experiment", *arguments]) == 2
        return capsys.readouterr().err

    assert "expected paper, sizes, floats, tolerance, treewidth, got nonsense" in told("nonsense")
    assert "expected a whole number" in told("--graphs", "-1")
    assert "expected at least one graph, got 0" in told("--graphs", "0")
    assert "expected at least one repetition, got 0" in told("--repeats", "0")
    assert "expected a seed from 0 to 2147483647, got 1" in told("--seed", "1" + "0" * 30)
    problem = "study sizes: expected neither permuted arguments nor commutative"
    assert problem in told("sizes", "--permuted", "-o", str(tmp_path / "new"))
    (tmp_path / "file").write_text("")
    assert "cannot be written" in told("--quick", "-o", str(tmp_path / "file"))
    folder = tmp_path / "paper-quick"
    folder.mkdir()
    (folder / "journal.jsonl").write_text('{"study": "sizes"}\n')
    assert "has study 'sizes', this run 'paper'" in told("--quick", "-o", str(tmp_path))
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert "figures need matplotlib" in told("--quick", "-o", str(tmp_path / "new"))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    arguments = ("--quick", "--no-figures", "--parquet", "-o", str(tmp_path / "new"))
    assert "Parquet needs pyarrow" in told(*arguments)
    assert not (tmp_path / "new").exists()
