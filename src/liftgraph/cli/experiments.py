"""The command ``liftgraph experiment``: studies run or continued, results shown."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path

from liftgraph.cli.progress import reporting
from liftgraph.errors import InputError
from liftgraph.experiments import STUDIES, Outcome, Settings, Study, run_study


def experiment(options: Namespace) -> None:
    """Run the studies that were asked for, each into a folder of its own."""
    settings = Settings(
        quick=options.quick,
        graphs=options.graphs,
        seed=options.seed,
        repeats=options.repeats,
        permuted=options.permuted,
        commutative=options.commutative,
    )
    for name in options.studies or ["paper"]:
        study = STUDIES[name]
        folder = Path(options.output) / (f"{name}-quick" if options.quick else name)
        outcome = _run(study, settings, folder, options)
        told = _json if options.json else _text
        print(told(study, folder, outcome), flush=True)


def _run(study: Study, settings: Settings, folder: Path, options: Namespace) -> Outcome:
    with reporting() as report:

        def progress(done: int, total: int) -> None:
            report.stage(f"{study.name}: {done:,} of {total:,} cells")
            report.done(done / total)

        try:
            return run_study(study, settings, folder, options.figures, options.parquet, progress)
        except OSError as error:
            raise InputError(f"{folder}: cannot be written: {error.strerror}") from None
        except KeyboardInterrupt:
            raise KeyboardInterrupt("the same command continues") from None


def _text(study: Study, folder: Path, outcome: Outcome) -> str:
    files = ", ".join(path.name for path in outcome.files)
    counts = f"{outcome.measured:,} cells measured, {outcome.kept:,} kept from before"
    question = f"{study.question[0].upper()}{study.question[1:]}"
    return f"# {study.name}: {question}\n\n{outcome.summary}\n\n{counts}; in {folder}: {files}\n"


def _json(study: Study, folder: Path, outcome: Outcome) -> str:
    said = {
        "study": study.name,
        "folder": str(folder),
        "files": [p.name for p in outcome.files],
        "measured": outcome.measured,
        "kept": outcome.kept,
        "rows": len(outcome.rows),
    }
    return json.dumps(said)
