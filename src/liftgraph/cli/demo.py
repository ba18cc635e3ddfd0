"""The command ``liftgraph demo``: other commands on an example, each shown before it runs."""

from __future__ import annotations

from argparse import Namespace

from liftgraph.cli.options import EXAMPLE, Commands, add_command
from liftgraph.cli.output import show

_STEPS = {
    "The epidemic example: nine variables, named and with counts as potentials": f"info {EXAMPLE}",
    "Is Alice sick, given an epidemic? What will be done, and the answer": (
        f"query {EXAMPLE} Sick.alice --given Epid=true --explain"
    ),
    "And given only that Bob was treated: exactly, in fractions": (
        f"query {EXAMPLE} Sick.alice --given Treat.bob.m1=true --exact"
    ),
    "Who is interchangeable with whom, and the lifted model that says so": f"lift {EXAMPLE}",
}


def add_to(commands: Commands) -> None:
    """Add the command."""
    command = add_command(commands, "demo", "run some of these commands on an example", "")
    command.set_defaults(run=show_demo)


def show_demo(_: Namespace) -> None:
    """Run commands that need no files, and say what each of them is for."""
    for purpose, command in _STEPS.items():
        show(f"\n== {purpose}\n$ liftgraph {command}")
        _run(command.split())
    show("\nDone. liftgraph --help lists the other commands.")


def _run(arguments: list[str]) -> None:
    from liftgraph.cli.parser import make_parser, one_event_each

    options = make_parser(arguments).parse_args(one_event_each(arguments))
    options.run(options)
