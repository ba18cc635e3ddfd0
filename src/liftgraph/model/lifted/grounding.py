"""The factor graph that a parametric factor graph stands for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import groupby, pairwise
from math import prod

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import InputError, MemoryLimitError
from liftgraph.model.ground.factor_graph import NO_INDICES, FactorGraph, pointers, scopes_by_arity
from liftgraph.model.ground.names import States
from liftgraph.model.ground.table import MAX_ARGUMENTS, PotentialPool, Table
from liftgraph.model.lifted.instances import Column, Instances, arity, instances
from liftgraph.model.lifted.origin import Origin
from liftgraph.model.lifted.parfactor import CRV, Parfactor
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.model.lifted.substitutions import substitutions

GROUND_LIMIT = 2**27  # edges of a ground graph, and entries of a ground table


def ground(model: ParfactorGraph) -> FactorGraph:
    """The factor graph a model stands for, in the order and with the names of its origin.

    >>> from liftgraph import LogVar, prv, parfactor
    >>> P = LogVar("P", ["alice", "bob"])
    >>> model = ParfactorGraph.of([parfactor([prv("Sick", P), prv("Epid")], [3, 1, 1, 5])])
    >>> model.ground().names
    ('Sick.alice', 'Sick.bob', 'Epid')
    """
    _check_size(model)
    tables = PotentialPool()
    found = instances(model, tables)
    state_sets: dict[States, int] = {}
    states = [state_sets.setdefault(each.states, len(state_sets)) for each in model.prvs]
    sizes = np.diff(model.variable_start)
    state_set_id = np.repeat(np.array(states, dtype=np.int32), sizes)
    no_state = [-1 if each.observed is None else each.observed for each in model.prvs]
    state = np.repeat(np.array(no_state, dtype=np.int32), sizes)
    for variables, states_there in _observed(model):
        state[variables] = states_there
    origin = model.origin or _own_origin(model, found)
    state = state[origin.variables]
    scope, scope_ptr, table_id, pool = _in_given_order(origin, found, tables)
    observed = np.flatnonzero(state >= 0)
    return FactorGraph(
        state_sets=tuple(state_sets),
        state_set_id=state_set_id[origin.variables],
        names=origin.names,
        scope_ptr=scope_ptr,
        scope=scope.astype(np.int32),
        table_id=table_id.astype(np.int32),
        potentials=tuple(pool),
        observed=observed.astype(np.int32),
        observed_state=state[observed],
    )


def _observed(model: ParfactorGraph) -> Iterator[tuple[Column, Column]]:
    """Variables of individuals with evidence by number, and the index of their state."""
    for prv, facts in groupby(sorted(model.evidence.items()), lambda fact: fact[0][0]):
        individuals, states = zip(*((found, state) for (_, found), state in facts), strict=True)
        columns = list(np.array(individuals, dtype=np.int64).T)
        numbers = model.numbering(prv).numbers(columns)
        yield model.variable_start[prv] + numbers, np.array(states, dtype=np.int64)


def as_graph(model: FactorGraph | ParfactorGraph) -> FactorGraph:
    """The factor graph of a model: a lifted one is ground."""
    return model.ground() if isinstance(model, ParfactorGraph) else model


def _check_size(model: ParfactorGraph) -> None:
    sizes = (after - before for before, after in pairwise(model.factor_start))
    edges = sum(n * arity(each) for n, each in zip(sizes, model.parfactors, strict=True))
    largest = max((_ground_entries(each) for each in model.parfactors), default=0)
    widest = max(map(arity, model.parfactors), default=0)
    if max(edges, model.variable_count, largest) > GROUND_LIMIT or widest > MAX_ARGUMENTS:
        raise MemoryLimitError(
            f"the ground model would have {model.variable_count:,} variables, {edges:,} edges and"
            f" tables of up to {widest} arguments; expected at most {GROUND_LIMIT:,} of the former"
            f" and {MAX_ARGUMENTS} of the latter (and {GROUND_LIMIT:,} entries)"
        )


def _ground_entries(given: Parfactor) -> int:
    return prod(
        len(each.atom.prv.states) ** min(each.number, GROUND_LIMIT.bit_length())
        if isinstance(each, CRV)
        else each.values
        for each in given.arguments
    )


def own_names(model: ParfactorGraph) -> Iterator[str]:
    """What all variables are called by PRV and individuals, in the order of their numbers."""
    for prv in model.prvs:
        if not prv.logvars:
            yield prv.name
            continue
        columns = [column.tolist() for column in substitutions(prv.pattern)]
        called = [
            [logvar.domain.individual(number) for number in column]
            for logvar, column in zip(prv.logvars, columns, strict=True)
        ]
        yield from (".".join((prv.name, *parts)) for parts in zip(*called, strict=True))


def variable_names(model: ParfactorGraph) -> tuple[str, ...]:
    """What all variables are called, in the order of the graph it comes from, or its own."""
    if model.origin is None:
        return _distinct_names(model)
    return model.origin.names or tuple(map(str, range(model.variable_count)))


def _distinct_names(model: ParfactorGraph) -> tuple[str, ...]:
    """Names of the model's own; individuals with dots in theirs may make two of them the same."""
    names = tuple(own_names(model))
    if len(set(names)) < len(names):
        twice = next(name for name, times in Counter(names).items() if times > 1)
        raise InputError(f"expected different names for all variables, got {twice} twice")
    return names


def _own_origin(model: ParfactorGraph, found: Instances) -> Origin:
    """Everything in the order of the model itself; so are the scales of a parfactor's factors."""
    names = _distinct_names(model)
    number = {Fraction(1): 0}
    scale_id = np.zeros(len(found.table), dtype=np.int32)
    for start, given in zip(model.factor_start, model.parfactors, strict=False):
        for scale, times in given.scales:
            scale_id[start : start + times] = number.setdefault(scale, len(number))
            start += times
    factors = np.arange(len(found.table))
    order = np.arange(len(found.scope)) - np.repeat(pointers(found.arity)[:-1], found.arity)
    variables = np.arange(model.variable_count)
    return Origin(
        names, variables, factors, order.astype(np.int8), scale_id, tuple(number), NO_INDICES
    )


def _in_given_order(
    origin: Origin, found: Instances, tables: PotentialPool
) -> tuple[Column, Column, Column, PotentialPool]:
    """Scopes, pointers and tables in the order of factors and arguments of the origin."""
    index = np.empty(len(origin.variables), dtype=np.int64)
    index[origin.variables] = np.arange(len(origin.variables))
    arities = found.arity[origin.factors]
    scope_ptr = pointers(arities)
    own = pointers(found.arity)[origin.factors]
    source = np.arange(scope_ptr[-1]) + np.repeat(own - scope_ptr[:-1], arities)
    target = np.repeat(scope_ptr[:-1], arities) + origin.argument_order
    scope, label = np.empty_like(source), np.empty(len(source), dtype=np.int8)
    scope[target] = index[found.scope[source]]
    label[target] = found.label[source]
    table = found.table[origin.factors] * len(origin.scales) + origin.scale_id
    pool = PotentialPool()
    table_id = np.empty(len(table), dtype=np.int64)
    for factors, rows in scopes_by_arity(scope_ptr, label.astype(np.int32)):
        for members in _equal_rows(np.column_stack([table[factors], rows])):
            first = factors[members[0]]
            which, scale = divmod(int(table[first]), len(origin.scales))
            axes = _axes(label[scope_ptr[first] : scope_ptr[first + 1]].tolist())
            base, factor = tables[which].table(), origin.scales[scale]
            made = Table(base.integers.transpose(axes), base.scale * factor, base.measured)
            table_id[factors[members]] = pool.add(made)
    for number, near in enumerate(origin.near):
        table_id[origin.near_id == number] = pool.add(near)
    return scope, scope_ptr, table_id, pool


def _equal_rows(rows: NDArray[np.int64]) -> Iterator[NDArray[np.intp]]:
    """The places of equal rows, together."""
    if not len(rows):
        return
    code = np.zeros(len(rows), dtype=np.int64)
    for column in rows.T:
        code = code * (int(column.max()) + 1) + column
        if int(code.max()) > 4 * len(rows) + 1000:
            code = np.unique(code, return_inverse=True)[1]
    order = np.argsort(code, kind="stable")
    yield from np.split(order, np.flatnonzero(np.diff(code[order])) + 1)


def _axes(labels: Sequence[int]) -> list[int]:
    """The axes a row of labels stands for: those counted together in any order."""
    used: dict[int, int] = {}
    axes = []
    for label in labels:
        axes.append(label + used.get(label, 0))
        used[label] = used.get(label, 0) + 1
    return axes
