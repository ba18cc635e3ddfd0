"""The command that tries tolerances: its options, and what it says."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Sequence

from liftgraph.exact import numeral
from liftgraph.inference.trade_off import TOLERANCES, TradeOff

WHAT = "try tolerances: how small the lifted model gets, and how far off answers may be"
EXAMPLE = "model.uai Epid --tolerances 0.001 0.01 0.1 -o trade-off.svg"


def add_arguments(command: ArgumentParser) -> None:
    """What can be typed besides the model and its evidence."""
    command.add_argument(
        "variables",
        metavar="VAR",
        nargs="*",
        help="variables whose answers are compared with those of the given model",
    )
    command.add_argument(
        "--tolerances",
        metavar="E",
        nargs="+",
        default=TOLERANCES,
        help=f"relative, such as 0.001 or 1/1000 (default: {' '.join(TOLERANCES)})",
    )
    command.add_argument(
        "-o", "--output", metavar="FILE", help="where a picture of it goes: .svg or .png"
    )


def check(output: str | None) -> None:
    """Refuse a picture that could not be drawn or stored, before anything is read."""
    if output is not None:
        from liftgraph.plot.draw import check_path

        check_path(output)


def draw_trade_off(found: TradeOff, output: str | None) -> None:
    """Draw it, if a file for the picture was named."""
    if output is not None:
        from liftgraph.plot.draw import draw

        draw(found).save(output)


def trade_off_json(found: TradeOff) -> str:
    """The choices, for programs."""
    columns = found.columns()
    columns["tolerance"] = [numeral(each) for each in columns["tolerance"]]
    said: dict[str, int | Sequence[object]] = {
        "variables": found.variables,
        "factors": found.factors,
        **columns,
    }
    return json.dumps(said)
