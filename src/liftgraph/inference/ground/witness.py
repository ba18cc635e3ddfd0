"""Witnesses: one assignment with weight proves that evidence is possible, without elimination."""

from __future__ import annotations

import numpy as np

from liftgraph.cache import Memo
from liftgraph.inference.ground.pattern import Pattern, States, state_of
from liftgraph.inference.ground.pieces import graph_pieces
from liftgraph.inference.ground.reduction import Reduction
from liftgraph.model.arrays import digits
from liftgraph.model.ground.evidence import Evidence
from liftgraph.model.ground.factor_graph import FactorGraph

_WITNESSED: Memo[tuple[Evidence, tuple[int, ...]], bool] = Memo("witnesses", most=256)


def is_witnessed(graph: FactorGraph, pattern: Pattern, states: States) -> bool:
    """Whether an assignment was found that proves what a pattern leaves out to be possible; kept.

    That none was found proves nothing.
    """
    doubts = pattern.doubts
    if doubts is None:
        return True
    key = graph.evidence, tuple([states[variable] for variable in sorted(states)])
    return _WITNESSED.get(pattern.cache, key, lambda: has_witness(graph, doubts, states))


def has_witness(graph: FactorGraph, doubts: Reduction, states: States) -> bool:
    """Whether tables have weight where each variable gets the best state in the first of them.

    ``states``: those that the question observes beside the graph's own evidence.
    """
    listed, chosen = graph_pieces(graph).listed, dict[int, int]()
    for source, _, observed, _ in doubts.settled:
        place = tuple([state_of(graph, states, v) for v in observed if v is not None])
        if source is not None and not listed[source[0]].integers[source[1]][place]:
            return False
    for scope, (source, _, observed, _) in zip(doubts.scopes, doubts.pieces, strict=True):
        if source is None:
            continue
        integers = listed[source[0]].integers[source[1]]
        if observed:
            cut = [slice(None) if v is None else state_of(graph, states, v) for v in observed]
            integers = integers[tuple(cut)]
        part = integers[tuple([chosen.get(variable, slice(None)) for variable in scope])]
        best = digits(int(np.argmax(part)), np.shape(part))
        if not (part[tuple(best)] if best else part):
            return False
        unknown = [variable for variable in scope if variable not in chosen]
        chosen.update(zip(unknown, best, strict=True))
    return True
