"""Rows put together: groups, means, and after how many queries α-ACP has paid off."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import Any

from liftgraph.experiments.study import Row, Rows

CASES = ("found alike", "no overhead", "β ≤ 1", "β ≤ 10", "β > 10", "never")


def grouped(rows: Rows, *columns: str) -> dict[tuple[Any, ...], list[Row]]:
    """The rows with the same values in some columns, in the order of their first row.

    >>> groups = grouped([{"d": 2, "t": 1}, {"d": 4, "t": 2}, {"d": 2, "t": 3}], "d")
    >>> {key: len(rows) for key, rows in groups.items()}
    {(2,): 2, (4,): 1}
    """
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[column] for column in columns), []).append(row)
    return groups


def graphs(rows: Rows) -> list[Row]:
    """A row per graph and algorithm, for values that are the same for all queries."""
    columns = [name for name in ("family", "d", "p", "seed", "algorithm") if name in rows[0]]
    return [group[0] for group in grouped(rows, *columns).values()]


def mean(rows: Rows, column: str) -> float:
    """The arithmetic mean of a column."""
    return fmean(row[column] for row in rows)


def mean_by(rows: Rows, key: str, column: str) -> dict[Any, float]:
    """The mean of a column for each value of another, sorted."""
    return {value: mean(group, column) for (value,), group in sorted(grouped(rows, key).items())}


@dataclass(frozen=True, slots=True)
class Amortisation:
    """What α-ACP costs more than ACP on one graph, and what it saves per query, in seconds.

    ``alike``: whether both found equally many groups, for instance because no factor was scaled;
    then the difference of their query times is only noise.
    """

    family: str
    d: int
    p: float
    seed: int
    alike: bool
    overhead: float
    gain: float

    @property
    def quotient(self) -> float | None:
        """β as the paper defines it, Δ offline / Δ online; None if there is no gain to divide by.

        It is negative if α-ACP already saves time offline.
        """
        return self.overhead / self.gain if self.gain > 0 else None

    @property
    def beta(self) -> float | None:
        """After how many queries the overhead has paid off: 0 without overhead, None if never."""
        return 0.0 if self.overhead <= 0 else self.quotient


def amortisations(rows: Rows) -> list[Amortisation]:
    """Overhead and gain of each graph; the gain is the mean over its queries.

    β = Δ offline / Δ online is the paper's measure. The quotient alone is not enough: it is
    negative if α-ACP is faster offline or its model is slower online, and positive if both hold.
    """
    amortised = []
    for (family, d, p, seed), group in grouped(rows, "family", "d", "p", "seed").items():
        offline = mean_by(group, "algorithm", "offline_seconds")
        online = mean_by(group, "algorithm", "query_seconds")
        overhead = offline["alpha-acp"] - offline["acp"]
        gain = online["acp"] - online["alpha-acp"]
        alike = len({row["parfactors"] for row in group}) == 1
        amortised.append(Amortisation(family, d, p, seed, alike, overhead, gain))
    return amortised


def case(graph: Amortisation) -> str:
    """Which of the ``CASES`` a graph is."""
    if graph.alike:
        return CASES[0]
    if graph.beta is None:
        return CASES[5]
    return CASES[1 if graph.overhead <= 0 else 2 + sum(graph.beta > limit for limit in (1, 10))]
