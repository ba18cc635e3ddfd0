"""The command ``liftgraph experiment``: studies run or continued, results shown."""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentTypeError, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from liftgraph.cli.options import Commands, add_command, add_json
from liftgraph.cli.output import show, show_table
from liftgraph.cli.progress import reporting
from liftgraph.display import counted, did_you_mean
from liftgraph.errors import InputError

if TYPE_CHECKING:
    from liftgraph.experiments import Settings, Study, StudyResults

STUDIES = ("paper", "sizes", "floats", "tolerance", "treewidth")


def add_to(commands: Commands) -> None:
    """Add the command and its options."""
    command = add_command(
        commands,
        "experiment",
        "repeat the evaluation of α-ACP, and studies beyond it; interrupted runs continue",
        "paper --quick",
    )
    command.add_argument(
        "studies",
        metavar="STUDY",
        nargs="*",
        type=_study,
        help=f"what to measure: {', '.join(STUDIES)} (default: paper, unless there is a --family)",
    )
    command.add_argument(
        "--family",
        metavar="MODULE:FUNCTION",
        action="append",
        default=[],
        help="repeat the evaluation on models of your own: a function that returns a model for a"
        " size, in a module of the working directory or an installed one; may be repeated",
    )
    command.add_argument(
        "--sizes",
        metavar="N,...",
        type=_sizes,
        default=(),
        help="sizes of these models (default: those of the paper, up to 1,024)",
    )
    command.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        default="liftgraph-experiments",
        help="where to store results, a folder for each study (default: %(default)s)",
    )
    command.add_argument(
        "--quick", action="store_true", help="only a few small cells, within a minute"
    )
    for name, default, what in (
        ("graphs", 3, "graphs of each kind, in the studies paper and tolerance; one if quick"),
        ("seed", 0, "seed of the first of these graphs"),
        ("repeats", 3, "how often each time is measured; the shortest counts"),
    ):
        described = f"{what} (default: {default})"
        command.add_argument(f"--{name}", metavar="N", type=_count, default=default, help=described)
    command.add_argument("--permuted", action="store_true", help="permute arguments (paper)")
    command.add_argument(
        "--commutative", action="store_true", help="with commutative factors (paper)"
    )
    command.add_argument("--parquet", action="store_true", help="also write a Parquet file")
    command.add_argument(
        "--no-figures", dest="figures", action="store_false", help="draw no figures"
    )
    add_json(command)
    command.set_defaults(run=experiment)


def _study(name: str) -> str:
    if name not in STUDIES:
        came = f"{name}{did_you_mean(name, STUDIES)}"
        raise ArgumentTypeError(f"expected {', '.join(STUDIES)}, got {came}")
    return name


def _sizes(text: str) -> list[int]:
    return [_count(size) for size in text.split(",")]


def _count(text: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        raise ArgumentTypeError(f"expected a whole number of 0 or more, got {text}")
    return int(text)


def experiment(options: Namespace) -> None:
    """Run the requested studies, each into its own folder."""
    from liftgraph import experiments

    settings = experiments.Settings(
        quick=options.quick,
        graphs=options.graphs,
        seed=options.seed,
        repeats=options.repeats,
        permuted=options.permuted,
        commutative=options.commutative,
    )
    for study in _studies(options):
        name = f"{study.name}-quick" if options.quick else study.name
        folder = Path(options.output) / name.replace(":", "-")
        results = _run(study, settings, folder, options)
        if options.json:
            show(_json(study, folder, results))
        else:
            show_table(_text(study, folder, results))


def _studies(options: Namespace) -> list[Study]:
    """The requested studies; families are loaded before anything is measured."""
    from liftgraph import experiments

    if options.sizes and not options.family:
        raise InputError("expected --sizes for models of your own only, with --family")
    if options.family:
        sys.path.insert(0, os.getcwd())  # as python -m does
    own = [experiments.own_study(name, options.sizes) for name in options.family]
    names = options.studies or ([] if own else ["paper"])
    return [experiments.STUDIES[name] for name in names] + own


def _run(study: Study, settings: Settings, folder: Path, options: Namespace) -> StudyResults:
    from liftgraph.experiments import run_study

    with reporting() as report:

        def progress(done: int, total: int) -> None:
            report.stage(f"{study.name}: {done:,} of {total:,} cells")
            report.done(done / total)

        try:
            return run_study(study, settings, folder, options.figures, options.parquet, progress)
        except KeyboardInterrupt as stop:
            stop.args = ("the same command continues",)
            raise


def _text(study: Study, folder: Path, results: StudyResults) -> str:
    files = ", ".join(path.name for path in results.files)
    counts = f"{counted(results.measured, 'cell')} measured, {results.kept:,} kept from before"
    question = f"{study.question[0].upper()}{study.question[1:]}"
    return f"# {study.name}: {question}\n\n{results.summary}\n\n{counts}; in {folder}: {files}\n"


def _json(study: Study, folder: Path, results: StudyResults) -> str:
    entries = {
        "study": study.name,
        "folder": str(folder),
        "files": [path.name for path in results.files],
        "measured": results.measured,
        "kept": results.kept,
        "rows": len(results.rows),
    }
    return json.dumps(entries)
