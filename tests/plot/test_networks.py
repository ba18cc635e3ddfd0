"""Bayesian networks as pictures: their arrows, beliefs that are the marginals, and heat tables."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.cli import main
from liftgraph.model.answers.marginals import Marginals
from liftgraph.model.query import Query
from liftgraph.plot.scene import Node, Scene
from liftgraph.plot.scenes.beliefs import MOST_ROWS
from tests.brute_force import brute_force
from tests.plot.test_layers import assert_clear
from tests.plot.test_layouts import overlapping
from tests.strategies import bayesian_networks

ASIA = str(Path(str(lg.datasets.__file__)).parent / "asia.bif")


def variables(scene: Scene) -> dict[str, Node]:
    """The nodes of variables by their ids, without what stands in them."""
    return {node.id: node for node in scene.nodes if node.kind in ("variable", "panel")}


def naive_arrows(graph: lg.FactorGraph, own: list[int]) -> set[tuple[str, str]]:
    return {
        (f"variable-{parent}", f"variable-{child}")
        for child, factor in enumerate(own)
        for parent in graph.scope_of(factor)
        if parent != child
    }


def tree(variable_count: int, alike: bool = False) -> lg.FactorGraph:
    """A network in which each variable but the first has one parent."""
    builder = lg.FactorGraphBuilder()
    builder.add_variables([f"v{index}" for index in range(variable_count)])
    builder.add_factor([0], ["0.5", "0.5"])
    for child in range(1, variable_count):
        share = 1 if alike else child
        rest = variable_count - share
        parent = 0 if alike else child // 2
        table = [f"{share}/{variable_count}", f"{rest}/{variable_count}"]
        builder.add_factor([parent, child], [*table, *reversed(table)])
    return builder.build()


@given(bayesian_networks())
def test_every_arrow_is_drawn_and_points_down(network: tuple[lg.FactorGraph, list[int]]) -> None:
    graph, own = network
    scene = lg.draw(graph, arrows=True).scene
    nodes = variables(scene)
    drawn = [(edge.first, edge.second) for edge in scene.edges]
    assert len(drawn) == len(set(drawn))
    assert set(drawn) == naive_arrows(graph, own)
    assert all(edge.arrow for edge in scene.edges)
    assert all(nodes[parent].at[1] < nodes[child].at[1] for parent, child in drawn)
    places = {f"variable-{v}": graph.name(v) for v in range(graph.variable_count)}
    assert {name: nodes[name].label for name in places} == places
    assert overlapping(list(scene.nodes)) == []
    assert_clear(scene)


@given(bayesian_networks(), st.data())
def test_bars_are_the_marginals(
    network: tuple[lg.FactorGraph, list[int]], data: st.DataObject
) -> None:
    graph, own = network
    if data.draw(st.booleans()):
        variable = data.draw(st.integers(0, graph.variable_count - 1))
        graph = graph.given({variable: data.draw(st.sampled_from(graph.states(variable)))})
    try:
        marginals = brute_force(graph, Query("marginals", exact=True))
    except lg.ZeroWeightError:
        return
    assert isinstance(marginals, Marginals)
    for beliefs in (True, marginals):
        scene = lg.draw(graph, beliefs=beliefs).scene
        nodes = variables(scene)
        assert {(edge.first, edge.second) for edge in scene.edges} == naive_arrows(graph, own)
        assert overlapping(list(nodes.values())) == []
        for variable in range(graph.variable_count):
            panel = nodes[f"variable-{variable}"]
            assert panel.observed == (variable in graph.evidence)
            probabilities = marginals[graph.name(variable)].probabilities
            bars = [node for node in scene.nodes if node.id.startswith(f"{panel.id}-bar-")]
            wholes = [node for node in scene.nodes if node.id.startswith(f"{panel.id}-cell-")]
            shares = [bar.size[0] / whole.size[0] for bar, whole in zip(bars, wholes, strict=True)]
            assert shares == pytest.approx(probabilities.tolist())
            assert all(_is_inside(bar, panel) for bar in bars)


def _is_inside(inner: Node, outer: Node) -> bool:
    return all(
        abs(inner.at[axis] - outer.at[axis]) + inner.size[axis] / 2 <= outer.size[axis] / 2
        for axis in (0, 1)
    )


def test_of_many_states_the_most_likely_ones_have_rows() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variable("die", 30)
    builder.add_factor([0], [f"{2 * share}/{30 * 31}" for share in range(1, 31)])
    scene = lg.draw(builder.build(), beliefs=True).scene
    texts = {text.id: text.text for text in scene.texts}
    states = [texts[f"variable-0-state-{row}"] for row in range(MOST_ROWS)]
    assert states == [*(str(state) for state in range(23, 30)), "23 others"]
    rest = sum(range(1, 24)) / sum(range(1, 31))
    assert texts[f"variable-0-percent-{MOST_ROWS - 1}"] == f"{100 * rest:.1f}"


def test_networks_are_drawn_with_arrows_unless_groups_say_more() -> None:
    asia = lg.datasets.asia()
    assert lg.draw(asia).caption.startswith("A Bayesian network of 8 variables and 8 arrows.")
    assert lg.draw(asia).svg == asia._repr_svg_()
    for options in ({"arrows": False}, {"summary": False}, {"factor_names": True}):
        assert lg.draw(asia, **options).caption.startswith("8 variables and 8 factors.")  # type: ignore[arg-type]
    colouring = lg.colour_passing(asia)
    assert lg.draw(asia, colouring=colouring).caption.startswith("8 variables and 8 factors.")
    assert lg.draw(asia, colouring=colouring, arrows=True).caption == lg.draw(asia).caption
    alone = lg.FactorGraphBuilder()
    alone.add_variables(["a", "b"])
    alone.add_factor([0], ["0.5", "0.5"])
    alone.add_factor([1], ["0.1", "0.9"])
    assert lg.draw(alone.build()).caption.startswith("2 variables and 2 factors.")  # no arrows
    assert lg.draw(lg.datasets.epidemic()).caption.startswith("9 variables and 9 factors.")
    assert "2 groups" in lg.draw(tree(300, alike=True)).caption
    assert "A summary" in lg.draw(tree(300, alike=True)).caption


def test_variables_of_a_group_have_a_colour() -> None:
    scene = lg.draw(tree(20, alike=True)).scene
    nodes = variables(scene)
    groups = [nodes[f"variable-{variable}"].group for variable in range(20)]
    assert groups[0] is None
    assert len(set(groups[1:])) == 1
    assert groups[1] is not None


def test_of_many_variables_the_busiest_are_named() -> None:
    graph = tree(400)
    picture = lg.draw(graph)
    assert picture.caption.startswith("A Bayesian network of 400 variables and 399 arrows. The 40")
    nodes = variables(picture.scene)
    named = {node.label for name, node in nodes.items() if node.label and "legend" not in name}
    assert len(named) == 40
    assert "v1" in named  # with three neighbours
    assert "v399" not in named
    assert_clear(picture.scene)
    assert overlapping([node for node in picture.scene.nodes if "legend" not in node.id]) == []


def test_refusals_say_why() -> None:
    epidemic, asia = lg.datasets.epidemic(), lg.datasets.asia()
    for options in ({"arrows": True}, {"beliefs": True}):
        with pytest.raises(lg.InputError, match="this is not a Bayesian network: expected"):
            lg.draw(epidemic, **options)  # type: ignore[arg-type]
    with pytest.raises(lg.InputError, match="expected beliefs in a picture with arrows only"):
        lg.draw(asia, beliefs=True, arrows=False)
    with pytest.raises(lg.InputError, match="expected summary in a picture without arrows only"):
        lg.draw(asia, summary=True, arrows=True)
    with pytest.raises(lg.InputError, match="expected beliefs for a factor graph only"):
        lg.draw(lg.datasets.epid(3), beliefs=True)
    with pytest.raises(lg.InputError, match="expected marginals of this graph, got none of asia"):
        lg.draw(asia, beliefs=epidemic.marginals())
    with pytest.raises(lg.InputError, match="expected marginals as beliefs, got 'all'"):
        lg.draw(asia, beliefs="all")  # type: ignore[arg-type]
    with pytest.raises(lg.InputError, match="at most 150 variables to draw with beliefs, got 151"):
        lg.draw(tree(151), beliefs=True)
    with pytest.raises(lg.InputError, match="at most 1,500 variables to draw with arrows"):
        lg.draw(tree(1501), arrows=True)


@given(bayesian_networks())
def test_heat_tables_have_a_cell_for_each_probability(
    network: tuple[lg.FactorGraph, list[int]],
) -> None:
    graph, _ = network
    for variable in range(graph.variable_count):
        conditional = graph.cpd(variable)
        scene = lg.draw(conditional).scene
        cells = {node.id: node for node in scene.nodes}
        rows = list(product(*map(range, conditional.table.shape[:-1])))
        assert len(cells) == len(rows) * len(conditional.states)
        shares = {}
        for (row, parents), state in product(enumerate(rows), range(len(conditional.states))):
            name = f"cell-{row}-{state}"
            shares[name] = float(conditional.table.potential((*parents, state)))
            assert cells[name].label == f"{shares[name]:.3g}"
        darkest, likeliest = max(cell.shade for cell in cells.values()), max(shares.values())
        assert {name: cell.shade / darkest for name, cell in cells.items()} == pytest.approx(
            {name: share / likeliest for name, share in shares.items()}
        )
        texts = {text.text for text in scene.texts}
        assert {conditional.title, *conditional.parents, *conditional.states} <= texts


def test_notebooks_shade_probabilities() -> None:
    html = lg.datasets.asia().cpd("dysp")._repr_html_()
    shades = [float(part.split(")")[0]) for part in html.split("rgba(0,114,178,")[1:]]
    numbers = [float(cell.split("<")[0]) for cell in html.split(')">')[1:]]
    assert len(numbers) == 8
    assert [shade / max(shades) for shade in shades] == pytest.approx(
        [number / max(numbers) for number in numbers], abs=1e-3
    )


def test_large_heat_tables_say_what_is_missing() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables([f"p{index}" for index in range(7)])
    for variable in range(6):
        builder.add_factor([variable], ["0.5", "0.5"])
    builder.add_factor(list(range(7)), ["0.25", "0.75"] * 64)
    assert lg.draw(builder.build().cpd("p6")).caption == ""
    builder.add_variable("wide", 50)
    builder.add_factor([6, 7], ["1/50"] * 100)
    wide = lg.draw(builder.build().cpd("wide"))
    assert wide.caption == "The first 2 of 2 rows and 40 of 50 states."


@pytest.mark.parametrize(
    ("arguments", "caption"),
    [
        ([], "A Bayesian network of 8 variables and 8 arrows."),
        (["--what", "graph"], "8 variables and 8 factors"),
        (["--what", "network", "--algorithm", "cp"], "A Bayesian network of 8 variables"),
        (["--what", "network", "--given", "smoke=yes"], "Filled variables are observed."),
        (["--what", "beliefs"], "Bars show probabilities, in percent."),
        (["--what", "beliefs", "--given", "smoke=yes", "--method", "ground"], "observed."),
        (["dysp", "--what", "table"], ""),
    ],
)
@pytest.mark.parametrize("suffix", ["svg", "pdf", "tex"])
def test_the_command_draws_networks(
    arguments: list[str],
    caption: str,
    suffix: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / f"network.{suffix}"
    assert main(["draw", ASIA, *arguments, "-o", str(path), "--json"]) == 0
    assert caption in json.loads(capsys.readouterr().out)["caption"]
    begins = {"svg": b"<?xml", "pdf": b"%PDF", "tex": b"% A Bay"}[suffix]
    if suffix != "tex" or caption.startswith("A Bay"):
        assert path.read_bytes().startswith(begins)
    if suffix == "svg":
        ElementTree.parse(path)


def test_the_command_wants_one_variable_for_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "table.svg")
    for asked in ([], ["asia", "dysp"]):
        assert main(["draw", ASIA, *asked, "--what", "table", "-o", path]) == 2
        expected = f"expected one variable for a table, got {len(asked)}"
        assert expected in capsys.readouterr().err


@given(bayesian_networks(), st.data())
def test_interventions_are_told_from_observations(
    network: tuple[lg.FactorGraph, list[int]], data: st.DataObject
) -> None:
    graph, _ = network
    states = {variable: graph.states(variable)[0] for variable in range(graph.variable_count)}
    done = data.draw(st.sets(st.sampled_from(sorted(states)))) if states else set()
    parents = [v for v in states if v not in done and graph.parents(v)]
    seen = set(data.draw(st.lists(st.sampled_from(parents), max_size=2))) if parents else set()
    changed = graph.do({v: states[v] for v in done}).observing(dict.fromkeys({*done, *seen}, 0))
    picture = lg.draw(changed, arrows=True)
    nodes = variables(picture.scene)
    for variable in states:
        node = nodes[f"variable-{variable}"]
        assert node.fixed == (variable in done)
        assert node.observed == (variable in done | seen)
        assert node.label.startswith("do(") == (variable in done)
        assert node.title.endswith(", set") == (variable in done)
    assert ("set by interventions" in picture.caption) == bool(done)
    assert ("are observed" in picture.caption) == bool(seen)


def plant(test: object, state: str = "true") -> lg.FactorGraph:
    """A gate over three pumps."""
    builder = lg.FactorGraphBuilder()
    builder.add_variables(["a", "b", "c", "Plant"])
    for pump in "abc":
        builder.add_factor([pump], ["0.5", "0.5"])
    builder.add_gate("Plant", ["a", "b", "c"], test, state)
    return builder.build()


@pytest.mark.parametrize("state", ["true", "false"])
@pytest.mark.parametrize(
    ("test", "name"),
    [
        (lg.at_least(2), "≥ 2"),
        (lg.at_most(1), "≤ 1"),
        (lg.exactly(3), "= 3"),
        ([0, 1, 1, 0], "1 to 2"),
        ([1, 0, 1, 0], "count"),
        (["0.1", "0.2", "0.3", "0.4"], "count"),
    ],
)
def test_gates_have_names_and_arrows_to_their_children(test: object, name: str, state: str) -> None:
    graph = plant(test, state)
    network = variables(lg.draw(graph).scene)
    assert network["variable-3"].label == f"Plant\n{name} of 3"
    scene = lg.draw(graph, arrows=False).scene
    (gate,) = (node for node in scene.nodes if node.id == "factor-3")
    assert gate.label == f"φ4 {name}"
    assert gate.title == f"φ4(a, b, c, Plant): {name}"
    arrows = [(edge.first, edge.second) for edge in scene.edges if edge.arrow]
    assert arrows == [("factor-3", "variable-3")]
    assert len(scene.edges) == 7
    assert "An arrow leads from a gate" in scene.caption
    assert "gate" not in lg.draw(lg.datasets.asia(), arrows=False).caption


def test_noisy_gates_have_names() -> None:
    for kind, name in {"or": "noisy-OR", "and": "noisy-AND"}.items():
        builder = lg.FactorGraphBuilder()
        builder.add_variables(["a", "b", "e"])
        for cause in "ab":
            builder.add_factor([cause], ["0.5", "0.5"])
        getattr(builder, f"add_noisy_{kind}")("e", {"a": "0.3", "b": "0.4"}, leak="0.1")
        nodes = variables(lg.draw(builder.build()).scene)
        assert nodes["variable-2"].label == f"e\n{name} of 2"
    builder = lg.FactorGraphBuilder()
    builder.add_variable("a", 2)
    builder.add_variable("e", 3)
    builder.add_factor(["a"], ["0.5", "0.5"])
    builder.add_noisy_max("e", {"a": [["1", "0", "0"], ["0.2", "0.3", "0.5"]]})
    nodes = variables(lg.draw(builder.build()).scene)
    assert nodes["variable-1"].label == "e\nnoisy-MAX of 1"
