"""What a given elimination order costs."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

# Writing an entry, and reading it again, takes as long as this many multiplications in a product
# of matrices (measured on grids: 6 and 0.2 nanoseconds).
TRAFFIC = 32.0


@dataclass(frozen=True)
class EliminationOrder:
    """Variables in the order of their elimination, and what it costs.

    ``multiplications``: those of all products; ``written``: the entries of all results;
    ``largest``: the entries of the largest result. All are infinite if a product is too large; the
    order then ends with the variable that causes it. ``widths``: the variables of all products,
    or of the order alone, and the others are bounds, where cheap orders are not examined.
    """

    variables: list[int]
    multiplications: float
    written: float
    largest: float
    widths: int

    @property
    def feasible(self) -> bool:
        """Whether some machine could hold its tables."""
        return self.largest < math.inf

    @property
    def score(self) -> float:
        """The number by which orders are compared: their time, in multiplications."""
        return self.multiplications + TRAFFIC * self.written


def infeasible(variables: list[int]) -> EliminationOrder:
    """An order that ends with a variable whose product is too large."""
    return EliminationOrder(variables, math.inf, math.inf, math.inf, 0)


def costed(
    scopes: Iterable[Sequence[int]],
    sizes: Sequence[int],
    order: list[int],
    kept: Collection[int] = (),
    most: float = math.inf,
    score: float = math.inf,
) -> EliminationOrder:
    """An order with its cost; infeasible if a product has more entries than ``most``, or if the
    score exceeds a given one.

    The product of a variable covers its tables and the results that have it. Whatever no other
    table or result has is summed out with it, also if its turn would come later.

    >>> order = costed([(0, 1), (1, 2)], [2, 3, 4], order=[0, 1, 2])
    >>> order.multiplications, order.written, order.largest, order.widths
    (18.0, 4.0, 3.0, 4)
    """
    place = {variable: index for index, variable in enumerate(order)}
    place.update({variable: len(order) + index for index, variable in enumerate(kept)})
    size = [float(sizes[variable]) for variable in place]
    holders = [0] * len(order) + [1] * len(kept)  # kept ones are held to the end
    buckets: list[list[set[int]]] = [[] for _ in place]  # what waits for its first variable
    for scope in scopes:
        places = {place[variable] for variable in scope}
        buckets[min(places)].append(places)
        for index in places:
            holders[index] += 1
    multiplications = written = largest = 0.0
    widths = 0
    for index in range(len(order)):
        bucket = buckets[index]
        if not bucket:  # summed out with an earlier one
            continue
        for index_held in chain.from_iterable(bucket):
            holders[index_held] -= 1
        product = bucket[0].union(*bucket[1:])
        multiplications += (entries := math.prod(map(size.__getitem__, product)))
        if entries > most or multiplications > score:
            return infeasible(order[: index + 1])
        widths += len(product)
        result = {other for other in product if holders[other]}
        written += (entries := math.prod(map(size.__getitem__, result)))
        largest = max(largest, entries)
        for other in result:
            holders[other] += 1
        if result:
            buckets[min(result)].append(result)
        buckets[index] = []
    return EliminationOrder(order, multiplications, written, largest, widths)
