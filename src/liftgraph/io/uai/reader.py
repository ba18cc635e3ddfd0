"""Reading UAI models in whole-array operations; errors name the number that is wrong."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from liftgraph.display import counted
from liftgraph.errors import ParseError
from liftgraph.exact import shown
from liftgraph.io.allowance import STATE_COST, Allowance
from liftgraph.io.decimal_tables import NumeralRows, make_tables
from liftgraph.io.files import END
from liftgraph.io.number_file import NumberFile, read_number_file
from liftgraph.model.ground.bayesian_network import wrong_sums
from liftgraph.model.ground.checks import check_scopes
from liftgraph.model.ground.factor_graph import FactorGraph, pointers, scopes_by_arity
from liftgraph.model.ground.names import MAX_STATES
from liftgraph.model.ground.table import MAX_ARGUMENTS, Table
from liftgraph.model.memory_limit import MEMORY_LIMIT

Integers = NDArray[np.int64]


def read(path: Path | str, *, memory_limit: int = MEMORY_LIMIT) -> FactorGraph:
    """Read a MARKOV or BAYES model; its variables and states are called by their indices."""
    allowance = Allowance(str(path), memory_limit)
    numbers = read_number_file(path, allowance, first_words=("MARKOV", "BAYES"))
    cardinalities = _read_cardinalities(numbers)
    scope_ptr, scope, position = _read_scopes(numbers, len(cardinalities))
    sizes, state_set_id = np.unique(cardinalities, return_inverse=True)
    allowance.take(STATE_COST * int(sizes.sum()), f"variables have {sizes.max(initial=0):,} states")
    tables, table_id = _read_tables(numbers, position, scope_ptr, state_set_id[scope], sizes)
    return FactorGraph(
        state_sets=tuple(tuple(map(str, range(size))) for size in sizes.tolist()),
        state_set_id=state_set_id.astype(np.int32),
        names=None,
        scope_ptr=scope_ptr,
        scope=scope,
        table_id=table_id,
        potentials=tables,
    )


def _read_cardinalities(numbers: NumberFile) -> Integers:
    """The number of states of each variable."""
    count = numbers.integer(0, "the number of variables")
    cardinalities = numbers.integers(slice(1, 1 + count))
    wrong = np.flatnonzero((cardinalities < 1) | (cardinalities > MAX_STATES))
    variable = int(wrong[0]) if len(wrong) else len(cardinalities)
    if variable < count:
        raise numbers.unexpected(1 + variable, f"the number of states of variable {variable}")
    return cardinalities


def _read_scopes(numbers: NumberFile, variables: int) -> tuple[Integers, NDArray[np.int32], int]:
    """Pointers into the scopes, all scopes in a row, and where the tables start."""
    first = 1 + variables
    factors = numbers.integer(first, "the number of factors")
    starts, end = _scope_starts(numbers, first + 1, factors)
    argument = np.ones(end - first - 1, dtype=bool)
    argument[starts - first - 1] = False
    places = first + 1 + np.flatnonzero(argument)
    scope = numbers.integers(places)
    wrong = np.flatnonzero((scope < 0) | (scope >= variables))
    if len(wrong):
        place = int(places[wrong[0]])
        factor = int(np.searchsorted(starts, place)) - 1
        raise numbers.unexpected(place, f"a variable below {variables} for factor {factor}")
    scope_ptr = pointers(numbers.integers(starts))
    narrow = scope.astype(np.int32)
    _check_distinct(numbers, starts, scope_ptr, narrow, variables)
    return scope_ptr, narrow, end


def _scope_starts(numbers: NumberFile, position: int, factors: int) -> tuple[Integers, int]:
    """Where each scope starts, with its number of arguments, and where the last one ends."""
    starts, end = _walk(numbers.numerals.mantissa, position, factors)
    arity = numbers.integers(starts)
    wrong = np.flatnonzero((arity < 0) | (arity > MAX_ARGUMENTS))
    if len(wrong):
        expected = f"the number of arguments of factor {wrong[0]} (at most {MAX_ARGUMENTS})"
        raise numbers.unexpected(int(starts[wrong[0]]), expected)
    if len(starts) < factors or end > numbers.count:
        raise numbers.unexpected(numbers.count, f"the scopes of {factors} factors")
    return starts, end


def _walk(arity: Integers, position: int, factors: int) -> tuple[Integers, int]:
    """Step from scope to scope over their arguments, as long as there are numbers."""
    step = 1 + int(arity[position]) if position < len(arity) else 0
    if step and position + step * factors <= len(arity):
        equal = np.arange(position, position + step * factors, step)
        if (arity[equal] == step - 1).all():
            return equal, position + step * factors
    sizes = arity.tolist()
    starts: list[int] = []
    with suppress(IndexError):
        for _ in range(factors):
            size = sizes[position]
            starts.append(position)
            if size < 0:
                break
            position += 1 + size
    return np.array(starts, dtype=np.int64), position


def _check_distinct(
    numbers: NumberFile,
    starts: Integers,
    scope_ptr: Integers,
    scope: NDArray[np.int32],
    variables: int,
) -> None:
    for factors, scopes in scopes_by_arity(scope_ptr, scope):

        def failure(row: int, problem: str, factors: Integers = factors) -> ParseError:
            factor = int(factors[row])
            return numbers.error(int(starts[factor]), f"factor {factor}: {problem}")

        check_scopes(scopes, variables, failure)


def _read_tables(
    numbers: NumberFile, position: int, scope_ptr: Integers, state_sets: Integers, sizes: Integers
) -> tuple[Sequence[Table], NDArray[np.int32]]:
    """The distinct tables, and the index of each factor's table.

    The file has the number of values of each table, then the values. Argument i of all scopes in a
    row has ``sizes[state_sets[i]]`` states.
    """
    states = sizes[state_sets]
    lengths = _table_lengths(states, scope_ptr, numbers.count)
    counts = position + np.cumsum(1 + lengths) - 1 - lengths
    wrong, end = _first_wrong(numbers, position, counts, lengths)
    if wrong is not None:
        length = math.prod(states[scope_ptr[wrong] : scope_ptr[wrong + 1]].tolist())
        raise _count_error(numbers, wrong, int(counts[wrong]), length)
    if end < numbers.count:
        raise numbers.unexpected(end, END)
    shapes, shape_ids = _shapes(scope_ptr, state_sets.astype(np.int32), sizes)
    rows = NumeralRows(shapes, shape_ids, counts + 1)
    tables, table_id = make_tables(rows, numbers.numerals, numbers.error)
    if numbers.text.token(0) == "BAYES":
        _check_distributions(numbers, rows, tables, table_id)
    return tables, table_id


def _check_distributions(
    numbers: NumberFile, rows: NumeralRows, tables: Sequence[Table], table_id: NDArray[np.int32]
) -> None:
    """Refuse tables of a BAYES model that are not distributions of their last variable.

    Some programs do not write the numbers in the order that the format demands (pgmpy 1.1.2
    reverses it). In a MARKOV model this cannot be detected.
    """
    for factor in np.sort(np.unique(table_id, return_index=True)[1]).tolist():
        table = tables[table_id[factor]]
        wrong = wrong_sums(table, -1) if table.shape else []
        if wrong:
            expected = "expected probabilities of its last variable that sum to 1"
            problem = f"factor {factor}: {expected}, got a sum of {shown(wrong[0])}"
            remedy = "MARKOV instead of BAYES allows any product of tables"
            raise numbers.error(int(rows.starts[factor]), f"{problem} ({remedy})")


def _table_lengths(states: Integers, scope_ptr: Integers, limit: int) -> Integers:
    """The number of values that each table needs, capped just above the limit."""
    lengths = np.ones(len(scope_ptr) - 1)
    having = np.flatnonzero(np.diff(scope_ptr))
    if len(having):
        with np.errstate(over="ignore"):
            lengths[having] = np.multiply.reduceat(states.astype(float), scope_ptr[having])
    return np.minimum(lengths, limit + 1).astype(np.int64)


def _first_wrong(
    numbers: NumberFile, position: int, counts: Integers, lengths: Integers
) -> tuple[int | None, int]:
    """The first factor whose table has a wrong number of values, if any, and where tables end."""
    reached = counts < numbers.count
    announced = numbers.integers(np.where(reached, counts, 0))
    right = reached & (announced == lengths) & (counts + lengths < numbers.count)
    if not right.all():
        return int(np.argmin(right)), position
    return None, int(counts[-1] + 1 + lengths[-1]) if len(counts) else position


def _count_error(numbers: NumberFile, factor: int, place: int, length: int) -> ParseError:
    announced = numbers.integers(slice(place, place + 1)).tolist()
    if not announced or announced[0] < 0:
        return numbers.unexpected(place, f"{length}, the number of values of factor {factor}")
    came, at = announced[0], place
    if came == length:
        came, at = numbers.count - place - 1, numbers.count
    return numbers.error(at, f"factor {factor} needs {counted(length, 'value')}, got {came}")


def _shapes(
    scope_ptr: Integers, state_sets: NDArray[np.int32], sizes: Integers
) -> tuple[list[tuple[int, ...]], Integers]:
    """The distinct shapes of tables, and the index of each factor's shape."""
    shapes: list[tuple[int, ...]] = []
    shape_ids = np.empty(len(scope_ptr) - 1, dtype=np.int64)
    for factors, rows in scopes_by_arity(scope_ptr, state_sets):
        distinct, row_ids = _distinct_rows(rows, len(sizes))
        shape_ids[factors] = len(shapes) + row_ids
        shapes += [tuple(sizes[row].tolist()) for row in distinct]
    return shapes, shape_ids


def _distinct_rows(rows: NDArray[np.int32], base: int) -> tuple[NDArray[np.int32], Integers]:
    """The distinct rows, and the index of each row among them.

    Rows are the digits of integers to a base, if these integers fit into int64.
    """
    arity = rows.shape[1]
    if base**arity < 2**62:
        codes = rows @ (base ** np.arange(arity, dtype=np.int64))
        _, first, row_ids = np.unique(codes, return_index=True, return_inverse=True)
        return rows[first], row_ids
    distinct, row_ids = np.unique(rows, axis=0, return_inverse=True)
    return distinct, row_ids.ravel()
