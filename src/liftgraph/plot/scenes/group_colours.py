"""Which group has which colour: the same one in every round, as long as the group stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from liftgraph.plot.style import PALETTE

_Groups = NDArray[np.int32]  # of each variable or factor


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


def colours_by_round(rounds: Sequence[tuple[_Groups, _Groups]]) -> list[GroupColours]:
    """The colours of groups in several rounds. Precondition: each round refines the one before.

    A group has the colour of the largest group that it will be split into, which keeps it.
    """
    variables = _leaders([groups for groups, _ in rounds])
    factors = _leaders([groups for _, groups in rounds])
    variable_colours = _indices(variables, 0)
    factor_colours = _indices(factors, len(variable_colours))
    numbered = len(variable_colours) + len(factor_colours) > len(PALETTE)
    return [
        GroupColours(
            tuple(map(variable_colours.get, variable_leaders)),
            tuple(map(factor_colours.get, factor_leaders)),
            numbered,
        )
        for variable_leaders, factor_leaders in zip(variables, factors, strict=True)
    ]


def _leaders(rounds: Sequence[_Groups]) -> list[list[int]]:
    """For each member, the rank of the largest final group within its group; -1 if alone."""
    final = rounds[-1]
    if not len(final):
        return [[] for _ in rounds]
    _, first, final_group, sizes = np.unique(
        final, return_index=True, return_inverse=True, return_counts=True
    )
    rank = np.empty(len(sizes), dtype=np.int64)
    rank[np.lexsort((first, -sizes))] = np.arange(len(sizes))
    leaders = []
    for groups in rounds:
        _, group, counts = np.unique(groups, return_inverse=True, return_counts=True)
        leader = np.full(len(counts), len(sizes), dtype=np.int64)
        np.minimum.at(leader, group, rank[final_group])
        leaders.append(np.where(counts[group] > 1, leader[group], -1).tolist())
    return leaders


def _indices(leaders: Sequence[Sequence[int]], start: int) -> dict[int, int]:
    """Consecutive indices for the leaders that occur in any round."""
    used = sorted(set().union(*leaders) - {-1})
    return {rank: index for index, rank in enumerate(used, start)}
