"""In which order to eliminate variables: greedy weighted min-fill, among other candidates.

The cost of an order is the number of entries of all tables it makes. Finding the cheapest order
is NP-hard; weighted min-fill is the heuristic that solvers of the UAI competitions rely on
(Kjærulff 1990). Where tables get large, cheaper than computing them is to try further orders.
"""

from __future__ import annotations

import heapq
import math
import random
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

# Fill-in is counted only around variables with at most this many neighbours: the others are not
# eliminated before most of their neighbours are gone, and counting would be quadratic.
_MAX_DEGREE = 64
_HOPELESS = 2.0**45  # entries; no other order will bring these into memory
_MAX_ATTEMPTS = 24
# How many entries are computed while an order is searched, per squared degree of its variables.
_SEARCH_COST = 1000.0


@dataclass(frozen=True)
class EliminationOrder:
    """Variables in the order of their elimination, and the entries of all tables on the way."""

    variables: list[int]
    cost: float


@dataclass
class _Greedy:
    """The interaction graph while variables leave it one by one."""

    sizes: Sequence[int]
    neighbours: dict[int, set[int]]
    kept: Collection[int]
    by_fill: bool
    noise: random.Random | None
    fill: dict[int, int] = field(default_factory=dict)  # absent where it is too costly to count
    heap: list[tuple[float, float, float, int]] = field(default_factory=list)
    key: dict[int, tuple[float, float, float, int]] = field(default_factory=dict)


def elimination_order(
    scopes: Iterable[Sequence[int]], sizes: Sequence[int], kept: Collection[int] = ()
) -> EliminationOrder:
    """A good order to eliminate all variables that are not kept.

    ``scopes``: the variables of each table; ``sizes``: the number of states of each variable.

    >>> chain = [(0, 1), (1, 2), (2, 3)]
    >>> elimination_order(chain, [2, 2, 2, 2], kept={3})
    EliminationOrder(variables=[0, 1, 2], cost=12.0)
    """
    graph = interaction_graph(scopes)
    best = _greedy_order(graph, sizes, kept, by_fill=True)
    effort = _SEARCH_COST * sum((1 + len(others)) ** 2 for others in graph.values())
    if not effort < best.cost < _HOPELESS:
        return best
    noise = random.Random(0)
    attempts = range(min(_MAX_ATTEMPTS, int(best.cost / effort)))
    others = [_greedy_order(graph, sizes, kept, attempt % 4 > 0, noise) for attempt in attempts]
    smallest_first = _greedy_order(graph, sizes, kept, by_fill=False)
    return min([best, smallest_first, *others], key=lambda order: order.cost)


def interaction_graph(scopes: Iterable[Sequence[int]]) -> dict[int, set[int]]:
    """For each variable the others that share a table with it."""
    neighbours: dict[int, set[int]] = {}
    for scope in scopes:
        for variable in scope:
            neighbours.setdefault(variable, set()).update(scope)
    for variable, others in neighbours.items():
        others.discard(variable)
    return neighbours


def _greedy_order(
    graph: dict[int, set[int]],
    sizes: Sequence[int],
    kept: Collection[int],
    by_fill: bool,
    noise: random.Random | None = None,
) -> EliminationOrder:
    copy = {variable: set(others) for variable, others in graph.items()}
    state = _Greedy(sizes, copy, kept, by_fill, noise)
    for variable in copy:
        _look_at(state, variable)
    order: list[int] = []
    cost = 0.0
    while state.heap:
        entry = heapq.heappop(state.heap)
        variable = entry[-1]
        if state.key.get(variable) == entry:
            cost += _table_size(state, variable)
            order.append(variable)
            _eliminate(state, variable)
    return EliminationOrder(order, cost)


def _table_size(state: _Greedy, variable: int) -> float:
    """Entries of the table that eliminating this variable makes, itself included."""
    size = float(state.sizes[variable])
    for other in state.neighbours[variable]:
        size *= state.sizes[other]
    return size


def _look_at(state: _Greedy, variable: int) -> None:
    """Count the fill-in of a variable anew and put it where it belongs in the queue."""
    if variable in state.kept:
        return
    if state.by_fill and len(state.neighbours[variable]) <= _MAX_DEGREE:
        state.fill[variable] = _fill(state, variable)
    _enqueue(state, variable)


def _enqueue(state: _Greedy, variable: int) -> None:
    degree = len(state.neighbours[variable])
    if degree > _MAX_DEGREE:
        state.fill.pop(variable, None)
        entry = (math.inf, float(degree), 0.0, variable)
    else:
        jitter = state.noise.random() if state.noise else 0.0
        size = _table_size(state, variable)
        spread = size if state.noise is None or state.by_fill else size * (1 + jitter)
        entry = (float(state.fill.get(variable, 0)), spread, jitter, variable)
    state.key[variable] = entry
    heapq.heappush(state.heap, entry)


def _fill(state: _Greedy, variable: int) -> int:
    """The weight of the edges missing between the neighbours of a variable."""
    around = state.neighbours[variable]
    weight = 0
    for one in around:
        missing = around - state.neighbours[one]
        if len(missing) > 1:
            states = sum([state.sizes[other] for other in missing]) - state.sizes[one]
            weight += state.sizes[one] * states
    return weight // 2


def _eliminate(state: _Greedy, variable: int) -> None:
    """Join the neighbours of a variable, take it out, and look again at what this changed."""
    around = state.neighbours.pop(variable)
    del state.key[variable]
    simplicial = state.fill.pop(variable, None) == 0
    changed = set() if simplicial else _join(state, variable, around)
    for one in around:
        state.neighbours[one].discard(variable)
    for one in around | changed:
        _look_at(state, one)


def _join(state: _Greedy, variable: int, around: set[int]) -> set[int]:
    """Connect the neighbours of a variable; returns whose fill-in this changed besides theirs."""
    changed: set[int] = set()
    for one in around:
        for other in around - state.neighbours[one]:
            if one < other:
                changed |= state.neighbours[one] & state.neighbours[other]
                state.neighbours[one].add(other)
                state.neighbours[other].add(one)
    changed.discard(variable)
    return changed
