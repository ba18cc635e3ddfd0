"""Answers about days: distributions by day, and a most probable path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from liftgraph.display import counted
from liftgraph.model.answers.frames import combinations, data_frame, fraction_texts, framed
from liftgraph.model.answers.marginal import Marginal, freeze
from liftgraph.model.notebook import Pictured


@dataclass(frozen=True, eq=False, repr=False)
class Days(Pictured, Sequence[Marginal]):
    """The distribution of each day. ``first``: the number of the first day."""

    marginals: tuple[Marginal, ...]
    first: int = 0

    @overload
    def __getitem__(self, day: int) -> Marginal: ...

    @overload
    def __getitem__(self, day: slice) -> tuple[Marginal, ...]: ...

    def __getitem__(self, day: int | slice) -> Marginal | tuple[Marginal, ...]:
        return self.marginals[day]

    def __len__(self) -> int:
        return len(self.marginals)

    @property
    def means(self) -> NDArray[np.float64]:
        """The expected value of each day, if states are numbers, such as those of counts."""
        return np.array([float(marginal.mean) for marginal in self.marginals])

    def quantiles(self, share: float) -> NDArray[np.int64]:
        """The quantile of each day, if states are numbers."""
        return np.array([m.quantile(share) for m in self.marginals], dtype=np.int64)

    @framed
    def to_frame(self, backend: str = "pandas") -> Any:
        """A data frame of pandas, polars or PyArrow, a row for each day and state.

        Its columns are ``day``, one for each variable, ``probability`` and, if exact, ``exact``.
        """
        columns: dict[str, Any] = {"day": [], "probability": []}
        if not self.marginals:
            return data_frame(columns, backend)
        first = self.marginals[0]
        size = len(first)
        days = np.repeat(np.arange(self.first, self.first + len(self)), size)
        states = combinations(dict(zip(first.variables, first.states, strict=True)), "day")
        repeated = {name: list(values) * len(self) for name, values in states.items()}
        probabilities = np.concatenate([m.probabilities.ravel() for m in self.marginals])
        columns = {"day": days, **repeated, "probability": probabilities}
        if first.fractions is not None:
            exact = [m.fractions.ravel() for m in self.marginals if m.fractions is not None]
            columns["exact"] = fraction_texts(np.concatenate(exact))
        return data_frame(columns, backend)

    def __repr__(self) -> str:
        names = ", ".join(self.marginals[0].variables) if self.marginals else "nothing"
        return f"Days({len(self)} from day {self.first} on: {names})"


@dataclass(frozen=True, eq=False, repr=False)
class Path:
    """A most probable assignment of all variables of all days, as counts.

    ``counts``: for each PRV, how many of its variables are in each state on each day, int64
    (days, states); without PRVs which only ``observe`` mentions. ``states``: the names of these
    states. ``log_weight``: the natural logarithm of the product of all factors there.
    """

    counts: Mapping[str, NDArray[np.int64]]
    states: Mapping[str, tuple[str, ...]]
    log_weight: float

    def __post_init__(self) -> None:
        freeze(*self.counts.values())

    def __len__(self) -> int:
        return max([len(counts) for counts in self.counts.values()], default=0)

    @framed
    def to_frame(self, backend: str = "pandas") -> Any:
        """A data frame of pandas, polars or PyArrow, a row for each day, PRV and state, with the
        columns ``day``, ``variable``, ``state`` and ``count``."""
        rows = [
            (day, name, state, int(count))
            for name, counts in self.counts.items()
            for day, row in enumerate(counts)
            for state, count in zip(self.states[name], row, strict=True)
        ]
        names = ("day", "variable", "state", "count")
        columns = {name: [row[place] for row in rows] for place, name in enumerate(names)}
        return data_frame(columns, backend)

    def __repr__(self) -> str:
        shown = ", ".join(self.counts)
        return f"Path({counted(len(self), 'day')}: {shown}; log weight = {self.log_weight:.12g})"
