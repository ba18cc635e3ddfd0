"""Convolutions of tensors, forwards, backwards, and which terms attain a maximum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from liftgraph.inference.tensor.contraction import axes_of, shape_of
from liftgraph.inference.tensor.tensors import Convolution, Scope, Sizes, Tensor, entries
from liftgraph.semiring import MaxSemiring, Semiring

T = TypeVar("T")
ADD = "add up"


def convolution(
    first: tuple[Tensor, Scope], second: tuple[Tensor, Scope], adding: Scope, sizes: Sizes
) -> Convolution:
    """The convolution of two tensors. Precondition: each has one variable of those that add up."""
    terms = [next(label for label in scope if label in adding) for _, scope in (first, second)]
    subtracts = adding[-1] in terms
    # The sum comes first, where differences are taken; else the shorter variable does, which is
    # moved along the longer one.
    if terms[1] == adding[-1] or (not subtracts and sizes[terms[0]] > sizes[terms[1]]):
        first, second, terms = second, first, terms[::-1]
    (left, left_scope), (right, right_scope) = first, second
    shared = tuple([label for label in left_scope if label in right_scope])
    out = (
        *shared,
        *_without(right_scope, (*shared, terms[1])),
        *_without(left_scope, (*shared, terms[0])),
        *_without(adding, terms),
    )
    bits = left.bits + right.bits + (min([sizes[term] for term in terms]) - 1).bit_length()
    shape, summed = shape_of(out, sizes), (terms[0], terms[1])
    operands = left, left_scope, right, right_scope
    return Convolution(shape, bits, ADD, *operands, out, sizes, summed, subtracts)


def convolved(semiring: Semiring[T], tensor: Convolution, values: Mapping[Tensor, T]) -> T:
    """The value of a convolution."""
    left, right = _arranged(semiring, tensor, values)
    join = semiring.correlate if tensor.subtracts else semiring.convolve
    return semiring.arrange(join(left, right), None, tensor.shape)


def adjoints(
    semiring: Semiring[T], tensor: Convolution, values: Mapping[Tensor, T], adjoint: T
) -> tuple[T, T]:
    """The adjoints of the left and the right operand, given that of a convolution.

    With a + b = c, what comes back to a is the adjoint of c less b, and to b that of c less a. If
    the result was c less b, then what comes back to c is the adjoint of a plus b, and to b it is
    c less that.
    """
    shared, new, old, (p, q) = _groups(tensor)
    r = tensor.shape[-1]
    left, right = _arranged(semiring, tensor, values)
    around = semiring.arrange(adjoint, None, (shared, new, old, r))
    swapped = semiring.arrange(around, (0, 2, 1, 3), (shared, old, new, r))
    if tensor.subtracts:
        for_left = semiring.convolve(around, right)
        single = semiring.arrange(left, None, (shared, old, 1, 1, p))
        for_right = semiring.correlate(single, swapped)
        for_right = semiring.arrange(for_right, None, (shared, old, new, q))
    else:
        for_left = semiring.correlate(around, right)
        for_right = semiring.correlate(swapped, semiring.arrange(left, None, (shared, old, p)))
    for_left = semiring.arrange(for_left, (0, 2, 3, 1), (shared * old * p, new))
    for_right = semiring.arrange(for_right, (0, 2, 3, 1), (shared * new * q, old))
    return (
        _back(semiring, tensor, 0, _summed(semiring, for_left, new)),
        _back(semiring, tensor, 1, _summed(semiring, for_right, old)),
    )


def best_terms(
    semiring: MaxSemiring[T],
    tensor: Convolution,
    values: Mapping[Tensor, T],
    states: Mapping[int, int],
) -> tuple[int, int]:
    """The values of the two variables that attain the maximum, given those of the others."""
    parts = []
    for operand, scope, term in _sides(tensor):
        index = tuple([slice(None) if label == term else states[label] for label in scope])
        parts.append(semiring.part(values[operand], index))
    known, first = states[tensor.out[-1]], tensor.sizes[tensor.summed[0]]
    if tensor.subtracts:
        rows = semiring.moved(parts[1], tensor.shape[-1])
        place = semiring.best(parts[0], semiring.part(rows, (known, slice(None))))
        return place, place - known
    rows = semiring.moved(parts[1], first)
    place = semiring.best(parts[0], semiring.part(rows, (slice(None), known)))
    return place, known - place


def _sides(tensor: Convolution) -> tuple[tuple[Tensor, Scope, int], tuple[Tensor, Scope, int]]:
    return (
        (tensor.left, tensor.left_scope, tensor.summed[0]),
        (tensor.right, tensor.right_scope, tensor.summed[1]),
    )


def _without(scope: Scope, gone: Sequence[int]) -> Scope:
    return tuple([label for label in scope if label not in gone])


def _order(tensor: Convolution, scope: Scope, term: int) -> Scope:
    """A scope as ``out`` has it, with the variable that is added up at its end."""
    return (*[label for label in tensor.out if label in scope], term)


def _groups(tensor: Convolution) -> tuple[int, int, int, tuple[int, int]]:
    """How many values the shared variables have, those of the right and of the left operand only,
    and the two that are added up."""
    sizes, (a, b) = tensor.sizes, tensor.summed
    shared = [label for label in tensor.left_scope if label in tensor.right_scope]
    return (
        entries(shared, sizes),
        entries(_without(tensor.right_scope, (*shared, b)), sizes),
        entries(_without(tensor.left_scope, (*shared, a)), sizes),
        (sizes[a], sizes[b]),
    )


def _arranged(
    semiring: Semiring[T], tensor: Convolution, values: Mapping[Tensor, T]
) -> tuple[T, T]:
    """The operands, as (shared, 1, old, p) and (shared, new, q)."""
    shared, new, old, (p, q) = _groups(tensor)
    axes = [axes_of(scope, _order(tensor, scope, term)) for _, scope, term in _sides(tensor)]
    left = semiring.arrange(values[tensor.left], axes[0], (shared, 1, old, p))
    return left, semiring.arrange(values[tensor.right], axes[1], (shared, new, q))


def _summed(semiring: Semiring[T], rows: T, k: int) -> T:
    """From shape (n, k) to (n, 1): each row added up."""
    return rows if k == 1 else semiring.combine(rows, semiring.unit((k, 1)))


def _back(semiring: Semiring[T], tensor: Convolution, side: int, adjoint: T) -> T:
    """An adjoint with its axes as the operand has them."""
    _, scope, term = _sides(tensor)[side]
    order = _order(tensor, scope, term)
    arranged = semiring.arrange(adjoint, None, shape_of(order, tensor.sizes))
    return semiring.arrange(arranged, axes_of(order, scope), shape_of(scope, tensor.sizes))
