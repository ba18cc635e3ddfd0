"""The sizes of the groups of a colouring, as bars."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from liftgraph.plot.layout.arrangement import grid
from liftgraph.plot.scene import Scene
from liftgraph.plot.scenes.bars import size_bars
from liftgraph.plot.scenes.captions import group_counts
from liftgraph.symmetry.colours.colouring import Colouring


def group_sizes_scene(colouring: Colouring) -> Scene:
    """How many groups have how many members."""
    colours = {"variables": colouring.variable_colours, "factors": colouring.factor_colours}
    panels = [
        size_bars(members, np.bincount(groups).tolist(), f"groups of {members}")
        for members, groups in colours.items()
    ]
    meaning = "The bars show how many groups have which size, not how the groups are connected."
    return replace(grid(panels, 2), caption=f"{group_counts(colouring)}. {meaning}")
