"""The factor graph that a parametric factor graph stands for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import groupby
from math import prod

import numpy as np
from numpy.typing import NDArray

from liftgraph.display import counted, format_count
from liftgraph.errors import MemoryLimitError
from liftgraph.model.arrays import NO_INDICES, inverse
from liftgraph.model.ground.evidence import NO_EVIDENCE, Evidence
from liftgraph.model.ground.factor_graph import FactorGraph, pointers, with_likelihoods
from liftgraph.model.ground.names import States
from liftgraph.model.ground.table import MAX_ARGUMENTS, Potential
from liftgraph.model.lifted.evidence import LiftedEvidence
from liftgraph.model.lifted.instances import (
    OrderedTables,
    argument_rows,
    instances,
    ordered_tables,
)
from liftgraph.model.lifted.logvars import Domain
from liftgraph.model.lifted.origin import Origin, given_potentials
from liftgraph.model.lifted.parfactor import CRV, PRV, Parfactor, arity
from liftgraph.model.lifted.substitutions import Column
from liftgraph.model.lifted.variables import Variables, distinct_names, number_of
from liftgraph.model.memory_limit import beyond_limit

GROUND_LIMIT = 2**27  # edges of a ground graph, and entries of a ground table
# What grounding takes at its peak, as measured: for each variable, logvar and letter of a name,
# for each factor and its arguments, and for each parfactor and the entries of its table.
_VARIABLE_BYTES, _LOGVAR_BYTES, _LETTER_BYTES = 120, 60, 4
_FACTOR_BYTES, _ARGUMENT_BYTES = 120, 60
_PARFACTOR_BYTES, _ENTRY_BYTES = 800, 16


def ground(
    variables: Variables, parfactors: Sequence[Parfactor], evidence: LiftedEvidence
) -> FactorGraph:
    """The factor graph a model stands for, in the order and with the names of its origin.

    Likelihoods are factors after all others.

    >>> from liftgraph import LogVar, ParfactorGraph, parfactor, prv
    >>> P = LogVar("P", ["alice", "bob"])
    >>> model = ParfactorGraph.of([parfactor([prv("Sick", P), prv("Epid")], [3, 1, 1, 5])])
    >>> ground(model.places, model.parfactors, model.evidence).names
    ('Sick.alice', 'Sick.bob', 'Epid')
    """
    given = given_potentials(parfactors, variables.origin)
    _check_size(variables, [p for index, p in enumerate(parfactors) if index not in given])
    state_sets: dict[States, int] = {}
    states = [state_sets.setdefault(prv.states, len(state_sets)) for prv in variables.prvs]
    state_set_id = np.repeat(np.array(states, dtype=np.int32), np.diff(variables.start))
    origin = variables.origin or _own_origin(variables, parfactors)
    scope, scope_ptr, table_id, potentials = _in_given_order(variables, parfactors, origin)
    graph = FactorGraph(
        state_sets=tuple(state_sets),
        state_set_id=state_set_id[origin.variables],
        names=origin.names,
        scope_ptr=scope_ptr,
        scope=scope,
        table_id=table_id,
        potentials=potentials,
        evidence=_ground_evidence(variables, evidence, origin),
        likelihood_count=origin.likelihood_count,
    )
    if not evidence.likelihoods:
        return graph
    index = {
        int(origin.index_by_number[number_of(variables, place)]): table
        for place, table in evidence.likelihoods.items()
    }
    return with_likelihoods(graph, {variable: index[variable] for variable in sorted(index)})


def _ground_evidence(variables: Variables, evidence: LiftedEvidence, origin: Origin) -> Evidence:
    """What was observed of PRVs and of individuals, by the indices of an origin."""
    of_prvs = [-1 if prv.observed is None else prv.observed for prv in variables.prvs]
    if not evidence and max(of_prvs, default=-1) < 0:
        return NO_EVIDENCE
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


def check_ground_bytes(
    variables: Variables, parfactors: Sequence[Parfactor], memory_limit: int
) -> None:
    """Refuse a model that needs more bytes than the limit to be ground; counts alone decide."""
    needed = ground_bytes(variables, parfactors)
    if needed > memory_limit:
        factors = sum(parfactor.size for parfactor in parfactors)
        raise beyond_limit(
            "the ground model needs",
            needed,
            memory_limit,
            f"it has {counted(variables.count, 'variable')} and {counted(factors, 'factor')}",
        )


def ground_bytes(variables: Variables, parfactors: Sequence[Parfactor]) -> int:
    """A bound on the bytes that grounding takes, the ground model included."""
    factors = sum(p.size * (_FACTOR_BYTES + _ARGUMENT_BYTES * arity(p)) for p in parfactors)
    given = given_potentials(parfactors, variables.origin)
    expanded = [p for index, p in enumerate(parfactors) if index not in given]
    tables = _PARFACTOR_BYTES * len(given) + sum(map(_table_bytes, expanded))
    return sum(prv.size * _variable_bytes(prv) for prv in variables.prvs) + factors + tables


def _variable_bytes(prv: PRV) -> int:
    letters = len(prv.name) + sum(_longest_name(logvar.domain) for logvar in prv.logvars)
    return _VARIABLE_BYTES + _LOGVAR_BYTES * len(prv.logvars) + _LETTER_BYTES * letters


def _table_bytes(parfactor: Parfactor) -> int:
    """Bytes of a table; the states of all counted arguments are listed at every entry."""
    counted = sum(a.number for a in parfactor.arguments if isinstance(a, CRV))
    return _PARFACTOR_BYTES + _ENTRY_BYTES * (1 + counted) * _ground_entries(parfactor)


def _longest_name(domain: Domain) -> int:
    return max(map(len, domain.individuals or (str(domain.size),)))


def _check_size(variables: Variables, parfactors: Sequence[Parfactor]) -> None:
    edges = sum(parfactor.size * arity(parfactor) for parfactor in parfactors)
    largest = max(map(_ground_entries, parfactors), default=0)
    widest = max(map(arity, parfactors), default=0)
    if max(edges, variables.count, largest) > GROUND_LIMIT or widest > MAX_ARGUMENTS:
        raise MemoryLimitError(
            f"the ground model would have {format_count(variables.count)} variables,"
            f" {format_count(edges)} edges and tables of up to {format_count(widest)} arguments;"
            f" expected at most {GROUND_LIMIT:,} of the former and {MAX_ARGUMENTS}"
            f" of the latter (and {GROUND_LIMIT:,} entries)"
        )


def _ground_entries(parfactor: Parfactor) -> int:
    return prod(
        len(argument.atom.prv.states) ** min(argument.number, GROUND_LIMIT.bit_length())
        if isinstance(argument, CRV)
        else argument.values
        for argument in parfactor.arguments
    )


def _own_origin(variables: Variables, parfactors: Sequence[Parfactor]) -> Origin:
    """The origin that lists everything as the model does, the scales of factors included."""
    arities = _arities(parfactors)
    index = {Fraction(1): 0}
    scale_id = np.zeros(len(arities), dtype=np.int32)
    start = 0
    for parfactor in parfactors:
        first = start
        for scale, times in parfactor.scales:
            scale_id[first : first + times] = index.setdefault(scale, len(index))
            first += times
        start += parfactor.size
    scope_ptr = pointers(arities)
    order = np.arange(scope_ptr[-1]) - np.repeat(scope_ptr[:-1], arities)
    return Origin(
        names=distinct_names(variables),
        variables=np.arange(variables.count),
        factors=np.arange(len(arities)),
        argument_order=order.astype(np.int8),
        scale_id=scale_id,
        scales=tuple(index),
        singled_out=NO_INDICES,
    )


def _arities(parfactors: Sequence[Parfactor]) -> Column:
    """The number of arguments of each factor, int64 (m,), parfactor after parfactor."""
    arities = np.array([*map(arity, parfactors)], dtype=np.int64)
    return np.repeat(arities, np.array([p.size for p in parfactors], dtype=np.int64))


def _in_given_order(
    variables: Variables, parfactors: Sequence[Parfactor], origin: Origin
) -> tuple[NDArray[np.int32], Column, NDArray[np.int32], tuple[Potential, ...]]:
    """Scopes, pointers and tables in the order of factors and arguments of the origin."""
    scope_ptr = pointers(_arities(parfactors)[origin.factors])
    scope = np.empty(scope_ptr[-1], dtype=np.int32)
    table_id = np.empty(len(origin.factors), dtype=np.int32)
    given_factor = inverse(origin.factors)
    ordered = OrderedTables(origin.scales)
    unexpanded = given_potentials(parfactors, origin)
    for index, first in unexpanded.items():
        _list_scopes(variables, parfactors[index], origin, scope_ptr, given_factor[first:], scope)
    for factors in instances(variables, parfactors, ordered.tables, unexpanded):
        given = given_factor[factors.factors]
        start = scope_ptr[given]
        places = [origin.argument_order[start + k] for k in range(len(factors.columns))]
        for place, column in zip(places, factors.columns, strict=True):
            scope[start + place] = origin.index_by_number[column]
        table_id[given] = ordered_tables(ordered, factors, origin.scale_id[given], places)
    for near_id, near in enumerate(origin.near):
        table_id[origin.near_id == near_id] = ordered.pool.add(near)
    return scope, scope_ptr, table_id, tuple(ordered.pool)


def _list_scopes(
    variables: Variables,
    parfactor: Parfactor,
    origin: Origin,
    scope_ptr: Column,
    given: NDArray[np.int32],
    scope: NDArray[np.int32],
) -> None:
    """Write down the scopes of a parfactor's factors, with all counted arguments at once.

    ``given``: the factors by the origin, from the parfactor's first on.
    """
    rows = origin.index_by_number[np.hstack([*argument_rows(variables, parfactor)])]
    start = scope_ptr[given[: len(rows)], None]
    scope[start + origin.argument_order[start + np.arange(rows.shape[1])]] = rows
