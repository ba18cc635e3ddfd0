"""What is in pictures: the nodes, edges, colours and plates that the model has, and no others."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings

import liftgraph as lg
from liftgraph.inference.ground.plan import GroundPlan
from liftgraph.inference.lifted.plan import LiftedPlan
from liftgraph.plot.scenes.groups import groups_by_round
from liftgraph.plot.scenes.plan_operations import Operation, operations, without_tables
from liftgraph.plot.scenes.plates import plated_domains
from liftgraph.plot.scenes.quotient import quotient_edges
from liftgraph.plot.scenes.scene import Node, Scene
from tests.plot.test_bars import tolerant
from tests.strategies import factor_graphs, symmetric_graphs

EPIDEMIC = "examples/epidemic.json"


def nodes(scene: Scene) -> dict[str, Node]:
    return {node.id: node for node in scene.nodes if not node.id.startswith("legend")}


@given(factor_graphs())
@settings(max_examples=25, deadline=None)
def test_a_factor_graph_is_drawn_whole(graph: lg.FactorGraph) -> None:
    scene = lg.draw(graph, summary=False).scene
    found = lg.colour_passing(graph)
    shown = nodes(scene)
    variables = [shown[f"variable-{v}"] for v in range(graph.variable_count)]
    factors = [shown[f"factor-{f}"] for f in range(graph.factor_count)]
    assert len(shown) == len(variables) + len(factors)
    edges = {
        (f"variable-{v}", f"factor-{f}")
        for f in range(graph.factor_count)
        for v in graph.factor(f)[0]
    }
    assert {(edge.first, edge.second) for edge in scene.edges} == edges
    assert len(scene.edges) == len(edges)
    assert [node.observed for node in variables] == [
        v in graph.evidence for v in range(len(variables))
    ]
    assert_grouped([node.group for node in variables], found.variable_colours.tolist())
    assert_grouped([node.group for node in factors], found.factor_colours.tolist())
    assert not {n.group for n in variables} & {n.group for n in factors} - {None}


def assert_grouped(groups: list[int | None], colours: list[int]) -> None:
    """Members of a group have its colour, others another one; those alone have none."""
    sizes = Counter(colours)
    for group, colour in zip(groups, colours, strict=True):
        assert (group is None) == (sizes[colour] == 1)
        for other, another in zip(groups, colours, strict=True):
            if group is not None and other is not None:
                assert (group == other) == (colour == another)


@given(symmetric_graphs())
@settings(max_examples=20, deadline=None)
def test_rounds_show_the_groups_of_each_and_keep_colours(graph: lg.FactorGraph) -> None:
    found = lg.colour_passing(graph, record=True)
    shown = nodes(lg.draw_rounds(graph, found).scene)
    rounds = [found.after(number) for number in range(found.rounds + 1)]
    if found.rounds < 9:
        for number, (variables, factors) in enumerate(rounds):
            for kind, colours in (("variable", variables), ("factor", factors)):
                mine = [shown[f"round-{number}-{kind}-{n}"] for n in range(len(colours))]
                assert_grouped([node.group for node in mine], colours.tolist())
    by_round = groups_by_round(rounds)
    for (before, _), (colours, _), groups, earlier in zip(
        rounds, rounds[1:], by_round[1:], by_round, strict=False
    ):
        for member, group in enumerate(earlier.variables):
            if (
                group is not None
                and (colours == colours[member]).sum() == (before == before[member]).sum()
            ):
                assert groups.variables[member] == group  # it was not split


def test_the_picture_of_the_paper() -> None:
    graph = lg.read(EPIDEMIC)
    scene = lg.draw(graph).scene
    assert isinstance(graph, lg.FactorGraph)
    by_name = {node.label: node.group for node in nodes(scene).values() if node.label}
    assert by_name["Epid"] is None
    assert by_name["Sick.alice"] == by_name["Sick.bob"] is not None
    told = [text.text for text in scene.texts if text.id.startswith("legend")]
    assert "Treat.alice.m1, Treat.alice.m2, … (4)" in told
    observed = lg.draw(graph.given({"Sick.alice": "true"})).scene
    assert [node.label for node in observed.nodes if node.observed] == ["Sick.alice = true"]


def test_groups_have_numbers_if_there_are_more_than_colours() -> None:
    scene = lg.draw(lg.datasets.grid(5, 5)).scene
    grouped = [node for node in nodes(scene).values() if node.group is not None]
    assert {node.group for node in grouped} == set(range(11))
    assert all(node.badge == str((node.group or 0) + 1) for node in grouped)
    few = lg.draw(lg.read(EPIDEMIC)).scene
    assert all(not node.badge for node in few.nodes)


@given(symmetric_graphs())
@settings(max_examples=25, deadline=None)
def test_numbers_on_a_summary_hold_for_every_member(graph: lg.FactorGraph) -> None:
    found = lg.colour_passing(graph)
    labels = {
        (int(edge.first.split("-")[1]), int(edge.second.split("-")[1])): edge.label or "1:1"
        for edge in quotient_edges(graph, found)
    }
    met = {pair: tuple(map(int, label.split(":"))) for pair, label in labels.items()}
    scopes = [graph.factor(f)[0] for f in range(graph.factor_count)]
    for v, colour in enumerate(found.variable_colours.tolist()):
        counts = Counter(
            int(found.factor_colours[f]) for f, scope in enumerate(scopes) for u in scope if u == v
        )
        assert counts == {f: each[0] for (u, f), each in met.items() if u == colour}
    for f, scope in enumerate(scopes):
        counts = Counter(int(found.variable_colours[v]) for v in scope)
        group = int(found.factor_colours[f])
        assert counts == {v: each[1] for (v, u), each in met.items() if u == group}


def test_colourings_of_other_graphs_are_refused() -> None:
    graph = lg.datasets.epid(40).ground()
    found = lg.colour_passing(graph)
    with pytest.raises(lg.InputError, match="got one with other states or evidence"):
        lg.draw(graph.given({"Sick.1": "true"}), colouring=found)
    path = [(n, n + 1) for n in range(5)]
    graphs = []
    for edges in ([*path, (5, 0)], [*path, (0, 1)]):  # as many of both, but only one is a ring
        builder = lg.FactorGraphBuilder()
        builder.add_variables(6)
        for edge in edges:
            builder.add_factor(edge, [1, 2, 2, 1])
        graphs.append(builder.build())
    with pytest.raises(lg.InputError, match="got one of another graph"):
        lg.draw(graphs[1], colouring=lg.colour_passing(graphs[0]))
    assert lg.draw(graphs[0], colouring=lg.colour_passing(graphs[0], "cp")).svg


@given(symmetric_graphs())
@settings(max_examples=15, deadline=None)
def test_colourings_of_the_graph_are_never_refused(graph: lg.FactorGraph) -> None:
    for algorithm in ("alpha-acp", "acp", "cp"):
        lg.draw(graph, colouring=lg.colour_passing(graph, algorithm), summary=True)


def unalike(number: int) -> lg.FactorGraph:
    """So many variables with a factor each; no two are alike."""
    builder = lg.FactorGraphBuilder()
    builder.add_variables(number)
    for each in range(number):
        builder.add_factor([each], [1, each + 2])
    return builder.build()


def test_what_a_summary_could_not_show_is_drawn_whole() -> None:
    assert lg.draw(unalike(101)).caption.startswith("Too many groups to draw each of them")
    picture = lg.draw(unalike(80))
    assert len(nodes(picture.scene)) == 160
    assert picture.caption.startswith("80 variables and 80 factors. α-ACP found 80 groups")


def test_captions_say_if_groups_are_alike_up_to_a_tolerance_only() -> None:
    graph = tolerant()
    found = lg.colour_passing(graph, tolerance="0.05", record=True)
    assert found.variable_group_count == 4
    pictures = [lg.draw(graph, colouring=found, summary=each) for each in (True, False)]
    for picture in (*pictures, lg.draw(found), lg.draw_rounds(graph, found)):
        assert "α-ACP with tolerance 0.05" in picture.caption
    assert "tolerance" not in lg.draw(graph).caption
    model = lg.lift(graph, tolerance="0.05")
    bound = f"off by up to {model.log_odds_bound:.3g}."
    assert f"Lifted with tolerance 0.05: log odds of any event may be {bound}" in (
        lg.draw(model).caption
    )
    assert "tolerance" not in lg.draw(lg.lift(graph)).caption


def test_captions_speak_of_what_is_there() -> None:
    assert "Without a colour" not in lg.draw(lg.datasets.clique(4).ground()).caption
    assert "Without a colour" in lg.draw(lg.read_graph(EPIDEMIC)).caption
    assert lg.draw(lg.datasets.clique(4)).caption.startswith("1 PRV for 4 variables")
    everything = lg.plan(lg.datasets.clique(4), lg.Query("marginals"), method="lifted")
    assert lg.draw(everything).caption.startswith("How all marginals are computed, lifted")
    for method in ("ground", "lifted"):  # a number is no name
        plan = lg.read_graph(EPIDEMIC).explain(0, method=method)
        assert lg.draw(plan).caption.startswith("How P(Epid) is computed")


def test_large_graphs_are_summarised_and_say_so() -> None:
    graph = lg.datasets.epid(1024).ground()
    picture = lg.draw(graph)
    assert picture.caption.startswith("A summary, not the graph: 12,289 variables in 4 groups")
    labels = {node.label for node in picture.scene.nodes}
    assert {"Epid", "Sick.1\n× 1,024", "× 10,240"} <= labels
    many = lg.draw(lg.datasets.grid(100, 100))
    assert many.caption.startswith("Too many groups to draw each of them: 10,000 variables")
    assert (
        sum(_numbers(many.scene, "variables"))
        == lg.colour_passing(lg.datasets.grid(100, 100)).variable_group_count
    )
    rounds = lg.draw_rounds(lg.datasets.grid(100, 100))
    assert "Too much to draw round by round" in rounds.caption


def _numbers(scene: Scene, name: str) -> list[int]:
    """What stands beside the bars."""
    return [int(t.text.replace(",", "")) for t in scene.texts if t.id.startswith(f"{name}-told")]


MODELS = {
    "epidemic": lambda: lg.datasets.epid(5),
    "workshops": lambda: lg.datasets.workshops(7, 3),
    "employee": lambda: lg.datasets.employee(4),
    "ds": lambda: lg.datasets.ds(4),
    "smokers": lambda: lg.datasets.smokers(9),
    "clique": lambda: lg.lift(lg.datasets.clique(6).ground()),
    "evidence": lambda: lg.lift(lg.read_graph(EPIDEMIC).given({"Sick.alice": "true"})),
    "grid": lambda: lg.lift(lg.datasets.grid(4, 4)),
    "apart": lambda: apart(10),
    "three": lambda: three(chained=False),
    "chain": lambda: three(chained=True),
}


def apart(number: int) -> lg.ParfactorGraph:
    """So many plates that have nothing to do with each other."""
    logvars = [lg.LogVar(f"X{n}", n + 2) for n in range(number)]
    return lg.ParfactorGraph.of([lg.parfactor([lg.prv(f"A{v.size}", v)], [1, 2]) for v in logvars])


def three(chained: bool) -> lg.ParfactorGraph:
    """Three logvars, each two of them together; or only neighbouring ones of a chain."""
    X, Y, Z = lg.LogVar("X", 3), lg.LogVar("Y", 4), lg.LogVar("Z", 5)
    a, b = lg.prv("A", X, Y), lg.prv("B", Y, Z)
    c = lg.prv("C", *([Z] if chained else [X, Z]))
    table = [1, 2, 3, 4]
    last = lg.parfactor([c, lg.prv("D")], table)
    return lg.ParfactorGraph.of([lg.parfactor([a], [1, 2]), lg.parfactor([b], [1, 3]), last])


@pytest.mark.parametrize("name", MODELS)
def test_plates_contain_what_is_repeated_and_nothing_else(name: str) -> None:
    model = MODELS[name]()
    scene = lg.draw(model).scene
    shown = nodes(scene)
    domains, _ = plated_domains(model)
    assert len(scene.plates) == len(domains)
    for plate in scene.plates:
        domain = next(d for d in domains if plate.label.endswith(f"{d.name}: {d.size}"))
        repeated = {f"prv-{n}" for n, prv in enumerate(model.prvs) if domain in _domains(prv)}
        repeated |= {
            f"parfactor-{n}" for n, each in enumerate(model.parfactors) if domain in _domains(each)
        }
        assert set(plate.members) == repeated
        left, top, right, bottom = plate.box
        for key, node in shown.items():
            (x, y), (w, h) = node.at, node.size
            within = (
                left < x - w / 2 and x + w / 2 < right and top < y - h / 2 and y + h / 2 < bottom
            )
            beside = x + w / 2 < left or right < x - w / 2 or y + h / 2 < top or bottom < y - h / 2
            assert within if key in repeated else beside
    for domain in set(model.domains) - set(domains):
        assert f"{domain.name} ({domain.size})" in lg.draw(model).caption


def _domains(element: lg.PRV | lg.Parfactor) -> set[lg.Domain]:
    return {logvar.domain for logvar in element.logvars}


def test_what_has_no_plate_is_written() -> None:
    assert len(plated_domains(MODELS["three"]())[0]) == 2  # three cannot overlap two by two
    assert len(plated_domains(MODELS["chain"]())[0]) == 3
    assert len(plated_domains(apart(10))[0]) == 10
    assert len(plated_domains(apart(20))[0]) == 12  # more columns would be too many
    scene = lg.draw(lg.datasets.smokers(9)).scene
    assert scene.plates == ()
    told = {node.label for node in scene.nodes} | {text.text for text in scene.texts}
    assert {"Friends(X, Y)\n× 72, X ≠ Y", "φ2 ∀ X, Y, X ≠ Y"} <= told
    assert {edge.label for edge in scene.edges} == {"(X)", "(X, Y)", "(X), (Y)"}
    X = lg.LogVar("X", 4)
    s = lg.prv("S", X)
    model = lg.ParfactorGraph.of([lg.parfactor([lg.crv(s(X), X)], [1, 2, 3, 4, 5])])
    scene = lg.draw(model).scene
    assert [edge.label for edge in scene.edges] == ["#X"]
    assert scene.plates[0].members == ("prv-0",)  # one factor for all of them


def test_the_edges_of_a_lifted_model_are_its_arguments() -> None:
    model = lg.lift(lg.read_graph(EPIDEMIC))
    scene = lg.draw(model).scene
    for number, each in enumerate(model.parfactors):
        mine = {edge.first for edge in scene.edges if edge.second == f"parfactor-{number}"}
        assert len(mine) == len(each.arguments)
    assert {node.label for node in scene.nodes if node.kind == "variable"} == {
        "Epid",
        "Travel(X)",
        "Sick(X)",
        "Treat(X, Y)",
    }


def test_too_large_lifted_models_say_so() -> None:
    chain = lg.datasets.grid(1, 400)
    picture = lg.draw(lg.lift(chain))
    assert "Too many to draw each of them: 200 PRVs for 400 variables" in picture.caption
    assert _numbers(picture.scene, "prvs") == [200]


def test_colourings_are_drawn_by_their_sizes() -> None:
    found = lg.colour_passing(lg.read_graph(EPIDEMIC))
    scene = lg.draw(found).scene
    assert _numbers(scene, "variables") == [1, 2, 1]  # of one, two and four members


def reachable(made: list[Operation]) -> set[int]:
    stack, seen = [len(made) - 1], set[int]()
    while stack:
        number = stack.pop()
        seen.add(number)
        stack += [each for each in made[number].operands if each not in seen]
    return seen


@given(factor_graphs())
@settings(max_examples=25, deadline=None)
def test_ground_plans_are_trees_with_every_elimination(graph: lg.FactorGraph) -> None:
    try:
        plan = lg.plan(graph, lg.Query("partition"), method="ground")
    except lg.ZeroWeightError:
        return
    assert isinstance(plan, GroundPlan)
    made = operations(plan)
    assert reachable(made) == set(range(len(made)))
    used = Counter(operand for each in made for operand in each.operands)
    assert set(used.values()) <= {1}
    assert len(made[-1].operands) == 1
    assert sum(each.kind == "table" for each in made) == plan.plan.given
    eliminating = [step for step in plan.plan.steps if step.eliminated]
    summing = [each for each in made if each.what.startswith("sum out")]
    assert len(summing) == len(eliminating)
    folded = without_tables(made)
    assert [each.what for each in folded] == [each.what for each in made if each.kind != "table"]
    assert reachable(folded) == set(range(len(folded)))


@pytest.mark.parametrize("name", ["epidemic", "workshops", "smokers", "employee", "ds", "clique"])
def test_lifted_plans_have_all_steps_and_their_sizes(name: str) -> None:
    model = MODELS[name]()
    for kind in ("partition", "marginals"):
        plan = lg.plan(model, lg.Query(kind), method="lifted")
        assert isinstance(plan, LiftedPlan)
        made = operations(plan)
        assert reachable(made) == set(range(len(made)))
        assert len(made[-1].operands) == len(plan.compiled.roots)  # all else is used before
        steps = [each for each in made if each.kind == "step"]
        entries = [each.entries for each in steps[: len(plan.compiled.steps)]]
        assert entries == [step.result.tensor.entries for step in plan.compiled.steps]
        assert all(o < n for n, each in enumerate(made) for o in each.operands)
        scene = lg.draw(plan).scene
        assert len(scene.edges) == sum(len(each.operands) for each in made)


def test_evidence_makes_more_steps_and_they_are_all_drawn() -> None:
    given = {"Smokes.1": "true", "Smokes.2": "false", "Friends.1.2": "true"}
    plan = lg.datasets.smokers(20).explain("Smokes.3", given=given, method="lifted")
    assert isinstance(plan, LiftedPlan)
    made = operations(plan)
    assert len(made[-1].operands) == len(plan.compiled.roots) > 1
    tables = sum(each.kind == "table" and each.scope != "multinomials" for each in made)
    assert tables == len(plan.compiled.shattered.terms)


def test_plans_that_are_too_large_say_so() -> None:
    plan = lg.plan(lg.datasets.grid(12, 12), lg.Query("partition"), method="ground")
    assert isinstance(plan, GroundPlan)
    picture = lg.draw(plan)
    assert "too much to draw" in picture.caption
    assert sum(_numbers(picture.scene, "steps")) == len(plan.plan.steps)
    assert np.all([node.kind == "bar" for node in picture.scene.nodes])
