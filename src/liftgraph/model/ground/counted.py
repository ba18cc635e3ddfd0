"""Factor graphs with counts and events: a variable for each that is asked for, a factor for those
that are observed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import groupby

import numpy as np

from liftgraph.errors import InputError, quoted
from liftgraph.model.counts import (
    Count,
    CountEvent,
    check_possible,
    counted_in,
    indicators,
)
from liftgraph.model.ground.count_factors import counted_addends
from liftgraph.model.ground.count_potential import CountPotential
from liftgraph.model.ground.factor_graph import FactorGraph, pointers
from liftgraph.model.ground.names import BOOLEAN, States
from liftgraph.model.ground.table import Potential, Table

_Summing = tuple[list[int], CountPotential]


def counted_variables(graph: FactorGraph, count: Count) -> list[int]:
    """The variables that a count is about, by index."""
    if isinstance(count.variables, str):
        if count.among:
            raise InputError(f"{count}: expected a lifted model, to count among individuals")
        stem = count.variables
        named = [v for v, name in enumerate(graph.names or ()) if name.partition(".")[0] == stem]
        return named or [graph.variable(stem)]
    variables = [graph.variable(variable) for variable in count.variables]
    if len(set(variables)) < len(variables):
        raise InputError(f"expected distinct variables to count, got {quoted(count.variables)}")
    return variables


def share_variables(graph: FactorGraph, counts: Sequence[Count]) -> bool:
    """Whether some variable is counted twice, by counts or count factors of the graph."""
    listed = [counted_variables(graph, count) for count in counts]
    members = _memberships([*_counted_scopes(graph), *listed])
    return any(len(inside) > 1 for inside, _ in members.values())


def with_counts(
    graph: FactorGraph,
    asked: Sequence[Count | CountEvent],
    observed: Sequence[CountEvent],
    arranged: bool = True,
) -> FactorGraph:
    """A graph with a variable for each count and event that is asked for, at its end, and a factor
    for the events of a sum.

    ``arranged``: whether variables are added up in an order that suits counts which share some,
    instead of that in which they are listed.
    """
    targets = [*asked, *observed]
    counts = [*map(counted_in, targets)]
    summing = _arranged(graph, counts) if arranged else [_summing(graph, c) for c in counts]
    states, scopes, potentials = list[States](), list[list[int]](), list[Potential]()
    total, events = dict[int, int](), dict[int, list[int]]()  # of each distinct sum
    for place, (variables, potential) in enumerate(summing):
        first = summing.index((variables, potential))
        if isinstance(targets[place], CountEvent):
            events.setdefault(first, []).append(place)
            states.append(BOOLEAN)
            continue
        new = graph.variable_count + place
        states.append(tuple(map(str, range(potential.sums))))
        total.setdefault(first, new)
        if variables:
            scopes.append([*variables, new])
            potentials.append(potential)
    for first, places in events.items():
        variables, potential = summing[first]
        children = [graph.variable_count + place for place in places if place < len(asked)]
        weights = _weights(targets, places, len(asked), potential.sums)
        if first in total:
            scopes.append([total[first], *children])
            potentials.append(weights)
        elif variables:
            scopes.append([*variables, *children])
            potentials.append(replace(potential, weights=weights))
        elif children:  # a count of no variables is 0
            scopes.append(children)
            potentials.append(Table(weights.integers[0], weights.scale))
    return _extended(graph, [*map(str, asked)], states[: len(asked)], scopes, potentials)


def _weights(
    targets: Sequence[Count | CountEvent], places: Sequence[int], asked_count: int, sums: int
) -> Table:
    """The weights of a sum, and of its events that are asked for, which are the first targets."""
    events = {place: event for place in places if isinstance(event := targets[place], CountEvent)}
    observed = [event for place, event in events.items() if place >= asked_count]
    for event in observed:
        check_possible(event, sums - 1)
    asked = [event for place, event in events.items() if place < asked_count]
    return Table(indicators(asked, observed, np.arange(sums), sums - 1), Fraction(1))


def _summing(graph: FactorGraph, count: Count) -> _Summing:
    variables = counted_variables(graph, count)
    states = [graph.states(variable) for variable in variables]
    return variables, CountPotential(counted_addends(states, count.state, count.weights))


def _arranged(graph: FactorGraph, counts: Sequence[Count]) -> list[_Summing]:
    """For each count its variables, and the potential of their sum.

    Variables that the same counts, and count factors of the graph, are about come one after the
    other, so that partial sums are about the same variables. For several counts they are runs, too:
    beside the count factors alone, plans are better without.
    """
    listed = [_summing(graph, count) for count in counts]
    members = _memberships([*_counted_scopes(graph), *[variables for variables, _ in listed]])
    summing: list[_Summing] = []
    for variables, potential in listed:
        addends = dict(zip(variables, potential.addends, strict=True))
        order = sorted(variables, key=members.__getitem__)
        runs = [len([*run]) for _, run in groupby(order, key=lambda v: members[v][0])]
        several = tuple(runs) if len(runs) > 1 and len(counts) > 1 else ()
        each = tuple([addends[variable] for variable in order])
        summing.append((order, CountPotential(each, runs=several)))
    return summing


def _memberships(scopes: Sequence[Sequence[int]]) -> dict[int, tuple[tuple[int, ...], int]]:
    """For each variable, which scopes it is in, and its place in the first of them."""
    inside: dict[int, list[int]] = {}
    places: dict[int, int] = {}
    for number, scope in enumerate(scopes):
        for place, variable in enumerate(scope):
            inside.setdefault(variable, []).append(number)
            places.setdefault(variable, place)
    return {variable: (tuple(inside[variable]), places[variable]) for variable in inside}


def _counted_scopes(graph: FactorGraph) -> list[list[int]]:
    """The variables that each count factor of a graph counts."""
    counting = {
        place: len(potential.addends)
        for place, potential in enumerate(graph.potentials)
        if isinstance(potential, CountPotential)
    }
    factors = np.flatnonzero(np.isin(graph.table_id, [*counting]))
    scopes: list[list[int]] = []
    for factor in factors.tolist():
        start = int(graph.scope_ptr[factor])
        end = start + counting[int(graph.table_id[factor])]
        scopes.append(graph.scope[start:end].tolist())
    return scopes


def _extended(
    graph: FactorGraph,
    names: list[str],
    new_states: Sequence[States],
    scopes: list[list[int]],
    potentials: list[Potential],
) -> FactorGraph:
    """A graph with more variables and factors. ``new_states``: those of the variables."""
    state_sets = dict.fromkeys(graph.state_sets) | dict.fromkeys(new_states)
    index = {states: place for place, states in enumerate(state_sets)}
    new_ids = np.array([index[states] for states in new_states], dtype=np.int32)
    arity = np.diff(graph.scope_ptr)
    lengths = np.array([len(scope) for scope in scopes], dtype=arity.dtype)
    added = np.array([variable for scope in scopes for variable in scope], dtype=np.int32)
    kinds = np.arange(len(graph.potentials), len(graph.potentials) + len(scopes), dtype=np.int32)
    return replace(
        graph,
        state_sets=tuple(state_sets),
        state_set_id=np.concatenate([graph.state_set_id, new_ids]),
        names=None if graph.names is None else (*graph.names, *new_names(graph.names, names)),
        scope_ptr=pointers(np.concatenate([arity, lengths])),
        scope=np.concatenate([graph.scope, added]),
        table_id=np.concatenate([graph.table_id, kinds]),
        potentials=(*graph.potentials, *potentials),
        likelihood_count=0,
    )


def new_names(known: Sequence[str], names: Sequence[str]) -> list[str]:
    """Names that differ from those known and from each other, with primes if need be."""
    taken, new = set(known) if names else set(), list[str]()
    for name in names:
        while name in taken:
            name += "'"
        taken.add(name)
        new.append(name)
    return new
