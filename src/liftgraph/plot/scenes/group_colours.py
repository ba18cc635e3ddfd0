"""Which group has which colour: the same one in every round, as long as the group stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.plot.style import PALETTE

Sizes = NDArray[np.integer[Any]]  # of each group
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


def colours_of_groups(variables: _Groups, factors: _Groups) -> GroupColours:
    """The same colours, but one for each group. Precondition: numbered from 0 without gaps.

    >>> colours_of_groups(np.array([2, 2, 0, 1, 1]), np.array([0, 0]))
    GroupColours(variables=(None, 1, 0), factors=(2,), numbered=False)
    """
    sides = [
        (np.bincount(groups), np.unique(groups, return_index=True)[1])
        for groups in (variables, factors)
    ]
    return _one_for_each(sides)


def colours_by_size(variables: Sizes, factors: Sizes) -> GroupColours:
    """A colour for each group, from their sizes: large groups first, then in the given order."""
    return _one_for_each([(sizes, np.arange(len(sizes))) for sizes in (variables, factors)])


def _one_for_each(sides: Iterable[tuple[Sizes, NDArray[np.intp]]]) -> GroupColours:
    """A colour for each group. ``sides``: the sizes of groups of variables, then of factors, each
    with the order of those that are equally large."""
    listed, used = [], 0
    for sizes, order in sides:
        large = np.lexsort((order, -sizes))[: np.count_nonzero(sizes > 1)]
        colours = np.full(len(sizes), _ALONE)
        colours[large] = used + np.arange(len(large))
        listed.append(_shown(colours.tolist()))
        used += len(large)
    return GroupColours(listed[0], listed[1], used > len(PALETTE))


def largest_groups(colours: GroupColours, sizes: tuple[Sizes, Sizes] | None = None) -> GroupColours:
    """The colours of the largest groups only: as many as can be told apart without numbers.

    ``sizes``: how many each of the coloured variables and factors stands for; default: one.
    """
    listed = colours.variables + colours.factors
    stands_for = [1] * len(listed) if sizes is None else np.concatenate(sizes).tolist()
    totals: Counter[int] = Counter()
    for colour, size in zip(listed, stands_for, strict=True):
        if colour is not None:
            totals[colour] += size
    kept = sorted(sorted(totals, key=lambda colour: (-totals[colour], colour))[: len(PALETTE)])
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
