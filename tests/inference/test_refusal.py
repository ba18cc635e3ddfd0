"""Refusals: early, right, and small themselves."""

from __future__ import annotations

import re
import tracemalloc
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.inference import methods
from liftgraph.inference.ground.refusal import check_counts
from liftgraph.inference.lifted.elimination import BeyondAnyMachineError, eliminate_logvars
from liftgraph.inference.lifted.observations import observations
from liftgraph.inference.lifted.parts import cut_domains
from liftgraph.inference.lifted.shattering import shatter
from liftgraph.inference.tensor import elimination_order as orders
from liftgraph.inference.tensor.elimination_order import Search, elimination_order
from liftgraph.model.lifted.grounding import ground_bytes
from liftgraph.model.query import KINDS, Query
from tests.relational import relational_models
from tests.strategies import bayesian_networks, factor_graphs, ground_plan

R, S = lg.prv("R"), lg.prv("S")


def traced_peak(action: Callable[[], object]) -> int:
    """The most bytes that an action takes, also if it is refused."""
    tracemalloc.start()
    try:
        action()
    except lg.MemoryLimitError:
        pass
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return peak


def accepted(plan: Callable[[], Any]) -> Any:
    """A plan, or None if it is refused; that nothing is possible is an answer, too."""
    try:
        return plan()
    except lg.ZeroWeightError as answer:
        return answer
    except lg.MemoryLimitError:
        return None


def refused_by_counts(graph: lg.FactorGraph, query: Query, limit: int) -> bool:
    try:
        check_counts(graph, query, [graph.variable(name) for name in query.variables], limit)
    except lg.MemoryLimitError:
        return True
    return False


@st.composite
def questions(draw: st.DrawFn, variable_count: int) -> Query:
    kind = draw(st.sampled_from(["marginal", "marginals", "partition", "explanation"]))
    asked = st.lists(st.integers(0, variable_count - 1), min_size=1, max_size=3, unique=True)
    variables = tuple(draw(asked)) if KINDS[kind].takes_variables else ()
    return Query(kind, variables, exact=draw(st.booleans()))


@given(
    st.data(),
    factor_graphs() | bayesian_networks().map(lambda network: network[0]),
    st.integers(0, 30_000),
)
def test_early_refusal_is_right_and_changes_no_other_plan(
    data: st.DataObject, graph: lg.FactorGraph, limit: int
) -> None:
    if not graph.variable_count:
        return
    query = data.draw(questions(graph.variable_count))
    try:
        full = ground_plan(graph, query)
    except lg.ZeroWeightError:
        return
    if refused_by_counts(graph, query, limit):
        assert full.peak_bytes > limit
    planned = accepted(
        lambda: methods.plan(graph, query, method="ground", memory_limit=limit, search_seconds=0)
    )
    assert (planned is not None) == (full.peak_bytes <= limit)
    if planned is not None:
        assert planned.section.tree == full.section.tree


@given(st.integers(2, 7), st.integers(2, 7), st.integers(0, 2**32), st.integers(0, 99))
def test_a_limit_changes_no_order_that_stays_within_it(
    rows: int, columns: int, seed: int, spare: int
) -> None:
    shuffled = np.random.default_rng(seed).permutation(rows * columns).tolist()
    cells = np.array(shuffled).reshape(rows, columns)
    across = zip(cells[:, :-1].ravel().tolist(), cells[:, 1:].ravel().tolist(), strict=True)
    down = zip(cells[:-1].ravel().tolist(), cells[1:].ravel().tolist(), strict=True)
    edges, sizes = [*across, *down], [2 + variable % 2 for variable in range(rows * columns)]
    best = elimination_order(edges, sizes)
    assert elimination_order(edges, sizes, (), Search(best.largest + spare)) == best


def entangled(count: int) -> lg.FactorGraph:
    """Variables in random triples of pairs, so that every order makes large tables."""
    generator = np.random.default_rng(0)
    builder = lg.FactorGraphBuilder()
    builder.add_variables(count)
    pairs = np.concatenate([generator.permutation(count).reshape(-1, 2) for _ in range(3)])
    builder.add_factors(np.unique(np.sort(pairs, axis=1), axis=0), [3, 1, 1, 2])
    for variable in range(count):  # no two are alike
        builder.add_factor([variable], [variable + 2, 1])
    return builder.build()


def counting_calls(monkeypatch: pytest.MonkeyPatch, name: str) -> list[str]:
    """A list that grows with each call of a function of elimination orders."""
    calls: list[str] = []
    function = getattr(orders, name)

    def counted(*arguments: Any, **options: Any) -> Any:
        calls.append(name)
        return function(*arguments, **options)

    monkeypatch.setattr(orders, name, counted)
    return calls


def test_a_hopeless_search_ends_early(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = entangled(600)
    edges = [tuple(graph.factors[factor].scope) for factor in range(graph.factor_count)]
    searches = counting_calls(monkeypatch, "min_fill_order")
    order = elimination_order(edges, [2] * 600, (), Search(fitting=2**10))
    assert not order.feasible
    assert len(order.variables) < 600  # it ends with the table that is too large
    assert len(searches) == 1


def test_auto_searches_a_hopeless_model_once(monkeypatch: pytest.MonkeyPatch) -> None:
    searches = counting_calls(monkeypatch, "elimination_order")
    monkeypatch.setattr(
        "liftgraph.inference.tensor.contraction_tree.elimination_order", orders.elimination_order
    )
    text = r"needs more than .* TiB, the limit is 4\.8 MiB: the largest table .*, eliminating \d+"
    with pytest.raises(lg.MemoryLimitError, match=text):
        entangled(600).partition(memory_limit=5_000_000)
    assert len(searches) == 1


def irregular_grid(side: int) -> lg.FactorGraph:
    """A grid in which no two variables are alike."""
    builder = lg.FactorGraphBuilder()
    builder.add_variables(side * side)
    cells = np.arange(side * side).reshape(side, side)
    for pairs in ((cells[:, :-1], cells[:, 1:]), (cells[:-1], cells[1:])):
        builder.add_factors(np.stack([pairs[0].ravel(), pairs[1].ravel()], axis=1), [3, 1, 1, 2])
    for cell in range(side * side):
        builder.add_factor([cell], [cell + 2, 1])
    return builder.build()


@pytest.mark.parametrize("kind", ["partition", "marginals"])
def test_refusing_a_large_graph_takes_little_memory(kind: str) -> None:
    graph = lg.datasets.epid(4000).ground()
    limit = 1_000_000
    refuse = partial(methods.plan, graph, Query(kind), method="ground", memory_limit=limit)
    text = r"at least .* MiB, the limit is 976\.6 KiB: .* 56,001 variables and 52,001 factors"
    with pytest.raises(lg.MemoryLimitError, match=text):
        refuse()
    assert traced_peak(refuse) < 4 * limit


def test_a_model_is_not_ground_beyond_the_limit() -> None:
    model = lg.datasets.smokers(1000)
    text = (
        r"needs .* MiB, the limit is 976\.6 KiB: it has 1,000,000 variables and 1,000,000 factors"
    )
    actions: list[Callable[[], object]] = [
        lambda: model.ground(1_000_000),
        lambda: model.query("Smokes.1", method="ground", memory_limit=1_000_000),
        lambda: model.marginals(method="ground", memory_limit=1_000_000),
    ]
    for action in actions:
        with pytest.raises(lg.MemoryLimitError, match=text):
            action()
        assert traced_peak(action) < 100_000
    with pytest.raises(lg.InputError, match="a memory limit such as 500MB or 8GiB, got 'much'"):
        model.ground("much")


@pytest.mark.parametrize(
    "model",
    [
        lg.datasets.epid(300),
        lg.datasets.smokers(60),
        lg.datasets.clique(150),
        lg.datasets.workshops(80, 80),
        lg.ParfactorGraph.of([lg.parfactor([R, S], range(4), logvars=[lg.LogVar("N", 20_000)])]),
        lg.ParfactorGraph.of([], [lg.prv("A", *(lg.LogVar(x, 25) for x in "XYZ"))]),
        lg.ParfactorGraph.of([], [lg.prv("A", lg.LogVar("X", ["é" * n for n in range(1, 300)]))]),
        lg.ParfactorGraph.of(
            [lg.parfactor([lg.prv(f"A{n}"), lg.prv(f"A{n + 1}")], [1, 1, 1, n]) for n in range(500)]
        ),
    ],
    ids=["epid", "smokers", "clique", "workshops", "repeated", "three", "long names", "tables"],
)
def test_grounding_takes_no_more_than_predicted(model: lg.ParfactorGraph) -> None:
    predicted = ground_bytes(model.places, model.parfactors)
    assert traced_peak(model.ground) < predicted + 20_000


@pytest.mark.parametrize("kind", ["partition", "marginals"])
def test_planning_takes_memory_in_proportion_to_the_graph(kind: str) -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(3000)
    chain = np.arange(2000)
    builder.add_factors(np.stack([chain, chain + 1], axis=1), [3, 1, 1, 2])
    chained = builder.build()
    for graph in (chained, lg.datasets.epid(100).ground(), lg.datasets.clique(60).ground()):
        peak = traced_peak(partial(methods.plan, graph, Query(kind), method="ground"))
        size = graph.variable_count + graph.factor_count + graph.edge_count
        assert peak < 1500 * size + 2**18


def test_sizes_in_a_refusal_can_be_told_apart() -> None:
    graph = irregular_grid(5)
    peak = ground_plan(graph, Query("partition")).peak_bytes
    with pytest.raises(
        lg.MemoryLimitError, match=f"needs {peak:,} bytes, the limit is {peak - 1:,} bytes"
    ):
        graph.partition(method="ground", memory_limit=peak - 1)
    model = lg.datasets.epid(5)
    peak = methods.plan(model, Query("partition"), method="lifted").peak_bytes
    with pytest.raises(lg.MemoryLimitError, match=f"limit is {peak - 1:,} bytes"):
        model.partition(method="lifted", memory_limit=peak - 1)


def test_an_answer_that_is_too_large_is_refused_before_planning() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(60)
    with pytest.raises(lg.MemoryLimitError, match=r"the answer alone needs at least 8,388,608 TiB"):
        builder.build().query(*range(60), method="ground")


@pytest.mark.parametrize("size", [10**12, 10**6])
def test_auto_answers_what_repeats_factors_without_listing_them(size: int) -> None:
    model = lg.ParfactorGraph.of(
        [
            lg.parfactor([R, S], [2, 1, 1, 2], logvars=[lg.LogVar("N", size)]),
            lg.parfactor([R], [1, 3]),
        ]
    )
    asked: list[Callable[[str], object]] = [
        lambda method: model.query("R", method=method).probabilities.tolist(),
        lambda method: model.query("R", "S", method=method).probabilities.tolist(),
        lambda method: model.partition(method=method).log_z,
    ]
    for ask in asked:
        assert ask("auto") == ask("lifted")
    assert model.explain("R").method == "lifted"


@given(st.data(), relational_models(), st.integers(0, 40_000))
def test_auto_answers_whatever_a_method_answers(
    data: st.DataObject, model: lg.ParfactorGraph, limit: int
) -> None:
    assume(model.variable_count)
    query = data.draw(questions(1))
    asked = [model.name(model.locate(variable)) for variable in query.variables]
    question = Query(query.kind, tuple(asked), query.exact)
    for source in (model, model.ground()):
        plan = partial(methods.plan, source, question, memory_limit=limit)
        plans = {m: accepted(partial(plan, method=m)) for m in ("auto", "lifted", "ground")}
        assert (plans["auto"] is None) == (plans["lifted"] is None and plans["ground"] is None)


def test_auto_takes_the_ground_plan_where_lifting_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refused(*arguments: object) -> None:
        raise lg.ComputationError("cannot be answered by lifting: for a test")

    monkeypatch.setattr("liftgraph.inference.lifted.plan.plan_lifted", refused)
    model = lg.datasets.epid(20)
    assert model.explain("Epid").method == "ground"
    with pytest.raises(lg.ComputationError, match="for a test"):
        model.query("Epid", memory_limit=1000)


def test_a_trade_off_stays_within_the_limit() -> None:
    graph = lg.datasets.epid(20).ground()
    assert graph.trade_off(["0"], variables=["Epid"]).choices[0].error == 0
    with pytest.raises(lg.MemoryLimitError, match="the limit is 1000 bytes"):
        graph.trade_off(["0"], variables=["Epid"], memory_limit=1000)
    with pytest.raises(lg.InputError, match="expected a memory limit in bytes, got -1"):
        graph.trade_off(["0"], variables=["Epid"], memory_limit=-1)


def test_a_refusal_names_one_amount_whatever_the_method() -> None:
    amounts = set()
    for method in ("auto", "ground"):
        with pytest.raises(lg.MemoryLimitError) as refused:
            irregular_grid(9).partition(method=method, memory_limit=60_000)
        amounts.add(str(refused.value))
    assert len(amounts) == 1


def test_an_order_found_for_one_question_serves_others() -> None:
    graph = irregular_grid(14)
    peak = ground_plan(graph, Query("partition")).peak_bytes
    first = ground_plan(graph, Query("marginals"))
    assert ground_plan(graph, Query("partition"), memory_limit=2**40).peak_bytes <= peak
    assert first.work <= ground_plan(irregular_grid(14), Query("marginals")).work


def test_seconds_to_search_may_be_too_many_for_a_float() -> None:
    assert irregular_grid(2).partition(search_seconds=10**400).log_z > 0


@pytest.mark.parametrize("seconds", [-1, "long", None, True, float("nan")])
def test_seconds_to_search_must_be_a_number(seconds: object) -> None:
    with pytest.raises(lg.InputError, match="expected a number of seconds to search, got"):
        irregular_grid(2).partition(search_seconds=seconds)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["partition", "marginals"])
def test_a_grid_is_refused_as_too_dense_with_its_width_and_a_way_out(kind: str) -> None:
    grid = lg.datasets.grid(40, 40)
    for limit in (2**23, 2**32):
        with pytest.raises(lg.MemoryLimitError) as refusal:
            methods.plan(grid, Query(kind), memory_limit=limit, search_seconds=0)
        told = str(refusal.value)
        assert told.startswith("too densely connected for exact elimination: needs ")
        assert "observe more variables" in told
        assert "summed out" not in told
        assert refusal.value.needed > limit
        width = re.search(r"a table over (\d+) variables has ([\d,.e+]+) entries", told)
        if width is not None:  # of two states each
            assert float(width[2].replace(",", "")) == pytest.approx(2.0 ** int(width[1]), rel=0.1)


def crossed(people: int, prvs: int) -> lg.ParfactorGraph:
    """People and pairs of them, in which every two PRVs meet in one person and in two."""
    one = lg.LogVar("X", people)
    two = lg.LogVar("Y", one)
    listed = [lg.prv(f"R{n}", one) for n in range(prvs)]
    apart = lg.different(one, two)
    return lg.ParfactorGraph.of(
        [
            lg.parfactor([first, second(two)], [2, 1, 1, 3], apart)
            for place, first in enumerate(listed)
            for second in listed[:place]
        ]
    )


def test_lifting_gives_up_at_a_table_for_no_machine_if_few_individuals_are_counted() -> None:
    model = crossed(2, 70)
    terms = shatter(model, cut_domains(model, {}, (), {}), observations(model, {}))
    with pytest.raises(BeyondAnyMachineError):
        eliminate_logvars(terms.shards, terms.terms)
    with pytest.raises(lg.MemoryLimitError, match="needs more than"):
        model.partition(method="lifted")


def test_what_elimination_answers_cheaply_is_not_searched_for_symmetries(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A table of many arguments takes far longer to compare than to sum out."""
    builder = lg.FactorGraphBuilder()
    names = [f"C{n}" for n in range(16)]
    builder.add_variables(names)
    for name in names:
        builder.add_factor([name], [1, 2])
    builder.add_factor(names, np.arange(1, 2**16 + 1).reshape((2,) * 16))
    graph = builder.build()

    def refuse(*arguments: object, **options: object) -> None:
        raise AssertionError("colours were passed")

    monkeypatch.setattr("liftgraph.symmetry.colours.colour_passing.colour_passing", refuse)
    index, weights = np.indices((2,) * 16).reshape(16, -1), np.arange(1, 2**16 + 1)
    total = weights * 2 ** index.sum(axis=0)
    assert graph.partition(exact=True).z == int(total.sum())
    assert graph.query("C3", exact=True).exact["false"] == Fraction(
        int(total[index[3] == 1].sum()), int(total.sum())
    )
    assert len(graph.marginals()) == 16
