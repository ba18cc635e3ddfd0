"""The product of two tensors with variables summed out, as a product of matrices.

What depends on scopes and sizes only is worked out once: how axes are grouped so that as little
as possible is copied, and which order of the axes of a result costs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from math import prod
from typing import NamedTuple, TypeVar

from liftgraph.inference.tensor.tensors import Product, Scope, Sizes, Tensor, entries
from liftgraph.semiring import Arrangement, Semiring

T = TypeVar("T")
# A tensor this large is not copied if at least this many of its entries in a row are multiplied by
# the same numbers: then products of matrices are fast enough without.
_LARGE, _LONG = 1 << 12, 1 << 6
# Up to this many axes of two tensors together, the same few arrangements occur again and again.
_NARROW = 6


def contract(
    semiring: Semiring[T], x: T, x_scope: Scope, y: T, y_scope: Scope, out: Scope, sizes: Sizes
) -> T:
    """The product of two tensors over variables, summed over those that ``out`` does not name.

    Precondition: a variable missing from ``out`` is in both scopes.
    """
    return semiring.contract(x, y, arrangement(x_scope, y_scope, out, sizes))


def arrangement(x_scope: Scope, y_scope: Scope, out: Scope, sizes: Sizes) -> Arrangement:
    """How two tensors are multiplied and summed down to ``out``, in this order.

    >>> arrangement((0, 1), (1, 2), (0, 2), [2, 3, 4]).right_shape
    (3, 4)
    """
    both = x_scope + y_scope
    if len(both) > _NARROW:
        return _ordered_arrangement(x_scope, y_scope, out, sizes)
    place = dict(zip(both, range(len(both)), strict=True)).__getitem__
    x_places, y_places = tuple(map(place, x_scope)), tuple(map(place, y_scope))
    return _kept_arrangement(x_places, y_places, tuple(map(place, out)), shape_of(both, sizes))


def _ordered_arrangement(x_scope: Scope, y_scope: Scope, out: Scope, sizes: Sizes) -> Arrangement:
    summed = [label for label in x_scope if label not in out]
    pair = _pair((x_scope, y_scope), (entries(x_scope, sizes), entries(y_scope, sizes)))
    return _arrangement(pair, _groups(pair, summed, sizes), sizes, out)


# Labels are places in both scopes, one after the other, and sizes those of the places.
_kept_arrangement = lru_cache(maxsize=256)(_ordered_arrangement)


def natural_arrangement(
    scopes: tuple[Scope, Scope],
    lengths: tuple[int, int],
    summed: Sequence[int],
    sizes: Sizes,
    gone: Sequence[int],
) -> tuple[Arrangement, Scope]:
    """How two tensors are multiplied and variables summed out, and the scope of the result.

    ``lengths``: how many entries the tensors have. The axes of the result have the order in which
    they come out. Where there is a choice, variables that are summed out soon come first, so that
    they lead again when they are needed; ``gone``: the step that sums each variable out, by label.
    """
    pair = _pair(scopes, lengths)
    groups = _groups(pair, summed, sizes)
    shared, lead, new, _, tail = groups
    if len(new) > 1:
        new.sort(key=gone.__getitem__)
    if len(tail) > 1 and lead == shared:  # the right tensor is small, or copied anyway
        tail.sort(key=gone.__getitem__)
    return _arrangement(pair, groups, sizes), (*lead, *new, *tail)


Operand = tuple[Tensor, Scope, int]  # with its variables, and how many entries it has
MULTIPLY, SUM_OUT = "multiply", "sum out"


def contracted(
    left: Operand,
    right: Operand | None,
    summed: Scope,
    sizes: Sizes,
    gone: Sequence[int],
    cost: int,
) -> Product:
    """The product of two tensors, or of one and ones, with variables summed out.

    ``gone``: as in ``natural_arrangement``; ``cost``: how many products are summed.
    """
    left_tensor, left_scope, left_length = left
    if right is None:
        right_tensor, right_scope, right_length = None, summed, entries(summed, sizes)
        bits = left_tensor.bits
    else:
        right_tensor, right_scope, right_length = right
        bits = left_tensor.bits + right_tensor.bits
    forward, out = natural_arrangement(
        (left_scope, right_scope), (left_length, right_length), summed, sizes, gone
    )
    return Product(
        forward.shape,
        bits + forward.growth,
        SUM_OUT if summed else MULTIPLY,
        left_tensor,
        left_scope,
        right_tensor,
        right_scope,
        out,
        summed,
        sizes,
        cost,
        {"forward": forward},
    )


class _Pair(NamedTuple):
    """Two scopes, and how many entries their tensors have: the larger one is on the right."""

    swapped: bool
    left: Scope
    right: Scope
    left_length: int
    right_length: int


def _pair(scopes: tuple[Scope, Scope], lengths: tuple[int, int]) -> _Pair:
    if lengths[0] > lengths[1]:
        return _Pair(True, scopes[1], scopes[0], lengths[1], lengths[0])
    return _Pair(False, *scopes, *lengths)


class _Groups(NamedTuple):
    """The variables of a product.

    ``shared``: those that stay and are in both tensors; ``lead``: those on the right before the
    summed ones; ``new``: only on the left; ``tail``: on the right in a row at the end.
    """

    shared: list[int]
    lead: list[int]
    new: list[int]
    summed: Sequence[int]
    tail: list[int]


def _groups(pair: _Pair, summed: Sequence[int], sizes: Sizes) -> _Groups:
    """Shared variables lead. Others lead, too, where this saves a copy of a large tensor."""
    _, left, right, _, right_length = pair
    shared: list[int] = []
    tail: list[int] = []
    for label in right:
        if label not in left:
            tail.append(label)
        elif label not in summed:
            shared.append(label)
    new = [label for label in left if label not in right]
    if right_length >= _LARGE:
        end = len(right)
        while end and right[end - 1] not in left:
            end -= 1
        if entries(right[end:], sizes) >= _LONG:
            lead = [label for label in right[:end] if label not in summed]
            return _Groups(shared, lead, new, summed, list(right[end:]))
    return _Groups(shared, shared, new, summed, tail)


def _arrangement(
    pair: _Pair, groups: _Groups, sizes: Sizes, out: Scope | None = None
) -> Arrangement:
    """The arrangement for these groups; without ``out``, axes stay as they come out."""
    swapped, left, right, left_length, right_length = pair
    shared, lead, new, summed, tail = groups
    k = entries(summed, sizes) if summed else 1
    left_lead, right_lead = _lead_shapes(lead, shared, sizes) if lead else ((), ())
    i = left_length // (k * prod(left_lead)) if new else 1
    j = right_length // (k * prod(right_lead)) if tail else 1
    natural = (*lead, *new, *tail)
    return Arrangement(
        swapped,
        _order(left, (*shared, *new, *summed)),
        (*left_lead, i, k),
        _order(right, (*lead, *summed, *tail)),
        (*right_lead, k, j),
        shape_of(natural, sizes),
        None if out is None else _order(natural, out),
        (k - 1).bit_length(),
    )


def _lead_shapes(
    lead: list[int], shared: list[int], sizes: Sizes
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The lengths of the groups of leading axes, on the left and on the right."""
    if lead == shared:
        shape = (entries(lead, sizes),)
        return shape, shape
    runs = [(both, entries([*run], sizes)) for both, run in groupby(lead, shared.__contains__)]
    return tuple([length if both else 1 for both, length in runs]), tuple([n for _, n in runs])


def _order(scope: Scope, wanted: Scope) -> tuple[int, ...] | None:
    """The axes of a scope in another order, or None if it is that one."""
    return None if scope == wanted else axes_of(scope, wanted)


def shape_of(scope: Sequence[int], sizes: Sizes) -> tuple[int, ...]:
    """The shape of a table over these variables."""
    return tuple(map(sizes.__getitem__, scope))


def axes_of(scope: Sequence[int], wanted: Sequence[int]) -> tuple[int, ...]:
    """Which axes of a table over a scope the wanted variables are."""
    return tuple(map(scope.index, wanted))
