"""Plans: their orders, what they predict, and what they refuse."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.inference.tensor.contraction_tree import contraction_tree
from liftgraph.inference.tensor.memory import peak_bytes, rough_peak_bytes
from liftgraph.inference.tensor.sections import section
from liftgraph.inference.tensor.tensors import given as given_tensor
from liftgraph.model.query import Query
from tests.inference.test_orders import structures
from tests.strategies import ground_plan


@given(structures())
def test_a_tree_uses_every_tensor_once_and_ends_with_the_kept_variables(
    case: tuple[list[tuple[int, ...]], list[int], set[int]],
) -> None:
    scopes, sizes, kept = case
    tree = contraction_tree(scopes, sizes, sorted(kept))
    used = [tensor for step in tree.steps for tensor in step.operands]
    assert sorted(used) == list(range(len(tree.scopes) - 1))
    assert set(tree.scopes[-1]) == kept
    assert all(max(step.operands) < tree.leaves + n for n, step in enumerate(tree.steps))


def grid(side: int) -> lg.FactorGraph:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(side * side)
    cells = np.arange(side * side).reshape(side, side)
    for pairs in ((cells[:, :-1], cells[:, 1:]), (cells[:-1], cells[1:])):
        builder.add_factors(np.stack([pairs[0].ravel(), pairs[1].ravel()], axis=1), [3, 1, 1, 2])
    return builder.build()


def scopes(graph: lg.FactorGraph) -> list[tuple[int, ...]]:
    return [factor.scope for factor in graph.factors]


def test_min_fill_stays_near_the_width_of_a_grid() -> None:
    optimum = 2 ** (8 + 1)  # the treewidth of a grid is its side
    assert contraction_tree(scopes(grid(8)), [2] * 64).largest <= 4 * optimum


def test_a_star_is_eliminated_from_its_leaves() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(20_001)
    leaves = np.arange(1, 20_001)
    builder.add_factors(np.stack([np.zeros_like(leaves), leaves], axis=1), [3, 1, 1, 2])
    assert contraction_tree(scopes(builder.build()), [2] * 20_001).largest == 4


def test_too_large_a_plan_is_refused_before_anything_is_allocated() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables([f"V{index}" for index in range(40)])
    pairs = np.array([(i, j) for i in range(40) for j in range(i)])
    builder.add_factors(pairs, [2, 1, 1, 2])
    graph = builder.build()
    tracemalloc.start()
    with pytest.raises(
        lg.MemoryLimitError,
        match=r"TiB, the limit is 4\.0 GiB: .* 549,755,813,888 entries, eliminating V",
    ):
        graph.partition(method="ground", search_seconds=0)
    assert tracemalloc.get_traced_memory()[1] < 2**24
    tracemalloc.stop()
    with pytest.raises(lg.MemoryLimitError, match=r"TiB, the limit is 4\.0 GiB"):
        graph.query(*range(38))


def test_a_plan_tells_what_will_be_done() -> None:
    text = str(ground_plan(grid(3).given({0: "true"}), Query("marginal", (4,), exact=True)))
    assert "ground variable elimination" in text
    assert "exact integers" in text
    assert "variables  9, 8 left" in text
    assert "entries" in text


SICK = {"Sick.1": "true"}
ASKED: dict[str, tuple[tuple[str, ...], Callable[[Any], object]]] = {
    "query": (("Epid",), lambda model: model.query("Epid", given=SICK)),
    "partition": ((), lambda model: model.partition(given=SICK)),
    "marginals": ((), lambda model: model.marginals(given=SICK)),
    "map": (("Epid",), lambda model: model.map("Epid", given=SICK)),
    "mpe": ((), lambda model: model.mpe(given=SICK)),
}


@pytest.mark.parametrize("model", [lg.datasets.epid(3), lg.datasets.epid(3).ground()])
@pytest.mark.parametrize("question", ASKED)
def test_the_plan_of_a_question_answers_it(question: str, model: Any) -> None:
    variables, ask = ASKED[question]
    plan = model.explain(*variables, question=question, given=SICK)
    assert str(plan.run()) == str(ask(model))


def test_plans_know_how_many_explanations_are_wanted() -> None:
    sick, epidemic = lg.prv("Sick", lg.LogVar("X", 3)), lg.prv("Epid")
    model = lg.ParfactorGraph.of([lg.parfactor([sick, epidemic], [3, 1, 1, 5])])
    few = model.explain(question="mpe", best=4, given=SICK).run()
    assert str(few) == str(model.mpe(best=4, given=SICK))


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((), {"question": "sample"}, "expected a question .*got 'sample'"),
        ((), {"question": ["map"]}, "expected a question .*got"),
        (("Epid",), {"best": 3}, "expected best= only for mpe, got it for query"),
        ((), {"question": "mpe", "best": 0}, "got 0"),
        (("Epid",), {"question": "mpe"}, "expected no variables for .*got 'Epid'"),
        (("Sick",), {"question": "marginals"}, "expected no variables for .*got 'Sick'"),
        ((), {"question": "map"}, "expected at least one variable"),
    ],
)
def test_plans_of_unknown_questions_are_refused(
    arguments: tuple[str, ...], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(lg.InputError, match=message):
        lg.datasets.epid(3).explain(*arguments, **options)


@pytest.mark.parametrize("kind", ["marginal", "marginals", "partition", "explanation"])
def test_the_predicted_peak_is_not_exceeded(kind: str) -> None:
    variables = (0,) if kind == "marginal" else ()
    planned = ground_plan(grid(14), Query(kind, variables))
    planned.run()  # what is evaluated once is there now
    tracemalloc.start()
    planned.run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < planned.peak_bytes + 2**20


def test_bad_questions_are_refused() -> None:
    graph = grid(2)
    with pytest.raises(lg.InputError, match="expected distinct variables, got 0, 0"):
        graph.query(0, 0)
    with pytest.raises(lg.InputError, match="expected at least one variable"):
        graph.query()
    with pytest.raises(lg.InputError, match="expected a variable, got 'X'"):
        graph.query("X")
    with pytest.raises(lg.InputError, match="expected a method"):
        graph.query(0, method="magic")


def test_memory_for_the_answer_counts() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(70)
    builder.add_variables(2, 1000)
    builder.add_factor([70, 71], np.ones((1000, 1000), dtype=int))
    graph = builder.build().given(dict.fromkeys(range(70), "true"))
    with pytest.raises(lg.MemoryLimitError, match=r"the limit is 976\.6 KiB"):
        graph.query(70, 71, memory_limit=1_000_000)
    with pytest.raises(lg.MemoryLimitError):
        graph.query(*range(40))
    with pytest.raises(lg.InputError, match="at most 64 variables in a joint query, got 65"):
        graph.query(*range(65))


def hub() -> lg.FactorGraph:
    """Sixty leaves of 50 states around a variable of 20."""
    builder = lg.FactorGraphBuilder()
    builder.add_variable("Hub", 20)
    leaves = builder.add_variables(60, 50)
    table = np.arange(1, 1001).reshape(20, 50)
    builder.add_factors(np.stack([np.zeros(60, dtype=int), np.array(leaves)], axis=1), table)
    return builder.build()


def outer_product() -> lg.FactorGraph:
    """A sum over 16 states of products of 256 by 256."""
    generator = np.random.default_rng(0)
    builder = lg.FactorGraphBuilder()
    for size in (16, 256, 256, 2):
        builder.add_variable(states=size)
    for scope, shape in (((0, 1), (16, 256)), ((0, 2), (16, 256)), ((1, 2, 3), (256, 256, 2))):
        builder.add_factor(scope, generator.integers(1, 10**6, shape))
    return builder.build()


def observed() -> lg.FactorGraph:
    """A thousand observed variables of a thousand states."""
    builder = lg.FactorGraphBuilder()
    builder.add_variables(1000, 1000)
    return builder.build().given(dict.fromkeys(range(1000), "7"))


def tiny_scales() -> lg.FactorGraph:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(300)
    builder.add_factors(np.arange(300)[:, None], ["1e-3999", "3e-3999"])
    return builder.build().given(dict.fromkeys(range(300), "true"))


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("kind", ["marginals", "partition", "explanation"])
@pytest.mark.parametrize("model", [hub, outer_product, observed, tiny_scales])
def test_memory_stays_within_what_was_predicted(
    model: Callable[[], lg.FactorGraph], kind: str, exact: bool
) -> None:
    planned = ground_plan(model(), Query(kind, exact=exact))
    planned.run()
    tracemalloc.start()
    answer = planned.run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert answer.method == "ground"
    assert peak < planned.peak_bytes + 2**20


def test_products_are_made_in_the_order_that_keeps_them_small() -> None:
    builder = lg.FactorGraphBuilder()
    x, y = builder.add_variables(2, 64)
    for _ in range(3):
        k = builder.add_variable(states=32)
        builder.add_factor([k, x], np.ones((32, 64), dtype=int))
        builder.add_factor([k, y], np.ones((32, 64), dtype=int))
    sizes = [64, 64, 32, 32, 32]
    assert contraction_tree(scopes(builder.build()), sizes).largest == 64 * 64


def test_a_hopeless_model_is_refused_at_once() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(300)
    pairs = np.array([(i, j) for i in range(300) for j in range(i)])
    builder.add_factors(pairs, [2, 1, 1, 2])
    with pytest.raises(lg.MemoryLimitError, match=r"over 4\.6e\+18 entries, eliminating 0"):
        builder.build().partition(memory_limit=2**80, method="ground")
    assert builder.build().partition().method == "lifted"


@pytest.mark.parametrize(
    "query",
    [
        Query("marginal", (7,)),
        Query("marginal", (1, 1)),
        Query("marginal", ()),
        Query("partition", (1,)),
        Query("nonsense"),
    ],
)
def test_a_query_must_make_sense(query: Query) -> None:
    with pytest.raises(lg.InputError, match="expected"):
        ground_plan(grid(2), query)


@pytest.mark.parametrize("name", [1.0, None, True, b"0", [0], "00", np.True_])
def test_a_variable_must_be_a_name_or_an_index(name: object) -> None:
    with pytest.raises(lg.InputError, match=r"expected (a variable|variables one by one)"):
        grid(2).query(name)  # type: ignore[arg-type]
    assert grid(2).query(np.int64(1)).variables == ("1",)  # type: ignore[arg-type]


@given(structures(), st.integers(1, 900), st.booleans(), st.booleans())
def test_a_rough_bound_is_never_below_the_predicted_peak(
    case: tuple[list[tuple[int, ...]], list[int], set[int]],
    bits: int,
    exact: bool,
    backwards: bool,
) -> None:
    listed, sizes, kept = case
    tree = contraction_tree(listed, sizes, sorted(kept))
    shapes = [tuple(sizes[variable] for variable in scope) for scope in listed]
    tables = [given_tensor(np.full(shape, 2**bits - 1, dtype=object)) for shape in shapes]
    made = section(tree, range(len(sizes)), tables)
    for keeping in (backwards, True):
        peak = peak_bytes(made.products, exact=exact, keeping=keeping, backwards=backwards)
        leaves = sum(tensor.entries for tensor in tables)
        assert peak <= rough_peak_bytes(made.products, exact, leaves)
