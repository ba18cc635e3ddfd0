"""In which order to eliminate variables: greedy weighted min-fill, among other candidates.

Finding the cheapest order is NP-hard; weighted min-fill is the heuristic that solvers of the UAI
competitions rely on (Kjærulff 1990). Where tables get large, further orders are tried: others of
the same kind, and sweeps through the model, which make far smaller tables on grids.
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
_MAX_ATTEMPTS = 24
# How many entries are computed while an order is searched, per squared degree of its variables.
_SEARCH_COST = 1000.0
# Touching an entry of a table that leaves the cache costs as much as this many multiplications.
_TRAFFIC = 16.0
BEYOND_MEMORY = 2.0**62  # entries; a search ends when it meets such a table


@dataclass(frozen=True)
class EliminationOrder:
    """Variables in the order of their elimination, and what it costs.

    ``cost``: the entries of all products; ``largest``: those of the largest product. If that
    exceeds ``BEYOND_MEMORY``, the order ends with the variable that causes it.
    """

    variables: list[int]
    cost: float
    largest: float

    @property
    def feasible(self) -> bool:
        """Whether some machine could hold its tables."""
        return self.largest <= BEYOND_MEMORY

    @property
    def score(self) -> float:
        """The number by which orders are compared: time and memory in one."""
        return self.cost + _TRAFFIC * self.largest if self.feasible else math.inf


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
    EliminationOrder(variables=[0, 1, 2], cost=12.0, largest=4.0)
    """
    graph = interaction_graph(scopes)
    best = _greedy_order(graph, sizes, kept, by_fill=True)
    effort = _SEARCH_COST * sum((1 + len(others)) ** 2 for others in graph.values())
    if best.score < effort or not graph:
        return best
    for sweep in (sorted(graph.keys() - set(kept)), _breadth_first(graph, kept)):
        best = _better(best, _fixed_order(graph, sizes, sweep, best.score))
    best = _better(best, _greedy_order(graph, sizes, kept, by_fill=False))
    noise = random.Random(0)
    for attempt in range(int(min(_MAX_ATTEMPTS, best.score / effort)) if best.feasible else 0):
        best = _better(best, _greedy_order(graph, sizes, kept, attempt % 4 > 0, noise))
    return best


def _better(first: EliminationOrder, second: EliminationOrder) -> EliminationOrder:
    return min(first, second, key=lambda order: order.score)


def interaction_graph(scopes: Iterable[Sequence[int]]) -> dict[int, set[int]]:
    """For each variable, the others that share a table with it."""
    neighbours: dict[int, set[int]] = {}
    for scope in scopes:
        for variable in scope:
            neighbours.setdefault(variable, set()).update(scope)
    for variable, others in neighbours.items():
        others.discard(variable)
    return neighbours


def _breadth_first(graph: dict[int, set[int]], kept: Collection[int]) -> list[int]:
    """Variables by their distance from one with few neighbours (Cuthill and McKee 1969)."""
    few_first = sorted(graph, key=lambda variable: len(graph[variable]))
    order: dict[int, None] = {}
    for start in few_first:
        queue = [] if start in order else [start]
        order.update(dict.fromkeys(queue))
        for variable in queue:  # grows while it is walked through
            new = [other for other in graph[variable] if other not in order]
            new.sort(key=lambda other: (len(graph[other]), other))
            order.update(dict.fromkeys(new))
            queue += new
    return [variable for variable in order if variable not in kept]


def _fixed_order(
    graph: dict[int, set[int]], sizes: Sequence[int], order: list[int], score: float
) -> EliminationOrder:
    """What a given order costs; infinite as soon as that exceeds a score to beat."""
    neighbours = {variable: set(others) for variable, others in graph.items()}
    cost = largest = 0.0
    for place, variable in enumerate(order):
        around = neighbours.pop(variable)
        size = _product_size(sizes, variable, around)
        cost, largest = cost + size, max(largest, size)
        if cost + _TRAFFIC * largest > min(score, BEYOND_MEMORY):
            return EliminationOrder(order[: place + 1], math.inf, math.inf)
        for neighbour in around:
            neighbours[neighbour] |= around
            neighbours[neighbour] -= {neighbour, variable}
    return EliminationOrder(order, cost, largest)


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
    cost = largest = 0.0
    while state.heap and largest <= BEYOND_MEMORY:
        entry = heapq.heappop(state.heap)
        variable = entry[-1]
        if state.key.get(variable) == entry:
            size = _product_size(sizes, variable, state.neighbours[variable])
            cost, largest = cost + size, max(largest, size)
            order.append(variable)
            _eliminate(state, variable)
    return EliminationOrder(order, cost, largest)


def _product_size(sizes: Sequence[int], variable: int, around: Iterable[int]) -> float:
    """Entries of the product that eliminating a variable with these neighbours makes."""
    return sizes[variable] * math.prod(map(sizes.__getitem__, around), start=1.0)


def _look_at(state: _Greedy, variable: int) -> None:
    """Count the fill-in of a variable again and put the variable in its place in the queue."""
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
        size = _product_size(state.sizes, variable, state.neighbours[variable])
        jitter = 0.0
        if state.noise is not None:
            jitter = state.noise.random()
            size = size if state.by_fill else size * (1 + jitter)
        entry = (float(state.fill.get(variable, 0)), size, jitter, variable)
    state.key[variable] = entry
    heapq.heappush(state.heap, entry)


def _fill(state: _Greedy, variable: int) -> int:
    """The weight of the edges missing between the neighbours of a variable."""
    neighbours, size = state.neighbours, state.sizes.__getitem__
    around = neighbours[variable]
    weight = 0
    for neighbour in around:
        missing = around - neighbours[neighbour]  # with itself
        if len(missing) > 1:
            weight += size(neighbour) * (sum(map(size, missing)) - size(neighbour))
    return weight // 2


def _eliminate(state: _Greedy, variable: int) -> None:
    """Join the neighbours of a variable, remove it, and update what this changed."""
    around = state.neighbours.pop(variable)
    del state.key[variable]
    simplicial = state.fill.pop(variable, None) == 0
    changed = set() if simplicial else _join(state, variable, around)
    for neighbour in around:
        state.neighbours[neighbour].discard(variable)
    for affected in around | changed:
        _look_at(state, affected)


def _join(state: _Greedy, variable: int, around: set[int]) -> set[int]:
    """Connect the neighbours of a variable; returns the others whose fill-in this changed."""
    changed: set[int] = set()
    for neighbour in around:
        for other in around - state.neighbours[neighbour]:
            if neighbour < other:
                changed |= state.neighbours[neighbour] & state.neighbours[other]
                state.neighbours[neighbour].add(other)
                state.neighbours[other].add(neighbour)
    changed.discard(variable)
    return changed
