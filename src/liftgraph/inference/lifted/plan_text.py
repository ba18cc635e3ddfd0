"""A lifted plan, told to people."""

from __future__ import annotations

from collections import Counter

from liftgraph.display import format_count
from liftgraph.inference.lifted.compile import Compiled
from liftgraph.inference.lifted.shards import shard_name, term_name

_SHOWN = 20  # steps of a printed plan
_LISTED = 8  # variables eliminated after them


def domain_rows(compiled: Compiled) -> dict[str, str]:
    """Which domains are split, and which are ground and why."""
    shards = compiled.shattered.shards
    rows: dict[str, str] = {}
    for number, domain in enumerate(shards.model.domains):
        parts = [shards.parts.listed[part].size for part in shards.parts.by_domain[number]]
        if number in compiled.ground:
            reason = compiled.ground[number]
            rows[f"ground {domain.name}"] = f"{domain.size:,} individuals: {reason}"
        elif len(parts) > 1:
            sizes = Counter(sorted(parts, reverse=True)).items()
            listed = [f"{times:,} × {size:,}" for size, times in sizes]
            rows[f"split {domain.name}"] = f"into {len(parts):,} parts ({', '.join(listed[:6])})"
    return rows


def step_rows(compiled: Compiled) -> dict[str, str]:
    """The steps that get rid of logvars, and the order of what is left."""
    shards = compiled.shattered.shards
    rows = {}
    for number, step in enumerate(compiled.steps[:_SHOWN], 1):
        names = ", ".join(shard_name(shards, shard) for shard in step.shards)
        what = f"{step.operator} {names}".strip()
        made = f"{format_count(step.result.tensor.entries)} entries"
        axes = term_name(shards, step.result)
        rows[f"step {number}"] = f"{what}: φ({axes}), {made}" if axes else f"{what}: a number"
    if len(compiled.steps) > _SHOWN:
        rows["…"] = f"{len(compiled.steps) - _SHOWN:,} more steps"
    left = [(section, label) for section in compiled.sections for label in section.tree.order]
    order = [shard_name(shards, section.variables[label]) for section, label in left[:_LISTED]]
    more = [f"… ({len(left) - _LISTED:,} more)"] if len(left) > _LISTED else []
    return rows | {"then": ", ".join([*order, *more]) or "nothing is left to eliminate"}
