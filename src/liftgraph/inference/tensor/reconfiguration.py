"""Better orders from a given one, by cotengra's subtree reconfiguration (the extra ``orders``).

Small subtrees of a contraction tree are replaced by optimal ones, again and again (Gray and
Kourtis 2021). The order in which variables vanish in such a tree makes no larger products than
the tree does.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any

_SUBTREE_SIZES = (6, 8, 8, 8)  # leaves of the subtrees, in each of the passes
_REPEATS = 30  # of each pass, at most

Path = list[tuple[int, int]]


@cache
def can_reconfigure() -> bool:
    """Whether cotengra is installed."""
    return find_spec("cotengra") is not None


def reconfigured(
    order: Sequence[int],
    scopes: Sequence[Sequence[int]],
    sizes: Sequence[int],
    kept: Sequence[int],
) -> list[int]:
    """An order that is often better than a given one, and the same in every process.

    Precondition: cotengra is installed.
    """
    import cotengra

    place = {variable: index for index, variable in enumerate([*order, *kept])}
    leaves = maximal_scopes(scopes)
    symbol = {variable: cotengra.get_symbol(index) for variable, index in place.items()}
    variable_of = {text: variable for variable, text in symbol.items()}
    tree = cotengra.ContractionTree.from_path(
        [[symbol[variable] for variable in scope] for scope in leaves],
        [symbol[variable] for variable in kept],
        {text: sizes[variable] for variable, text in symbol.items()},
        ssa_path=_pairs(place, len(order), leaves),
    )
    for size in _SUBTREE_SIZES:
        tree.subtree_reconfigure_(
            minimize="combo", subtree_size=size, maxiter=_REPEATS, seed=0, progbar=False
        )
    vanished = [variable_of[text] for text in _vanishing(tree)]
    alone = set(order).difference(vanished)  # in a single leaf: they go first, as there
    return [variable for variable in order if variable in alone] + vanished


def maximal_scopes(scopes: Sequence[Sequence[int]]) -> list[Sequence[int]]:
    """The scopes that are not inside another one: tables over the others cost nothing.

    >>> maximal_scopes([(1,), (0, 1), (1, 2), (1, 0)])
    [(0, 1), (1, 2)]
    """
    having: dict[int, list[set[int]]] = {}
    largest: list[Sequence[int]] = []
    for scope in sorted(scopes, key=len, reverse=True):
        variables = set(scope)
        if not any(variables <= other for other in having.get(scope[0], ())):
            largest.append(scope)
            for variable in scope:
                having.setdefault(variable, []).append(variables)
    return largest


def _pairs(place: dict[int, int], count: int, scopes: Sequence[Sequence[int]]) -> Path:
    """The tensors that are multiplied, two by two, if variables go in an order."""
    buckets: list[list[tuple[int, set[int]]]] = [[] for _ in range(count + 1)]
    for tensor, scope in enumerate(scopes):
        places = {place[variable] for variable in scope}
        buckets[min(min(places), count)].append((tensor, places))
    path: Path = []
    for bucket in buckets:
        while len(bucket) > 1:
            (left, left_places), (right, right_places) = bucket.pop(0), bucket.pop(0)
            path.append((left, right))
            bucket.append((len(scopes) + len(path) - 1, left_places | right_places))
        for tensor, places in bucket[: bucket is not buckets[-1]]:
            places.discard(min(places))
            buckets[min(min(places, default=count), count)].append((tensor, places))
    return path


def _vanishing(tree: Any) -> list[str]:
    """The indices in the order in which products of a tree sum them out."""
    return [
        index
        for product, left, right in tree.traverse()
        for index in sorted(
            {*tree.get_legs(left), *tree.get_legs(right)}.difference(tree.get_legs(product))
        )
    ]
