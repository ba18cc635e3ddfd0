"""The plan of an elimination as a tree: the table that each step makes, from which, how large."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from liftgraph.display import counted
from liftgraph.model.plans import Operation, Plan
from liftgraph.model.query import KINDS, title_of
from liftgraph.plot.layout.arrangement import measured
from liftgraph.plot.layout.top_down import compact
from liftgraph.plot.scene import Edge, Node, NodeKind, Scene
from liftgraph.plot.scenes.bars import size_bars
from liftgraph.plot.text import abbreviated

_MOST = 300  # tables and steps
_CROWD = 24  # from here on, tables stand in the labels of steps
_LISTED = 3  # names in a list
_LONGEST = 34  # characters of a name


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
        Edge(nodes[operand].id, node.id, arrow=True)
        for node, parts in zip(nodes, operands, strict=True)
        for operand in dict.fromkeys(parts)
    )
    return compact(Scene(tuple(nodes), edges, caption=f"{caption}, {counted(steps, 'step')}."))


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
