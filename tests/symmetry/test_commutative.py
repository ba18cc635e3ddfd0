"""Commutative arguments against the definition, on every subset."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given

from liftgraph import Table
from liftgraph.symmetry.tables.commutative import commutative_sets
from tests.strategies import symmetric_tables, tables
from tests.symmetry import naive


@given(symmetric_tables())
def test_sets_are_the_largest_subsets_that_may_be_permuted_freely(table: Table) -> None:
    sets = commutative_sets(table)
    assert set(map(frozenset, sets)) == naive.commutative_sets(table)
    assert sorted(itertools.chain(*sets)) == list(range(len(table.shape)))


@given(tables())
def test_any_table_has_a_partition_of_its_arguments(table: Table) -> None:
    assert set(map(frozenset, commutative_sets(table))) == naive.commutative_sets(table)


def test_buckets_alone_do_not_make_arguments_commutative() -> None:
    # Each bucket of the last three arguments has one multiset of values, in different orders.
    first = np.array([[[1, 2], [3, 4]], [[3, 5], [6, 7]]])
    assert commutative_sets(Table.of(first)) == ((0,), (1,), (2,))
    assert commutative_sets(Table.of(first + first.transpose(0, 2, 1))) == ((0,), (1, 2))


def test_sixteen_boolean_arguments() -> None:
    ones = np.indices((2,) * 16).sum(axis=0)
    assert commutative_sets(Table.of(ones + 1)) == (tuple(range(16)),)
    odd_places = np.indices((2,) * 16)[1::2].sum(axis=0)
    assert commutative_sets(Table.of(100 * odd_places + ones + 1)) == (
        tuple(range(0, 16, 2)),
        tuple(range(1, 16, 2)),
    )


def test_ranges_of_any_size() -> None:
    x, y, z = np.indices((4, 4, 2))
    assert commutative_sets(Table.of(1 + x + y + 10 * z)) == ((0, 1), (2,))
    assert commutative_sets(Table.of(np.ones((1, 1, 3), dtype=int))) == ((0, 1), (2,))
    assert commutative_sets(Table.of(7)) == ()


def test_integers_beyond_64_bits() -> None:
    huge = 10**30
    assert commutative_sets(Table.of([[1, huge], [huge, 3]])) == ((0, 1),)
    assert commutative_sets(Table.of([[1, huge], [huge + 1, 3]])) == ((0,), (1,))
