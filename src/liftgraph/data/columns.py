"""Columns of data tables, whatever library they come from.

A table may be a mapping from names to columns, a list of rows that are mappings, the cursor of an
SQL query (DB-API 2.0), or a data frame of any library that narwhals knows: pandas, polars,
PyArrow, DuckDB and more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, TypeGuard, cast

import numpy as np
from numpy.typing import NDArray

from liftgraph.data.values import as_text, has_name, missing, not_a_name, quoted
from liftgraph.errors import InputError
from liftgraph.model.ground.names import checked_name


@dataclass(frozen=True, eq=False)
class Column:
    """A column by its distinct values: the value in row r is ``values[codes[r]]``.

    ``values``: distinct, as text, in the order of their first row. ``codes``: int64 (rows,), -1
    where a value is missing.
    """

    values: tuple[str, ...]
    codes: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.codes)


@dataclass(frozen=True, eq=False)
class Columns(Mapping[str, Any]):
    """The columns of a table by name. Each is read on demand, in a form that ``column`` takes.

    Integers, truth values and text come as arrays, or already coded, where no list is needed.
    """

    rows: int
    names: tuple[str, ...]
    read: Callable[[str], Any]

    def __getitem__(self, name: str) -> Any:
        if name not in self:
            raise KeyError(name)
        return self.read(name)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


def columns_of(table: object) -> dict[str, list[Any]]:
    """The columns of a table by name, as lists of Python values of equal length."""
    return {name: _listed(values) for name, values in native_columns(table).items()}


def native_columns(table: object) -> Columns:
    """The columns of a table in the types of its library."""
    if isinstance(table, Mapping):
        return _of_lists({checked_name(name): _native(name, table[name]) for name in table})
    if hasattr(table, "fetchall") and hasattr(table, "description"):
        return _of_lists(_of_cursor(table))
    if _is_rows(table):
        return _of_lists(_of_rows(table))
    return _of_frame(table)


def _of_lists(lists: dict[str, Any]) -> Columns:
    lengths = {name: len(values) for name, values in lists.items()}
    if len(set(lengths.values())) > 1:
        raise InputError(f"expected columns of equal length, got {lengths}")
    return Columns(max(lengths.values(), default=0), tuple(lists), lists.__getitem__)


def _native(name: str, values: Any) -> Any:
    if _is_array(values):
        return values
    if not is_listed(values):
        raise InputError(f"column {name}: expected a list of values, got {quoted(values)}")
    return _elements(values)


def _is_rows(table: object) -> TypeGuard[Sequence[Mapping[str, Any]]]:
    """Whether this is a list of rows, perhaps an empty one; empty text is not a table."""
    listed = isinstance(table, Sequence) and not isinstance(table, str | bytes)
    return listed and all(isinstance(row, Mapping) for row in cast(Sequence[Any], table))


def is_listed(values: object) -> TypeGuard[Iterable[Any]]:
    """Whether these are values one after the other; text and arrays without axes are not."""
    single = isinstance(values, str | bytes) or getattr(values, "ndim", 1) == 0
    return isinstance(values, Iterable) and not single


def _is_array(values: object) -> TypeGuard[NDArray[Any]]:
    """Whether this is an array of integers or truth values, which needs no list of objects."""
    if not isinstance(values, np.ndarray) or isinstance(values, np.ma.MaskedArray):
        return False
    return values.ndim == 1 and values.dtype.kind in "iub"


def _elements(values: Iterable[Any]) -> list[Any]:
    """The values in a list; masked ones are None."""
    return values.tolist() if isinstance(values, np.ma.MaskedArray) else list(values)


def _listed(values: Any) -> list[Any]:
    array: Any = values
    if isinstance(values, Column):
        array = np.array([*values.values, None], dtype=object)[values.codes]
    listed: list[Any] = array.tolist() if isinstance(array, np.ndarray) else array
    return listed


def _of_cursor(cursor: Any) -> dict[str, list[Any]]:
    if cursor.description is None:
        raise InputError("expected the cursor of a query, got one which returns no rows")
    names = [checked_name(entry[0]) for entry in cursor.description]
    if len(set(names)) < len(names):
        raise InputError(f"expected columns of different names, got {', '.join(names)}")
    rows = cursor.fetchall()
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def _of_rows(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    names = list(rows[0]) if rows else []
    for row_index, row in enumerate(rows):
        if list(row) != names and set(row) != set(names):
            raise InputError(f"row {row_index}: expected columns {names}, got {list(row)}")
    return {checked_name(name): [row[name] for row in rows] for name in names}


def _of_frame(table: Any) -> Columns:
    try:
        import narwhals as nw
    except ImportError:
        if not hasattr(table, "columns"):
            raise _not_a_table(table) from None
        problem = "data frames need narwhals: pip install 'liftgraph[frames]'"
        raise InputError(problem) from None
    try:
        frame = nw.from_native(table)
    except TypeError:
        raise _not_a_table(table) from None
    except nw.exceptions.NarwhalsError as error:
        raise InputError(" ".join(str(error).split())) from None
    eager = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
    names = tuple(map(checked_name, eager.columns))
    return Columns(len(eager), names, lambda name: _of_series(eager[name]))


def _not_a_table(came: object) -> InputError:
    expected = "a data frame, a mapping of columns, rows as mappings or an SQL cursor"
    return InputError(f"expected {expected}, got {quoted(came)}")


def _series(values: object) -> Any:
    """A column of a library that narwhals knows; None for anything else."""
    if isinstance(values, list | tuple | np.ndarray) or not find_spec("narwhals"):
        return None
    import narwhals as nw

    series = nw.from_native(values, series_only=True, pass_through=True)
    return series if isinstance(series, nw.Series) else None


def _of_series(series: Any) -> Any:
    plain = series.dtype.is_integer() or str(series.dtype) == "Boolean"
    if plain and not series.null_count() and _is_array(array := series.to_numpy()):
        return array
    if str(series.dtype) == "Float32":
        return list(series.to_numpy())  # as Python's floats, 0.1 would be 0.10000000149011612
    return _of_text(series) or series.to_list()


def _of_text(series: Any) -> Column | None:
    """A series of text coded by Arrow, about five times faster than by looking each value up."""
    if str(series.dtype) not in ("String", "Categorical") or not find_spec("pyarrow"):
        return None
    import pyarrow as pa

    array = series.to_arrow()
    element = array.type.value_type if pa.types.is_dictionary(array.type) else array.type
    if not (pa.types.is_string(element) or pa.types.is_large_string(element)):
        return None
    text = pa.chunked_array(array.cast(pa.large_string())).combine_chunks()
    encoded = text.dictionary_encode()
    values = encoded.dictionary.to_pylist()
    codes = encoded.indices.fill_null(-1).to_numpy().astype(np.int64)
    return Column(tuple(values), codes) if all(map(has_name, values)) else None


def column(values: Iterable[object] | Column) -> Column:
    """A column of values as text; equal numbers have the same text, see ``as_text``.

    A float that is not an integer cannot name a state or an individual, so it is refused.

    >>> column(["b", "a", None, "b", True, 2.0])
    Column(values=('b', 'a', 'true', '2'), codes=array([ 0,  1, -1,  0,  2,  3]))
    """
    if isinstance(values, Column):
        return values
    if _is_array(values):
        return _of_array(values)
    if (series := _series(values)) is not None:
        return column(_of_series(series))
    listed = list(values.tolist() if hasattr(values, "tolist") else values)
    types = {*map(type, listed)} - {type(None)}
    coding = _Coding()
    # True equals 1 and Decimal("1.0") equals 1, but they have different names.
    alike = len(types) <= 1 and types <= {str, int, bool, float}
    keys = listed if alike else map(_Typed, listed)
    try:
        codes = np.fromiter(map(coding.__getitem__, keys), np.int64, len(listed))
    except InputError as error:
        row = [*map(has_name, listed)].index(False)
        raise InputError(f"row {row}: {error}") from None
    return Column(tuple(coding.texts), codes)


class _Typed(tuple[type, object]):
    """A value that equals no value of another type."""

    def __new__(cls, value: object) -> _Typed:
        try:
            hash(value)
        except TypeError:
            raise not_a_name(value) from None
        return super().__new__(cls, (type(value), value))


class _Coding(dict[object, int]):
    """The code of each value, a new one for a value with a new name."""

    def __init__(self) -> None:
        self.texts: dict[str, int] = {}

    def __missing__(self, key: object) -> int:
        value = key[1] if isinstance(key, _Typed) else key
        code = -1 if missing(value) else self.texts.setdefault(as_text(value), len(self.texts))
        self[key] = code
        return code


def _of_array(array: NDArray[Any]) -> Column:
    """A column of integers or truth values, without a loop over them."""
    integers = array.view(np.uint8) if array.dtype.kind == "b" else array
    places, distinct = _places(integers)
    first = np.full(len(distinct), len(array))
    first[places[::-1]] = np.arange(len(array))[::-1]
    order = np.argsort(first)[: np.count_nonzero(first < len(array))]
    rank = np.empty(len(distinct), dtype=np.int64)
    rank[order] = np.arange(len(order))
    named = [array.dtype.type(distinct[place]) for place in order.tolist()]
    return Column(tuple(map(as_text, named)), rank[places])


def _places(integers: NDArray[Any]) -> tuple[NDArray[np.int64], Sequence[int]]:
    """The place of each integer, int64 (rows,), in an increasing list that has all of them."""
    low, high = (int(integers.min()), int(integers.max())) if len(integers) else (0, -1)
    if high - low < 2 * len(integers) and high < 2**63:
        return integers.astype(np.int64) - low, range(low, high + 1)
    distinct, places = np.unique(integers, return_inverse=True)
    return places.astype(np.int64), distinct.tolist()
