"""Exchangeable tables: equal up to a scale and the order of their arguments."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import mul

import numpy as np
from numpy.typing import NDArray

from liftgraph.model.ground.table import Table, collinear
from liftgraph.symmetry.tables.alignment import (
    Alignment,
    Target,
    composed,
    find_permutation,
    inverse,
)
from liftgraph.symmetry.tables.axis_sums import AxisSums
from liftgraph.symmetry.tables.canonical import canonical_order
from liftgraph.symmetry.tables.commutative import Positions, commuting_axes
from liftgraph.symmetry.tables.near import (
    MEASURED_TOLERANCE,
    around_representatives,
    checked_tolerance,
    near_alignment,
)
from liftgraph.symmetry.tables.symmetries import symmetries, value_hashes

ZERO, ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True, slots=True)
class TableClasses:
    """The tables of a pool, partitioned into classes of exchangeable tables.

    ``class_of``: int32 (t,), the class of each table. ``alignments``: of each table to the
    representative of its class. ``representatives``: one table per class, in canonical form and in
    canonical order: neither depends on the order of the tables or of their arguments.
    ``tolerance``: how far, relatively, a table may be from its representative.
    """

    class_of: NDArray[np.int32]
    alignments: tuple[Alignment, ...]
    representatives: tuple[Table, ...]
    tolerance: Fraction


def find_alignment(
    a: Table, b: Table, *, up_to_scale: bool = True, tolerance: object = None
) -> Alignment | None:
    """The permutation and the scale α with a(r) = α · b(r permuted), or None if there are none.

    Detection of exchangeable factors without normalisation (the paper's Algorithm 1);
    ``up_to_scale=False`` is DEFT, where α is 1.

    ``tolerance``: a rational ε, 0 ≤ ε < 1; every entry of a must be within α · b · (1 ± ε), where
    α is the ratio of the first entries (or, if these are zero, of others that permutations keep).
    By default ε is 0, or 10⁻¹² if one of the tables was measured in floats.

    >>> a, b = Table.of([[8, 2], [6, 4]]), Table.of([["0.4", "0.3"], ["0.1", "0.2"]])
    >>> find_alignment(a, b)
    Alignment(permutation=(1, 0), scale=Fraction(20, 1), deviation=Fraction(0, 1))
    >>> find_alignment(a, b, up_to_scale=False) is None
    True
    """
    epsilon = checked_tolerance(tolerance)
    if epsilon is None:
        epsilon = MEASURED_TOLERANCE if a.measured or b.measured else ZERO
    if sorted(a.shape) != sorted(b.shape):
        return None
    exact = _exact_alignment(a, b, up_to_scale)
    if exact is not None or not epsilon:
        return exact
    # Canonical forms are compared, so that the deviation does not depend on the given orders.
    (a_to_form, a_form), (b_to_form, b_form) = _canonical_forms([a, b], up_to_scale, permuted=True)
    near = near_alignment(a_form, b_form, epsilon, up_to_scale)
    return None if near is None else composed(composed(a_to_form, near), inverse(b_to_form))


def _exact_alignment(a: Table, b: Table, up_to_scale: bool) -> Alignment | None:
    if not up_to_scale and a.scale != b.scale:
        return None
    if not np.array_equal(np.sort(a.integers, axis=None), np.sort(b.integers, axis=None)):
        return None
    target = Target(AxisSums(value_hashes(b.integers)), None, commuting_axes(b.integers))
    values = AxisSums(value_hashes(a.integers))
    permutation = find_permutation(values, commuting_axes(a.integers), target)
    return None if permutation is None else Alignment(permutation, a.scale / b.scale)


def cosine_distance(a: Table, b: Table) -> float:
    """One minus the cosine of the angle between two tables as vectors.

    It is infinite for tables of different shapes, and exactly 0 for collinear tables and no
    others. The cosine between a table of zeros and another table counts as 0.

    >>> a, b, c = Table.of([8, 2]), Table.of([4, 1]), Table.of([2, 2])
    >>> cosine_distance(a, b), round(cosine_distance(a, c), 3)
    (0.0, 0.143)
    """
    if a.shape != b.shape:
        return math.inf
    if collinear(a, b):
        return 0.0
    x, y = (list(map(int, table.integers.flat)) for table in (a, b))
    squares = sum(map(mul, x, x)) * sum(map(mul, y, y))
    if squares == 0:
        return 1.0
    # 1 − p/√s = (1 − p²/s) / (1 + p/√s): the difference that nearly cancels is exact.
    cosine_squared = Fraction(sum(map(mul, x, y)) ** 2, squares)
    distance = float(1 - cosine_squared) / (1 + math.sqrt(cosine_squared))
    return max(distance, math.ulp(0.0))


def classes(
    tables: Sequence[Table],
    *,
    up_to_scale: bool = True,
    permuted: bool = True,
    tolerance: object = None,
) -> TableClasses:
    """The classes of exchangeable tables, each table aligned to its representative.

    Tables with equal canonical forms are one class, so the cost grows linearly with the tables.
    Tolerance is not transitive: with it, classes are made around representatives, first come
    first served in canonical order. By default that concerns only tables measured in floats.
    ``permuted=False`` keeps arguments in their order, ``up_to_scale=False`` asks for scale 1.

    >>> pool = [Table.of([[1, 2], [3, 4]]), Table.of([[3, 9], [6, 12]]), Table.of([[1, 1], [2, 2]])]
    >>> pool_classes = classes(pool)
    >>> pool_classes.class_of.tolist(), pool_classes.alignments[1].scale
    ([1, 1, 0], Fraction(3, 1))
    """
    aligned = list(_canonical_forms(tables, up_to_scale, permuted))
    form_index: dict[Table, int] = {}
    form_of = [form_index.setdefault(form, len(form_index)) for _, form in aligned]
    forms = list(form_index)
    exact = {k for k, table in zip(form_of, tables, strict=True) if not table.measured}
    epsilon = checked_tolerance(tolerance)
    movable = set(range(len(forms))) - (exact if epsilon is None else set())
    allowed = (MEASURED_TOLERANCE if epsilon is None else epsilon) if movable else ZERO
    order = sorted(range(len(forms)), key=lambda k: _rank(forms[k], k in exact, bool(allowed)))
    ranked = [forms[k] for k in order]
    if allowed:
        may_join = [k in movable for k in order]
        joins = list(around_representatives(ranked, may_join, allowed, up_to_scale, permuted))
    else:
        joins = [(rank, _identity(form)) for rank, form in enumerate(ranked)]
    join_of = dict(zip(order, joins, strict=True))
    chosen = sorted({rank for rank, _ in joins})
    return TableClasses(
        np.searchsorted(chosen, [join_of[k][0] for k in form_of]).astype(np.int32),
        tuple(
            composed(to_form, join_of[k][1])
            for (to_form, _), k in zip(aligned, form_of, strict=True)
        ),
        tuple(ranked[rank] for rank in chosen),
        allowed,
    )


def _canonical_forms(
    tables: Sequence[Table], up_to_scale: bool, permuted: bool
) -> Iterator[tuple[Alignment, Table]]:
    """Each table's alignment to its canonical form, and that form."""
    orders: dict[Table, Positions] = {}
    for table in tables:
        vector = Table(table.integers, ONE)
        if vector not in orders:
            in_place = tuple(range(table.integers.ndim))
            orders[vector] = canonical_order(table.integers) if permuted else in_place
        order = orders[vector]
        scale = ONE if up_to_scale else table.scale
        yield (
            Alignment(order, table.scale / scale),
            Table(table.integers.transpose(order).copy(order="C"), scale),
        )


def _rank(form: Table, exact: bool, with_tolerance: bool) -> tuple[object, ...]:
    """The key by which canonical forms are sorted. With tolerance, the first represent others:
    exact tables before measured ones, and then the more symmetric ones.
    """
    symmetry_count = symmetries(form.integers).order if with_tolerance else 1
    return not exact, -symmetry_count, form.shape, form.integers.ravel().tolist(), form.scale


def _identity(form: Table) -> Alignment:
    return Alignment(tuple(range(form.integers.ndim)))
