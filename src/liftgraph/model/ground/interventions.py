"""Interventions in Bayesian networks: the mechanisms of some variables are cut.

P(v | do(x)) is the product of the distributions of all variables outside of X given their parents,
for those v that agree with x, and zero for all others (the truncated factorisation; Pearl 2009,
section 1.3).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol, TypeVar, cast

import numpy as np

from liftgraph.cache import Memo
from liftgraph.model.causal import check_interventions, disagreement, needing_directions
from liftgraph.model.ground.bayesian_network import own_factors, without_likelihoods
from liftgraph.model.ground.evidence import NO_EVIDENCE, states_beside
from liftgraph.model.ground.graph_protocol import Graph
from liftgraph.model.ground.table import Table

_CUT: Memo[tuple[tuple[int, int], ...], Any] = Memo("cut graphs", most=8)
G = TypeVar("G", bound="Observable")


class Observable(Graph, Protocol):
    """A factor graph that can get other evidence; ``FactorGraph`` can."""

    def observing(self: G, evidence: Mapping[Any, Any]) -> G:
        """This graph with exactly this evidence, by indices."""


def intervened(graph: G, written: Mapping[Any, Any]) -> G:
    """The network in which variables are set to states, whatever their parents are.

    Each of them loses its parents and is observed in its state. Evidence of the graph remains:
    it is about what holds after the intervention.

    >>> from liftgraph import datasets
    >>> graph = datasets.asia()
    >>> seen, done = graph.given({"bronc": "yes"}), intervened(graph, {"bronc": "yes"})
    >>> [str(one.query("smoke", exact=True).exact["yes"]) for one in (seen, done)]
    ['2/3', '1/2']
    """
    check_interventions(written)
    states = states_beside(graph, NO_EVIDENCE, written)
    for variable, state in states.items():
        seen = graph.evidence.get(variable, state)
        if seen != state:
            names = graph.states(variable)
            raise disagreement(graph.name(variable), names[seen], names[state])
    if not states:
        return graph
    key = tuple(sorted(states.items()))
    cut = cast(G, _CUT.get(graph.cache, key, lambda: _cut(graph, states)))
    return cut.observing({**graph.evidence, **states})


def _cut(graph: Graph, states: Mapping[int, int]) -> object:
    """The graph in which the own factor of some variables is certain of a state."""
    with needing_directions():
        own = own_factors(without_likelihoods(graph))
    variables = np.array([*states], dtype=np.int64)
    owner = np.full(graph.factor_count, -1, dtype=np.int64)
    owner[own[variables]] = variables
    owner_of_edge = np.repeat(owner, np.diff(graph.scope_ptr))
    kept = (owner_of_edge < 0) | (owner_of_edge == graph.scope)
    arity = np.where(owner < 0, np.diff(graph.scope_ptr), 1)
    table_id, potentials = graph.table_id.copy(), list(graph.potentials)
    known = dict[tuple[int, int], int]()
    for variable, state in states.items():
        key = len(graph.states(variable)), state
        if key not in known:
            known[key] = len(potentials)
            potentials.append(certain(*key))
        table_id[own[variable]] = known[key]
    return replace(
        cast(Any, graph),
        scope_ptr=np.concatenate(([0], np.cumsum(arity, dtype=np.int64))),
        scope=graph.scope[kept],
        table_id=table_id,
        potentials=tuple(potentials),
        evidence=NO_EVIDENCE,
    )


def set_variables(graph: Graph) -> frozenset[int]:
    """The variables that interventions have set: each is observed in the state that its own factor,
    which has no other argument, is certain of.

    An observed variable that was certain without parents is the same model, and one of them.
    Likelihoods are evidence, also those that are certain.

    >>> from liftgraph import datasets
    >>> set_variables(datasets.asia().given({"xray": "yes"}).do({"bronc": "yes"}))
    frozenset({4})
    >>> set_variables(datasets.asia().given({"xray": [1, 0]}).given({"xray": "yes"}))
    frozenset()
    """
    alone = np.flatnonzero(np.diff(without_likelihoods(graph).scope_ptr) == 1)
    variables = graph.scope[graph.scope_ptr[alone]].tolist()
    return frozenset(
        variable
        for factor, variable in zip(alone.tolist(), variables, strict=True)
        if variable in graph.evidence
        and graph.potentials[graph.table_id[factor]]
        == certain(len(graph.states(variable)), graph.evidence[variable])
    )


def certain(state_count: int, state: int) -> Table:
    """The distribution of a variable that is in one state for sure.

    >>> certain(3, 1)
    Table(3, [0 1 0] × 1)
    """
    return Table.of([int(other == state) for other in range(state_count)])
