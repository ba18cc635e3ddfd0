"""Running a plan: products of tensors with variables summed out, forwards and backwards."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from liftgraph.inference.plan import Plan, Scope, Step
from liftgraph.semiring import MaxSemiring, Semiring

T = TypeVar("T")
Progress = Callable[[float], None]


def contract(
    semiring: Semiring[T],
    x: T,
    x_scope: Scope,
    y: T,
    y_scope: Scope,
    out: Scope,
    sizes: Sequence[int],
) -> T:
    """The product of two tensors over variables, summed over those that ``out`` does not name.

    Precondition: a variable missing from ``out`` is in both scopes.
    """
    shared = [variable for variable in x_scope if variable in y_scope]
    summed = [variable for variable in shared if variable not in out]
    batch = [variable for variable in shared if variable in out]
    only_x = [variable for variable in x_scope if variable not in shared]
    only_y = [variable for variable in y_scope if variable not in shared]
    k, b = _entries(summed, sizes), _entries(batch, sizes)
    i, j = _entries(only_x, sizes), _entries(only_y, sizes)
    left = semiring.arrange(x, _axes(x_scope, [*summed, *batch, *only_x]), (k, b, i))
    right = semiring.arrange(y, _axes(y_scope, [*summed, *batch, *only_y]), (k, b, j))
    found = (*batch, *only_x, *only_y)
    product = semiring.arrange(semiring.combine(left, right), (0, 1, 2), _shape(found, sizes))
    if found == out:
        return product
    return semiring.arrange(product, _axes(found, out), _shape(out, sizes))


def _entries(scope: Sequence[int], sizes: Sequence[int]) -> int:
    return math.prod([sizes[variable] for variable in scope])


def _shape(scope: Sequence[int], sizes: Sequence[int]) -> tuple[int, ...]:
    return tuple([sizes[variable] for variable in scope])


def _axes(scope: Sequence[int], wanted: Sequence[int]) -> tuple[int, ...]:
    return tuple([scope.index(variable) for variable in wanted])


def forward(
    semiring: Semiring[T],
    plan: Plan,
    tensors: Sequence[T],
    *,
    keeping: bool = False,
    progress: Progress = lambda done: None,
) -> dict[int, T]:
    """The results of a plan's steps by their number; only the last if not ``keeping`` all."""
    results = dict(enumerate(tensors))
    done, total = 0, max(plan.operations, 1)
    for number, step in enumerate(plan.steps, plan.given):
        right, right_scope = _right(semiring, plan, results, step)
        left, scope = results[step.left], plan.scopes[number]
        results[number] = contract(
            semiring, left, plan.scopes[step.left], right, right_scope, scope, plan.sizes
        )
        if not keeping:
            del results[step.left]
            results.pop(-1 if step.right is None else step.right, None)
        done += plan.costs[number - plan.given]
        progress(done / total)
    return results


def backward(
    semiring: Semiring[T],
    plan: Plan,
    results: dict[int, T],
    progress: Progress = lambda done: None,
) -> dict[int, T]:
    """For each given tensor the product of all others, summed down to its variables.

    These are the derivatives of the plan's scalar result by the entries of its inputs (Darwiche
    2003). Precondition: all variables are eliminated; ``results`` of a forward pass, all kept.
    Results that are not needed any more are removed on the way.
    """
    last = len(plan.scopes) - 1
    around = {last: unit(semiring, ())}
    for number in range(last, plan.given - 1, -1):
        step, here, scope = plan.steps[number - plan.given], around.pop(number), plan.scopes[number]
        right, right_scope = _right(semiring, plan, results, step)
        left, left_scope = results[step.left], plan.scopes[step.left]
        around[step.left] = contract(
            semiring, here, scope, right, right_scope, left_scope, plan.sizes
        )
        if step.right is not None:
            around[step.right] = contract(
                semiring, here, scope, left, left_scope, right_scope, plan.sizes
            )
        del results[number]
        progress((last - number) / max(len(plan.steps), 1))
    return around


def backtrack(semiring: MaxSemiring[T], plan: Plan, results: dict[int, T]) -> dict[int, int]:
    """A state for each eliminated variable that together attain the maximum.

    Precondition: ``results`` of a forward pass with a maximising semiring, all kept.
    """
    states: dict[int, int] = {}
    for step in reversed(plan.steps):
        if step.eliminated is None:
            continue
        right, right_scope = _right(semiring, plan, results, step)
        states[step.eliminated] = semiring.best(
            results[step.left],
            right,
            _slice(plan.scopes[step.left], step.eliminated, states),
            _slice(right_scope, step.eliminated, states),
        )
    return states


def unit(semiring: Semiring[T], shape: tuple[int, ...]) -> T:
    """The tensor of ones."""
    return semiring.evaluate(np.ones(shape, dtype=np.int64))


def _right(semiring: Semiring[T], plan: Plan, results: dict[int, T], step: Step) -> tuple[T, Scope]:
    if step.right is not None:
        return results[step.right], plan.scopes[step.right]
    if step.eliminated is None:
        return unit(semiring, ()), ()
    return unit(semiring, (plan.sizes[step.eliminated],)), (step.eliminated,)


def _slice(scope: Scope, free: int, states: dict[int, int]) -> tuple[int | slice, ...]:
    return tuple([slice(None) if variable == free else states[variable] for variable in scope])
