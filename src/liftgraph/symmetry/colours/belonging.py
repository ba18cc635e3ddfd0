"""Whether a colouring is one of a graph."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import InputError
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.symmetry.colours.colouring import Colour, Colouring


def check_colouring(graph: FactorGraph, found: Colouring) -> None:
    """Refuse groups that are not this graph's: of other sizes, or whose members differ in evidence
    or in what they meet."""
    coloured = len(found.variable_colours), len(found.factor_colours)
    if coloured != (graph.variable_count, graph.factor_count):
        counts = f"{coloured[0]:,} variables and {coloured[1]:,} factors"
        raise InputError(f"expected a colouring of this graph, got one of {counts}")
    observed = np.full(graph.variable_count, -1)
    observed[graph.evidence.variables] = graph.evidence.observation_id
    first = np.array([members[0] for members in found.variable_groups], dtype=np.intp)
    if (observed != observed[first][found.variable_colours]).any():
        raise InputError("expected a colouring of this graph, got one with other evidence")
    variables, factors = graph.scope, factor_of_edges(graph)
    mine, others = found.variable_colours, found.factor_colours
    if not (
        _meet_alike(variables, mine, others[factors])
        and _meet_alike(factors, others, mine[variables])
    ):
        raise InputError("expected a colouring of this graph, got one of another graph")


def _meet_alike(members: NDArray[np.integer], colours: Colour, met: Colour) -> bool:
    """Whether all members of a group meet as many of each colour.

    ``members``: who meets somebody, once for each time; ``met``: the colours of those.
    """
    span = int(met.max(initial=0)) + 1
    keys, times = np.unique(members.astype(np.int64) * span + met, return_counts=True)
    member, other = np.divmod(keys, span)
    _, first, pair, meeting = np.unique(
        colours[member].astype(np.int64) * span + other,
        return_index=True,
        return_inverse=True,
        return_counts=True,
    )
    everybody = np.bincount(colours)[colours[member[first]]] == meeting
    return bool(everybody.all() and (times == times[first][pair]).all())


def factor_of_edges(graph: FactorGraph) -> NDArray[np.intp]:
    """The factor that each argument belongs to, intp (e,)."""
    return np.repeat(np.arange(graph.factor_count), np.diff(graph.scope_ptr))
