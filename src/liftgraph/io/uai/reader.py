"""Reading UAI models in whole-array operations, with a precise error for anything malformed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import ParseError
from liftgraph.exact import shown
from liftgraph.io.decimal_tables import Rows, make_tables
from liftgraph.io.number_file import Tokens, read_tokens
from liftgraph.model.ground.bayesian_network import wrong_sums
from liftgraph.model.ground.checks import check_scopes
from liftgraph.model.ground.factor_graph import NO_INDICES, FactorGraph, pointers, scopes_by_arity
from liftgraph.model.ground.names import MAX_STATES
from liftgraph.model.ground.table import MAX_ARGUMENTS, Table

Integers = NDArray[np.int64]


def read(path: Path | str) -> FactorGraph:
    """Read a MARKOV or BAYES model; its variables and states are called by their index."""
    tokens = read_tokens(path, first_words=("MARKOV", "BAYES"))
    cardinalities = _read_cardinalities(tokens)
    scope_ptr, scope, position = _read_scopes(tokens, len(cardinalities))
    sizes, state_set_id = np.unique(cardinalities, return_inverse=True)
    tables, table_id = _read_tables(tokens, position, scope_ptr, state_set_id[scope], sizes)
    return FactorGraph(
        state_sets=tuple(tuple(map(str, range(size))) for size in sizes.tolist()),
        state_set_id=state_set_id.astype(np.int32),
        names=None,
        scope_ptr=scope_ptr,
        scope=scope,
        table_id=table_id,
        potentials=tables,
        observed=NO_INDICES,
        observed_state=NO_INDICES,
    )


def _read_cardinalities(tokens: Tokens) -> Integers:
    """The number of states of each variable."""
    count = tokens.integer(0, "the number of variables")
    found = tokens.integers(slice(1, 1 + count))
    wrong = np.flatnonzero((found < 1) | (found > MAX_STATES))
    variable = int(wrong[0]) if len(wrong) else len(found)
    if variable < count:
        raise tokens.unexpected(1 + variable, f"the number of states of variable {variable}")
    return found


def _read_scopes(tokens: Tokens, variables: int) -> tuple[Integers, NDArray[np.int32], int]:
    """Pointers into the scopes, the scopes one after the other, and where the tables start."""
    first = 1 + variables
    factors = tokens.integer(first, "the number of factors")
    starts, end = _scope_starts(tokens, first + 1, factors)
    argument = np.ones(end - first - 1, dtype=bool)
    argument[starts - first - 1] = False
    places = first + 1 + np.flatnonzero(argument)
    scope = tokens.integers(places)
    wrong = np.flatnonzero((scope < 0) | (scope >= variables))
    if len(wrong):
        place = int(places[wrong[0]])
        factor = int(np.searchsorted(starts, place)) - 1
        raise tokens.unexpected(place, f"a variable below {variables} for factor {factor}")
    scope_ptr = pointers(tokens.integers(starts))
    narrow = scope.astype(np.int32)
    _check_distinct(tokens, starts, scope_ptr, narrow, variables)
    return scope_ptr, narrow, end


def _scope_starts(tokens: Tokens, position: int, factors: int) -> tuple[Integers, int]:
    """Where each scope stands, beginning with its number of arguments, and where the last ends."""
    found, end = _walk(tokens.numerals.mantissa, position, factors)
    wrong = np.flatnonzero((tokens.integers(found) < 0) | (tokens.integers(found) > MAX_ARGUMENTS))
    if len(wrong):
        expected = f"the number of arguments of factor {wrong[0]} (at most {MAX_ARGUMENTS})"
        raise tokens.unexpected(int(found[wrong[0]]), expected)
    if len(found) < factors or end > tokens.count:
        raise tokens.unexpected(tokens.count, f"the scopes of {factors} factors")
    return found, end


def _walk(arity: Integers, position: int, factors: int) -> tuple[Integers, int]:
    """Step from scope to scope over their arguments, as far as there are numbers."""
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
    tokens: Tokens,
    starts: Integers,
    scope_ptr: Integers,
    scope: NDArray[np.int32],
    variables: int,
) -> None:
    for factors, scopes in scopes_by_arity(scope_ptr, scope):

        def failure(row: int, problem: str, factors: Integers = factors) -> ParseError:
            factor = int(factors[row])
            return tokens.error(int(starts[factor]), f"factor {factor}: {problem}")

        check_scopes(scopes, variables, failure)


def _read_tables(
    tokens: Tokens, position: int, scope_ptr: Integers, state_sets: Integers, sizes: Integers
) -> tuple[Sequence[Table], NDArray[np.int32]]:
    """The distinct tables and each factor's: its number of values, then the values.

    An argument of kind ``state_sets[i]`` has ``sizes[state_sets[i]]`` states.
    """
    states = sizes[state_sets]
    lengths = _table_lengths(states, scope_ptr, tokens.count)
    counts = position + np.cumsum(1 + lengths) - 1 - lengths
    wrong, end = _first_wrong(tokens, position, counts, lengths)
    if wrong is not None:
        length = math.prod(states[scope_ptr[wrong] : scope_ptr[wrong + 1]].tolist())
        raise _count_error(tokens, wrong, int(counts[wrong]), length)
    if end < tokens.count:
        raise tokens.unexpected(end, "the end of the file")
    shapes, shape_ids = _shapes(scope_ptr, state_sets.astype(np.int32), sizes)
    rows = Rows(shapes, shape_ids, counts + 1)
    tables, table_id = make_tables(rows, tokens.numerals)
    if tokens.text.token(0) == "BAYES":
        _check_distributions(tokens, rows, tables, table_id)
    return tables, table_id


def _check_distributions(
    tokens: Tokens, rows: Rows, tables: Sequence[Table], table_id: NDArray[np.int32]
) -> None:
    """Refuse tables of a BAYES model that are no distributions of their last variable.

    Not all programs write numbers in the order that the format asks for (pgmpy 1.1.2 turns it
    round), and any order would do for a MARKOV model.
    """
    for factor in np.sort(np.unique(table_id, return_index=True)[1]).tolist():
        table = tables[table_id[factor]]
        wrong = wrong_sums(table, -1) if table.shape else []
        if wrong:
            expected = "expected probabilities of its last variable that sum to 1"
            problem = f"factor {factor}: {expected}, got a sum of {shown(wrong[0])}"
            remedy = "MARKOV instead of BAYES allows any product of tables"
            raise tokens.error(int(rows.starts[factor]), f"{problem} ({remedy})")


def _table_lengths(states: Integers, scope_ptr: Integers, limit: int) -> Integers:
    """The number of values each table needs; all that exceeds the limit is one above it."""
    lengths = np.ones(len(scope_ptr) - 1)
    having = np.flatnonzero(np.diff(scope_ptr))
    if len(having):
        with np.errstate(over="ignore"):
            lengths[having] = np.multiply.reduceat(states.astype(float), scope_ptr[having])
    return np.minimum(lengths, limit + 1).astype(np.int64)


def _first_wrong(
    tokens: Tokens, position: int, counts: Integers, lengths: Integers
) -> tuple[int | None, int]:
    """The first table that does not announce or have the values it needs, and where tables end."""
    reached = counts < tokens.count
    announced = tokens.integers(np.where(reached, counts, 0))
    right = reached & (announced == lengths) & (counts + lengths < tokens.count)
    if not right.all():
        return int(np.argmin(right)), position
    return None, int(counts[-1] + 1 + lengths[-1]) if len(counts) else position


def _count_error(tokens: Tokens, factor: int, place: int, length: int) -> ParseError:
    announced = tokens.integers(slice(place, place + 1)).tolist()
    if not announced or announced[0] < 0:
        return tokens.unexpected(place, f"{length}, the number of values of factor {factor}")
    came, at = announced[0], place
    if came == length:
        came, at = tokens.count - place - 1, tokens.count
    return tokens.error(at, f"factor {factor} needs {length} values, got {came}")


def _shapes(
    scope_ptr: Integers, state_sets: NDArray[np.int32], sizes: Integers
) -> tuple[list[tuple[int, ...]], Integers]:
    """The distinct shapes of tables, and the number of each factor's."""
    shapes: list[tuple[int, ...]] = []
    shape_ids = np.empty(len(scope_ptr) - 1, dtype=np.int64)
    for factors, kinds in scopes_by_arity(scope_ptr, state_sets):
        distinct, numbers = _distinct_shapes(kinds, len(sizes))
        shape_ids[factors] = len(shapes) + numbers
        shapes += [tuple(sizes[row].tolist()) for row in distinct]
    return shapes, shape_ids


def _distinct_shapes(kinds: NDArray[np.int32], base: int) -> tuple[NDArray[np.int32], Integers]:
    """The distinct rows and each row's number; rows are read as digits where the numbers fit."""
    arity = kinds.shape[1]
    if base**arity < 2**62:
        codes = kinds @ (base ** np.arange(arity, dtype=np.int64))
        _, first, numbers = np.unique(codes, return_index=True, return_inverse=True)
        return kinds[first], numbers
    distinct, numbers = np.unique(kinds, axis=0, return_inverse=True)
    return distinct, numbers.ravel()
