"""Numbers as horizontal bars, with error bars if they are not certain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from liftgraph.display import format_count
from liftgraph.plot.scene import Node, Polyline, Scene, Text
from liftgraph.plot.text import FONT_SIZE, SMALL_FONT, text_width

MOST_BARS = 40
_LONGEST = 200.0  # points
_THICKNESS, _SPACING = 11.0, 17.0  # of bars, and from bar to bar
_CAP = 2.5  # half the height of an error bar's ends


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar with its share of the longest possible length, and the texts on either side of it.

    ``bounds``: the shares between which the bar may really end, if that is not certain.
    """

    label: str
    share: float
    value: str
    bounds: tuple[float, float] | None = None


def bars_scene(name: str, title: str, bars: Sequence[Bar], group: int | None = 0) -> Scene:
    """Bars below each other under a title; ``name`` begins all ids."""
    texts = [Text(f"{name}-title", title, (0.0, 0.0), FONT_SIZE, bold=True)]
    left = max((text_width(bar.label, SMALL_FONT) for bar in bars), default=0.0) + 6
    nodes, whiskers = [], []
    for row, bar in enumerate(bars):
        y = (row + 1.15) * _SPACING
        length, end = _LONGEST * bar.share, _LONGEST * max(bar.share, *(bar.bounds or (0.0,)))
        size, centre = (max(length, 0.4) if length else 0.0, _THICKNESS), (left + length / 2, y)
        if bar.bounds is not None:
            ends = [left + _LONGEST * share for share in bar.bounds]
            whiskers += _whisker(f"{name}-bounds-{row}", ends, y)
        nodes.append(Node(f"{name}-bar-{row}", "bar", group=group, at=centre, size=size))
        texts.append(Text(f"{name}-label-{row}", bar.label, (left - 5, y), SMALL_FONT, "right"))
        texts.append(Text(f"{name}-value-{row}", bar.value, (left + end + 5, y)))
    return Scene(tuple(nodes), texts=tuple(texts), polylines=tuple(whiskers))


def _whisker(name: str, ends: Sequence[float], y: float) -> list[Polyline]:
    """An error bar: a line between two ends, with a cap at each."""
    strokes = [tuple((x, y) for x in ends)]
    strokes += [((x, y - _CAP), (x, y + _CAP)) for x in ends]
    return [Polyline(f"{name}-{index}", "whisker", points) for index, points in enumerate(strokes)]


def size_bars(name: str, sizes: Iterable[int], what: str) -> Scene:
    """How many things have each size; if there are many sizes, by powers of two."""
    counts = Counter(sizes)
    if len(counts) > MOST_BARS // 2:
        by_bits = Counter[int]()
        for size, count in counts.items():
            by_bits[size.bit_length()] += count
        labelled = {_size_range(bits): count for bits, count in sorted(by_bits.items())}
    else:
        labelled = {format_count(size): count for size, count in sorted(counts.items())}
    largest = max(labelled.values(), default=1)
    bars = [Bar(f"of {size}", count / largest, f"{count:,}") for size, count in labelled.items()]
    return bars_scene(name, f"{sum(counts.values()):,} {what}, by size", bars)


def _size_range(bits: int) -> str:
    """The sizes with this number of bits."""
    return f"{format_count(2 ** (bits - 1))} to {format_count(2**bits - 1)}"
