"""The most probable assignments, the best one first, and how many assignments each stands for."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from html import escape
from itertools import pairwise
from typing import Any, overload

from liftgraph.display import counted, format_count
from liftgraph.errors import printable
from liftgraph.exact import shortened, shown
from liftgraph.model.answers.answer import accuracy_text
from liftgraph.model.answers.frames import data_frame, framed
from liftgraph.model.answers.weights import Assignment
from liftgraph.model.tabular import html_table

_LINES = 20  # how many variables are printed
_ROWS = 60  # how many a notebook shows
_COLUMNS = 8  # how many assignments either shows
_ALIKE = 1e-12  # how much, relatively, logarithms of equal weights may differ in floats


@dataclass(frozen=True, eq=False, repr=False)
class Explanations(Sequence[Assignment]):
    """The most probable assignments of all variables that agree with the evidence, best first.

    A sequence of ``Assignment``; there are fewer than asked for if no more are possible. Of a
    lifted model, each stands for all that exchanging individuals makes of it: ``counts`` says how
    many these are, itself among them; of a graph, each stands for itself. ``more_alike``: whether
    further ones are as probable as the last.
    ``log_odds_bound``: how far off the log weights may be; 0 unless a tolerance was allowed.
    """

    assignments: tuple[Assignment, ...]
    counts: tuple[int, ...]
    more_alike: bool
    method: str
    log_odds_bound: float = 0.0
    approximate: bool = False

    @overload
    def __getitem__(self, place: int) -> Assignment: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Assignment]: ...
    def __getitem__(self, place: int | slice) -> Assignment | Sequence[Assignment]:
        return self.assignments[place]

    def first(self, count: int) -> Explanations:
        """The same about the first of the variables only."""
        return replace(self, assignments=tuple([one.first(count) for one in self.assignments]))

    def __iter__(self) -> Iterator[Assignment]:
        return iter(self.assignments)

    def __len__(self) -> int:
        return len(self.assignments)

    @property
    def log_weights(self) -> tuple[float, ...]:
        """The natural logarithm of the weight of each assignment."""
        return tuple([one.log_weight for one in self])

    @property
    def weights(self) -> tuple[Fraction | None, ...]:
        """The weight of each assignment, if asked for exactly."""
        return tuple([one.weight for one in self])

    @property
    def ties(self) -> tuple[tuple[int, ...], ...]:
        """The places of assignments with the same weight, group by group, best first."""
        groups = [[0]] if len(self) else []
        for place, (one, other) in enumerate(pairwise(self), 1):
            if alike(one, other):
                groups[-1].append(place)
            else:
                groups.append([place])
        return tuple(map(tuple, groups))

    @framed
    def to_frame(self, backend: str = "pandas") -> Any:
        """A data frame of pandas, polars or PyArrow, a row for each variable: the columns
        ``variable``, and ``1``, ``2``, … for the states in each assignment."""
        columns = {str(place): [*one.values()] for place, one in enumerate(self, 1)}
        names = [*self[0]] if len(self) else []
        return data_frame({"variable": names, **columns}, backend)

    def _repr_html_(self) -> str:
        """A table, for notebooks."""
        rows = "".join(
            '<tr><th style="text-align:left">'
            + "</th><td>".join(map(escape, [row[0], *row[1:2]]))
            + "".join(f"</td><td>{escape(cell)}" for cell in row[2:])
            + "</td></tr>"
            for row in self._table(_ROWS)
        )
        return html_table(rows, self._title)

    @property
    def _title(self) -> str:
        asked = counted(len(self), "most probable assignment")
        alike = [group for group in self.ties if len(group) > 1]
        tied = [f"{group[0] + 1} to {group[-1] + 1} are equally probable" for group in alike]
        more = ["further ones are as probable as the last"] * self.more_alike
        return "; ".join([asked, *tied, *more]) + accuracy_text(self)

    def _table(self, most: int) -> list[list[str]]:
        """Rows of cells: ranks, variables and their states, weights, counts."""
        columns = self.assignments[:_COLUMNS]
        dots = ["…"] * (len(self) > _COLUMNS)
        names = [*columns[0].names[:most]] if columns else []
        left_out = len(columns[0]) - len(names) if columns else 0
        rows = [["", *[str(place) for place in range(1, len(columns) + 1)], *dots]]
        for index, name in enumerate(names):
            states = [one.state_sets[int(one.group[index])][one.states[index]] for one in columns]
            rows.append([printable(shortened(text)) for text in (name, *states)] + dots)
        if left_out:
            rows.append(["…", f"{format_count(left_out)} more"])
        rows.append(["log weight", *[f"{one.log_weight:.6g}" for one in columns], *dots])
        if any(one.weight is not None for one in columns):
            weights = [shown(one.weight) if one.weight is not None else "" for one in columns]
            rows.append(["weight", *weights, *dots])
        if any(count > 1 for count in self.counts):
            counts = [format_count(count) for count in self.counts[:_COLUMNS]]
            rows.append(["assignments", *counts, *dots])
        return rows

    def __repr__(self) -> str:
        """A column for each assignment."""
        rows = self._table(_LINES)
        widths = [
            max(map(len, column))
            for column in zip(*[r for r in rows if len(r) == len(rows[0])], strict=True)
        ]
        lines = [
            "  "
            + "  ".join(
                [f"{cell:<{width}}" for cell, width in zip(row, widths, strict=False)]
            ).rstrip()
            for row in rows
        ]
        return "\n".join([self._title, *lines])


def alike(one: Assignment, other: Assignment) -> bool:
    """Whether two assignments have the same weight, as far as is known."""
    if one.weight is not None and other.weight is not None:
        return one.weight == other.weight
    return math.isclose(one.log_weight, other.log_weight, rel_tol=_ALIKE, abs_tol=_ALIKE)
