"""The plan of an elimination as a tree: what each step makes of which tables, and how large."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from liftgraph.display import format_count
from liftgraph.inference.ground.plan import GroundPlan
from liftgraph.inference.lifted.plan import LiftedPlan
from liftgraph.plot.layout.arrangement import measured
from liftgraph.plot.scene import Edge, Node, Scene
from liftgraph.plot.scenes.bars import size_bars
from liftgraph.plot.scenes.captions import counted
from liftgraph.plot.scenes.plan_operations import (
    Operation,
    answer,
    operations,
    sizes,
    without_tables,
)

_MOST = 300  # tables and steps
_CROWD = 24  # from here on, tables stand in the labels of steps
_BETWEEN, _NEXT = 26.0, 10.0  # points between generations, and between siblings


def plan_scene(plan: GroundPlan | LiftedPlan) -> Scene:
    """The tree of a plan; if it is too large, how large the tables are."""
    how = "lifted" if isinstance(plan, LiftedPlan) else "ground"
    tables, results = sizes(plan)
    are = "are" if plan.query.kind == "marginals" else "is"
    caption = f"How {answer(plan)} {are} computed, {how}: from {counted(tables, 'table')}"
    if tables + len(results) > _MOST:
        told = "This is too much to draw: the bars say how many entries the results of steps have."
        bars = size_bars("steps", results, "results of steps")
        return replace(bars, caption=f"{caption}, {counted(len(results), 'step')}. {told}")
    made = operations(plan)
    if len(made) > _CROWD:
        made = without_tables(made)
    nodes = [measured(_node(number, each)) for number, each in enumerate(made)]
    placed = tree_layout(nodes, [each.operands for each in made])
    edges = tuple(
        Edge(f"operation-{operand}", f"operation-{number}")
        for number, each in enumerate(made)
        for operand in each.operands
    )
    steps = sum(each.kind == "step" for each in made)
    return Scene(tuple(placed), edges, caption=f"{caption}, {counted(steps, 'step')}.")


def _node(number: int, operation: Operation) -> Node:
    return Node(f"operation-{number}", operation.kind, _label(operation))


def _label(operation: Operation) -> str:
    if operation.kind == "answer":
        return operation.what
    number = operation.entries
    size = f"{format_count(number)} entries" if number != 1 else "1 entry"
    told = f"{operation.scope}, {size}" if operation.scope else "a number"
    return "\n".join(filter(None, [operation.what, told, operation.taken]))


def tree_layout(nodes: Sequence[Node], operands: Sequence[Sequence[int]]) -> list[Node]:
    """Nodes with places: each beside the middle of its operands, none above another.

    Precondition: operands come first, and the last node is the root. What several nodes use
    stands with the last of them. The root is at the right, or at the bottom if that way the
    longer side of the picture is shorter.
    """
    parent = {operand: number for number, those in enumerate(operands) for operand in those}
    children: list[list[int]] = [[] for _ in nodes]
    for number, above in sorted(parent.items()):
        children[above].append(number)
    sizes = [node.size for node in nodes]
    across = _tree([(h, w) for w, h in sizes], children)
    down = _tree(sizes, children)
    if max(across[1]) <= max(down[1]):
        places = [(depth, breadth) for breadth, depth in across[0]]
    else:
        places = down[0]
    return [replace(node, at=at) for node, at in zip(nodes, places, strict=True)]


def _tree(
    sizes: Sequence[tuple[float, float]], children: Sequence[Sequence[int]]
) -> tuple[list[tuple[float, float]], tuple[float, float]]:
    """Places (breadth, depth) with the root deepest, and how much they take in all.

    ``sizes``: of each node in these two directions.
    """
    spans: list[float] = []
    for (broad, _), below in zip(sizes, children, strict=True):
        spans.append(max(broad + _NEXT, sum(spans[child] for child in below)))
    generation, start = [0] * len(sizes), [0.0] * len(sizes)
    for number in reversed(range(len(sizes))):
        inner = sum(spans[child] for child in children[number])
        at = start[number] + (spans[number] - inner) / 2
        for child in children[number]:
            generation[child], start[child] = generation[number] + 1, at
            at += spans[child]
    thick = [0.0] * (max(generation) + 1)
    for (_, deep), row in zip(sizes, generation, strict=True):
        thick[row] = max(thick[row], deep)
    depths, total = [], 0.0
    for each in thick:
        depths.append(-(total + each / 2))
        total += each + _BETWEEN
    places = [
        (start[number] + spans[number] / 2, depths[generation[number]])
        for number in range(len(sizes))
    ]
    return places, (spans[-1], total)
