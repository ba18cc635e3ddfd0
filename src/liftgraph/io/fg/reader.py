"""Reading libDAI's factor graphs."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liftgraph.io.decimal_tables import MAX_ENTRIES, make_tables_at
from liftgraph.io.number_file import LIMIT, Tokens, read_tokens
from liftgraph.io.numerals import Numerals
from liftgraph.model.ground.builder import FactorGraphBuilder
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.names import MAX_STATES
from liftgraph.model.ground.table import MAX_ARGUMENTS

Integers = NDArray[np.int64]


class _Factor(NamedTuple):
    """A factor as listed: labels and sizes of its variables, and where its entries stand."""

    labels: list[int]
    shape: tuple[int, ...]
    entries: range  # the places of indices; each value is behind its index


def read(path: Path | str) -> FactorGraph:
    """Read a factor graph; its variables are in the order of their labels."""
    tokens = read_tokens(path)
    integers = tokens.integers(slice(None)).tolist()
    sizes: dict[int, int] = {}
    factors: list[_Factor] = []
    place, total = 1, 0
    for number in range(tokens.integer(0, "the number of factors")):
        factors.append(_factor(tokens, integers, number, place, sizes))
        place = factors[-1].entries.stop
        total += math.prod(factors[-1].shape)
        if total > MAX_ENTRIES:
            problem = f"expected tables of at most {MAX_ENTRIES:,} entries in all, got {total:,}"
            raise tokens.error(factors[-1].entries.start - 1, problem)
    if place < tokens.count:
        raise tokens.unexpected(place, "the end of the file")
    return _graph(tokens, sizes, factors)


def _factor(
    tokens: Tokens, integers: list[int], number: int, place: int, sizes: dict[int, int]
) -> _Factor:
    """The factor that starts at a place; sizes of variables are noted, and have to agree.

    ``integers``: all numbers of the file, -1 for what is no integer.
    """
    at_most = f"the number of variables of factor {number} (at most {MAX_ARGUMENTS})"
    arity = tokens.integer(place, at_most, MAX_ARGUMENTS + 1)
    middle, end = place + 1 + arity, place + 1 + 2 * arity
    labels, shape = integers[place + 1 : middle], integers[middle:end]
    for at, label in enumerate(labels, place + 1):
        if not 0 <= label < LIMIT or label in labels[: at - place - 1]:
            raise tokens.unexpected(at, f"a new label of factor {number}")
    for at, (label, size) in enumerate(zip(labels, shape, strict=False), middle):
        if not 0 < size <= MAX_STATES or sizes.setdefault(label, size) != size:
            raise tokens.unexpected(at, f"{sizes.get(label, 'some')} states of variable {label}")
    entries = tokens.integer(end, f"the number of entries of factor {number} that are not zero")
    last = end + 1 + 2 * entries
    if last > tokens.count:
        raise tokens.unexpected(tokens.count, f"{entries:,} entries of factor {number}")
    return _Factor(labels, tuple(shape), range(end + 1, last, 2))


def _graph(tokens: Tokens, sizes: dict[int, int], factors: list[_Factor]) -> FactorGraph:
    builder = FactorGraphBuilder()
    for label in sorted(sizes):
        builder.add_variable(str(label), sizes[label])
    tables, table_ids = make_tables_at(_places(tokens, factors), _with_zero(tokens.numerals))
    for factor, table in zip(factors, table_ids.tolist(), strict=True):
        builder.add_factor([str(label) for label in factor.labels], tables[table])
    return builder.build()


def _with_zero(numerals: Numerals) -> Numerals:
    """The numerals and behind them a zero, for entries that are not listed."""
    return replace(
        numerals,
        mantissa=np.append(numerals.mantissa, 0),
        exponent=np.append(numerals.exponent, 0),
        whole=np.append(numerals.whole, True),
    )


def _places(tokens: Tokens, factors: list[_Factor]) -> list[Integers]:
    """Where the value of each entry stands, int64 of each factor's shape."""
    lengths = np.array([math.prod(factor.shape) for factor in factors], dtype=np.int64)
    offsets = np.cumsum(lengths) - lengths
    counts = [len(factor.entries) for factor in factors]
    listed = np.array([*chain.from_iterable(f.entries for f in factors)], dtype=np.int64)
    indices, owners = tokens.integers(listed), np.repeat(np.arange(len(factors)), counts)
    _check_indices(tokens, listed, indices, owners, lengths)
    places = np.full(lengths.sum(), tokens.count)  # where the zero is
    places[offsets[owners] + indices] = listed + 1
    starts = zip(factors, offsets.tolist(), (offsets + lengths).tolist(), strict=True)
    return [places[start:end].reshape(factor.shape[::-1]).T for factor, start, end in starts]


def _check_indices(
    tokens: Tokens, listed: Integers, indices: Integers, owners: Integers, lengths: Integers
) -> None:
    """Refuse indices beyond a factor's table, and those that came before."""
    new = np.zeros(len(indices), dtype=bool)
    codes = np.column_stack([owners, indices])
    new[np.unique(codes, axis=0, return_index=True)[1]] = True
    wrong = np.flatnonzero((indices < 0) | (indices >= lengths[owners]) | ~new)
    if len(wrong):
        factor = int(owners[wrong[0]])
        expected = f"a new index of factor {factor} below {lengths[factor]:,}"
        raise tokens.unexpected(int(listed[wrong[0]]), expected)
