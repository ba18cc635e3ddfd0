"""Canonical orders and symmetries of tables, against all permutations."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from liftgraph import Table
from liftgraph.symmetry.tables.canonical import canonical_order, searched_order
from liftgraph.symmetry.tables.orbits import orbit_labels, smallest_images
from liftgraph.symmetry.tables.symmetries import Symmetries, symmetries
from tests.strategies import symmetric_tables, tables
from tests.symmetry import naive


@given(st.one_of(symmetric_tables(), tables()), st.data())
def test_canonical_forms_do_not_depend_on_the_order_of_arguments(
    table: Table, data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(len(table.shape))))
    reordered = table.integers.transpose(order)
    for canonical in (canonical_order, searched_order):
        form = table.integers.transpose(canonical(table.integers))
        assert np.array_equal(form, reordered.transpose(canonical(reordered)))
        assert list(form.shape) == sorted(table.shape)


def every_symmetry(chain: Symmetries, arity: int) -> set[tuple[int, ...]]:
    """All products of exchanges and of permutations within commuting sets, as the class says."""
    products = {tuple(range(arity))}
    for _, images in chain.exchanges:
        products = {tuple(g[k] for k in image) for g in products for image in images}
    for members in chain.commuting:
        shuffles = [dict(zip(members, order, strict=True)) for order in permutations(members)]
        products = {tuple(g[s.get(k, k)] for k in range(arity)) for g in products for s in shuffles}
    return products


@given(symmetric_tables())
def test_symmetries_are_all_permutations_that_leave_the_table_as_it_is(table: Table) -> None:
    expected = {order for order, scale in naive.alignments(table, table) if scale == 1}
    assert every_symmetry(symmetries(table.integers), len(table.shape)) == expected


@given(symmetric_tables(), st.data())
def test_smallest_images_are_equal_for_images_of_each_other_and_no_others(
    table: Table, data: st.DataObject
) -> None:
    arity = len(table.shape)
    all_symmetries = [order for order, scale in naive.alignments(table, table) if scale == 1]
    entries = st.lists(st.integers(0, 2), min_size=arity, max_size=arity)
    rows = np.array(data.draw(st.lists(entries, min_size=2, max_size=5)))
    table_symmetries = symmetries(table.integers)
    images, orders = smallest_images(rows, table_symmetries)
    assert np.array_equal(np.take_along_axis(rows, orders, axis=1), images)
    orbits = [{tuple(row[list(order)].tolist()) for order in all_symmetries} for row in rows]
    for i, orbit in enumerate(orbits):
        assert tuple(images[i].tolist()) in orbit
        for j, other_orbit in enumerate(orbits):
            assert (orbit == other_orbit) == np.array_equal(images[i], images[j])
    labels = orbit_labels(images, table_symmetries)
    for row, label in zip(images, labels, strict=True):
        keeping = [order for order in all_symmetries if (row[list(order)] == row).all()]
        for i in range(arity):
            for j in range(arity):
                assert (label[i] == label[j]) == any(order[i] == j for order in keeping)


def rotating(arity: int) -> NDArray[Any]:
    """A table of Boolean arguments on a ring that may be turned, but not reflected."""
    state = np.indices((2,) * arity)
    terms = [
        state[i] * (1 + 2 * state[(i + 1) % arity]) * (1 + state[(i + 3) % arity])
        for i in range(arity)
    ]
    return np.asarray(1 + sum(terms))


def paired(pairs: int) -> NDArray[Any]:
    """A table of Boolean arguments in pairs (x, y): whole pairs may be permuted."""
    state = np.indices((2,) * (2 * pairs))
    return np.asarray(1 + sum(state[2 * i] * (1 + 7 * state[2 * i + 1]) for i in range(pairs)))


def code(length: int, *words: int) -> NDArray[Any]:
    """Whether an assignment, read as a binary number, is a sum of these words modulo two.

    Few arguments of such a table tell nothing, whatever their states.
    """
    sums = {0}
    for word in words:
        sums |= {word ^ earlier for earlier in sums}
    return np.array([1 + (word in sums) for word in range(2**length)]).reshape((2,) * length)


# The symmetries of the first are the affine maps of three bits, 8·7·6·4 of them; those of the
# Hamming code are the invertible linear maps, 7·6·4.
REED_MULLER = code(8, 0xFF, 0x0F, 0x33, 0x55)
HAMMING = code(7, 0b1000011, 0b0100101, 0b0010110, 0b0001111)


@pytest.mark.parametrize(
    ("values", "count"),
    [
        (rotating(8), 8),
        (paired(4), 24),
        (paired(5), 120),
        (REED_MULLER, 1344),
        (HAMMING, 168),
    ],
    ids=["rotating", "four pairs", "five pairs", "Reed-Muller", "Hamming"],
)
def test_ten_arguments_need_no_walk_through_all_orders(values: NDArray[Any], count: int) -> None:
    table_symmetries = symmetries(values)
    assert table_symmetries.order == count
    assert table_symmetries.commuting == tuple((axis,) for axis in range(values.ndim))
    shuffled = values.transpose(np.random.default_rng(0).permutation(values.ndim))
    assert np.array_equal(
        values.transpose(canonical_order(values)), shuffled.transpose(canonical_order(shuffled))
    )
