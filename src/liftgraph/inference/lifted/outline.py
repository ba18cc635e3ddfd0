"""The outline of lifted elimination: its tables and steps, for pictures."""

from __future__ import annotations

from liftgraph.inference.lifted.compile import Compiled
from liftgraph.inference.lifted.operators import ALIGN, MULTIPLY, SUM_OUT
from liftgraph.inference.lifted.shards import shard_name, term_name
from liftgraph.inference.lifted.terms import Term
from liftgraph.inference.tensor.outline import add_elimination
from liftgraph.inference.tensor.tensors import Multinomials, Tensor
from liftgraph.model.plans import Operation

_USUAL = {MULTIPLY, SUM_OUT, ALIGN}  # operators that go without saying


def lifted_outline(compiled: Compiled) -> list[Operation]:
    """The terms of a model, the steps that get rid of logvars, and the elimination of the rest."""
    shards = compiled.shattered.shards

    def axes(term: Term) -> tuple[str, ...]:
        return (term_name(shards, term),) if term.axes else ()

    operations: list[Operation] = []
    made_by: dict[Tensor, int] = {}
    for term in compiled.shattered.terms:
        made_by.setdefault(term.tensor, len(operations))
        operations.append(Operation(axes=axes(term), entries=term.tensor.entries))
    for step in compiled.steps:
        tensor = step.result.tensor
        operands, operators = _traced(tensor, operations, made_by)
        eliminated = tuple(shard_name(shards, shard) for shard in step.shards)
        made_by[tensor] = len(operations)
        operations.append(
            Operation(operators, eliminated, axes(step.result), tensor.entries, operands)
        )
    for section in compiled.sections:
        tables = section.tensors[: section.tree.leaves]
        sources = [_sources(tensor, operations, made_by) for tensor in tables]
        names = [shard_name(shards, shard) for shard in section.variables]
        add_elimination(operations, section.tree, names.__getitem__, sources)
    return operations


def _sources(
    tensor: Tensor, operations: list[Operation], made_by: dict[Tensor, int]
) -> tuple[int, ...]:
    if tensor in made_by:
        return (made_by[tensor],)
    return _traced(tensor, operations, made_by)[0]


def _traced(
    tensor: Tensor, operations: list[Operation], made_by: dict[Tensor, int]
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """The operations that a tensor is made from, and the operators in between, the last one last.

    What was there before, such as multinomial coefficients, is listed when it is first met.
    """
    operands: set[int] = set()
    operators: dict[str, None] = {}
    stack, seen = [tensor], set[Tensor]()
    while stack:
        part = stack.pop()
        if part in seen:
            continue
        seen.add(part)
        if part in made_by and part is not tensor:
            operands.add(made_by[part])
        elif part.operands:
            operators[part.operator] = None
            stack.extend(part.operands)
        else:
            made_by[part] = len(operations)
            operands.add(len(operations))
            constant = "multinomials" if isinstance(part, Multinomials) else "ones"
            operations.append(Operation((constant,), entries=part.entries))
    unusual = [operator for operator in operators if operator not in _USUAL]
    return tuple(sorted(operands)), tuple(unusual[::-1])
