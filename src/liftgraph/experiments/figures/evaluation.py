"""The paper's figures, with its own curves beside ours."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log10
from typing import TYPE_CHECKING

from liftgraph.experiments.aggregation import (
    CASES,
    Amortisation,
    amortisations,
    case,
    graphs,
    mean_by,
)
from liftgraph.experiments.evaluation import ALGORITHMS
from liftgraph.experiments.figures.style import (
    COLOURS,
    LABELS,
    SHADES,
    draw_line,
    log_axis,
    panels,
    sizes_axis,
)
from liftgraph.experiments.published import MEAN, MILLISECONDS
from liftgraph.experiments.published import SIZES as PUBLISHED_SIZES
from liftgraph.experiments.study import Rows
from liftgraph.plot.style import GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_CASE_COLOURS = ("#d9d9d9", SHADES[3], SHADES[1], SHADES[0], "#fdae6b", "#d94801")


def query_times(rows: Rows, published: bool = True) -> Figure:
    """Mean query times over all p, against d; ``published``: with the paper's beside ours."""
    figure, (axes,) = panels(1, height=3.6, width=6.0)
    _draw_times(axes, rows, MEAN if published else None)
    axes.legend()
    axes.set_title("Lifted variable elimination, mean over p")
    return figure


def query_times_by_p(rows: Rows) -> Figure:
    """The same for each p."""
    shares = _shares(rows)
    figure, axes = panels(len(shares))
    for panel, p in zip(axes, shares, strict=True):
        _draw_times(panel, [row for row in rows if row["p"] == p], p)
        panel.set_title(f"p = {p}")
    axes[0].legend()
    return figure


def offline_times(rows: Rows) -> Figure:
    """How long lifting takes with each algorithm, and how small the model gets."""
    figure, (left, right) = panels(2)
    for algorithm in ALGORITHMS:
        group = [row for row in graphs(rows) if row["algorithm"] == algorithm]
        for axes, column, scale in ((left, "offline_seconds", 1e3), (right, "parfactors", 1.0)):
            means = mean_by(group, "d", column)
            draw_line(axes, means, COLOURS[algorithm], LABELS[algorithm], scale)
    factors = mean_by(graphs(rows), "d", "factors")
    right.plot(list(factors), list(factors.values()), color=GREY, linestyle=":", label="factors")
    for axes, label in ((left, "lifting, ms"), (right, "parfactors")):
        sizes_axis(axes, list(factors))
        log_axis(axes, label)
        axes.legend()
    return figure


def amortisation(rows: Rows) -> Figure:
    """After how many queries α-ACP has paid off, for each d and p: all cases, and β as boxes."""
    amortised, shares = amortisations(rows), _shares(rows)
    figure, (cases, boxes) = panels(2, height=3.4)
    _draw_cases(cases, amortised)
    _draw_boxes(boxes, amortised, shares, _limit(amortised))
    return figure


def amortisation_by_p(rows: Rows) -> Figure:
    """The boxes for each p."""
    shares = _shares(rows)
    figure, axes = panels(len(shares))
    all_graphs = amortisations(rows)
    for panel, p in zip(axes, shares, strict=True):
        _draw_boxes(panel, [graph for graph in all_graphs if graph.p == p], [p], _limit(all_graphs))
        panel.set_title(f"p = {p}")
    return figure


def _shares(rows: Rows) -> list[float]:
    return sorted({row["p"] for row in rows})


def _draw_times(axes: Axes, rows: Rows, published: str | float | None) -> None:
    for algorithm in ALGORITHMS:
        group = [row for row in rows if row["algorithm"] == algorithm]
        colour, label = COLOURS[algorithm], LABELS[algorithm]
        times = mean_by(group, "d", "query_seconds")
        draw_line(axes, times, colour, f"{label}, liftgraph", scale=1e3)
        if published is not None and published in MILLISECONDS:
            theirs, name = MILLISECONDS[published][algorithm], f"{label}, the paper"
            axes.plot(PUBLISHED_SIZES, theirs, "--", color=colour, linewidth=1, label=name)
    sizes_axis(axes, PUBLISHED_SIZES if published is not None else sorted({r["d"] for r in rows}))
    log_axis(axes, "ms a query")


def _draw_cases(axes: Axes, amortised: Sequence[Amortisation]) -> None:
    """Shares of graphs, as stacked bars."""
    sizes = sorted({graph.d for graph in amortised})
    bottom = [0.0] * len(sizes)
    for case_index, label in enumerate(CASES):
        heights = []
        for d in sizes:
            cases = [case(graph) for graph in amortised if graph.d == d]
            heights.append(cases.count(label) / len(cases))
        places = range(len(sizes))
        axes.bar(places, heights, bottom=bottom, color=_CASE_COLOURS[case_index], label=label)
        bottom = [low + height for low, height in zip(bottom, heights, strict=True)]
    axes.set_xticks(range(len(sizes)), [str(d) for d in sizes])
    axes.set_xlabel("d")
    axes.set_ylabel("share of graphs")
    axes.set_ylim(0, 1)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 1.3), ncols=3)


def _limit(amortised: Sequence[Amortisation]) -> float:
    """A power of ten that no β exceeds."""
    quotients = (graph.quotient for graph in amortised if not graph.alike)
    sizes = [abs(quotient) for quotient in quotients if quotient is not None]
    return 10.0 ** ceil(log10(max([10.0, *sizes])))


def _quotients(amortised: Sequence[Amortisation], d: int, p: float) -> list[float]:
    quotients = (graph.quotient for graph in amortised if (graph.d, graph.p) == (d, p))
    return [quotient for quotient in quotients if quotient is not None]


def _draw_boxes(
    axes: Axes, amortised: Sequence[Amortisation], shares: Sequence[float], limit: float
) -> None:
    """A box of β for each d and p; below 0, α-ACP has saved time before the first query."""
    sizes = sorted({graph.d for graph in amortised})
    differing = [graph for graph in amortised if not graph.alike]
    width = 0.8 / len(shares)
    for share_index, p in enumerate(shares):
        quotients = [_quotients(differing, d, p) for d in sizes]
        shift = (share_index - (len(shares) - 1) / 2) * width
        places = [place + shift for place in range(len(sizes))]
        shown = [(place, values) for place, values in zip(places, quotients, strict=True) if values]
        if shown:
            axes.boxplot(
                [values for _, values in shown],
                positions=[place for place, _ in shown],
                widths=0.8 * width,
                patch_artist=True,
                boxprops={"facecolor": SHADES[share_index % len(SHADES)], "linewidth": 0.6},
                medianprops={"color": "black"},
                flierprops={"markersize": 2.5},
            )
        axes.bar([0], [0], color=SHADES[share_index % len(SHADES)], label=f"p = {p}")
    for height in (0, 1):
        axes.axhline(height, color=GREY, linewidth=0.8, linestyle=":")
    axes.set_yscale("symlog", linthresh=1)
    axes.set_ylim(-limit, limit)
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set_ylabel("β = Δ offline / Δ online")
    axes.set_xticks(range(len(sizes)), [str(d) for d in sizes])
    axes.set_xlim(-0.6, len(sizes) - 0.4)
    axes.set_xlabel("d")
    if len(shares) > 1:
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, 1.3), ncols=2)
