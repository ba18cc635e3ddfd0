"""Predictions of memory are promises: what answering takes stays within what its plan says."""

from __future__ import annotations

import contextlib
import gc
import tracemalloc
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph import datasets
from liftgraph.inference import automatic, methods
from liftgraph.inference.ground.plan import GroundPlan
from liftgraph.inference.lifted.plan import LiftedPlan
from liftgraph.inference.tensor.elimination_order import checked_deadline
from liftgraph.inference.tensor.memory import peak_bytes, rough_peak_bytes
from liftgraph.model.memory_limit import PLANNING_BYTES
from liftgraph.model.plans import Plan
from liftgraph.model.query import Query
from liftgraph.semiring.pairs import kept_logarithm, kept_pair
from tests.relational import relational_models
from tests.strategies import factor_graphs, symmetric_graphs

Model = lg.FactorGraph | lg.ParfactorGraph
KINDS = ["marginal", "marginals", "partition", "explanation"]


def used_bytes(act: Callable[[], object]) -> int:
    """The peak of what an action allocates; logarithms of earlier models are not kept."""
    kept_pair.cache_clear()
    kept_logarithm.cache_clear()
    gc.disable()
    tracemalloc.start()
    try:
        with contextlib.suppress(lg.ZeroWeightError):
            act()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        gc.enable()


def planned(model: Model, kind: str, exact: bool, method: str) -> Plan:
    variables = (0,) if kind == "marginal" else ()
    return methods.plan(model, Query(kind, variables, exact), method=method)


def simple() -> lg.FactorGraph:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(3)
    builder.add_factors(np.array([[0, 1], [1, 2]]), [1, 2, 3, 5])
    return builder.build()


@pytest.fixture(scope="module", autouse=True)
def what_is_loaded_once_is_there() -> None:
    for kind in KINDS:
        for exact in (False, True):
            for method in ("ground", "lifted"):
                for model in (simple(), datasets.smokers(3), datasets.clique(3)):
                    planned(model, kind, exact, method).run()


@given(
    factor_graphs() | symmetric_graphs() | relational_models(),
    st.sampled_from(KINDS),
    st.booleans(),
    st.sampled_from(["ground", "lifted"]),
)
def test_no_small_model_takes_more_than_predicted(
    model: Model, kind: str, exact: bool, method: str
) -> None:
    assume(model.variable_count > 0)
    try:
        plan = planned(model, kind, exact, method)
    except lg.ZeroWeightError:
        assume(False)
    assert used_bytes(plan.run) <= plan.peak_bytes


def random_tree(seed: int, size: int, states: int, digits: int) -> lg.FactorGraph:
    """Each variable with one before it, potentials with this many digits, some zero."""
    random, builder = np.random.default_rng(seed), lg.FactorGraphBuilder()
    builder.add_variables(size, states)
    for child in range(1, size):
        parent = int(random.integers(max(0, child - 4), child))
        entries = random.integers(0, 4, states * states) > 0
        table = [int(entry) * int(random.integers(1, 10)) ** digits for entry in entries]
        table[:: states + 1] = [1] * states  # something is possible
        builder.add_factor([parent, child], table)
    observed = random.integers(0, size, size // 4).tolist()
    return builder.build().observing(dict.fromkeys(observed, 0))


@given(
    st.integers(0, 10**6),
    st.integers(2, 60),
    st.sampled_from([(2, 1), (3, 10), (3, 300), (30, 1)]),
    st.sampled_from(KINDS),
    st.booleans(),
    st.sampled_from(["ground", "lifted"]),
)
def test_no_larger_model_takes_more_than_predicted(
    seed: int, size: int, entries: tuple[int, int], kind: str, exact: bool, method: str
) -> None:
    plan = planned(random_tree(seed, size, *entries), kind, exact, method)
    assert used_bytes(plan.run) <= plan.peak_bytes


LONG = "x" * 1000


def long_names() -> lg.FactorGraph:
    builder = lg.FactorGraphBuilder()
    builder.add_variables([f"{LONG}{index}" for index in range(200)])
    builder.add_factors(np.array([[0, leaf] for leaf in range(1, 200)]), [1, 2, 3, 5])
    return builder.build()


def long_individuals() -> lg.ParfactorGraph:
    leaf = lg.prv("Leaf", lg.LogVar("X", [f"{LONG}é{index}" for index in range(200)]))
    return lg.ParfactorGraph.of([lg.parfactor([leaf, lg.prv("Hub")], [1, 2, 3, 5])])


def counting() -> lg.ParfactorGraph:
    x = lg.LogVar("X", 20)
    does, mood = lg.prv("Does", x, states=4), lg.prv("Mood")
    counts = lg.crv(does, x)
    table = np.arange(1, 2 * counts.values + 1).reshape(counts.values, 2)
    return lg.ParfactorGraph.of([lg.parfactor([counts, mood], table)])


MODELS: dict[str, Callable[[], Model]] = {
    "long names": long_names,
    "long names of individuals": long_individuals,
    "lifted": lambda: lg.lift(datasets.epid(60).ground()),
    "epidemic": partial(datasets.epid, 60),
    "smokers": partial(datasets.smokers, 30),
    "clique": partial(datasets.clique, 60),
    "workshops": partial(datasets.workshops, 60, 40),
    "wide": partial(datasets.ds, 3, 10),
    "counting": counting,
    "observed": lambda: datasets.epid(60).given({f"Sick.{p}": "true" for p in range(1, 20)}),
}


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("kind", ["marginal", "marginals", "partition"])
@pytest.mark.parametrize("model", MODELS)
def test_lifted_answers_take_no_more_than_predicted(model: str, kind: str, exact: bool) -> None:
    plan = planned(MODELS[model](), kind, exact, "lifted")
    assert used_bytes(plan.run) <= plan.peak_bytes


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("model", ["epidemic", "smokers", "wide", "workshops", "observed"])
def test_a_rough_bound_of_a_lifted_plan_is_never_below_the_predicted_peak(
    model: str, kind: str, exact: bool
) -> None:
    plan = planned(MODELS[model](), kind, exact, "lifted")
    assert isinstance(plan, LiftedPlan)
    peak = peak_bytes(
        plan.order,
        plan.asked,
        exact=exact,
        maximises=kind == "explanation",
        keeping=True,
        backwards=plan.backwards,
    )
    assert peak <= rough_peak_bytes(plan.order, exact)


def counted_often() -> lg.ParfactorGraph:
    """A histogram of 1,000 individuals in each of so many groups that logarithms are pairs."""
    x, y = lg.LogVar("X", 10**5), lg.LogVar("Y", 1000)
    counts = lg.crv(lg.prv("Does", x, y), y)
    table = np.arange(1, 2003).reshape(1001, 2)
    return lg.ParfactorGraph.of([lg.parfactor([counts, lg.prv("Mood")], table)])


def counted_only() -> lg.ParfactorGraph:
    """A root of the total weight that occurs very often, with multinomial coefficients."""
    x, y = lg.LogVar("X", 10**5), lg.LogVar("Y", 5000)
    table = np.arange(5001) % 7 + 1
    return lg.ParfactorGraph.of([lg.parfactor([lg.crv(lg.prv("Does", x, y), y)], table)])


def triangles_often() -> lg.ParfactorGraph:
    """A root of tables with many states."""
    x = lg.LogVar("X", 10**5)
    a, b, c = (lg.prv(name, x, states=40) for name in "ABC")
    table = np.arange(1, 1601).reshape(40, 40) * 2**40
    return lg.ParfactorGraph.of([lg.parfactor(pair, table) for pair in ([a, b], [b, c], [c, a])])


OFTEN: dict[str, Callable[[], lg.ParfactorGraph]] = {
    "counted, integers at first": counted_often,
    "counted, for nothing else": counted_only,
    "triangles": triangles_often,
}


@pytest.mark.parametrize("kind", ["marginal", "partition"])
@pytest.mark.parametrize("name", OFTEN)
def test_logarithms_of_twice_the_digits_take_no_more_than_predicted(name: str, kind: str) -> None:
    model = OFTEN[name]()
    variables = (model.name((0, (0,) * len(model.prvs[0].logvars))),) if kind == "marginal" else ()
    plan = methods.plan(model, Query(kind, variables), method="lifted")
    assert isinstance(plan, LiftedPlan)
    peak = peak_bytes(
        plan.order, plan.asked, exact=False, keeping=plan.backwards, backwards=plan.backwards
    )
    assert peak <= rough_peak_bytes(plan.order, exact=False)
    assert used_bytes(plan.run) <= plan.peak_bytes


def test_pruned_tables_take_nothing() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(2, 1000)
    builder.add_factor([0], np.arange(1000) + 1)
    builder.add_factor([0, 1], np.ones((1000, 1000), dtype=int))  # sums to the same everywhere
    plan = planned(builder.build(), "marginal", False, "ground")
    assert isinstance(plan, GroundPlan)
    assert plan.peak_bytes < 10**6


@pytest.mark.parametrize("kind", ["marginals", "partition", "explanation"])
@pytest.mark.parametrize("method", ["ground", "lifted"])
def test_a_graph_without_variables_is_answered(kind: str, method: str) -> None:
    plan = planned(lg.FactorGraphBuilder().build(), kind, False, method)
    assert used_bytes(plan.run) <= plan.peak_bytes


@cache
def all_different() -> lg.FactorGraph:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(12_001)
    for left in range(12_000):
        builder.add_factor([left, left + 1], [1, 2, 3, left + 7])
    return builder.build()


def people(count: int) -> lg.ParfactorGraph:
    sick, epid = lg.prv("Sick", lg.LogVar("X", count)), lg.prv("Epid")
    return lg.ParfactorGraph.of([lg.parfactor([sick, epid], [1, 2, 3, 4])])


def noisy_or(causes: int) -> lg.FactorGraph:
    builder = lg.FactorGraphBuilder()
    listed, effect = builder.add_variables(causes), builder.add_variable()
    builder.add_noisy_or(effect, dict.fromkeys(listed, "0.3"), "0.01")
    return builder.build()


FACTS = {f"Sick.{person}": "true" for person in range(1, 50_001)}
SOME = [f"Sick.{person}" for person in range(1, 3000)]
UNEQUAL = {f"Sick.{person}": [person, 7] for person in range(1, 18_501)}
EXPENSIVE: dict[str, tuple[Callable[[], Model], Callable[..., object]]] = {
    "a count": (partial(people, 8000), lambda m, **o: m.query(lg.count("Sick"), **o)),
    "a count of some": (partial(people, 8000), lambda m, **o: m.query(lg.count(SOME), **o)),
    "facts": (partial(people, 50_000), lambda m, **o: m.query("Epid", given=FACTS, **o)),
    "likelihoods": (
        partial(people, 50_000),
        lambda m, **o: m.query("Epid", given={fact: [1, 2] for fact in FACTS}, **o),
    ),
    "unequal likelihoods": (
        partial(datasets.epid, 5001),
        lambda m, **o: m.query("Epid", given=dict([*UNEQUAL.items()][:5000]), **o),
    ),
    "likelihoods of a graph": (
        lambda: people(18_501).ground(),
        lambda m, **o: m.query("Epid", given=UNEQUAL, **o),
    ),
    "tables": (all_different, lambda m, **o: m.query(0, **o)),
    "marginals": (all_different, lambda m, **o: m.marginals(**o)),
    "MAP": (all_different, lambda m, **o: m.map(0, **o)),
    "a noisy-OR": (partial(noisy_or, 17), lambda m, **o: m.mpe(method="ground", **o)),
    "joint": (partial(people, 60), lambda m, **o: m.query(*SOME[:40], **o)),
    "a column": (partial(people, 10**8), lambda m, **o: m.sample(3, **o).column("Sick.5")),
    "all": (partial(people, 10**9), lambda m, **o: m.marginals(**o)),
}


@pytest.mark.parametrize("name", EXPENSIVE)
def test_planning_is_inside_the_limit_and_refused_early(name: str) -> None:
    make, ask = EXPENSIVE[name]
    model, refusals = make(), list[str]()
    limit = 2**20

    def asked() -> None:
        try:
            ask(model, memory_limit=limit)
        except lg.MemoryLimitError as refused:
            refusals.append(str(refused))

    assert used_bytes(asked) <= limit + PLANNING_BYTES
    assert [("needs" in told, "the limit is 1.0 MiB" in told) for told in refusals] == [
        (True, True)
    ]


def test_the_search_for_a_plan_ends_some_time_after_the_question() -> None:
    assert checked_deadline(0).is_over
    assert not checked_deadline(10**400).is_over
    deadline = checked_deadline(60)
    assert checked_deadline(deadline) is deadline  # a question put to another model has no new time


def test_a_refused_plan_is_not_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    planned: list[Model] = []
    plan_ground = automatic.plan_by_ground

    def counted(model: Model, *rest: Any) -> Plan:
        planned.append(model)
        return plan_ground(model, *rest)

    monkeypatch.setattr(automatic, "plan_by_ground", counted)
    with pytest.raises(lg.MemoryLimitError):
        datasets.grid(8, 8).query(0, memory_limit=1000)
    assert len(planned) == 1
