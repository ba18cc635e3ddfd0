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
    for (algorithm,), group in grouped(rows, "algorithm").items():
        colour, label = COLOURS[algorithm], LABELS[algorithm]
        draw_line(right, mean_by(group, "d", "query_seconds"), colour, label, scale=1e3)
        if algorithm != "written":
            draw_line(left, mean_by(graphs(group), "d", "offline_seconds"), colour, label)
    for axes, label in ((left, "lifting, s"), (right, "ms a query")):
        axes.set_xscale("log", base=2)
        log_axis(axes, label)
        axes.set_xlabel("d")
        axes.legend()
    return figure


def floats(rows: Rows) -> Figure:
    """The parfactors that each comparison gives, and the worst error of its answers."""
    by_data = grouped(rows, "data")
    figure, axes = panels(len(by_data), height=2.8)
    for panel, ((data,), group) in enumerate(by_data.items()):
        _draw_comparisons(axes[panel], group, labelled=panel % 2 == 0)
        axes[panel].set_title(data)
    return figure


def _draw_comparisons(axes: Axes, rows: Rows, labelled: bool) -> None:
    """Bars of the parfactors of all families together; wrong answers are marked."""
    by_comparison = grouped(rows, "comparison")
    names = [name for (name,) in by_comparison]
    counts = [sum(row["parfactors"] for row in group) for group in by_comparison.values()]
    errors = [max(row["log_odds_error"] for row in group) for group in by_comparison.values()]
    wrong = [error > 1e-9 for error in errors]
    axes.barh(names, counts, color=[ORANGE if is_wrong else BLUE for is_wrong in wrong])
    axes.set_xscale("log")
    factors = sum(row["factors"] for row in rows) // len(by_comparison)
    axes.set_xlim(1, 30 * factors)
    for bar, (count, error) in enumerate(zip(counts, errors, strict=True)):
        text = f"{count:,} (off by {error:.0e})" if wrong[bar] else f"{count:,}"
        axes.text(1.15 * count, bar, text, va="center")
    axes.invert_yaxis()
    axes.set_xlabel(f"parfactors of {factors:,} factors")
    axes.grid(axis="y", visible=False)
    if not labelled:
        axes.set_yticklabels([])


def tolerance(rows: Rows) -> Figure:
    """Groups, query times and errors against ε; ε = 0 stands at the left edge."""
    figure, (left, middle, right) = panels(3)
    for (family,), family_rows in grouped(rows, "family").items():
        by_text = grouped(family_rows, "tolerance").items()
        groups = {float(epsilon): group for (epsilon,), group in by_text}
        groups = {e: groups[e] for e in sorted(groups)}
        colour = _FAMILY_COLOURS[family]
        shares = {e: mean(groups[e], "parfactors") / mean(groups[e], "factors") for e in groups}
        draw_line(left, shares, colour, family)
        times = {e: mean(group, "query_seconds") for e, group in groups.items()}
        draw_line(middle, times, colour, scale=1e3)
        bounds = {e: max(row["log_odds_bound"] for row in group) for e, group in groups.items()}
        errors = {e: max(row["log_odds_error"] for row in groups[e]) for e in bounds if bounds[e]}
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
    """First queries on models whose variables are all connected; crosses mark refused ones."""
    by_family = grouped(rows, "family")
    figure, axes = panels(len(by_family), height=3.2)
    for panel, ((family,), family_rows) in zip(axes, by_family.items(), strict=True):
        for (method,), group in grouped(family_rows, "method").items():
            _draw_method(panel, method, group)
        log_axis(panel, "s, first query")
        panel.set_title(family)
        sizes_axis(
            panel, sorted({row["n"] for row in family_rows if row["n"].bit_count() == 1}), "n"
        )
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
