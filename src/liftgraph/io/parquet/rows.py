"""Rows of Parquet files, batch by batch, as arrays of integers; damage becomes a named error."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import UNSET
from numpy.typing import NDArray

from liftgraph.errors import InputError, ParseError, quoted
from liftgraph.exact import shortened
from liftgraph.io.allowance import Allowance
from liftgraph.io.parquet.layout import (
    GENERATION,
    SUFFIX,
    Generation,
    Listing,
    check_generation,
)
from liftgraph.io.parquet.pages import opened, row_groups

Integers = NDArray[np.integer[Any]]

_LARGEST = 2**63 - 1
_SMALL = 1 << 16  # bytes for a small footer, which are not counted


def check_installed(path: Path | str) -> None:
    """Refuse to read or write a path if the library for Parquet is missing."""
    if find_spec("pyarrow") is None:
        needed = "pip install 'liftgraph[parquet]'"
        raise InputError(f"{path}: graphs in Parquet files need pyarrow: {needed}")


def parts(folder: Path | str, listing: Listing) -> list[Path]:
    """The files of a table, in the order of their names."""
    path = listing.in_folder(folder)
    if not path.is_dir():
        if not path.exists():
            raise InputError(f"{path}: expected a Parquet file or a folder of them, got nothing")
        return [path]
    hidden = (".", "_")  # what Spark leaves there: _SUCCESS, checksums
    files = (file for file in path.iterdir() if file.name.endswith(SUFFIX))
    return sorted(file for file in files if not file.name.startswith(hidden))


def rows(
    folder: Path | str, listing: Listing, allowance: Allowance, generation: Generation = UNSET
) -> Iterator[tuple[list[Integers], list[Any]]]:
    """The columns of integers of each batch, and the others as Arrow arrays.

    One that a file does not have is None. Arrays are read-only. ``generation``: of the folder;
    files of another one are refused.
    """
    for path in parts(folder, listing):
        allowance.borrowed = -_SMALL
        with opened(path, allowance) as source:
            schema, metadata = source.file.schema_arrow, source.file.metadata
            check_generation(path, source.footer.texts.get(GENERATION), generation)
            check_columns(path, schema.names, listing)
            _check_integers(path, schema, listing)
            missing = metadata.num_rows
            for batch in row_groups(source, allowance):
                missing -= len(batch)
                present = dict(zip(batch.schema.names, batch.columns, strict=True))
                numbers = [_integers(path, present[name], name) for name in listing.columns]
                yield numbers, [present.get(name) for name in listing.others]
            if missing:  # Arrow takes some damaged pages for empty ones
                expected = f"{metadata.num_rows:,} rows"
                raise ParseError(str(path), None, f"expected {expected}, got {missing:,} fewer")


def check_columns(path: Path | str, names: Sequence[str], listing: Listing) -> None:
    """Refuse a table that lacks a column or has another one: a name may be misspelt or damaged."""
    for name in (*listing.columns, *listing.others):
        if names.count(name) > 1 or (name in listing.columns and name not in names):
            came = shortened(", ".join(names) or "none")
            raise ParseError(str(path), None, f"expected a column {name}, got {came}")
    known = listing.columns + listing.others
    if unknown := [name for name in names if name not in known]:
        expected, came = ", ".join(known), shortened(quoted(unknown[0]))
        raise ParseError(str(path), None, f"expected columns among {expected}, got {came}")


def _check_integers(path: Path, schema: Any, listing: Listing) -> None:
    import pyarrow as pa

    for name in listing.columns:
        if not pa.types.is_integer(schema.field(name).type):
            came = f"{schema.field(name).type}"
            raise ParseError(str(path), None, f"expected integers in {name}, got {came}")


def _integers(path: Path, column: Any, name: str) -> Integers:
    """A column of integers: those of 64 bits signed, as unsigned ones do not mix with others."""
    if column.null_count:
        raise ParseError(str(path), None, f"expected an integer in each row of {name}, got none")
    numbers: Integers = column.to_numpy()
    if numbers.dtype != np.uint64:
        return numbers
    if numbers.max(initial=0) > _LARGEST:
        problem = f"expected integers below 2^63 in {name}, got {numbers.max()}"
        raise ParseError(str(path), None, problem)
    return numbers.astype(np.int64)


def value_count(column: Any) -> int:
    """How many values there are in a column, in lists of lists, too."""
    return sum(map(len, _levels(column)))


def text_bytes(column: Any) -> int:
    """The bytes of the text in a column, where each value has its own, even if they share them."""
    import pyarrow as pa
    from pyarrow import compute

    total = 0
    for values in _levels(column):
        coded = pa.types.is_dictionary(values.type)
        texts = values.dictionary if coded else values
        if any(is_text(texts.type) for is_text in _texts()):
            lengths = compute.binary_length(texts)
            total += compute.sum(lengths.take(values.indices) if coded else lengths).as_py() or 0
    return total


def listed_texts(column: Any) -> list[Any]:
    """The values of a column. Precondition: the bytes of its text are charged, twice."""
    import pyarrow as pa

    values = column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
    listed: list[Any] = values.to_pylist()
    return listed


def _texts() -> list[Any]:
    from pyarrow import types

    return [types.is_string, types.is_large_string, types.is_binary, types.is_large_binary]


def _levels(column: Any) -> Iterator[Any]:
    """A column, and the values in its lists and structs."""
    import pyarrow as pa

    kinds = pa.ListArray | pa.LargeListArray | pa.FixedSizeListArray
    if pa.types.is_struct(column.type):
        for inner in column.flatten():
            yield from _levels(inner)
        return
    yield column
    if isinstance(column, kinds) and not isinstance(column, pa.MapArray):
        yield from _levels(column.flatten())


def check_range(path: Path, name: str, numbers: Integers, count: int) -> None:
    """Refuse numbers that are not from 0 to below a count."""
    if len(numbers) and not (numbers.min() >= 0 and numbers.max() < count):
        wrong = numbers[(numbers < 0) | (numbers >= count)][0]
        expected = f"a {name} from 0 to {count - 1:,}" if count else f"no {name}"
        raise ParseError(str(path), None, f"expected {expected}, got {wrong}")


def check_complete(path: Path, name: str, row_total: int, values: Integers) -> None:
    """Refuse rows unless each index has one: ``values`` are negative where none was read."""
    if row_total != len(values):
        raise ParseError(str(path), None, f"expected {len(values):,} rows, got {row_total:,}")
    missing = np.flatnonzero(values < 0)
    if len(missing):
        problem = f"expected a row for each {name}, got none for {missing[0]} and two for another"
        raise ParseError(str(path), None, problem)
