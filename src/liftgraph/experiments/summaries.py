"""Results as Markdown tables, for reports and for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf
from statistics import median
from typing import Any

from liftgraph.experiments.aggregation import (
    CASES,
    Amortisation,
    amortisations,
    case,
    graphs,
    grouped,
    mean,
    mean_by,
)
from liftgraph.experiments.evaluation import ALGORITHMS
from liftgraph.experiments.published import MEAN, MILLISECONDS
from liftgraph.experiments.published import SIZES as PUBLISHED_SIZES
from liftgraph.experiments.study import Row, Rows


def markdown(header: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A table; all columns but the first are aligned to the right.

    >>> print(markdown(["d", "ms"], [["2", "1.5"]]))
    | d | ms |
    |---|---:|
    | 2 | 1.5 |
    """
    rule = "|---|" + "---:|" * (len(header) - 1)
    return "\n".join([_line(header), rule, *map(_line, lines)])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def shown(quantity: float | None, digits: int = 3) -> str:
    """A number with its leading digits; – for None.

    >>> shown(0.00123456), shown(1234.5), shown(99.96), shown(27.0), shown(0), shown(None)
    ('0.00123', '1,230', '100', '27.0', '0', '–')
    """
    if quantity is None:
        return "–"
    rounded = float(f"{quantity:.{digits}g}")
    whole = rounded == 0 or rounded >= 10 ** (digits - 1)
    return f"{rounded:,.0f}" if whole else f"{rounded:#.{digits}g}"


def evaluation(rows: Rows, published: bool = True) -> str:
    """Query times, sizes and amortisation by d; ``published``: with the paper's query times beside
    ours."""
    paper = ("paper: ACP, ms", "α-ACP, ms", "ratio") if published else ()
    header = ("d", "ACP, ms", "α-ACP, ms", "ratio", *paper, "parfactors: ACP", "α-ACP")
    return f"{markdown(header, _time_lines(rows, published))}\n\n{_amortisation_table(rows)}"


def _time_lines(rows: Rows, published: bool) -> Iterable[list[str]]:
    online = _by_algorithm(rows, "query_seconds")
    sizes = _by_algorithm(graphs(rows), "parfactors")
    for d in online["acp"]:
        ours = [1e3 * online[algorithm][d] for algorithm in ALGORITHMS]
        paper = _published(d) if published else []
        cells: list[float | None] = [*ours, ours[0] / ours[1], *paper]
        cells += [sizes[algorithm][d] for algorithm in ALGORITHMS]
        yield [str(d), *map(shown, cells)]


def _by_algorithm(rows: Rows, column: str) -> dict[str, dict[Any, float]]:
    groups = grouped(rows, "algorithm").items()
    return {algorithm: mean_by(group, "d", column) for (algorithm,), group in groups}


def _published(d: int) -> list[float | None]:
    if d not in PUBLISHED_SIZES:
        return [None] * 3
    place = PUBLISHED_SIZES.index(d)
    theirs = [MILLISECONDS[MEAN][algorithm][place] for algorithm in ALGORITHMS]
    return [*theirs, theirs[0] / theirs[1]]


def _amortisation_table(rows: Rows) -> str:
    """Offline times, and after how many queries α-ACP has paid off."""
    header = ("d", "lifting with ACP, ms", "with α-ACP, ms", "graphs", *CASES, "median β")
    offline, all_graphs = _by_algorithm(graphs(rows), "offline_seconds"), amortisations(rows)
    lines = []
    for d in offline["acp"]:
        same_size = [graph for graph in all_graphs if graph.d == d]
        times = [shown(1e3 * offline[algorithm][d]) for algorithm in ALGORITHMS]
        cases = [case(graph) for graph in same_size]
        counts = [len(same_size), *(cases.count(name) for name in CASES)]
        lines.append([str(d), *times, *map(str, counts), _median_beta(same_size)])
    return markdown(header, lines)


def _median_beta(amortised: Sequence[Amortisation]) -> str:
    """The median over the graphs on which the algorithms differ."""
    differing = [graph.beta for graph in amortised if not graph.alike]
    betas = [inf if beta is None else beta for beta in differing]
    if not betas:
        return "–"
    return "never" if median(betas) == inf else shown(median(betas))


def sizes(rows: Rows) -> str:
    """Lifting and query times by d and algorithm, mean over families and queries."""
    header = (
        *("d", "ACP: lifting, s", "query, ms", "α-ACP: lifting, s", "query, ms"),
        "as written: query, ms",
    )
    by_cell = grouped(rows, "d", "algorithm")
    lines = []
    for d in sorted({row["d"] for row in rows}):
        groups = [by_cell.get((d, algorithm), []) for algorithm in ALGORITHMS]
        cells = [cell for group in groups for cell in (_lifting(group), _query(group))]
        lines.append([f"{d:,}", *cells, _query(by_cell.get((d, "written"), []))])
    return markdown(header, lines)


def _lifting(rows: Rows) -> str:
    return shown(mean(graphs(rows), "offline_seconds") if rows else None)


def _query(rows: Rows) -> str:
    return shown(1e3 * mean(rows, "query_seconds") if rows else None)


def floats(rows: Rows) -> str:
    """Parfactors, query times and errors by kind of data and comparison, over all families."""
    header = ("data", "comparison", "factors", "parfactors", "ms a query", "log odds off by")
    lines = []
    for (data, comparison), group in grouped(rows, "data", "comparison").items():
        totals = [sum(row[column] for row in group) for column in ("factors", "parfactors")]
        worst = max(row["log_odds_error"] for row in group)
        time = shown(1e3 * mean(group, "query_seconds"))
        lines.append([data, comparison, *(f"{n:,}" for n in totals), time, _error(worst)])
    return markdown(header, lines)


def _error(error: float) -> str:
    return "< 1e-9" if error < 1e-9 else f"{error:.0e}"


def tolerance(rows: Rows) -> str:
    """What each tolerance does, over all families."""
    header = ("ε", "factors", "parfactors", "lifting, ms", "ms a query", "worst error", "its bound")
    lines = []
    for (epsilon,), group in grouped(rows, "tolerance").items():
        totals = [sum(row[column] for row in group) for column in ("factors", "parfactors")]
        times = [1e3 * mean(group, column) for column in ("offline_seconds", "query_seconds")]
        worst = max(group, key=lambda row: row["log_odds_error"])
        errors = [shown(worst["log_odds_error"], 2), shown(worst["log_odds_bound"], 2)]
        lines.append([str(epsilon), *(f"{n:,}" for n in totals), *map(shown, times), *errors])
    return markdown(header, lines)


def treewidth(rows: Rows) -> str:
    """Seconds of a first query by family, size and method."""
    header = ("family", "n", "variables", "ground, s", "lifted from the graph, s", "as written, s")
    lines = []
    for (family, n), group in grouped(rows, "family", "n").items():
        by_method = {row["method"]: row for row in group}
        cells = [_seconds(by_method.get(method)) for method in ("ground", "lifted", "written")]
        lines.append([family, f"{n:,}", f"{group[0]['variables']:,}", *cells])
    return markdown(header, sorted(lines, key=lambda line: line[0]))


def _seconds(row: Row | None) -> str:
    if row is None:
        return "–"
    return "refused" if row["seconds"] is None else shown(row["seconds"])
