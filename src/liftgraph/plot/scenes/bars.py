"""Distributions as bars: marginals, and how large the groups of a model are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from liftgraph.display import format_count
from liftgraph.exact import shown
from liftgraph.model.answers.marginal import Marginal
from liftgraph.model.answers.marginals import Marginals
from liftgraph.plot.scenes.factor_graph import called
from liftgraph.plot.scenes.scene import Line, Node, Scene, Text, grid
from liftgraph.plot.text import SIZE, SMALL, shortened, width
from liftgraph.symmetry.colours.colouring import Colouring

_BAR = 200.0  # points of the longest bar
_HIGH, _ROW = 11.0, 17.0
_ROWS = 40  # bars of a distribution
_PANELS = 24  # distributions of a picture
_LONGEST_FRACTION = 24  # letters
_CAP = 2.5  # points of an error bar's end, up and down
_SMALL_BARS = 0.25  # probabilities below are hard to compare on bars for 1


@dataclass(frozen=True, slots=True)
class Row:
    """A bar: what it is of, its share of the longest possible one, and what stands beside it.

    ``bounds``: between which shares it may really end, if that is not certain.
    """

    label: str
    share: float
    told: str
    bounds: tuple[float, float] | None = None


def bars(name: str, title: str, rows: Sequence[Row], group: int | None = 0) -> Scene:
    """Bars below each other under a title; ``name`` begins the ids of all of them."""
    texts = [Text(f"{name}-title", title, (0.0, 0.0), SIZE, strong=True)]
    column = max((width(row.label, SMALL) for row in rows), default=0.0) + 6
    nodes, whiskers = [], []
    for number, row in enumerate(rows):
        y = (number + 1.15) * _ROW
        broad, end = _BAR * row.share, _BAR * max(row.share, *(row.bounds or (0.0,)))
        size, middle = (max(broad, 0.4) if broad else 0.0, _HIGH), (column + broad / 2, y)
        if row.bounds is not None:
            ends = [column + _BAR * share for share in row.bounds]
            whiskers += _whisker(f"{name}-bounds-{number}", ends, y)
        nodes.append(Node(f"{name}-bar-{number}", "bar", group=group, at=middle, size=size))
        labelled = f"{name}-label-{number}", f"{name}-told-{number}"
        texts.append(Text(labelled[0], row.label, (column - 5, y), SMALL, "right"))
        texts.append(Text(labelled[1], row.told, (column + end + 5, y)))
    return Scene(tuple(nodes), texts=tuple(texts), lines=tuple(whiskers))


def _whisker(name: str, ends: Sequence[float], y: float) -> list[Line]:
    """An error bar: a line between two ends, which are marked."""
    strokes = [tuple((x, y) for x in ends)]
    strokes += [((x, y - _CAP), (x, y + _CAP)) for x in ends]
    return [Line(f"{name}-{n}", "whisker", points) for n, points in enumerate(strokes)]


def marginal_scene(marginal: Marginal) -> Scene:
    """The probability of each state, as a fraction too if it is known; likely ones of many."""
    longest = _longest([marginal])
    scene = _marginal(marginal, "marginal", longest)
    values = marginal.probabilities.size
    told = [f"The {_ROWS - 1} most likely of {values:,} states, the others together."]
    return replace(scene, caption=" ".join(told[: values > _ROWS] + _marks(marginal, longest)))


def _marks(answer: Marginal | Marginals, longest: float) -> list[str]:
    """What has to be known to read bars, if they are not plain."""
    told = [] if longest == 1 else [f"The full length stands for {longest:.3g}, not for 1."]
    if answer.log_odds_bound:
        off = f"Log odds of any event may be off by up to {answer.log_odds_bound:.3g}"
        told.append(f"{off}; lines show between which probabilities that is.")
    return told


def _longest(shown: Iterable[Marginal]) -> float:
    """The probability that the longest bar is for: 1, unless all are far smaller."""
    largest = max((float(each.bounds[1].max()) for each in shown), default=1.0)
    return largest if 0 < largest < _SMALL_BARS else 1.0


def _marginal(marginal: Marginal, name: str, longest: float) -> Scene:
    title = f"P({', '.join(shortened(each) for each in marginal.variables)})"
    values = marginal.probabilities.ravel()
    kept = np.arange(len(values))
    if len(values) > _ROWS:
        kept = np.sort(np.argsort(-values, kind="stable")[: _ROWS - 1])
    rows = [_row(marginal, int(place), longest) for place in kept]
    if len(kept) < len(values):
        rest = float(np.delete(values, kept).sum())
        rows.append(Row(f"{len(values) - len(kept):,} others", 0.0, f"{rest:.6g}"))
    return bars(name, title, rows)


def _row(marginal: Marginal, place: int, longest: float) -> Row:
    value = float(marginal.probabilities.ravel()[place])
    where = np.unravel_index(place, marginal.probabilities.shape)
    states = [names[int(n)] for names, n in zip(marginal.states, where, strict=True)]
    told = f"{value:.6g}"
    if marginal.fractions is not None:
        told = _exactly(told, marginal.fractions.ravel()[place])
    label, share = ", ".join(shortened(state) for state in states), value / longest
    if not marginal.log_odds_bound:
        return Row(label, share, told)
    least, most = (float(each.ravel()[place]) for each in marginal.bounds)
    return Row(label, share, f"{told} [{least:.6g}, {most:.6g}]", (least / longest, most / longest))


def _exactly(decimal: str, value: Fraction) -> str:
    """A rounded number with the fraction that it is rounded from, unless that is very long."""
    exact = shown(value)
    if exact == decimal or len(exact) > _LONGEST_FRACTION:
        return decimal
    return f"{decimal} {'=' if Fraction(decimal) == value else '≈'} {exact}"


def marginals_scene(marginals: Marginals) -> Scene:
    """A panel for each different distribution, with whom it belongs to."""
    members: dict[int, list[int]] = {}
    for variable, group in enumerate(marginals.group.tolist()):
        members.setdefault(group, []).append(variable)
    groups = list(members.values())[:_PANELS]
    shown_ones = [marginals[marginals.names[those[0]]] for those in groups]
    longest = _longest(shown_ones)
    panels = [
        _shared(_marginal(each, f"marginal-{number}", longest), len(those))
        for number, (each, those) in enumerate(zip(shown_ones, groups, strict=True))
    ]
    caption = f"{len(marginals):,} variables with {len(members):,} distributions."
    if len(members) > len(panels):
        caption += f" The first {len(panels)} of these are shown."
    caption = " ".join([caption, *_marks(marginals, longest)])
    return replace(grid(panels, 3) if panels else Scene(), caption=caption)


def _shared(scene: Scene, members: int) -> Scene:
    """The distribution of so many interchangeable variables, the first of which is named."""
    if members == 1:
        return scene
    title = replace(scene.texts[0], text=f"{scene.texts[0].text} and {members - 1:,} more")
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
        f" {colouring.factor_group_count:,} ({called(colouring)}). This shows how many of the"
        " groups have which size, not how they are connected."
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
