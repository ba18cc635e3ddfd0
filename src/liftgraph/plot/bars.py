"""Distributions as bars: marginals, and how large the groups of a model are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from liftgraph.display import format_count
from liftgraph.exact import shown
from liftgraph.inference.query import Marginal, Marginals
from liftgraph.plot.scene import Node, Scene, Text, grid
from liftgraph.plot.text import SIZE, SMALL, shortened, width
from liftgraph.symmetry.colouring import Colouring

_BAR = 200.0  # points of the longest bar
_HIGH, _ROW = 11.0, 17.0
_ROWS = 40  # bars of a distribution
_PANELS = 24  # distributions of a picture
_LONGEST_FRACTION = 24  # letters


@dataclass(frozen=True, slots=True)
class Row:
    """A bar: what it is of, its share of the longest possible one, and what stands beside it."""

    label: str
    share: float
    told: str


def bars(name: str, title: str, rows: Sequence[Row], group: int | None = 0) -> Scene:
    """Bars below each other under a title; ``name`` begins the ids of all of them."""
    texts = [Text(f"{name}-title", title, (0.0, 0.0), SIZE, strong=True)]
    column = max((width(row.label, SMALL) for row in rows), default=0.0) + 6
    nodes = []
    for number, row in enumerate(rows):
        y = (number + 1.15) * _ROW
        broad = _BAR * row.share
        size, middle = (max(broad, 0.4), _HIGH), (column + broad / 2, y)
        nodes.append(Node(f"{name}-bar-{number}", "bar", group=group, at=middle, size=size))
        labelled = f"{name}-label-{number}", f"{name}-told-{number}"
        texts.append(Text(labelled[0], row.label, (column - 5, y), SMALL, "right"))
        texts.append(Text(labelled[1], row.told, (column + broad + 5, y)))
    return Scene(tuple(nodes), texts=tuple(texts))


def marginal_scene(marginal: Marginal, name: str = "marginal") -> Scene:
    """The probability of each state, as a fraction too if it is known; likely ones of many."""
    title = f"P({', '.join(shortened(each) for each in marginal.variables)})"
    values = marginal.probabilities.ravel()
    kept = np.arange(len(values))
    if len(values) > _ROWS:
        kept = np.sort(np.argsort(-values, kind="stable")[: _ROWS - 1])
    rows = [_row(marginal, int(place)) for place in kept]
    caption = ""
    if len(kept) < len(values):
        rest = float(np.delete(values, kept).sum())
        rows.append(Row(f"{len(values) - len(kept):,} others", rest, f"{rest:.6g}"))
        caption = f"The {len(kept)} most likely of {len(values):,} states, the others together."
    return replace(bars(name, title, rows), caption=caption)


def _row(marginal: Marginal, place: int) -> Row:
    value = float(marginal.probabilities.ravel()[place])
    where = np.unravel_index(place, marginal.probabilities.shape)
    states = [names[int(n)] for names, n in zip(marginal.states, where, strict=True)]
    told = f"{value:.6g}"
    if marginal.fractions is not None:
        exact = shown(marginal.fractions.ravel()[place])
        told += f" = {exact}" if len(exact) <= _LONGEST_FRACTION else ""
    return Row(", ".join(shortened(state) for state in states), value, told)


def marginals_scene(marginals: Marginals) -> Scene:
    """A panel for each different distribution, with whom it belongs to."""
    members: dict[int, list[int]] = {}
    for variable, group in enumerate(marginals.group.tolist()):
        members.setdefault(group, []).append(variable)
    panels = [
        _shared(marginals, number, those)
        for number, those in enumerate(list(members.values())[:_PANELS])
    ]
    caption = f"{len(marginals):,} variables with {len(members):,} distributions."
    if len(members) > len(panels):
        caption += f" The first {len(panels)} of these are shown."
    return replace(grid(panels, 3) if panels else Scene(), caption=caption)


def _shared(marginals: Marginals, number: int, members: Sequence[int]) -> Scene:
    """The distribution of interchangeable variables."""
    first = marginals[marginals.names[members[0]]]
    scene = marginal_scene(first, f"marginal-{number}")
    if len(members) == 1:
        return scene
    title = replace(scene.texts[0], text=f"{scene.texts[0].text} and {len(members) - 1:,} more")
    return replace(scene, texts=(title, *scene.texts[1:]))


def sizes_scene(colouring: Colouring) -> Scene:
    """How many groups have how many members."""
    kinds = {"variables": colouring.variable_colours, "factors": colouring.factor_colours}
    panels = [
        size_bars(kind, np.bincount(colours).tolist(), f"groups of {kind}")
        for kind, colours in kinds.items()
    ]
    caption = (
        f"{len(colouring.variable_colours):,} variables in"
        f" {colouring.variable_group_count:,} groups, {len(colouring.factor_colours):,} factors in"
        f" {colouring.factor_group_count:,}. This shows how many of the groups have which size,"
        " not how they are connected."
    )
    return replace(grid(panels, 2), caption=caption)


def size_bars(name: str, sizes: Iterable[int], what: str) -> Scene:
    """How many of some things have which size; sizes within a factor of two together, if many."""
    counts = Counter(sizes)
    if len(counts) > _ROWS // 2:
        found = Counter[int]()
        for size, times in counts.items():
            found[size.bit_length()] += times
        rows = {_between(bits): times for bits, times in sorted(found.items())}
    else:
        rows = {format_count(size): times for size, times in sorted(counts.items())}
    most = max(rows.values(), default=1)
    listed = [Row(f"of {size}", times / most, f"{times:,}") for size, times in rows.items()]
    return bars(name, f"{sum(counts.values()):,} {what}, by size", listed)


def _between(bits: int) -> str:
    """The sizes of so many bits."""
    return f"{format_count(2 ** (bits - 1))} to {format_count(2**bits - 1)}"
