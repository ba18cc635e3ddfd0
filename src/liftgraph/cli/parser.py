"""What can be typed: the commands, and how arguments are read."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any, NoReturn

from liftgraph import __version__
from liftgraph.display import did_you_mean
from liftgraph.errors import InputError

AND_GIVEN = "--and-given"  # what comes before the second event after --given, and later ones
AND_DO = "--and-do"  # the same after --do
_AND = {"--given": AND_GIVEN, "--do": AND_DO}
_MARK = "\0"  # no argument of a process has this character
# The modules of the commands: each is loaded when its command is typed, or all for their list.
_MODULES = {
    "info": "info",
    **dict.fromkeys(["query", "marginals", "logz", "mpe", "map"], "questions"),
    "sample": "sampling",
    "predict": "prediction",
    "likelihood": "likelihood",
    "lift": "lifting",
    "convert": "converting",
    "learn": "learning",
    "draw": "pictures",
    "trade-off": "trade_off",
    "experiment": "experiments",
    "demo": "demo",
    "completion": "completion",
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
        self.refuse(unknown)
        return options, unknown

    def refuse(self, unknown: Sequence[str]) -> None:
        """Refuse arguments that no option and no command takes; options are named first."""
        if not unknown:
            return
        first = next((argument for argument in unknown if argument.startswith("-")), None)
        if first is None:
            self.error(f"unrecognized arguments: {' '.join(unknown).replace(_MARK, '')}")
        name = first.partition("=")[0]
        where = "" if self._subparsers is None else " before the command"
        self.error(f"unknown option {name}{where}{did_you_mean(name, self.option_names())}")

    def option_names(self) -> list[str]:
        """The options that help lists, as they are typed."""
        shown = [action for action in self._actions if action.help != argparse.SUPPRESS]
        return [name for action in shown for name in action.option_strings]

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse what is not among the choices, suggesting one of them."""
        if action.choices is None or value in action.choices:
            return
        choices = list(map(str, action.choices))
        came = f"got {value}{did_you_mean(str(value), choices)}"
        raise argparse.ArgumentError(action, f"expected {_listed(choices)}, {came}")

    def error(self, message: str) -> NoReturn:
        question = message.endswith("?)")  # a suggestion: both hints stand in the same brackets
        begun = f"{message[:-1]} " if question else f"{message} ("
        raise InputError(f"{begun}{self.prog} --help explains)")

    def _print_message(self, message: str, file: Any = None) -> None:
        print(message, end="", file=file or sys.stderr, flush=True)  # errors are not ignored


class _Command(_Parser):
    """The parser of one command: its options and other arguments come in any order."""

    _in_order = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        if self._in_order:  # some versions of Python parse in two passes, by this method
            return argparse.ArgumentParser.parse_known_args(self, args, namespace)
        self._in_order = True
        try:
            options, unknown = self.parse_known_intermixed_args(_marked(args), namespace)
        finally:
            self._in_order = False
        self.refuse(unknown)
        return options, unknown

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        return super()._get_value(action, arg_string.removeprefix(_MARK))


def _marked(arguments: Sequence[str]) -> list[str]:
    """The arguments without ``--``, those behind it marked: the second of the two passes would take
    them for options otherwise.

    >>> _marked(["--json", "--", "-x"])
    ['--json', '\\x00-x']
    """
    if "--" not in arguments:
        return list(arguments)
    place = list(arguments).index("--")
    return [*arguments[:place], *(f"{_MARK}{word}" for word in arguments[place + 1 :])]


def _listed(choices: Iterable[str]) -> str:
    """Alternatives in a sentence.

    >>> _listed(["cp", "acp", "alpha-acp"])
    'cp, acp or alpha-acp'
    """
    *first, last = choices
    return f"{', '.join(first)} or {last}" if first else last


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
    parser.set_defaults(run=lambda _: _refuse_nothing(parser))
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=_Command)
    for module in load_command(arguments):
        module.add_to(commands)
    return parser


def _refuse_nothing(parser: argparse.ArgumentParser) -> NoReturn:
    """Show the help if no command was typed. A script in which a name is empty has failed, so this
    is an error nevertheless."""
    parser.print_help(sys.stderr)
    raise SystemExit(2)


def one_event_each(arguments: Sequence[str]) -> list[str]:
    """The arguments with an option before each event, so that other arguments may follow.

    >>> one_event_each(["--given", "A=true", "B=false", "model.uai"])
    ['--given', 'A=true', '--and-given', 'B=false', 'model.uai']
    """
    spelt: list[str] = []
    option = ""  # the one that events belong to, if they may follow
    for argument in arguments:
        event = option != "" and "=" in argument and not argument.startswith("-")
        if event and spelt[-1] != option:
            spelt.append(_AND[option])
        begun = argument.partition("=")[0]
        option = option if event else begun if begun in _AND else ""
        spelt.append(argument)
    return spelt
