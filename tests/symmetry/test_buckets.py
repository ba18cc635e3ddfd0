"""Buckets against counts of states, and against other orders of the arguments."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import liftgraph as lg
from tests.strategies import reordered, symmetric_tables, tables


@given(st.one_of(tables(), symmetric_tables()))
def test_a_bucket_has_the_potentials_of_its_assignments_in_order(table: lg.Table) -> None:
    expected: dict[object, list[Fraction]] = {}
    for states in product(*map(range, table.shape)):
        counted = frozenset(Counter(zip(table.shape, states, strict=True)).items())
        expected.setdefault(counted, []).append(table.potential(states))
    assert [list(listed) for listed in lg.buckets(table).potentials.values()] == [
        *expected.values()
    ]


@given(symmetric_tables(), st.data())
def test_orders_of_arguments_permute_potentials_within_buckets(
    table: lg.Table, data: st.DataObject
) -> None:
    other, _ = data.draw(reordered(table))
    first, second = lg.buckets(table), lg.buckets(lg.Table(other.integers, table.scale))
    in_order = [{frozenset(b): sorted(p) for b, p in c.potentials.items()} for c in (first, second)]
    assert in_order[0] == in_order[1]


def test_ranges_of_arguments_are_counted_apart() -> None:
    table = lg.Table.of(range(1, 9), (2, 2, 2))
    named = lg.buckets(table, "ABC", [["yes", "no"], ["true", "false"], ["yes", "no"]])
    assert named.bucket((0, 0, 1)) == ((1, 1), (1, 0))
    assert lg.buckets(table).bucket((0, 0, 1)) == ((2, 1),)
    assert len(named.potentials) == 6


def test_parfactors_have_buckets_with_their_own_names() -> None:
    P = lg.LogVar("P", 3)
    sick, epidemic = lg.prv("Sick", P), lg.prv("Epid")
    alone = lg.buckets(lg.parfactor([sick, epidemic], [1, 2, 3, 4]))
    assert str(alone).startswith("Sick(P)  Epid   φ(Sick(P), Epid)  b\n")
    counting = lg.buckets(lg.parfactor([lg.crv(sick, P), epidemic], range(8)))
    assert len(counting.potentials) == 8


@pytest.mark.parametrize("values", [[], [[1, 2, 3]]])
def test_names_for_another_shape_are_refused(values: list[list[int]]) -> None:
    with pytest.raises(lg.InputError, match="expected values for shape 2"):
        lg.buckets(lg.Table.of([1, 2]), values=values)


def test_a_number_has_one_empty_bucket() -> None:
    assert lg.buckets(lg.Table.of(5)).potentials == {(): (Fraction(5),)}


def test_other_objects_are_refused() -> None:
    with pytest.raises(lg.InputError, match="expected a table or a parfactor, got"):
        lg.buckets([1, 2])  # type: ignore[arg-type]
