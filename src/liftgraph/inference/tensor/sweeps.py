"""Orders that sweep through a model, whatever is greedy: as numbered, and by distance."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain

import numpy as np

_FAR = 8  # times as wide a front is not narrow in parts that are not connected


def neighbour_sets(scopes: Iterable[Sequence[int]]) -> dict[int, set[int]]:
    """For each variable, the others that share a table with it.

    >>> neighbour_sets([(4, 7), (7, 9)])
    {4: {7}, 7: {9, 4}, 9: {7}}
    """
    neighbours: dict[int, set[int]] = {}
    for scope in scopes:
        for variable in scope:
            neighbours.setdefault(variable, set()).update(scope)
    for variable, others in neighbours.items():
        others.discard(variable)
    return neighbours


def sweeps(
    scopes: Sequence[Sequence[int]], kept: Collection[int], widest: float = math.inf
) -> Iterator[list[int]]:
    """The variables that are not kept, in ascending order, and breadth first.

    ``widest``: how many variables a product may have; what is far wider is left out.
    """
    ascending = sorted(set(chain.from_iterable(scopes)).difference(kept))
    if widest == math.inf or _widest_front(scopes, ascending, kept) <= _FAR * widest:
        yield ascending
    if (order := breadth_first(neighbour_sets(scopes), kept, widest)) is not None:
        yield order


def _widest_front(scopes: Sequence[Sequence[int]], order: list[int], kept: Collection[int]) -> int:
    """The most variables that share tables with earlier ones of an order, at any place of it."""
    place = {variable: index for index, variable in enumerate([*order, *kept])}
    places = np.fromiter((place[v] for v in chain.from_iterable(scopes)), dtype=np.int64)
    if not len(places):
        return 0
    ends = np.cumsum([0, *map(len, scopes)])
    first = np.minimum.reduceat(places, ends[:-1])
    earliest = np.arange(len(place))
    np.minimum.at(earliest, places, np.repeat(first, np.diff(ends)))
    entering = np.bincount(earliest, minlength=len(place))
    return int(np.max(np.cumsum(entering) - np.arange(len(place))))


def breadth_first(
    neighbours: dict[int, set[int]], kept: Collection[int], widest: float = math.inf
) -> list[int] | None:
    """Variables by their distance from one with few neighbours (Cuthill and McKee 1969).

    What has been met of a component is connected, so that the next product covers all that was met
    and is not eliminated yet; None if these are more variables than ``widest``.
    """
    few_first = sorted(neighbours, key=lambda variable: len(neighbours[variable]))
    order: dict[int, None] = {}
    for start in few_first:
        queue = [] if start in order else [start]
        order.update(dict.fromkeys(queue))
        for eliminated, variable in enumerate(queue):  # grows while it is walked through
            new = [other for other in neighbours[variable] if other not in order]
            new.sort(key=lambda other: (len(neighbours[other]), other))
            order.update(dict.fromkeys(new))
            queue += new
            if len(queue) - eliminated > widest:
                return None
    return [variable for variable in order if variable not in kept]
