"""The factor graph that a parametric factor graph stands for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import groupby
from math import prod

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import MemoryLimitError
from liftgraph.model.arrays import NO_INDICES
from liftgraph.model.ground.evidence import Evidence
from liftgraph.model.ground.factor_graph import FactorGraph, pointers, scopes_by_arity
from liftgraph.model.ground.names import States
from liftgraph.model.ground.table import MAX_ARGUMENTS, PotentialPool, Table
from liftgraph.model.lifted.evidence import LiftedEvidence
from liftgraph.model.lifted.instances import Instances, instances
from liftgraph.model.lifted.origin import Origin
from liftgraph.model.lifted.parfactor import CRV, Parfactor, arity
from liftgraph.model.lifted.substitutions import Column
from liftgraph.model.lifted.variables import Variables, distinct_names

GROUND_LIMIT = 2**27  # edges of a ground graph, and entries of a ground table


def ground(
    variables: Variables, parfactors: Sequence[Parfactor], evidence: LiftedEvidence
) -> FactorGraph:
    """The factor graph a model stands for, in the order and with the names of its origin.

    >>> from liftgraph import LogVar, ParfactorGraph, parfactor, prv
    >>> P = LogVar("P", ["alice", "bob"])
    >>> model = ParfactorGraph.of([parfactor([prv("Sick", P), prv("Epid")], [3, 1, 1, 5])])
    >>> ground(model.variables, model.parfactors, model.evidence).names
    ('Sick.alice', 'Sick.bob', 'Epid')
    """
    _check_size(variables, parfactors)
    tables = PotentialPool()
    factors = instances(variables, parfactors, tables)
    state_sets: dict[States, int] = {}
    states = [state_sets.setdefault(prv.states, len(state_sets)) for prv in variables.prvs]
    state_set_id = np.repeat(np.array(states, dtype=np.int32), np.diff(variables.start))
    origin = variables.origin or _own_origin(variables, parfactors, factors)
    scope, scope_ptr, table_id, pool = _in_given_order(origin, factors, tables)
    return FactorGraph(
        state_sets=tuple(state_sets),
        state_set_id=state_set_id[origin.variables],
        names=origin.names,
        scope_ptr=scope_ptr,
        scope=scope.astype(np.int32),
        table_id=table_id.astype(np.int32),
        potentials=tuple(pool),
        evidence=_ground_evidence(variables, evidence, origin),
    )


def _ground_evidence(variables: Variables, evidence: LiftedEvidence, origin: Origin) -> Evidence:
    """What was observed of PRVs and of individuals, by the indices of an origin."""
    of_prvs = [-1 if prv.observed is None else prv.observed for prv in variables.prvs]
    states = np.repeat(np.array(of_prvs, dtype=np.int32), np.diff(variables.start))
    for numbers, observed in _by_prv(variables, evidence):
        states[numbers] = observed
    states = states[origin.variables]
    observed = np.flatnonzero(states >= 0)
    return Evidence(observed.astype(np.int32), states[observed])


def _by_prv(variables: Variables, evidence: LiftedEvidence) -> Iterator[tuple[Column, Column]]:
    """Observed variables of individuals by number, and the index of their state."""
    for prv, observations in groupby(sorted(evidence.items()), lambda pair: pair[0][0]):
        rows, states = zip(*((place[1], state) for place, state in observations), strict=True)
        columns = list(np.array(rows, dtype=np.int64).T)
        numbers = variables.numbering(prv).numbers(columns)
        yield variables.start[prv] + numbers, np.array(states, dtype=np.int64)


def _check_size(variables: Variables, parfactors: Sequence[Parfactor]) -> None:
    edges = sum(parfactor.size * arity(parfactor) for parfactor in parfactors)
    largest = max(map(_ground_entries, parfactors), default=0)
    widest = max(map(arity, parfactors), default=0)
    if max(edges, variables.count, largest) > GROUND_LIMIT or widest > MAX_ARGUMENTS:
        raise MemoryLimitError(
            f"the ground model would have {variables.count:,} variables, {edges:,} edges and"
            f" tables of up to {widest} arguments; expected at most {GROUND_LIMIT:,} of the former"
            f" and {MAX_ARGUMENTS} of the latter (and {GROUND_LIMIT:,} entries)"
        )


def _ground_entries(parfactor: Parfactor) -> int:
    return prod(
        len(argument.atom.prv.states) ** min(argument.number, GROUND_LIMIT.bit_length())
        if isinstance(argument, CRV)
        else argument.values
        for argument in parfactor.arguments
    )


def _own_origin(
    variables: Variables, parfactors: Sequence[Parfactor], factors: Instances
) -> Origin:
    """The origin that lists everything as the model does, the scales of factors included."""
    index = {Fraction(1): 0}
    scale_id = np.zeros(len(factors.table), dtype=np.int32)
    start = 0
    for parfactor in parfactors:
        first = start
        for scale, times in parfactor.scales:
            scale_id[first : first + times] = index.setdefault(scale, len(index))
            first += times
        start += parfactor.size
    order = np.arange(len(factors.scope)) - np.repeat(pointers(factors.arity)[:-1], factors.arity)
    return Origin(
        names=distinct_names(variables),
        variables=np.arange(variables.count),
        factors=np.arange(len(factors.table)),
        argument_order=order.astype(np.int8),
        scale_id=scale_id,
        scales=tuple(index),
        singled_out=NO_INDICES,
    )


def _in_given_order(
    origin: Origin, factors: Instances, tables: PotentialPool
) -> tuple[Column, Column, Column, PotentialPool]:
    """Scopes, pointers and tables in the order of factors and arguments of the origin."""
    index = np.empty(len(origin.variables), dtype=np.int64)
    index[origin.variables] = np.arange(len(origin.variables))
    arities = factors.arity[origin.factors]
    scope_ptr = pointers(arities)
    start = pointers(factors.arity)[origin.factors]
    source = np.arange(scope_ptr[-1]) + np.repeat(start - scope_ptr[:-1], arities)
    target = np.repeat(scope_ptr[:-1], arities) + origin.argument_order
    scope, label = np.empty_like(source), np.empty(len(source), dtype=np.int8)
    scope[target] = index[factors.scope[source]]
    label[target] = factors.label[source]
    pool = PotentialPool()
    table_id = _ordered_tables(origin, factors, label, scope_ptr, tables, pool)
    for near_id, near in enumerate(origin.near):
        table_id[origin.near_id == near_id] = pool.add(near)
    return scope, scope_ptr, table_id, pool


def _ordered_tables(
    origin: Origin,
    factors: Instances,
    label: NDArray[np.int8],
    scope_ptr: Column,
    tables: PotentialPool,
    pool: PotentialPool,
) -> Column:
    """The tables of all factors, scaled, with their axes in the order of the origin's scopes.

    ``label``: int8 (e,), the axis of each argument. The tables are added to ``pool``; the result
    is int64 (m,), indices into it.
    """
    scaled = factors.table[origin.factors] * len(origin.scales) + origin.scale_id
    table_id = np.empty(len(scaled), dtype=np.int64)
    for same_arity, rows in scopes_by_arity(scope_ptr, label.astype(np.int32)):
        for members in _equal_rows(np.column_stack([scaled[same_arity], rows])):
            first = same_arity[members[0]]
            which, scale = divmod(int(scaled[first]), len(origin.scales))
            axes = _axes(label[scope_ptr[first] : scope_ptr[first + 1]].tolist())
            base = tables[which].table()
            integers = base.integers.transpose(axes)
            table = Table(integers, base.scale * origin.scales[scale], base.measured)
            table_id[same_arity[members]] = pool.add(table)
    return table_id


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
    """The axes that a row of labels stands for; axes counted together may be in any order."""
    used: dict[int, int] = {}
    axes = []
    for label in labels:
        axes.append(label + used.get(label, 0))
        used[label] = used.get(label, 0) + 1
    return axes
