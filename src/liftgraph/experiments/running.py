"""Running a study: what was measured before is kept, the rest is measured, results are written."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from liftgraph.errors import InputError, reason
from liftgraph.experiments.export import check_parquet, write_csv, write_parquet
from liftgraph.experiments.figures import style
from liftgraph.experiments.journal import Header, opened
from liftgraph.experiments.study import Row, Settings, Study
from liftgraph.io.writing import write_bytes
from liftgraph.plot.style import check_installed

_MATTER = ("seed", "repeats", "permuted", "commutative")  # the settings that change a cell's rows
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class StudyResults:
    """The results of a study. ``measured``, ``kept``: how many cells were measured now and before.

    ``rows``: those of all cells; ``files``: those that were written.
    """

    measured: int
    kept: int
    rows: list[Row]
    summary: str
    files: list[Path]


def run_study(
    study: Study,
    settings: Settings,
    folder: Path,
    figures: bool = True,
    parquet: bool = False,
    progress: Progress = lambda done, total: None,
) -> StudyResults:
    """Measure the cells which the journal in a folder lacks, and write tables and figures of all.

    To continue an interrupted run, make the same call again.
    """
    if (settings.permuted or settings.commutative) and not study.varied:
        problem = "expected neither permuted arguments nor commutative factors"
        raise InputError(f"study {study.name}: {problem}")
    if figures:
        check_installed("figures")
    if parquet:
        check_parquet()
    try:
        return _results(study, settings, folder, figures, parquet, progress)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {reason(error)}") from None


def _results(
    study: Study,
    settings: Settings,
    folder: Path,
    figures: bool,
    parquet: bool,
    progress: Progress,
) -> StudyResults:
    cells = list(study.cells(settings))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "journal.jsonl"
    with opened(path, header(study, settings), study.columns) as journal:
        missing = [cell for cell in cells if cell not in journal.cells]
        if missing:
            study.measure(cells[0], settings)  # so that start-up costs are not measured
        for done, cell in enumerate(missing, len(cells) - len(missing)):
            progress(done, len(cells))
            journal.add(cell, study.measure(cell, settings))
        progress(len(cells), len(cells))
        rows = [row for cell in cells for row in journal.cells[cell]]
        summary = study.summary(rows)
        files = _written(study, rows, summary, folder, parquet)
        if figures:
            for name, draw in study.figures.items():
                files += style.save(draw, rows, folder, name)
    return StudyResults(len(missing), len(cells) - len(missing), rows, summary, files)


def header(study: Study, settings: Settings) -> Header:
    """What must agree for measurements to stand in one table."""
    from liftgraph import __version__

    return {
        "study": study.name,
        **({"source": study.source} if study.source else {}),
        "settings": {name: getattr(settings, name) for name in _MATTER},
        "liftgraph": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "machine": machine(),
    }


def machine() -> str:
    """The processor, for readers of the results."""
    name = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        name = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return f"{name}, {os.cpu_count()} cores, {platform.system()}"


def _written(
    study: Study, rows: list[Row], summary: str, folder: Path, parquet: bool
) -> list[Path]:
    files = [folder / "results.csv", folder / "summary.md"]
    write_csv(rows, study.columns, files[0])
    write_bytes(files[1], f"{summary}\n".encode())
    if parquet:
        files.append(folder / "results.parquet")
        write_parquet(rows, study.columns, files[-1])
    return files
