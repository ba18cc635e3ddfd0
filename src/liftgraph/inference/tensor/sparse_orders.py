"""The first eliminations in a large graph: those of small products, until few are left."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from liftgraph.inference.tensor.interaction_graph import InteractionGraph
from liftgraph.inference.tensor.sweeps import neighbour_sets

_MANY = 64  # neighbours of variables that are not eliminated before most of these are gone


@dataclass(frozen=True)
class Thinned:
    """What eliminations leave. ``eliminated``: the variables that are gone, in their order.

    ``graph``: what is left; None if the last product has more entries than was allowed.
    """

    eliminated: list[int]
    graph: InteractionGraph | None


def thinned(
    scopes: Iterable[Sequence[int]],
    sizes: Sequence[int],
    kept: Collection[int],
    left: int,
    most: float,
) -> Thinned:
    """Eliminate a variable of the smallest product, up to a factor of two, until few are ``left``.

    This ends early where a product has more entries than ``most``. Variables wait in a bucket for
    each number of bits of their products, the last one in front.
    """
    around = neighbour_sets(scopes)
    count = _bit_counter(sizes, around)
    bits = {variable: count(variable, near) for variable, near in around.items()}
    for variable in kept:
        bits.pop(variable, None)
    buckets: list[list[int]] = [[] for _ in range(_MANY + 2)]
    for variable, lowest in bits.items():
        buckets[lowest].append(variable)
    eliminated: list[int] = []
    lowest = 0
    while len(around) > left and lowest <= _MANY + 1:
        if not buckets[lowest]:
            lowest += 1
            continue
        variable = buckets[lowest].pop()
        if bits.get(variable) != lowest:
            continue
        eliminated.append(variable)
        near = around.pop(variable)
        del bits[variable]
        if _entries(sizes, variable, near) > most:
            return Thinned(eliminated, None)
        for other in near:
            joined = around[other]
            joined |= near
            joined.discard(other)
            joined.discard(variable)
            if other in bits:
                length = count(other, joined)
                if length != bits[other]:
                    bits[other] = length
                    buckets[length].append(other)
                    if length < lowest:
                        lowest = length
    return Thinned(eliminated, _as_bits(around, sizes, kept))


def _bit_counter(sizes: Sequence[int], variables: Iterable[int]) -> Callable[[int, set[int]], int]:
    """A function from a variable and its neighbours to the bits of the entries of their product.

    These are at most one more than there may be many neighbours: counting would be quadratic.
    """
    distinct = {sizes[variable] for variable in variables}
    if len(distinct) == 1:
        (size,) = distinct
        bits = [min((size ** (near + 1)).bit_length(), _MANY + 1) for near in range(_MANY + 1)]
        return lambda variable, near: bits[len(near)] if len(near) <= _MANY else _MANY + 1

    def counted(variable: int, near: set[int]) -> int:
        if len(near) > _MANY:
            return _MANY + 1
        entries = math.prod(map(sizes.__getitem__, near)) * sizes[variable]
        return min(entries.bit_length(), _MANY + 1)

    return counted


def _entries(sizes: Sequence[int], variable: int, near: Iterable[int]) -> float:
    """The entries of the product that eliminating a variable with these neighbours makes."""
    return sizes[variable] * math.prod(map(sizes.__getitem__, near), start=1.0)


def _as_bits(
    around: dict[int, set[int]], sizes: Sequence[int], kept: Collection[int]
) -> InteractionGraph:
    variables = sorted(around)
    bit = {variable: 1 << label for label, variable in enumerate(variables)}
    neighbours = [sum([bit[other] for other in around[variable]]) for variable in variables]
    kept_bits = sum([bit[variable] for variable in set(kept) if variable in bit])
    return InteractionGraph(variables, neighbours, [sizes[v] for v in variables], kept_bits)
