"""What can be typed: the commands, and how arguments are read."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

from liftgraph import __version__
from liftgraph.errors import InputError

# The modules of the commands: each is loaded when its command is typed, or all for their list.
_MODULES = {
    "info": "info",
    **dict.fromkeys(["query", "marginals", "logz", "mpe"], "questions"),
    "predict": "prediction",
    "lift": "lifting",
    "convert": "converting",
    "learn": "learning",
    "draw": "pictures",
    "trade-off": "trade_off",
    "experiment": "experiments",
    "demo": "demo",
}


def load_command(arguments: Sequence[str]) -> list[Any]:
    """The modules that understand these arguments: that of the command, or of all commands."""
    first = arguments[0] if arguments else None
    if first == "--version":
        return []
    names = [_MODULES[first]] if first in _MODULES else dict.fromkeys(_MODULES.values())
    return [import_module(f"liftgraph.cli.{name}") for name in names]


class _Parser(argparse.ArgumentParser):
    """A parser with errors of one line that name the command whose help explains them."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        options, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return options, unknown

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message} ({self.prog} --help explains)")

    def _print_message(self, message: str, file: Any = None) -> None:
        print(message, end="", file=file or sys.stderr, flush=True)  # errors are not ignored


def make_parser(arguments: Sequence[str] = ()) -> argparse.ArgumentParser:
    """The parser of these arguments, or of all there can be; ``options.run(options)`` runs the
    command.

    Precondition: ``one_event_each`` was applied to the arguments.
    """
    parser = _Parser(
        prog="liftgraph",
        description="Exact probabilistic inference that exploits symmetry.",
        epilog="liftgraph COMMAND --help explains a command and shows an example.",
    )
    parser.add_argument("--version", action="version", version=f"liftgraph {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for module in load_command(arguments):
        module.add_to(commands)
    return parser


def one_event_each(arguments: Sequence[str]) -> list[str]:
    """The arguments with ``--given`` before each event, so that other arguments may follow.

    >>> one_event_each(["--given", "A=true", "B=false", "model.uai"])
    ['--given', 'A=true', '--given', 'B=false', 'model.uai']
    """
    spelt: list[str] = []
    in_events = False
    for argument in arguments:
        if in_events and "=" in argument and spelt[-1] != "--given":
            spelt.append("--given")
        in_events = argument == "--given" or (in_events and "=" in argument)
        spelt.append(argument)
    return spelt
