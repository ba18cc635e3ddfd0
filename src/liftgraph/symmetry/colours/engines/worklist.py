"""Colour passing one factor and one variable at a time, for rounds in which little changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from liftgraph.symmetry.colours.engines.grouping import Colours, make_room
from liftgraph.symmetry.colours.engines.refinement import multiset_hashes, row_hashes
from liftgraph.symmetry.colours.incidence import Incidence, Kind
from liftgraph.symmetry.tables.commutative import Positions
from liftgraph.symmetry.tables.orbits import orbit_labels, smallest_images

Parts = dict[tuple[int, Any], list[int]]
Arrangement = Callable[[Positions], tuple[Positions, Sequence[int]]]
Record = Callable[[list[int], list[int]], None]


@dataclass(frozen=True, slots=True)
class _Views:
    """The arrays as memoryviews, whose single entries are faster to read and to write.

    ``arrangements``: for each kind the order of its arguments by their colours, and labels.
    """

    start: memoryview
    arguments: memoryview
    order: memoryview
    kind_of: memoryview
    exchanging: list[bool]
    together: list[tuple[Positions, ...]]
    arrangements: list[Arrangement]
    labels: list[list[int]]
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
) -> tuple[int, list[int], bool]:
    """Rounds that start from these variables with new colours, while these have few edges.

    ``limit``: how many edges; ``most``: how many rounds. Returns how many rounds there were, the
    variables with new colours after the last, and whether its grouping was that of the round
    before.
    """
    views = _views(incidence, variables, factors)
    start, neighbours = incidence.factor_start.data, incidence.factors.data
    rounds = 0
    while rounds < most and sum(start[v + 1] - start[v] for v in changed) <= limit:
        rounds += 1
        groups, base = variables.groups + factors.groups, factors.used
        touched = {f for v in changed for f in neighbours[start[v] : start[v + 1]]}
        labels: dict[int, Sequence[int]] = {}
        parts = _factor_parts(views, touched, labels)
        speakers = _split_factors(views, factors, parts)
        parts = _variable_parts(views, speakers, labels, base, incidence.width)
        changed = _split(variables, views.variable_colour, parts, _multiset_hashes)
        if record:
            record(speakers, changed)
        if variables.groups + factors.groups == groups:
            return rounds, changed, True
    return rounds, changed, False


def _views(incidence: Incidence, variables: Colours, factors: Colours) -> _Views:
    return _Views(
        incidence.start.data,
        incidence.arguments.data,
        incidence.order.data,
        incidence.kind_of.data,
        [bool(kind.symmetries.exchanges) for kind in incidence.kinds],
        [kind.together for kind in incidence.kinds],
        [_arrangement(kind) for kind in incidence.kinds],
        [kind.labels.tolist() for kind in incidence.kinds],
        variables.of.data,
        factors.of.data,
    )


def _arrangement(kind: Kind) -> Arrangement:
    """The order of the smallest image and the labels there, by how the entries of a row compare."""

    @cache
    def arranged(ranks: Positions) -> tuple[Positions, Sequence[int]]:
        images, orders = smallest_images(np.array([ranks]), kind.symmetries)
        return tuple(orders[0].tolist()), orbit_labels(images, kind.symmetries)[0].tolist()

    return arranged


def _factor_parts(views: _Views, touched: Iterable[int], labels: dict[int, Sequence[int]]) -> Parts:
    """The factors by their colours and those of their arguments, as ``factor_step`` has them.

    Factors with exchanges get their arguments rearranged, and labels of their own.
    """
    parts: Parts = {}
    start, arguments, colour = views.start, views.arguments, views.variable_colour
    for f in touched:
        kind = views.kind_of[f]
        row = [colour[v] for v in arguments[start[f] : start[f + 1]]]
        if views.exchanging[kind]:
            ranks = {entry: rank for rank, entry in enumerate(sorted(set(row)))}
            order, labels[f] = views.arrangements[kind](tuple(ranks[entry] for entry in row))
            _rearrange(views, start[f], order)
            row = [row[k] for k in order]
        for positions in views.together[kind]:
            for position, entry in zip(positions, sorted(row[p] for p in positions), strict=True):
                row[position] = entry
        parts.setdefault((views.factor_colour[f], tuple(row)), []).append(f)
    return parts


def _rearrange(views: _Views, start: int, order: Positions) -> None:
    """Put the arguments of the factor that starts here into this order."""
    for view in (views.arguments, views.order):
        entries = view[start : start + len(order)].tolist()
        for place, k in enumerate(order):
            view[start + place] = entries[k]


def _variable_parts(
    views: _Views, speakers: list[int], labels: dict[int, Sequence[int]], base: int, width: int
) -> Parts:
    """The variables by their colours and the counted words they hear."""
    heard: dict[int, dict[int, int]] = {}
    for f in speakers:
        said = (views.factor_colour[f] - base) * width
        scope = views.arguments[views.start[f] : views.start[f + 1]]
        names = labels[f] if f in labels else views.labels[views.kind_of[f]]
        for v, label in zip(scope, names, strict=True):
            words = heard.setdefault(v, {})
            words[said + label] = words.get(said + label, 0) + 1
    parts: Parts = {}
    for v, words in heard.items():
        signature = tuple(sorted(words.items()))
        parts.setdefault((views.variable_colour[v], signature), []).append(v)
    return parts


def _split_factors(views: _Views, factors: Colours, parts: Parts) -> list[int]:
    """Give new colours to factors, one kind after the other; those that got one."""
    if len(views.exchanging) == 1:
        return _split(factors, views.factor_colour, parts, _row_hashes, views.exchanging[0])
    by_kind: dict[int, Parts] = {}
    for key, members in parts.items():
        by_kind.setdefault(views.kind_of[members[0]], {})[key] = members
    speakers: list[int] = []
    for kind in sorted(by_kind):
        fresh = views.exchanging[kind]
        speakers += _split(factors, views.factor_colour, by_kind[kind], _row_hashes, fresh)
    return speakers


def _split(
    colours: Colours,
    of: memoryview,
    parts: Parts,
    hashes: Callable[[list[Any]], list[int]],
    fresh: bool = False,
) -> list[int]:
    """Give new colours to parts just as ``grouping.split`` does; the members that got one."""
    families: dict[int, list[Any]] = {}
    for old, signature in parts:
        families.setdefault(old, []).append(signature)
    make_room(colours, len(parts))
    size = colours.size.data
    changed: list[int] = []
    for old in sorted(families):
        signatures = families[old]
        if len(signatures) > 1:
            order = sorted(zip(hashes(signatures), signatures, strict=True))
            signatures = [signature for _, signature in order]
        family = [parts[old, signature] for signature in signatures]
        whole = sum(map(len, family)) == size[old]
        keeping = max(family, key=len) if whole and not fresh else []
        for part in family:
            if part is keeping:
                continue
            for member in part:
                of[member] = colours.used
            size[colours.used] = len(part)
            size[old] -= len(part)
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
