"""Rows of Parquet files, batch by batch, as arrays of integers; damage becomes a named error."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import InputError, ParseError, quoted, reason
from liftgraph.exact import shortened
from liftgraph.io.allowance import Allowance
from liftgraph.io.parquet.layout import SUFFIX, Listing

Integers = NDArray[np.integer[Any]]

_LARGEST = 2**63 - 1
BATCH = 1 << 17  # rows that are read together
_BUFFER = 1 << 20  # bytes of a column that are read together
_DECODED = 2  # copies of a group of rows: unpacked, and as arrays


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
    folder: Path | str, listing: Listing, allowance: Allowance
) -> Iterator[tuple[list[Integers], list[Any]]]:
    """The columns of integers of each batch, and the others as Arrow arrays.

    One that a file does not have is None. Arrays are read-only.
    """
    files = parts(folder, listing)
    allowance.take(_DECODED * max(map(_largest_row_group, files), default=0), "its row groups")
    for path in files:
        with _reading(path), _opened(path) as file:
            check_columns(path, file.schema_arrow.names, listing)
            _check_integers(path, file.schema_arrow, listing)
            missing = file.metadata.num_rows
            for batch in file.iter_batches(BATCH):
                missing -= len(batch)
                present = dict(zip(batch.schema.names, batch.columns, strict=True))
                numbers = [_integers(path, present[name], name) for name in listing.columns]
                yield numbers, [present.get(name) for name in listing.others]
            if missing:  # Arrow takes some damaged pages for empty ones
                expected = f"{file.metadata.num_rows:,} rows"
                raise ParseError(str(path), None, f"expected {expected}, got {missing:,} fewer")


def _largest_row_group(path: Path) -> int:
    """The bytes of the largest group of rows of a file, unpacked."""
    with _reading(path), _opened(path) as file:
        groups = range(file.metadata.num_row_groups)
        return max((file.metadata.row_group(k).total_byte_size for k in groups), default=0)


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Turns what goes wrong while a file is read into errors that name it."""
    from pyarrow import ArrowException

    try:
        yield
    except (ArrowException, UnicodeError) as error:
        raise _damaged(path, error) from None
    except OSError as error:
        if error.errno is None:  # Arrow's own: a page or its checksum is damaged
            raise _damaged(path, error) from None
        raise InputError(f"{path}: cannot be read: {reason(error)}") from None


def _damaged(path: Path, error: Exception) -> ParseError:
    return ParseError(str(path), None, f"expected Parquet, got {' '.join(str(error).split())}")


def _opened(path: Path) -> Any:
    from pyarrow import parquet

    return parquet.ParquetFile(
        path, buffer_size=_BUFFER, pre_buffer=False, page_checksum_verification=True
    )


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
    import pyarrow as pa

    if pa.types.is_struct(column.type):
        return sum(map(value_count, column.flatten()))
    kinds = pa.ListArray | pa.LargeListArray | pa.FixedSizeListArray
    if isinstance(column, kinds) and not isinstance(column, pa.MapArray):
        return len(column) + value_count(column.flatten())
    return len(column)


def text_bytes(column: Any) -> int:
    """The bytes of a column of text, where each row has its own, even if an array shares them."""
    import pyarrow as pa
    from pyarrow import compute

    texts = pa.string(), pa.large_string(), pa.binary(), pa.large_binary()
    if not (pa.types.is_dictionary(column.type) and column.type.value_type in texts):
        return int(column.nbytes)
    lengths = compute.binary_length(column.dictionary)
    return int(compute.sum(lengths.take(column.indices)).as_py() or 0)


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
