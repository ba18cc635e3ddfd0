"""Colour passing one factor and one variable at a time, for rounds in which little changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from liftgraph.symmetry.colours.engines.grouping import Colours, Indices, make_room
from liftgraph.symmetry.colours.incidence import Incidence, Kind
from liftgraph.symmetry.tables.commutative import Positions
from liftgraph.symmetry.tables.orbits import orbit_labels, smallest_images

Parts = dict[tuple[int, Any], list[int]]
Arrangement = Callable[[Positions], tuple[Positions, Sequence[int]]]
Record = Callable[[list[int], list[int]], None]


@dataclass(frozen=True, slots=True)
class _Views:
    """The arrays as memoryviews, in which single entries are faster to read and to write.

    ``arrangements``: for each kind with exchanges, the order of its arguments by their colours,
    and labels.
    """

    start: memoryview
    arguments: memoryview
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
    changed: Indices | None,
    limit: int,
    most: int,
    record: Record | None,
) -> tuple[int, Indices, bool]:
    """Rounds that start from variables with new colours, as long as these have few edges.

    None: the first round, with all variables. ``limit``: the most edges; ``most``: the most
    rounds. Returns the number of rounds, the variables with new colours after the last one, and
    whether that one left the grouping unchanged.
    """
    views = _views(incidence, variables, factors)
    start, neighbours = incidence.factor_start.data, incidence.factors.data
    width = incidence.width
    first, rounds, stable = changed is None, 0, False
    recoloured = list(range(incidence.variable_count)) if changed is None else changed.tolist()
    while not stable and rounds < most:
        if sum(start[v + 1] - start[v] for v in recoloured) > limit:
            break
        rounds += 1
        groups, base = variables.groups + factors.groups, 0 if first else factors.used
        touched = {f for v in recoloured for f in neighbours[start[v] : start[v + 1]]}
        labels: dict[int, Sequence[int]] = {}
        speakers = _split_factors(views, factors, _factor_parts(views, touched, labels))
        heard = _variable_parts(views, touched if first else speakers, labels, base, width)
        recoloured = _split(variables, views.variable_colour, heard)
        if record:
            record(speakers, recoloured)
        stable, first = variables.groups + factors.groups == groups, False
    return rounds, np.array(recoloured, dtype=np.intp), stable


def _views(incidence: Incidence, variables: Colours, factors: Colours) -> _Views:
    return _Views(
        incidence.start.data,
        incidence.arguments.data,
        incidence.kind_of.data,
        [bool(kind.symmetries.exchanges) for kind in incidence.kinds],
        [kind.together for kind in incidence.kinds],
        [_arrangement(kind) for kind in incidence.kinds],
        [kind.labels.tolist() for kind in incidence.kinds],
        variables.of.data,
        factors.of.data,
    )


def _arrangement(kind: Kind) -> Arrangement:
    """The order of the smallest image of a row and the labels of its positions, by how the entries
    of the row compare."""

    @cache
    def arranged(ranks: Positions) -> tuple[Positions, Sequence[int]]:
        images, orders = smallest_images(np.array([ranks]), kind.symmetries)
        labels = np.empty(len(ranks), dtype=np.int64)
        labels[orders[0]] = orbit_labels(images, kind.symmetries)[0]
        return tuple(orders[0].tolist()), labels.tolist()

    return arranged


def _factor_parts(views: _Views, touched: Iterable[int], labels: dict[int, Sequence[int]]) -> Parts:
    """Colour factors by their colours and those of their arguments, up to symmetries.

    Factors with exchanges get labels of their own.
    """
    parts: Parts = {}
    start, arguments, colour = views.start, views.arguments, views.variable_colour
    kind_of, exchanging, factor_colour = views.kind_of, views.exchanging, views.factor_colour
    for f in touched:
        kind = kind_of[f]
        row = [colour[v] for v in arguments[start[f] : start[f + 1]]]
        if exchanging[kind]:
            ranks = {entry: rank for rank, entry in enumerate(sorted(set(row)))}
            order, labels[f] = views.arrangements[kind](tuple(ranks[entry] for entry in row))
            row = [row[k] for k in order]
        for positions in views.together[kind]:
            if len(positions) == len(row):
                row.sort()
                break
            for position, entry in zip(positions, sorted(row[p] for p in positions), strict=True):
                row[position] = entry
        parts.setdefault((factor_colour[f], tuple(row)), []).append(f)
    return parts


def _variable_parts(
    views: _Views,
    speakers: Iterable[int],
    labels: dict[int, Sequence[int]],
    base: int,
    width: int,
) -> Parts:
    """Colour variables by their colours and the counted words they receive."""
    heard: dict[int, dict[int, int]] = {}
    start, arguments, colour = views.start, views.arguments, views.variable_colour
    for f in speakers:
        said = (views.factor_colour[f] - base) * width
        names = labels[f] if f in labels else views.labels[views.kind_of[f]]
        for v, label in zip(arguments[start[f] : start[f + 1]], names, strict=True):
            words = heard.setdefault(v, {})
            words[said + label] = words.get(said + label, 0) + 1
    parts: Parts = {}
    for v, words in heard.items():
        signature = tuple(sorted(words.items()))
        parts.setdefault((colour[v], signature), []).append(v)
    return parts


def _split_factors(views: _Views, factors: Colours, parts: Parts) -> list[int]:
    """Give new colours to factors; returns those that got one."""
    if not any(views.exchanging):
        return _split(factors, views.factor_colour, parts)
    speakers: list[int] = []
    for fresh in (False, True):
        chosen = {
            key: members
            for key, members in parts.items()
            if views.exchanging[views.kind_of[members[0]]] == fresh
        }
        speakers += _split(factors, views.factor_colour, chosen, fresh)
    return speakers


def _split(colours: Colours, of: memoryview, parts: Parts, fresh: bool = False) -> list[int]:
    """Give new colours to parts as ``grouping.split`` does, in the order of their old colours and
    signatures; returns the members that got one."""
    families: dict[int, list[list[int]]] = {}
    for key in sorted(parts):
        families.setdefault(key[0], []).append(parts[key])
    make_room(colours, len(parts))
    size, new = colours.size.data, colours.used
    changed: list[int] = []
    for old, family in families.items():
        whole = sum(map(len, family)) == size[old]
        colours.groups += len(family) - whole
        if whole and not fresh:
            family.remove(max(family, key=len))
        for part in family:
            for member in part:
                of[member] = new
            size[new] = len(part)
            size[old] -= len(part)
            new += 1
            changed += part
    colours.used = new
    return changed
