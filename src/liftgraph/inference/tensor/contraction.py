"""The product of two tensors with variables summed out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from liftgraph.inference.tensor.tensors import Scope, Sizes, entries
from liftgraph.semiring import Semiring

T = TypeVar("T")


def contract(
    semiring: Semiring[T], x: T, x_scope: Scope, y: T, y_scope: Scope, out: Scope, sizes: Sizes
) -> T:
    """The product of two tensors over variables, summed over those that ``out`` does not name.

    Precondition: a variable missing from ``out`` is in both scopes.
    """
    summed, batch, only_x = list[int](), list[int](), list[int]()
    for variable in x_scope:
        if variable not in y_scope:
            only_x.append(variable)
        elif variable in out:
            batch.append(variable)
        else:
            summed.append(variable)
    only_y = [variable for variable in y_scope if variable not in x_scope]
    k, b = entries(summed, sizes), entries(batch, sizes)
    i, j = entries(only_x, sizes), entries(only_y, sizes)
    left = semiring.arrange(x, axes_of(x_scope, [*summed, *batch, *only_x]), (k, b, i))
    right = semiring.arrange(y, axes_of(y_scope, [*summed, *batch, *only_y]), (k, b, j))
    scope = (*batch, *only_x, *only_y)
    product = semiring.arrange(semiring.combine(left, right), (0, 1, 2), shape_of(scope, sizes))
    if scope == out:
        return product
    return semiring.arrange(product, axes_of(scope, out), shape_of(out, sizes))


def shape_of(scope: Sequence[int], sizes: Sizes) -> tuple[int, ...]:
    """The shape of a table over these variables."""
    return tuple(map(sizes.__getitem__, scope))


def axes_of(scope: Sequence[int], wanted: Sequence[int]) -> tuple[int, ...]:
    """Which axes of a table over a scope the wanted variables are."""
    return tuple(map(scope.index, wanted))
