"""Adding commands, and the options that several of them share.

What only some commands need is loaded where they add their options.
"""

from __future__ import annotations

import argparse
import re
from typing import Any, TypeAlias

from liftgraph.cli.parser import AND_DO, AND_GIVEN
from liftgraph.display import format_bytes
from liftgraph.errors import InputError
from liftgraph.io.formats import format_names, suffixes
from liftgraph.model.memory_limit import MEMORY_LIMIT, parse_size

Commands: TypeAlias = "argparse._SubParsersAction[Any]"
EXAMPLE = "example:epidemic"  # the model of the examples in help texts
_EXAMPLES = "example:"  # before the name of an example that comes with the library


def add_command(commands: Commands, name: str, what: str, example: str) -> argparse.ArgumentParser:
    """A new command. ``what``: what it does; ``example``: its arguments in an example."""
    command: argparse.ArgumentParser = commands.add_parser(
        name,
        help=what,
        description=f"{what[0].upper()}{what[1:]}.",
        epilog=f"example:\n  liftgraph {name} {example}".rstrip(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    return command


def add_model(command: argparse.ArgumentParser) -> None:
    """The model that a command is about."""
    command.add_argument(
        "model",
        metavar="MODEL",
        type=model_file,
        help=f"a model: {', '.join(suffixes())}, or one with .gz; {EXAMPLE} or example:asia, which"
        " come with the library; or - for standard input",
    )
    add_reading(command)
    add_memory(command)


def add_reading(command: argparse.ArgumentParser) -> None:
    """The format of a model whose name does not tell it, and whether to repair its numbers."""
    command.add_argument(
        "--input-format",
        metavar="FORMAT",
        choices=format_names(),
        help=f"the format of the model, if its name does not tell: {', '.join(format_names())}",
    )
    command.add_argument(
        "--repair",
        action="store_true",
        help="read a Bayesian network whose numbers are slightly wrong: divide rows by their sums,"
        " and take negative numbers down to -0.01 as 0; notes say where",
    )


def add_memory(command: argparse.ArgumentParser) -> None:
    """How much memory reading a file, and then answering a question, may take."""
    command.add_argument(
        "--memory",
        metavar="LIMIT",
        type=memory_size,
        default=MEMORY_LIMIT,
        help=f"refuse to use more, such as 500MB or 8GiB (default: {format_bytes(MEMORY_LIMIT)})",
    )


def add_formats(command: argparse.ArgumentParser, *formats: str) -> None:
    """How to print."""
    command.add_argument(
        "--format",
        choices=formats,
        default=formats[0],
        help=f"how to print (default: {formats[0]})",
    )
    command.add_argument(
        "--json", action="store_const", const="json", dest="format", help="same as --format json"
    )


def add_json(command: argparse.ArgumentParser) -> None:
    """Whether to print JSON, for commands whose result is a file."""
    command.add_argument("--json", action="store_true", help="report as JSON")


def add_algorithm(command: argparse.ArgumentParser) -> None:
    """How groups are found."""
    from liftgraph.symmetry.colours.colouring import ALGORITHMS

    command.add_argument(
        "--algorithm",
        choices=ALGORITHMS,
        default=ALGORITHMS[0],
        help="which tables count as interchangeable: alpha-acp those equal up to a scale and the"
        " order of arguments (default), acp up to the order of arguments, cp equal ones",
    )


def add_evidence(command: argparse.ArgumentParser) -> None:
    """What was observed."""
    command.add_argument(
        "--given",
        metavar="VAR=STATE ...",
        action="append",
        default=[],
        help="observed variables and their states; or likelihoods, a number for each state, as"
        " Sick.bob=0.8,0.2; or counts, as count:Sick=true=37 or =3..8",
    )
    command.add_argument(
        AND_GIVEN, metavar="VAR=STATE", action="append", default=[], help=argparse.SUPPRESS
    )
    command.add_argument(
        "--evidence",
        metavar="FILE",
        action="append",
        default=[],
        help="observed variables: .json, .csv or one of these with .gz, otherwise in UAI format;"
        " may be repeated",
    )


def add_interventions(command: argparse.ArgumentParser) -> None:
    """What is done before anything is asked or observed."""
    command.add_argument(
        "--do",
        metavar="VAR=STATE ...",
        action="append",
        default=[],
        help="variables that are set to states, whatever their parents are, before anything is"
        " observed; or PRVs, for all their variables (models with directions only)",
    )
    command.add_argument(
        AND_DO, metavar="VAR=STATE", action="append", default=[], help=argparse.SUPPRESS
    )


def add_reproducible(command: argparse.ArgumentParser) -> None:
    """Whether two runs print the same."""
    command.add_argument(
        "--reproducible",
        action="store_true",
        help="print no times, so that all runs print the same",
    )


def add_tolerance(command: argparse.ArgumentParser, default: str) -> None:
    """How much tables of a group may differ."""
    command.add_argument(
        "--tolerance",
        metavar="E",
        help="let potentials differ by a relative E, such as 0.001 or 1/1000, from those of their"
        f" group; answers then say how far off they may be (default: {default})",
    )


def add_inference(command: argparse.ArgumentParser, *formats: str) -> None:
    """The options of every command that answers a question."""
    from liftgraph.inference.ground.on_device import DEVICES
    from liftgraph.inference.methods import METHODS
    from liftgraph.model.questions import SEARCH_SECONDS

    add_evidence(command)
    command.add_argument("--exact", action="store_true", help="compute in fractions, not floats")
    command.add_argument(
        "--method", choices=METHODS, default="auto", help="how to compute (default: auto)"
    )
    command.add_argument(
        "--device",
        choices=DEVICES,
        help="where the method torch computes (default: cuda if torch sees a card, otherwise cpu)",
    )
    add_tolerance(command, "0: answers are those of the given model")
    command.add_argument(
        "--search",
        metavar="SECONDS",
        type=parse_seconds,
        default=SEARCH_SECONDS,
        help="how long to search for a better order, at most, before a question is refused"
        f" (default: {SEARCH_SECONDS:g})",
    )
    command.add_argument(
        "--explain", action="store_true", help="show the plan and its cost on stderr"
    )
    add_reproducible(command)
    add_formats(command, *formats)


def model_file(name: str) -> str:
    """The file of a model: the one named, or that of an example, such as ``example:asia``.

    >>> model_file("asia.json"), model_file("example:asia.json")
    ('asia.json', 'example:asia.json')
    """
    try:
        return _example_or_file(name, "MODELS")
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def table_file(name: str) -> str:
    """The file of a table: the one named, or that of an example, ``example:patients``."""
    return _example_or_file(name, "TABLES")


def _example_or_file(name: str, kind: str) -> str:
    if not name.startswith(_EXAMPLES) or "." in name:  # files have a suffix, examples have none
        return name
    from liftgraph.datasets import examples

    return str(examples.example_file(name.removeprefix(_EXAMPLES), getattr(examples, kind)))


def parse_seconds(text: str) -> float:
    """A number of seconds: ``10``, ``0.5``.

    >>> parse_seconds("0.5")
    0.5
    """
    if re.fullmatch(r"\d+(?:\.\d+)?", text, re.ASCII) is None:
        raise argparse.ArgumentTypeError(f"expected a number of seconds, got {text}")
    return float(text)


def memory_size(text: str) -> int:
    """A number of bytes: ``500MB``, ``1.5GiB``, ``2g``, ``1000``."""
    try:
        return parse_size(text)
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
