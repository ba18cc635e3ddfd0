"""Which variables share a table, as bits: the graph from which variables are eliminated.

A set of variables is an integer with a bit for each of them, so that joining, intersecting and
counting neighbourhoods of hundreds of variables are single operations.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain


@dataclass(frozen=True)
class InteractionGraph:
    """Variables, their neighbours, and which of them are kept.

    ``variables``: those in some table, ascending; the label of each is its place here.
    ``neighbours``: for each label, the labels that share a table with it, as bits. ``sizes``: the
    number of states of each label. ``kept``: the labels that are not eliminated, as bits.
    """

    variables: list[int]
    neighbours: list[int]
    sizes: list[int]
    kept: int


def interaction_graph(
    scopes: Iterable[Sequence[int]], sizes: Sequence[int], kept: Collection[int] = ()
) -> InteractionGraph:
    """The graph of tables over these variables.

    >>> interaction_graph([(4, 7), (7, 9)], sizes=[2] * 10).neighbours
    [2, 5, 2]
    """
    distinct = set(scopes)
    variables = sorted(set(chain.from_iterable(distinct)))
    bit = {variable: 1 << label for label, variable in enumerate(variables)}
    around = dict.fromkeys(variables, 0)
    for scope in distinct:
        together = 0
        for variable in scope:
            together |= bit[variable]
        for variable in scope:
            around[variable] |= together
    neighbours = [around[variable] ^ bit[variable] for variable in variables]
    kept_bits = sum([bit[variable] for variable in set(kept) if variable in bit])
    return InteractionGraph(variables, neighbours, [sizes[v] for v in variables], kept_bits)


def labels(bits: int) -> list[int]:
    """The places of the bits that are set, ascending.

    >>> labels(0b10011)
    [0, 1, 4]
    """
    places = []
    while bits:
        lowest = bits & -bits
        places.append(lowest.bit_length() - 1)
        bits ^= lowest
    return places


def entry_counter(sizes: Sequence[int]) -> Callable[[int], float]:
    """A function that counts the entries of a table over labels, given as bits.

    >>> entry_counter([2, 3, 2])(0b111)
    12.0
    """
    groups = _groups(sizes)
    if len(groups) == 1:
        powers = _powers(sizes[0], len(sizes))
        return lambda bits: powers[bits.bit_count()]
    tabulated = [(group, _powers(size, group.bit_count())) for size, group in groups.items()]

    def entries(bits: int) -> float:
        product = 1.0
        for group, powers in tabulated:
            product *= powers[(bits & group).bit_count()]
        return product

    return entries


def weigher(weights: Sequence[int]) -> Callable[[int], int]:
    """A function that adds the weights of labels, given as bits.

    >>> weigher([2, 3, 2])(0b110)
    5
    """
    groups = _groups(weights)
    if len(groups) == 1 and weights[0] == 1:
        return int.bit_count
    listed = list(groups.items())

    def weight(bits: int) -> int:
        total = 0
        for size, group in listed:
            total += size * (bits & group).bit_count()
        return total

    return weight


def _groups(sizes: Sequence[int]) -> dict[int, int]:
    """For each size, the labels that have it, as bits."""
    groups: dict[int, int] = {}
    for label, size in enumerate(sizes):
        groups[size] = groups.get(size, 0) | 1 << label
    return groups


def _powers(size: int, count: int) -> list[float]:
    """Powers of a size from 0 on; those too large for a float are infinite."""
    finite = int(1023 / math.log2(size)) if size > 1 else count
    powers = [float(size) ** exponent for exponent in range(min(count, finite) + 1)]
    return powers + [math.inf] * (count + 1 - len(powers))
