"""What lifted elimination will do: in rows of text, and as operations for pictures."""

from __future__ import annotations

from collections import Counter

from liftgraph.display import counted, format_count
from liftgraph.inference.lifted.compile import Compiled
from liftgraph.inference.lifted.operators import ALIGN
from liftgraph.inference.lifted.shards import shard_name, term_name
from liftgraph.inference.lifted.terms import Term
from liftgraph.inference.tensor.contraction import MULTIPLY, SUM_OUT
from liftgraph.inference.tensor.outline import add_elimination
from liftgraph.inference.tensor.tensors import Multinomials, Tensor
from liftgraph.model.plans import Operation

_USUAL = {MULTIPLY, SUM_OUT, ALIGN}  # operators that are not worth a mention
_SHOWN = 20  # the most steps that a printed plan shows
_LISTED = 8  # the most variables it lists as eliminated after them


def domain_rows(compiled: Compiled) -> dict[str, str]:
    """Which domains are split, and which are ground and why."""
    shards = compiled.shattered.shards
    rows: dict[str, str] = {}
    for index, domain in enumerate(shards.model.domains):
        by_outer = shards.parts.by_domain[index]
        parts = [shards.parts.listed[part].size for parts in by_outer for part in parts]
        most, outer = max(map(len, by_outer)), shards.parts.nesting.outer[index]
        if index in compiled.ground:
            reason = compiled.ground[index]
            rows[f"ground {domain.name}"] = f"{counted(domain.size, 'individual')}: {reason}"
        elif most > 1:
            sizes = Counter(sorted(parts, reverse=True)).items()
            listed = [f"{times:,} × {format_count(size)}" for size, times in sizes]
            count = f"{most:,}" if outer is None else f"up to {most:,}"
            each = "" if outer is None else f" for each {shards.model.domains[outer].name}"
            rows[f"split {domain.name}"] = f"into {count} parts{each} ({', '.join(listed[:6])})"
    return rows


def step_rows(compiled: Compiled) -> dict[str, str]:
    """The steps that remove logvars, and the elimination order of what is left."""
    shards = compiled.shattered.shards
    rows = {}
    for position, step in enumerate(compiled.steps[:_SHOWN], 1):
        names = ", ".join(shard_name(shards, shard) for shard in step.shards)
        what = f"{step.operator} {names}".strip()
        size = counted(step.result.tensor.entries, "entry")
        axes = term_name(shards, step.result)
        rows[f"step {position}"] = f"{what}: φ({axes}), {size}" if axes else f"{what}: a number"
    if len(compiled.steps) > _SHOWN:
        rows["…"] = counted(len(compiled.steps) - _SHOWN, "more step")
    left = [(section, label) for section in compiled.sections for label in section.tree.order]
    order = [shard_name(shards, section.variables[label]) for section, label in left[:_LISTED]]
    more = [f"… ({len(left) - _LISTED:,} more)"] if len(left) > _LISTED else []
    return rows | {"then": ", ".join([*order, *more]) or "nothing is left to eliminate"}


def lifted_outline(compiled: Compiled) -> list[Operation]:
    """The terms of a model, the steps that remove logvars, and the elimination of the rest."""
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

    Given tensors, such as multinomial coefficients, are listed when they first occur.
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
