"""How all figures look: what each colour means, and axes."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from liftgraph.experiments.study import Rows
from liftgraph.io.writing import write_bytes
from liftgraph.plot.style import (
    BLUE,
    FORMATS,
    GREEN,
    GREY,
    ORANGE,
    STYLE,
    adaptive,
    metadata,
    settings,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = {"acp": ORANGE, "alpha-acp": BLUE, "written": GREEN, "ground": GREY, "lifted": BLUE}
LABELS = {
    "acp": "ACP",
    "alpha-acp": "α-ACP",
    "written": "as written",
    "ground": "ground",
    "lifted": "lifted from the graph",
}
SHADES = ("#9ecae1", "#6baed6", "#3182bd", "#08519c")
_ABREAST = 3  # axes in one row
_STYLE = {
    **STYLE,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e3e3e3",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "figure.constrained_layout.use": True,
}


def panels(count: int, height: float = 3.0, width: float = 4.2) -> tuple[Figure, list[Axes]]:
    """A figure with ``count`` axes, in rows of two unless they all fit into one row."""
    from matplotlib.figure import Figure

    columns = count if count <= _ABREAST else 2
    rows = ceil(count / columns)
    figure = Figure(figsize=(width * columns, height * rows))
    return figure, [figure.add_subplot(rows, columns, position + 1) for position in range(count)]


def draw_line(
    axes: Axes, points: Mapping[Any, float], colour: str, label: str = "", scale: float = 1
) -> None:
    """A line through measured points, each marked; y is scaled, to milliseconds for instance."""
    heights = [scale * y for y in points.values()]
    axes.plot(list(points), heights, color=colour, marker="o", markersize=3.5, label=label or None)


def sizes_axis(axes: Axes, sizes: Sequence[int], label: str = "d") -> None:
    """A logarithmic axis with the sizes that were measured, no more than ten of them."""
    axes.set_xscale("log", base=2)
    shown = list(sizes)[:: ceil(len(sizes) / 10)]
    axes.set_xticks(shown, [_short(size) for size in shown])
    axes.minorticks_off()
    axes.set_xlabel(label)


def log_axis(axes: Axes, label: str) -> None:
    """A logarithmic axis of y with plain numbers. Precondition: everything was drawn."""
    from matplotlib.ticker import LogLocator

    axes.set_yscale("log")
    axes.yaxis.set_major_formatter("{x:g}")
    low, high = axes.get_ylim()
    few = high < 1000 * low  # decades: there is room for numbers in between
    axes.yaxis.set_minor_locator(LogLocator(subs=(2, 5) if few else "all"))
    axes.yaxis.set_minor_formatter("{x:g}" if few else "")
    axes.set_ylabel(label)


def _short(size: int) -> str:
    power = size.bit_length() - 1
    return str(size) if size <= 4096 or size != 2**power else f"$2^{{{power}}}$"


def save(draw: Callable[[Rows], Figure], rows: Rows, folder: Path, name: str) -> list[Path]:
    """Draw a figure and store it in each format."""
    paths = [folder / f"{name}.{suffix}" for suffix in FORMATS]
    with settings(_STYLE):
        figure = draw(rows)
        for path, suffix in zip(paths, FORMATS, strict=True):
            content = io.BytesIO()
            figure.savefig(content, format=suffix, metadata=metadata(suffix))
            file = content.getvalue()
            write_bytes(path, adaptive(file.decode()).encode() if suffix == "svg" else file)
    return paths
