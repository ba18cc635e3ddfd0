"""The outline of an elimination: what each step makes, from what, and how large it is."""

from __future__ import annotations

from collections.abc import Callable

from liftgraph.inference.ground.steps import Plan as Steps
from liftgraph.model.plans import Operation

Name = Callable[[int], str]


def elimination_outline(steps: Steps, name: Name) -> list[Operation]:
    """The given tables and the steps of plain elimination. ``name``: what a variable is called."""
    operations = [
        Operation(axes=tuple(map(name, steps.scopes[tensor])), entries=steps.entries[tensor])
        for tensor in range(steps.given)
    ]
    add_elimination(operations, steps, name, [(tensor,) for tensor in range(steps.given)])
    return operations


def add_elimination(
    operations: list[Operation], steps: Steps, name: Name, sources: list[tuple[int, ...]]
) -> None:
    """Add the steps of plain elimination to an outline.

    ``sources``: the operations that make each given tensor, by their indices. Multiplications
    that nothing is summed out of belong to the step they are for.
    """
    made_by = list(sources)
    for tensor, step in enumerate(steps.steps, steps.given):
        operands = tuple(dict.fromkeys(i for operand in step.operands for i in made_by[operand]))
        if not step.eliminated and tensor != steps.root:
            made_by.append(operands)
            continue
        made_by.append((len(operations),))
        operations.append(
            Operation(
                () if step.eliminated else ("multiply",),
                tuple(map(name, step.eliminated)),
                tuple(map(name, steps.scopes[tensor])),
                steps.entries[tensor],
                operands,
            )
        )
