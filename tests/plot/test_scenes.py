"""Scenes: the nodes, edges, colours and plates of the object that is drawn, and no others."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.inference import methods
from liftgraph.model.query import Query
from liftgraph.plot.layout.plates import plate_grid
from liftgraph.plot.scene import Node, Plate, Scene
from liftgraph.plot.scenes.group_colours import colours_by_round
from liftgraph.plot.scenes.quotient import quotient_scene, small_quotient_scene
from liftgraph.symmetry.colours.colouring import Algorithm
from tests.plot.test_bars import tolerant
from tests.strategies import factor_graphs, symmetric_graphs

EPIDEMIC = "src/liftgraph/datasets/epidemic.json"


def nodes(scene: Scene) -> dict[str, Node]:
    """The nodes by their ids, without those of the legend."""
    return {node.id: node for node in scene.nodes if not node.id.startswith("legend")}


@given(factor_graphs())
@settings(max_examples=25, deadline=None)
def test_a_factor_graph_is_drawn_whole(graph: lg.FactorGraph) -> None:
    scene = lg.draw(graph, summary=False).scene
    colouring = lg.colour_passing(graph)
    drawn = nodes(scene)
    variables = [drawn[f"variable-{variable}"] for variable in range(graph.variable_count)]
    factors = [drawn[f"factor-{factor}"] for factor in range(graph.factor_count)]
    assert len(drawn) == len(variables) + len(factors)
    edges = {
        (f"variable-{variable}", f"factor-{factor}")
        for factor in range(graph.factor_count)
        for variable in graph.factors[factor].scope
    }
    assert {(edge.first, edge.second) for edge in scene.edges} == edges
    assert len(scene.edges) == len(edges)
    assert [node.observed for node in variables] == [
        variable in graph.evidence for variable in range(len(variables))
    ]
    assert_grouped([node.group for node in variables], colouring.variable_colours.tolist())
    assert_grouped([node.group for node in factors], colouring.factor_colours.tolist())
    variable_groups = {node.group for node in variables} - {None}
    assert not variable_groups & {node.group for node in factors}


def assert_grouped(groups: list[int | None], colours: list[int]) -> None:
    """Nodes of one group share a colour, which others do not have; those alone have none."""
    sizes = Counter(colours)
    pairs = list(zip(groups, colours, strict=True))
    assert all((group is None) == (sizes[colour] == 1) for group, colour in pairs)
    for (first, first_colour), (second, second_colour) in combinations(pairs, 2):
        if first is not None and second is not None:
            assert (first == second) == (first_colour == second_colour)


@given(symmetric_graphs())
@settings(max_examples=20, deadline=None)
def test_rounds_show_the_groups_of_each_and_keep_colours(graph: lg.FactorGraph) -> None:
    colouring = lg.colour_passing(graph, record=True)
    drawn = nodes(lg.draw_rounds(graph, colouring).scene)
    rounds = [colouring.after(index) for index in range(max(colouring.rounds, 1))]
    if len(rounds) <= 9:
        assert len(drawn) == len(rounds) * (graph.variable_count + graph.factor_count)
        for index, (variables, factors) in enumerate(rounds):
            for name, groups in (("variable", variables), ("factor", factors)):
                panel = [drawn[f"round-{index}-{name}-{node}"] for node in range(len(groups))]
                assert_grouped([node.group for node in panel], groups.tolist())
    colours = colours_by_round(rounds)
    for (before, _), (after, _), old, new in zip(
        rounds, rounds[1:], colours, colours[1:], strict=False
    ):
        for group in set(before.tolist()):
            members = [member for member, other in enumerate(before) if other == group]
            sizes = Counter(after[members].tolist())
            largest = max(sizes.values())
            kept = [m for m in members if new.variables[m] == old.variables[m] is not None]
            if largest > 1:  # one of the largest parts has the colour, and nothing else
                assert len(kept) == largest
                assert len({int(after[member]) for member in kept}) == 1
            if len(members) > 1:
                elsewhere = set(range(len(before))) - set(members)
                assert old.variables[members[0]] not in {new.variables[m] for m in elsewhere}


def test_the_largest_part_of_a_chain_keeps_its_colour() -> None:
    scene = lg.draw_rounds(lg.datasets.grid(1, 13)).scene
    middles = [node for node in scene.nodes if node.id.endswith("variable-5")]
    assert len(middles) == 7
    assert len({node.group for node in middles}) == 1


def test_the_picture_of_the_paper() -> None:
    graph = lg.read(EPIDEMIC)
    scene = lg.draw(graph).scene
    assert isinstance(graph, lg.FactorGraph)
    by_name = {node.label: node.group for node in nodes(scene).values() if node.label}
    assert by_name["Epid"] is None
    assert by_name["Sick.alice"] == by_name["Sick.bob"] is not None
    legend = [text.text for text in scene.texts if text.id.startswith("legend")]
    assert "Treat.alice.m1, Treat.alice.m2, … (4)" in legend
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
    colouring = lg.colour_passing(graph)
    variable_groups = colouring.variable_colours.tolist()
    factor_groups = colouring.factor_colours.tolist()
    meetings = {}
    for edge in quotient_scene(lg.quotient(graph, colouring)).edges:
        groups = int(edge.first.split("-")[1]), int(edge.second.split("-")[1])
        meetings[groups] = tuple(map(int, (edge.label or "1:1").split(":")))
    scopes = [factor.scope for factor in graph.factors]
    for variable, group in enumerate(variable_groups):
        met = Counter(
            factor_groups[factor]
            for factor, scope in enumerate(scopes)
            for argument in scope
            if argument == variable
        )
        assert met == {f: numbers[0] for (v, f), numbers in meetings.items() if v == group}
    for factor, scope in enumerate(scopes):
        met = Counter(variable_groups[variable] for variable in scope)
        group = factor_groups[factor]
        assert met == {v: numbers[1] for (v, f), numbers in meetings.items() if f == group}


@given(st.one_of(symmetric_graphs(), factor_graphs()), st.sampled_from(["alpha-acp", "cp"]))
@settings(max_examples=25, deadline=None)
def test_quotients_are_drawn_without_their_graphs(
    graph: lg.FactorGraph, algorithm: Algorithm
) -> None:
    colouring = lg.colour_passing(graph, algorithm)
    quotient = lg.quotient(graph, colouring)
    picture = lg.draw(quotient)
    of_graph = lg.draw(graph, colouring=colouring, summary=True)
    whole = nodes(lg.draw(graph, colouring=colouring, summary=False).scene)
    assert without_colours(picture.scene) == without_colours(of_graph.scene)
    drawn, same = nodes(picture.scene), nodes(of_graph.scene)
    sides = {
        "variable": (colouring.variable_groups, quotient.variable_sizes.tolist()),
        "factor": (colouring.factor_groups, quotient.factor_sizes.tolist()),
    }
    colours: list[int | None] = []
    for kind, (groups, sizes) in sides.items():
        for group, members in enumerate(groups):  # as in the picture of the whole graph
            expected = whole[f"{kind}-{members[0]}"].group
            assert same[f"{kind}s-{group}"].group == expected
        large_first = sorted(range(len(sizes)), key=lambda group: -sizes[group])
        several = [group for group in large_first if sizes[group] > 1]
        colours += [drawn[f"{kind}s-{group}"].group for group in several]
    assert colours == [*range(len(colours))]
    assert len(colours) == sum(node.group is not None for node in drawn.values())
    observed = [drawn[f"variables-{group}"].observed for group in range(len(quotient.observed))]
    assert observed == (quotient.observed >= 0).tolist()


def without_colours(scene: Scene) -> Scene:
    return replace(scene, nodes=tuple(replace(node, group=None) for node in scene.nodes))


def test_quotients_of_any_size_are_drawn() -> None:
    for graph, caption in (
        (lg.datasets.epid(1024).ground(), "A summary, not the graph: 12,289 variables in 4 groups"),
        (lg.datasets.grid(2, 300), "A summary, not the graph: 600 variables in 150 groups"),
        (lg.datasets.grid(100, 100), "Too many groups to draw: 10,000 variables in"),
        (lg.FactorGraphBuilder().build(), "A summary, not the graph: 0 variables in 0 groups"),
    ):
        colouring = lg.colour_passing(graph)
        picture = lg.draw(lg.quotient(graph, colouring))
        assert picture.caption.startswith(caption)
        assert picture.caption == lg.draw(graph, colouring=colouring, summary=True).caption


def test_the_largest_groups_of_a_quotient_have_colours() -> None:
    builder = lg.FactorGraphBuilder()
    for size in range(2, 12):
        builder.add_factors(np.array(builder.add_variables(size))[:, None], [1, size])
    quotient = lg.quotient(builder.build(), lg.colour_passing(builder.build()))
    drawn = nodes(small_quotient_scene(quotient))
    groups = {
        size: drawn[f"variables-{group}"].group
        for group, size in enumerate(quotient.variable_sizes.tolist())
    }
    assert {size: groups[size] for size in (11, 10, 9)} == {11: 0, 10: 1, 9: 2}
    assert all(groups[size] is None for size in range(2, 9))
    coloured = [node for node in drawn.values() if node.group is not None]
    assert len(coloured) == 6


def test_colourings_of_other_graphs_are_refused() -> None:
    graph = lg.datasets.epid(40).ground()
    colouring = lg.colour_passing(graph)
    with pytest.raises(lg.InputError, match="got one with other states or evidence"):
        lg.draw(graph.given({"Sick.1": "true"}), colouring=colouring)
    path = list(pairwise(range(6)))
    graphs = []
    for edges in ([*path, (5, 0)], [*path, (0, 1)]):  # equally large, but only one is a ring
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


def unalike(variable_count: int) -> lg.FactorGraph:
    """Variables with a factor each; no two are alike."""
    builder = lg.FactorGraphBuilder()
    builder.add_variables(variable_count)
    for variable in range(variable_count):
        builder.add_factor([variable], [1, variable + 2])
    return builder.build()


def test_what_a_summary_could_not_show_is_drawn_whole() -> None:
    small = lg.draw(unalike(101))
    assert len(nodes(small.scene)) == 202
    assert not any(node.label for node in nodes(small.scene).values())
    assert "Too many nodes for their names" in small.caption
    named = lg.draw(unalike(101), factor_names=True)
    assert all(node.label for node in nodes(named.scene).values())
    assert lg.draw(unalike(501)).caption.startswith("Too many groups to draw")
    ladder = lg.draw(lg.datasets.grid(2, 300))
    assert ladder.caption.startswith("A summary, not the graph: 600 variables")
    assert "The 6 largest groups have colours." in ladder.caption
    picture = lg.draw(unalike(80))
    assert len(nodes(picture.scene)) == 160
    assert picture.caption.startswith("80 variables and 80 factors. α-ACP found 80 groups")


def test_captions_say_if_groups_are_alike_up_to_a_tolerance_only() -> None:
    graph = tolerant()
    colouring = lg.colour_passing(graph, tolerance="0.05", record=True)
    assert colouring.variable_group_count == 4
    pictures = [lg.draw(graph, colouring=colouring, summary=summary) for summary in (True, False)]
    for picture in (*pictures, lg.draw(colouring), lg.draw_rounds(graph, colouring)):
        assert "α-ACP with tolerance 0.05" in picture.caption
    assert "tolerance" not in lg.draw(graph).caption
    model = lg.lift(graph, tolerance="0.05")
    bound = f"off by up to {model.log_odds_bound:.3g}."
    assert f"Lifted with tolerance 0.05: log odds of any event may be {bound}" in (
        lg.draw(model).caption
    )
    assert "tolerance" not in lg.draw(lg.lift(graph)).caption


def test_captions_speak_of_what_is_there() -> None:
    assert "alone" not in lg.draw(lg.datasets.clique(4).ground()).caption
    whole = lg.draw(lg.read_graph(EPIDEMIC)).caption
    assert whole.endswith("White variables and grey factors are alone in their group.")
    workshops = lg.datasets.workshops(7, 3).ground()
    assert lg.draw(workshops).caption.endswith("White variables are alone in their group.")
    assert lg.draw(lg.datasets.clique(4)).caption.startswith("1 PRV for 4 variables")
    everything = methods.plan(lg.datasets.clique(4), Query("marginals"), method="lifted")
    assert lg.draw(everything).caption.startswith("How all marginals are computed, lifted")
    for method in ("ground", "lifted"):  # the index of a variable is not its name
        plan = lg.read_graph(EPIDEMIC).explain(0, method=method)
        assert lg.draw(plan).caption.startswith("How P(Epid) is computed")


def test_large_graphs_are_summarised_and_say_so() -> None:
    graph = lg.datasets.epid(1024).ground()
    picture = lg.draw(graph)
    assert picture.caption.startswith("A summary, not the graph: 12,289 variables in 4 groups")
    labels = {node.label for node in picture.scene.nodes}
    assert {"Epid", "Sick.1\n× 1,024", "× 10,240"} <= labels
    grid = lg.datasets.grid(100, 100)
    sizes = lg.draw(grid)
    assert sizes.caption.startswith("Too many groups to draw: 10,000 variables")
    group_count = lg.colour_passing(grid).variable_group_count
    assert sum(_numbers(sizes.scene, "variables")) == group_count
    rounds = lg.draw_rounds(grid)
    assert "Too large to draw round by round" in rounds.caption


def _numbers(scene: Scene, name: str) -> list[int]:
    """The numbers beside the bars."""
    return [
        int(text.text.replace(",", ""))
        for text in scene.texts
        if text.id.startswith(f"{name}-value")
    ]


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


def apart(plate_count: int) -> lg.ParfactorGraph:
    """Plates that have nothing to do with each other."""
    logvars = [lg.LogVar(f"X{index}", index + 2) for index in range(plate_count)]
    return lg.ParfactorGraph.of(
        [lg.parfactor([lg.prv(f"A{logvar.size}", logvar)], [1, 2]) for logvar in logvars]
    )


def three(chained: bool) -> lg.ParfactorGraph:
    """Three logvars, each two of which meet in a PRV; in a chain, only neighbouring ones do."""
    X, Y, Z = lg.LogVar("X", 3), lg.LogVar("Y", 4), lg.LogVar("Z", 5)
    a, b = lg.prv("A", X, Y), lg.prv("B", Y, Z)
    c = lg.prv("C", *([Z] if chained else [X, Z]))
    table = [1, 2, 3, 4]
    last = lg.parfactor([c, lg.prv("D")], table)
    return lg.ParfactorGraph.of([lg.parfactor([a], [1, 2]), lg.parfactor([b], [1, 3]), last])


@st.composite
def plated_models(draw: st.DrawFn) -> lg.ParfactorGraph:
    """Lifted models with up to four logvars, in any combinations, some of them counted."""
    logvars = [lg.LogVar(f"X{index}", index + 2) for index in range(draw(st.integers(1, 4)))]
    combinations_of_logvars = draw(
        st.lists(st.lists(st.sampled_from(logvars), unique=True), min_size=1, max_size=6)
    )
    prvs = [lg.prv(f"A{index}", *some) for index, some in enumerate(combinations_of_logvars)]
    scopes = draw(st.lists(st.lists(st.sampled_from(prvs), unique=True, min_size=1, max_size=3)))
    parfactors = [
        lg.parfactor(scope, range(1, 2 ** len(scope) + 1)) for scope in [prvs[:1], *scopes]
    ]
    if draw(st.booleans()):
        counted = lg.crv(lg.prv("B", logvars[0])(logvars[0]), logvars[0])
        parfactors.append(lg.parfactor([counted], range(1, logvars[0].size + 2)))
    return lg.ParfactorGraph.of(parfactors)


@given(plated_models())
@settings(deadline=None)
def test_plates_of_any_logvars_contain_what_is_repeated(model: lg.ParfactorGraph) -> None:
    assert_plates(model)


@pytest.mark.parametrize("name", MODELS)
def test_plates_contain_what_is_repeated_and_nothing_else(name: str) -> None:
    assert_plates(MODELS[name]())


def test_up_to_three_logvars_have_all_their_plates() -> None:
    logvars = [lg.LogVar(f"X{index}", index + 2) for index in range(3)]
    for count in (1, 2, 3):
        subsets = [
            some for size in range(count + 1) for some in combinations(logvars[:count], size)
        ]
        prvs = [lg.prv(f"A{index}", *some) for index, some in enumerate(subsets)]
        pairs = [lg.parfactor(pair, [1, 2, 3, 4]) for pair in pairwise(prvs)]
        assert len(lg.draw(lg.ParfactorGraph.of(pairs)).scene.plates) == count


def test_the_smallest_domain_loses_its_plate() -> None:
    X = lg.LogVar("X", 1000)
    Y = lg.LogVar("Y", X)
    Z = lg.LogVar("Z", 7)
    friends = lg.parfactor(
        [lg.prv("F", X, Y, where=lg.different(X, Y))], [1, 2], where=lg.different(X, Y)
    )
    model = lg.ParfactorGraph.of([friends, lg.parfactor([lg.prv("S", Z)], [1, 2])])
    assert [domain.name for domain in plate_grid(model).domains] == ["Z"]  # X and Y share theirs
    twenty = plate_grid(apart(20)).domains
    assert {domain.size for domain in twenty} == set(range(10, 22))


def assert_plates(model: lg.ParfactorGraph) -> None:
    """Each plate contains what is repeated for its domain, and nothing else."""
    scene = lg.draw(model).scene
    domains = plate_grid(model).domains
    assert len(scene.plates) == len(domains)
    elements: dict[str, lg.PRV | lg.Parfactor] = {
        f"prv-{index}": prv for index, prv in enumerate(model.prvs)
    }
    elements |= {f"parfactor-{index}": factor for index, factor in enumerate(model.parfactors)}
    for plate in scene.plates:
        domain = next(
            domain for domain in domains if plate.label.endswith(f"{domain.name}: {domain.size}")
        )
        repeated = {name for name, element in elements.items() if domain in _domains(element)}
        assert set(plate.members) == repeated
        for name, node in nodes(scene).items():
            assert is_within(node, plate) if name in repeated else is_outside(node, plate)
    for domain in set(model.domains) - set(domains):
        assert f"{domain.name} ({domain.size})" in lg.draw(model).caption


def is_within(node: Node, plate: Plate) -> bool:
    left, top, right, bottom = plate.box
    (x, y), (width, height) = node.at, node.size
    horizontally = left < x - width / 2 and x + width / 2 < right
    return horizontally and top < y - height / 2 and y + height / 2 < bottom


def is_outside(node: Node, plate: Plate) -> bool:
    left, top, right, bottom = plate.box
    (x, y), (width, height) = node.at, node.size
    horizontally = x + width / 2 < left or right < x - width / 2
    return horizontally or y + height / 2 < top or bottom < y - height / 2


def _domains(element: lg.PRV | lg.Parfactor) -> set[lg.Domain]:
    return {logvar.domain for logvar in element.logvars}


def test_what_has_no_plate_is_written() -> None:
    assert len(plate_grid(MODELS["three"]()).domains) == 3  # one of them is around rows
    assert len(plate_grid(MODELS["chain"]()).domains) == 3
    assert len(plate_grid(apart(10)).domains) == 10
    assert len(plate_grid(apart(20)).domains) == 12  # more columns would be too many
    scene = lg.draw(lg.datasets.smokers(9)).scene
    assert scene.plates == ()
    written = {node.label for node in scene.nodes} | {text.text for text in scene.texts}
    assert {"Friends(X, Y)\n× 72, X ≠ Y", "φ2 ∀ X, Y, X ≠ Y"} <= written
    assert {edge.label for edge in scene.edges} == {"(X)", "(X, Y)", "(X), (Y)"}
    X = lg.LogVar("X", 4)
    s = lg.prv("S", X)
    model = lg.ParfactorGraph.of([lg.parfactor([lg.crv(s(X), X)], [1, 2, 3, 4, 5])])
    scene = lg.draw(model).scene
    assert [edge.label for edge in scene.edges] == ["#X"]
    assert scene.plates[0].members == ("prv-0",)  # there is one factor for all individuals


def test_the_edges_of_a_lifted_model_are_its_arguments() -> None:
    model = lg.lift(lg.read_graph(EPIDEMIC))
    scene = lg.draw(model).scene
    for index, parfactor in enumerate(model.parfactors):
        prvs = {edge.first for edge in scene.edges if edge.second == f"parfactor-{index}"}
        assert len(prvs) == len(parfactor.arguments)
    assert {node.label for node in scene.nodes if node.kind == "variable"} == {
        "Epid",
        "Travel(X)",
        "Sick(X)",
        "Treat(X, Y)",
    }


def test_an_arrow_leads_to_the_child_of_a_parfactor() -> None:
    X = lg.LogVar("X", 3)
    cause, effect = lg.prv("Cause", X), lg.prv("Effect", X)
    half, either = ["0.5", "0.5"], [["0.5", "0.5"], ["0.1", "0.9"]]
    written = [
        lg.parfactor([cause], half, child=cause),
        lg.parfactor([cause, effect], either, child=effect),
    ]
    scene = lg.draw(lg.ParfactorGraph.of(written)).scene
    arrows = {(edge.first, edge.second) for edge in scene.edges if edge.arrow}
    assert arrows == {("parfactor-0", "prv-0"), ("parfactor-1", "prv-1")}
    assert "An arrow leads to" in scene.caption
    silent = lg.ParfactorGraph.of(
        [lg.parfactor([cause], half), lg.parfactor([cause, effect], either)]
    )
    plain = lg.draw(silent).scene
    assert not any(edge.arrow for edge in plain.edges)
    assert "arrow" not in plain.caption


def test_prvs_that_interventions_set_are_no_observed_ones() -> None:
    X = lg.LogVar("X", 3)
    cause, effect = lg.prv("Cause", X), lg.prv("Effect", X)
    tables = ["0.5", "0.5"], [["0.5", "0.5"], ["0.1", "0.9"]]
    parfactors = [
        lg.parfactor([cause], tables[0], child=cause),
        lg.parfactor([cause, effect], tables[1], child=effect),
    ]
    picture = lg.draw(lg.ParfactorGraph.of(parfactors).do({"Cause": "true"}))
    nodes = {node.label: node for node in picture.scene.nodes if node.kind == "variable"}
    assert {label: node.fixed for label, node in nodes.items()} == {
        "do(Cause(X) = true)": True,
        "Effect(X)": False,
    }
    assert "set by interventions" in picture.caption
    seen = lg.lift(lg.read_graph(EPIDEMIC).given({"Epid": "true"}))
    assert not any(node.fixed for node in lg.draw(seen).scene.nodes)
    assert "interventions" not in lg.draw(seen).caption


def test_too_large_lifted_models_say_so() -> None:
    chain = lg.datasets.grid(1, 400)
    picture = lg.draw(lg.lift(chain))
    assert "Too many nodes to draw: 200 PRVs for 400 variables" in picture.caption
    assert _numbers(picture.scene, "prvs") == [200]


def test_colourings_are_drawn_as_graphs_with_their_groups() -> None:
    graph = lg.read_graph(EPIDEMIC)
    for algorithm in ("alpha-acp", "acp"):
        colouring = lg.colour_passing(graph, algorithm)
        assert lg.draw(colouring).scene == lg.draw(graph, colouring=colouring).scene
    sizes = lg.draw(replace(lg.colour_passing(graph), graph=None)).scene
    assert _numbers(sizes, "variables") == [1, 2, 1]  # of one, two and four members


@given(factor_graphs())
@settings(max_examples=25, deadline=None)
def test_ground_plans_are_trees_with_every_elimination(graph: lg.FactorGraph) -> None:
    try:
        plan = methods.plan(graph, Query("partition"), method="ground")
    except lg.ZeroWeightError:
        return
    outline = plan.outline
    used = Counter(operand for operation in outline for operand in operation.operands)
    assert sorted(used) == list(range(len(outline) - 1))  # all but the last, which is the result
    assert set(used.values()) <= {1}
    eliminated = [name for operation in outline for name in operation.eliminated]
    free = {name for operation in outline if not operation.operands for name in operation.axes}
    assert sorted(eliminated) == sorted(free)
    scene = lg.draw(plan).scene
    drawn = {edge.first for edge in scene.edges}
    assert drawn == {node.id for node in scene.nodes[:-1]}  # every node but the answer is used


@pytest.mark.parametrize("name", ["epidemic", "workshops", "smokers", "employee", "ds", "clique"])
def test_lifted_plans_have_all_steps_and_their_sizes(name: str) -> None:
    model = MODELS[name]()
    for kind in ("partition", "marginals"):
        plan = methods.plan(model, Query(kind), method="lifted")
        outline = plan.outline
        assert all(o < index for index, made in enumerate(outline) for o in made.operands)
        largest = max(operation.entries for operation in outline)
        assert f"{largest:,} entries" in plan.text
        used = {operand for operation in outline for operand in operation.operands}
        results = [index for index in range(len(outline)) if index not in used]
        assert all(not outline[index].axes for index in results)  # numbers: nothing is left
        scene = lg.draw(plan).scene
        operands = sum(len(operation.operands) for operation in outline)
        assert len(scene.edges) == operands + len(results)


def test_evidence_makes_more_steps_and_they_are_all_drawn() -> None:
    given = {"Smokes.1": "true", "Smokes.2": "false", "Friends.1.2": "true"}
    model = lg.datasets.smokers(20)
    before, after = (
        model.explain("Smokes.3", given=evidence, method="lifted").outline
        for evidence in ({}, given)
    )
    assert len(after) > len(before)
    picture = lg.draw(model.explain("Smokes.3", given=given, method="lifted"))
    steps = [node for node in picture.scene.nodes if node.kind == "step"]
    assert len(steps) == sum(bool(operation.operands) for operation in after)


def test_plans_that_are_too_large_say_so() -> None:
    plan = methods.plan(lg.datasets.grid(12, 12), Query("partition"), method="ground")
    picture = lg.draw(plan)
    assert "too much to draw" in picture.caption
    steps = sum(bool(operation.operands) for operation in plan.outline)
    assert sum(_numbers(picture.scene, "steps")) == steps
    assert np.all([node.kind == "bar" for node in picture.scene.nodes])
