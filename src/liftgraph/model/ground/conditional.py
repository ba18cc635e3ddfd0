"""The conditional distributions of a Bayesian network, and their text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import islice, product

from liftgraph.errors import printable
from liftgraph.model.ground.bayesian_network import (
    conditional_table,
    own_factors,
    without_likelihoods,
)
from liftgraph.model.ground.graph_protocol import Graph
from liftgraph.model.ground.names import States
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
