"""A conditional distribution as a heat table: the likelier a state is, the darker its cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice, product

import numpy as np
from numpy.typing import NDArray

from liftgraph.display import counted
from liftgraph.model.ground.conditional import Conditional
from liftgraph.plot.layout.arrangement import BOLD, together
from liftgraph.plot.scene import Node, Scene, Text
from liftgraph.plot.text import FONT_SIZE, SMALL_FONT, abbreviated, text_width

_MOST_ROWS, _MOST_COLUMNS = 64, 40
_HEIGHT, _GAP = 17.0, 12.0  # of a row, and between columns of text
_NARROWEST = 40.0  # a cell
_LONGEST = 16  # characters of a state
_DARKEST = 0.7  # the shade of probability 1


def heat_table_scene(conditional: Conditional) -> Scene:
    """A row for each combination of the parents' states, a column for each state."""
    probabilities = _probabilities(conditional)
    shown = probabilities[:_MOST_ROWS, :_MOST_COLUMNS]
    headings = [abbreviated(parent) for parent in conditional.parents]
    combinations = islice(product(*conditional.parent_states), len(shown))
    parent_columns, left = _parent_columns(headings, list(zip(*combinations, strict=True)))
    states = [abbreviated(state, _LONGEST) for state in conditional.states[:_MOST_COLUMNS]]
    scene = together([parent_columns, _cells(states, shown, left)])
    given = f" | {', '.join(headings)}" if headings else ""
    title = f"P({abbreviated(conditional.variable)}{given})"
    title_text = Text("title", title, (0.0, -2.2 * _HEIGHT), FONT_SIZE, bold=True)
    caption = _left_out(probabilities.shape) if shown.size < probabilities.size else ""
    return replace(scene, texts=(title_text, *scene.texts), caption=caption)


def _probabilities(conditional: Conditional) -> NDArray[np.float64]:
    """A row for each combination of the parents' states."""
    table = conditional.table
    rows = table.integers.reshape(-1, len(conditional.states)).astype(object) * table.scale
    return np.asarray(rows, dtype=np.float64)


def _left_out(shape: tuple[int, ...]) -> str:
    rows, columns = min(shape[0], _MOST_ROWS), min(shape[1], _MOST_COLUMNS)
    return f"The first {rows:,} of {shape[0]:,} rows and {columns} of {counted(shape[1], 'state')}."


def _parent_columns(
    headings: Sequence[str], columns: Sequence[Sequence[str]]
) -> tuple[Scene, float]:
    """The parents' states, each once for the rows that share it, and where the columns end."""
    texts, x = [], 0.0
    for column, heading in enumerate(headings):
        texts.append(Text(f"parent-{column}", heading, (x, -_HEIGHT), bold=True))
        before: tuple[str, ...] = ()
        widths = [BOLD * text_width(heading, SMALL_FONT)]
        for row, combination in enumerate(zip(*columns[: column + 1], strict=True)):
            if combination != before:
                state = abbreviated(combination[-1], _LONGEST)
                texts.append(Text(f"parent-{column}-{row}", state, (x, row * _HEIGHT)))
                widths.append(text_width(state, SMALL_FONT))
            before = combination
        x += max(widths) + _GAP
    return Scene(texts=tuple(texts)), x


def _cells(states: Sequence[str], rows: NDArray[np.float64], left: float) -> Scene:
    """A cell for each probability, below the names of the states."""
    widest = max(BOLD * text_width(state, SMALL_FONT) for state in states)
    width = max(_NARROWEST, widest + 10)
    nodes, texts = [], []
    for column, state in enumerate(states):
        centre = left + (column + 0.5) * width
        heading = Text(f"state-{column}", state, (centre, -_HEIGHT), anchor="center", bold=True)
        texts.append(heading)
        for row, probability in enumerate(rows[:, column].tolist()):
            nodes.append(
                Node(
                    f"cell-{row}-{column}",
                    "cell",
                    f"{probability:.3g}",
                    at=(centre, row * _HEIGHT),
                    size=(width, _HEIGHT),
                    shade=_DARKEST * probability,
                )
            )
    return Scene(tuple(nodes), texts=tuple(texts))
