"""Reading the factor graphs of libDAI."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liftgraph.display import format_count
from liftgraph.io.allowance import STATE_COST, Allowance
from liftgraph.io.decimal_tables import make_tables_at
from liftgraph.io.files import END, error_at
from liftgraph.io.number_costs import take_digits
from liftgraph.io.number_file import LIMIT, NumberFile, read_number_file
from liftgraph.io.number_text import NumberText
from liftgraph.io.numerals import Numerals
from liftgraph.model.ground.builder import FactorGraphBuilder
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.names import MAX_STATES
from liftgraph.model.ground.table import MAX_ARGUMENTS
from liftgraph.model.memory_limit import MEMORY_LIMIT

Integers = NDArray[np.int64]

_NUMBER_COST = 100  # of a number as a Python integer and as an index, beside those in arrays
_FACTOR_COST = 1000  # of a factor with its table
_ENTRY_COST = 160
_FORCLIFT = re.compile(rb"^[ \t]*(?:domain|predicate)[ \t]+[^\W\d]", re.MULTILINE)


class _ListedFactor(NamedTuple):
    """A factor as a file lists it: labels and sizes of its variables, and where its entries are."""

    labels: list[int]
    shape: tuple[int, ...]
    entries: range  # the places of indices; each value follows its index


def read(path: Path | str, *, memory_limit: int = MEMORY_LIMIT) -> FactorGraph:
    """Read a factor graph; its variables are in the order of their labels."""
    allowance = Allowance(str(path), memory_limit)
    numbers = read_number_file(path, allowance, check=_refuse_forclift)
    allowance.take(_NUMBER_COST * numbers.count, f"it has {numbers.count:,} numbers")
    integers = numbers.integers(slice(None)).tolist()
    sizes: dict[int, int] = {}
    factors: list[_ListedFactor] = []
    place = 1
    for factor_index in range(numbers.integer(0, "the number of factors")):
        factors.append(_factor(numbers, integers, factor_index, place, sizes))
        place = factors[-1].entries.stop
        entries = math.prod(factors[-1].shape)
        size = _FACTOR_COST + _ENTRY_COST * entries
        allowance.take(size, f"factor {factor_index} has {format_count(entries)} entries")
    if place < numbers.count:
        raise numbers.unexpected(place, END)
    distinct = {0, *sizes.values()}
    allowance.take(STATE_COST * sum(distinct), f"variables have {max(distinct):,} states")
    return _graph(numbers, sizes, factors, allowance)


def _refuse_forclift(text: NumberText) -> None:
    """Refuse a model of Forclift, whose files have the same suffix."""
    if declaration := _FORCLIFT.search(text.data):
        came = "a Forclift model of domains and predicates; BLOG files hold lifted models"
        place = declaration.start()
        raise error_at(text.path, text.data, place, f"expected a libDAI graph, got {came}")


def _factor(
    numbers: NumberFile, integers: list[int], factor_index: int, place: int, sizes: dict[int, int]
) -> _ListedFactor:
    """The factor that starts at a place; sizes of variables are noted, and must agree.

    ``integers``: all numbers of the file, -1 for those that are not integers.
    """
    at_most = f"the number of variables of factor {factor_index} (at most {MAX_ARGUMENTS})"
    arity = numbers.integer(place, at_most, MAX_ARGUMENTS + 1)
    middle, end = place + 1 + arity, place + 1 + 2 * arity
    labels, shape = integers[place + 1 : middle], integers[middle:end]
    for at, label in enumerate(labels, place + 1):
        if not 0 <= label < LIMIT or label in labels[: at - place - 1]:
            raise numbers.unexpected(at, f"a new label of factor {factor_index}")
    for at, (label, size) in enumerate(zip(labels, shape, strict=False), middle):
        if not 0 < size <= MAX_STATES or sizes.setdefault(label, size) != size:
            raise numbers.unexpected(at, f"{sizes.get(label, 'some')} states of variable {label}")
    nonzero = f"the number of entries of factor {factor_index} that are not zero"
    entries = numbers.integer(end, nonzero)
    last = end + 1 + 2 * entries
    if last > numbers.count:
        raise numbers.unexpected(numbers.count, f"{entries:,} entries of factor {factor_index}")
    return _ListedFactor(labels, tuple(shape), range(end + 1, last, 2))


def _graph(
    numbers: NumberFile,
    sizes: dict[int, int],
    factors: list[_ListedFactor],
    allowance: Allowance,
) -> FactorGraph:
    builder = FactorGraphBuilder()
    for label in sorted(sizes):
        builder.add_variable(str(label), sizes[label])
    places, numerals = _places(numbers, factors), _with_zero(numbers.numerals)
    tables, table_ids = make_tables_at(places, numerals, numbers.error)
    for table in tables:
        take_digits(allowance, table)
    for factor, table_id in zip(factors, table_ids.tolist(), strict=True):
        builder.add_factor([str(label) for label in factor.labels], tables[table_id])
    return builder.build()


def _with_zero(numerals: Numerals) -> Numerals:
    """The numerals, followed by a zero for the entries that are not listed."""
    return replace(
        numerals,
        mantissa=np.append(numerals.mantissa, 0),
        exponent=np.append(numerals.exponent, 0),
        whole=np.append(numerals.whole, True),
    )


def _places(numbers: NumberFile, factors: list[_ListedFactor]) -> list[Integers]:
    """Where the value of each entry is, int64 of each factor's shape."""
    lengths = np.array([math.prod(factor.shape) for factor in factors], dtype=np.int64)
    offsets = np.cumsum(lengths) - lengths
    counts = [len(factor.entries) for factor in factors]
    listed = np.array([*chain.from_iterable(f.entries for f in factors)], dtype=np.int64)
    indices, owners = numbers.integers(listed), np.repeat(np.arange(len(factors)), counts)
    _check_indices(numbers, listed, indices, owners, lengths)
    places = np.full(lengths.sum(), numbers.count)  # the place of the zero
    places[offsets[owners] + indices] = listed + 1
    starts = zip(factors, offsets.tolist(), (offsets + lengths).tolist(), strict=True)
    return [places[start:end].reshape(factor.shape[::-1]).T for factor, start, end in starts]


def _check_indices(
    numbers: NumberFile, listed: Integers, indices: Integers, owners: Integers, lengths: Integers
) -> None:
    """Refuse indices beyond a factor's table, and indices that come twice."""
    new = np.zeros(len(indices), dtype=bool)
    codes = np.column_stack([owners, indices])
    new[np.unique(codes, axis=0, return_index=True)[1]] = True
    wrong = np.flatnonzero((indices < 0) | (indices >= lengths[owners]) | ~new)
    if len(wrong):
        factor = int(owners[wrong[0]])
        expected = f"a new index of factor {factor} below {lengths[factor]:,}"
        raise numbers.unexpected(int(listed[wrong[0]]), expected)
