"""Colour passing round by round: how groups are split."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from liftgraph.display import counted
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.plot.layout.arrangement import extent, grid
from liftgraph.plot.layout.graph_layout import laid_out
from liftgraph.plot.scene import Edge, Scene, Text
from liftgraph.plot.scenes.bars import MOST_BARS, Bar, bars_scene
from liftgraph.plot.scenes.captions import algorithm_name, graph_size
from liftgraph.plot.scenes.factor_graph import colour_key, coloured
from liftgraph.plot.scenes.group_colours import colours_by_round
from liftgraph.plot.text import FONT_SIZE
from liftgraph.symmetry.colours.colouring import Change, Colouring

_ENDS = "One more round, which changes nothing, is not shown"
_MOST_PANELS = 9
_MOST_ABREAST = 3
_WIDE = 1000.0  # points; wider panels have a row of their own


def rounds_scene(graph: FactorGraph, colouring: Colouring) -> Scene:
    """A panel for the groups after each round; if there are many, the first ones and the last.

    Precondition: the rounds were recorded.
    """
    last = max(colouring.rounds - 1, 0)
    drawn_rounds = [*range(min(last, _MOST_PANELS - 1)), last]
    colours = colours_by_round([colouring.after(index) for index in range(last + 1)])
    placed = laid_out(coloured(graph, colours[-1]))
    panels = [
        _panel(coloured(graph, colours[index]), placed, index, (colouring.changes or ())[index])
        for index in drawn_rounds
    ]
    caption = (
        f"{algorithm_name(colouring)} on {graph_size(graph)}: round 0 shows the initial colours."
        f" {_ENDS}. When a group is split, its largest part keeps the"
        f" colour.{colour_key(graph, colours[-1])}"
    )
    left_out = last + 1 - len(drawn_rounds)
    if left_out:
        caption += f" Left out before the last: {counted(left_out, 'round')}."
    return replace(grid(panels, _abreast(panels)), caption=caption)


def round_counts_scene(colouring: Colouring) -> Scene:
    """How many groups there are after each round, for graphs too large to draw round by round.

    Precondition: the rounds were recorded.
    """
    changes = list(enumerate(colouring.changes or ()))[: max(colouring.rounds, 1)]
    half = MOST_BARS // 2
    drawn = changes if len(changes) <= MOST_BARS else changes[:half] + changes[-half:]
    panels = [
        _bars("variables", {index: change.variable_groups for index, change in drawn}),
        _bars("factors", {index: change.factor_groups for index, change in drawn}),
    ]
    variables, factors = len(colouring.variable_colours), len(colouring.factor_colours)
    caption = (
        f"Too large to draw round by round: {algorithm_name(colouring)} on"
        f" {counted(variables, 'variable')} and {counted(factors, 'factor')}. The bars show how"
        f" many groups there are after each round; round 0 has the initial colours. {_ENDS}."
    )
    left_out = len(changes) - len(drawn)
    if left_out:
        caption += f" Left out in the middle: {counted(left_out, 'round')}."
    return replace(grid(panels, 2), caption=caption)


def _bars(members: str, groups_by_round: Mapping[int, int]) -> Scene:
    most = max(1, *groups_by_round.values())
    bars = [
        Bar(f"round {index:,}", groups / most, f"{groups:,}")
        for index, groups in groups_by_round.items()
    ]
    return bars_scene(members, f"groups of {members}", bars)


def _abreast(panels: Sequence[Scene]) -> int:
    """How many panels stand side by side."""
    left, top, right, bottom = extent(panels[0])
    if right - left > _WIDE:
        return 1
    return min(_MOST_ABREAST if right - left < 2 * (bottom - top) else 2, len(panels))


def _panel(scene: Scene, placed: Scene, round_index: int, change: Change) -> Scene:
    """The graph after a round, with its nodes at the same places in all rounds."""
    prefix = f"round-{round_index}-"
    nodes = tuple(
        replace(node, id=prefix + node.id, at=there.at, size=there.size)
        for node, there in zip(scene.nodes, placed.nodes, strict=True)
    )
    edges = tuple(
        Edge(prefix + edge.first, prefix + edge.second, via=edge.via) for edge in placed.edges
    )
    left, top, _, _ = extent(placed)
    groups = f"{counted(change.variable_groups, 'group')} of variables"
    words = f"round {round_index:,}: {groups}, {change.factor_groups:,} of factors"
    title = Text(f"title-{round_index}", words, (left, top - 16), FONT_SIZE, bold=True)
    return Scene(nodes, edges, texts=(title,))
