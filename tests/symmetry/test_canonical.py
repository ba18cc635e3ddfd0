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
from liftgraph.symmetry.tables import labelling
from liftgraph.symmetry.tables.canonical import canonical_order
from liftgraph.symmetry.tables.labelling import labelled
from liftgraph.symmetry.tables.orbits import orbit_labels, smallest_images
from liftgraph.symmetry.tables.refinement import Cells, refined
from liftgraph.symmetry.tables.symmetries import Symmetries
from tests.strategies import symmetric_tables, tables
from tests.symmetry import naive
from tests.symmetry.designs import (
    HAMMING,
    REED_MULLER,
    four_by_four,
    paired,
    reed_muller,
    rotating,
    steiner_triples,
)


@given(st.one_of(symmetric_tables(), tables()), st.data())
def test_canonical_forms_do_not_depend_on_the_order_of_arguments(
    table: Table, data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(len(table.shape))))
    reordered = table.integers.transpose(order)
    for canonical in (canonical_order, lambda integers: labelled(integers).order):
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
    assert every_symmetry(labelled(table.integers).symmetries, len(table.shape)) == expected


@given(symmetric_tables(), st.data())
def test_smallest_images_are_equal_for_images_of_each_other_and_no_others(
    table: Table, data: st.DataObject
) -> None:
    arity = len(table.shape)
    all_symmetries = [order for order, scale in naive.alignments(table, table) if scale == 1]
    entries = st.lists(st.integers(0, 2), min_size=arity, max_size=arity)
    rows = np.array(data.draw(st.lists(entries, min_size=2, max_size=5)))
    table_symmetries = labelled(table.integers).symmetries
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


@pytest.mark.parametrize(
    ("values", "count"),
    [
        (rotating(8), 8),
        (paired(4), 24),
        (paired(5), 120),
        (REED_MULLER, 1344),
        (HAMMING, 168),
        (steiner_triples(9), 9 * 8 * 6),
        (steiner_triples(15), 15 * 14 * 12 * 8),
        (four_by_four(shrikhande=True), 192),
        (four_by_four(shrikhande=False), 2 * 24 * 24),
        (reed_muller(4), 16 * 15 * 14 * 12 * 8),
    ],
    ids=[
        "rotating",
        "four pairs",
        "five pairs",
        "Reed-Muller",
        "Hamming",
        "affine plane",
        "projective geometry",
        "Shrikhande",
        "rook",
        "Reed-Muller of four bits",
    ],
)
def test_many_arguments_need_no_walk_through_all_orders(
    values: NDArray[Any], count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    refinements = 0

    def counted(*arguments: Any) -> Cells:
        nonlocal refinements
        refinements += 1
        return refined(*arguments)

    monkeypatch.setattr(labelling, "refined", counted)
    table_symmetries = labelled(values).symmetries
    assert refinements < values.ndim**2
    assert table_symmetries.order == count
    assert table_symmetries.commuting == tuple((axis,) for axis in range(values.ndim))
    assert all(np.array_equal(values, values.transpose(g)) for g in table_symmetries.generators)
    shuffled = values.transpose(np.random.default_rng(0).permutation(values.ndim))
    assert np.array_equal(
        values.transpose(canonical_order(values)), shuffled.transpose(canonical_order(shuffled))
    )


def without_refinement(hashes: Any, commuting: Any, colours: Any) -> Cells:
    """Cells as they are: then all orders of arguments of one size are leaves of the search."""
    rank = {colour: index for index, colour in enumerate(sorted(set(colours)))}
    return Cells(tuple(rank[colour] for colour in colours), ())


@given(symmetric_tables(), st.data())
def test_whatever_refinement_tells_the_search_is_right(table: Table, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(table.shape))))
    reordered = table.integers.transpose(order)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(labelling, "refined", without_refinement)
        first, second = labelled(table.integers), labelled(reordered)
    form = table.integers.transpose(first.order)
    assert np.array_equal(form, reordered.transpose(second.order))
    expected = {order for order, scale in naive.alignments(table, table) if scale == 1}
    assert every_symmetry(first.symmetries, len(table.shape)) == expected


@pytest.mark.parametrize("refines", [True, False], ids=["refined", "not refined"])
@pytest.mark.parametrize(
    "values",
    [rotating(6), paired(3), REED_MULLER, HAMMING, steiner_triples(7), rotating(5)],
    ids=["six in a ring", "three pairs", "Reed-Muller", "Hamming", "Fano plane", "five in a ring"],
)
def test_whether_a_search_is_given_up_does_not_depend_on_the_order(
    values: NDArray[Any], refines: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not refines:
        monkeypatch.setattr(labelling, "refined", without_refinement)
    rng = np.random.default_rng(1)
    shuffles = [values.transpose(rng.permutation(values.ndim)) for _ in range(6)]
    outcomes = []
    for steps in (0, 5, 8, 12, 20, 30, 50, 80):
        monkeypatch.setattr(labelling, "most_entries", lambda size, steps=steps: steps * size)
        found = [labelled(shuffled) for shuffled in shuffles]
        outcomes.append({result.complete for result in found})
        forms = {
            shuffled.transpose(result.order).tobytes()
            for shuffled, result in zip(shuffles, found, strict=True)
            if result.complete
        }
        assert len(outcomes[-1]) == 1
        assert len(forms) <= 1
        for shuffled, result in zip(shuffles, found, strict=True):
            assert all(
                np.array_equal(shuffled, shuffled.transpose(symmetry))
                for symmetry in result.symmetries.generators
            )
    assert outcomes[0] == {False}
    assert not refines or outcomes[-1] == {True}
