"""The command ``liftgraph trade-off``: tolerances tried on a model."""

from __future__ import annotations

import json
from argparse import Namespace

from liftgraph.cli.evidence import read_evidence
from liftgraph.cli.options import (
    EXAMPLE,
    Commands,
    add_command,
    add_evidence,
    add_formats,
    add_model,
)
from liftgraph.cli.output import show, show_table
from liftgraph.cli.progress import reporting
from liftgraph.cli.reading import read_ground
from liftgraph.exact import numeral
from liftgraph.inference.trade_off import TOLERANCES, trade_off
from liftgraph.model.answers.trade_off import TradeOff


def add_to(commands: Commands) -> None:
    """Add the command and its options."""
    command = add_command(
        commands,
        "trade-off",
        "try tolerances: how small the lifted model gets, and how far off answers may be",
        f"{EXAMPLE} Epid --tolerances 0.001,0.01,0.1 -o trade-off.svg",
    )
    add_model(command)
    command.add_argument(
        "variables",
        metavar="VAR",
        nargs="*",
        help="variables whose answers are compared with those of the given model",
    )
    command.add_argument(
        "--tolerances",
        metavar="E,...",
        type=_tolerances,
        action="extend",
        help="relative, separated by commas, such as 0.001 or 1/1000; may be repeated (default:"
        f" {','.join(TOLERANCES)})",
    )
    command.add_argument("-o", "--output", metavar="FILE", help="picture to write: .svg or .png")
    add_evidence(command)
    add_formats(command, "table", "json")
    command.set_defaults(run=show_trade_off)


def _tolerances(text: str) -> list[str]:
    return text.split(",")


def show_trade_off(options: Namespace) -> None:
    """Try tolerances on a model, print what they do, and draw it if a file was named."""
    if options.output is not None:  # refused before anything is read
        from liftgraph.plot.draw import check_path

        check_path(options.output)
    with reporting() as report:
        report.stage(f"reading {options.model}")
        graph = read_ground(options)
        given = read_evidence(graph, options)
        report.stage("trying tolerances")
        choices = trade_off(
            graph,
            options.tolerances or TOLERANCES,
            variables=options.variables,
            given=given,
            memory_limit=options.memory,
        )
        _draw(choices, options.output)
    if options.format == "json":
        show(_json(choices))
    else:
        show_table(choices)


def _draw(choices: TradeOff, output: str | None) -> None:
    if output is not None:
        from liftgraph.plot.draw import draw

        draw(choices).save(output)


def _json(choices: TradeOff) -> str:
    columns = choices.columns()
    columns["tolerance"] = [numeral(tolerance) for tolerance in columns["tolerance"]]
    sizes = {"variables": choices.variables, "factors": choices.factors}
    return json.dumps({**sizes, **columns})
