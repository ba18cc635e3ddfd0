"""The command ``liftgraph lift FOLDER --engine spark``: the groups of a graph on disk, and the
lifted model if it fits into memory."""

from __future__ import annotations

import json
import time
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path

from liftgraph.cli.colours import NOTE
from liftgraph.cli.output import aligned, show, show_problem, show_table, unless_none
from liftgraph.display import counted, format_count
from liftgraph.errors import InputError, MemoryLimitError
from liftgraph.io import write
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.symmetry.colours.quotient import Quotient

SPARK = "spark"
LIFTED = "lifted.json"


def add_spark(command: ArgumentParser) -> None:
    """Where Spark runs, and how."""
    group = command.add_argument_group("with --engine spark, for graphs on disk")
    group.add_argument(
        "--master",
        help="where Spark runs, such as local[4] or spark://host:7077 (default: that of"
        " spark-submit, or all cores of this machine)",
    )
    group.add_argument(
        "--conf",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        type=_setting,
        help="a setting of Spark, such as spark.driver.memory=8g; may be repeated",
    )
    group.add_argument(
        "--partitions",
        metavar="N",
        type=_count,
        help="into how many parts edges are divided (default: one for two million edges)",
    )


def spark_options(options: Namespace) -> str | None:
    """The first option that was given and that only Spark has."""
    given = {"--master": options.master, "--conf": options.conf, "--partitions": options.partitions}
    return next((name for name, value in given.items() if value), None)


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.startswith("spark."):
        raise ArgumentTypeError(f"expected spark.NAME=VALUE, got {text}")
    return name, value


def _count(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"expected a positive integer, got {text}")
    return int(text)


def lift_on_spark(options: Namespace) -> None:
    """Colour a graph on disk, show its groups, and lift it if that fits into memory."""
    _check(options)
    from liftgraph.distributed.on_spark import colour_on_spark

    start = time.perf_counter()
    # Beforehand, because Spark's libraries may turn Ctrl-C into another error.
    show_problem("if this is interrupted, the same command goes on from the last round", NOTE)
    quotient = colour_on_spark(
        options.model,
        options.output,
        algorithm=options.algorithm,
        tolerance=options.tolerance,
        master=options.master,
        settings=dict(options.conf),
        partitions=options.partitions,
        memory_limit=options.memory,
        report=lambda line: show_problem(line, NOTE),
    )
    lifted, problem = _lifted(options)
    seconds = None if options.reproducible else time.perf_counter() - start
    if options.format == "json":
        show(_json(quotient, lifted, problem, seconds))
    else:
        show_table(_text(options, quotient, lifted, problem, seconds))


def _check(options: Namespace) -> None:
    """Refuse options that graphs on disk do not have."""
    if options.output is None:
        raise InputError("expected -o OUT, a folder for the colours, with --engine spark")
    if options.given or options.and_given or options.evidence:
        name = "--evidence" if options.evidence else "--given"
        hint = "evidence is in the folder, as evidence.parquet"
        raise InputError(f"expected no {name} with --engine spark: {hint}")
    for name, value in {"--rounds": options.rounds, "--device": options.device}.items():
        if value:
            raise InputError(f"expected no {name} with --engine spark")


def _lifted(options: Namespace) -> tuple[ParfactorGraph | None, str]:
    """The lifted model, stored beside the colours; or why there is none."""
    if "://" in f"{options.model}{options.output}":
        return None, "lifting needs the graph and its colours on this machine"
    from liftgraph.distributed.results import lift_on_disk

    try:
        model = lift_on_disk(options.model, options.output, memory_limit=options.memory)
    except MemoryLimitError as error:
        return None, str(error)
    write(model, Path(options.output, LIFTED))
    return model, ""


def _json(
    quotient: Quotient, lifted: ParfactorGraph | None, problem: str, seconds: float | None
) -> str:
    entries = {
        "variables": quotient.variable_count,
        "factors": quotient.factor_count,
        "edges": quotient.edge_count,
        "variable_groups": quotient.variable_group_count,
        "factor_groups": quotient.factor_group_count,
        "compression": float(quotient.compression),
        **unless_none("seconds", seconds),
        "algorithm": quotient.algorithm,
        "tolerance": str(quotient.tolerance),
        "verified": True,  # otherwise colouring, or lifting, would have failed
        "lifted": lifted is not None,
        **unless_none("not_lifted_because", problem or None),
    }
    return json.dumps(entries)


def _text(
    options: Namespace,
    quotient: Quotient,
    lifted: ParfactorGraph | None,
    problem: str,
    seconds: float | None,
) -> str:
    groups = counted(quotient.variable_group_count, "group")
    rows = {
        "variables": f"{quotient.variable_count:,} in {groups}",
        "factors": f"{quotient.factor_count:,} in {counted(quotient.factor_group_count, 'group')}",
        "edges": f"{quotient.edge_count:,}, {_times(quotient)} times as many as in the quotient",
        "algorithm": quotient.algorithm,
        "colours": f"verified, in {options.output}",
        "lifted": f"verified, in {Path(options.output, LIFTED)}" if lifted else f"no: {problem}",
    }
    if seconds is not None:
        rows["seconds"] = f"{seconds:.3g}"
    model = "" if lifted is None else f"\n\n{lifted.summary()}\n\n{lifted}"
    return aligned(rows) + model


def _times(quotient: Quotient) -> str:
    compression = quotient.compression
    return format_count(int(compression)) if compression >= 100 else f"{float(compression):.1f}"
