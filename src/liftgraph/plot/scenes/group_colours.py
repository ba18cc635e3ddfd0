"""Which group has which colour: the same one in every round, as long as the group stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from liftgraph.plot.style import PALETTE

_Groups = NDArray[np.int32]  # of each variable or factor
_ALONE = -1  # what has no colour


@dataclass(frozen=True, slots=True)
class GroupColours:
    """The index of the colour of each variable and each factor; None for those alone.

    Variables have the first indices, factors the next ones. ``numbered``: there are more groups
    than colours, so that each group has to show its number.
    """

    variables: tuple[int | None, ...]
    factors: tuple[int | None, ...]
    numbered: bool

    def badge(self, colour: int | None) -> str:
        """The number of a group, if it has to be shown."""
        return str(colour + 1) if self.numbered and colour is not None else ""


def group_colours(variables: _Groups, factors: _Groups) -> GroupColours:
    """The colours of groups, large groups first."""
    return colours_by_round([(variables, factors)])[0]


def largest_groups(colours: GroupColours) -> GroupColours:
    """The colours of the largest groups only: as many as can be told apart without numbers."""
    sizes = Counter(colour for colour in colours.variables + colours.factors if colour is not None)
    kept = sorted(colour for colour, _ in sizes.most_common(len(PALETTE)))
    index = {colour: position for position, colour in enumerate(kept)}
    return GroupColours(
        tuple(None if colour is None else index.get(colour) for colour in colours.variables),
        tuple(None if colour is None else index.get(colour) for colour in colours.factors),
        numbered=False,
    )


def colours_by_round(rounds: Sequence[tuple[_Groups, _Groups]]) -> list[GroupColours]:
    """The colours of groups in several rounds. Precondition: each round refines the one before.

    When a group is split, its largest part keeps the colour, and the others get new ones.
    """
    variables = _kept_colours([groups for groups, _ in rounds], 0)
    start = 1 + max((max(colours, default=-1) for colours in variables), default=-1)
    factors = _kept_colours([groups for _, groups in rounds], start)
    used = {colour for colours in (*variables, *factors) for colour in colours} - {_ALONE}
    return [
        GroupColours(_shown(variable_colours), _shown(factor_colours), len(used) > len(PALETTE))
        for variable_colours, factor_colours in zip(variables, factors, strict=True)
    ]


def _kept_colours(rounds: Sequence[_Groups], start: int) -> list[list[int]]:
    """The colour of each member in each round, from ``start`` on; large groups come first."""
    colours_by_round = []
    colours, unused = np.full(len(rounds[0]), _ALONE), start
    for groups in rounds:
        _, first, group, sizes = np.unique(
            groups, return_index=True, return_inverse=True, return_counts=True
        )
        before, colours, taken = colours, np.full(len(groups), _ALONE), {_ALONE}
        for part in np.lexsort((first, -sizes)).tolist():
            if sizes[part] == 1:
                break
            colour = int(before[first[part]])
            if colour in taken:
                colour, unused = unused, unused + 1
            taken.add(colour)
            colours[group == part] = colour
        colours_by_round.append(colours.tolist())
    return colours_by_round


def _shown(colours: Sequence[int]) -> tuple[int | None, ...]:
    return tuple(None if colour == _ALONE else colour for colour in colours)
