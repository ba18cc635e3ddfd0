"""The elimination orders found for a graph: each may serve its other questions."""

from __future__ import annotations

from dataclasses import dataclass

from liftgraph.cache import Cache, Memo
from liftgraph.inference.tensor.contraction_tree import ContractionTree

_MOST = 4  # orders that are kept with a graph
_EXPENSIVE = 10**6  # multiplications; cheaper orders are found as fast as they are looked up


@dataclass
class KnownOrders:
    """Orders of variables, the newest one first."""

    orders: tuple[tuple[int, ...], ...] = ()


_KNOWN: Memo[None, KnownOrders] = Memo("elimination orders", most=1)


def known_orders(cache: Cache) -> KnownOrders:
    """The orders that are kept with a graph."""
    return _KNOWN.get(cache, None, KnownOrders)


def remember(cache: Cache, tree: ContractionTree) -> None:
    """Keep the order of an elimination, if it is expensive."""
    if tree.operations >= _EXPENSIVE:
        known, order = known_orders(cache), tuple(tree.order)
        others = [other for other in known.orders if other != order]
        known.orders = (order, *others[: _MOST - 1])
