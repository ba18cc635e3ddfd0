"""Writing a factor graph into its folder, some rows at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from liftgraph.errors import InputError
from liftgraph.io.parquet.folders import NewFolder, replacing
from liftgraph.io.parquet.layout import (
    EDGES,
    EVIDENCE,
    FACTORS,
    GENERATION,
    STATES,
    TABLES,
    VARIABLES,
    Listing,
    counts_of,
    write_counts,
)
from liftgraph.io.parquet.potentials import potential_batches
from liftgraph.io.parquet.rows import check_installed
from liftgraph.io.spelling import losses_of_numbers, spelling
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.names import States
from liftgraph.model.ground.table import Potential

ROW_GROUP = 1 << 20  # rows of a group: what readers have in memory at once


def write(graph: FactorGraph, path: Path | str, *, rounded: bool = False) -> None:
    """Write a factor graph into a folder; it reads back equal unless numbers are rounded.

    A graph on disk of this name is replaced when the new one is complete.
    """
    check_installed(path)
    if str(path).endswith(".gz"):
        raise InputError(f"{path}: expected the name of a folder, which is not compressed, got .gz")
    observed = graph.evidence.variables, graph.evidence.states
    sizes = graph.variable_count, graph.factor_count, graph.edge_count, len(graph.evidence)
    with replacing(path) as folder:
        write_states(folder, graph.state_sets)
        write_potentials(folder, graph.potentials, rounded, path)
        _write_columns(folder, VARIABLES, _variables(graph))
        _write_columns(folder, FACTORS, _numbered("factor", {"table": graph.table_id}))
        _write_columns(folder, EDGES, _edges(graph))
        if len(graph.evidence):
            observations = dict(zip(EVIDENCE.columns, observed, strict=True))
            _write_columns(folder, EVIDENCE, [observations])
        write_counts(folder.path, counts_of(*sizes, folder.generation))


def write_states(folder: NewFolder, state_sets: Sequence[States]) -> None:
    """Write the lists of states of a graph."""
    import pyarrow as pa

    numbers = pa.array(range(len(state_sets)), pa.int32())
    names = pa.array([*map(list, state_sets)], pa.list_(pa.string()))
    _write(folder, STATES, [pa.table({"states": numbers, "names": names})])


def write_potentials(
    folder: NewFolder, potentials: Sequence[Potential], rounded: bool, path: Path | str
) -> None:
    """Write the potentials of a graph. ``path``: the folder that errors name."""
    _write(folder, TABLES, potential_batches(potentials, spelling(rounded, path)))


def losses(graph: FactorGraph, *, rounded: bool = False) -> Iterator[str]:
    """What the folder does not keep of a graph."""
    if rounded:
        yield from losses_of_numbers(graph, rounded)


def _numbered(name: str, columns: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Columns with an index before them, some rows at a time."""
    total = len(next(iter(columns.values())))
    for first in range(0, max(total, 1), ROW_GROUP):
        some = {column: values[first : first + ROW_GROUP] for column, values in columns.items()}
        index = np.arange(first, min(first + ROW_GROUP, total), dtype=np.int32)
        yield {name: index, **some}


def _variables(graph: FactorGraph) -> Iterator[dict[str, Any]]:
    names = {} if graph.names is None else {"name": graph.names}
    return _numbered("variable", {"states": graph.state_set_id, **names})


def _edges(graph: FactorGraph) -> Iterator[dict[str, Any]]:
    """The arguments of all factors; ``position``: places in the scope, from 0 on."""
    start = graph.scope_ptr
    for first in range(0, max(graph.edge_count, 1), ROW_GROUP):
        places = np.arange(first, min(first + ROW_GROUP, graph.edge_count))
        factors = np.searchsorted(start, places, side="right") - 1
        yield {
            "factor": factors.astype(np.int32),
            "position": (places - start[factors]).astype(np.int32),
            "variable": graph.scope[places],
        }


def _write_columns(folder: NewFolder, listing: Listing, batches: Iterable[dict[str, Any]]) -> None:
    import pyarrow as pa

    _write(folder, listing, map(pa.table, batches))


def _write(folder: NewFolder, listing: Listing, tables: Iterable[Any]) -> None:
    """Write Arrow tables as the groups of rows of a file. Precondition: there is one.

    Integers are stored as differences, which take few bits where they increase, and are read faster
    if they are not compressed. Pages have checksums.
    """
    from pyarrow import parquet

    tables = iter(tables)
    first = next(tables)
    schema = first.schema.with_metadata({GENERATION: folder.generation})
    others = [name for name in first.column_names if name not in listing.columns]
    options: dict[str, Any] = {
        "compression": "zstd" if others else "none",
        "write_page_checksum": True,
        "use_dictionary": [name for name in others if name != "name"],  # names are distinct
        "column_encoding": dict.fromkeys(listing.columns, "DELTA_BINARY_PACKED"),
    }
    with parquet.ParquetWriter(listing.in_folder(folder.path), schema, **options) as writer:
        for table in chain([first], tables):
            writer.write_table(table.replace_schema_metadata(schema.metadata), ROW_GROUP)
