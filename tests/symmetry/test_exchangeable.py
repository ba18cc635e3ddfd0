"""Exchangeable tables against all permutations; the paper's examples; tolerance."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from liftgraph import InputError, Table
from liftgraph.symmetry.tables.alignment import Alignment
from liftgraph.symmetry.tables.exchangeable import classes, cosine_distance, find_alignment
from tests.strategies import reordered, symmetric_tables, tables
from tests.symmetry import naive


def aligned(a: Table, b: Table, alignment: Alignment) -> bool:
    """Whether a(r) = α · b(r permuted) for every assignment r, as the definition writes it."""
    first, second = naive.potentials(a), naive.potentials(b)
    return all(
        value == alignment.scale * second[tuple(r[k] for k in alignment.permutation)]
        for r, value in first.items()
    )


@given(symmetric_tables(), symmetric_tables(), st.booleans())
def test_alignments_are_found_exactly_where_there_are_any(
    a: Table, b: Table, up_to_scale: bool
) -> None:
    alignment = find_alignment(a, b, up_to_scale=up_to_scale)
    scales = [scale for _, scale in naive.alignments(a, b) if up_to_scale or scale == 1]
    assert (alignment is not None) == bool(scales)
    if alignment is not None:
        assert aligned(a, b, alignment)


@given(st.one_of(symmetric_tables(), tables()), st.data())
def test_reordered_and_scaled_tables_are_exchangeable(table: Table, data: st.DataObject) -> None:
    other, _ = data.draw(reordered(table))
    alignment = find_alignment(table, other, tolerance=0)
    assert alignment is not None
    assert aligned(table, other, alignment)
    same_scale = find_alignment(table, other, up_to_scale=False, tolerance=0)
    assert (same_scale is not None) == (table.scale == other.scale)


def test_the_figure_with_a_b_c() -> None:
    # φ1(A, B) = (φ1 φ2 φ3 φ4), and φ2 scaled by α with its arguments swapped.
    first = Table.of([[1, 2], [3, 4]])
    for alpha in (1, 7, 9, Fraction(1, 3), "0.1"):
        scale = Fraction(str(alpha)) if isinstance(alpha, str) else Fraction(alpha)
        second = Table.of([[scale * 1, scale * 3], [scale * 2, scale * 4]])
        assert find_alignment(second, first) == Alignment((1, 0), scale)
        assert find_alignment(first, second) == Alignment((1, 0), 1 / scale)


def test_scales_that_break_float_comparisons() -> None:
    tenths = Table.of(["0.1", "0.2", "0.3"])
    assert find_alignment(Table.of(["0.3", "0.6", "0.9"]), tenths) == Alignment((0,), Fraction(3))
    assert 0.1 / 0.3 != 0.3 / 0.9  # what a comparison of float ratios would stumble over
    base = np.arange(1, 9).reshape(2, 2, 2)
    for p, q in ((7, 9), (9, 7), (49, 81)):
        alignment = find_alignment(Table.of(p * base), Table.of(q * base.transpose(2, 0, 1)))
        assert alignment is not None
        assert alignment.scale == Fraction(p, q)


def test_buckets_of_equal_multisets_are_not_enough() -> None:
    # [2, 0], [1, 1] and [0, 2] hold the same values up to a scale each, but not the same scale.
    first = Table.of([[1, 2], [3, 4]])
    assert find_alignment(Table.of([[2, 2], [3, 4]]), first) is None
    assert find_alignment(Table.of([[1, 4], [6, 4]]), first) is None
    assert find_alignment(Table.of([[1, 3], [2, 4]]), first) is not None


def test_a_zero_in_the_first_entry_accepts_nothing_by_itself() -> None:
    # φi·ψ1 = φ1·ψi holds for all i if φ1 = ψ1 = 0, whatever else the tables say.
    assert find_alignment(Table.of([0, 1, 2]), Table.of([0, 2, 1])) is None
    assert find_alignment(Table.of([0, 1, 2]), Table.of([0, 2, 1]), tolerance="0.4") is None
    assert find_alignment(Table.of([0, 1, 2]), Table.of([0, 2, 4])) is not None
    assert find_alignment(Table.of([[0, 1], [2, 0]]), Table.of([[0, 4], [2, 0]])) is not None
    swapped = find_alignment(
        Table.of([[0, 10], [21, 0]]), Table.of([[0, 4], [2, 0]]), tolerance="0.1"
    )
    assert swapped is not None
    assert swapped.permutation == (1, 0)


def test_mixed_ranges_and_no_arguments() -> None:
    x, y, z = np.indices((2, 3, 2))
    table = Table.of(1 + x + 5 * y + 20 * z)
    alignment = find_alignment(table, Table.of(6 * (1 + x + 5 * y + 20 * z).transpose(1, 2, 0)))
    assert alignment is not None
    assert alignment.scale == Fraction(1, 6)
    assert find_alignment(Table.of(6), Table.of(3)) == Alignment((), Fraction(2))
    assert find_alignment(Table.of(6), Table.of(0)) is None
    assert find_alignment(Table.of(6), Table.of("6.3"), tolerance="0.1") is not None
    assert find_alignment(table, Table.of([1, 2])) is None


@pytest.mark.parametrize(
    ("b", "distance"),
    [
        ((8, 2), 0.0),
        ((4, 1), 0.0),
        ((2, 2), 1 - 5 / math.sqrt(34)),
        ((0, 1), 1 - 1 / math.sqrt(17)),
    ],
)
def test_cosine_distance_from_the_first_vector_of_the_figure(
    b: tuple[int, int], distance: float
) -> None:
    assert cosine_distance(Table.of((8, 2)), Table.of(b)) == pytest.approx(distance, abs=1e-15)


def test_cosine_distance_as_the_paper_has_it() -> None:
    third, fourth = Table.of([2, 2]), Table.of(["4.4", "3.6"])
    expected = 1 - 16 / (math.sqrt(8) * math.sqrt(4.4**2 + 3.6**2))
    assert cosine_distance(third, fourth) == pytest.approx(expected, rel=1e-12)
    assert find_alignment(third, fourth) is None
    assert find_alignment(third, fourth, tolerance="0.2") is None  # 2/4.4 · 3.6 is 18 % below 2,
    assert find_alignment(third, fourth, tolerance="0.23") is not None  # and 2 is 22 % above that
    assert cosine_distance(third, Table.of([1, 2, 3])) == math.inf
    assert cosine_distance(Table.of([[1, 2, 3]]), Table.of([[1], [2], [3]])) == math.inf
    assert cosine_distance(Table.of([1, 0]), Table.of([0, 3])) == 1
    assert cosine_distance(Table.of([0, 0]), Table.of([0, 3])) == 1
    assert cosine_distance(Table.of([0, 0]), Table.of([0, 0])) == 0


@given(tables(), st.data())
def test_cosine_distance_is_zero_for_collinear_tables_and_no_others(
    table: Table, data: st.DataObject
) -> None:
    other = data.draw(st.one_of(st.just(table), tables(table.shape)))
    collinear = np.array_equal(table.integers, other.integers)
    distance = cosine_distance(table, other)
    assert (distance == 0) == collinear
    assert 0 <= distance <= 1
    assert distance == cosine_distance(other, table)


def test_nearly_collinear_tables_are_told_apart() -> None:
    assert 0 < cosine_distance(Table.of([10**40, 1]), Table.of([10**40, 2])) < 1e-70
    assert 0 < cosine_distance(Table.of([10**400, 1]), Table.of([10**400, 2])) < 1e-300


@given(
    st.lists(symmetric_tables(max_arguments=3), min_size=1, max_size=4),
    st.booleans(),
    st.booleans(),
    st.data(),
)
def test_classes_are_those_of_pairwise_comparison(
    pool: list[Table], up_to_scale: bool, permuted: bool, data: st.DataObject
) -> None:
    pool = pool + [data.draw(reordered(data.draw(st.sampled_from(pool))))[0] for _ in range(4)]
    table_classes = classes(pool, up_to_scale=up_to_scale, permuted=permuted)
    for i, a in enumerate(pool):
        representative = table_classes.representatives[table_classes.class_of[i]]
        assert aligned(a, representative, table_classes.alignments[i])
        for j, b in enumerate(pool):
            alike = any(
                (up_to_scale or scale == 1) and (permuted or list(order) == sorted(order))
                for order, scale in naive.alignments(a, b)
            )
            assert (table_classes.class_of[i] == table_classes.class_of[j]) == alike
    used = sorted(set(table_classes.class_of.tolist()))
    assert used == list(range(len(table_classes.representatives)))


@given(st.lists(st.one_of(symmetric_tables(), tables()), max_size=5), st.data())
def test_classes_do_not_depend_on_the_order_of_tables_or_arguments(
    pool: list[Table], data: st.DataObject
) -> None:
    shuffle = data.draw(st.permutations(range(len(pool))))
    others = [data.draw(reordered(pool[index]))[0] for index in shuffle]
    tolerance = data.draw(st.sampled_from([0, "0.1"]))
    first, second = classes(pool, tolerance=tolerance), classes(others, tolerance=tolerance)
    assert first.class_of[shuffle].tolist() == second.class_of.tolist()
    assert first.representatives == second.representatives


def test_a_rotation_and_an_exchange_of_pairs() -> None:
    x, y, z = np.indices((3, 3, 3))
    rotation = 1 + 1 * (x < y) + (y < z) + (z < x)
    a, b, c, d = np.indices((2, 2, 2, 2))
    pairs = 1 + a * (1 + 7 * b) + c * (1 + 7 * d)
    rng = np.random.default_rng(5)
    for values in (rotation, pairs):
        pool = [
            Table.of(int(rng.integers(1, 9)) * values.transpose(rng.permutation(values.ndim)))
            for _ in range(20)
        ]
        table_classes = classes(pool)
        assert len(table_classes.representatives) == 1
        assert all(
            aligned(table, table_classes.representatives[0], alignment)
            for table, alignment in zip(pool, table_classes.alignments, strict=True)
        )


@pytest.mark.long
def test_twenty_boolean_arguments() -> None:
    rng = np.random.default_rng(0)
    values = rng.integers(1, 100, (2,) * 20)
    first, second = Table.of(values), Table.of(3 * values.transpose(rng.permutation(20)))
    alignment = find_alignment(second, first)
    assert alignment is not None
    assert alignment.scale == 3
    assert np.array_equal(second.integers.transpose(alignment.permutation), first.integers)
    assert len(classes([first, second]).representatives) == 1


positive = st.integers(1, 60)
eight = st.lists(positive, min_size=8, max_size=8)


@given(st.lists(positive, min_size=4, max_size=4), st.lists(positive, min_size=4, max_size=4))
def test_tolerance_is_the_interval_test_of_the_appendix(a: list[int], b: list[int]) -> None:
    first, second = Table.of(a, (2, 2)), Table.of(b, (2, 2))
    for epsilon in (Fraction(1, 50), Fraction(1, 5), Fraction(1, 2)):
        alignment = find_alignment(first, second, tolerance=epsilon)
        assert (alignment is not None) == naive.near(first, second, epsilon)
        if alignment is not None:
            assert alignment.deviation <= epsilon
            assert alignment.scale == first.potential((0, 0)) / second.potential((0, 0))


@given(st.lists(st.lists(positive, min_size=4, max_size=4), min_size=1, max_size=8))
def test_every_table_is_within_tolerance_of_its_representative(values: list[list[int]]) -> None:
    pool = [Table.of(entries, (2, 2)) for entries in values]
    table_classes = classes(pool, tolerance="0.3")
    for index, table in enumerate(pool):
        alignment = table_classes.alignments[index]
        nearest = table_classes.representatives[table_classes.class_of[index]]
        representative = naive.potentials(nearest)
        assert alignment.deviation <= Fraction(3, 10)
        for r, value in naive.potentials(table).items():
            expected = alignment.scale * representative[tuple(r[k] for k in alignment.permutation)]
            assert abs(value - expected) <= alignment.deviation * expected
    for i, first in enumerate(table_classes.representatives):
        for second in table_classes.representatives[:i]:
            assert not naive.near(first, second, Fraction(3, 10))


@given(st.data(), st.lists(st.integers(1, 3), max_size=3))
def test_where_every_position_counts_tables_are_near_entry_by_entry(
    data: st.DataObject, shape: list[int]
) -> None:
    size = math.prod(shape)
    entries = st.lists(st.sampled_from([0, 100, 101]), min_size=size, max_size=size)
    first, second = data.draw(entries), data.draw(entries)
    given_tables = [Table.of(first, shape), Table.of(second, shape)]
    found = classes(given_tables, up_to_scale=False, permuted=False, tolerance="0.02")
    near = all(abs(a - b) <= 1 for a, b in zip(first, second, strict=True))
    assert (found.class_of[0] == found.class_of[1]) == near


def test_floats_are_measured_and_exact_numbers_are_not() -> None:
    assert 0.1 * 3 != 0.3
    measured, other = Table.of([0.1 * 3, 0.7]), Table.of([0.3, 0.7])
    assert find_alignment(measured, other, tolerance=0) is None
    alignment = find_alignment(measured, other)
    assert alignment is not None
    assert 0 < alignment.deviation < Fraction(1, 10**15)
    assert len(classes([measured, other]).representatives) == 1
    assert len(classes([measured, other], tolerance=0).representatives) == 2
    near = Fraction(1, 10**14)
    exact = [Table.of([1, 1 + near]), Table.of([1, 1 - near])]
    assert len(classes(exact).representatives) == 2
    assert len(classes([*exact, Table.of([1.0, 1.0])]).representatives) == 2  # it joins one of them
    assert classes(exact).tolerance == 0
    assert classes([measured]).tolerance == Fraction(1, 10**12)


def test_an_exact_alignment_is_preferred_to_a_near_one() -> None:
    a, b = Table.of([[100, 200], [201, 401]]), Table.of([[100, 201], [200, 401]])
    assert find_alignment(a, b, tolerance="0.01") == Alignment((1, 0))
    assert find_alignment(b, b, tolerance="0.01") == Alignment((0, 1))


def test_tables_of_zeros_and_constants_with_tolerance() -> None:
    wide, tall = Table.of([[0, 0, 0], [0, 0, 0]]), Table.of([[0, 0], [0, 0], [0, 0]])
    for tolerance in (0, "0.1", "1e-30"):
        assert find_alignment(wide, tall, tolerance=tolerance) == Alignment((1, 0))
        assert find_alignment(wide, wide, up_to_scale=False, tolerance=tolerance) is not None
        assert find_alignment(Table.of([0, 0]), Table.of([1, 1]), tolerance=tolerance) is None
    assert find_alignment(Table.of(2), Table.of(13), up_to_scale=False, tolerance="0.1") is None
    assert (
        find_alignment(Table.of(12), Table.of(13), up_to_scale=False, tolerance="0.1") is not None
    )
    tiny = Table.of(["1e-30", "1e-30"])
    assert find_alignment(Table.of([0, 0]), tiny, up_to_scale=False, tolerance="0.1") is None


@given(
    st.lists(positive, min_size=8, max_size=8),
    st.lists(positive, min_size=8, max_size=8),
    st.data(),
)
def test_near_alignments_are_equally_good_in_whatever_order(
    a: list[int], b: list[int], data: st.DataObject
) -> None:
    first, second = Table.of(a, (2, 2, 2)), Table.of(b, (2, 2, 2))
    alignment = find_alignment(first, second, tolerance="0.9")
    first_reordered, _ = data.draw(reordered(first))
    second_reordered, _ = data.draw(reordered(second))
    again = find_alignment(first_reordered, second_reordered, tolerance="0.9")
    assert (alignment is None) == (again is None)
    assert alignment is None or again is None or alignment.deviation == again.deviation


@pytest.mark.parametrize("tolerance", [1, "1.5", -1, "x", math.nan])
def test_tolerances_that_make_no_sense(tolerance: object) -> None:
    with pytest.raises(InputError, match=r"expected a"):
        find_alignment(Table.of([1, 2]), Table.of([1, 2]), tolerance=tolerance)


@given(symmetric_tables())
def test_a_table_of_huge_numbers_is_compared_exactly(table: Table) -> None:
    assume(table.integers.any())
    huge = Table.of(table.integers.astype(object) * 10**30 + (table.integers > 1))
    assert find_alignment(huge, huge, tolerance="1e-40") is not None
    if table.integers.max() > 1:
        assert find_alignment(huge, table) is None
