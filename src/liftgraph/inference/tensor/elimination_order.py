"""In which order to eliminate variables: more orders are tried the more the best one costs.

Finding the cheapest order is NP-hard. The order of smallest products comes first; where it is
cheap, it is taken. Otherwise weighted min-fill, random orders of that kind and sweeps compete, and
orders that were found for other questions about the same model. Expensive ones are reconfigured
by cotengra, if it is installed. What would still be refused gets ``better_orders``: a longer
search, which ends after some rounds, or some seconds after the question was asked.

A hopeless search ends early, by a rule that is not a theorem: where sweeps and greedy orders all
make tables that pass what memory can hold by a factor of 2^20, no other order is tried.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from liftgraph.errors import InputError, quoted
from liftgraph.inference.tensor.greedy_orders import GreedyOrder, min_fill_order, min_size_order
from liftgraph.inference.tensor.interaction_graph import InteractionGraph, interaction_graph
from liftgraph.inference.tensor.order_cost import TRAFFIC, EliminationOrder, costed, infeasible
from liftgraph.inference.tensor.reconfiguration import can_reconfigure, reconfigured
from liftgraph.inference.tensor.sparse_orders import thinned
from liftgraph.inference.tensor.sweeps import sweeps

_LONGEST = 10**9  # seconds; more are all the same
_MAX_ATTEMPTS = 24
MAX_ROUNDS = 16  # of a longer search
_FEW = 4096  # variables whose neighbourhoods are bits; larger graphs are thinned before
# How many multiplications take as long as min-fill does, for each variable of each product.
_SEARCH_COST = 20_000.0
_WORTH = 2.0  # min-fill is tried where elimination takes this many times as long as min-fill,
_CHEAP = _WORTH * _SEARCH_COST
_SHARE = 4.0  # and random orders, as many as take this part of the time that elimination takes
BEYOND_MEMORY = 2.0**62  # entries; a search ends when it meets such a table
# The score of orders that are worth the time to load cotengra, and of those that would be refused.
_RECONFIGURED, _RECONFIGURABLE = 10.0**10, 10.0**7
_RECONFIGURATION = 8.0  # how many greedy orders take as long as reconfiguring one
_LARGE = 16  # the square root of how many states a variable has which is as good as observed,
_OBSERVED = 1.001  # and how many it then seems to have: the fewer such variables, the better
_FAR = 2.0**20  # tables that are this many times too large are not made small by another order


@dataclass(frozen=True, slots=True)
class Deadline:
    """When the search for a plan ends, by ``time.monotonic``: it began when a question was asked,
    so that grounding, lifting and the first orders count."""

    moment: float = -math.inf

    @property
    def is_over(self) -> bool:
        """Whether the moment is over."""
        return time.monotonic() > self.moment


NO_SEARCH = Deadline()


@dataclass(frozen=True)
class Search:
    """What a search for an order may use.

    ``fitting``: the entries of the largest table that memory can hold: the search ends, with an
    order that is not feasible, where quick orders make tables that pass this by far. ``known``:
    orders, perhaps of fewer or other variables, that compete. ``deadline``: when a longer search
    ends at the latest, and ``rounds``: how many rounds it has.
    """

    fitting: float = math.inf
    known: tuple[Sequence[int], ...] = ()
    deadline: Deadline = NO_SEARCH
    rounds: int = MAX_ROUNDS

    @property
    def beyond(self) -> float:
        """How many entries are too many for the search to go on."""
        return beyond_memory(self.fitting)


EVERYTHING = Search()  # without a limit


@dataclass(frozen=True)
class _Problem:
    """Tables over variables; ``eliminated``: those that go first; ``graph``: what they leave."""

    scopes: Sequence[Sequence[int]]
    sizes: Sequence[int]
    kept: Sequence[int]
    beyond: float
    eliminated: list[int]
    graph: InteractionGraph

    def costed(self, order: list[int], best: float = math.inf) -> EliminationOrder:
        """An order with its cost, unless that exceeds the best score so far."""
        return costed(self.scopes, self.sizes, order, self.kept, self.beyond, best)

    def cheap(self, greedy: GreedyOrder) -> EliminationOrder:
        """A greedy order with a bound on its cost. Precondition: nothing was eliminated before."""
        order = [self.graph.variables[label] for label in greedy.labels]
        bound = greedy.entries
        return EliminationOrder(order, bound, bound, bound, len(order))

    def extended(self, order: Sequence[int]) -> list[int]:
        """An order cut down to the variables here; those it lacks go first, smallest products
        first."""
        graph = self.graph
        label = {variable: index for index, variable in enumerate(graph.variables)}
        ordered = set(order)
        later = sum([1 << label[variable] for variable in ordered if variable in label])
        first = min_size_order(replace(graph, kept=graph.kept | later))
        here = ordered.intersection(label).difference(self.kept)
        before = self.eliminated + [graph.variables[index] for index in first.labels]
        return before + [variable for variable in order if variable in here]

    def largest_last(self, best: float) -> Iterator[EliminationOrder]:
        """The order of smallest products as if the largest variables were observed, if some are
        large: then a chain that depends on a count all along goes link by link."""
        sizes = self.graph.sizes
        least = math.sqrt(max(sizes))
        if least >= _LARGE:
            observed = [_OBSERVED if size >= least else size for size in sizes]
            graph = replace(self.graph, sizes=observed)  # type: ignore[arg-type]
            greedy = min_size_order(graph)
            yield self.completed(greedy, best)

    def reconfigured(self, order: EliminationOrder) -> EliminationOrder:
        """An order that cotengra makes from another one."""
        return self.costed(reconfigured(order.variables, self.scopes, self.sizes, self.kept))

    def completed(self, greedy: GreedyOrder, best: float = math.inf) -> EliminationOrder:
        """The order that begins with what goes first and goes on greedily."""
        order = self.eliminated + [self.graph.variables[label] for label in greedy.labels]
        return self.costed(order, best) if greedy.complete else infeasible(order)


def beyond_memory(fitting: float) -> float:
    """How many entries are too many for a search to go on. ``fitting``: how many fit."""
    return min(BEYOND_MEMORY, _FAR * min(fitting, BEYOND_MEMORY))


def checked_deadline(seconds: object) -> Deadline:
    """The end of a search that begins now; anything but a number of seconds from 0 on is refused.

    A deadline stays as it is, since a question may be put to another model.
    """
    if isinstance(seconds, Deadline):
        return seconds
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not is_number or not seconds >= 0:  # type: ignore[operator]
        raise InputError(f"expected a number of seconds to search, got {quoted(seconds)}")
    return Deadline(time.monotonic() + float(min(seconds, _LONGEST)))  # type: ignore[call-overload]


def elimination_order(
    scopes: Sequence[Sequence[int]],
    sizes: Sequence[int],
    kept: Collection[int] = (),
    search: Search = EVERYTHING,
) -> EliminationOrder:
    """A good order to eliminate all variables that are not kept.

    ``scopes``: the variables of each table; ``sizes``: the number of states of each variable.

    >>> chain = [(0, 1), (1, 2), (2, 3)]
    >>> elimination_order(chain, [2, 2, 2, 2], kept={3}).variables
    [0, 1, 2]
    """
    kept = _covered(kept, scopes)
    problem = _problem(scopes, sizes, kept, search)
    if isinstance(problem, EliminationOrder):
        swept = sweeps(scopes, kept, _widest(scopes, sizes, search.beyond))
        return _best([problem, *(costed(scopes, sizes, o, kept, search.beyond) for o in swept)])
    greedy = min_size_order(problem.graph, problem.beyond)
    if not problem.eliminated and (1 + TRAFFIC) * greedy.entries < _CHEAP * len(greedy.labels):
        return problem.cheap(greedy)
    return _searched(problem, problem.completed(greedy), search.known)


def better_orders(
    scopes: Sequence[Sequence[int]],
    sizes: Sequence[int],
    kept: Collection[int],
    order: Sequence[int],
    search: Search,
) -> Iterator[EliminationOrder]:
    """Orders that are each better than those before, and than a given one.

    The search is random with a fixed seed. It ends at ``search.deadline``, but most often after a
    number of rounds that depends on nothing else.
    """
    kept = _covered(kept, scopes)
    problem = _problem(scopes, sizes, kept, search)
    if isinstance(problem, EliminationOrder):
        return
    if search.deadline.is_over:
        return
    best = problem.costed(list(order))
    reconfigures = best.score > _RECONFIGURABLE and can_reconfigure()
    noise = random.Random(1).random
    for round_index in range(min(search.rounds, len(order))):
        if search.deadline.is_over:
            return
        candidate = best
        if round_index:
            candidate = problem.completed(min_fill_order(problem.graph, problem.beyond, noise))
        if candidate.feasible and reconfigures:
            candidate = problem.reconfigured(candidate)
        if candidate.score < best.score:
            best = candidate
            yield best


def _covered(kept: Iterable[int], scopes: Iterable[Iterable[int]]) -> list[int]:
    """The kept variables that are in a table."""
    wanted = dict.fromkeys(kept)
    covered = wanted.keys() & set(chain.from_iterable(scopes)) if wanted else ()
    return [variable for variable in wanted if variable in covered]


def _problem(
    scopes: Sequence[Sequence[int]], sizes: Sequence[int], kept: list[int], search: Search
) -> _Problem | EliminationOrder:
    """What to search in; or an infeasible order, if a graph is too large to be thinned."""
    if len(scopes) <= _FEW and len(set(chain.from_iterable(scopes))) <= _FEW:
        graph = interaction_graph(scopes, sizes, kept)
        return _Problem(scopes, sizes, kept, search.beyond, [], graph)
    left = thinned(scopes, sizes, kept, _FEW, search.beyond)
    if left.graph is None:
        return infeasible(left.eliminated)
    return _Problem(scopes, sizes, kept, search.beyond, left.eliminated, left.graph)


def _searched(
    problem: _Problem, first: EliminationOrder, known: Iterable[Sequence[int]]
) -> EliminationOrder:
    """The best of as many orders as their cost is worth. ``first``: the one to improve on."""
    best = _best(
        [first, *(problem.costed(problem.extended(order), first.score) for order in known)]
    )
    if best.score <= _WORTH * _SEARCH_COST * best.widths:
        return best
    if best.score > _SHARE * _SEARCH_COST * best.widths:
        widest = _widest(problem.scopes, problem.sizes, problem.beyond)
        for sweep in sweeps(problem.scopes, problem.kept, widest):
            best = _best([best, problem.costed(sweep, best.score)])
    best = _best([best, *problem.largest_last(best.score)])
    if not best.feasible:
        best = problem.completed(min_fill_order(problem.graph, problem.beyond))
        if not best.feasible:
            return best
    noise = random.Random(0).random
    for attempt in range(max(1, _worth(best, 1.0, _MAX_ATTEMPTS))):
        most = min(problem.beyond, best.multiplications)
        greedy = min_fill_order(problem.graph, most, noise if attempt else None)
        best = _best([best, problem.completed(greedy, best.score)])
    reconfigures = best.score > _RECONFIGURED and best.largest <= problem.beyond / _FAR
    if reconfigures and _worth(best, _RECONFIGURATION, 1) and can_reconfigure():
        best = _best([best, problem.reconfigured(best)])
    return best


def _widest(scopes: Iterable[Iterable[int]], sizes: Sequence[int], beyond: float) -> float:
    """How many variables a product of at most this many entries may have."""
    least = min([sizes[variable] for variable in set(chain.from_iterable(scopes))], default=1)
    return math.log2(beyond) / math.log2(least) if least > 1 and beyond > 0 else math.inf


def _worth(order: EliminationOrder, greedy_orders: float, most: int) -> int:
    """How often something may be tried that takes as long as some greedy orders, at most."""
    return int(min(most, order.score / (_SHARE * _SEARCH_COST * order.widths * greedy_orders)))


def _best(orders: Iterable[EliminationOrder]) -> EliminationOrder:
    return min(orders, key=lambda order: order.score)
