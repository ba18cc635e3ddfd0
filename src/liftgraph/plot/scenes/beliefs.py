"""The distribution of a variable as bars within its node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from liftgraph.errors import InputError, quoted
from liftgraph.exact import shortened
from liftgraph.model.answers.marginal import Marginal, most_likely
from liftgraph.model.answers.marginals import Marginals
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.plot.scene import Node, NodeKind, Point, Scene, Text
from liftgraph.plot.text import FONT_SIZE, SMALL_FONT, abbreviated, text_width

MOST_ROWS = 8  # states in a node; of more, the most likely ones
_BAR = 44.0  # the length of a bar for probability 1
_ROW, _TITLE = 11.0, 17.0  # heights
_PADDING, _GAP = 7.0, 4.0
_PALE = 0.1  # the shade of the bar for probability 1
_LONGEST = 16  # characters of a state


def beliefs_of(graph: FactorGraph, beliefs: Marginals | bool) -> Marginals:
    """The marginals themselves if they are of this graph; True asks for them."""
    if beliefs is True:
        return graph.marginals()
    if not isinstance(beliefs, Marginals):
        raise InputError(f"expected marginals as beliefs, got {shortened(quoted(beliefs))}")
    for variable in range(graph.variable_count):
        name = graph.name(variable)
        if name not in beliefs or beliefs[name].states[0] != tuple(graph.states(variable)):
            raise InputError(f"expected marginals of this graph, got none of {name}")
    return beliefs


def belief_panel(node: Node, marginal: Marginal) -> Scene:
    """A panel instead of a node: its label, and a row with a bar for each state.

    It stands around the origin. Each row has the state, the bar, and the probability in percent.
    """
    rows = _rows(marginal)
    state_width = max(text_width(state, SMALL_FONT) for state, _ in rows)
    number_width = text_width("100.0", SMALL_FONT)
    row_width = state_width + _BAR + number_width + 2 * _GAP
    title = node.label.replace("\n", ": ")
    width = max(row_width, text_width(title)) + 2 * _PADDING
    height = _TITLE + len(rows) * _ROW + 5
    left, top = -row_width / 2, -height / 2
    bar_left = left + state_width + _GAP
    nodes = [replace(node, kind="panel", label="", at=(0.0, 0.0), size=(width, height))]
    texts = [Text(f"label-{node.id}", title, (0.0, top + 9.5), FONT_SIZE, "center")]
    for row, (state, probability) in enumerate(rows):
        y = top + _TITLE + (row + 0.5) * _ROW
        texts.append(Text(f"{node.id}-state-{row}", state, (left, y)))
        nodes += _bar(f"{node.id}-{{}}-{row}", probability, (bar_left, y))
        number = Text(
            f"{node.id}-percent-{row}",
            percent(probability),
            (row_width / 2, y),
            anchor="right",
        )
        texts.append(number)
    return Scene(tuple(nodes), texts=tuple(texts))


def _bar(name: str, probability: float, start: Point) -> Iterator[Node]:
    """A bar, and a pale one behind it which is as long as that of probability 1."""
    x, y = start
    lengths: dict[NodeKind, float] = {"cell": _BAR, "bar": _BAR * probability}
    for kind, length in lengths.items():
        at, size = (x + length / 2, y), (length, _ROW - 3)
        yield Node(name.format(kind), kind, group=0, at=at, size=size, shade=_PALE)


def _rows(marginal: Marginal) -> list[tuple[str, float]]:
    """The states and their probabilities; of many, the most likely ones and all others together."""
    probabilities = marginal.probabilities
    kept, rest = most_likely(probabilities, MOST_ROWS)
    rows = [
        (abbreviated(marginal.states[0][state], _LONGEST), float(probabilities[state]))
        for state in kept
    ]
    if len(kept) < len(probabilities):
        rows.append((f"{len(probabilities) - len(kept):,} others", rest))
    return rows


def percent(probability: float) -> str:
    """A probability in percent, with one digit; small ones are not rounded to nothing.

    >>> percent(0.25), percent(0.0001), percent(1.0), percent(0.9999)
    ('25.0', '<0.1', '100', '>99.9')
    """
    if 0 < probability < 0.0005:
        return "<0.1"
    if 0.9995 <= probability < 1:
        return ">99.9"
    return f"{100 * probability:.3g}" if probability in (0.0, 1.0) else f"{100 * probability:.1f}"
