"""Factor graphs with counts: a variable for each that is asked for, a factor for each observed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from liftgraph.errors import InputError, quoted
from liftgraph.model.counts import Count, CountEvent, check_possible
from liftgraph.model.ground.count_factors import counted_addends
from liftgraph.model.ground.count_potential import CountPotential
from liftgraph.model.ground.factor_graph import FactorGraph, pointers
from liftgraph.model.ground.names import States
from liftgraph.model.ground.table import Potential, Table


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


def with_counts(
    graph: FactorGraph, asked: Sequence[Count], observed: Sequence[CountEvent]
) -> FactorGraph:
    """A graph with a variable for each count that is asked for, at its end, and a factor for each
    observed one."""
    sizes, scopes, potentials = list[int](), list[list[int]](), list[Potential]()
    for count in asked:
        variables, potential = _summing(graph, count)
        scopes.append([*variables, graph.variable_count + len(sizes)])
        sizes.append(potential.sums)
        potentials.append(potential)
    for event in observed:
        variables, potential = _summing(graph, event.count)
        check_possible(event, potential.sums - 1)
        weights = event.holds(np.arange(potential.sums)).astype(np.int64)
        scopes.append(variables)
        potentials.append(CountPotential(potential.addends, Table.of(weights)))
    return _extended(graph, [*map(str, asked)], sizes, scopes, potentials)


def _summing(graph: FactorGraph, count: Count) -> tuple[list[int], CountPotential]:
    variables = counted_variables(graph, count)
    states = [graph.states(variable) for variable in variables]
    return variables, CountPotential(counted_addends(states, count.state, count.weights))


def _extended(
    graph: FactorGraph,
    names: list[str],
    sizes: list[int],
    scopes: list[list[int]],
    potentials: list[Potential],
) -> FactorGraph:
    """A graph with more variables and factors. ``sizes``: those of the variables."""
    state_sets = dict.fromkeys(graph.state_sets)
    numerals: list[States] = [tuple(map(str, range(size))) for size in sizes]
    state_sets.update(dict.fromkeys(numerals))
    index = {states: place for place, states in enumerate(state_sets)}
    new_states = np.array([index[states] for states in numerals], dtype=np.int32)
    arity = np.diff(graph.scope_ptr)
    lengths = np.array([len(scope) for scope in scopes], dtype=arity.dtype)
    added = np.array([variable for scope in scopes for variable in scope], dtype=np.int32)
    kinds = np.arange(len(graph.potentials), len(graph.potentials) + len(scopes), dtype=np.int32)
    return replace(
        graph,
        state_sets=tuple(state_sets),
        state_set_id=np.concatenate([graph.state_set_id, new_states]),
        names=None if graph.names is None else (*graph.names, *new_names(graph.names, names)),
        scope_ptr=pointers(np.concatenate([arity, lengths])),
        scope=np.concatenate([graph.scope, added]),
        table_id=np.concatenate([graph.table_id, kinds]),
        potentials=(*graph.potentials, *potentials),
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
