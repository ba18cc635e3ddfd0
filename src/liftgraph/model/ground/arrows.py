"""The arrows of a Bayesian network, from the parents of each variable to the variable."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from liftgraph.cache import Memo
from liftgraph.model.arrays import inverse
from liftgraph.model.arrows import Arrows, arrows
from liftgraph.model.causal import Directed, needing_directions
from liftgraph.model.ground.bayesian_network import own_factors, without_likelihoods
from liftgraph.model.ground.graph_protocol import Graph

_ARROWS: Memo[None, Arrows] = Memo("arrows", most=1)


def directed(graph: Graph, mentioned: Iterable[str | int] = ()) -> Directed:
    """The arrows of a graph with its names. Refused unless it is a Bayesian network.

    ``mentioned``: variables that it must have.
    """
    for variable in mentioned:
        graph.variable(variable)
    observed = graph.evidence.variables.astype(np.int64)
    bare = without_likelihoods(graph)
    return Directed(
        _ARROWS.get(graph.cache, None, lambda: _arrows(bare)),
        lambda name: np.array([graph.variable(name)]),
        graph.name,
        observed,
        graph.scope[len(bare.scope) :].astype(np.int64),
    )


def _arrows(graph: Graph) -> Arrows:
    with needing_directions():
        child = inverse(own_factors(graph))
    heads = np.repeat(child, np.diff(graph.scope_ptr))
    is_parent = heads != graph.scope
    return arrows(graph.scope[is_parent], heads[is_parent], graph.variable_count)
