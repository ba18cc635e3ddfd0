"""Dirichlet priors: what is added to the counts of each factor, exactly."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import InputError, quoted, short_traceback
from liftgraph.exact import rational, shortened, shown
from liftgraph.model.ground.table import Table

Number = int | Fraction | str


@dataclass(frozen=True)
class BDeu:
    """The Dirichlet prior that values all network structures with the same independences alike.

    Each variable gets ``sample_size`` pseudo-counts, spread evenly over all states of it and its
    parents (Heckerman, Geiger and Chickering 1995).

    >>> BDeu(10)
    BDeu(sample_size=10)
    """

    sample_size: Number

    @short_traceback
    def __post_init__(self) -> None:
        size = exact_number(self.sample_size, "the sample size of BDeu")
        if size <= 0:
            raise InputError("expected a positive sample size of BDeu, got 0")


# For each factor: a number for all of its counts, or a table of them.
Prior: TypeAlias = "Number | BDeu | Mapping[Any, Number | BDeu | Sequence[Any]]"


class Counted(NamedTuple):
    """A factor whose assignments are counted.

    ``key``: what a prior calls it: the name of its child in a network, else its scope. ``child``:
    the argument whose distribution it is, if it is one.
    """

    key: Any
    shape: tuple[int, ...]
    child: int | None


def pseudo_counts(
    prior: object, factors: Sequence[Counted], is_network: bool
) -> list[NDArray[Any]]:
    """What is added to the counts of each factor: Python's fractions, in its shape."""
    if not isinstance(prior, Mapping):
        return [_added(prior, factor.shape, is_network) for factor in factors]
    given = {_key(key, is_network): value for key, value in prior.items()}
    expected = "a variable" if is_network else "one of the scopes"
    known = {factor.key for factor in factors}
    for key in given:
        if key not in known:
            raise InputError(f"prior: expected {expected}, got {_named(key)}")
    added: list[NDArray[Any]] = []
    for factor in factors:
        try:
            added.append(_child_last(given.get(factor.key, 0), factor, is_network))
        except InputError as error:
            raise InputError(f"{_named(factor.key)}: {error}") from None
    return added


def _child_last(prior: object, factor: Counted, is_network: bool) -> NDArray[Any]:
    """What is added to a factor's counts. A given table has its child as the last axis."""
    shape, child = factor.shape, factor.child
    if child is None:
        return _added(prior, shape, is_network)
    moved = (*shape[:child], *shape[child + 1 :], shape[child])
    return np.moveaxis(_added(prior, moved, is_network), -1, child)


def _key(key: object, is_network: bool) -> object:
    return tuple(key) if isinstance(key, list) and not is_network else key


def _named(key: object) -> str:
    return f"({', '.join(map(str, key))})" if isinstance(key, tuple) else shortened(str(key))


def _added(prior: object, shape: tuple[int, ...], is_network: bool) -> NDArray[Any]:
    if isinstance(prior, Iterable) and not isinstance(prior, str):
        return _table(prior, shape)
    added = np.empty(shape, dtype=object)
    if isinstance(prior, BDeu):
        if not is_network:
            raise InputError("prior: expected numbers to add to counts, got BDeu (for networks)")
        added[...] = rational(prior.sample_size) / math.prod(shape)
    else:
        added[...] = exact_number(prior, "prior")
    return added


def _table(prior: object, shape: tuple[int, ...]) -> NDArray[Any]:
    values: object = prior.tolist() if isinstance(prior, np.ndarray) else prior
    table = Table.of(values)
    if table.measured and table.scale.denominator != 1:
        raise InputError("prior: expected integers, fractions or decimals as text, got floats")
    if table.shape != shape:
        expected = "×".join(map(str, shape))
        raise InputError(f"prior: expected a table of {expected} pseudo-counts, got {table.shape}")
    return np.asarray(table.integers.astype(object) * table.scale, dtype=object)


def exact_number(value: object, what: str) -> Fraction:
    """A number that is not negative, exactly; a float must be an integer, as 0.1 is no tenth."""
    if isinstance(value, float | np.floating) and not value.is_integer():
        expected = "integers, fractions or decimals as text"
        raise InputError(f"{what}: expected {expected}, got {quoted(value)}")
    try:
        return rational(value)
    except InputError as error:
        raise InputError(f"{what}: {error}") from None


def described(prior: object) -> str:
    """What a report says about a prior; nothing if there is none."""
    if isinstance(prior, BDeu):
        return f"BDeu prior of sample size {prior.sample_size}"
    if isinstance(prior, Mapping):
        return f"pseudo-counts given for {len(prior):,} of them" if prior else ""
    number = exact_number(prior, "prior")
    return f"{shown(number)} added to each count" if number else ""
