"""The factor graph: variables with named states, factors with scopes and tables, evidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.cache import Cached, Memo
from liftgraph.display import counted
from liftgraph.errors import InputError, quoted, short_traceback
from liftgraph.model.arrays import FrozenArrays
from liftgraph.model.causal import Causal, Directed
from liftgraph.model.ground.evidence import NO_EVIDENCE, Evidence, evidence_on, exact_evidence
from liftgraph.model.ground.likelihoods import likelihoods_on, parted
from liftgraph.model.ground.looking import LookingAround
from liftgraph.model.ground.names import (
    States,
    default_index,
    is_count,
    state_index,
    unknown_variable,
)
from liftgraph.model.ground.table import Potential, PotentialPool, Table
from liftgraph.model.notebook import Pictured
from liftgraph.model.symmetric import Symmetric

if TYPE_CHECKING:
    from liftgraph.model.lifted.ground_prvs import GroundPRV

_CARDINALITIES: Memo[None, NDArray[np.int64]] = Memo("cardinalities", most=1)
_TABLES: Memo[None, Sequence[Table]] = Memo("tables", most=1)
_INDEX: Memo[None, dict[str, int]] = Memo("variables by name", most=1)


@dataclass(frozen=True, eq=False, repr=False)
class FactorGraph(FrozenArrays, LookingAround, Causal, Symmetric, Pictured, Cached):
    """A product of tables over variables with finitely many named states.

    Made by ``FactorGraphBuilder`` or by a reader; all arrays are read-only and may be shared.
    With n variables, m factors and e edges (arguments of all factors):

    ``state_sets``: distinct lists of state names; ``state_set_id``: int32 (n,), one per variable.
    ``names``: n distinct names, or None if the name of every variable is its index.
    ``scope_ptr``: int64 (m + 1,); factor j has arguments ``scope[scope_ptr[j]:scope_ptr[j + 1]]``.
    ``scope``: int32 (e,), indices of variables. ``table_id``: int32 (m,), indices into
    ``potentials``.
    ``evidence``: what was observed of variables. ``prvs``: which variables stand for PRVs, if the
    graph was made from these; ``likelihood_count``: how many of the last factors are likelihoods
    that were given. Both are no part of what it says, and are not compared.
    Graphs which differ only in their evidence share a cache, which holds nothing that depends on
    evidence.
    """

    state_sets: tuple[States, ...]
    state_set_id: NDArray[np.int32]
    names: tuple[str, ...] | None
    scope_ptr: NDArray[np.int64]
    scope: NDArray[np.int32]
    table_id: NDArray[np.int32]
    potentials: Sequence[Potential]
    evidence: Evidence = NO_EVIDENCE
    prvs: tuple[GroundPRV, ...] = ()
    likelihood_count: int = 0

    @property
    def variable_count(self) -> int:
        """How many variables there are."""
        return len(self.state_set_id)

    @property
    def factor_count(self) -> int:
        """How many factors there are."""
        return len(self.table_id)

    @property
    def edge_count(self) -> int:
        """How many arguments all factors have together."""
        return len(self.scope)

    @property
    def cardinalities(self) -> NDArray[np.int64]:
        """Number of states of each variable, int64 (n,)."""
        return _CARDINALITIES.get(self.cache, None, lambda: _cardinalities(self))

    def name(self, variable: str | int) -> str:
        """The name of a variable; its index if it has no other."""
        index = self.variable(variable)
        return str(index) if self.names is None else self.names[index]

    def states(self, variable: str | int) -> States:
        """The names of a variable's states."""
        return self.state_sets[self.state_set_id[self.variable(variable)]]

    def scope_of(self, factor: int) -> tuple[int, ...]:
        """The variables of one factor, in the order of its arguments."""
        start, end = self.scope_ptr[factor : factor + 2]
        return tuple(self.scope[start:end].tolist())

    @property
    def tables(self) -> Sequence[Table]:
        """The potentials as tables, with the same indices; refused if one has too many entries."""
        return _TABLES.get(self.cache, None, lambda: _tables(self))

    @property
    def _index(self) -> dict[str, int]:
        names = self.names or ()
        return _INDEX.get(self.cache, None, lambda: {name: v for v, name in enumerate(names)})

    def variable(self, name: str | int) -> int:
        """The index of a variable given by its name (or checked, if given by its index)."""
        index = int(name) if is_count(name) else self._find(name)
        if not 0 <= index < self.variable_count:
            raise unknown_variable(name, self.names, self.variable_count)
        return index

    def has_variable(self, name: str) -> bool:
        """Whether there is a variable of this name."""
        return 0 <= self._find(name) < self.variable_count

    def _find(self, name: object) -> int:
        if not isinstance(name, str):
            return -1
        if self.names is not None:
            return self._index.get(name, -1)
        return default_index(name)

    def state(self, variable: str | int, state: str | int | bool) -> int:
        """The index of a state given by name; integers and Booleans stand for their text."""
        return state_index(self.name(variable), self.states(variable), state)

    @short_traceback
    def given(self, evidence: Mapping[Any, Any]) -> FactorGraph:
        """This graph with more evidence, sharing everything else.

        ``evidence``: variables by name or index, their states by name; or likelihoods, numbers for
        the states in a list or by name, each of which becomes a factor.
        """
        states, likelihoods = parted(evidence, self.states)
        observed = evidence_on(self, self.evidence, states)
        if not likelihoods:
            return self._observing(observed)
        return replace(with_likelihoods(self, likelihoods_on(self, likelihoods)), evidence=observed)

    @short_traceback
    def observing(self, evidence: Mapping[Any, Any]) -> FactorGraph:
        """This graph with exactly this evidence, and no other.

        ``evidence``: as for ``given``, but if a variable is given by its index, an integer is the
        index of its state.
        """
        return self._observing(exact_evidence(self, evidence))

    def _observing(self, evidence: Evidence) -> FactorGraph:
        graph = replace(self, evidence=evidence)
        graph.sharing_cache(self)
        return graph

    def _after(self, interventions: Mapping[Any, Any]) -> FactorGraph:
        from liftgraph.model.ground.interventions import intervened

        return intervened(self, interventions)

    def _directed_at(self, variable: str | int) -> Directed:
        return self._directed_around([variable])

    def _directed_around(self, mentioned: Iterable[str | int]) -> Directed:
        from liftgraph.model.ground.arrows import directed

        return directed(self, mentioned)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FactorGraph):
            return NotImplemented
        return (
            self.variable_count == other.variable_count
            and self.has_names == other.has_names
            and (self.names == other.names or not self.has_names)
            and np.array_equal(self.scope_ptr, other.scope_ptr)
            and np.array_equal(self.scope, other.scope)
            and self.evidence == other.evidence
            and _same_items(
                self.state_set_id, self.state_sets, other.state_set_id, other.state_sets
            )
            and _same_items(self.table_id, self.potentials, other.table_id, other.potentials)
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def has_names(self) -> bool:
        """Whether some variable has a name other than its index."""
        default = map(str, range(self.variable_count))
        return self.names is not None and self.names != tuple(default)

    @property
    def has_state_names(self) -> bool:
        """Whether some state has a name other than its index."""
        return any(states != tuple(map(str, range(len(states)))) for states in self.state_sets)

    @property
    def used_tables(self) -> list[Table]:
        """The tables which some factor has."""
        return [self.potentials[index].table() for index in np.unique(self.table_id).tolist()]

    def __repr__(self) -> str:
        return (
            f"FactorGraph({counted(self.variable_count, 'variable')},"
            f" {counted(self.factor_count, 'factor')}, {counted(len(self.potentials), 'table')},"
            f" {len(self.evidence):,} observed)"
        )


def with_likelihoods(graph: FactorGraph, likelihoods: Mapping[int, Table]) -> FactorGraph:
    """A graph with a factor more for each of these variables; its evidence stays."""
    pool = PotentialPool()
    table_id = [pool.add(table) for table in likelihoods.values()]
    ends = graph.scope_ptr[-1] + np.arange(1, len(likelihoods) + 1)
    return replace(
        graph,
        scope_ptr=np.concatenate([graph.scope_ptr, ends]),
        scope=np.concatenate([graph.scope, np.array([*likelihoods], dtype=np.int32)]),
        table_id=np.concatenate(
            [graph.table_id, np.array(table_id, dtype=np.int32) + len(graph.potentials)]
        ),
        potentials=(*graph.potentials, *pool),
        likelihood_count=graph.likelihood_count + len(likelihoods),
    )


def _tables(graph: FactorGraph) -> Sequence[Table]:
    return [potential.table() for potential in graph.potentials]


def _cardinalities(graph: FactorGraph) -> NDArray[np.int64]:
    sizes = np.array([len(states) for states in graph.state_sets], dtype=np.int64)
    cardinalities: NDArray[np.int64] = sizes[graph.state_set_id]
    return cardinalities


def pointers(arity: NDArray[Any]) -> NDArray[np.int64]:
    """Where each factor's arguments start in the concatenated scopes, int64 (m + 1,).

    >>> pointers(np.array([3, 0, 2], dtype=np.int32))
    array([0, 3, 3, 5])
    """
    return np.concatenate(([0], np.cumsum(arity, dtype=np.int64)))


def without_factors(graph: FactorGraph) -> list[int]:
    """The variables that are in no factor."""
    degree = np.bincount(graph.scope, minlength=graph.variable_count)
    isolated: list[int] = np.flatnonzero(degree == 0).tolist()
    return isolated


def scopes_by_arity(
    scope_ptr: NDArray[np.int64], scope: NDArray[np.int32]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int32]]]:
    """The factors with k arguments, int64 (m,), and their scopes, int32 (m, k), for each k.

    >>> ptr, scope = np.array([0, 2, 3, 5]), np.array([7, 8, 9, 8, 9], dtype=np.int32)
    >>> [(factors.tolist(), rows.tolist()) for factors, rows in scopes_by_arity(ptr, scope)]
    [([1], [[9]]), ([0, 2], [[7, 8], [8, 9]])]
    """
    arity = np.diff(scope_ptr)
    for k in np.flatnonzero(np.bincount(arity)).tolist():
        factors = np.flatnonzero(arity == k)
        first, last = factors[[0, -1]].tolist()
        if last - first + 1 == len(factors):  # one after the other: nothing is copied
            rows = scope[scope_ptr[first] : scope_ptr[last + 1]]
            yield factors, rows.reshape(len(factors), k)
        else:
            yield factors, scope[scope_ptr[factors][:, None] + np.arange(k)]


def _same_items(
    ids: NDArray[np.int32],
    items: Sequence[Any],
    other_ids: NDArray[np.int32],
    others: Sequence[Any],
) -> bool:
    """Whether two lists of indices refer to equal items everywhere; each pair is compared once."""
    if len(ids) != len(other_ids):
        return False
    pairs = np.unique(ids.astype(np.int64) * max(len(others), 1) + other_ids)
    return all(items[p // len(others)] == others[p % len(others)] for p in pairs.tolist())


def checked_graph(graph: object) -> FactorGraph:
    """A factor graph; anything else is refused."""
    if not isinstance(graph, FactorGraph):
        raise InputError(
            f"expected a factor graph, got {quoted(graph)}; ground it first if it is lifted"
        )
    return graph
