"""What can be typed: commands, options and their help."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from liftgraph import __version__
from liftgraph.cli import commands, learning, options, pictures, trade_off
from liftgraph.inference.query import Kind
from liftgraph.io.formats import suffixes
from liftgraph.symmetry.colours.colouring import ALGORITHMS

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction["_Parser"]

_EXAMPLE = "examples/epidemic.json"
_QUESTIONS: list[tuple[str, Kind, str, str]] = [
    (
        "query",
        "marginal",
        "the distribution of a variable, or the joint one of several, given evidence",
        "Sick.alice --given Epid=true Travel.bob=false",
    ),
    (
        "marginals",
        "marginals",
        "the distribution of every variable given evidence",
        "--given Epid=true --format uai",
    ),
    (
        "logz",
        "partition",
        "the logarithm of the total weight of what agrees with the evidence",
        "--exact",
    ),
    (
        "mpe",
        "explanation",
        "a most probable assignment of all variables given evidence",
        "--given Epid=true",
    ),
]
STUDIES = ("paper", "sizes", "floats", "tolerance", "treewidth")


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, and name the command whose help explains."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        options, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return options, unknown

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"liftgraph: {message} ({self.prog} --help explains)\n")


def make_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line; ``options.run(options)`` does what was asked.

    Precondition: ``one_event_each`` was applied to the arguments.
    """
    parser = _Parser(
        prog="liftgraph",
        description="Exact probabilistic inference that exploits symmetry.",
        epilog="liftgraph COMMAND --help explains a command and shows an example.",
    )
    parser.add_argument("--version", action="version", version=f"liftgraph {__version__}")
    chosen = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_info(chosen)
    for name, kind, what, asked in _QUESTIONS:
        _add_question(chosen, name, kind, what, asked)
    _add_lift(chosen)
    _add_convert(chosen)
    learning.add_options(_command(chosen, "learn", learning.WHAT, learning.EXAMPLE))
    _add_draw(chosen)
    _add_trade_off(chosen)
    _add_experiment(chosen)
    return parser


def one_event_each(arguments: Sequence[str]) -> list[str]:
    """The arguments with ``--given`` before each event, so that other arguments may follow.

    >>> one_event_each(["--given", "A=true", "B=false", "model.uai"])
    ['--given', 'A=true', '--given', 'B=false', 'model.uai']
    """
    spelt: list[str] = []
    giving = False
    for argument in arguments:
        if giving and "=" in argument and spelt[-1] != "--given":
            spelt.append("--given")
        giving = argument == "--given" or (giving and "=" in argument)
        spelt.append(argument)
    return spelt


def _command(chosen: Commands, name: str, what: str, example: str) -> argparse.ArgumentParser:
    return chosen.add_parser(
        name,
        help=what,
        description=f"{what[0].upper()}{what[1:]}.",
        epilog=f"example:\n  liftgraph {name} {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def _add_info(chosen: Commands) -> None:
    command = _command(chosen, "info", "count what a model consists of", _EXAMPLE)
    options.add_model(command)
    options.add_formats(command, "table", "json")
    command.set_defaults(run=commands.show_info)


def _add_question(chosen: Commands, name: str, kind: Kind, what: str, asked: str) -> None:
    command = _command(chosen, name, what, f"{_EXAMPLE} {asked}")
    options.add_model(command)
    if kind == "marginal":
        command.add_argument("variables", metavar="VAR", nargs="+", help="variables asked for")
        options.add_inference(command, "table", "json")
    else:
        options.add_inference(command, "table", "json", "uai")
    command.set_defaults(run=commands.answer, kind=kind)


def _add_lift(chosen: Commands) -> None:
    command = _command(
        chosen,
        "lift",
        "find interchangeable variables and factors and make a lifted model of them",
        f"{_EXAMPLE} --given Sick.alice=true -o lifted.json",
    )
    options.add_model(command)
    command.add_argument(
        "--algorithm",
        choices=ALGORITHMS,
        default=ALGORITHMS[0],
        help="which tables count as interchangeable: alpha-acp those equal up to a scale and the"
        " order of arguments (default), acp up to the order of arguments, cp equal ones",
    )
    options.add_tolerance(command, "0; 1e-12 for tables that came as floats")
    options.add_evidence(command)
    command.add_argument("--rounds", action="store_true", help="show the groups after each round")
    stored = f"where to store the lifted model: {' or '.join(suffixes(lifted=True))}"
    command.add_argument("-o", "--output", metavar="FILE", help=stored)
    options.add_formats(command, "table", "json")
    command.set_defaults(run=commands.lift)


def _add_convert(chosen: Commands) -> None:
    command = _command(
        chosen,
        "convert",
        "read a model in one format and write it in another, as the names tell",
        f"{_EXAMPLE} epidemic.uai.gz",
    )
    command.add_argument(
        "source", metavar="IN", help=f"model to read: {', '.join(suffixes())}, or one with .gz"
    )
    command.add_argument("target", metavar="OUT", help="model to write")
    command.add_argument(
        "--round",
        action="store_true",
        help="write values without a finite decimal form with 17 digits, not as fractions",
    )
    command.add_argument("--json", action="store_true", help="say what was done as JSON")
    command.set_defaults(run=commands.convert)


def _add_draw(chosen: Commands) -> None:
    example = f"{_EXAMPLE} --what lifted -o epidemic.svg"
    command = _command(chosen, "draw", "draw a model, its groups, an answer or a plan", example)
    options.add_model(command)
    options.add_evidence(command)
    options.add_tolerance(command, "0; 1e-12 for groups of tables that came as floats")
    pictures.add_arguments(command)
    command.set_defaults(run=commands.draw)


def _add_trade_off(chosen: Commands) -> None:
    command = _command(chosen, "trade-off", trade_off.WHAT, trade_off.EXAMPLE)
    options.add_model(command)
    trade_off.add_arguments(command)
    options.add_evidence(command)
    options.add_formats(command, "table", "json")
    command.set_defaults(run=commands.show_trade_off)


def _add_experiment(chosen: Commands) -> None:
    command = _command(
        chosen,
        "experiment",
        "repeat the evaluation of α-ACP, and studies beyond it; interrupted runs continue",
        "paper --quick",
    )
    command.add_argument(
        "studies",
        metavar="STUDY",
        nargs="*",
        type=_study,
        help=f"what to measure: {', '.join(STUDIES)} (default: paper)",
    )
    command.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        default="liftgraph-experiments",
        help="where results go, a folder per study (default: %(default)s)",
    )
    command.add_argument("--quick", action="store_true", help="a few small cells: within a minute")
    for name, default, what in (
        ("graphs", 3, "graphs of each kind, in the studies paper and tolerance; one if quick"),
        ("seed", 0, "seed of the first of them"),
        ("repeats", 3, "how often a time is taken; the shortest counts"),
    ):
        told = f"{what} (default: {default})"
        command.add_argument(f"--{name}", metavar="N", type=_count, default=default, help=told)
    command.add_argument("--permuted", action="store_true", help="permute arguments (paper)")
    command.add_argument(
        "--commutative", action="store_true", help="with commutative factors (paper)"
    )
    command.add_argument("--parquet", action="store_true", help="write a Parquet file, too")
    command.add_argument(
        "--no-figures", dest="figures", action="store_false", help="draw no figures"
    )
    command.add_argument("--json", action="store_true", help="say what was done as JSON")
    command.set_defaults(run=commands.experiment)


def _study(name: str) -> str:
    if name not in STUDIES:
        raise argparse.ArgumentTypeError(f"expected {', '.join(STUDIES)}, got {name}")
    return name


def _count(text: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        raise argparse.ArgumentTypeError(f"expected a whole number of 0 or more, got {text}")
    return int(text)
