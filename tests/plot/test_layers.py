"""Acyclic graphs in layers: arrows go down, none passes through a node, and they are short."""

from __future__ import annotations

from itertools import combinations, pairwise, product

from hypothesis import given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.plot.arrows import Arrow, arrow_of, covers
from liftgraph.plot.layout.crossings import crossing_count, ordered
from liftgraph.plot.layout.layering import layering
from liftgraph.plot.layout.routes import Band, crosses, route
from liftgraph.plot.layout.top_down import compact, top_down
from liftgraph.plot.scene import Box, Edge, Node, Point, Scene
from tests.plot.test_layouts import overlapping
from tests.strategies import factor_graphs

Arrows = list[tuple[int, int]]


@st.composite
def acyclic(draw: st.DrawFn, most: int = 14) -> tuple[int, Arrows]:
    """How many nodes there are, and arrows between them, in any order."""
    names = draw(st.permutations(range(draw(st.integers(1, most)))))
    pairs = list(combinations(range(len(names)), 2))
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=24)) if pairs else []
    return len(names), [(names[parent], names[child]) for parent, child in chosen]


@st.composite
def connected(draw: st.DrawFn, most: int) -> tuple[int, Arrows]:
    """An acyclic graph in which each node but the first meets one before it."""
    node_count, arrows = draw(acyclic(most))
    order = {node: rank for rank, node in enumerate(_sorted(node_count, arrows))}
    sorted_nodes = sorted(order, key=lambda node: order[node])
    links = [
        (sorted_nodes[draw(st.integers(0, n - 1))], sorted_nodes[n]) for n in range(1, len(order))
    ]
    return node_count, list(dict.fromkeys([*arrows, *links]))


def _sorted(node_count: int, arrows: Arrows) -> list[int]:
    """Parents before children, the naive way."""
    order: list[int] = []
    while len(order) < node_count:
        order += [
            node
            for node in range(node_count)
            if node not in order and all(p in order for p, child in arrows if child == node)
        ][:1]
    return order


@given(connected(5))
def test_arrows_are_as_short_in_total_as_can_be(graph: tuple[int, Arrows]) -> None:
    node_count, arrows = graph

    def length(layers: tuple[int, ...] | list[int]) -> int:
        return sum(layers[child] - layers[parent] for parent, child in arrows)

    layers = layering(node_count, arrows)
    assert min(layers) == 0
    assert all(layers[parent] < layers[child] for parent, child in arrows)
    possible = (
        rows
        for rows in product(range(node_count), repeat=node_count)
        if all(rows[parent] < rows[child] for parent, child in arrows)
    )
    assert length(layers) == min(map(length, possible))


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), unique=True))
def test_crossings_are_counted_and_never_become_more(links: Arrows) -> None:
    layers = [list(range(6)), list(range(6, 12))]
    below = {node: [b + 6 for a, b in links if a == node] for node in range(12)}
    above = {node: [a for a, b in links if b + 6 == node] for node in range(12)}
    crossed = sum((a - c) * (b - d) < 0 for (a, b), (c, d) in combinations(links, 2))
    assert crossing_count(layers, below) == crossed
    order = ordered(layers, above, below)
    assert [sorted(layer) for layer in order] == layers
    assert crossing_count(order, below) <= crossed


@given(st.integers(300, 900), st.booleans(), st.integers(20, 90))
def test_a_bent_arrow_meets_its_nodes_on_the_sides_that_face_each_other(
    distance: int, mirrored: bool, width: int
) -> None:
    def box(centre: float, top: float, breadth: float) -> Box:
        return centre - breadth / 2, top, centre + breadth / 2, top + 20

    parent = -distance if mirrored else distance
    obstacles = [box(parent / 2, top, distance - 120) for top in (0, 60)]
    upper = Band(0, 0, 20, (box(parent, 0, width), obstacles[0]))
    lower = Band(1, 60, 80, (box(0, 60, width), obstacles[1]))
    bends = route([(parent, upper), (0, lower)], [upper, lower])
    side = -1 if mirrored else 1
    assert 0 < side * bends[-1][0] < width / 2
    assert 0 < side * (parent - bends[0][0]) < width / 2
    path = [(float(parent), 10.0), *bends, (0.0, 70.0)]
    assert not any(crosses(*step, other) for step in pairwise(path) for other in obstacles)


def scene_of(node_count: int, arrows: Arrows, sizes: list[Point]) -> Scene:
    nodes = [Node(f"node-{n}", "panel", size=sizes[n % len(sizes)]) for n in range(node_count)]
    edges = [Edge(f"node-{parent}", f"node-{child}", arrow=True) for parent, child in arrows]
    return Scene(tuple(nodes), tuple(edges))


def points_of(arrow: Arrow, steps: int = 12) -> list[Point]:
    """Many points on an arrow, from its tail to its tip."""
    points = [arrow.start]
    for bend in arrow.bends:
        points += _line(points[-1], bend.start, steps)
        for step in range(steps + 1):
            t = step / steps
            first, second = (_mixed(bend.start, bend.corner, t), _mixed(bend.corner, bend.end, t))
            points.append(_mixed(first, second, t))
    return [*points, *_line(points[-1], arrow.end, 4 * steps), arrow.head[0]]


def _line(start: Point, end: Point, steps: int) -> list[Point]:
    return [_mixed(start, end, step / steps) for step in range(steps + 1)]


def _mixed(start: Point, end: Point, share: float) -> Point:
    return start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])


def assert_clear(scene: Scene) -> None:
    """No arrow passes through a node that is not one of its ends."""
    nodes = {node.id: node for node in scene.nodes}
    for edge in scene.edges:
        points = points_of(arrow_of(edge, nodes[edge.first], nodes[edge.second]))
        others = [node for name, node in nodes.items() if name not in (edge.first, edge.second)]
        assert not any(covers(node, point) for node in others for point in points)


SIZES = st.lists(st.tuples(st.floats(9, 200), st.floats(9, 90)), min_size=1, max_size=4)


@given(acyclic(), SIZES)
def test_arrows_go_down_around_nodes(graph: tuple[int, Arrows], sizes: list[Point]) -> None:
    node_count, arrows = graph
    scene = top_down(scene_of(node_count, arrows, sizes))
    nodes = {node.id: node for node in scene.nodes}
    assert sorted(nodes) == sorted(f"node-{index}" for index in range(node_count))
    drawn = sorted((edge.first, edge.second) for edge in scene.edges)
    assert drawn == sorted((f"node-{parent}", f"node-{child}") for parent, child in arrows)
    assert overlapping(list(scene.nodes)) == []
    for edge in scene.edges:
        heights = [y for _, y in (nodes[edge.first].at, *edge.via, nodes[edge.second].at)]
        assert all(upper < lower for upper, lower in pairwise(heights))
    assert_clear(scene)


@given(acyclic(), SIZES)
def test_the_compact_way_is_one_of_two(graph: tuple[int, Arrows], sizes: list[Point]) -> None:
    scene = compact(scene_of(*graph, sizes))
    assert overlapping(list(scene.nodes)) == []
    assert_clear(scene)
    nodes = {node.id: node.at for node in scene.nodes}
    steps = [
        (nodes[edge.second][0] - nodes[edge.first][0], nodes[edge.second][1] - nodes[edge.first][1])
        for edge in scene.edges
    ]
    assert all(dx > 0 for dx, _ in steps) or all(dy > 0 for _, dy in steps)


def test_high_pictures_are_squeezed() -> None:
    """A ladder of sixty layers is as high as it must be, and arrows have room for their heads."""
    arrows = [(n, n + 2) for n in range(118)] + [(n, n + 1) for n in range(0, 118, 7)]
    scene = top_down(scene_of(120, arrows, [(20.0, 10.0)]))
    rows = sorted({node.at[1] for node in scene.nodes})
    gaps = [lower - upper - 10 for upper, lower in pairwise(rows)]
    assert 12 < min(gaps) <= max(gaps) < 25
    assert_clear(scene)


def test_small_components_stand_below_each_other_beside_a_large_one() -> None:
    arrows = [(n, n + 1) for n in range(9)]
    scene = top_down(scene_of(13, arrows, [(20.0, 20.0)]))
    assert len({node.at[0] for node in scene.nodes[10:]}) == 1
    assert overlapping(list(scene.nodes)) == []


def test_wide_layers_become_several_rows() -> None:
    scene = top_down(scene_of(61, [(0, child) for child in range(1, 61)], [(100.0, 20.0)]))
    rows = {round(node.at[1]) for node in scene.nodes}
    assert len(rows) > 3
    xs = [node.at[0] for node in scene.nodes]
    assert max(xs) - min(xs) < 60 * 100 / 2
    assert_clear(scene)


@given(factor_graphs())
def test_the_arrows_of_plans_go_around_boxes(graph: lg.FactorGraph) -> None:
    try:
        plan = graph.explain(method="ground")
    except lg.ZeroWeightError:
        return
    scene = lg.draw(plan).scene
    assert all(edge.arrow for edge in scene.edges)
    assert overlapping(list(scene.nodes)) == []
    assert_clear(scene)
