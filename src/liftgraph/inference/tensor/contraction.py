"""Running a plan: products of tensors with variables summed out, forwards and backwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

import numpy as np

from liftgraph.inference.ground.steps import Plan, Scope, Step, entries
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
    sizes: Sequence[int] | Mapping[int, int],
) -> T:
    """The product of two tensors over variables, summed over those that ``out`` does not name.

    Precondition: a variable missing from ``out`` is in both scopes.
    """
    shared = [variable for variable in x_scope if variable in y_scope]
    summed = [variable for variable in shared if variable not in out]
    batch = [variable for variable in shared if variable in out]
    only_x = [variable for variable in x_scope if variable not in shared]
    only_y = [variable for variable in y_scope if variable not in shared]
    k, b = entries(summed, sizes), entries(batch, sizes)
    i, j = entries(only_x, sizes), entries(only_y, sizes)
    left = semiring.arrange(x, _axes(x_scope, [*summed, *batch, *only_x]), (k, b, i))
    right = semiring.arrange(y, _axes(y_scope, [*summed, *batch, *only_y]), (k, b, j))
    found = (*batch, *only_x, *only_y)
    product = semiring.arrange(semiring.combine(left, right), (0, 1, 2), _shape(found, sizes))
    if found == out:
        return product
    return semiring.arrange(product, _axes(found, out), _shape(out, sizes))


def _shape(scope: Sequence[int], sizes: Sequence[int] | Mapping[int, int]) -> tuple[int, ...]:
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
            for operand in step.operands:
                del results[operand]
        done += plan.costs[number - plan.given]
        progress(done / total)
    return results


def backward(
    semiring: Semiring[T],
    plan: Plan,
    results: dict[int, T],
    progress: Progress = lambda done: None,
) -> Iterator[tuple[int, T]]:
    """Each given tensor with the product of all others, summed down to its variables.

    These are the derivatives of the plan's scalar result by the entries of its inputs (Darwiche
    2003). Precondition: all variables are eliminated; ``results`` of a forward pass, all kept.
    Results that are not needed any more are removed on the way.
    """
    around = {plan.root: unit(semiring, ())}
    for number in range(plan.root, plan.given - 1, -1):
        step, here, scope = plan.steps[number - plan.given], around.pop(number), plan.scopes[number]
        right, right_scope = _right(semiring, plan, results, step)
        left, left_scope = results[step.left], plan.scopes[step.left]
        others = [(right, right_scope, left_scope), (left, left_scope, right_scope)]
        for operand, (other, other_scope, own) in zip(step.operands, others, strict=False):
            product = contract(semiring, here, scope, other, other_scope, own, plan.sizes)
            if operand < plan.given:
                yield operand, product
            else:
                around[operand] = product
        del results[number]
        progress((plan.root - number) / len(plan.steps))
    if not plan.steps:
        yield plan.root, around[plan.root]


def backtrack(semiring: MaxSemiring[T], plan: Plan, results: dict[int, T]) -> dict[int, int]:
    """A state for each eliminated variable that together attain the maximum.

    Precondition: ``results`` of a forward pass with a maximising semiring, all kept.
    """
    states: dict[int, int] = {}
    for step in reversed(plan.steps):
        if not step.eliminated:
            continue
        right, right_scope = _right(semiring, plan, results, step)
        left, left_scope = results[step.left], plan.scopes[step.left]
        place = semiring.best(
            _at_states(semiring, left, left_scope, step.eliminated, states, plan.sizes),
            _at_states(semiring, right, right_scope, step.eliminated, states, plan.sizes),
        )
        found = np.unravel_index(place, _shape(step.eliminated, plan.sizes))
        states.update(zip(step.eliminated, map(int, found), strict=True))
    return states


def _at_states(
    semiring: Semiring[T],
    tensor: T,
    scope: Scope,
    free: Scope,
    states: dict[int, int],
    sizes: Sequence[int],
) -> T:
    """The entries of a tensor over its free variables, the others at their states, as a vector."""
    part = semiring.part(tensor, tuple([slice(None) if v in free else states[v] for v in scope]))
    order = [variable for variable in scope if variable in free]
    return semiring.arrange(part, _axes(order, free), (entries(free, sizes),))


def unit(semiring: Semiring[T], shape: tuple[int, ...]) -> T:
    """The tensor of ones."""
    return semiring.evaluate(np.ones(shape, dtype=np.int64))


def _right(semiring: Semiring[T], plan: Plan, results: dict[int, T], step: Step) -> tuple[T, Scope]:
    if step.right is not None:
        return results[step.right], plan.scopes[step.right]
    return unit(semiring, _shape(step.eliminated, plan.sizes)), step.eliminated
