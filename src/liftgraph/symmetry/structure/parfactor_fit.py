"""A group of factors as a parfactor: counting variables, logvars and constraints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.model.arrays import codes, pieces, places_type
from liftgraph.model.lifted.renamings import COUNTED, Key, swapped
from liftgraph.model.lifted.substitutions import Pattern
from liftgraph.symmetry.structure.arrangement import (
    arranged,
    best_orders,
    column_orders,
    occurrence_orders,
)
from liftgraph.symmetry.structure.components import Integers, Labels, row_numbers
from liftgraph.symmetry.structure.coordinates import Coordinates
from liftgraph.symmetry.structure.factor_rows import FactorRows
from liftgraph.symmetry.structure.fitting import Fit, Occurrence, are_equal, fit
from liftgraph.symmetry.tables.commutative import Positions

Order = NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True)
class FittedArgument:
    """An argument of the parfactor: one column, or all columns of a counting variable.

    ``columns``: those of the factor rows. ``occurrences``: for each coordinate of the group, the
    index of the occurrence, or ``COUNTED``. ``different_from``: the occurrence that the counted
    logvar must differ from, if any.
    """

    columns: Positions
    group: int
    occurrences: tuple[int, ...]
    different_from: int | None = None

    @property
    def counts(self) -> bool:
        """Whether this is a counting variable."""
        return COUNTED in self.occurrences


@dataclass(frozen=True, slots=True)
class FittedRows:
    """The factors of a group as all substitutions of logvars.

    ``order``: int8 (m, k), for each row, which column of the factor rows comes where; int8 (1, k)
    if that is the same for all; int32 if there are more columns than int8 tells apart.
    """

    arguments: tuple[FittedArgument, ...]
    fit: Fit
    order: Order


def fit_rows(
    rows: FactorRows, coordinates: Coordinates, patterns: dict[int, Pattern]
) -> FittedRows | None:
    """The parfactor of a group of factors, or None if the coordinates do not describe it.

    ``patterns``: which substitutions of its coordinates are members of each group.
    """
    plain = len(rows.exchanges) == 1 and all(len(block) == 1 for block in rows.interchangeable)
    columns = np.arange(len(rows.groups), dtype=places_type(len(rows.groups)))
    order: Order = np.tile(columns, (1 if plain else len(rows.factors), 1))
    counting: list[FittedArgument] = []
    occurrences: list[Occurrence] = []
    single: list[Positions] = []
    for block in rows.interchangeable:
        argument = _counting_argument(rows, coordinates, block, occurrences, order)
        if argument is None:
            single.append(block)
        else:
            counting.append(argument)
    arguments = _single_arguments(rows, coordinates, single, len(occurrences))
    unordered = [
        tuple(argument.occurrences[place] for place in places)
        for argument in arguments
        if argument.group in patterns
        for places in patterns[argument.group].unordered
    ]
    order = _arranged(rows, coordinates, single, arguments, unordered, occurrences, order)
    members = rows.members if plain else _rearranged(rows.members, order)
    occurrences += _occurrences(members, coordinates, arguments)
    logvars = _fitted(occurrences, unordered, len(rows.factors), coordinates.sizes)
    if logvars is None:
        return None
    listed = sorted(counting + arguments, key=lambda argument: argument.columns)
    fitted = FittedRows(tuple(listed), logvars, order)
    return fitted if _swaps_change_nothing(rows, fitted, patterns) else None


def _counting_argument(
    rows: FactorRows,
    coordinates: Coordinates,
    block: Positions,
    occurrences: list[Occurrence],
    order: Order,
) -> FittedArgument | None:
    """The counting variable over interchangeable columns, or None: it is over all individuals of
    the coordinates that vary within rows, or over all but one.

    Adds the occurrences that its columns have in common, and sorts its columns in the order.
    """
    if len(block) == 1:
        return None
    group_coordinates = coordinates.of.get(rows.groups[block[0]], ())
    if all(coordinates.sizes[c.domain] > len(block) + 1 for c in group_coordinates):
        return None
    individuals = [
        coordinate.individuals[rows.members[:, list(block)]] for coordinate in group_coordinates
    ]
    varying = [q for q, column in enumerate(individuals) if (column != column[:, :1]).any()]
    sizes = [coordinates.sizes[group_coordinates[q].domain] for q in varying]
    left_out = prod(sizes) - len(block)
    if left_out != 0 and (left_out != 1 or len(varying) != 1):
        return None
    code = codes([individuals[q].ravel() for q in varying], sizes).reshape(-1, len(block))
    if not all(_differ(code[some]) for some in pieces(len(code))):
        return None
    fixed = [q for q in range(len(group_coordinates)) if q not in varying]
    common = [Occurrence(group_coordinates[q].domain, individuals[q][:, 0]) for q in fixed]
    index = {q: len(occurrences) + place for place, q in enumerate(fixed)}
    different_from: int | None = None
    if left_out:
        missing = Occurrence(
            group_coordinates[varying[0]].domain, sum(range(sizes[0])) - code.sum(axis=1)
        )
        if len(block) == 2 and not _is_told(rows, coordinates, block, missing, common):
            return None
        different_from = len(occurrences) + len(common)
        common.append(missing)
    occurrences += common
    _sort_block(order, block, code)
    indices = tuple(index.get(q, COUNTED) for q in range(len(group_coordinates)))
    return FittedArgument(block, rows.groups[block[0]], indices, different_from)


def _differ(rows: Labels) -> bool:
    """Whether the entries of each row are different."""
    ordered = np.sort(rows, axis=1)
    return not (ordered[:, 1:] == ordered[:, :-1]).any()


def _is_told(
    rows: FactorRows,
    coordinates: Coordinates,
    block: Positions,
    missing: Occurrence,
    common: Sequence[Occurrence],
) -> bool:
    """Whether the individual that is left out occurs in another argument, or in all columns of
    the block. If not, two columns are better seen as an unordered pair of three individuals."""
    others = [(column,) for column in range(len(rows.groups)) if column not in block]
    arguments = _single_arguments(rows, coordinates, others, 0)
    occurrences = _occurrences(rows.members, coordinates, arguments)
    return any(are_equal(occurrence, missing) for occurrence in (*occurrences, *common))


def _sort_block(order: Order, block: Positions, keys: Labels) -> None:
    """Put the columns of a block into the order of their keys, int64 (m, size of the block)."""
    order[:, list(block)] = np.array(block)[np.argsort(keys, axis=1, kind="stable")]


def _rearranged(rows: Order, order: Order) -> Order:
    """Each row in an order of its own."""
    rearranged = np.empty_like(rows)
    for some in pieces(len(rows)):
        rearranged[some] = np.take_along_axis(rows[some], order[some], axis=1)
    return rearranged


def _single_arguments(
    rows: FactorRows, coordinates: Coordinates, blocks: Sequence[Positions], first_index: int
) -> list[FittedArgument]:
    """An argument for each column, with its occurrences numbered from an index on."""
    arguments = []
    for column in sorted(column for block in blocks for column in block):
        group = rows.groups[column]
        next_index = first_index + len(coordinates.of.get(group, ()))
        arguments.append(FittedArgument((column,), group, tuple(range(first_index, next_index))))
        first_index = next_index
    return arguments


def _occurrences(
    members: Integers, coordinates: Coordinates, arguments: Sequence[FittedArgument]
) -> list[Occurrence]:
    """The occurrences in single arguments. ``members``: int32 (m, k), of the groups."""
    return [
        Occurrence(coordinate.domain, coordinate.individuals[members[:, argument.columns[0]]])
        for argument in arguments
        for coordinate in coordinates.of.get(argument.group, ())
    ]


def _arranged(
    rows: FactorRows,
    coordinates: Coordinates,
    single: Sequence[Positions],
    arguments: Sequence[FittedArgument],
    unordered: Sequence[Positions],
    common: Sequence[Occurrence],
    order: Order,
) -> Order:
    """Interchangeable columns that are not counted, in an order that shows the same pattern."""
    blocks = [block for block in single if len(block) > 1]
    exchanges = rows.exchanges if len(single) == len(rows.interchangeable) else rows.exchanges[:1]
    orders = column_orders(blocks, exchanges)
    if not orders:
        for block in blocks:
            for some in pieces(len(order)):
                keys = _sorting_keys(
                    rows.members[some, list(block)], coordinates, rows.groups[block[0]]
                )
                _sort_block(order[some], block, keys)
        return order
    of_column = {argument.columns[0]: argument.occurrences for argument in arguments}
    count = len(common) + sum(map(len, of_column.values()))
    candidates = list(occurrence_orders(count, orders, of_column, unordered))
    if len(orders) == 1 or not count:
        return order
    occurrences = [*common, *_occurrences(rows.members, coordinates, arguments)]
    best = best_orders(occurrences, [occurrence_order for _, occurrence_order in candidates])
    chosen = np.array([column_order for column_order, _ in candidates], dtype=order.dtype)
    return _rearranged(order, chosen[best])


def _sorting_keys(members: Integers, coordinates: Coordinates, group: int) -> Labels:
    """Keys in the order of the coordinates of members of a group: int64 like the members."""
    group_coordinates = coordinates.of[group]
    columns = [coordinate.individuals[members].ravel() for coordinate in group_coordinates]
    sizes = [coordinates.sizes[coordinate.domain] for coordinate in group_coordinates]
    return row_numbers(columns, sizes).reshape(members.shape)


def _fitted(
    occurrences: list[Occurrence],
    unordered: Sequence[Positions],
    row_count: int,
    domain_sizes: dict[int, int],
) -> Fit | None:
    """The rows as substitutions; individuals of an unordered set may be listed in any order."""
    if unordered:
        candidates = occurrence_orders(len(occurrences), [()], {}, unordered)
        orders = [order for _, order in candidates]
        occurrences = arranged(occurrences, orders, best_orders(occurrences, orders))
    return fit(occurrences, row_count, domain_sizes)


def _swaps_change_nothing(
    rows: FactorRows, fitted: FittedRows, patterns: dict[int, Pattern]
) -> bool:
    """Whether the order of logvars in unordered sets does not matter: swapping two of them, along
    with others if need be, takes arguments, constraints and table to themselves."""
    pattern = fitted.fit.pattern
    keys = [_key(argument, fitted.fit, patterns) for argument in fitted.arguments]
    return all(
        any(
            _keeps_table(rows, fitted.arguments, images)
            for _, images in swapped(keys, fitted.fit.domains, pattern, pair)
        )
        for logvars in pattern.unordered
        for pair in pairwise(logvars)
    )


def _key(argument: FittedArgument, logvars: Fit, patterns: dict[int, Pattern]) -> Key:
    indices, apart = argument.occurrences, argument.different_from
    return Key(
        (argument.counts, argument.group),
        tuple(COUNTED if index == COUNTED else logvars.logvar_of[index] for index in indices),
        patterns[argument.group].unordered if argument.group in patterns else (),
        frozenset() if apart is None else frozenset([logvars.logvar_of[apart]]),
    )


def _keeps_table(
    rows: FactorRows, arguments: Sequence[FittedArgument], images: Sequence[int]
) -> bool:
    axes = np.arange(rows.integers.ndim)
    for argument, image in zip(arguments, images, strict=True):
        axes[list(argument.columns)] = arguments[image].columns
    return np.array_equal(rows.integers.transpose(axes), rows.integers)
