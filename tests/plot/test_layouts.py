"""Where things are: nothing covers a label, edges keep clear, and the same graph looks the same."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath

import liftgraph as lg
from liftgraph.plot.layout.layers import Key, heights
from liftgraph.plot.layout.layout import crossing, laid_out
from liftgraph.plot.layout.spacing import packed, without_overlaps
from liftgraph.plot.layout.stress import stress_layout
from liftgraph.plot.scenes.scene import Edge, Node, Scene, Text, extent, grid, measured, moved
from liftgraph.plot.text import lines, plain, shortened, width
from tests.strategies import factor_graphs


def overlapping(nodes: list[Node]) -> list[tuple[str, str]]:
    """Pairs of nodes whose boxes have a point in common, one by one."""
    found = []
    for a, b in combinations(nodes, 2):
        aside = abs(a.at[0] - b.at[0]) < (a.size[0] + b.size[0]) / 2
        above = abs(a.at[1] - b.at[1]) < (a.size[1] + b.size[1]) / 2
        if aside and above:
            found.append((a.id, b.id))
    return found


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
    names = [Node(t.id, "bar", at=t.at, size=(width(t.text, 7.5), 7.5)) for t in scene.texts]
    assert overlapping([each for each in names if each.id.startswith("name")]) == []


@pytest.mark.parametrize("strong", [False, True])
@pytest.mark.parametrize("text", ["P(Variable_number_10)", "groups of variables", "HOD 0123456789"])
def test_texts_have_the_room_they_need(text: str, strong: bool) -> None:
    scene = Scene(texts=(Text("text", text * 12, (0.0, 0.0), strong=strong),))
    font = FontProperties(family="DejaVu Sans", weight="bold" if strong else "normal", size=7.5)
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


def test_grids_stand_upright() -> None:
    scene = lg.draw(lg.datasets.grid(4, 4)).scene
    nodes = {node.id: node for node in scene.nodes}
    along = np.abs([np.subtract(nodes[e.first].at, nodes[e.second].at) for e in scene.edges])
    assert (along.min(axis=1) < 0.5 * along.max(axis=1)).all()  # nearer to an axis than 27 degrees


def test_edges_keep_clear_of_other_nodes_where_that_is_easy() -> None:
    for graph in (lg.datasets.grid(1, 12), lg.datasets.grid(4, 4), lg.datasets.epid(2).ground()):
        scene = lg.draw(graph, summary=False).scene
        at = {node.id: node for node in scene.nodes}
        for edge in scene.edges:
            line = np.array([[at[edge.first].at, at[edge.second].at]])
            for node in scene.nodes:
                if node.id not in (edge.first, edge.second):
                    half = 0.7 * np.array(node.size) / 2
                    assert not crossing(line, np.array(node.at), half).any(), (edge, node)


def test_a_path_is_laid_out_in_its_order() -> None:
    edges = np.array(list(pairwise(range(9))))
    places = stress_layout(np.full((9, 2), 10.0), edges, np.zeros(8))
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
    found = packed(parts)
    corners = [(p.min(axis=0) - 6, p.max(axis=0) + 6) for p in found]
    for (low, high), (other_low, other_high) in combinations(corners, 2):
        assert ((high <= other_low) | (other_high <= low)).any()
    for (given_places, _), places in zip(parts, found, strict=True):
        assert np.allclose(places - places[0], given_places - given_places[0])


def test_things_in_lanes_keep_their_room_and_threads_pass_beside_them() -> None:
    lanes = [["a", "b"], ["c"], ["d"]]
    edges: list[tuple[Key, Key]] = [("a", "c"), ("b", "c"), ("c", "d"), ("b", "d")]
    found = heights(lanes, edges, dict.fromkeys("abcd", 20.0), dict.fromkeys("abcd", 0), 0.0)
    assert abs(found.nodes["a"] - found.nodes["b"]) >= 20
    assert list(found.threads) == [(3, 1)]
    assert abs(found.threads[3, 1] - found.nodes["c"]) >= (20 + 8) / 2


def test_blocks_stand_below_each_other_in_all_lanes() -> None:
    lanes = [["o"], ["b", "a"], ["B", "A"]]
    edges: list[tuple[Key, Key]] = [("o", "a"), ("o", "b"), ("a", "A"), ("b", "B"), ("o", "B")]
    blocks: dict[Key, int] = {"o": 0, "a": 1, "A": 1, "b": 2, "B": 2}
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
def test_lanes_move_things_no_more_than_needed(wanted: list[float]) -> None:
    """Against projected gradient descent on the same least squares problem."""
    from liftgraph.plot.layout.layers import _in_order

    keys = list(range(len(wanted)))
    places: dict[Key, float] = dict(enumerate(wanted))
    found = _in_order(keys, places, dict.fromkeys(places, 10.0), dict.fromkeys(places, 0))
    order = sorted(keys, key=lambda n: (wanted[n], n))
    assert all(found[b] - found[a] >= 10 - 1e-9 for a, b in pairwise(order))
    ours = sum((found[n] - wanted[n]) ** 2 for n in keys)
    for direction in np.random.default_rng(0).normal(size=(200, len(keys))):
        near = {n: found[n] + 1e-3 * step for n, step in zip(keys, direction, strict=True)}
        if all(near[b] - near[a] >= 10 for a, b in pairwise(order)):
            assert sum((near[n] - wanted[n]) ** 2 for n in keys) >= ours - 1e-9


def test_lines_meet_boxes_as_sampled_points_do() -> None:
    rng = np.random.default_rng(1)
    segments = rng.uniform(-3, 3, (300, 2, 2))
    half = np.array([1.0, 0.5])
    met = crossing(segments, np.zeros(2), half)
    share = np.linspace(0, 1, 400)[:, None]
    for (start, end), ours in zip(segments, met, strict=True):
        points = start + share * (end - start)
        sampled = (np.abs(points) <= half).all(axis=1).any()
        wider = (np.abs(points) <= half + 0.03).all(axis=1).any()
        assert sampled <= ours <= wider


def test_scenes_can_be_moved_and_put_side_by_side() -> None:
    scene = Scene((measured(Node("a", "variable", "A")),), caption="x")
    left, top, right, bottom = extent(scene)
    assert extent(moved(scene, (3.0, 4.0))) == (left + 3, top + 4, right + 3, bottom + 4)
    rows = grid([scene] * 5, 2)
    assert len({node.at for node in rows.nodes}) == 5
    assert len({node.at[1] for node in rows.nodes}) == 3


def test_parallel_edges_and_loops_of_parts_do_no_harm() -> None:
    nodes = tuple(Node(name, "variable", name) for name in "abc")
    scene = laid_out(Scene(nodes, (Edge("a", "b"), Edge("a", "b"))))
    assert overlapping(list(scene.nodes)) == []


@given(st.text(min_size=1))
def test_any_text_can_be_shown(text: str) -> None:
    shown = shortened(text)
    assert len(shown) <= 26
    assert width(shown) >= 0
    assert plain(plain(text)) == plain(text)
    assert "\n" not in shown
    assert "".join(lines(plain(text), 50.0)).replace(" ", "") == plain(text).replace(" ", "")
