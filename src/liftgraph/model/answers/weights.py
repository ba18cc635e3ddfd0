"""The total weight of a model, and an assignment of the largest weight."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.display import format_count
from liftgraph.errors import printable
from liftgraph.exact import shortened, shown
from liftgraph.model.answers.answer import ByVariable, accuracy_text
from liftgraph.model.answers.frames import data_frame, framed
from liftgraph.model.tabular import html_table

_LINES = 20  # how many variables of an assignment are printed
_ROWS = 60  # how many a notebook shows


@dataclass(frozen=True, repr=False)
class Partition:
    """The total weight of all assignments that agree with the evidence.

    ``log_z``: its natural logarithm; ``z``: the weight itself, if asked for exactly.
    ``log_odds_bound``: how far off the logarithm may be; 0 unless a tolerance was allowed.
    ``approximate``: whether the method only estimates.
    """

    log_z: float
    z: Fraction | None
    method: str
    log_odds_bound: float = 0.0
    approximate: bool = False

    @property
    def log10_z(self) -> float:
        """Its decimal logarithm."""
        return self.log_z / math.log(10)

    def __repr__(self) -> str:
        exact = "" if self.z is None else f", Z = {shown(self.z)}"
        return f"Partition(log Z = {self.log_z:.12g}{exact}{accuracy_text(self)})"


@dataclass(frozen=True, eq=False, repr=False)
class Assignment(ByVariable, Mapping[str, str]):
    """A most probable assignment of all variables which agrees with the evidence.

    A mapping from variables, by name or index, to the names of their states. If several assignments
    are equally probable, any one of them may be returned.
    ``names``: those of the variables, in the order of the model; ``states``: the index of each
    one's state. ``group``: int (n,), which of the ``state_sets`` each variable has.
    ``log_weight``: natural logarithm of the product of all factors there; ``weight``: the product
    itself, if asked for exactly.
    ``log_odds_bound``: how far off the log weight may be, and how much larger that of a better
    assignment may be; 0 unless a tolerance was allowed. ``approximate``: whether the method
    only estimates.
    """

    names: tuple[str, ...]
    states: tuple[int, ...]
    group: NDArray[np.integer[Any]]
    state_sets: tuple[tuple[str, ...], ...]
    log_weight: float
    weight: Fraction | None
    method: str
    log_odds_bound: float = 0.0
    approximate: bool = False

    def __getitem__(self, variable: str | int) -> str:
        place = self._place(variable)
        return self.state_sets[int(self.group[place])][self.states[place]]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    @framed
    def to_frame(self, backend: str = "pandas") -> Any:
        """A data frame of pandas, polars or PyArrow, a row for each variable, with the columns
        ``variable`` and ``state``."""
        return data_frame({"variable": [*self.names], "state": [*self.values()]}, backend)

    def _repr_html_(self) -> str:
        """A table, for notebooks."""
        rows = "".join(
            f'<tr><th style="text-align:left">{escape(name)}</th><td>{escape(state)}</td></tr>'
            for name, state in self._shown(_ROWS)
        )
        return html_table(rows, self._title)

    @property
    def _title(self) -> str:
        exact = "" if self.weight is None else f", weight = {shown(self.weight)}"
        accuracy = accuracy_text(self)
        return f"most probable assignment, log weight = {self.log_weight:.12g}{exact}{accuracy}"

    def _shown(self, most: int) -> list[tuple[str, str]]:
        """Variables and their states; the last row says how many are left out, if any are."""
        left_out = max(len(self) - most, 0)
        first = self.names[:most]
        rows = [(printable(shortened(n)), printable(shortened(self[n]))) for n in first]
        return rows + [("…", f"{format_count(left_out)} more")] * (left_out > 0)

    def __repr__(self) -> str:
        """One line per variable: its name and its state."""
        rows = self._shown(_LINES)
        width = max([len(name) for name, _ in rows], default=0)
        return "\n".join([self._title, *(f"  {name:<{width}}  {state}" for name, state in rows)])
