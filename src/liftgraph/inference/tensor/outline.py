"""The outline of an elimination: what each step makes, from what, and how large it is."""

from __future__ import annotations

from collections.abc import Callable

from liftgraph.inference.tensor.contraction_tree import ContractionTree
from liftgraph.model.plans import Operation

Name = Callable[[int], str]


def elimination_outline(tree: ContractionTree, name: Name) -> list[Operation]:
    """The given tables and the steps of plain elimination. ``name``: the name of a variable."""
    operations = [
        Operation(axes=tuple(map(name, tree.scopes[tensor])), entries=tree.entries[tensor])
        for tensor in range(tree.leaves)
    ]
    add_elimination(operations, tree, name, [(tensor,) for tensor in range(tree.leaves)])
    return operations


def add_elimination(
    operations: list[Operation], tree: ContractionTree, name: Name, sources: list[tuple[int, ...]]
) -> None:
    """Add the steps of plain elimination to an outline.

    ``sources``: the operations that make each given tensor, by their indices. Multiplications
    that sum nothing out belong to the step that uses their result.
    """
    made_by = list(sources)
    for tensor, step in enumerate(tree.steps, tree.leaves):
        operands = tuple(dict.fromkeys(i for operand in step.operands for i in made_by[operand]))
        if not step.eliminated and tensor != tree.root:
            made_by.append(operands)
            continue
        made_by.append((len(operations),))
        operations.append(
            Operation(
                () if step.eliminated else ("multiply",),
                tuple(map(name, step.eliminated)),
                tuple(map(name, tree.scopes[tensor])),
                tree.entries[tensor],
                operands,
            )
        )
