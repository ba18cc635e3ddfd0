"""Which group has which colour: the same one in every round, as long as the group stays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from liftgraph.plot.scenes.scene import Kind, Node, Scene, Text, measured, moved, together
from liftgraph.plot.style import PALETTE
from liftgraph.plot.text import SMALL, width

Colour = NDArray[np.int32]
_ENTRIES = 14  # of a legend
_NAMES = 3  # members that a legend names
_ROW = 330.0  # points of a legend's row, at least


@dataclass(frozen=True, slots=True)
class Groups:
    """The number of the colour of each variable and each factor; None for those alone.

    Variables have the first numbers, factors the next ones. ``numbered``: there are more groups
    than colours, so that numbers have to be seen.
    """

    variables: tuple[int | None, ...]
    factors: tuple[int | None, ...]
    numbered: bool


def group_colours(variables: Colour, factors: Colour) -> Groups:
    """The colours of groups, large groups first."""
    return groups_by_round([(variables, factors)])[0]


def groups_by_round(rounds: Sequence[tuple[Colour, Colour]]) -> list[Groups]:
    """The colours of groups in each of several rounds. Precondition: each refines the one before.

    A group has the colour of the largest group it will be split into, so that this part keeps it.
    """
    variables = _leaders([colours for colours, _ in rounds])
    factors = _leaders([colours for _, colours in rounds])
    first = _numbers(variables, 0)
    second = _numbers(factors, len(first))
    numbered = len(first) + len(second) > len(PALETTE)
    return [
        Groups(tuple(map(first.get, mine)), tuple(map(second.get, others)), numbered)
        for mine, others in zip(variables, factors, strict=True)
    ]


def _leaders(rounds: Sequence[Colour]) -> list[list[int]]:
    """For each member the rank of the largest last group within its group, -1 for those alone."""
    last = rounds[-1]
    if not len(last):
        return [[] for _ in rounds]
    _, first, number, sizes = np.unique(
        last, return_index=True, return_inverse=True, return_counts=True
    )
    rank = np.empty(len(sizes), dtype=np.int64)
    rank[np.lexsort((first, -sizes))] = np.arange(len(sizes))
    found = []
    for colours in rounds:
        _, groups, counts = np.unique(colours, return_inverse=True, return_counts=True)
        leader = np.full(len(counts), len(sizes), dtype=np.int64)
        np.minimum.at(leader, groups, rank[number])
        found.append(np.where(counts[groups] > 1, leader[groups], -1).tolist())
    return found


def _numbers(leaders: Sequence[Sequence[int]], start: int) -> dict[int, int]:
    used = sorted({rank for each in leaders for rank in each} - {-1})
    return {rank: start + number for number, rank in enumerate(used)}


def legend(groups: Groups, names: Sequence[str], factors: Sequence[str], broad: float) -> Scene:
    """What the colours mean: some members of each group, and how many it has.

    ``broad``: how many points a row may take.
    """
    entries = [
        *_entries("variable", groups.variables, names, groups.numbered),
        *_entries("factor", groups.factors, factors, groups.numbered),
    ]
    shown = [_entry(number, *entry) for number, entry in enumerate(entries[:_ENTRIES])]
    if len(entries) > _ENTRIES:
        more = f"… and {len(entries) - _ENTRIES:,} more groups"
        shown.append(Scene(texts=(Text("legend-more", more, (0.0, 0.0)),)))
    return _in_rows(shown, max(broad, _ROW))


def _entries(
    kind: Kind, groups: Sequence[int | None], names: Sequence[str], numbered: bool
) -> Iterator[tuple[Kind, int, str, str]]:
    members: dict[int, list[str]] = {}
    for group, name in zip(groups, names, strict=True):
        if group is not None:
            members.setdefault(group, []).append(name)
    for group, those in sorted(members.items()):
        dots = ["…"] if len(those) > _NAMES else []
        listed = ", ".join(those[: _NAMES - len(dots)] + dots)
        yield kind, group, str(group + 1) if numbered else "", f"{listed} ({len(those):,})"


def _entry(number: int, kind: Kind, group: int, badge: str, text: str) -> Scene:
    if kind == "variable":
        swatch = Node(f"legend-{number}", kind, badge, group, size=(13.0 + 4 * len(badge), 13.0))
    else:
        swatch = measured(Node(f"legend-{number}", kind, "", group, badge))
    left = swatch.size[0] / 2 + 5
    return Scene((swatch,), texts=(Text(f"legend-text-{number}", text, (left, 0.0)),))


def _in_rows(entries: Sequence[Scene], row: float) -> Scene:
    """Entries one after the other, in rows."""
    placed, x, y = [], 0.0, 0.0
    for entry in entries:
        broad = 24 + sum(width(text.text, SMALL) for text in entry.texts)
        if x > 0 and x + broad > row:
            x, y = 0.0, y + 16
        placed.append(moved(entry, (x, y)))
        x += broad + 8
    return together(placed)
