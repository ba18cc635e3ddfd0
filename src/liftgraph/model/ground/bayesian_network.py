"""Bayesian networks among factor graphs: the factor that is the distribution of each variable.

A factor graph has no arrows. It is a Bayesian network if each factor is the distribution of one of
its arguments given the others, and parents come before their children in some order. It is then
a network in one way only: a variable without children has no factor but its own distribution;
remove it, and the same holds for the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from heapq import heappop, heappush
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from liftgraph.cache import Memo
from liftgraph.display import counted
from liftgraph.errors import InputError
from liftgraph.exact import digit_count, shown
from liftgraph.model.ground.evidence import NO_EVIDENCE
from liftgraph.model.ground.graph_protocol import Graph
from liftgraph.model.ground.noisy_max import NoisyMax
from liftgraph.model.ground.table import Potential, Table, UnknownDistribution, integer_array

ROUNDING = Fraction(1, 100)  # how far from one the sum of numbers that were rounded may be
FLOATS = Fraction(1, 10**12)  # the same for floats that were normalised, or are compared
SINGLE = Fraction(1, 10**6)  # the same for floats of 32 bits
_DIGITS = 30  # of quotients
_TRIED = 100  # the most tables that are looked at for the sake of a message
_WITHOUT: Memo[None, Graph] = Memo("graph without likelihoods", most=1)
_OWN_FACTORS: Memo[None, NDArray[np.int64]] = Memo("own factors", most=1)


def own_factors(graph: Graph) -> NDArray[np.int64]:
    """The factor that is each variable's distribution given its parents, int64 (n,).

    Raises an error that says why if the graph is not a Bayesian network. Sums must be exactly one;
    those of tables that were given as floats, up to 1e-12.
    """
    return _OWN_FACTORS.get(graph.cache, None, lambda: _own_factors(graph))


def _own_factors(graph: Graph) -> NDArray[np.int64]:
    if graph.factor_count != graph.variable_count:
        raise _wrong_number(graph)
    is_own = _conditional_factors(graph)
    scopes = np.split(graph.scope, graph.scope_ptr[1:-1]) if graph.factor_count else []
    degree = np.bincount(graph.scope, minlength=graph.variable_count).tolist()
    total = _sums_of_factors(graph)  # if a variable has one factor left, this is the one
    factor_of = np.full(graph.variable_count, -1, dtype=np.int64)
    leaves = [variable for variable, factors in enumerate(degree) if factors <= 1]
    while leaves:
        variable = leaves.pop()
        if factor_of[variable] >= 0:
            continue
        factor = total[variable]
        if degree[variable] == 0 or not is_own(variable, factor):
            raise _no_distribution(graph, variable)
        factor_of[variable] = factor
        for neighbour in scopes[factor].tolist():
            degree[neighbour] -= 1
            total[neighbour] -= factor
            if degree[neighbour] <= 1:
                leaves.append(neighbour)
    _check_acyclic(graph, factor_of)
    factor_of.flags.writeable = False
    return factor_of


def lacks_tables(graph: Graph) -> bool:
    """Whether some distributions of a graph are not known.

    >>> from liftgraph import FactorGraphBuilder
    >>> builder = FactorGraphBuilder()
    >>> _ = builder.add_variables(["Fire", "Alarm"])
    >>> _ = builder.add_distribution("Fire", []), builder.add_distribution("Alarm", ["Fire"])
    >>> graph = builder.build()
    >>> lacks_tables(graph), graph.markov_blanket("Fire")
    (True, ('Alarm',))
    """
    return any(isinstance(potential, UnknownDistribution) for potential in graph.potentials)


def without_likelihoods(graph: Graph) -> Graph:
    """A graph without the likelihoods that were given, which are evidence and no mechanisms. If it
    has any, the other evidence is left out, too: the result is shared."""
    if not graph.likelihood_count:
        return graph
    return _WITHOUT.get(graph.cache, None, lambda: _without_likelihoods(graph))


def _without_likelihoods(graph: Graph) -> Graph:
    kept = graph.factor_count - graph.likelihood_count
    bare: Graph = replace(
        cast(Any, graph),
        scope_ptr=graph.scope_ptr[: kept + 1],
        scope=graph.scope[: graph.scope_ptr[kept]],
        table_id=graph.table_id[:kept],
        evidence=NO_EVIDENCE,
        likelihood_count=0,
    )
    return bare


def conditional_table(graph: Graph, variable: int, factor: int) -> tuple[tuple[int, ...], Table]:
    """The parents of a variable, and its distribution given them with the variable as last axis.

    Precondition: the factor is its own.
    """
    scope, table = graph.scope_of(factor), graph.potentials[graph.table_id[factor]].table()
    axis = scope.index(variable)
    integers = np.ascontiguousarray(np.moveaxis(table.integers, axis, -1))
    return scope[:axis] + scope[axis + 1 :], Table(integers, table.scale, table.measured)


def network_arrows(graph: Graph) -> Iterator[tuple[int, int]]:
    """The parents and children of a network, in the order of the children."""
    for child, factor in enumerate(own_factors(without_likelihoods(graph)).tolist()):
        yield from ((parent, child) for parent in graph.scope_of(factor) if parent != child)


def parents_first(graph: Graph) -> list[int]:
    """The variables of a network, parents before their children, otherwise by index."""
    waiting_for = [0] * graph.variable_count
    children: list[list[int]] = [[] for _ in waiting_for]
    for parent, child in network_arrows(graph):
        waiting_for[child] += 1
        children[parent].append(child)
    ready = [variable for variable, parents in enumerate(waiting_for) if not parents]
    order = []
    while ready:
        order.append(heappop(ready))
        for child in children[order[-1]]:
            waiting_for[child] -= 1
            if not waiting_for[child]:
                heappush(ready, child)
    return order


def _sums_of_factors(graph: Graph) -> list[int]:
    factors = np.repeat(np.arange(graph.factor_count), np.diff(graph.scope_ptr))
    total = np.zeros(graph.variable_count, dtype=np.int64)
    np.add.at(total, graph.scope, factors)
    sums: list[int] = total.tolist()
    return sums


def _conditional_factors(graph: Graph) -> Callable[[int, int], bool]:
    """A test of whether a factor is a distribution of one of its arguments given the others."""

    @cache
    def conditional(table: int, axis: int) -> bool:
        return is_distribution(graph.potentials[table], axis)

    def is_own(variable: int, factor: int) -> bool:
        start, end = graph.scope_ptr[factor : factor + 2]
        axis = graph.scope[start:end].tolist().index(variable)
        return conditional(int(graph.table_id[factor]), axis)

    return is_own


def _wrong_number(graph: Graph) -> InputError:
    """The error for too many or too few factors, naming one that shows it, if one does: a variable
    that no factor has, or several have alone, or a factor that is no distribution."""
    factors = counted(graph.factor_count, "factor")
    came = f"got {factors} for {counted(graph.variable_count, 'variable')}"
    degree = np.bincount(graph.scope, minlength=graph.variable_count)
    starts, arity = graph.scope_ptr[:-1], np.diff(graph.scope_ptr)
    alone = np.bincount(graph.scope[starts[arity == 1]], minlength=graph.variable_count)
    if (degree == 0).any():
        came += f" and none for {graph.name(int(np.argmin(degree)))}"
    elif (alone > 1).any():
        several = int(np.argmax(alone > 1))
        came += f" and {alone[several]} for {graph.name(several)} alone"
    elif (factor := _no_distribution_of_any(graph)) is not None:
        came += f" and φ{factor + 1}, which sums to 1 over none of its variables"
    return _no_network(f"expected one factor for each variable, {came}")


def _no_distribution_of_any(graph: Graph) -> int | None:
    """The first factor whose table sums to one over none of its arguments; few tables are tried."""
    for index in np.unique(graph.table_id)[:_TRIED].tolist():
        table = graph.potentials[index]
        axes = range(len(table.shape)) if isinstance(table, Table) else ()
        if axes and not any(is_conditional(table.table(), axis) for axis in axes):
            return int(np.argmax(graph.table_id == index))
    return None


def _check_acyclic(graph: Graph, factor_of: NDArray[np.int64]) -> None:
    missing = np.flatnonzero(factor_of < 0)
    if len(missing):
        name = graph.name(int(missing[0]))
        raise _no_network(f"expected parents to come before their children, got a cycle at {name}")


def _no_distribution(graph: Graph, variable: int) -> InputError:
    expected = f"expected a distribution of {graph.name(variable)} given its parents"
    return _no_network(f"{expected}, got no factor that sums to 1 over its states")


def _no_network(problem: str) -> InputError:
    return InputError(f"this is not a Bayesian network: {problem}")


def is_distribution(potential: Potential, axis: int) -> bool:
    """Whether a potential's sums over one argument are all one."""
    if isinstance(potential, UnknownDistribution):  # whose argument is the last one
        return axis == len(potential.shape) - 1
    if isinstance(potential, NoisyMax) and axis == len(potential.causes):
        parts = [(potential.leak, 0), *((cause, 1) for cause in potential.shared.distinct)]
        if all(is_conditional(part, axis) for part, axis in parts):
            return True  # a sum over its effects is a product of theirs: no table is needed
    return is_conditional(potential.table(), axis)


def is_conditional(table: Table, axis: int) -> bool:
    """Whether a table's sums over one argument are all one.

    >>> is_conditional(Table.of([["0.1", "0.5"], ["0.9", "0.5"]]), 0)
    True
    """
    if not table.measured:
        ones = _sums(table, axis) == 1 / table.scale
        return bool(np.all(ones))
    return all(abs(total - 1) <= FLOATS for total in _distinct_sums(table, axis))


def _sums(table: Table, axis: int) -> NDArray[Any]:
    integers = table.integers
    if integers.dtype != object and int(integers.max()) * integers.shape[axis] >= 2**63:
        integers = integers.astype(object)
    return np.asarray(integers.sum(axis=axis))


def _distinct_sums(table: Table, axis: int) -> set[Fraction]:
    return {total * table.scale for total in set(_sums(table, axis).ravel().tolist())}


def wrong_sums(table: Table, axis: int, rounding: Fraction | None = ROUNDING) -> list[Fraction]:
    """The sums over one argument that differ from one by more than rounding, the smallest first.

    ``rounding``: None if any sum will do but zero.

    >>> wrong_sums(Table.of([["0.1", "0.5"], ["0.9", "0.6"]]), 0)
    [Fraction(11, 10)]
    """
    sums = _distinct_sums(table, axis)
    if rounding is None:
        return [total for total in sums if total == 0]
    return sorted(total for total in sums if abs(total - 1) > rounding)


def normalised(table: Table, axis: int, rounding: Fraction | None = ROUNDING) -> Table:
    """The conditional distribution of one argument given the others that a table stands for.

    Numbers that sum to one stay as they are. Files also have others, such as 0.333 three times:
    these are divided by their sum, to 30 digits below the smallest of them, and the largest gets
    the remainder. So the sum is one, and numbers with a finite decimal form still have one.
    A sum that differs from one by more than ``rounding`` is an error (None: a sum of zero only).

    >>> normalised(Table.of(["0.333", "0.333", "0.333"]), 0).potential((1,)).limit_denominator(99)
    Fraction(1, 3)
    """
    if wrong := wrong_sums(table, axis, rounding):
        raise InputError(f"expected probabilities that sum to 1, got a sum of {shown(wrong[0])}")
    if is_conditional(table, axis):
        return table
    rows = np.moveaxis(table.integers, axis, -1).astype(object)
    numerators, denominator = _divided_by_sums(rows, table.scale)
    return table_of_numerators(np.moveaxis(numerators, -1, axis), denominator, table.measured)


def checked_distribution(table: Table, names: Callable[[tuple[int, ...]], str]) -> Table:
    """The distribution of the last argument given the others that a table is meant to be.

    Rows of exact numbers must sum to one exactly. Those of floats may be off by what floats of 32
    bits are; they are then divided by their sum. ``names``: of a row, by the states of the others.

    >>> checked_distribution(Table.of([["0.9", "0.1"], [1, 1]]), "row {}".format)
    Traceback (most recent call last):
    liftgraph.errors.InputError: expected probabilities that sum to 1 for row (1,), got a sum of 2
    """
    rounding = SINGLE if table.measured else Fraction(0)
    sums = _sums(table, -1)
    wrong = [
        total for total in set(sums.ravel().tolist()) if abs(total * table.scale - 1) > rounding
    ]
    if not wrong:
        return normalised(table, table.integers.ndim - 1, SINGLE)
    place = tuple(np.argwhere(np.isin(sums, wrong))[0].tolist())
    total = sums[place] * table.scale
    came = f"{float(total):.12g}" if table.measured else shown(Fraction(total))
    row = f" for {names(place)}" if place else ""
    raise InputError(f"expected probabilities that sum to 1{row}, got a sum of {came}")


def _divided_by_sums(rows: NDArray[Any], scale: Fraction) -> tuple[NDArray[Any], int]:
    """Numerators of rows that sum to their denominator; rows that already did are kept."""
    sums = rows.sum(axis=-1, keepdims=True)
    unit = 10 ** (_DIGITS + digit_count(int(np.max(sums))))
    quotients = rows * unit // sums
    first_largest = rows.argmax(axis=-1)[..., None]
    rest = unit - quotients.sum(axis=-1, keepdims=True)
    taken = np.take_along_axis(quotients, first_largest, -1) + rest
    np.put_along_axis(quotients, first_largest, taken, -1)
    kept = rows * (unit * scale.numerator)
    exact = sums * scale.numerator == scale.denominator
    return np.where(exact, kept, quotients * scale.denominator), unit * scale.denominator


def table_of_numerators(numerators: NDArray[Any], denominator: int, measured: bool) -> Table:
    """The table of fractions with a common denominator."""
    divisor = int(np.gcd.reduce(numerators, axis=None))
    integers = integer_array((numerators // divisor).ravel().tolist(), numerators.shape)
    return Table(integers, Fraction(divisor, denominator), measured)
