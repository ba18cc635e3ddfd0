"""The factor graph that a parametric factor graph stands for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby, pairwise
from math import prod

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import InputError, MemoryLimitError
from liftgraph.model.factor_graph import NO_INDICES, FactorGraph, pointers, scopes_by_arity
from liftgraph.model.histograms import histogram_index
from liftgraph.model.logvars import constrained
from liftgraph.model.names import States
from liftgraph.model.parfactor import CRV, PRV, Argument, Atom, Parfactor, argument_names
from liftgraph.model.parfactor_graph import Origin, ParfactorGraph
from liftgraph.model.substitutions import pattern, substitutions
from liftgraph.model.table import MAX_ARGUMENTS, Table, TablePool

_LIMIT = 2**27  # edges of a ground graph, and entries of a ground table
_Column = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Instances:
    """All factors, parfactor after parfactor, before the given graph's orders are restored.

    ``arity``: int64 (m,); ``scope``: int64 (e,), variables by number; ``table``: int64 (m,).
    ``label``: int8 (e,), the axes of each factor's table, the same for those that are counted
    together: permuting them changes nothing.
    """

    arity: _Column
    scope: _Column
    table: _Column
    label: NDArray[np.int8]


def ground(model: ParfactorGraph) -> FactorGraph:
    """The factor graph a model stands for, in the order and with the names of its origin.

    >>> from liftgraph import LogVar, prv, parfactor
    >>> P = LogVar("P", ["alice", "bob"])
    >>> model = ParfactorGraph.of([parfactor([prv("Sick", P), prv("Epid")], [3, 1, 1, 5])])
    >>> model.ground().names
    ('Sick.alice', 'Sick.bob', 'Epid')
    """
    _check_size(model)
    tables = TablePool()
    found = _instances(model, tables)
    state_sets: dict[States, int] = {}
    states = [state_sets.setdefault(each.states, len(state_sets)) for each in model.prvs]
    sizes = np.diff(model.variable_start)
    state_set_id = np.repeat(np.array(states, dtype=np.int32), sizes)
    no_state = [-1 if each.observed is None else each.observed for each in model.prvs]
    state = np.repeat(np.array(no_state, dtype=np.int32), sizes)
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
        tables=tuple(pool),
        observed=observed.astype(np.int32),
        observed_state=state[observed],
    )


def _check_size(model: ParfactorGraph) -> None:
    sizes = (after - before for before, after in pairwise(model.factor_start))
    edges = sum(n * arity(each) for n, each in zip(sizes, model.parfactors, strict=True))
    largest = max((_ground_entries(each) for each in model.parfactors), default=0)
    widest = max(map(arity, model.parfactors), default=0)
    if max(edges, model.variable_count) > _LIMIT or largest > _LIMIT or widest > MAX_ARGUMENTS:
        raise MemoryLimitError(
            f"the ground model would have {model.variable_count:,} variables, {edges:,} edges and"
            f" tables of up to {widest} arguments; expected at most {_LIMIT:,} of the former and"
            f" {MAX_ARGUMENTS} of the latter (and {_LIMIT:,} entries)"
        )


def arity(given: Parfactor) -> int:
    """How many arguments each of a parfactor's factors has."""
    return sum(each.number if isinstance(each, CRV) else 1 for each in given.arguments)


def _ground_entries(given: Parfactor) -> int:
    return prod(
        len(each.atom.prv.states) ** min(each.number, _LIMIT.bit_length())
        if isinstance(each, CRV)
        else each.values
        for each in given.arguments
    )


def _names(model: ParfactorGraph) -> Iterator[str]:
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


def _instances(model: ParfactorGraph, tables: TablePool) -> _Instances:
    number = {each.name: place for place, each in enumerate(model.prvs)}
    parts = []
    for lifted, run in groupby(model.parfactors, lambda each: bool(each.logvars or each.counted)):
        if lifted:
            parts += [_of_parfactor(model, number, tables, each) for each in run]
        else:
            parts.append(_of_factors(model, number, tables, run))
    none = np.empty(0, dtype=np.int64)
    return _Instances(
        np.concatenate([none, *(each.arity for each in parts)]),
        np.concatenate([none, *(each.scope for each in parts)]),
        np.concatenate([none, *(each.table for each in parts)]),
        np.concatenate([none.astype(np.int8), *(each.label for each in parts)]),
    )


def _of_parfactor(
    model: ParfactorGraph, number: dict[str, int], tables: TablePool, given: Parfactor
) -> _Instances:
    size = given.size
    columns = list(_arguments(model, number, given, size))
    rows = np.array(columns, dtype=np.int64).reshape(len(columns), size).T
    label = np.array(list(_labels(given.arguments)), dtype=np.int8)
    table = tables.add(ground_table(given))
    arities = np.full(size, rows.shape[1])
    return _Instances(arities, rows.ravel(), np.full(size, table), np.tile(label, size))


def _of_factors(
    model: ParfactorGraph, number: dict[str, int], tables: TablePool, factors: Iterable[Parfactor]
) -> _Instances:
    """Parfactors without logvars, many at once: a model may have little else."""
    start, arities, scope, ids = model.variable_start, [], [], []
    label: list[int] = []
    for given in factors:
        scope += [start[number[name]] for name in argument_names(given.arguments)]
        arities.append(len(given.arguments))
        label += range(len(given.arguments))
        ids.append(tables.add(given.table))
    arity, variables, table = (np.array(each, dtype=np.int64) for each in (arities, scope, ids))
    return _Instances(arity, variables, table, np.array(label, dtype=np.int8))


def _labels(arguments: Sequence[Argument]) -> Iterator[int]:
    place = 0
    for each in arguments:
        for _ in range(each.number if isinstance(each, CRV) else 1):
            yield place
        place += each.number if isinstance(each, CRV) else 1


def _arguments(
    model: ParfactorGraph, number: dict[str, int], given: Parfactor, size: int
) -> Iterator[_Column]:
    """The variables at each place of a parfactor's factors, int64 (size,) each."""
    free = dict(zip(given.logvars, substitutions(given.pattern), strict=True))
    for each in given.arguments:
        atom = each.atom if isinstance(each, CRV) else each
        place = number[atom.prv.name]
        start = model.variable_start[place]
        if isinstance(each, Atom):
            columns = _sorted_sets(atom.prv, [free[logvar] for logvar in each.logvars])
            found = model.numbering(place).numbers(columns) + start
            yield np.broadcast_to(found, (size,))
        else:
            all_logvars = (*given.logvars, *each.counted)
            about = [c for c in given.constraints if set(constrained(c)) <= set(all_logvars)]
            joint = substitutions(pattern(all_logvars, about))
            known = dict(zip(all_logvars, joint, strict=True))
            columns = _sorted_sets(atom.prv, [known[logvar] for logvar in atom.logvars])
            rows = (model.numbering(place).numbers(columns) + start).reshape(-1, each.number)
            yield from rows.T


def _sorted_sets(prv: PRV, columns: list[_Column]) -> list[_Column]:
    """The individuals of a PRV, with those in an unordered set increasing."""
    for places in prv.pattern.unordered:
        listed = np.sort(np.stack([columns[place] for place in places]), axis=0)
        for place, column in zip(places, listed, strict=True):
            columns[place] = column
    return columns


def ground_table(given: Parfactor) -> Table:
    """The table of each of a parfactor's factors: histograms become states of all counted."""
    integers = given.table.integers
    axis = 0
    for each in given.arguments:
        if isinstance(each, CRV):
            index = histogram_index(each.number, len(each.atom.prv.states))
            integers = np.take(integers, index, axis=axis)
        axis += each.number if isinstance(each, CRV) else 1
    return Table(integers, given.table.scale, given.table.measured)


def _own_origin(model: ParfactorGraph, found: _Instances) -> Origin:
    """Everything in the order of the model itself; so are the scales of a parfactor's factors."""
    names = tuple(_names(model))
    if len(set(names)) < len(names):
        twice = next(name for name, times in Counter(names).items() if times > 1)
        raise InputError(f"expected different names for all variables, got {twice} twice")
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
    origin: Origin, found: _Instances, tables: TablePool
) -> tuple[_Column, _Column, _Column, Sequence[Table]]:
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
    pool = TablePool()
    table_id = np.empty(len(table), dtype=np.int64)
    for factors, rows in scopes_by_arity(scope_ptr, label.astype(np.int32)):
        for members in _equal_rows(np.column_stack([table[factors], rows])):
            first = factors[members[0]]
            which, scale = divmod(int(table[first]), len(origin.scales))
            axes = _axes(label[scope_ptr[first] : scope_ptr[first + 1]].tolist())
            base = tables[which]
            made = Table(
                base.integers.transpose(axes), base.scale * origin.scales[scale], base.measured
            )
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
