"""Colour passing one factor and one variable at a time, for rounds in which little changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from liftgraph.symmetry.grouping import Colours
from liftgraph.symmetry.incidence import Incidence

Parts = dict[tuple[int, Any], list[int]]
Record = Callable[[list[int], list[int]], None]


def small_rounds(
    incidence: Incidence,
    variables: Colours,
    factors: Colours,
    changed: list[int],
    limit: int,
    record: Record | None,
) -> tuple[int, list[int]]:
    """Rounds that start from these variables with new colours, while these have few edges.

    Precondition: no exchanges among the symmetries. Returns how many rounds there were and the
    variables with new colours after the last; none if its grouping was that of the round before.
    """
    start, arguments = incidence.start.data, incidence.arguments.data
    factor_start, neighbours = incidence.factor_start.data, incidence.factors.data
    colour, factor_colour, kind_of = variables.of.data, factors.of.data, incidence.kind_of.data
    together = [kind.together for kind in incidence.kinds]
    labels = [kind.labels.tolist() for kind in incidence.kinds]
    rounds = 0
    while sum(factor_start[v + 1] - factor_start[v] for v in changed) <= limit:
        rounds += 1
        groups = variables.groups + factors.groups
        parts: Parts = {}
        touched = {f for v in changed for f in neighbours[factor_start[v] : factor_start[v + 1]]}
        for f in touched:
            row = [colour[v] for v in arguments[start[f] : start[f + 1]]]
            for positions in together[kind_of[f]]:
                for place, entry in zip(positions, sorted(row[p] for p in positions), strict=True):
                    row[place] = entry
            parts.setdefault((factor_colour[f], tuple(row)), []).append(f)
        speakers = _split(factors, factor_colour, parts)
        heard: dict[int, Counter[tuple[int, int]]] = {}
        for f in speakers:
            said = factor_colour[f]
            for v, label in zip(
                arguments[start[f] : start[f + 1]], labels[kind_of[f]], strict=True
            ):
                heard.setdefault(v, Counter())[said, label] += 1
        parts = {}
        for v, words in heard.items():
            parts.setdefault((colour[v], tuple(sorted(words.items()))), []).append(v)
        changed = _split(variables, colour, parts)
        if record:
            record(speakers, changed)
        if variables.groups + factors.groups == groups:
            return rounds, []
    return rounds, changed


def _split(colours: Colours, of: memoryview, parts: Parts) -> list[int]:
    """Give new colours to parts as ``grouping.split`` does; the members that got one."""
    families: dict[int, list[list[int]]] = {}
    for old, signature in sorted(parts):
        families.setdefault(old, []).append(parts[old, signature])
    changed: list[int] = []
    for old, family in families.items():
        whole = sum(map(len, family)) == colours.size[old]
        keeping = max(family, key=len) if whole else []
        for part in family:
            if part is keeping:
                continue
            for member in part:
                of[member] = colours.used
            colours.size[colours.used] = len(part)
            colours.size[old] -= len(part)
            colours.used += 1
            changed += part
        colours.groups += len(family) - whole
    return changed
