"""A canonical order of a table's arguments, and its symmetries: one search finds both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.symmetry.colours.engines.grouping import Hashes
from liftgraph.symmetry.tables.budget import LEAST_COUNTED, most_entries
from liftgraph.symmetry.tables.commutative import Positions, commuting_axes
from liftgraph.symmetry.tables.refinement import (
    Cells,
    first_cells,
    refined,
    singled_out,
    value_hashes,
)
from liftgraph.symmetry.tables.symmetries import Symmetries, listed_symmetries, transversal


@dataclass(frozen=True, slots=True)
class Labelling:
    """``order``: the table with its arguments in this order is the same array for all tables that
    differ only in the order of their arguments; smaller arguments come first.
    ``symmetries``: of the table as it is. ``complete``: False if the search was given up: then the
    order is the given one, and of the symmetries only the swaps are known.
    """

    order: Positions
    symmetries: Symmetries
    complete: bool = True


def labelled(integers: NDArray[Any]) -> Labelling:
    """The labelling of a table, by individualisation and refinement (McKay and Piperno 2014).

    In a tree of partitions, the children of a partition single out one member of a cell each, and
    of all children those with the smallest trace are kept. The leaves are orders of the arguments.
    Whether a search is given up depends only on what all orders of the arguments have in common.

    >>> labelled(np.array([[[0, 1], [1, 2]], [[1, 2], [2, 3]]])).symmetries
    Symmetries(commuting=((0, 1, 2),), exchanges=())
    >>> x, y, z = np.indices((3, 3, 3))
    >>> labelled(1 * (x < y) + (y < z) + (z < x)).symmetries.exchanges
    ((0, ((0, 1, 2), (1, 2, 0), (2, 0, 1))),)
    """
    commuting = commuting_axes(integers)
    by_sums = first_cells(integers, commuting)
    if by_sums.discrete:
        return Labelling(by_sums.order(commuting), Symmetries(commuting))
    tree = _Tree(integers, value_hashes(integers), commuting)
    root = refined(tree.hashes, commuting, by_sums.colours)
    labelling = _along_one_path(tree, root) or _among_all_leaves(tree, root)
    if labelling is None:
        return Labelling(tuple(range(integers.ndim)), Symmetries(commuting), complete=False)
    return labelling


def symmetries(integers: NDArray[Any]) -> Symmetries:
    """The symmetries of a table; only swaps if the search for others is given up."""
    if integers.ndim <= 2:
        return Symmetries(commuting_axes(integers))
    return labelled(integers).symmetries


@dataclass(frozen=True, slots=True)
class _Tree:
    integers: NDArray[Any]
    hashes: Hashes
    commuting: tuple[Positions, ...]

    @property
    def most_refinements(self) -> int:
        size = max(self.integers.size, LEAST_COUNTED)
        return most_entries(size) // size

    def children(self, cells: Cells) -> Iterator[tuple[int, Cells]]:
        """The partitions that single out one set of the target cell, and that set."""
        for set_index in cells.target:
            colours = singled_out(cells, set_index)
            yield set_index, refined(self.hashes, self.commuting, colours)

    def least_children(self, cells: Cells) -> list[tuple[int, Cells]]:
        """The children with the smallest trace."""
        children = list(self.children(cells))
        least = min(child.trace for _, child in children)
        return [(set_index, child) for set_index, child in children if child.trace == least]

    def between(self, first: Positions, second: Positions) -> Positions | None:
        """The symmetry that takes one order of the arguments to another, if it is one."""
        moved, image = (self.integers.transpose(order) for order in (first, second))
        if not np.array_equal(moved, image):
            return None
        place = dict(zip(first, second, strict=True))
        return tuple(place[axis] for axis in range(len(place)))


# The children of a partition that are kept; the path takes the first.
Level = list[tuple[int, Cells]]


def _along_one_path(tree: _Tree, root: Cells) -> Labelling | None:
    """The labelling of a table all of whose leaves give the same array; None if there are others,
    or if finding that out would exceed the budget.

    Then any leaf will do, and the leaves below a child have a symmetry to those below its
    siblings. Symmetries are collected from the last level upwards: every one that is found at
    least doubles the group, so that the logarithm of its order bounds the number of descents.
    """
    levels: list[Level] = []
    cells, made, descent = root, 0, 0
    while not cells.discrete:
        siblings = len(cells.target)
        made += siblings
        if made > tree.most_refinements:
            return None
        levels.append(tree.least_children(cells))
        descent += siblings - len(levels[-1]) + 1
        cells = levels[-1][0][1]
    if made + descent * sum(log2(len(level)) for level in levels) > tree.most_refinements:
        return None
    exchanges = _exchanges(tree, levels, cells.order(tree.commuting))
    if exchanges is None:
        return None
    return Labelling(cells.order(tree.commuting), Symmetries(tree.commuting, exchanges))


def _exchanges(
    tree: _Tree, levels: Sequence[Level], leaf: Positions
) -> tuple[tuple[int, tuple[Positions, ...]], ...] | None:
    """The stabiliser chain along a path; None if some sibling leads to other leaves."""
    generators: list[Positions] = []
    chain = []
    for depth in reversed(range(len(levels))):
        (first, _), *siblings = levels[depth]
        position = tree.commuting[first][0]
        images = transversal(position, len(leaf), generators)
        for set_index, cells in siblings:
            if tree.commuting[set_index][0] in images:
                continue
            symmetry = _descent(tree, cells, levels[depth + 1 :], leaf)
            if symmetry is None:
                return None
            generators.append(symmetry)
            images = transversal(position, len(leaf), generators)
        if len(images) > 1:
            chain.append((position, tuple(images.values())))
    return tuple(reversed(chain))


def _descent(
    tree: _Tree, cells: Cells, levels: Sequence[Level], leaf: Positions
) -> Positions | None:
    """The symmetry from a leaf to one below these cells that has the same traces, if it is one."""
    for level in levels:
        _, pattern = level[0]
        alike = (child for _, child in tree.children(cells) if child.trace == pattern.trace)
        below = next(alike, None)
        if below is None:
            return None
        cells = below
    return tree.between(leaf, cells.order(tree.commuting))


def _among_all_leaves(tree: _Tree, root: Cells) -> Labelling | None:
    """The labelling by the smallest array among all leaves; None if there are too many."""
    level, made = [root], 0
    while not level[0].discrete:
        made += sum(len(cells.target) for cells in level)
        if made > tree.most_refinements:
            return None
        children = [child for cells in level for _, child in tree.children(cells)]
        least = min(child.trace for child in children)
        level = [child for child in children if child.trace == least]
    orders = [cells.order(tree.commuting) for cells in level]
    best = min(orders, key=lambda order: tree.hashes.transpose(order).tobytes())
    symmetries = (tree.between(best, order) for order in orders)
    found = [symmetry for symmetry in symmetries if symmetry is not None]
    return Labelling(best, listed_symmetries(tree.commuting, found))
