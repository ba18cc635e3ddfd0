"""Colour passing round by round: how groups are split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.plot.layout.layout import laid_out
from liftgraph.plot.scenes.bars import Row, bars
from liftgraph.plot.scenes.factor_graph import called, coloured, counted, counts, marks
from liftgraph.plot.scenes.groups import groups_by_round
from liftgraph.plot.scenes.scene import Edge, Scene, Text, extent, grid
from liftgraph.plot.text import SIZE
from liftgraph.symmetry.colours.colouring import Change, Colouring

_PANELS = 9
_ABREAST = 3
_BROAD = 1000.0  # points of a panel that has a row of its own
_BARS = 40  # rounds, where panels would be too many nodes


def rounds_scene(graph: FactorGraph, found: Colouring) -> Scene:
    """The groups after each round, a panel each; of many rounds the first ones and the last.

    Precondition: the rounds were recorded.
    """
    shown = [*range(min(found.rounds, _PANELS - 1)), found.rounds]
    groups = groups_by_round([found.after(number) for number in shown])
    placed = laid_out(coloured(graph, groups[-1]))
    panels = [
        _panel(coloured(graph, each), placed, number, (found.changes or ())[number])
        for number, each in zip(shown, groups, strict=True)
    ]
    left_out = found.rounds + 1 - len(shown)
    caption = (
        f"{called(found)} on {counts(graph)}: round 0 is before the first, and in the"
        " last nothing changed any more. Of a group that is split, the largest part keeps its"
        f" colour.{marks(graph, groups[-1])}"
    )
    if left_out:
        caption += f" {left_out:,} rounds are left out before the last."
    return replace(grid(panels, _abreast(panels)), caption=caption)


def round_counts_scene(found: Colouring) -> Scene:
    """How many groups there are after each round, for graphs too large to draw round by round.

    Precondition: the rounds were recorded.
    """
    changes = list(enumerate(found.changes or ()))
    half = _BARS // 2
    shown = changes if len(changes) <= _BARS else changes[:half] + changes[-half:]
    panels = [
        _bars("variables", {number: change.variable_groups for number, change in shown}),
        _bars("factors", {number: change.factor_groups for number, change in shown}),
    ]
    members = len(found.variable_colours), len(found.factor_colours)
    caption = (
        f"Too much to draw round by round: {called(found)} on {members[0]:,} variables"
        f" and {members[1]:,} factors. This shows how many groups there are after each of"
        f" {found.rounds:,} rounds; round 0 is before the first."
    )
    left_out = len(changes) - len(shown)
    told = f" {left_out:,} rounds in the middle are left out." if left_out else ""
    return replace(grid(panels, 2), caption=caption + told)


def _bars(kind: str, groups: dict[int, int]) -> Scene:
    most = max(1, *groups.values())
    rows = [Row(f"round {n:,}", count / most, f"{count:,}") for n, count in groups.items()]
    return bars(kind, f"groups of {kind}", rows)


def _abreast(panels: Sequence[Scene]) -> int:
    """How many panels stand side by side."""
    left, top, right, bottom = extent(panels[0])
    if right - left > _BROAD:
        return 1
    return min(_ABREAST if right - left < 2 * (bottom - top) else 2, len(panels))


def _panel(scene: Scene, placed: Scene, number: int, change: Change) -> Scene:
    """The graph after a round, with its nodes where they are in all rounds."""
    name = f"round-{number}-"
    nodes = tuple(
        replace(node, id=name + node.id, at=there.at, size=there.size)
        for node, there in zip(scene.nodes, placed.nodes, strict=True)
    )
    edges = tuple(Edge(name + edge.first, name + edge.second) for edge in scene.edges)
    left, top, _, _ = extent(placed)
    groups = f"{counted(change.variable_groups, 'group')} of variables"
    told = f"round {number:,}: {groups}, {change.factor_groups:,} of factors"
    title = Text(f"title-{number}", told, (left, top - 16), SIZE, strong=True)
    return Scene(nodes, edges, texts=(title,))
