"""The conditional distributions of a Bayesian network, and their text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from itertools import islice, product
from typing import Any

import numpy as np

from liftgraph.errors import InputError, printable, quoted
from liftgraph.model.answers.frames import combinations, data_frame, fraction_texts, framed
from liftgraph.model.ground.bayesian_network import (
    conditional_table,
    own_factors,
    without_likelihoods,
)
from liftgraph.model.ground.graph_protocol import Graph
from liftgraph.model.ground.names import States, state_index
from liftgraph.model.ground.table import Table
from liftgraph.model.tabular import KEPT, Tabular


@dataclass(frozen=True, repr=False)
class Conditional:
    """The distribution of a variable given its parents: what ``graph.cpd("asia")`` returns.

    ``variable`` and ``parents``: names; ``states`` and ``parent_states``: theirs.
    ``table``: the probabilities, exactly, with an axis for each parent, and the variable last.
    """

    variable: str
    states: States
    parents: tuple[str, ...]
    parent_states: tuple[States, ...]
    table: Table

    @property
    def title(self) -> str:
        """P(variable | parents)."""
        given = f" | {', '.join(self.parents)}" if self.parents else ""
        return printable(f"P({self.variable}{given})")

    @property
    def entries(self) -> Tabular:
        """A row for each combination of the parents' states, a column for each of the states."""
        rows = tuple(islice(self._rows(), KEPT))
        row_count = self.table.integers.size // len(self.states)
        return Tabular((*self.parents, *self.states), rows, row_count, shaded=True)

    def _rows(self) -> Iterator[tuple[object, ...]]:
        weights = self.table.integers.reshape(-1, len(self.states))
        for states, row in zip(product(*self.parent_states), weights, strict=True):
            yield (*states, *self.table.as_given(row))

    def __getitem__(self, states: object) -> Any:
        """The probability of a state given states of the parents, which come first; without the
        state, the distribution given the parents, a mapping of states.

        The parents' states may also be a mapping by name. Exact tables have fractions, measured
        ones floats.

        >>> from liftgraph import datasets
        >>> asia = datasets.asia()
        >>> asia.cpd("smoke")["yes"], asia.cpd("lung")["yes"], asia.cpd("lung")["yes", "yes"]
        (Fraction(1, 2), {'yes': Fraction(1, 10), 'no': Fraction(9, 10)}, Fraction(1, 10))
        """
        named = self._parent_states(states) if isinstance(states, Mapping) else states
        place = named if isinstance(named, tuple) else (named,)
        asked = (*zip(self.parents, self.parent_states, strict=True), (self.variable, self.states))
        if len(place) not in (len(self.parents), len(asked)):
            expected = f"states of {', '.join(self.parents) or 'no parents'}"
            raise InputError(
                f"expected {expected}, and one of {self.variable}, got {quoted(states)}"
            )
        index = tuple(
            state_index(name, listed, state)
            for (name, listed), state in zip(asked, place, strict=False)
        )
        row = self.table.as_given(np.atleast_1d(self.table.integers[index]))
        return next(row) if len(index) == len(asked) else dict(zip(self.states, row, strict=True))

    def _parent_states(self, states: Mapping[Any, Any]) -> tuple[object, ...]:
        if {*states} != {*self.parents}:
            expected = f"a state for each of {', '.join(self.parents) or 'no parents'}"
            raise InputError(f"expected {expected}, got {quoted(dict(states))}")
        return tuple([states[parent] for parent in self.parents])

    @framed
    def to_frame(self, backend: str = "pandas") -> Any:
        """A data frame of pandas, polars or PyArrow, with a row for each combination of states.

        It has a column for each parent, for the variable and for its ``probability``, and, unless
        the table is measured, ``exact`` as text.
        """
        fractions = self.table.integers.astype(object).ravel() * self.table.scale
        columns: dict[str, Any] = {"probability": fractions.astype(np.float64)}
        if not self.table.measured:
            columns["exact"] = fraction_texts(fractions)
        states = dict(zip(self.parents, self.parent_states, strict=True))
        listed = {**states, self.variable: self.states}
        return data_frame(combinations(listed, *columns) | columns, backend)

    def __str__(self) -> str:
        return f"{self.title}\n{self.entries}"

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.title)}</p>{self.entries._repr_html_()}"

    def __repr__(self) -> str:
        return f"Conditional({self.title})"


def conditional(graph: Graph, variable: str | int) -> Conditional:
    """The distribution of a variable given its parents. Refused unless this is a network."""
    index = graph.variable(variable)
    own = own_factors(without_likelihoods(graph))
    parents, table = conditional_table(graph, index, int(own[index]))
    states = tuple(map(graph.states, parents))
    names = tuple(map(graph.name, parents))
    return Conditional(graph.name(index), graph.states(index), names, states, table)
