"""The command ``liftgraph completion``: a script that completes commands and options in a shell."""

from __future__ import annotations

import argparse
from argparse import Namespace
from typing import Any

from liftgraph.cli.options import Commands, add_command
from liftgraph.errors import InputError

SHELLS = ("bash", "zsh")
_FILES = ("MODEL", "IN", "OUT", "TABLE", "FILE")  # the metavars of arguments that are files


def add_to(commands: Commands) -> None:
    """Add the command and its options."""
    command = add_command(
        commands,
        "completion",
        "print a script that completes commands, options and file names in a shell",
        'bash > liftgraph.bash   # then, in ~/.bashrc: source "$PWD/liftgraph.bash"',
    )
    command.add_argument("shell", metavar="SHELL", choices=SHELLS, help=" or ".join(SHELLS))
    command.set_defaults(run=print_script)


def print_script(options: Namespace) -> None:
    """Print the script of a shell."""
    try:
        import shtab
    except ImportError:
        problem = "completion needs shtab: pip install 'liftgraph[completion]'"
        raise InputError(problem) from None
    from liftgraph.cli.parser import make_parser

    parser = make_parser()
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                _say_what_completes(command, shtab)
    print(shtab.complete(parser, options.shell), flush=True)  # a script may have tabs


def _say_what_completes(command: argparse.ArgumentParser, shtab: Any) -> None:
    """File names complete arguments that are files, folders those that are folders."""
    for action in command._actions:
        if action.metavar in _FILES:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif action.metavar == "DIR":
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
