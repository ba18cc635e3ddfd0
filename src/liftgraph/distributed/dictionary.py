"""What is small of a graph on disk, in memory: states, distinct tables, and their symmetries."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pyspark.sql import functions as sql

from liftgraph.distributed.session import spark_errors
from liftgraph.distributed.storage import Folder, exists, read_text, stored_rows
from liftgraph.errors import InputError, ParseError
from liftgraph.io.allowance import Allowance
from liftgraph.io.parquet.layout import (
    COUNTS,
    FACTORS,
    STATES,
    SUFFIX,
    TABLES,
    Counts,
    Listing,
    counts_in,
)
from liftgraph.io.parquet.potentials import read_potentials
from liftgraph.io.parquet.reader import read_state_sets
from liftgraph.io.parquet.rows import check_columns
from liftgraph.model.ground.names import States
from liftgraph.model.ground.table import Potential, Table
from liftgraph.symmetry.colours.colour_passing import classified_tables
from liftgraph.symmetry.colours.colouring import Algorithm
from liftgraph.symmetry.colours.contributions import is_wide
from liftgraph.symmetry.tables.exchangeable import TableClasses
from liftgraph.symmetry.tables.symmetries import Symmetries

_UNSIGNED = "decimal(20,0)"  # Spark's type of unsigned integers of 64 bits
_INTEGERS = {"tinyint", "smallint", "int", "bigint", _UNSIGNED}
_TEXT = {"string", "void"}  # void: without any value


@dataclass(frozen=True, eq=False)
class Dictionary:
    """What a graph on disk has few of.

    ``used``: the indices of the tables that some factor has, increasing. ``classes``: of the used
    tables; ``symmetries``: of each class.
    """

    counts: Counts
    state_sets: tuple[States, ...]
    used: tuple[int, ...]
    classes: TableClasses
    symmetries: tuple[Symmetries, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Where an argument goes: of factors with a table, the argument at a position of the scope.

    ``place``: its position once the table is aligned. ``label``: the same for places that commute.
    ``states``: how many it has. ``exchanging``: whether exchanges of arguments are symmetries of
    the table, so that which places are alike depends on the colours of all arguments.
    """

    table: int
    position: int
    place: int
    label: int
    states: int
    exchanging: bool


def dictionary(
    graph: Folder, algorithm: Algorithm, tolerance: object, memory_limit: int
) -> Dictionary:
    """The states and tables of a graph on disk, with the tables' classes and symmetries."""
    allowance = Allowance(graph.path, memory_limit)
    counts = _counts(graph)
    with _small_tables(graph) as local:
        state_sets = read_state_sets(local, allowance, counts.generation)
        potentials = read_potentials(local, allowance, counts.generation)
    with spark_errors(graph.path):
        rows = table_rows(graph, FACTORS).select("table").distinct().collect()
    listed = [row["table"] for row in rows]
    tables_of = {index: _table(graph, index, potentials) for index in listed}
    used = tuple(sorted(tables_of))
    tables = [tables_of[index] for index in used]
    classes, symmetries = classified_tables(tables, algorithm, tolerance)
    return Dictionary(counts, state_sets, used, classes, tuple(symmetries))


def table_rows(graph: Folder, listing: Listing) -> Any:
    """The rows of a table of a graph on disk, its integers of 64 bits, and null if they do not fit
    there."""
    path = graph.file(listing.name + SUFFIX)
    if not exists(graph.spark, path):
        raise InputError(f"{path}: expected a Parquet file or a folder of them, got nothing")
    with spark_errors(path):
        types = dict((first := stored_rows(graph.spark, path)).dtypes)
    check_columns(path, first.columns, listing)
    for name, kind in types.items():
        expected = _INTEGERS if name in listing.columns else _TEXT
        if kind not in expected:
            what = "text" if expected is _TEXT else "integers"
            raise ParseError(path, None, f"expected {what} in {name}, got {kind}")
    # Other files may have other widths, or names where this one has none.
    whole = {name: _UNSIGNED if types[name] == _UNSIGNED else "bigint" for name in listing.columns}
    kinds = whole | dict.fromkeys(listing.others, "string")
    schema = ", ".join(f"`{name}` {kind}" for name, kind in kinds.items())
    rows = stored_rows(graph.spark, path, schema)
    return rows.withColumns({name: sql.col(name).try_cast("bigint") for name in whole})


def _counts(graph: Folder) -> Counts:
    path = graph.file(COUNTS)
    with spark_errors(path):
        if not exists(graph.spark, path):
            hint = "liftgraph convert MODEL model.fg.parquet writes such folders"
            raise InputError(f"{path}: expected a graph on disk, got no such file: {hint}")
        return counts_in(path, read_text(graph.spark, path).encode())


@contextmanager
def _small_tables(graph: Folder) -> Iterator[str]:
    """A folder of this machine with the states and tables of a graph."""
    local = graph.path.removeprefix("file://")
    if local.startswith("/"):
        yield local
        return
    from pyarrow import parquet

    with tempfile.TemporaryDirectory() as fetched:
        for listing in (STATES, TABLES):
            with spark_errors(graph.path):
                rows = stored_rows(graph.spark, graph.file(listing.name + SUFFIX)).toArrow()
            parquet.write_table(rows, listing.in_folder(fetched))
        yield fetched


def _table(graph: Folder, index: int | None, potentials: Sequence[Potential]) -> Table:
    if index is None or not 0 <= index < len(potentials):
        came = "none" if index is None else f"{index}"
        problem = f"expected a table from 0 to {len(potentials) - 1:,}, got {came}"
        raise ParseError(graph.file(FACTORS.name + SUFFIX), None, problem)
    if is_wide(potentials[index]):
        problem = f"table {index} is a count factor over many variables"
        raise InputError(f"{graph.path}: expected tables of all potentials, but {problem}")
    return potentials[index].table()


def places(small: Dictionary) -> Iterator[Place]:
    """Where the arguments of factors with each used table go."""
    for table, index, alignment in zip(
        small.used, small.classes.class_of.tolist(), small.classes.alignments, strict=True
    ):
        shape, symmetries = small.classes.representatives[index].shape, small.symmetries[index]
        label_of = {p: label for label, some in enumerate(symmetries.commuting) for p in some}
        exchanging = bool(symmetries.exchanges)
        for place, position in enumerate(alignment.permutation):
            yield Place(table, position, place, label_of[place], shape[place], exchanging)
