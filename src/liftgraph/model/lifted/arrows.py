"""The arrows of lifted models: between PRVs, between all variables, or between those that matter.

Exchanging individuals that nobody mentions takes the model to itself. So of the variables that
differ in such individuals only, a ball reaches all or none. It reaches the same if there are fewer
individuals, as long as each parfactor finds different ones for all its logvars: every arrow can
then be exchanged with one that is left.

What interventions set has no parents. The PRVs that say so are evidence, and have no arrows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from liftgraph.model.arrows import Arrows, Numbers, arrows
from liftgraph.model.causal import Directed, needing_directions
from liftgraph.model.ground.arrows import directed as directed_graph
from liftgraph.model.lifted.fewer_individuals import fewer_individuals
from liftgraph.model.lifted.grounding import check_ground_bytes
from liftgraph.model.lifted.instances import argument_rows
from liftgraph.model.lifted.interventions import Model, set_places
from liftgraph.model.lifted.mechanisms import Mechanism, mechanisms, parent_places
from liftgraph.model.lifted.origin import Origin
from liftgraph.model.lifted.parfactor import Parfactor, argument_names, atom_of
from liftgraph.model.lifted.variables import Variables, locate, name_of, number_of
from liftgraph.model.lifted.views import find
from liftgraph.model.memory_limit import MEMORY_LIMIT


def directed_at(model: Model, variable: str | int) -> Directed:
    """The arrows between all variables of a model; between PRVs, if it is a PRV that is named."""
    places = model.places
    if find(places, variable)[1] is None:
        return _between_prvs(model)
    if model.origin is not None:
        return _of_graph(model, model.origin)
    own = _mechanisms(model)
    check_ground_bytes(places, model.parfactors, MEMORY_LIMIT)
    is_set = np.array([number_of(places, place) for place in set_places(model)], np.int64)
    return Directed(
        _arrows(places, model.parfactors, own, is_set),
        lambda name: np.array([number_of(places, locate(places, name))]),
        lambda number: name_of(places, locate(places, number)),
        np.array([], np.int64),
    )


def directed_around(model: Model, mentioned: Iterable[str | int]) -> Directed:
    """The arrows of a model with few individuals, in which the same variables are d-separated."""
    found = [find(model.places, variable) for variable in mentioned]
    if model.origin is not None:
        return _of_graph(model, model.origin)
    own, prvs, uncertain = _mechanisms(model), model.prvs, [*model.evidence.likelihoods]
    single = [(prv_index, chosen) for prv_index, chosen in found if chosen is not None]
    single += uncertain
    fewer = fewer_individuals(prvs, model.parfactors, [*single, *model.evidence])
    places = Variables(tuple(map(fewer.prv, prvs)))

    def numbers(variable: str | int) -> Numbers:
        prv_index, chosen = find(model.places, variable)
        return _numbers(places, prv_index) if chosen is None else number(prv_index, chosen)

    def number(prv_index: int, chosen: tuple[int, ...]) -> Numbers:
        return np.array([number_of(places, fewer.place(prvs[prv_index], (prv_index, chosen)))])

    observed = [_numbers(places, i) for i, prv in enumerate(prvs) if prv.observed is not None]
    observed += [number(*place) for place in model.evidence]
    is_set = _joined([number(*place) for place in set_places(model)])
    return Directed(
        _arrows(places, [*map(fewer.parfactor, model.parfactors)], own, is_set),
        numbers,
        str,
        _joined(observed),
        _joined([number(*place) for place in uncertain]),
    )


def _mechanisms(model: Model) -> dict[str, Mechanism]:
    with needing_directions():
        return mechanisms(model)


def _numbers(places: Variables, prv_index: int) -> Numbers:
    """The numbers of all variables of a PRV."""
    return np.arange(places.start[prv_index], places.start[prv_index + 1])


def _joined(numbers: Sequence[Numbers]) -> Numbers:
    return np.concatenate([np.array([], np.int64), *numbers])


def _arrows(
    places: Variables,
    parfactors: Sequence[Parfactor],
    own: Mapping[str, Mechanism],
    set_numbers: Numbers,
) -> Arrows:
    """The arrows between the variables of PRVs, by number.

    ``set_numbers``: the variables that say that another one is set.
    """
    is_set = np.zeros(places.count, dtype=np.bool_)
    is_set[set_numbers] = True
    tails, heads = list[Numbers](), list[Numbers]()
    for mechanism in own.values():
        rows = [*argument_rows(places, parfactors[mechanism.parfactor])]
        usual = ~np.logical_or.reduce([is_set[row].any(axis=1) for row in rows])
        children = rows[mechanism.place]
        for place in parent_places(parfactors[mechanism.parfactor], mechanism.place):
            parents = rows[place][usual]
            tails.append(parents.ravel())
            heads.append(np.repeat(children[usual], parents.shape[1]))
    return arrows(_joined(tails), _joined(heads), places.count)


def _between_prvs(model: Model) -> Directed:
    """The arrows between PRVs, each once."""
    index = model.places.prv_index
    set_count = Counter(place[0] for place in set_places(model))
    all_set = {model.prvs[i].name for i, times in set_count.items() if times == model.prvs[i].size}
    pairs = dict[tuple[int, int], None]()
    for name, own in _mechanisms(model).items():
        parfactor = model.parfactors[own.parfactor]
        if all_set.isdisjoint(argument_names(parfactor.arguments)):
            for place in parent_places(parfactor, own.place):
                pairs[index[atom_of(parfactor.arguments[place]).prv.name], index[name]] = None
    tails, heads = np.array([*pairs], np.int64).reshape(-1, 2).T
    return Directed(
        arrows(tails, heads, len(model.prvs)),
        lambda name: np.array([index[str(name)]]),
        lambda prv_index: model.prvs[prv_index].name,
        np.array([], np.int64),
    )


def _of_graph(model: Model, origin: Origin) -> Directed:
    """The arrows of the graph that a model was lifted from."""
    graph, places = model.ground(), model.places
    found = directed_graph(graph)

    def numbers(variable: str | int) -> Numbers:
        prv_index, chosen = find(places, variable)
        if chosen is not None:
            return np.array([graph.variable(variable)])
        return origin.index_by_number[_numbers(places, prv_index)].astype(np.int64)

    return Directed(found.arrows, numbers, found.name, found.observed, found.uncertain)
