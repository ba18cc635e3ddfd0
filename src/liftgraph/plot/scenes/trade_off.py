"""What a tolerance gains and what it costs, as curves in two panels."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from liftgraph.display import counted
from liftgraph.exact import numeral
from liftgraph.model.answers.trade_off import TradeOff
from liftgraph.plot.layout.arrangement import extent, moved, together
from liftgraph.plot.scene import Scene, Text
from liftgraph.plot.scenes.curves import Curve, curves_scene, dot_places
from liftgraph.plot.text import SMALL_FONT, abbreviated, text_width

_BETWEEN = 18.0  # points between the panels


def trade_off_scene(trade_off: TradeOff) -> Scene:
    """The sizes of lifted models by tolerance, and below them the errors of log odds."""
    choices = trade_off.choices
    sizes = [
        Curve("PRVs", tuple(float(choice.prvs) for choice in choices), 0, "curve"),
        Curve("parfactors", tuple(float(choice.parfactors) for choice in choices), 2, "dashes"),
    ]
    errors = [Curve("at most", tuple(choice.log_odds_bound for choice in choices), 1, "curve")]
    measured = any(choice.error is not None for choice in choices)
    if measured:
        errors.append(Curve("measured", tuple(choice.error for choice in choices), 4, "dashes"))
    labels = [abbreviated(numeral(choice.tolerance), 12) for choice in choices]
    upper = curves_scene("sizes", "size of the lifted model", sizes, len(labels))
    lower = curves_scene("errors", "error of log odds", errors, len(labels))
    down = extent(upper)[3] - extent(lower)[1] + _BETWEEN
    lower = together([lower, _tolerances(labels, extent(lower)[3] + 10)])
    return together([upper, moved(lower, (0.0, down))], _caption(trade_off, measured))


def _caption(trade_off: TradeOff, measured: bool) -> str:
    caption = (
        f"{counted(trade_off.variables, 'variable')} and {counted(trade_off.factors, 'factor')},"
        f" lifted with {counted(len(trade_off), 'tolerance')}, drawn at equal distances. At most:"
        " a bound on the error of the log odds of any event."
    )
    return caption + " Measured: the largest error for the queried variables." * measured


def _tolerances(labels: Sequence[str], y: float) -> Scene:
    """The tolerances below their dots, as many as there is room for."""
    texts = [Text("tolerance", "tolerance", (-5.0, y), anchor="right", bold=True)]
    free = -inf
    for index, (x, label) in enumerate(zip(dot_places(len(labels)), labels, strict=True)):
        half = text_width(label, SMALL_FONT) / 2
        if x - half > free:
            texts.append(Text(f"tolerance-{index}", label, (x, y), anchor="center"))
            free = x + half + 4
    return Scene(texts=tuple(texts))
