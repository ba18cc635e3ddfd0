"""Colour passing one factor and one variable at a time, for rounds in which little changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from liftgraph.symmetry.grouping import Colours
from liftgraph.symmetry.incidence import Incidence
from liftgraph.symmetry.refinement import multiset_hashes, row_hashes

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
    width = incidence.width
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
        base = factors.used
        speakers = _split(factors, factor_colour, parts, _row_hashes)
        heard: dict[int, Counter[int]] = {}
        for f in speakers:
            said = (factor_colour[f] - base) * width
            scope = arguments[start[f] : start[f + 1]]
            for v, label in zip(scope, labels[kind_of[f]], strict=True):
                heard.setdefault(v, Counter())[said + label] += 1
        parts = {}
        for v, words in heard.items():
            parts.setdefault((colour[v], tuple(sorted(words.items()))), []).append(v)
        changed = _split(variables, colour, parts, _multiset_hashes)
        if record:
            record(speakers, changed)
        if variables.groups + factors.groups == groups:
            return rounds, []
    return rounds, changed


def _split(
    colours: Colours, of: memoryview, parts: Parts, hashes: Callable[[list[Any]], list[int]]
) -> list[int]:
    """Give new colours to parts just as ``grouping.split`` does; the members that got one."""
    families: dict[int, list[Any]] = {}
    for old, signature in parts:
        families.setdefault(old, []).append(signature)
    changed: list[int] = []
    for old in sorted(families):
        signatures = families[old]
        if len(signatures) > 1:
            order = sorted(zip(hashes(signatures), signatures, strict=True))
            signatures = [signature for _, signature in order]
        family = [parts[old, signature] for signature in signatures]
        whole = bool(sum(map(len, family)) == colours.size[old])
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


def _row_hashes(rows: list[tuple[int, ...]]) -> list[int]:
    return list(row_hashes(np.array(rows, dtype=np.int32)).tolist())


def _multiset_hashes(signatures: list[tuple[tuple[int, int], ...]]) -> list[int]:
    pairs = np.array([pair for signature in signatures for pair in signature], dtype=np.intp)
    start = np.cumsum([0, *map(len, signatures[:-1])])
    return list(multiset_hashes(pairs[:, 0].astype(np.uint64), pairs[:, 1], start).tolist())
