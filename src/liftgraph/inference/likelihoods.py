"""Uncertain evidence: questions with likelihoods are asked of a model that has them as factors.

Every question calls ``absorbed`` first, so that the evidence that is left are states and counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from liftgraph.cache import Memo
from liftgraph.inference.automatic import Model
from liftgraph.inference.compression import WITHOUT, Likelihoods
from liftgraph.model.ground.factor_graph import FactorGraph, with_likelihoods
from liftgraph.model.ground.likelihoods import likelihoods_on, parted
from liftgraph.model.ground.table import Table
from liftgraph.model.lifted import evidence as lifted
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.model.memory_limit import MEMORY_LIMIT, Planning, checked_memory_limit
from liftgraph.model.questions import Given

_READ_BYTES = 950  # a likelihood that is read, and noted in a model
_GRAPHS: Memo[Likelihoods, FactorGraph] = Memo("graphs with likelihoods", most=4)
_MODELS: Memo[Likelihoods, ParfactorGraph] = Memo("lifted models with likelihoods", most=4)


def absorbed(
    model: Model, given: Given | None, memory_limit: object = MEMORY_LIMIT
) -> tuple[Model, Given]:
    """The same question with certain evidence: a model with a factor for each likelihood among the
    evidence, and the evidence without these. Precondition: ``given`` is a mapping or None.

    The model is kept with the given one, so asking again with the same likelihoods costs little.
    More likelihoods than the memory limit has room for are refused.

    >>> from liftgraph import FactorGraphBuilder
    >>> builder = FactorGraphBuilder()
    >>> _ = builder.add_variables(["A", "B"])
    >>> model, certain = absorbed(builder.build(), {"A": [4, 1], "B": True})
    >>> model.factors[0].variables, certain
    (('A',), {'B': True})
    """
    certain, likelihoods = parted(given or {}, model.states)
    if not likelihoods:
        return model, certain
    planning = Planning(checked_memory_limit(memory_limit))
    planning.check(_READ_BYTES * len(likelihoods), f"{len(likelihoods):,} likelihoods")
    if isinstance(model, ParfactorGraph):
        return _lifted_model(model, likelihoods), certain
    return _graph(model, likelihoods), certain


def _key(likelihoods: Mapping[Any, Table]) -> Likelihoods:
    return tuple([(place, table, table.measured) for place, table in likelihoods.items()])


def _graph(graph: FactorGraph, written: Given) -> FactorGraph:
    likelihoods = likelihoods_on(graph, written)
    key = _key(likelihoods)

    def extended() -> FactorGraph:
        bare = graph.observing({})  # with the cache of the graph
        with_factors = with_likelihoods(bare, likelihoods)
        WITHOUT.get(with_factors.cache, None, lambda: (bare, key))
        return with_factors

    return _GRAPHS.get(graph.cache, key, extended).observing(graph.evidence)


def _lifted_model(model: ParfactorGraph, written: Given) -> ParfactorGraph:
    evidence = lifted.with_likelihoods(model.places, model.evidence, written)
    key = _key(evidence.likelihoods)
    return _MODELS.get(model.cache, key, lambda: replace(model, evidence=evidence))
