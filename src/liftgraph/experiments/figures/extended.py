"""Figures of what goes beyond the paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from liftgraph.experiments.aggregation import graphs, grouped, mean, mean_by
from liftgraph.experiments.figures.style import (
    COLOURS,
    LABELS,
    draw_line,
    log_axis,
    panels,
    sizes_axis,
)
from liftgraph.experiments.study import Rows
from liftgraph.plot.style import BLUE, GREEN, GREY, ORANGE, PURPLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_FAMILY_COLOURS = {"epid": BLUE, "employee": ORANGE, "ds4": GREEN, "ds6": PURPLE}


def sizes(rows: Rows) -> Figure:
    """Lifting and queries far beyond the paper's sizes."""
    figure, (left, right) = panels(2, height=3.4)
    for (algorithm,), mine in grouped(rows, "algorithm").items():
        colour, label = COLOURS[algorithm], LABELS[algorithm]
        draw_line(right, mean_by(mine, "d", "query_seconds"), colour, label, scale=1e3)
        if algorithm != "written":
            draw_line(left, mean_by(graphs(mine), "d", "offline_seconds"), colour, label)
    for axes, label in ((left, "lifting, s"), (right, "ms a query")):
        axes.set_xscale("log", base=2)
        log_axis(axes, label)
        axes.set_xlabel("d")
        axes.legend()
    return figure


def floats(rows: Rows) -> Figure:
    """Parfactors found by each comparison, and the worst error of its answers."""
    by_data = grouped(rows, "data")
    figure, axes = panels(len(by_data), height=2.8)
    for number, ((data,), mine) in enumerate(by_data.items()):
        _draw_comparisons(axes[number], mine, labelled=number % 2 == 0)
        axes[number].set_title(data)
    return figure


def _draw_comparisons(axes: Axes, rows: Rows, labelled: bool) -> None:
    """Bars of parfactors, of all families together; answers that are off are marked."""
    found = grouped(rows, "comparison")
    names = [name for (name,) in found]
    counts = [sum(row["parfactors"] for row in mine) for mine in found.values()]
    errors = [max(row["log_odds_error"] for row in mine) for mine in found.values()]
    wrong = [error > 1e-9 for error in errors]
    axes.barh(names, counts, color=[ORANGE if each else BLUE for each in wrong])
    axes.set_xscale("log")
    factors = sum(row["factors"] for row in rows) // len(found)
    axes.set_xlim(1, 30 * factors)
    for place, (count, error) in enumerate(zip(counts, errors, strict=True)):
        told = f"{count:,} (off by {error:.0e})" if wrong[place] else f"{count:,}"
        axes.text(1.15 * count, place, told, va="center")
    axes.invert_yaxis()
    axes.set_xlabel(f"parfactors of {factors:,} factors")
    axes.grid(axis="y", visible=False)
    if not labelled:
        axes.set_yticklabels([])


def tolerance(rows: Rows) -> Figure:
    """Groups, query times and errors against ε; ε = 0 stands at the left edge."""
    figure, (left, middle, right) = panels(3)
    for (family,), mine in grouped(rows, "family").items():
        found = {float(e): group for (e,), group in grouped(mine, "tolerance").items()}
        colour = _FAMILY_COLOURS[family]
        shares = {
            e: mean(found[e], "parfactors") / mean(found[e], "factors") for e in sorted(found)
        }
        draw_line(left, shares, colour, family)
        times = {e: mean(found[e], "query_seconds") for e in sorted(found)}
        draw_line(middle, times, colour, scale=1e3)
        bounds = {e: max(row["log_odds_bound"] for row in found[e]) for e in sorted(found)}
        errors = {e: max(row["log_odds_error"] for row in found[e]) for e in bounds if bounds[e]}
        draw_line(right, errors, colour)
        right.plot(list(errors), [bounds[e] for e in errors], color=colour, linestyle=":")
    draw_line(right, {}, GREY, "worst error")
    right.plot([], [], color=GREY, linestyle=":", label="largest bound")
    for axes in (left, middle, right):
        axes.set_xscale("symlog", linthresh=1e-3)
        axes.set_xlabel("tolerance ε")
    left.set_ylabel("parfactors per factor")
    for axes, label in ((middle, "ms a query"), (right, "log odds")):
        log_axis(axes, label)
    left.legend()
    right.legend()
    return figure


def treewidth(rows: Rows) -> Figure:
    """First queries on models whose variables are all connected; crosses: refused beforehand."""
    by_family = grouped(rows, "family")
    figure, axes = panels(len(by_family), height=3.2)
    for place, ((family,), mine) in zip(axes, by_family.items(), strict=True):
        for (method,), group in grouped(mine, "method").items():
            _draw_method(place, method, group)
        log_axis(place, "s, first query")
        place.set_title(family)
        sizes_axis(place, sorted({row["n"] for row in mine if row["n"].bit_count() == 1}), "n")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
    return figure


def _draw_method(axes: Axes, method: str, rows: Rows) -> None:
    answered = {row["n"]: row["seconds"] for row in rows if row["seconds"] is not None}
    refused = [row["n"] for row in rows if row["seconds"] is None]
    label = "ground" if method == "ground" else f"lifted, {LABELS[method].removeprefix('lifted ')}"
    draw_line(axes, answered, COLOURS[method], label)
    if refused:
        height = max(answered.values(), default=1.0)
        axes.plot(
            refused, [height] * len(refused), "x", color=COLOURS[method], label="refused: memory"
        )
