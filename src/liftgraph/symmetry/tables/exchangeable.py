"""Exchangeable tables: equal up to a scale and the order of their arguments."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.exact import checked_tolerance
from liftgraph.model.ground.table import Table, collinear
from liftgraph.symmetry.tables.alignment import Alignment, composed, inverse
from liftgraph.symmetry.tables.budget import Budget, SearchGivenUpError, most_entries
from liftgraph.symmetry.tables.canonical import canonical_order
from liftgraph.symmetry.tables.commutative import Positions
from liftgraph.symmetry.tables.labelling import symmetries
from liftgraph.symmetry.tables.near import (
    MEASURED_TOLERANCE,
    Joined,
    Nearing,
    around_representatives,
    near_alignment,
)

ZERO, ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True, slots=True)
class TableClasses:
    """The tables of a pool, partitioned into classes of exchangeable tables.

    ``class_of``: int32 (t,), the class of each table. ``alignments``: of each table to the
    representative of its class. ``representatives``: one table per class, in canonical form and in
    canonical order: neither depends on the order of the tables or of their arguments.
    ``tolerance``: how far, relatively, a table may be from its representative.
    ``given_up``: the tables, by index, for which the search for another order of their arguments
    was given up. They may be apart from tables that they are exchangeable with.
    """

    class_of: NDArray[np.int32]
    alignments: tuple[Alignment, ...]
    representatives: tuple[Table, ...]
    tolerance: Fraction
    given_up: tuple[int, ...] = ()


def find_alignment(
    a: Table, b: Table, *, up_to_scale: bool = True, tolerance: object = None
) -> Alignment | None:
    """The permutation and the scale α with a(r) = α · b(r permuted), or None if there are none.

    Detection of exchangeable factors without normalisation (the paper's Algorithm 1);
    ``up_to_scale=False`` is DEFT, where α is 1.

    ``tolerance``: a rational ε, 0 ≤ ε < 1; every entry of a must be within α · b · (1 ± ε), where
    α is the ratio of the first entries (or, if these are zero, of others which permutations keep).
    By default ε is 0, or 10⁻¹² if one of the tables was measured in floats.

    A search which would take much longer than a second raises a ``ComputationError``.

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
    if not epsilon and not _same_entries(a, b, up_to_scale):
        return None
    # Canonical forms are compared, so that the deviation does not depend on the given orders.
    a_form, b_form = _canonical_forms([a, b], up_to_scale, permuted=True)
    between: Alignment | None = None
    if a_form.table == b_form.table:
        between = _identity(a_form.table)
    elif epsilon:
        complete = a_form.complete and b_form.complete
        budget = Budget(most_entries(a.integers.size) if complete else 0)
        first, second = (Nearing(form.table, up_to_scale) for form in (a_form, b_form))
        between = near_alignment(first, second, epsilon, up_to_scale, budget)
    elif not a_form.complete:
        raise SearchGivenUpError
    if between is None:
        return None
    return composed(composed(a_form.alignment, between), inverse(b_form.alignment))


def _same_entries(a: Table, b: Table, up_to_scale: bool) -> bool:
    """Whether the tables have the same entries in some order, up to a scale if that is allowed."""
    first, second = (np.sort(table.integers, axis=None) for table in (a, b))
    return (up_to_scale or a.scale == b.scale) and np.array_equal(first, second)


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
    forms = list(_canonical_forms(tables, up_to_scale, permuted))
    form_index: dict[Table, int] = {}
    form_of = [form_index.setdefault(form.table, len(form_index)) for form in forms]
    distinct = list(form_index)
    exact = {k for k, table in zip(form_of, tables, strict=True) if not table.measured}
    incomplete = {k for k, form in zip(form_of, forms, strict=True) if not form.complete}
    epsilon = checked_tolerance(tolerance)
    movable = set(range(len(distinct))) - (exact if epsilon is None else set())
    allowed = (MEASURED_TOLERANCE if epsilon is None else epsilon) if movable else ZERO
    rank = partial(_rank, with_tolerance=bool(allowed))
    order = sorted(
        range(len(distinct)), key=lambda k: rank(distinct[k], k in exact, k not in incomplete)
    )
    ranked = [distinct[k] for k in order]
    if allowed:
        may_join = [k in movable for k in order]
        may_permute = [permuted and k not in incomplete for k in order]
        joins = list(around_representatives(ranked, may_join, allowed, up_to_scale, may_permute))
    else:
        joins = [Joined(place, _identity(table)) for place, table in enumerate(ranked)]
    join_of = dict(zip(order, joins, strict=True))
    chosen = sorted({join.representative for join in joins})
    return TableClasses(
        np.searchsorted(chosen, [join_of[k].representative for k in form_of]).astype(np.int32),
        tuple(
            composed(form.alignment, join_of[k].alignment)
            for form, k in zip(forms, form_of, strict=True)
        ),
        tuple(ranked[place] for place in chosen),
        allowed,
        tuple(
            index for index, k in enumerate(form_of) if k in incomplete or not join_of[k].complete
        ),
    )


@dataclass(frozen=True, slots=True)
class _Form:
    """A table in canonical form, and the alignment of the given table to it; ``complete``: False
    if the search was given up, and the arguments are in the given order."""

    table: Table
    alignment: Alignment
    complete: bool


def _canonical_forms(tables: Sequence[Table], up_to_scale: bool, permuted: bool) -> Iterator[_Form]:
    """The canonical form of each table."""
    orders: dict[Table, tuple[Positions, bool]] = {}
    for table in tables:
        vector = Table(table.integers, ONE)
        if vector not in orders:
            orders[vector] = _form_order(table.integers, permuted)
        order, complete = orders[vector]
        scale = ONE if up_to_scale else table.scale
        integers = table.integers.transpose(order).copy(order="C")
        yield _Form(Table(integers, scale), Alignment(order, table.scale / scale), complete)


def _form_order(integers: NDArray[Any], permuted: bool) -> tuple[Positions, bool]:
    """The canonical order of a table's arguments, and whether the search for it was completed."""
    given = tuple(range(integers.ndim))
    try:
        return canonical_order(integers) if permuted else given, True
    except SearchGivenUpError:
        return given, False


def _rank(form: Table, exact: bool, complete: bool, with_tolerance: bool) -> tuple[object, ...]:
    """The key by which canonical forms are sorted. With tolerance, the first represent others:
    exact tables before measured ones, and then the more symmetric ones.

    Forms in the given order come last, by what does not depend on that order first.
    """
    symmetry_count = symmetries(form.integers).order if with_tolerance else 1
    entries = form.integers.ravel().tolist()
    in_any_order = () if complete else (sorted(form.shape), sorted(entries))
    return (
        not complete, not exact, -symmetry_count, *in_any_order, form.shape, entries, form.scale
    )  # fmt: skip


def _identity(form: Table) -> Alignment:
    return Alignment(tuple(range(form.integers.ndim)))
