"""A group of factors as a parfactor: counting variables, logvars and constraints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from liftgraph.model.lifted.substitutions import Pattern, codes
from liftgraph.symmetry.structure.arrangement import (
    best_choice,
    choices,
    slot_orders,
    sorted_blocks,
)
from liftgraph.symmetry.structure.components import Labels, row_numbers
from liftgraph.symmetry.structure.coordinates import Coordinates
from liftgraph.symmetry.structure.factor_rows import FactorRows
from liftgraph.symmetry.structure.fitting import Fit, Slot, fit
from liftgraph.symmetry.tables.commutative import Positions


@dataclass(frozen=True, slots=True)
class FittedArgument:
    """An argument of the parfactor: one column, or those of a counting variable together.

    ``columns``: of the factor rows. ``slots``: numbers of its slots by coordinate; of counted
    coordinates -1. ``but``: the slot that the counted logvar must differ from, if any.
    """

    columns: Positions
    group: int
    slots: tuple[int, ...]
    but: int | None = None

    @property
    def counts(self) -> bool:
        """Whether this is a counting variable."""
        return -1 in self.slots


@dataclass(frozen=True, slots=True)
class FittedRows:
    """The factors of a group as all substitutions of logvars.

    ``order``: intp (m, k), for each row, which column of the factor rows comes where.
    """

    arguments: tuple[FittedArgument, ...]
    fit: Fit
    order: NDArray[np.intp]


def fit_rows(
    rows: FactorRows, coordinates: Coordinates, patterns: dict[int, Pattern]
) -> FittedRows | None:
    """The parfactor of a group of factors, or None if the coordinates do not describe it.

    ``patterns``: of the groups with coordinates, in the order of these.
    """
    order = np.tile(np.arange(len(rows.groups)), (len(rows.factors), 1))
    arguments: list[FittedArgument] = []
    slots: list[Slot] = []
    single: list[Positions] = []
    for block in rows.columns:
        counting = len(block) > 1 and _count(rows, coordinates, block, slots, order)
        if counting:
            arguments.append(counting)
        else:
            single.append(block)
    counted_slots = list(slots)
    order = _arranged(rows, coordinates, patterns, single, order, counted_slots)
    fixed, slots = _single_arguments(rows, coordinates, single, order, counted_slots)
    arguments += fixed
    found = _fitted(rows, coordinates, patterns, arguments, slots)
    if found is None:
        return None
    arguments.sort(key=lambda argument: argument.columns)
    return FittedRows(tuple(arguments), found, order)


def _count(
    rows: FactorRows,
    coordinates: Coordinates,
    block: Positions,
    slots: list[Slot],
    order: NDArray[np.intp],
) -> FittedArgument | None:
    """The counting variable over all individuals of the coordinates that vary in a block, or
    over all but one; its columns are put in order."""
    own = coordinates.of.get(rows.groups[block[0]], ())
    values = [each.individuals[rows.members[:, list(block)]] for each in own]
    varying = [q for q, value in enumerate(values) if (value != value[:, :1]).any()]
    sizes = [coordinates.sizes[own[q].domain] for q in varying]
    left_out = prod(sizes) - len(block)
    if left_out != 0 and (left_out != 1 or len(varying) != 1):
        return None
    code = codes([values[q].ravel() for q in varying], sizes).reshape(-1, len(block))
    if (np.diff(np.sort(code, axis=1), axis=1) == 0).any():
        return None
    kept = [q for q in range(len(own)) if q not in varying]
    fixed = [Slot(own[q].domain, values[q][:, 0]) for q in kept]
    numbers = {q: len(slots) + place for place, q in enumerate(kept)}
    but: int | None = None
    if left_out:
        missing = Slot(own[varying[0]].domain, sum(range(sizes[0])) - code.sum(axis=1))
        if len(block) == 2 and not _told(rows, coordinates, block, missing, fixed):
            return None
        but = len(slots) + len(fixed)
        fixed.append(missing)
    slots += fixed
    order[:, list(block)] = np.array(block)[np.argsort(code, axis=1)]
    places = tuple(numbers.get(q, -1) for q in range(len(own)))
    return FittedArgument(block, rows.groups[block[0]], places, but)


def _told(
    rows: FactorRows,
    coordinates: Coordinates,
    block: Positions,
    missing: Slot,
    fixed: Sequence[Slot],
) -> bool:
    """Whether who is left out is told by another argument, or by what the counted ones share."""
    others = [column for column in range(len(rows.groups)) if column not in block]
    known = [
        Slot(each.domain, each.individuals[rows.members[:, column]])
        for column in others
        for each in coordinates.of.get(rows.groups[column], ())
    ]
    return any(
        each.domain == missing.domain and np.array_equal(each.individuals, missing.individuals)
        for each in (*known, *fixed)
    )


def _arranged(
    rows: FactorRows,
    coordinates: Coordinates,
    patterns: dict[int, Pattern],
    single: Sequence[Positions],
    order: NDArray[np.intp],
    before: Sequence[Slot],
) -> NDArray[np.intp]:
    """Interchangeable columns that are not counted, in an order that shows the same pattern."""
    blocks = [block for block in single if len(block) > 1]
    exchanges = rows.exchanges if len(single) == len(rows.columns) else rows.exchanges[:1]
    orders = choices(len(rows.groups), blocks, exchanges)
    if not orders:
        keys = [_keys(rows, coordinates, block) for block in blocks]
        arranged = sorted_blocks(len(rows.factors), len(rows.groups), blocks, keys)
        return np.where(arranged == np.arange(len(rows.groups)), order, arranged)
    columns = sorted(column for block in single for column in block)
    slots, slots_of, unordered = _slots(rows, coordinates, patterns, columns, before)
    every = list(slot_orders(len(slots), orders, slots_of, unordered))
    if len(every) == 1 or not slots:
        return order
    values = np.stack([slot.individuals for slot in slots], axis=1)
    domains = [slot.domain for slot in slots]
    best = best_choice(values, domains, [slot_order for _, slot_order in every])
    picked = np.array([column_order for column_order, _ in every])[best]
    return np.take_along_axis(order, picked, axis=1)


def _keys(rows: FactorRows, coordinates: Coordinates, block: Positions) -> Labels:
    """Numbers to sort the members in interchangeable columns by: int64 (m, k)."""
    own = coordinates.of[rows.groups[block[0]]]
    columns = [each.individuals[rows.members[:, list(block)]].ravel() for each in own]
    sizes = [coordinates.sizes[each.domain] for each in own]
    return row_numbers(columns, sizes).reshape(-1, len(block))


def _slots(
    rows: FactorRows,
    coordinates: Coordinates,
    patterns: dict[int, Pattern],
    columns: Sequence[int],
    before: Sequence[Slot],
) -> tuple[list[Slot], list[list[int]], list[Positions]]:
    """All slots: those already fixed, then column by column; and which are unordered sets."""
    slots = list(before)
    slots_of: list[list[int]] = [[] for _ in rows.groups]
    unordered: list[Positions] = []
    for column in columns:
        group = rows.groups[column]
        own = coordinates.of.get(group, ())
        slots_of[column] = list(range(len(slots), len(slots) + len(own)))
        slots += [Slot(c.domain, c.individuals[rows.members[:, column]]) for c in own]
        sets = patterns[group].unordered if group in patterns else ()
        unordered += [tuple(slots_of[column][place] for place in each) for each in sets]
    return slots, slots_of, unordered


def _single_arguments(
    rows: FactorRows,
    coordinates: Coordinates,
    single: Sequence[Positions],
    order: NDArray[np.intp],
    before: Sequence[Slot],
) -> tuple[list[FittedArgument], list[Slot]]:
    slots = list(before)
    arguments = []
    every = np.arange(len(rows.factors))
    for column in sorted(column for block in single for column in block):
        group = rows.groups[column]
        own = coordinates.of.get(group, ())
        members = rows.members[every, order[:, column]] if own else every
        numbers = tuple(range(len(slots), len(slots) + len(own)))
        slots += [Slot(each.domain, each.individuals[members]) for each in own]
        arguments.append(FittedArgument((column,), group, numbers))
    return arguments, slots


def _fitted(
    rows: FactorRows,
    coordinates: Coordinates,
    patterns: dict[int, Pattern],
    arguments: Sequence[FittedArgument],
    slots: list[Slot],
) -> Fit | None:
    """The rows as substitutions; individuals of an unordered set may be listed in any order."""
    sets = [
        tuple(argument.slots[place] for place in each)
        for argument in arguments
        if argument.group in patterns and not argument.counts
        for each in patterns[argument.group].unordered
    ]
    if sets:
        values = np.stack([slot.individuals for slot in slots], axis=1)
        domains = [slot.domain for slot in slots]
        every = [order for _, order in slot_orders(len(slots), [()], [], sets)]
        best = best_choice(values, domains, every)
        picked = np.take_along_axis(values, np.array(every)[best], axis=1)
        slots = [Slot(d, column.copy()) for d, column in zip(domains, picked.T, strict=True)]
    return fit(slots, len(rows.factors), coordinates.sizes)
