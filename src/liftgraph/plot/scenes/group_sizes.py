"""The sizes of the groups of a colouring, as bars."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from liftgraph.plot.layout.arrangement import grid
from liftgraph.plot.scene import Scene
from liftgraph.plot.scenes.bars import size_bars
from liftgraph.plot.scenes.captions import algorithm_name, group_counts
from liftgraph.plot.scenes.group_colours import Sizes
from liftgraph.symmetry.colours.colouring import Colouring


def colouring_sizes_scene(colouring: Colouring) -> Scene:
    """How many groups of a colouring have how many members."""
    variables, factors = map(np.bincount, (colouring.variable_colours, colouring.factor_colours))
    return group_sizes_scene(variables, factors, algorithm_name(colouring))


def group_sizes_scene(variables: Sizes, factors: Sizes, algorithm: str) -> Scene:
    """How many groups have how many members; ``algorithm``: what found them."""
    sizes = {"variables": variables, "factors": factors}
    panels = [
        size_bars(members, groups.tolist(), f"groups of {members}")
        for members, groups in sizes.items()
    ]
    meaning = "The bars show how many groups have which size, not how the groups are connected."
    caption = f"{group_counts(variables, factors, algorithm)}. {meaning}"
    return replace(grid(panels, 2), caption=caption)
