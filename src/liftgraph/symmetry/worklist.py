"""Colour passing one factor and one variable at a time, for rounds in which little changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from liftgraph.symmetry.commutative import Positions
from liftgraph.symmetry.grouping import Colours
from liftgraph.symmetry.incidence import Incidence
from liftgraph.symmetry.refinement import multiset_hashes, row_hashes

Parts = dict[tuple[int, Any], list[int]]
Record = Callable[[list[int], list[int]], None]


@dataclass(frozen=True, slots=True)
class _Views:
    """The arrays as memoryviews, whose single entries are faster to read and to write."""

    start: memoryview
    arguments: memoryview
    kind_of: memoryview
    labels: list[list[int]]
    together: list[tuple[Positions, ...]]
    variable_colour: memoryview
    factor_colour: memoryview


def small_rounds(
    incidence: Incidence,
    variables: Colours,
    factors: Colours,
    changed: list[int],
    limit: int,
    most: int,
    record: Record | None,
) -> tuple[int, list[int]]:
    """Rounds that start from these variables with new colours, while these have few edges.

    Precondition: no exchanges among the symmetries. ``limit``: how many edges; ``most``: rounds.
    Returns how many rounds there were and the variables with new colours after the last; none if
    its grouping was that of the round before.
    """
    views = _Views(
        incidence.start.data,
        incidence.arguments.data,
        incidence.kind_of.data,
        [kind.labels.tolist() for kind in incidence.kinds],
        [kind.together for kind in incidence.kinds],
        variables.of.data,
        factors.of.data,
    )
    start, neighbours = incidence.factor_start.data, incidence.factors.data
    rounds = 0
    while rounds < most and sum(start[v + 1] - start[v] for v in changed) <= limit:
        rounds += 1
        groups, base = variables.groups + factors.groups, factors.used
        touched = {f for v in changed for f in neighbours[start[v] : start[v + 1]]}
        parts = _factor_parts(views, touched)
        speakers = _split(factors, views.factor_colour, parts, _row_hashes)
        parts = _variable_parts(views, speakers, base, incidence.width)
        changed = _split(variables, views.variable_colour, parts, _multiset_hashes)
        if record:
            record(speakers, changed)
        if variables.groups + factors.groups == groups:
            return rounds, []
    return rounds, changed


def _factor_parts(views: _Views, touched: Iterable[int]) -> Parts:
    """The factors by their colours and those of their arguments, in order where they commute."""
    parts: Parts = {}
    colour = views.variable_colour
    for f in touched:
        row = [colour[v] for v in views.arguments[views.start[f] : views.start[f + 1]]]
        for positions in views.together[views.kind_of[f]]:
            for position, entry in zip(positions, sorted(row[p] for p in positions), strict=True):
                row[position] = entry
        parts.setdefault((views.factor_colour[f], tuple(row)), []).append(f)
    return parts


def _variable_parts(views: _Views, speakers: list[int], base: int, width: int) -> Parts:
    """The variables by their colours and the counted words they hear."""
    heard: dict[int, Counter[int]] = {}
    for f in speakers:
        said = (views.factor_colour[f] - base) * width
        scope = views.arguments[views.start[f] : views.start[f + 1]]
        for v, label in zip(scope, views.labels[views.kind_of[f]], strict=True):
            heard.setdefault(v, Counter())[said + label] += 1
    parts: Parts = {}
    for v, words in heard.items():
        signature = tuple(sorted(words.items()))
        parts.setdefault((views.variable_colour[v], signature), []).append(v)
    return parts


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
