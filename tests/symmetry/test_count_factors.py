"""Count factors and noisy-ORs that are never expanded: their colours, and their lifted models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.cli import main
from liftgraph.inference import methods
from liftgraph.inference.lifted import partial_maxima
from liftgraph.model.ground.count_potential import CountPotential
from liftgraph.model.ground.noisy_max import NoisyMax
from liftgraph.model.lifted.counting_noisy_max import CountingNoisyMax
from liftgraph.model.query import Query
from liftgraph.symmetry.colours import contributions
from liftgraph.symmetry.lifting.lift import check_grounding
from tests.brute_force import brute_force
from tests.inference.test_counts import expanded, graphs

Potential = CountPotential | NoisyMax | lg.Table


@pytest.fixture(autouse=True, scope="module")
def nothing_is_expanded() -> Iterator[None]:
    """However few entries a potential has, it is treated as if it had many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contributions, "_FEW_ENTRIES", 0)
        yield


def contributed(potential: Potential) -> tuple[list[object], object]:
    """What each argument contributes, and what else a potential says; tables as they are."""
    match potential:
        case CountPotential(addends, weights):
            further = range(len(potential.shape) - len(addends))
            return [*addends, *further], None if weights is None else weights.integers.tobytes()
        case NoisyMax(causes, leak, ranks):
            return [*causes, 0], (leak, ranks)
    return [*range(len(potential.shape))], (potential.shape, potential.integers.tobytes())


def naive_groups(graph: lg.FactorGraph) -> list[int]:
    """The naive twin: signatures in dictionaries, every round for everything."""
    scopes = [graph.scope[a:b].tolist() for a, b in pairwise(graph.scope_ptr.tolist())]
    said = [contributed(graph.potentials[kind]) for kind in graph.table_id]
    observed = dict(graph.evidence.items())
    colours: list[Any] = [(graph.states(v), observed.get(v)) for v in range(graph.variable_count)]
    for _ in range(graph.variable_count + 1):
        heard: list[list[int]] = [[] for _ in colours]
        for scope, (labels, rest) in zip(scopes, said, strict=True):
            met = Counter(zip(labels, map(colours.__getitem__, scope), strict=True))
            own = hash((rest, frozenset(met.items())))
            for label, variable in zip(labels, scope, strict=True):
                heard[variable].append(hash((own, label)))
        numbers: dict[Any, int] = {}
        signatures = [
            (one, tuple(sorted(words))) for one, words in zip(colours, heard, strict=True)
        ]
        colours = [numbers.setdefault(signature, len(numbers)) for signature in signatures]
    return colours


def partition(colours: Any) -> set[frozenset[int]]:
    groups: dict[int, set[int]] = {}
    for member, colour in enumerate(colours):
        groups.setdefault(int(colour), set()).add(member)
    return {frozenset(group) for group in groups.values()}


@st.composite
def tables_in_order(draw: st.DrawFn) -> lg.FactorGraph:
    """Graphs of count factors whose other tables have no symmetry and no scale."""
    graph = draw(graphs())
    table = lg.Table.of([[1, 2], [3, 5]])
    potentials = [
        table if isinstance(potential, lg.Table) and potential.shape == (2, 2) else potential
        for potential in graph.potentials
    ]
    assume(not any(isinstance(p, lg.Table) and p is not table for p in potentials))
    return replace(graph, potentials=tuple(potentials))


@given(tables_in_order())
def test_groups_are_those_of_the_naive_twin(graph: lg.FactorGraph) -> None:
    found = lg.colour_passing(graph)
    assert partition(found.variable_colours) == partition(naive_groups(graph))


@given(graphs())
def test_groups_are_not_coarser_than_those_of_tables(graph: lg.FactorGraph) -> None:
    """Tables may show more symmetries: an addend that is 0, or weights that happen to be equal."""
    found, by_tables = lg.colour_passing(graph), lg.colour_passing(expanded(graph))
    for narrow, wide in (
        (found.variable_colours, by_tables.variable_colours),
        (found.factor_colours, by_tables.factor_colours),
    ):
        coarse = partition(wide)
        assert all(any(group <= other for other in coarse) for group in partition(narrow))


@given(st.integers(2, 6), st.integers(2, 6), st.data())
def test_groups_equal_those_of_tables_that_show_no_more(
    n: int, m: int, data: st.DataObject
) -> None:
    """Weights that differ for all numbers, and all addends above 0."""
    builder = lg.FactorGraphBuilder()
    variables = [*builder.add_variables(n + m)]
    steps = data.draw(st.lists(st.integers(1, 2), min_size=n, max_size=n))
    weights = [3**k for k in range(sum(steps) + 1)]
    weights[-1] += 1
    scope = data.draw(st.permutations(variables))
    builder.add_count_factor(scope[:n], weights, weights=steps)
    child = builder.add_variable("Child")
    chances = data.draw(st.lists(st.sampled_from(["0.3", "0.7"]), min_size=m, max_size=m))
    builder.add_noisy_or(child, dict(zip(scope[n:], chances, strict=True)), "0.1")
    graph = builder.build()
    found, by_tables = lg.colour_passing(graph), lg.colour_passing(expanded(graph))
    if m > 1:  # with a single cause, its table may be that of another factor
        assert partition(found.variable_colours) == partition(by_tables.variable_colours)


def shuffled(graph: lg.FactorGraph, data: st.DataObject) -> tuple[lg.FactorGraph, list[int]]:
    """The same graph with other orders of variables, factors and arguments; the new index of each
    variable."""
    place = data.draw(st.permutations(range(graph.variable_count)))
    factors = data.draw(st.permutations(range(graph.factor_count)))
    builder = lg.FactorGraphBuilder()
    for old in np.argsort(place).tolist():
        builder.add_variable(f"v{old}", graph.states(old))
    for factor in factors:
        scope = graph.scope[graph.scope_ptr[factor] : graph.scope_ptr[factor + 1]].tolist()
        potential = graph.potentials[graph.table_id[factor]]
        order = [*range(len(scope))]
        if isinstance(potential, CountPotential):
            counted = data.draw(st.permutations(range(len(potential.addends))))
            order = [*counted, *order[len(counted) :]]
            addends = tuple(potential.addends[k] for k in counted)
            potential = replace(potential, addends=addends)
        elif isinstance(potential, NoisyMax):
            causes = data.draw(st.permutations(range(len(potential.causes))))
            order = [*causes, *order[len(causes) :]]
            potential = replace(potential, causes=tuple(potential.causes[k] for k in causes))
        builder.add_factor([f"v{scope[k]}" for k in order], potential)
    observed = {place[v]: state for v, state in graph.evidence.items()}
    return builder.build().observing(observed), place


@given(graphs(), st.sampled_from(["acp", "alpha-acp"]), st.data())
def test_colours_do_not_depend_on_orders(graph: lg.FactorGraph, algorithm: Any, data: Any) -> None:
    other, place = shuffled(graph, data)
    found, again = lg.colour_passing(graph, algorithm), lg.colour_passing(other, algorithm)
    assert found.variable_colours.tolist() == again.variable_colours[place].tolist()
    assert sorted(found.factor_colours) == sorted(again.factor_colours)


@given(graphs(), st.sampled_from(["cp", "acp", "alpha-acp"]))
def test_arguments_are_aligned_and_rounds_recorded(graph: lg.FactorGraph, algorithm: Any) -> None:
    found = lg.colour_passing(graph, algorithm, record=True)
    compiled = lg.colour_passing(graph, algorithm, engine="compiled")
    assert found.variable_colours.tolist() == compiled.variable_colours.tolist()
    assert found.factor_colours.tolist() == compiled.factor_colours.tolist()
    variables, factors = found.after(found.rounds)
    assert partition(variables) == partition(found.variable_colours)
    assert partition(factors) == partition(found.factor_colours)
    assert found.changes is not None
    assert found.changes[-1].variable_groups == found.variable_group_count
    assert found.changes[-1].factor_groups == found.factor_group_count
    assert len(found.log_odds_bounds) == graph.factor_count
    for members in found.factor_groups:
        rows = {
            tuple(found.variable_colours[scope[order]].tolist())
            for factor in members.tolist()
            for span in [slice(*graph.scope_ptr[factor : factor + 2])]
            for scope, order in [(graph.scope[span], found.argument_order[span])]
        }
        assert len(rows) == 1
        assert found.scale(int(members[0])) > 0


@st.composite
def relations(draw: st.DrawFn, most: int = 4) -> lg.FactorGraph:
    """Children that each depend on many of the same people, in one of a few patterns."""
    people, groups = draw(st.integers(2, most)), draw(st.integers(1, most - 1))
    pattern = draw(st.sampled_from(["all", "others", "blocks", "copies"]))
    builder = lg.FactorGraphBuilder()
    sick = [*builder.add_variables([f"S.{n}" for n in range(people * groups)])]
    prior = draw(st.sampled_from([[1, 1], [1, 2], [0, 1]]))
    for one in sick:
        builder.add_factor([one], prior)
    children = {"all": 2, "others": len(sick), "blocks": groups, "copies": 1}[pattern]
    kind = draw(st.sampled_from(["or", "max", "gate", "count"]))
    leak = draw(st.sampled_from(["0", "0.25"]))
    weights = draw(st.lists(st.integers(0, 3), min_size=14, max_size=14).filter(any))
    for number in range(children):
        child = builder.add_variable(f"C.{number}", 3 if kind == "max" else ["true", "false"])
        causes = {
            "others": [one for place, one in enumerate(sick) if place != number],
            "blocks": sick[number * people : (number + 1) * people],
        }.get(pattern, sick)
        for _ in range(2 if pattern == "copies" else 1):
            if kind == "or":
                builder.add_noisy_or(child, dict.fromkeys(causes, "0.5"), leak)
            elif kind == "max":
                rows = [["0.5", "0.25", "0.25"], [1, 0, 0]]
                builder.add_noisy_max(child, dict.fromkeys(causes, rows), ["0.5", 0, "0.5"])
            elif kind == "gate":
                chances = [Fraction(k % 3, 2) for k in range(len(causes) + 1)]
                builder.add_gate(child, causes, chances)
            else:
                builder.add_count_factor([*causes, child], weights[: len(causes) + 2])
    graph = builder.build()
    if draw(st.booleans()):
        return graph.observing({draw(st.integers(0, len(sick) - 1)): draw(st.integers(0, 1))})
    return graph


def few(graph: lg.FactorGraph) -> bool:
    """Whether the assignments can be enumerated quickly."""
    return int(graph.cardinalities.prod()) <= 2_000


@given(relations())
def test_relations_become_counting_parfactors(graph: lg.FactorGraph) -> None:
    bare = graph.observing({})
    model = lg.lift(bare)
    assert model.ground() == bare
    assert len(model.prvs) <= 3
    assert lg.lift(graph).ground() == graph


@given(
    relations(2) | relations(3).filter(few) | graphs(),
    st.sampled_from(["marginals", "partition", "marginal"]),
    st.booleans(),
)
def test_lifted_answers_equal_enumeration(graph: lg.FactorGraph, kind: str, chains: bool) -> None:
    """Noisy-ORs as tables of counting variables, and as chains of partial maxima."""
    variables = (0, graph.variable_count - 1) if kind == "marginal" else ()
    query = Query(kind, variables, exact=True)
    with pytest.MonkeyPatch.context() as patch:
        if chains:
            patch.setattr(partial_maxima, "_FEW_BITS", 0)
        try:
            expected = brute_force(expanded(graph), query)
        except lg.ZeroWeightError:
            with pytest.raises(lg.ZeroWeightError):
                methods.plan(graph, query, method="lifted").run()
            return
        answer = methods.plan(graph, query, method="lifted").run()
    match expected, answer:
        case lg.Partition(), lg.Partition():
            assert answer.z == expected.z
        case lg.Marginal(), lg.Marginal():
            assert answer.exact == expected.exact
        case lg.Marginals(), lg.Marginals():
            assert [*answer] == [*expected]
            assert all(answer[name].exact == expected[name].exact for name in expected)
        case _:
            raise AssertionError(answer)


@given(relations(2) | relations(3).filter(few), st.integers(0, 4), st.booleans())
def test_counts_of_causes_beside_noisy_ors(graph: lg.FactorGraph, least: int, event: bool) -> None:
    """Chains through the binary digits of counts, against factors that are not lifted."""
    stem = graph.name(0).partition(".")[0]
    causes = [n for n in map(graph.name, range(graph.variable_count)) if n.startswith(stem + ".")]
    count = lg.count(causes, graph.states(0)[0])
    child = graph.name(graph.variable_count - 1)
    asked: list[Any] = [count >= least] if event else []
    given = {} if event else {count: range(least, least + 2)}

    def answer(method: str) -> Any:
        try:
            return graph.query(*asked, child, given=given, method=method, exact=True).exact
        except (lg.InputError, lg.ZeroWeightError) as error:
            return type(error)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(partial_maxima, "_FEW_BITS", 0)
        assert answer("lifted") == answer("ground")


@given(relations(2) | relations(3).filter(few))
def test_lifted_explanations_equal_enumeration(graph: lg.FactorGraph) -> None:
    query = Query("explanation", exact=True)
    try:
        expected = brute_force(expanded(graph), query)
    except lg.ZeroWeightError:
        return
    answer = methods.plan(graph, query, method="lifted").run()
    assert isinstance(answer, lg.Assignment)
    assert isinstance(expected, lg.Assignment)
    assert answer.weight == expected.weight


def noisy_or(count: int, chance: object = "0.3") -> lg.FactorGraph:
    builder = lg.FactorGraphBuilder()
    causes = builder.add_variables([f"Cause.{n}" for n in range(count)])
    for cause in causes:
        builder.add_factor([cause], [1, 4])
    builder.add_noisy_or(builder.add_variable("Effect"), dict.fromkeys(causes, chance), "0.01")
    return builder.build()


def test_a_wrong_model_is_refused() -> None:
    model, graph = lg.lift(noisy_or(30)), noisy_or(30)
    check_grounding(model, graph)
    for other in (noisy_or(30, "0.2"), noisy_or(31)):
        with pytest.raises(lg.ComputationError, match="does not stand for the given graph"):
            check_grounding(model, other)
    (place,) = [k for k, p in enumerate(model.parfactors) if len(p.arguments) == 2]
    right = model.parfactors[place].potential
    assert isinstance(right, CountingNoisyMax)
    wrong = replace(right, leak=lg.Table.of(["0.02", "0.98"]))
    parfactors = [*model.parfactors]
    parfactors[place] = replace(parfactors[place], potential=wrong)
    with pytest.raises(lg.ComputationError, match="does not stand for the given graph"):
        check_grounding(replace(model, parfactors=tuple(parfactors)), graph)


def test_many_equal_causes() -> None:
    graph = noisy_or(20_000)
    model = lg.lift(graph)
    assert [len(model.prvs), len(model.parfactors)] == [2, 2]
    assert model.ground() == graph
    assert "noisy-MAX of [0.3 0.7 0 1] and [0.01 0.99]" in str(model)
    absent = Fraction(99, 100) * (1 - Fraction(1, 5) * Fraction(3, 10)) ** 20_000
    answer = graph.query("Effect")
    assert answer.method == "lifted"
    assert answer["false"] == pytest.approx(float(absent), rel=1e-9)


def test_many_causes_of_a_few_kinds() -> None:
    builder = lg.FactorGraphBuilder()
    causes = builder.add_variables(3_000)
    chances = {cause: Fraction(1 + cause % 5, 10_000) for cause in causes}
    for cause in causes:
        builder.add_factor([cause], [1 + cause % 3, 4])
    builder.add_noisy_or(builder.add_variable("Effect"), chances, "0.01")
    builder.add_count_factor(causes, [1] * 3001)
    graph = builder.build()
    assert lg.colour_passing(graph).variable_group_count == 16
    absent = 0.99
    for cause, p in chances.items():
        absent *= float(1 - Fraction(1 + cause % 3, 5 + cause % 3) * p)
    with pytest.raises(lg.MemoryLimitError, match="in 15 groups needs a table of"):
        lg.lift(graph)
    without = lg.FactorGraphBuilder()
    without.add_variables(3_000)
    for cause in causes:
        without.add_factor([cause], [1 + cause % 3, 4])
    without.add_noisy_or(without.add_variable("Effect"), chances, "0.01")
    answer = without.build().query("Effect", method="lifted")
    assert answer["false"] == pytest.approx(absent, rel=1e-9)


def test_counting_noisy_max_is_a_potential() -> None:
    """Its table is that of the ground noisy-OR, histogram by histogram."""
    ground, lifted = noisy_or(3), lg.lift(noisy_or(3))
    (potential,) = [p.potential for p in lifted.parfactors if len(p.arguments) == 2]
    assert isinstance(potential, CountingNoisyMax)
    (given_potential,) = [p for p in ground.potentials if isinstance(p, NoisyMax)]
    table = potential.table()
    assert table.shape == potential.shape == (4, 2)
    for heads in range(4):
        for effect in range(2):
            states = (*[0] * heads, *[1] * (3 - heads), effect)
            expected = given_potential.potential(states)
            assert table.potential((heads, effect)) == expected
            assert potential.potential((heads, effect)) == expected
    assert not potential.measured
    with pytest.raises(lg.MemoryLimitError, match="over 20,001 variables would need a table"):
        replace(potential, numbers=(20_000,)).pieces()


def counts(floats: bool) -> lg.FactorGraph:
    """Forty people, two counts of them that differ by a factor 2, and a noisy-OR; as floats, the
    tables of people are only nearly equal."""
    builder = lg.FactorGraphBuilder()
    people = [*builder.add_variables([f"C.{n}" for n in range(40)])]
    for person in people:
        builder.add_factor([person], [1.0, 5 * (1 + 1e-9 * (person % 3))] if floats else [1, 5])
    chance = 0.25 if floats else "0.25"
    builder.add_noisy_or(builder.add_variable("E"), dict.fromkeys(people, chance), "0.5")
    for times in (1, 2):
        builder.add_count_factor(people, [times * (1 + k) for k in range(41)])
    return builder.build()


@pytest.mark.parametrize(
    ("floats", "algorithm", "tolerance", "prvs", "parfactors"),
    [
        (False, "alpha-acp", 0, 2, 3),
        (False, "acp", 0, 2, 4),
        (True, "alpha-acp", 0, 4, 5),
        (True, "alpha-acp", "1e-6", 2, 3),
        (True, "acp", "1e-6", 2, 4),
    ],
)
def test_scales_and_tolerances_of_other_factors(
    floats: bool, algorithm: Any, tolerance: Any, prvs: int, parfactors: int, tmp_path: Path
) -> None:
    graph = counts(floats)
    model = lg.lift(graph, algorithm, tolerance=tolerance)
    assert (len(model.prvs), len(model.parfactors)) == (prvs, parfactors)
    assert model.ground() == graph
    lg.write(model, tmp_path / "model.json")
    again = lg.read(tmp_path / "model.json")
    assert again.partition().log_z == pytest.approx(model.partition().log_z, rel=1e-12)
    assert isinstance(again, lg.ParfactorGraph)
    assert again.ground() == graph
    assert model.partition().log_z == pytest.approx(graph.partition(method="ground").log_z)


def test_every_position_counts_for_plain_colour_passing() -> None:
    graph = counts(floats=False)
    assert lg.colour_passing(graph, "cp").variable_group_count == 41
    with pytest.raises(lg.MemoryLimitError, match="in 40 groups needs a table"):
        lg.lift(graph, "cp")


def test_initial_colours_tell_arguments_apart() -> None:
    graph = counts(floats=False)
    initial = np.arange(41) % 40 // 20
    sizes = np.bincount(lg.colour_passing(graph, initial=initial).variable_colours)
    assert sorted(sizes.tolist()) == [1, 20, 20]


def test_histograms_of_three_states() -> None:
    builder = lg.FactorGraphBuilder()
    variables = builder.add_variables(30, 3)
    for variable in variables:
        builder.add_factor([variable], [1, 2, 3])
    builder.add_count_factor(variables, lambda histogram: 1 + histogram[0] * histogram[1], None)
    graph = builder.build()
    model = lg.lift(graph)
    assert (len(model.prvs), len(model.parfactors)) == (1, 2)
    assert model.ground() == graph
    expected = graph.partition(exact=True, method="ground").z
    assert graph.partition(exact=True, method="lifted").z == expected


def test_a_chain_of_causes_of_many_kinds_is_left_to_ground_elimination() -> None:
    builder = lg.FactorGraphBuilder()
    causes = [*builder.add_variables(1_200)]
    child = builder.add_variable("Effect")
    for cause in causes:
        builder.add_factor([cause], [1 + cause // 2, 5])
    builder.add_noisy_or(child, dict.fromkeys(causes, "0.001"))
    graph = builder.build()
    with pytest.raises(lg.MemoryLimitError, match="its arguments are 601 groups"):
        lg.lift(graph)
    absent = 1.0
    for cause in causes:
        absent *= 1 - (1 + cause // 2) / (6 + cause // 2) / 1000
    assert graph.query("Effect")["false"] == pytest.approx(absent, rel=1e-9)


def test_sets_of_individuals_are_refused() -> None:
    """A count factor for each pair of people, over the people and what is between them."""
    builder = lg.FactorGraphBuilder()
    people = [*builder.add_variables([f"P.{n}" for n in range(5)])]
    for one in people:
        for other in people[one + 1 :]:
            between = builder.add_variable(f"B.{one}.{other}")
            builder.add_count_factor([people[one], people[other], between], [1, 2, 4, 7])
    graph = builder.build()
    with pytest.raises(lg.MemoryLimitError, match="unordered sets"):
        lg.lift(graph)
    assert graph.partition(exact=True).z == graph.partition(exact=True, method="ground").z


def test_on_the_command_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    given_graph = tmp_path / "graph.json"
    lg.write(counts(floats=False), given_graph)
    assert main(["lift", str(given_graph), "--rounds"]) == 0
    shown = capsys.readouterr().out
    assert "variables  41 in 2 groups" in shown
    assert "factors    43 in 3 groups" in shown
    assert "noisy-MAX of [0.25 0.75 0 1]" in shown
