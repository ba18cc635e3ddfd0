"""BLOG files that name individuals in parfactors: ground as they are written, then lifted again.

A lifted parfactor is about all individuals of its logvars. So the factors of such a file are listed
one by one, and whatever nothing tells apart is one PRV again afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, permutations
from math import prod

import numpy as np
from numpy.typing import NDArray

from liftgraph.display import format_count
from liftgraph.errors import InputError, ParseError
from liftgraph.exact import shortened
from liftgraph.io.allowance import Allowance
from liftgraph.io.blog.declarations import Declarations
from liftgraph.io.blog.parfactors import ListedArgument, ListedParfactor, table_of
from liftgraph.model.ground.builder import FactorGraphBuilder
from liftgraph.model.ground.count_potential import CountPotential
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.table import Potential, Table
from liftgraph.model.lifted.histograms import histogram_count, histograms
from liftgraph.model.lifted.logvars import Constraint, LogVar, Unordered, constrained
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.model.lifted.variables import Variables, distinct_names, number_of
from liftgraph.symmetry.lifting.lift import lift

Column = NDArray[np.int64]
_VARIABLE_COST = 600
_CELL_COST = 60  # of an individual or a variable in the list of all factors
_MOST_ENTRIES = 1 << 20  # of a ground table


@dataclass(frozen=True, slots=True)
class _Rows:
    """Substitutions of some logvars: the individual of each, by number, int64 (rows,)."""

    columns: dict[LogVar, Column]
    count: int

    def take(self, chosen: NDArray[np.bool_]) -> _Rows:
        kept = {logvar: column[chosen] for logvar, column in self.columns.items()}
        return _Rows(kept, int(chosen.sum()))


def lifted_again(declared: Declarations, allowance: Allowance) -> ParfactorGraph:
    """The model of a file whose parfactors name individuals."""
    variables = Variables(tuple(declared.prvs.values()))
    what = f"it has {format_count(variables.count)} variables"
    allowance.take(_VARIABLE_COST * variables.count, what)
    graph = _graph(declared, variables, allowance)
    model = lift(graph, memory_limit=allowance.limit)
    places = {prv.name: index for index, prv in enumerate(variables.prvs)}
    return model.given(
        {
            number_of(variables, (places[name], individuals)): declared.prvs[name].states[state]
            for (name, individuals), state in declared.observed.items()
        }
    )


def _graph(declared: Declarations, variables: Variables, allowance: Allowance) -> FactorGraph:
    """The ground model, in which only whole PRVs are observed."""
    builder = FactorGraphBuilder()
    names = distinct_names(variables)
    observed: dict[int, int] = {}
    for prv, (start, end) in zip(variables.prvs, pairwise(variables.start), strict=True):
        builder.add_variables(names[start:end], prv.states)
        if prv.observed is not None:
            observed |= dict.fromkeys(range(start, end), prv.observed)
    for listed in declared.listed:
        try:
            scopes, potential = _factors(listed, variables, allowance)
            _refuse_equal(scopes, names)
        except InputError as error:
            if isinstance(error, ParseError):
                raise
            raise ParseError(allowance.path, listed.line, str(error)) from None
        if len(scopes):
            builder.add_factors(scopes, potential)
    return builder.build().observing(observed)


def _refuse_equal(scopes: Column, names: tuple[str, ...]) -> None:
    """Refuse factors that have a variable as two of their arguments."""
    ordered = np.sort(scopes, axis=1)
    again = np.argwhere(ordered[:, 1:] == ordered[:, :-1])
    if len(again):
        name = shortened(names[ordered[tuple(again[0])]])
        raise InputError(f"expected different variables as arguments, got {name} twice")


def _factors(
    listed: ListedParfactor, variables: Variables, allowance: Allowance
) -> tuple[Column, Potential]:
    """The variables of each factor, int64 (factors, arguments), and the potential of all."""
    if any(isinstance(constraint, Unordered) for constraint in _constraints(listed)):
        raise InputError("expected no unordered sets (<) in a file that names individuals")
    for argument in listed.arguments:
        _check_terms(argument)
    free = _rows(listed, listed.logvars, allowance)
    blocks = [_block(listed, argument, free, variables, allowance) for argument in listed.arguments]
    shape = tuple(
        histogram_count(block.shape[1], len(argument.prv.states))
        if argument.counted
        else len(argument.prv.states)
        for argument, block in zip(listed.arguments, blocks, strict=True)
    )
    table = table_of(listed, shape)
    counted = [axis for axis, argument in enumerate(listed.arguments) if argument.counted]
    if len(counted) == 1 and len(listed.arguments[counted[0]].prv.states) == 2:
        first = counted[0]
        addends = ((1, 0),) * blocks[first].shape[1]
        weights = Table(np.ascontiguousarray(np.moveaxis(table.integers, first, 0)), table.scale)
        blocks = [blocks[first], *blocks[:first], *blocks[first + 1 :]]
        return _joined(blocks, free.count), CountPotential(addends, weights)
    widths = [block.shape[1] for block in blocks]
    return _joined(blocks, free.count), _expanded(listed, table, widths) if counted else table


def _constraints(listed: ListedParfactor) -> Iterator[Constraint]:
    yield from listed.where.constraints
    for argument in listed.arguments:
        yield from argument.prv.constraints


def _check_terms(argument: ListedArgument) -> None:
    """Refuse logvars over other domains than those of the PRV, or too few of them."""
    name, expected = argument.prv.name, argument.prv.logvars
    if len(argument.terms) != len(expected):
        problem = f"expected {len(expected)} logvars or individuals, got {len(argument.terms)}"
        raise InputError(f"{shortened(name)}: {problem}")
    for term, logvar in zip(argument.terms, expected, strict=True):
        if isinstance(term, LogVar) and term.domain != logvar.domain:
            raise InputError(f"{shortened(name)}: expected logvars over its domains, got {term!r}")
    if not set(argument.counted) <= set(argument.terms):
        raise InputError(f"{shortened(name)}: expected to count over some of its logvars")


def _rows(listed: ListedParfactor, logvars: tuple[LogVar, ...], allowance: Allowance) -> _Rows:
    """All substitutions of logvars that the constraints on them alone allow."""
    excluded = {logvar: listed.where.excluded.get(logvar, set()) for logvar in logvars}
    sizes = [logvar.size - len(excluded[logvar]) for logvar in logvars]
    count = prod(sizes)
    cells = count * (1 + len(logvars) + len(listed.arguments)) + sum(v.size for v in logvars)
    what = f"a parfactor has {format_count(count)} substitutions"
    allowance.take(_CELL_COST * cells, what, listed.line)
    allowed = [
        np.setdiff1d(np.arange(logvar.size), [*excluded[logvar]], assume_unique=True)
        for logvar in logvars
    ]
    columns = [column.ravel() for column in np.meshgrid(*allowed, indexing="ij")]
    rows = _Rows(dict(zip(logvars, columns, strict=True)), count)
    for constraint in listed.where.constraints:
        if {*constrained(constraint)} <= {*logvars}:
            first, second = (rows.columns[logvar] for logvar in constrained(constraint))
            rows = rows.take(first != second)
    return rows


def _block(
    listed: ListedParfactor,
    argument: ListedArgument,
    free: _Rows,
    variables: Variables,
    allowance: Allowance,
) -> Column:
    """The variables that an argument is about, int64 (factors, variables)."""
    counted = _Rows({}, 1)
    chosen = np.zeros((free.count, 1), dtype=np.int64)
    if argument.counted:
        counted = _rows(listed, argument.counted, allowance)
        cells = counted.count * (free.count + 1)
        what = f"{format_count(counted.count)} variables are counted in each factor"
        allowance.take(_CELL_COST * cells, what, listed.line)
        chosen = _chosen(listed, argument, free, counted)
    columns = []
    for term in argument.terms:
        if isinstance(term, int):
            column = np.full(chosen.shape, term)
        elif term in counted.columns:
            column = counted.columns[term][chosen]
        else:
            column = np.broadcast_to(free.columns[term][:, None], chosen.shape)
        columns.append(column.ravel())
    prv = variables.prv_index[argument.prv.name]
    pattern = variables.pattern(prv)
    if any((columns[first] == columns[second]).any() for first, second in pattern.different):
        name = shortened(argument.prv.name)
        raise InputError(f"{name}: expected individuals that differ, as it was declared")
    if not columns:
        return chosen + variables.start[prv]
    return (variables.numbering(prv).numbers(columns) + variables.start[prv]).reshape(chosen.shape)


def _chosen(
    listed: ListedParfactor, argument: ListedArgument, free: _Rows, counted: _Rows
) -> Column:
    """Which rows of the counted logvars each factor counts, int64 (factors, number)."""
    allowed = np.ones((free.count, counted.count), dtype=np.bool_)
    for constraint in listed.where.constraints:
        for logvar, other in permutations(constrained(constraint)):
            if logvar not in counted.columns or other in counted.columns:
                continue
            if other not in free.columns:
                name = shortened(argument.prv.name)
                raise InputError(f"expected #[{name}] to count on its own, got another count")
            allowed &= counted.columns[logvar] != free.columns[other][:, None]
    numbers = np.unique(allowed.sum(axis=1)) if free.count else np.array([counted.count])
    if len(numbers) > 1 or numbers[0] == 0:
        came = " and ".join(map(str, numbers.tolist()[:2]))
        problem = f"expected to count the same number for all individuals, got {came}"
        raise InputError(f"{shortened(argument.prv.name)}: {problem}")
    return np.nonzero(allowed)[1].reshape(free.count, int(numbers[0]))


def _joined(blocks: list[Column], factors: int) -> Column:
    return np.hstack([np.empty((factors, 0), dtype=np.int64), *blocks])


def _expanded(listed: ListedParfactor, table: Table, widths: list[int]) -> Table:
    """The table over the single variables that histograms count. ``widths``: how many they are."""
    states = [len(argument.prv.states) for argument in listed.arguments]
    ground_shape = [states[axis] for axis, width in enumerate(widths) for _ in range(width)]
    entries = prod(states[axis] ** min(width, 64) for axis, width in enumerate(widths))
    if entries > _MOST_ENTRIES:
        expected = f"a table of at most {_MOST_ENTRIES:,} entries beside individuals by name"
        raise InputError(f"expected {expected}, got {format_count(entries)}")
    index = []
    place = np.indices(ground_shape).reshape(len(ground_shape), -1)
    start = 0
    for axis, argument in enumerate(listed.arguments):
        members = place[start : start + widths[axis]]
        start += widths[axis]
        index.append(_histogram_index(members, states[axis]) if argument.counted else members[0])
    return Table(table.integers[tuple(index)].reshape(ground_shape), table.scale)


def _histogram_index(members: Column, states: int) -> Column:
    """Which histogram the states of counted variables have, for each column of them."""
    rows = histograms(len(members), states)
    numbers = {tuple(row): number for number, row in enumerate(rows.tolist())}
    counts = np.stack([(members == state).sum(axis=0) for state in range(states)], axis=1)
    return np.array([numbers[tuple(row)] for row in counts.tolist()], dtype=np.int64)
