"""What can be typed: the commands, and how arguments are read."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, NoReturn

from liftgraph import __version__
from liftgraph.cli import (
    converting,
    experiments,
    info,
    learning,
    lifting,
    pictures,
    questions,
    trade_off,
)

_COMMANDS = (info, questions, lifting, converting, learning, pictures, trade_off, experiments)


class _Parser(argparse.ArgumentParser):
    """A parser with errors of one line that name the command whose help explains them."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        options, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return options, unknown

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"liftgraph: {message} ({self.prog} --help explains)\n")


def make_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line; ``options.run(options)`` runs the command.

    Precondition: ``one_event_each`` was applied to the arguments.
    """
    parser = _Parser(
        prog="liftgraph",
        description="Exact probabilistic inference that exploits symmetry.",
        epilog="liftgraph COMMAND --help explains a command and shows an example.",
    )
    parser.add_argument("--version", action="version", version=f"liftgraph {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for module in _COMMANDS:
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
