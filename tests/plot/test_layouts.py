"""Layouts: nothing covers a label, edges keep clear, and the same graph looks the same."""

from __future__ import annotations

import re
from itertools import combinations, pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath

import liftgraph as lg
from liftgraph.plot.layout.arrangement import extent, grid, measured, moved
from liftgraph.plot.layout.graph_layout import laid_out
from liftgraph.plot.layout.lanes import Item, heights, kept_apart
from liftgraph.plot.layout.name_labels import crossing
from liftgraph.plot.layout.spacing import packed, without_overlaps
from liftgraph.plot.layout.stress import stress_layout
from liftgraph.plot.scene import Edge, Node, Scene, Text
from liftgraph.plot.text import abbreviated, plain, text_width, wrapped
from tests.strategies import factor_graphs

SVG = "{http://www.w3.org/2000/svg}"


def overlapping(nodes: list[Node]) -> list[tuple[str, str]]:
    """Pairs of nodes whose boxes have a point in common, one by one."""
    pairs = []
    for a, b in combinations(nodes, 2):
        horizontally = abs(a.at[0] - b.at[0]) < (a.size[0] + b.size[0]) / 2
        vertically = abs(a.at[1] - b.at[1]) < (a.size[1] + b.size[1]) / 2
        if horizontally and vertically:
            pairs.append((a.id, b.id))
    return pairs


@given(factor_graphs())
@settings(max_examples=25, deadline=None)
def test_no_node_covers_another(graph: lg.FactorGraph) -> None:
    nodes = list(lg.draw(graph, summary=False).scene.nodes)
    assert overlapping(nodes) == []  # legends included


@pytest.mark.parametrize("name", ["grid", "smokers", "random", "alone"])
def test_labels_are_free_in_graphs_of_fifty_nodes(name: str) -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables([f"Station_{n}.temperature" for n in range(25)])
    if name == "random":
        rng = np.random.default_rng(0)
        for _ in range(25):
            builder.add_factor(rng.choice(25, 2, replace=False).tolist(), [1, 2, 3, 4])
    graph = builder.build()
    if name == "grid":
        graph = lg.datasets.grid(4, 5)
    if name == "smokers":
        graph = lg.datasets.smokers(5).ground()
    scene = lg.draw(graph, factor_names=True).scene
    assert overlapping(list(scene.nodes)) == []


def pairwise_factors(count: int, pairs: list[tuple[int, int]], kinds: int) -> lg.FactorGraph:
    """A graph with a factor for each pair of variables; every ``kinds``th has the same table."""
    builder = lg.FactorGraphBuilder()
    builder.add_variables([f"Station_{n}.temperature" for n in range(count)])
    for index, (first, second) in enumerate(pairs):
        builder.add_factor([first, second], [1, 2, 3, 4 + index % kinds])
    return builder.build()


def sparse_graph(seed: int) -> lg.FactorGraph:
    """Two copies of a random graph, so that every group has two members and a number."""
    ends = np.random.default_rng(seed).integers(0, [16, 15], (21, 2)).tolist()
    half = [(first, second + (second >= first)) for first, second in ends]
    pairs = [(first + copy, second + copy) for copy in (0, 16) for first, second in half]
    return pairwise_factors(32, pairs, len(half))


def drawn_boxes(picture: lg.Picture) -> dict[str, Node]:
    """What the shapes and the letters of the file cover, by their ids."""
    boxes = {}
    for group in ElementTree.fromstring(picture.svg).iter(f"{SVG}g"):
        name = group.attrib.get("id", "")
        if re.match(r"(variable|factor|label|badge|disc)-", name):
            shape = next(part for part in group if part.tag != f"{SVG}title")
            if shape.tag == f"{SVG}text":
                size = float(shape.attrib["style"].split("px")[0].split()[-1])
                font = FontProperties(family="DejaVu Sans", size=size)
                extents = TextPath((0, 0), shape.text or "", prop=font).get_extents()
                middle, baseline = float(shape.attrib["x"]), float(shape.attrib["y"])
                at = middle, baseline - (extents.y0 + extents.y1) / 2
                boxes[name] = Node(name, "bar", at=at, size=(extents.width, extents.height))
            else:
                points = np.array(re.findall(r"[-\d.]+", shape.attrib["d"]), float).reshape(-1, 2)
                x, y = ((points.min(axis=0) + points.max(axis=0)) / 2).tolist()
                width, height = np.ptp(points, axis=0).tolist()
                boxes[name] = Node(name, "bar", at=(x, y), size=(width, height))
    return boxes


@pytest.mark.parametrize(
    "graph",
    [
        lg.datasets.plates(lg.datasets.epidemic(), 5, ["Epid"]).ground(),
        *map(sparse_graph, range(4)),
        pairwise_factors(38, [((n - 1) // 2, n) for n in range(1, 38)], 2),
        lg.datasets.grid(5, 6),
    ],
    ids=["epidemic", "sparse-0", "sparse-1", "sparse-2", "sparse-3", "tree", "grid"],
)
def test_no_name_is_covered_in_graphs_of_seventy_five_nodes(graph: lg.FactorGraph) -> None:
    picture = lg.draw(graph)
    boxes = drawn_boxes(picture)
    nodes = {n.id: boxes[n.id] for n in picture.scene.nodes if not n.id.startswith("legend")}
    assert len(nodes) == graph.variable_count + graph.factor_count
    assert overlapping([*nodes.values()]) == []
    for name, node in nodes.items():
        room = np.subtract(node.size, boxes[f"label-{name}"].size) / 2
        aside = np.abs(np.subtract(node.at, boxes[f"label-{name}"].at))
        assert (room - aside > 1).all()
    numbers = [box for name, box in boxes.items() if name.startswith("disc")]
    names = [boxes[f"label-{name}"] for name in nodes]
    assert overlapping([*names, *numbers]) == []


@pytest.mark.parametrize("bold", [False, True])
@pytest.mark.parametrize("text", ["P(Variable_number_10)", "groups of variables", "HOD 0123456789"])
def test_texts_have_the_room_they_need(text: str, bold: bool) -> None:
    scene = Scene(texts=(Text("text", text * 12, (0.0, 0.0), bold=bold),))
    font = FontProperties(family="DejaVu Sans", weight="bold" if bold else "normal", size=7.5)
    needed = TextPath((0, 0), text * 12, prop=font).get_extents().width
    left, _, right, _ = extent(scene)
    assert needed <= right - left < 1.3 * needed


def test_long_chains_are_folded() -> None:
    scene = lg.draw(lg.datasets.grid(1, 50)).scene
    left, top, right, bottom = extent(scene)
    assert right - left < 1200  # instead of 5,000 points
    assert right - left < 4 * (bottom - top)
    assert overlapping(list(scene.nodes)) == []
    nodes = {node.id: node for node in scene.nodes}
    steps = [
        np.hypot(*np.subtract(nodes[edge.first].at, nodes[edge.second].at)) for edge in scene.edges
    ]
    assert max(steps) < 3 * np.median(steps)  # neighbours stay close


@pytest.mark.parametrize(("rows", "columns"), [(1, 8), (3, 3), (4, 5), (7, 7), (12, 11), (1, 80)])
def test_chains_and_grids_are_drawn_with_straight_lines(rows: int, columns: int) -> None:
    scene = lg.draw(lg.datasets.grid(rows, columns), summary=False).scene
    nodes = {node.id: node for node in scene.nodes}
    along = np.abs(
        [np.subtract(nodes[edge.first].at, nodes[edge.second].at) for edge in scene.edges]
    )
    assert (along.min(axis=1) < 0.01).all()
    for axis in range(2):
        lengths = along[along[:, axis] > 1, axis]
        assert not len(lengths) or lengths.max() < 1.01 * lengths.min()


@pytest.mark.parametrize("size", [(20, 20), (19, 19), (18, 12), (30, 30)])
def test_quotients_of_grids_are_drawn_with_straight_lines(size: tuple[int, int]) -> None:
    scene = lg.draw(lg.datasets.grid(*size), summary=True).scene
    at = {node.id: np.array(node.at) for node in scene.nodes}
    along = np.abs([at[edge.second] - at[edge.first] for edge in scene.edges])
    assert (along.min(axis=1) < 0.01).all()
    assert along.max() < 1.01 * along.max(axis=1).min()
    assert overlapping(list(scene.nodes)) == []


def test_what_belongs_to_a_person_stands_together() -> None:
    scene = lg.draw(lg.datasets.epid(8).ground()).scene
    at = {node.label: np.array(node.at) for node in scene.nodes if node.kind == "variable"}
    angles = {name: np.arctan2(*(place - at["Epid"])) for name, place in at.items() if "." in name}
    people = [name.split(".")[1] for name in sorted(angles, key=lambda name: float(angles[name]))]
    changes = sum(
        person != after for person, after in zip(people, people[1:] + people[:1], strict=True)
    )
    assert changes == 8  # around the hub, one person after the other


def test_neighbours_of_a_hub_stand_around_it_at_one_distance() -> None:
    edges = np.array([(0, leaf) for leaf in range(1, 31)])
    places = stress_layout(np.full((31, 2), 10.0), edges, np.full(30, 20.0))
    distances = np.hypot(*(places[1:] - places[0]).T)
    assert distances.max() < 1.05 * distances.min()


def test_edges_of_folded_ladders_turn_outside_of_the_rows() -> None:
    scene = lg.draw(lg.datasets.grid(2, 30), summary=False).scene
    bent = [edge for edge in scene.edges if edge.via]
    assert len(bent) % 2 == 0  # both rails turn
    assert bent
    for edge in bent:
        turn = np.array([edge.via])
        for node in scene.nodes:
            assert not crossing(turn, np.array(node.at), np.array(node.size) / 2).any()


def test_edges_keep_clear_of_other_nodes_where_that_is_easy() -> None:
    for graph in (lg.datasets.grid(1, 12), lg.datasets.grid(4, 4), lg.datasets.epid(2).ground()):
        scene = lg.draw(graph, summary=False).scene
        nodes = {node.id: node for node in scene.nodes}
        for edge in scene.edges:
            segment = np.array([[nodes[edge.first].at, nodes[edge.second].at]])
            for node in scene.nodes:
                if node.id not in (edge.first, edge.second):
                    half = 0.7 * np.array(node.size) / 2
                    assert not crossing(segment, np.array(node.at), half).any(), (edge, node)


def test_a_path_is_laid_out_in_its_order() -> None:
    edges = np.array(list(pairwise(range(9))))
    places = stress_layout(np.full((9, 2), 10.0), edges, np.full(8, 20.0))
    steps = np.diff(places[:, 0])
    assert (steps > 0).all() or (steps < 0).all()
    assert np.allclose(np.abs(steps), np.abs(steps).mean(), rtol=0.05)


def test_the_same_graph_is_drawn_the_same() -> None:
    graph = lg.datasets.smokers(4).ground()
    assert lg.draw(graph).svg == lg.draw(graph).svg
    assert lg.draw(graph).png == lg.draw(graph).png


@given(st.integers(1, 12), st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_crowds_are_spread(count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.uniform(5, 80, (count, 2))
    places = rng.uniform(0, 30, (count, 2)) * rng.integers(0, 2)  # all at one place, often
    spread = without_overlaps(places, sizes)
    boxes = zip(spread.tolist(), sizes.tolist(), strict=True)
    nodes = [
        Node(str(n), "bar", at=(x, y), size=(w, h)) for n, ((x, y), (w, h)) in enumerate(boxes)
    ]
    assert overlapping(nodes) == []


def test_parts_are_packed_apart() -> None:
    rng = np.random.default_rng(0)
    parts = [(rng.uniform(0, 200, (n, 2)), np.full((n, 2), 12.0)) for n in (5, 1, 1, 3)]
    moved_parts = packed(parts)
    corners = [(places.min(axis=0) - 6, places.max(axis=0) + 6) for places in moved_parts]
    for (low, high), (other_low, other_high) in combinations(corners, 2):
        assert ((high <= other_low) | (other_high <= low)).any()
    for (places_before, _), places in zip(parts, moved_parts, strict=True):
        assert np.allclose(places - places[0], places_before - places_before[0])


def test_nodes_in_lanes_keep_their_room_and_threads_pass_beside_them() -> None:
    lanes = [["a", "b"], ["c"], ["d"]]
    edges: list[tuple[Item, Item]] = [("a", "c"), ("b", "c"), ("c", "d"), ("b", "d")]
    y = heights(lanes, edges, dict.fromkeys("abcd", 20.0), dict.fromkeys("abcd", 0), 0.0)
    assert abs(y.nodes["a"] - y.nodes["b"]) >= 20
    assert list(y.threads) == [(3, 1)]
    assert abs(y.threads[3, 1] - y.nodes["c"]) >= (20 + 8) / 2


def test_blocks_stand_below_each_other_in_all_lanes() -> None:
    lanes = [["o"], ["b", "a"], ["B", "A"]]
    edges: list[tuple[Item, Item]] = [("o", "a"), ("o", "b"), ("a", "A"), ("b", "B"), ("o", "B")]
    blocks: dict[Item, int] = {"o": 0, "a": 1, "A": 1, "b": 2, "B": 2}
    y = heights(lanes, edges, dict.fromkeys("oabAB", 20.0), blocks, 50.0).nodes
    assert min(y["b"], y["B"]) - max(y["a"], y["A"]) >= 50 + 20
    assert min(y["a"], y["A"]) < y["o"] < max(y["b"], y["B"])
    passing = heights(
        [["p"], ["o"], ["a"]],
        [("p", "o"), ("p", "a")],
        dict.fromkeys("poa", 20.0),
        {"p": 0, "o": 0, "a": 1},
        50.0,
    )
    assert abs(passing.threads[1, 1] - passing.nodes["o"]) >= (20 + 8) / 2


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=6))
@settings(max_examples=30, deadline=None)
def test_lanes_move_nodes_no_more_than_needed(wanted: list[float]) -> None:
    """No small step from the least squares solution is allowed and better."""
    keys = list(range(len(wanted)))
    places: dict[Item, float] = dict(enumerate(wanted))
    y = kept_apart(keys, places, dict.fromkeys(places, 10.0), dict.fromkeys(places, 0))
    order = sorted(keys, key=lambda key: (wanted[key], key))
    assert all(y[below] - y[above] >= 10 - 1e-9 for above, below in pairwise(order))
    error = sum((y[key] - wanted[key]) ** 2 for key in keys)
    for direction in np.random.default_rng(0).normal(size=(200, len(keys))):
        near = {key: y[key] + 1e-3 * step for key, step in zip(keys, direction, strict=True)}
        if all(near[below] - near[above] >= 10 for above, below in pairwise(order)):
            assert sum((near[key] - wanted[key]) ** 2 for key in keys) >= error - 1e-9


def test_segments_meet_boxes_as_sampled_points_do() -> None:
    rng = np.random.default_rng(1)
    segments = rng.uniform(-3, 3, (300, 2, 2))
    half = np.array([1.0, 0.5])
    crossed = crossing(segments, np.zeros(2), half)
    share = np.linspace(0, 1, 400)[:, None]
    for (start, end), meets in zip(segments, crossed, strict=True):
        points = start + share * (end - start)
        sampled = (np.abs(points) <= half).all(axis=1).any()
        wider = (np.abs(points) <= half + 0.03).all(axis=1).any()
        assert sampled <= meets <= wider


def test_scenes_can_be_moved_and_put_side_by_side() -> None:
    scene = Scene((measured(Node("a", "variable", "A")),), caption="x")
    left, top, right, bottom = extent(scene)
    assert extent(moved(scene, (3.0, 4.0))) == (left + 3, top + 4, right + 3, bottom + 4)
    rows = grid([scene] * 5, 2)
    assert len({node.at for node in rows.nodes}) == 5
    assert len({node.at[1] for node in rows.nodes}) == 3


def test_parallel_edges_and_lonely_nodes_do_no_harm() -> None:
    nodes = tuple(Node(name, "variable", name) for name in "abc")
    scene = laid_out(Scene(nodes, (Edge("a", "b"), Edge("a", "b"))))
    assert overlapping(list(scene.nodes)) == []


@given(st.text(min_size=1))
def test_any_text_can_be_shown(text: str) -> None:
    shown = abbreviated(text)
    assert len(shown) <= 26
    assert text_width(shown) >= 0
    assert plain(plain(text)) == plain(text)
    assert "\n" not in shown
    lines = wrapped(plain(text), 50.0)
    assert "".join(lines).replace(" ", "") == plain(text).replace(" ", "")
