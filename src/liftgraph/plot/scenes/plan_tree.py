"""The plan of an elimination as a tree: the table that each step makes, from which, how large."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from liftgraph.display import counted
from liftgraph.model.plans import Operation, Plan
from liftgraph.model.query import KINDS, title_of
from liftgraph.plot.layout.arrangement import measured
from liftgraph.plot.scene import Edge, Node, NodeKind, Scene
from liftgraph.plot.scenes.bars import size_bars
from liftgraph.plot.text import abbreviated

_MOST = 300  # tables and steps
_CROWD = 24  # from here on, tables stand in the labels of steps
_LISTED = 3  # names in a list
_LONGEST = 34  # characters of a name
_BETWEEN, _NEXT = 26.0, 10.0  # points between generations, and between siblings


def plan_scene(plan: Plan) -> Scene:
    """The tree of a plan; if it is too large, how large the tables are."""
    operations = list(plan.outline)
    tables = sum(not (operation.operands or operation.operators) for operation in operations)
    steps = sum(bool(operation.operands) for operation in operations)
    answer = title_of(plan.query, [abbreviated(name) for name in plan.names])
    verb = "are" if KINDS[plan.query.kind].plural else "is"
    caption = f"How {answer} {verb} computed, {plan.method}: from {counted(tables, 'table')}"
    if len(operations) > _MOST:
        results = [operation.entries for operation in operations if operation.operands]
        told = "This is too much to draw: the bars say how many entries the results of steps have."
        bars = size_bars("steps", results, "results of steps")
        return replace(bars, caption=f"{caption}, {counted(len(results), 'step')}. {told}")
    nodes, operands = _nodes(operations, answer)
    edges = tuple(
        Edge(nodes[operand].id, node.id)
        for node, parts in zip(nodes, operands, strict=True)
        for operand in parts
    )
    return Scene(
        tuple(tree_layout(nodes, operands)), edges, caption=f"{caption}, {counted(steps, 'step')}."
    )


def _nodes(
    operations: Sequence[Operation], answer: str
) -> tuple[list[Node], list[tuple[int, ...]]]:
    """A node for each operation and the answer, and the nodes that each is made from.

    In a crowd, tables are named in the labels of the steps that use them.
    """
    crowd = len(operations) >= _CROWD
    shown = [i for i, operation in enumerate(operations) if operation.operands or not crowd]
    place = {operation: node for node, operation in enumerate(shown)}
    used = {operand for operation in operations for operand in operation.operands}
    nodes, parts = [], []
    for node, index in enumerate(shown):
        operation = operations[index]
        hidden = [_table(operations[o]) for o in operation.operands if o not in place]
        kind: NodeKind = "step" if operation.operands else "table"
        nodes.append(measured(Node(f"operation-{node}", kind, _label(operation, hidden))))
        parts.append(tuple(place[o] for o in operation.operands if o in place))
    results = tuple(place[i] for i in shown if i not in used)
    nodes.append(measured(Node(f"operation-{len(shown)}", "answer", answer)))
    return nodes, [*parts, results]


def _label(operation: Operation, hidden: Sequence[str]) -> str:
    """What is done, the table that it makes and its size, and the tables that are not drawn."""
    count = operation.entries
    size = counted(count, "entry")
    result = (
        _table(operation) if count == 1 and not operation.axes else f"{_table(operation)}, {size}"
    )
    summed = [f"sum out {_listed(operation.eliminated)}"] if operation.eliminated else []
    what = ", ".join([*operation.operators, *summed]) if operation.operands else ""
    return "\n".join(filter(None, [what, result, f"with {_listed(hidden)}" if hidden else ""]))


def _table(operation: Operation) -> str:
    if operation.operators and not operation.operands:
        return operation.operators[0]
    return f"φ({_listed(operation.axes)})" if operation.axes else "a number"


def _listed(names: Sequence[str]) -> str:
    """The first names, and how many there are if there are more."""
    dots = [f"… ({len(names)})"] if len(names) > _LISTED else []
    return ", ".join([*(abbreviated(name, _LONGEST) for name in names[:_LISTED]), *dots])


def tree_layout(nodes: Sequence[Node], operands: Sequence[Sequence[int]]) -> list[Node]:
    """Nodes with places: each beside the middle of its operands, none above another.

    Precondition: operands come first, and the last node is the root. A node that several others use
    stands with the last of them. The root is at the right, or at the bottom if that way the
    longer side of the picture is shorter.
    """
    parent = {operand: node for node, parts in enumerate(operands) for operand in parts}
    children: list[list[int]] = [[] for _ in nodes]
    for node, above in sorted(parent.items()):
        children[above].append(node)
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
    """Places (breadth, depth) with the root deepest, and how much room they take in all.

    ``sizes``: those of each node in these two directions.
    """
    spans: list[float] = []
    for (broad, _), below in zip(sizes, children, strict=True):
        spans.append(max(broad + _NEXT, sum(spans[child] for child in below)))
    generation, start = [0] * len(sizes), [0.0] * len(sizes)
    for node in reversed(range(len(sizes))):
        inner = sum(spans[child] for child in children[node])
        at = start[node] + (spans[node] - inner) / 2
        for child in children[node]:
            generation[child], start[child] = generation[node] + 1, at
            at += spans[child]
    thick = [0.0] * (max(generation) + 1)
    for (_, deep), row in zip(sizes, generation, strict=True):
        thick[row] = max(thick[row], deep)
    depths, total = [], 0.0
    for thickness in thick:
        depths.append(-(total + thickness / 2))
        total += thickness + _BETWEEN
    places = [
        (start[node] + spans[node] / 2, depths[generation[node]]) for node in range(len(sizes))
    ]
    return places, (spans[-1], total)
