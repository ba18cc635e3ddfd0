"""Legends: what the colours of groups mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from liftgraph.display import counted
from liftgraph.plot.layout.arrangement import measured, moved, together
from liftgraph.plot.scene import Node, NodeKind, Scene, Text
from liftgraph.plot.scenes.group_colours import GroupColours
from liftgraph.plot.text import SMALL_FONT, text_width

_MOST_ENTRIES = 14
_MOST_NAMES = 3  # members that an entry names
_NARROWEST = 330.0  # points of a row


@dataclass(frozen=True, slots=True)
class _Entry:
    """A group: the index of its colour, its number if that is shown, and some of its members."""

    kind: NodeKind
    colour: int
    badge: str
    text: str


def legend(
    colours: GroupColours,
    variable_names: Sequence[str],
    factor_names: Sequence[str],
    row_width: float,
) -> Scene:
    """Some members of each group, and how many it has, in rows."""
    entries = [
        *_entries("variable", colours.variables, variable_names, colours),
        *_entries("factor", colours.factors, factor_names, colours),
    ]
    scenes = [_entry_scene(index, entry) for index, entry in enumerate(entries[:_MOST_ENTRIES])]
    if len(entries) > _MOST_ENTRIES:
        more = f"… and {counted(len(entries) - _MOST_ENTRIES, 'more group')}"
        scenes.append(Scene(texts=(Text("legend-more", more, (0.0, 0.0)),)))
    return _in_rows(scenes, max(row_width, _NARROWEST))


def _entries(
    kind: NodeKind, members: Sequence[int | None], names: Sequence[str], colours: GroupColours
) -> Iterator[_Entry]:
    grouped: dict[int, list[str]] = {}
    for colour, name in zip(members, names, strict=True):
        if colour is not None:
            grouped.setdefault(colour, []).append(name)
    for colour, group in sorted(grouped.items()):
        dots = ["…"] if len(group) > _MOST_NAMES else []
        listed = ", ".join(group[: _MOST_NAMES - len(dots)] + dots)
        yield _Entry(kind, colour, colours.badge(colour), f"{listed} ({len(group):,})")


def _entry_scene(index: int, entry: _Entry) -> Scene:
    name = f"legend-{index}"
    if entry.kind == "variable":
        size = (13.0 + 4 * len(entry.badge), 13.0)
        swatch = Node(name, entry.kind, entry.badge, entry.colour, size=size)
    else:
        swatch = measured(Node(name, entry.kind, "", entry.colour, entry.badge))
    left = swatch.size[0] / 2 + 5
    return Scene((swatch,), texts=(Text(f"legend-text-{index}", entry.text, (left, 0.0)),))


def _in_rows(entries: Sequence[Scene], row_width: float) -> Scene:
    placed, x, y = [], 0.0, 0.0
    for entry in entries:
        width = 24 + sum(text_width(text.text, SMALL_FONT) for text in entry.texts)
        if x > 0 and x + width > row_width:
            x, y = 0.0, y + 16
        placed.append(moved(entry, (x, y)))
        x += width + 8
    return together(placed)
