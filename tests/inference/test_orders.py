"""Elimination orders: what they cost, and which ones are found."""

from __future__ import annotations

import math
import random
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from liftgraph.inference.tensor import elimination_order as orders
from liftgraph.inference.tensor.contraction_tree import contraction_tree, tree_of
from liftgraph.inference.tensor.elimination_order import (
    Search,
    better_orders,
    checked_deadline,
    elimination_order,
)
from liftgraph.inference.tensor.greedy_orders import min_fill_order, min_size_order
from liftgraph.inference.tensor.interaction_graph import interaction_graph, labels
from liftgraph.inference.tensor.order_cost import costed
from liftgraph.inference.tensor.reconfiguration import maximal_scopes, reconfigured
from liftgraph.inference.tensor.sparse_orders import thinned
from liftgraph.inference.tensor.sweeps import breadth_first, neighbour_sets, sweeps

Scopes = list[tuple[int, ...]]
Structure = tuple[Scopes, list[int], set[int]]


@st.composite
def structures(draw: st.DrawFn) -> tuple[list[tuple[int, ...]], list[int], set[int]]:
    count = draw(st.integers(1, 11))
    sizes = draw(st.lists(st.integers(2, 4), min_size=count, max_size=count))
    width = draw(st.sampled_from([2, 4]))
    scope = st.lists(st.integers(0, count - 1), unique=True, min_size=1, max_size=width).map(tuple)
    scopes = draw(st.lists(scope, min_size=1, max_size=20))
    covered = sorted({variable for scope in scopes for variable in scope})
    kept = set(draw(st.lists(st.sampled_from(covered), max_size=2)))
    return scopes, sizes, kept


def simulated_products(scopes: Scopes, sizes: list[int], order: list[int]) -> list[float]:
    """Entries of the products that an order makes, by eliminating it on plain sets."""
    tables = [set(scope) for scope in scopes]
    products = []
    for variable in order:
        bucket = [table for table in tables if variable in table]
        joined = set().union(*bucket)
        products.append(float(np.prod([sizes[member] for member in joined])))
        tables = [table for table in tables if variable not in table] + [joined - {variable}]
    return products


def simulated_cost(
    scopes: Scopes, sizes: list[int], order: list[int], kept: set[int]
) -> tuple[float, float]:
    """Multiplications, and entries written, where all that can be summed is summed, on sets."""
    tables = [set(scope) for scope in scopes]
    multiplications = written = 0.0
    for variable in order:
        bucket = [table for table in tables if variable in table]
        if bucket:
            joined = set().union(*bucket)
            multiplications += float(np.prod([sizes[member] for member in joined]))
            tables = [table for table in tables if variable not in table]
            result = joined & kept.union(*tables)
            written += float(np.prod([sizes[member] for member in result]))
            tables.append(result)
    return multiplications, written


@given(structures())
def test_an_order_is_complete_and_its_cost_is_right(case: Structure) -> None:
    scopes, sizes, kept = case
    found = elimination_order(scopes, sizes, kept)
    eliminated = set(neighbour_sets(scopes)) - kept
    assert sorted(found.variables) == sorted(eliminated)
    products = simulated_products(scopes, sizes, found.variables)
    # Cheap orders have a bound, others are examined.
    exactly = simulated_cost(scopes, sizes, found.variables, kept)[0]
    assert found.multiplications in (sum(products), exactly)
    for order in ([*eliminated], *sweeps(scopes, kept), found.variables):
        assert sorted(order) == sorted(eliminated)
        exact = costed(scopes, sizes, order, kept)
        expected = simulated_cost(scopes, sizes, order, kept)
        assert (exact.multiplications, exact.written) == expected
        assert exact.multiplications <= sum(simulated_products(scopes, sizes, order))


@given(structures(), st.integers(1, 12))
def test_breadth_first_orders_end_where_products_are_wide(case: Structure, widest: int) -> None:
    scopes, _, kept = case
    order = breadth_first(neighbour_sets(scopes), kept)
    assert order is not None
    limited = breadth_first(neighbour_sets(scopes), kept, widest)
    assert limited in (None, order)
    if not kept and limited is None:
        assert max(simulated_products(scopes, [2] * 11, order)) > 2**widest


@given(structures())
def test_a_cost_beyond_what_is_allowed_is_infinite(case: Structure) -> None:
    scopes, sizes, kept = case
    order = elimination_order(scopes, sizes, kept).variables
    products = simulated_products(scopes, sizes, order)
    largest = max(products, default=0)
    assert costed(scopes, sizes, order, kept, most=largest).feasible
    if products and largest == products[0]:
        over = costed(scopes, sizes, order, kept, most=largest - 1)
        assert not over.feasible
        assert over.variables == order[:1]
    exact = costed(scopes, sizes, order, kept)
    assert costed(scopes, sizes, order, kept, score=exact.score).feasible
    assert not products or not costed(scopes, sizes, order, kept, score=0).feasible


def random_graph(count: int, seed: int, density: float) -> tuple[Scopes, list[int]]:
    generator = np.random.default_rng(seed)
    edges = [edge for edge in combinations(range(count), 2) if generator.random() < density]
    sizes = generator.integers(2, 2 + seed % 3, count, endpoint=True).tolist()
    return [*edges, *[(variable,) for variable in range(count)]], sizes


def fill_in(graph: dict[int, set[int]], sizes: list[int], variable: int) -> int:
    """The weight of the edges that are missing between the neighbours of a variable."""
    pairs = combinations(graph[variable], 2)
    return sum(sizes[one] * sizes[other] for one, other in pairs if other not in graph[one])


def eliminate(graph: dict[int, set[int]], variable: int) -> None:
    around = graph.pop(variable)
    for one in around:
        graph[one] = (graph[one] | around) - {one, variable}


def naive_min_fill(graph: dict[int, set[int]], sizes: list[int], kept: set[int]) -> list[int]:
    """Weighted min-fill, ties by the size of the product and by number, all counted anew."""
    order = []
    while graph.keys() - kept:
        order.append(
            min(
                graph.keys() - kept,
                key=lambda v: (
                    fill_in(graph, sizes, v),
                    sizes[v] * math.prod(sizes[other] for other in graph[v]),
                    v,
                ),
            )
        )
        eliminate(graph, order[-1])
    return order


def naive_min_size(graph: dict[int, set[int]], sizes: list[int], kept: set[int]) -> list[int]:
    order = []
    while graph.keys() - kept:
        order.append(
            min(
                graph.keys() - kept,
                key=lambda v: (sizes[v] * math.prod(sizes[other] for other in graph[v]), v),
            )
        )
        eliminate(graph, order[-1])
    return order


@given(st.integers(2, 15), st.integers(0, 2**32), st.sampled_from([0.15, 0.3, 0.6]))
def test_greedy_orders_are_those_of_their_twins(count: int, seed: int, density: float) -> None:
    scopes, sizes = random_graph(count, seed, density)
    kept = {seed % count}
    graph = interaction_graph(scopes, sizes, kept)
    for fast, twin in ((min_fill_order, naive_min_fill), (min_size_order, naive_min_size)):
        expected = twin(neighbour_sets(scopes), sizes, kept)
        assert fast(graph).labels == expected
        assert fast(graph).entries == sum(simulated_products(scopes, sizes, expected))


@given(st.integers(2, 15), st.integers(0, 2**32))
def test_min_fill_with_noise_takes_the_least_fill(count: int, seed: int) -> None:
    scopes, sizes = random_graph(count, seed, 0.3)
    graph = neighbour_sets(scopes)
    noise = random.Random(seed).random
    for variable in min_fill_order(interaction_graph(scopes, sizes), noise=noise).labels:
        fills = {one: fill_in(graph, sizes, one) for one in graph}
        assert fills[variable] == min(fills.values())
        eliminate(graph, variable)


@given(st.integers(2, 15), st.integers(0, 2**32), st.integers(0, 15))
def test_a_large_graph_is_thinned_by_small_products(count: int, seed: int, left: int) -> None:
    scopes, sizes = random_graph(count, seed, 0.3)
    graph = neighbour_sets(scopes)
    rest = thinned(scopes, sizes, {0}, left, math.inf)
    assert len(rest.eliminated) == max(0, count - max(left, 1))
    for variable in rest.eliminated:
        products = {
            one: sizes[one] * math.prod(sizes[other] for other in near)
            for one, near in graph.items()
            if one != 0
        }
        assert products[variable] < 2 * min(products.values())
        eliminate(graph, variable)
    assert rest.graph is not None
    names = rest.graph.variables
    around = zip(names, rest.graph.neighbours, strict=True)
    assert {name: {names[label] for label in labels(bits)} for name, bits in around} == graph


def test_a_graph_that_is_thinned_gets_an_order_as_good(monkeypatch: pytest.MonkeyPatch) -> None:
    scopes = grid_scopes(9, 9)
    whole = elimination_order(scopes, [2] * 81)
    monkeypatch.setattr(orders, "_FEW", 20)
    order = elimination_order(scopes, [2] * 81)
    assert sorted(order.variables) == list(range(81))
    assert order.multiplications <= 4 * whole.multiplications


def grid_scopes(rows: int, columns: int) -> Scopes:
    cells = np.arange(rows * columns).reshape(rows, columns)
    across = zip(cells[:, :-1].ravel().tolist(), cells[:, 1:].ravel().tolist(), strict=True)
    down = zip(cells[:-1].ravel().tolist(), cells[1:].ravel().tolist(), strict=True)
    return [*across, *down]


def test_a_wide_grid_is_answered_rather_than_refused() -> None:
    shuffled = np.random.default_rng(0).permutation(400).tolist()
    edges = grid_scopes(20, 20)
    for numbered in (edges, [tuple(shuffled[variable] for variable in edge) for edge in edges]):
        assert elimination_order(numbered, [2] * 400).largest <= 2**22  # a sweep makes 2^20


def test_known_orders_serve_other_questions() -> None:
    edges = grid_scopes(10, 10)
    sizes = [2] * 100
    sweep = sorted(range(100), key=lambda cell: (cell % 10, cell // 10))
    sizes_of_some = [9 if cell % 10 == 4 else 2 for cell in range(100)]
    for known in (sweep, sweep[10:], [*sweep, 200]):
        order = elimination_order(edges, sizes_of_some, [0], Search(known=(tuple(known),)))
        assert sorted(order.variables) == list(range(1, 100))
        assert order.score <= elimination_order(edges, sizes_of_some, [0]).score
    assert elimination_order(edges, sizes).feasible


def linked(seed: int = 0) -> tuple[Scopes, list[int]]:
    """Irregular: a long chain of triples with some far connections."""
    generator = np.random.default_rng(seed)
    chain: Scopes = [(index, index + 1, index + 2) for index in range(58)]
    far: Scopes = [
        tuple(sorted(generator.choice(60, 2, replace=False).tolist())) for _ in range(25)
    ]
    return [*chain, *far], generator.integers(2, 4, 60).tolist()


def test_better_orders_get_better_and_are_the_same_every_time() -> None:
    scopes, sizes = linked()
    first = costed(scopes, sizes, list(range(60)))
    search = Search(deadline=checked_deadline(60), rounds=4)

    def some() -> list[tuple[list[int], float]]:
        found = better_orders(scopes, sizes, [], first.variables, search)
        return [(order.variables, order.score) for order in found]

    found = some()
    scores = [first.score, *(score for _, score in found)]
    assert len(scores) > 1
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] < first.score / 10
    assert found == some()
    assert not [*better_orders(scopes, sizes, [], found[-1][0], Search())]


def test_orders_are_found_without_cotengra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orders, "can_reconfigure", lambda: False)
    scopes, sizes = linked()
    found = [
        *better_orders(scopes, sizes, [], list(range(60)), Search(deadline=checked_deadline(60)))
    ]
    assert found[-1].score < costed(scopes, sizes, list(range(60))).score / 10


@given(structures())
def test_reconfigured_orders_are_complete(case: Structure) -> None:
    pytest.importorskip("cotengra")
    scopes, sizes, kept = case
    order = next(sweeps(scopes, kept))
    assert sorted(reconfigured(order, scopes, sizes, sorted(kept))) == sorted(order)


def test_reconfigured_orders_are_better() -> None:
    pytest.importorskip("cotengra")
    scopes, sizes = linked()
    swept = costed(scopes, sizes, list(range(60)))
    assert costed(scopes, sizes, reconfigured(swept.variables, scopes, sizes, [])).score < (
        swept.score / 10
    )


@given(structures())
def test_maximal_scopes_are_in_no_other(case: Structure) -> None:
    scopes = case[0]
    largest = [frozenset(scope) for scope in maximal_scopes(scopes)]
    expected = {frozenset(scope) for scope in scopes}
    assert set(largest) == {one for one in expected if not any(one < other for other in expected)}
    assert len(set(largest)) == len(largest)


@given(structures())
def test_a_tree_costs_no_more_than_its_order(case: Structure) -> None:
    scopes, sizes, kept = case
    single = [*dict.fromkeys(scopes)]
    for order in sweeps(single, kept):
        tree = tree_of(order, single, sizes, sorted(kept))
        assert sorted(tree.order) == sorted(order)
        products = simulated_products(single, sizes, order)
        assert max(tree.costs, default=0) <= max([*products, *map(float, tree.entries)])
    assert contraction_tree(single, sizes, sorted(kept)).operations >= 0
