"""What arguments contribute to a potential that is never expanded: those alike commute.

Arguments of a count factor with the same addends, and causes of a noisy-MAX with the same effects,
may be permuted freely, by definition: no table is needed to see it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from liftgraph.model.ground.count_potential import CountPotential
from liftgraph.model.ground.noisy_max import NoisyMax
from liftgraph.model.ground.table import Potential, Shared, Table

T = TypeVar("T")
_FEW_ENTRIES = 1 << 10  # of a table that shows all symmetries, and is soon made


@dataclass(frozen=True, slots=True)
class Contributions:
    """``labels``: int64 (k,), the same for arguments that contribute alike. ``key``: equal for
    potentials that differ only in the order of their arguments and in their ``scale``; keys of a
    graph are sorted, so that nothing depends on the order of potentials."""

    labels: NDArray[np.int64]
    key: tuple[Any, ...]
    scale: Fraction


def is_wide(potential: Potential) -> bool:
    """Whether colours are passed without expanding a potential: it has many entries, and is of a
    kind whose definition shows which arguments commute."""
    match potential:
        case CountPotential(weights=weights):
            known = weights is None or len(weights.shape) <= 2
        case _:
            known = isinstance(potential, NoisyMax)
    return known and math.prod(potential.shape[:64]) > _FEW_ENTRIES


def contributions(potential: Potential, ordered: bool, up_to_scale: bool) -> Contributions:
    """What each argument contributes. Precondition: the potential is wide.

    ``ordered``: every position counts on its own. ``up_to_scale``: scales are not in the key.

    >>> most = CountPotential(((1, 0), (2, 0), (1, 0)), Table.of([0, 0, 0, 1, 1]))
    >>> contributions(most, ordered=False, up_to_scale=True).labels.tolist()
    [0, 1, 0]
    """
    if isinstance(potential, NoisyMax):
        labels, distinct = _ranked(potential.shared, _content, ordered)
        rest: tuple[Any, ...] = _content(potential.leak), potential.ranks
        further, scale = 1, Fraction(1)
    else:
        assert isinstance(potential, CountPotential)
        labels, distinct = _ranked(potential.shared, tuple, ordered)
        rest = () if potential.weights is None else _content(potential.weights)[:2]
        further, scale = len(potential.shape) - len(labels), potential.scale
    own = len(distinct) + np.arange(further)  # each further argument contributes in its own way
    sizes = tuple(np.bincount(labels).tolist())
    key = type(potential).__name__, tuple(distinct), sizes, rest, up_to_scale or scale
    return Contributions(np.append(labels, own), key, scale)


def _ranked(
    contributed: Shared[T], content: Callable[[T], tuple[Any, ...]], ordered: bool
) -> tuple[NDArray[np.int64], list[tuple[Any, ...]]]:
    """The rank of each argument's among the distinct ones, and these in order; or each on its own.

    ``content``: what they are sorted by.
    """
    contents = [*map(content, contributed.distinct)]
    if ordered:
        return np.arange(len(contributed.index)), [contents[k] for k in contributed.index.tolist()]
    distinct = sorted(set(contents))
    place = {one: rank for rank, one in enumerate(distinct)}
    rank = np.array([place[one] for one in contents], dtype=np.int64)
    return rank[contributed.index], distinct


def _content(table: Table) -> tuple[Any, ...]:
    return table.shape, tuple(table.integers.ravel().tolist()), table.scale
