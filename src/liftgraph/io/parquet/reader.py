"""Reading a factor graph from its folder, into arrays whose sizes are known beforehand.

Every row says where it belongs: a row of edges by its factor and position. So arrays are filled in
any order, and are complete if there are as many rows as places and none is empty.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import UNSET, structs
from numpy.typing import NDArray

from liftgraph.errors import InputError, LiftgraphError, MemoryLimitError, ParseError, quoted
from liftgraph.exact import shortened
from liftgraph.io.allowance import Allowance
from liftgraph.io.parquet.layout import (
    EDGES,
    EVIDENCE,
    FACTORS,
    STATES,
    VARIABLES,
    Counts,
    Generation,
    OneGeneration,
    read_counts,
    state_of,
)
from liftgraph.io.parquet.pages import BATCH
from liftgraph.io.parquet.potentials import read_potentials
from liftgraph.io.parquet.rows import (
    Integers,
    check_complete,
    check_installed,
    check_range,
    listed_texts,
    rows,
    text_bytes,
    value_count,
)
from liftgraph.model.ground.checks import check_scopes, check_shapes
from liftgraph.model.ground.evidence import NO_EVIDENCE, Evidence
from liftgraph.model.ground.factor_graph import FactorGraph, pointers, scopes_by_arity
from liftgraph.model.ground.names import States, checked_name, state_names
from liftgraph.model.memory_limit import MEMORY_LIMIT

_LARGEST = 2**31 - 1  # the most variables, factors or tables that arrays of a graph can number
_VARIABLE_BYTES, _FACTOR_BYTES, _EDGE_BYTES = 4, 12, 4  # in the arrays of the graph
_CHECK_BYTES = 21  # an edge, while scopes are checked
_TRIES = 50  # to read a folder that is replaced again and again
_BATCH_BYTES = 200  # a row of a batch: its columns, and where they go
_OBSERVED_BYTES = 40
_NAME_BYTES = 200  # the text of a name, and its place in a dictionary
_STATE_BYTES = 120


def read(path: Path | str, *, memory_limit: int = MEMORY_LIMIT) -> FactorGraph:
    """Read a factor graph from its folder; refused beforehand if it needs more memory.

    A folder that is replaced meanwhile is read again, until it was not or until all its files say
    that they belong together.
    """
    check_installed(path)
    for attempt in range(_TRIES):
        before = state_of(path)
        try:
            counts = read_counts(path)
            one_generation = attempt > 0 and isinstance(counts.generation, str)
            if one_generation:
                counts = structs.replace(counts, generation=OneGeneration(counts.generation))
            graph = _read(path, counts, memory_limit)
        except LiftgraphError:
            if before == state_of(path):
                raise
        else:
            if one_generation or before == state_of(path):
                return graph
    problem = f"it was replaced {_TRIES} times while it was read"
    raise InputError(f"{path}: {problem}: read it when its writer is done")


def _read(path: Path | str, counts: Counts, memory_limit: int) -> FactorGraph:
    allowance = Allowance(str(path), memory_limit)
    _take_graph(allowance, counts)
    listed = read_state_sets(path, allowance, counts.generation)
    state_sets = tuple(dict.fromkeys(listed))
    state_set_id, names = _variables(path, counts, len(listed), allowance)
    if len(state_sets) < len(listed):
        state_set_id = np.array([*map(state_sets.index, listed)], dtype=np.int32)[state_set_id]
    potentials = read_potentials(path, allowance, counts.generation)
    table_id = _factors(path, counts, len(potentials), allowance)
    arity = np.array([len(potential.shape) for potential in potentials], dtype=np.int32)
    scope_ptr = pointers(arity[table_id])
    scope = _scope(path, counts, scope_ptr, allowance)
    graph = FactorGraph(state_sets, state_set_id, names, scope_ptr, scope, table_id, potentials)
    _check_factors(path, graph)
    return replace(graph, evidence=_evidence(path, counts, graph.cardinalities, allowance))


def _take_graph(allowance: Allowance, counts: Counts) -> None:
    if max(counts.variables, counts.factors) > _LARGEST:
        came = f"{counts.variables:,} and {counts.factors:,}"
        expected = f"at most {_LARGEST:,} variables and factors in memory"
        raise MemoryLimitError(f"{allowance.path}: expected {expected}, got {came}")
    arrays = _VARIABLE_BYTES * counts.variables + _FACTOR_BYTES * counts.factors
    edges = (_EDGE_BYTES + _CHECK_BYTES) * counts.edges
    together = min(BATCH, max(counts.variables, counts.factors, counts.edges))
    rest = _BATCH_BYTES * together + _OBSERVED_BYTES * counts.observed
    allowance.take(arrays + edges + rest, f"the graph has {counts.edges:,} edges")


def read_state_sets(
    path: Path | str, allowance: Allowance, generation: Generation = UNSET
) -> tuple[States, ...]:
    """The lists of states of a graph on disk, by their index."""
    file = STATES.in_folder(path)
    state_sets: dict[int, States] = {}
    for (indices,), (column,) in rows(path, STATES, allowance, generation):
        if column is None:
            raise ParseError(str(file), None, "expected a column names, got none")
        needed = _STATE_BYTES * value_count(column) + text_bytes(column)
        allowance.take(needed, "the names of its states")
        for index, names in zip(indices.tolist(), column.to_pylist(), strict=True):
            if index in state_sets:
                raise ParseError(str(file), None, f"expected states {index} once, got them twice")
            try:
                state_sets[index] = _listed_states(names)
            except InputError as error:
                raise ParseError(str(file), None, f"states {index}: {error}") from None
    if state_sets.keys() != set(range(len(state_sets))):
        raise ParseError(str(file), None, "expected states numbered from 0 on, each once")
    return tuple(state_sets[index] for index in range(len(state_sets)))


def _listed_states(names: object) -> States:
    """The states that a list names, and not a number of states."""
    if not isinstance(names, list):
        raise InputError(f"expected names in a list, got {shortened(quoted(names))}")
    return state_names(names)


def _variables(
    path: Path | str, counts: Counts, state_set_count: int, allowance: Allowance
) -> tuple[NDArray[np.int32], tuple[str, ...] | None]:
    """The states of each variable, and the names if there are any."""
    file = VARIABLES.in_folder(path)
    state_set_id = np.full(counts.variables, -1, dtype=np.int32)
    names: list[str] | None = None
    total = 0
    for (variables, states), (column,) in rows(path, VARIABLES, allowance, counts.generation):
        check_range(file, "variable", variables, counts.variables)
        check_range(file, "number of states", states, state_set_count)
        state_set_id[variables] = states
        total += len(variables)
        if column is not None and column.null_count < len(column):
            if names is None:
                allowance.take(_NAME_BYTES * counts.variables, "the names of its variables")
                names = [*map(str, range(counts.variables))]
            allowance.take(2 * text_bytes(column), "the names of its variables")
            _fill_names(file, names, variables, listed_texts(column))
    check_complete(file, "variable", total, state_set_id)
    if names is not None and len(set(names)) < len(names):
        raise ParseError(str(file), None, "expected distinct names, got one twice")
    return state_set_id, None if names is None else tuple(names)


def _fill_names(file: Path, names: list[str], variables: Integers, column: list[Any]) -> None:
    """Put names at the places of their variables; who has none is called by its index."""
    for variable, name in zip(variables.tolist(), column, strict=True):
        if name is not None:
            try:
                names[variable] = checked_name(name)
            except InputError as error:
                raise ParseError(str(file), None, f"variable {variable}: {error}") from None


def _factors(
    path: Path | str, counts: Counts, table_count: int, allowance: Allowance
) -> NDArray[np.int32]:
    """The table of each factor."""
    file = FACTORS.in_folder(path)
    table_id = np.full(counts.factors, -1, dtype=np.int32)
    total = 0
    for (factors, tables), _ in rows(path, FACTORS, allowance, counts.generation):
        check_range(file, "factor", factors, counts.factors)
        check_range(file, "table", tables, table_count)
        table_id[factors] = tables
        total += len(factors)
    check_complete(file, "factor", total, table_id)
    return table_id


def _scope(
    path: Path | str, counts: Counts, scope_ptr: NDArray[np.int64], allowance: Allowance
) -> NDArray[np.int32]:
    """The variables at the positions of all factors."""
    file = EDGES.in_folder(path)
    arity = np.diff(scope_ptr).astype(np.int32)
    if scope_ptr[-1] != counts.edges:
        expected = f"{scope_ptr[-1]:,} edges, as many as its tables have arguments"
        raise ParseError(str(file), None, f"expected {expected}, got {counts.edges:,}")
    scope = np.full(counts.edges, -1, dtype=np.int32)
    total = 0
    for (factors, positions, variables), _ in rows(path, EDGES, allowance, counts.generation):
        check_range(file, "factor", factors, counts.factors)
        check_range(file, "variable", variables, counts.variables)
        places = scope_ptr.take(factors) + positions
        outside = (positions < 0) | (positions >= arity.take(factors))
        if outside.any():
            row = int(outside.argmax())
            came = f"position {positions[row]} of factor {factors[row]}"
            raise ParseError(str(file), None, f"expected a position that its table has, got {came}")
        scope[places] = variables
        total += len(places)
    if total == counts.edges and (scope < 0).any():
        place = int((scope < 0).argmax())
        factor = int(np.searchsorted(scope_ptr, place, side="right")) - 1
        expected = f"an argument at position {place - scope_ptr[factor]} of factor {factor}"
        raise ParseError(str(file), None, f"expected {expected}, got none there and two elsewhere")
    check_complete(file, "argument", total, scope)
    return scope


def _evidence(
    path: Path | str, counts: Counts, sizes: NDArray[np.int64], allowance: Allowance
) -> Evidence:
    """What was observed. ``sizes``: int64 (n,), the number of states of each variable."""
    file = EVIDENCE.in_folder(path)
    if not counts.observed and not file.exists():
        return NO_EVIDENCE
    variables, states = np.empty((2, counts.observed), dtype=np.int64)
    total = 0
    for batch, _ in rows(path, EVIDENCE, allowance, counts.generation):
        end = total + len(batch[0])
        if end <= counts.observed:
            variables[total:end], states[total:end] = batch
        total = end
    if total != counts.observed:
        raise ParseError(str(file), None, f"expected {counts.observed:,} rows, got {total:,}")
    check_range(file, "variable", variables, counts.variables)
    order = np.argsort(variables, kind="stable")
    variables, states = variables[order], states[order]
    if (twice := variables[1:] == variables[:-1]).any():
        problem = f"expected each variable once, got {variables[twice.argmax()]} again"
        raise ParseError(str(file), None, problem)
    outside = (states < 0) | (states >= sizes[variables])
    if outside.any():
        row = int(outside.argmax())
        problem = f"expected a state of variable {variables[row]}, got {states[row]}"
        raise ParseError(str(file), None, problem)
    return Evidence(variables.astype(np.int32), states.astype(np.int32))


def _check_factors(path: Path | str, graph: FactorGraph) -> None:
    """Refuse scopes with repeated variables, and tables that do not fit their scopes."""
    sizes = np.array([len(states) for states in graph.state_sets], dtype=np.int32)
    file = EDGES.in_folder(path)
    for factors, scopes in scopes_by_arity(graph.scope_ptr, graph.scope):

        def failure(row: int, problem: str, factors: Integers = factors) -> InputError:
            return ParseError(str(file), None, f"factor {factors[row]}: {problem}")

        table_id = graph.table_id.take(factors)
        used = np.flatnonzero(np.bincount(table_id))
        tables = [graph.potentials[index] for index in used.tolist()]
        place = np.zeros(len(graph.potentials), dtype=np.intp)
        place[used] = np.arange(len(used))
        table_ids = place.take(table_id) if len(used) > 1 else place[used]
        check_scopes(scopes, graph.variable_count, failure)
        check_shapes(scopes, table_ids, tables, sizes, graph.state_set_id, failure)
