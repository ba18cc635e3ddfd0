"""The symmetries of one table: permutations of its arguments that do not change it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import factorial, prod

from liftgraph.symmetry.tables.commutative import Positions


@dataclass(frozen=True, slots=True)
class Symmetries:
    """The permutations of a table's arguments that do not change it.

    ``commuting``: the sets of arguments that may be permuted freely, a partition.
    ``exchanges``: the symmetries that keep every set in its own order, as a stabiliser chain: each
    level has a position, and permutations that fix the positions of the levels before and take
    this one to each place it can go, the identity first. Every symmetry is a product of one
    permutation from each level, times permutations within the commuting sets.
    """

    commuting: tuple[Positions, ...]
    exchanges: tuple[tuple[int, tuple[Positions, ...]], ...] = ()

    @property
    def order(self) -> int:
        """How many symmetries there are, the identity included."""
        return prod(factorial(len(axes)) for axes in self.commuting) * self.exchange_count

    @property
    def exchange_count(self) -> int:
        """How many symmetries keep every commuting set in its own order."""
        return prod(len(images) for _, images in self.exchanges)

    @property
    def generators(self) -> Iterator[Positions]:
        """Symmetries whose products are all of them: swaps of neighbours, and exchanges."""
        identity = tuple(range(sum(map(len, self.commuting))))
        for axes in self.commuting:
            for i, j in pairwise(axes):
                swap = {i: j, j: i}
                yield tuple(swap.get(position, position) for position in identity)
        for _, images in self.exchanges:
            yield from images[1:]


def transversal(position: int, arity: int, generators: Sequence[Positions]) -> dict[int, Positions]:
    """For each place that products of generators take a position to, one that does; itself first.

    >>> transversal(0, 3, [(1, 2, 0)])
    {0: (0, 1, 2), 1: (1, 2, 0), 2: (2, 0, 1)}
    """
    images = {position: tuple(range(arity))}
    reached = [position]
    for place in reached:
        for generator in generators:
            if generator[place] not in images:
                images[generator[place]] = tuple(generator[k] for k in images[place])
                reached.append(generator[place])
    return images


def listed_symmetries(commuting: tuple[Positions, ...], listed: Sequence[Positions]) -> Symmetries:
    """The stabiliser chain of symmetries that are all listed, up to orders within sets.

    >>> listed_symmetries(((0,), (1,), (2,)), [(2, 0, 1), (0, 1, 2), (1, 2, 0)]).exchanges
    ((0, ((0, 1, 2), (1, 2, 0), (2, 0, 1))),)
    """
    levels = []
    fixing = sorted(listed)  # the identity is the smallest
    for position, *_ in commuting:
        images: dict[int, Positions] = {}
        for permutation in fixing:
            images.setdefault(permutation[position], permutation)
        if len(images) > 1:
            levels.append((position, tuple(images.values())))
        fixing = [permutation for permutation in fixing if permutation[position] == position]
    return Symmetries(commuting, tuple(levels))
