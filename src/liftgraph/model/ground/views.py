"""A factor graph to look around in: its variables and factors as values that print well.

They are views: they hold the graph and an index, and look up everything else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product

import numpy as np
from numpy.typing import NDArray

from liftgraph.display import counted
from liftgraph.errors import printable
from liftgraph.model.ground.graph_protocol import Graph
from liftgraph.model.ground.names import States, is_count
from liftgraph.model.ground.table import Potential, Table, UnknownDistribution
from liftgraph.model.listing import Lazy, first_few, first_lines, in_braces
from liftgraph.model.tabular import Described, Tabular, cell_text, entries

_WIDE = 12  # a factor with more arguments is not shown as a table
_FEW = 6  # arguments that the text of a factor lists
_POTENTIALS = 16  # that the text of a factor lists


@dataclass(frozen=True, repr=False, eq=False)
class VariableNames(Lazy[str]):
    """The names of a graph's variables, or of some of them.

    ``indices``: of the variables, increasing; None if it lists all.
    """

    graph: Graph
    indices: NDArray[np.int64] | None = None

    noun = "variable"

    @property
    def size(self) -> int:
        """How many variables there are."""
        return self.graph.variable_count if self.indices is None else len(self.indices)

    def item(self, index: int) -> str:
        """The name of a variable."""
        return self.graph.name(index if self.indices is None else int(self.indices[index]))

    def __iter__(self) -> Iterator[str]:
        if self.indices is not None:
            return super().__iter__()
        names = self.graph.names
        return map(str, range(self.size)) if names is None else iter(names)

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str) or not self.graph.has_variable(name):
            return False
        return self.indices is None or self.graph.variable(name) in self.indices


@dataclass(frozen=True, repr=False)
class Variable:
    """A variable of a factor graph: what ``graph["asia"]`` returns.

    ``index``: its index in the arrays of the graph.
    """

    graph: Graph
    index: int

    @property
    def name(self) -> str:
        """Its name."""
        return self.graph.name(self.index)

    @property
    def states(self) -> States:
        """The names of its states."""
        return self.graph.states(self.index)

    @property
    def observed(self) -> str | None:
        """The state that it was observed in, if it was."""
        state = self.graph.evidence.get(self.index)
        return None if state is None else self.states[state]

    @property
    def factors(self) -> Factors:
        """The factors that it is in."""
        return Factors(self.graph, factors_of(self.graph, self.index))

    @property
    def neighbours(self) -> VariableNames:
        """The names of the other variables in its factors, in the order of the graph."""
        factors, scope_ptr = factors_of(self.graph, self.index), self.graph.scope_ptr
        start, arity = scope_ptr[factors], scope_ptr[factors + 1] - scope_ptr[factors]
        first = np.cumsum(arity) - arity
        places = np.repeat(start - first, arity) + np.arange(arity.sum())
        others = np.unique(self.graph.scope[places]).astype(np.int64)
        return VariableNames(self.graph, others[others != self.index])

    @property
    def _described(self) -> Described:
        factors, neighbours = self.factors, self.neighbours
        rows = {
            "observed": self.observed,
            "factors": first_few((factor.label for factor in factors), len(factors)),
            "neighbours": first_few(neighbours, len(neighbours)),
        }
        shown = tuple((title, text) for title, text in rows.items() if text is not None)
        return Described(f"{self.name} ∈ {in_braces(self.states)}", shown)

    def __str__(self) -> str:
        return str(self._described)

    def _repr_html_(self) -> str:
        return self._described._repr_html_()

    def __repr__(self) -> str:
        observed = "" if self.observed is None else f", observed {self.observed}"
        size = counted(len(self.factors), "factor")
        shown = f"{self.name} ∈ {in_braces(self.states)}, in {size}{observed}"
        return f"Variable({printable(shown)})"


@dataclass(frozen=True, repr=False)
class Factor:
    """A factor of a factor graph: what ``graph.factors[0]`` returns.

    ``index``: its index in the arrays of the graph.
    """

    graph: Graph
    index: int

    @property
    def name(self) -> str:
        """The name that pictures and tables of messages give it: φ1 is the factor with index 0."""
        return f"φ{self.index + 1}"

    @property
    def scope(self) -> tuple[int, ...]:
        """The indices of its variables, in the order of its arguments."""
        return self.graph.scope_of(self.index)

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of its variables, in the order of its arguments."""
        return tuple(map(self.graph.name, self.scope))

    @property
    def potential(self) -> Potential:
        """Its potential: a table, a count, a noisy-OR."""
        return self.graph.potentials[int(self.graph.table_id[self.index])]

    @property
    def table(self) -> Table:
        """Its potential as a table; refused if it has too many entries."""
        return self.potential.table()

    @property
    def parts(self) -> tuple[tuple[int, ...], Table]:
        """Its scope and its table, as ``FactorGraphBuilder.add_factor`` takes them."""
        return self.scope, self.table

    @property
    def entries(self) -> Tabular:
        """A row for each assignment of its variables, and the potential."""
        states = [self.graph.states(variable) for variable in self.scope]
        weights = _weights(self.potential)
        return entries(weights, self.potential.shape, self.variables, states, self.name)

    @property
    def label(self) -> str:
        """Its name and arguments: φ2(tub, asia)."""
        scope = self.scope
        if not scope:
            return self.name
        return f"{self.name}({first_few(map(self.graph.name, scope), len(scope), _FEW)})"

    @property
    def text(self) -> str:
        """Its name, arguments and first potentials, in one line."""
        if isinstance(self.potential, UnknownDistribution):
            return f"{self.label}, unknown"
        weights = [*map(cell_text, islice(_weights(self.potential), _POTENTIALS + 1))]
        dots = ["…"] * (len(weights) > _POTENTIALS)
        return f"{self.label} = [{' '.join(weights[:_POTENTIALS] + dots)}]"

    def __str__(self) -> str:
        return str(self.entries) if self._is_listed else self.text

    def _repr_html_(self) -> str | None:
        return self.entries._repr_html_() if self._is_listed else None

    @property
    def _is_listed(self) -> bool:
        return len(self.scope) <= _WIDE and not isinstance(self.potential, UnknownDistribution)

    def __repr__(self) -> str:
        return f"Factor({self.text})"


@dataclass(frozen=True, repr=False, eq=False)
class Factors(Lazy[Factor]):
    """The factors of a graph, or some of them.

    ``indices``: of the factors, increasing; None if it lists all. Printing it shows the first, a
    line each.
    """

    graph: Graph
    indices: NDArray[np.int64] | None = None

    noun = "factor"

    @property
    def size(self) -> int:
        """How many factors there are."""
        return self.graph.factor_count if self.indices is None else len(self.indices)

    def item(self, index: int) -> Factor:
        """A factor."""
        return Factor(self.graph, index if self.indices is None else int(self.indices[index]))

    def texts(self) -> Iterator[str]:
        """The names and arguments of the factors."""
        return (factor.label for factor in self)

    def __str__(self) -> str:
        return first_lines((factor.text for factor in self), self.size) or "no factors"


def factors_of(graph: Graph, variable: int) -> NDArray[np.int64]:
    """The factors that a variable is in, increasing, int64."""
    places = np.flatnonzero(graph.scope == variable)
    return np.unique(np.searchsorted(graph.scope_ptr, places, side="right") - 1)


def _weights(potential: Potential) -> Iterator[Fraction | float]:
    """The potentials of all assignments, the last argument changing fastest, one by one."""
    if isinstance(potential, Table):
        return potential.as_given(potential.integers.flat)
    return map(potential.potential, product(*map(range, potential.shape)))


def has(graph: Graph, variable: object) -> bool:
    """Whether a graph has a variable of this name, or with this index."""
    if is_count(variable):
        return 0 <= variable < graph.variable_count
    return isinstance(variable, str) and graph.has_variable(variable)
