"""Interventions in lifted models: the mechanism of a PRV is cut, for all individuals or for some.

For all of them, the parfactor of the PRV becomes certain of the state. For some, it gets one more
argument: a PRV that says which variables are set, and to what (the intervention variables of Pearl
2009, section 3.2.2). Evidence says so of these individuals, and all others are as they were: only
the individuals that are mentioned will be told apart.

A model that was lifted from a graph is cut there, and lifted again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import InputError
from liftgraph.model.answering import answer_to
from liftgraph.model.causal import check_interventions, disagreement, needing_directions
from liftgraph.model.ground.bayesian_network import FLOATS, table_of_numerators
from liftgraph.model.ground.counted import new_names
from liftgraph.model.ground.evidence import contradiction
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.interventions import certain
from liftgraph.model.ground.names import state_index
from liftgraph.model.ground.table import Table
from liftgraph.model.lifted.evidence import LiftedEvidence
from liftgraph.model.lifted.mechanisms import Parfactors, mechanisms
from liftgraph.model.lifted.origin import Origin
from liftgraph.model.lifted.parfactor import (
    CRV,
    PRV,
    Argument,
    Atom,
    Parfactor,
    argument_names,
)
from liftgraph.model.lifted.variables import Place, Variables, name_of, number_of
from liftgraph.model.lifted.views import find

M = TypeVar("M", bound="Model")


class Model(Parfactors, Protocol):
    """A lifted model to intervene in; ``ParfactorGraph`` is one."""

    @property
    def places(self) -> Variables:
        """The variables that the PRVs stand for."""

    @property
    def origin(self) -> Origin | None:
        """How the given graph lists them."""

    @property
    def evidence(self) -> LiftedEvidence:
        """What was observed."""

    def ground(self) -> FactorGraph:
        """The factor graph that this stands for."""


def intervened(model: M, written: Mapping[Any, Any]) -> M:
    """The model in which variables are set to states, whatever their parents are.

    ``written``: variables, or PRVs for all of theirs, by name, and their states by name.

    >>> from liftgraph import LogVar, ParfactorGraph, parfactor, prv
    >>> epidemic, sick = prv("Epid"), prv("Sick", LogVar("P", 1000))
    >>> spread = parfactor([sick, epidemic], ["0.6", "0.1", "0.4", "0.9"])
    >>> model = ParfactorGraph.of([spread, parfactor([epidemic], ["0.1", "0.9"])])
    >>> done = intervened(model, {"Sick.1": "true"})
    >>> [str(one.query("Epid", given={"Sick.1": "true"}, exact=True).exact["true"])
    ...  for one in (model, done)]
    ['2/5', '1/10']
    """
    check_interventions(written)
    whole, single = _targets(model, written)
    if not whole and not single:
        return model
    if model.origin is not None:
        return _lifted_again(model, model.origin, whole, single)
    with needing_directions():
        mechanisms(model)
    for prv_index, state in whole.items():
        model = _all_set(model, prv_index, state)
    for prv_index in dict.fromkeys(place[0] for place in single):
        chosen = {place: state for place, state in single.items() if place[0] == prv_index}
        model = _some_set(model, prv_index, chosen)
    return model


def set_places(model: Model) -> list[Place]:
    """The variables that say that another one is set, by place."""
    said = [(place, state, model.prvs[place[0]]) for place, state in model.evidence.items()]
    return [place for place, state, prv in said if prv.overridable and state != prv.observed]


def _targets(model: Model, written: Mapping[Any, Any]) -> tuple[dict[int, int], dict[Place, int]]:
    """The states to which whole PRVs are set, by their index, and single variables, by place."""
    whole, single = dict[int, int](), dict[Place, int]()
    for name, value in written.items():
        prv_index, numbers = find(model.places, name)
        prv = model.prvs[prv_index]
        if prv.overridable:
            raise InputError(f"expected a variable to set, got {name}, which says what is set")
        state = state_index(str(name), prv.states, value)
        if numbers:
            said = single.setdefault((prv_index, numbers), state)
        else:
            said = whole.setdefault(prv_index, state)
        if said != state:
            raise contradiction(str(name), prv.states, said, state)
    for place, state in single.items():
        if (said := whole.get(place[0], state)) != state:
            name = name_of(model.places, place)
            raise contradiction(name, model.prvs[place[0]].states, said, state)
    _check_evidence(model, whole, single)
    return whole, {place: state for place, state in single.items() if place[0] not in whole}


def _check_evidence(model: Model, whole: Mapping[int, int], single: Mapping[Place, int]) -> None:
    """Refuse to set what was observed in another state."""
    for place, seen in model.evidence.items():
        done = single.get(place, whole.get(place[0], seen))
        if done != seen:
            states = model.prvs[place[0]].states
            raise disagreement(name_of(model.places, place), states[seen], states[done])
    for prv_index, done in (*whole.items(), *((place[0], s) for place, s in single.items())):
        prv = model.prvs[prv_index]
        if prv.observed is not None and prv.observed != done:
            raise disagreement(prv.name, prv.states[prv.observed], prv.states[done])


def _all_set(model: M, prv_index: int, state: int) -> M:
    """The model in which all variables of a PRV are set to a state."""
    before = model.prvs[prv_index]
    after = replace(before, observed=state)
    own = mechanisms(model)[before.name]
    parfactors = [_with(parfactor, before, after) for parfactor in model.parfactors]
    table = certain(len(after.states), state)
    only = Parfactor((after.atom,), after.logvars, table, after.constraints, child=0)
    parfactors[own.parfactor] = only
    prvs = tuple(after if prv == before else prv for prv in model.prvs)
    return _changed(model, prvs, parfactors, model.evidence)


def _with(parfactor: Parfactor, before: PRV, after: PRV) -> Parfactor:
    """A parfactor in which a PRV is replaced by another one."""

    def changed(argument: Argument) -> Argument:
        if isinstance(argument, CRV):
            return replace(argument, atom=cast(Atom, changed(argument.atom)))
        return replace(argument, prv=after) if argument.prv == before else argument

    return replace(parfactor, arguments=tuple(map(changed, parfactor.arguments)))


def _some_set(model: M, prv_index: int, states: Mapping[Place, int]) -> M:
    """The model in which some variables of a PRV are set to states, by place."""
    own = mechanisms(model)[model.prvs[prv_index].name]
    parfactors, prvs = [*model.parfactors], model.prvs
    mechanism = parfactors[own.parfactor]
    known = [
        argument.prv
        for argument in mechanism.arguments
        if isinstance(argument, Atom) and argument.prv.overridable
    ]
    setting = known[0] if known else _setting(prvs, prvs[prv_index])
    if not known:
        prvs = (*prvs, setting)
        parfactors[own.parfactor] = _with_setting(mechanism, own.place, setting)
    place_of_setting = prvs.index(setting)
    set_states = {(place_of_setting, numbers): state for (_, numbers), state in states.items()}
    return _changed(model, prvs, parfactors, {**model.evidence, **states, **set_states})


def _setting(prvs: tuple[PRV, ...], prv: PRV) -> PRV:
    """The PRV that says to which states variables of a PRV are set; in its last state they are
    not."""
    (name,) = new_names([other.name for other in prvs], [f"do {prv.name}"])
    states = (*prv.states, *new_names(prv.states, ["not set"]))
    return PRV(name, prv.logvars, prv.constraints, states, len(prv.states), overridable=True)


def _with_setting(mechanism: Parfactor, child: int, setting: PRV) -> Parfactor:
    """A mechanism that depends on which variables are set, too."""
    atom = cast(Atom, mechanism.arguments[child])
    return replace(
        mechanism,
        arguments=(*mechanism.arguments, Atom(setting, atom.logvars)),
        potential=_table_with_setting(mechanism, child),
        scales=(),
        child=child,
    )


def _table_with_setting(mechanism: Parfactor, child: int) -> Table:
    """The table of a mechanism with a last axis: the state to which the child is set; if it is not
    set, the distribution that it had."""
    table = mechanism.table
    scale = table.scale * (mechanism.scales[0][0] if mechanism.scales else 1)
    usual: NDArray[Any] = table.integers.astype(object) * scale.numerator
    numerators = np.zeros((*usual.shape, usual.shape[child] + 1), dtype=object)
    numerators[..., -1] = usual
    by_child = np.moveaxis(numerators, child, -2)
    for state in range(usual.shape[child]):
        by_child[..., state, state] = scale.denominator
    return table_of_numerators(numerators, scale.denominator, table.measured)


def check_settings(model: Parfactors) -> None:
    """Refuse PRVs that are said to set others, but are not what interventions make."""
    for prv in (prv for prv in model.prvs if prv.overridable):
        if prv.observed != len(prv.states) - 1:
            expected = f"expected it to be observed in {prv.states[-1]}, as it sets variables"
            raise InputError(f"{prv.name}: {expected}")
        listed = enumerate(model.parfactors, 1)
        uses = {i: p for i, p in listed if prv.name in argument_names(p.arguments)}
        if len(uses) > 1 or not all(_sets(prv, parfactor) for parfactor in uses.values()):
            came = ", ".join(f"φ{index}" for index in uses)
            expected = "expected it to say what the child of one parfactor is set to"
            raise InputError(f"{prv.name}: {expected}, got it in {came}")


def _sets(prv: PRV, parfactor: Parfactor) -> bool:
    """Whether a PRV says in which parfactor its child is set, and to what."""
    if parfactor.child is None or parfactor.scales:
        return False
    child = cast(Atom, parfactor.arguments[parfactor.child])
    setting = Atom(prv, child.logvars)
    of_child = (child.prv.logvars, child.prv.constraints, child.prv.states)
    if (prv.logvars, prv.constraints, prv.states[:-1]) != of_child:
        return False
    if child.prv.overridable or setting not in parfactor.arguments:
        return False
    place, state_count = parfactor.arguments.index(setting), len(child.prv.states)
    by_both = np.moveaxis(parfactor.table.integers, (place, parfactor.child), (-2, -1))
    certain_rows = np.eye(state_count, dtype=object) / parfactor.table.scale
    return bool(np.all(by_both[..., :-1, :] == certain_rows))


def _changed(
    model: M, prvs: tuple[PRV, ...], parfactors: list[Parfactor], states: Mapping[Place, int]
) -> M:
    """The model with other PRVs, parfactors and observed states; likelihoods remain."""
    evidence = LiftedEvidence(states, model.evidence.likelihoods)
    changed = replace(cast(Any, model), prvs=prvs, parfactors=tuple(parfactors), evidence=evidence)
    return cast(M, changed)


def _lifted_again(
    model: M, origin: Origin, whole: Mapping[int, int], single: Mapping[Place, int]
) -> M:
    """The lifted model of the given graph after interventions, with the tolerance that it had;
    that of floats alone is found again."""
    graph, places = model.ground(), model.places
    numbers = {
        number: state
        for prv_index, state in whole.items()
        for number in range(places.start[prv_index], places.start[prv_index + 1])
    }
    numbers |= {number_of(places, place): state for place, state in single.items()}
    states = {int(origin.index_by_number[number]): state for number, state in numbers.items()}
    named = {variable: graph.states(variable)[state] for variable, state in states.items()}
    tolerance = origin.tolerance if origin.tolerance > FLOATS else None
    return cast(M, answer_to("lift")(graph.do(named), tolerance=tolerance))
