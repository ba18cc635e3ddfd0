"""Products of tensors in many cases at once: what each product is, given what surrounds it."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from liftgraph.inference.tensor.contraction import contract
from liftgraph.model.arrays import codes, digits
from liftgraph.semiring import Semiring

T = TypeVar("T")
L = TypeVar("L", bound=Hashable)
States = NDArray[np.int64]


def product_in_cases(
    semiring: Semiring[T],
    factors: Sequence[tuple[T, Sequence[L]]],
    gone: Sequence[L],
    surroundings: Mapping[L, States],
    sizes: Mapping[L, int],
) -> T:
    """The product of tensors over the labels that are ``gone``, in n cases: (n, entries).

    ``factors``: each tensor with the labels of its axes. ``surroundings``: the states of the other
    labels in each case, int64 (n,); without other labels there is one case.
    """
    cases = max([len(states) for states in surroundings.values()], default=1)
    number = {label: place for place, label in enumerate(gone, 1)}
    lengths = {0: cases}  # the cases have number 0
    table, scope = semiring.unit((cases,)), tuple(lengths)
    for tensor, labels in factors:
        inside = [label for label in labels if label in number]
        part = _at_cases(semiring, (tensor, labels), inside, surroundings, sizes, cases)
        lengths |= {number[label]: sizes[label] for label in inside}
        part_scope = (*[number[label] for label in inside], 0)
        out = tuple(sorted({*scope, *part_scope}))
        table = contract(semiring, table, scope, part, part_scope, out, lengths)
        scope = out
    return semiring.arrange(table, scope, (cases, math.prod(lengths.values()) // cases))


def _at_cases(
    semiring: Semiring[T],
    factor: tuple[T, Sequence[L]],
    inside: Sequence[L],
    surroundings: Mapping[L, States],
    sizes: Mapping[L, int],
    cases: int,
) -> T:
    """A tensor at the states that surround it: over the labels inside, then the cases."""
    tensor, labels = factor
    outside = [label for label in labels if label not in inside]
    shapes = [tuple([sizes[label] for label in part]) for part in (inside, outside)]
    order = tuple(map(labels.index, [*inside, *outside]))
    grouped = semiring.arrange(tensor, order, (math.prod(shapes[0]), math.prod(shapes[1])))
    columns = [surroundings[label] for label in outside]
    rows = codes(columns, shapes[1]) if outside else np.zeros(cases, dtype=np.int64)
    return semiring.arrange(semiring.take(grouped, rows), (0, 1), (*shapes[0], cases))


def distinct_cases(
    columns: Sequence[NDArray[Any]], sizes: Sequence[int], count: int
) -> tuple[list[States], States]:
    """The different rows of columns, column by column, and which of them each row is.

    ``count``: how many rows there are.

    >>> columns, case = distinct_cases([np.array([1, 0, 1])], [2], 3)
    >>> columns[0].tolist(), case.tolist()
    ([0, 1], [1, 0, 1])
    """
    if not columns:
        return [], np.zeros(count, dtype=np.int64)
    present, case = distinct_codes(codes(columns, sizes), math.prod(sizes))
    return digits(present, sizes), case


def distinct_codes(listed: States, bound: int) -> tuple[States, States]:
    """The different codes below a bound, increasing, and which of them each one is: int64 (n,).

    >>> present, case = distinct_codes(np.array([4, 1, 4]), 5)
    >>> present.tolist(), case.tolist()
    ([1, 4], [1, 0, 1])
    """
    if bound > len(listed):
        return np.unique(listed, return_inverse=True)
    occurs = np.zeros(bound, dtype=np.bool_)
    occurs[listed] = True
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[listed]
