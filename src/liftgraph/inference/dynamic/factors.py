"""Parfactors of a dynamic model as tables over counts: what single variables and individuals weigh.

The axes of such a table are labelled: with single variables of today and tomorrow, with the
histograms of parts of populations, and with the cells of one individual today and tomorrow.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.inference.dynamic.arithmetic import Indices
from liftgraph.inference.dynamic.cells import (
    Structure,
    cell_count,
    is_after,
    meeting_logvars,
    refused,
    states_in_cells,
)
from liftgraph.inference.tensor.counting import cell_counts, rank
from liftgraph.model.dynamic.dynamic import of_a_day
from liftgraph.model.lifted.logvars import LogVar
from liftgraph.model.lifted.parfactor import CRV, PRV, Argument, Parfactor, atom_of

Label = tuple[str, int]
# Single variables of today and tomorrow, histograms of parts, cells of an individual today and
# tomorrow, its local cell, and the cell of an individual that it meets.
SINGLE, LATER, PART, LATER_PART = "single", "later", "part", "later part"
CELL: Label = ("cell", 0)
THEN: Label = ("then", 0)
LOCAL: Label = ("local", 0)
LOCAL_SINGLE = "local single"
MET: Label = ("met", 0)

Parts = tuple[tuple[int, int], ...]  # the population of each part, and its size


@dataclass(frozen=True, eq=False)
class Factor:
    """A table with labelled axes. ``integers``: non-negative; ``scale``: positive.

    ``population``: that of the individual it is about, -1 if there is none.
    """

    labels: tuple[Label, ...]
    integers: NDArray[Any]
    scale: Fraction
    population: int = -1


def part_counts(structure: Structure, parts: Parts, place: int) -> Indices:
    """All histograms of a part, int64 (histograms, cells)."""
    population, size = parts[place]
    return cell_counts(size, structure.populations[population].cells)


def state_counts(structure: Structure, parts: Parts, place: int, prv: PRV) -> Indices:
    """How many of a part have each state of a PRV, int64 (histograms, states)."""
    population = structure.populations[parts[place][0]]
    member = states_in_cells(population.prvs, prv)[:, None] == np.arange(len(prv.states))
    return np.asarray(part_counts(structure, parts, place) @ member.astype(np.int64))


def total_counts(structure: Structure, parts: Parts, places: Sequence[int], prv: PRV) -> Indices:
    """How many of several parts have each state: int64, an axis for each part, then the states."""
    total: Indices = np.zeros((1,) * len(places) + (len(prv.states),), dtype=np.int64)
    for axis, place in enumerate(places):
        counts = state_counts(structure, parts, place, prv)
        shape = [1] * len(places) + [counts.shape[1]]
        shape[axis] = len(counts)
        total = total + counts.reshape(shape)
    return total


def factor_of(structure: Structure, parts: Parts, where: str, parfactor: Parfactor) -> Factor:
    """A parfactor as a table over counts, and cells of one individual."""
    own: LogVar | None = None
    met: LogVar | None = None
    if len(parfactor.logvars) == 2:
        own, met = meeting_logvars(where, parfactor)
    elif parfactor.logvars:
        own = parfactor.logvars[0]
    reader = _Reader(structure, parts, met)
    axes = [reader.axes(argument) for argument in parfactor.arguments]
    labels = tuple(dict.fromkeys(label for some, _ in axes for label in some))
    _check(where, parfactor, labels)
    index = tuple([_aligned(values, some, labels) for some, values in axes])
    table = np.asarray(parfactor.table.integers[index])  # an array even if there are no arguments
    population = -1 if own is None else structure.population(own.domain)
    scale = parfactor.table.scale
    if met is not None:
        others = structure.population(met.domain)
        apart = bool(parfactor.constraints) and others == population
        scale = scale ** (structure.populations[others].domain.size - apart)
        return _met(structure, parts, Factor(labels, table, scale, population), others, apart)
    return Factor(labels, table, scale, population)


def context_of(structure: Structure, parts: Parts, parfactor: Parfactor) -> tuple[int, set[Label]]:
    """The population of the individual that a parfactor is about (-1: none), and the counts and
    single variables that it depends on."""
    own = -1
    met: LogVar | None = None
    if len(parfactor.logvars) == 2:
        first, met = meeting_logvars("step", parfactor)
        own = structure.population(first.domain)
    elif parfactor.logvars:
        own = structure.population(parfactor.logvars[0].domain)
    labels: set[Label] = set()
    for argument in parfactor.arguments:
        atom = atom_of(argument)
        prv = of_a_day(atom.prv)
        if not prv.logvars:
            if prv in structure.local:
                labels.add((LOCAL_SINGLE, structure.local.index(prv)))
            else:
                kind = LATER if is_after(atom.prv) else SINGLE
                labels.add((kind, structure.single.index(prv)))
        elif isinstance(argument, CRV) or (met is not None and atom.logvars[0] == met):
            population = structure.population(prv.logvars[0].domain)
            labels |= {(PART, n) for n, part in enumerate(parts) if part[0] == population}
    return own, labels


def _check(where: str, parfactor: Parfactor, labels: Sequence[Label]) -> None:
    kinds = {kind for kind, _ in labels}
    if LATER_PART in kinds and kinds - {LATER_PART, LATER}:
        raise refused(where, parfactor, "it counts tomorrow's individuals together with today")


@dataclass(frozen=True)
class _Reader:
    """Reads the arguments of a parfactor. ``met``: the logvar of those that an individual meets."""

    structure: Structure
    parts: Parts
    met: LogVar | None

    def axes(self, argument: Argument) -> tuple[tuple[Label, ...], Indices]:
        """The labels that an argument depends on, and its value for each choice of these."""
        atom = atom_of(argument)
        prv = of_a_day(atom.prv)
        if isinstance(argument, CRV):
            return self._counting(argument, prv)
        if not prv.logvars:
            return self._single(prv, is_after(atom.prv))
        population = self.structure.populations[self.structure.population(prv.logvars[0].domain)]
        if prv in population.local:
            return (LOCAL,), states_in_cells(population.local, prv)
        states = states_in_cells(population.prvs, prv)
        if atom.logvars[0] == self.met:
            return (MET,), states
        return (THEN if is_after(atom.prv) else CELL,), states

    def _single(self, prv: PRV, ahead: bool) -> tuple[tuple[Label, ...], Indices]:
        states = np.arange(len(prv.states))
        if prv in self.structure.local:
            return ((LOCAL_SINGLE, self.structure.local.index(prv)),), states
        return ((LATER if ahead else SINGLE, self.structure.single.index(prv)),), states

    def _counting(self, argument: CRV, prv: PRV) -> tuple[tuple[Label, ...], Indices]:
        population = self.structure.population(prv.logvars[0].domain)
        places = [place for place, part in enumerate(self.parts) if part[0] == population]
        counts = total_counts(self.structure, self.parts, places, prv)
        kind = LATER_PART if is_after(argument.atom.prv) else PART
        labels = tuple([(kind, place) for place in places])
        if argument.number == argument.counted[0].size:
            return labels, rank(counts, argument.number)
        # All others: without the individual itself, who is in some cell.
        prvs = self.structure.populations[population].prvs
        own = states_in_cells(prvs, prv)[:, None] == np.arange(len(prv.states))
        others = counts[..., None, :] - own.astype(np.int64)
        nobody = (others < 0).any(axis=-1, keepdims=True)  # in a cell where nobody is
        some = np.eye(len(prv.states), dtype=np.int64)[0] * argument.number
        return (*labels, CELL), rank(np.where(nobody, some, others), argument.number)


def _aligned(array: NDArray[Any], labels: Sequence[Label], wanted: Sequence[Label]) -> NDArray[Any]:
    """An array with an axis for each wanted label, of length one where it does not depend on it.

    Precondition: all of its labels are wanted.
    """
    order = sorted(range(len(labels)), key=lambda axis: wanted.index(labels[axis]))
    shape = [1] * len(wanted)
    for axis in order:
        shape[wanted.index(labels[axis])] = array.shape[axis]
    return array.transpose(order).reshape(shape)


def aligned(factor: Factor, wanted: Sequence[Label]) -> NDArray[Any]:
    """The integers of a factor, broadcast to more labels."""
    return _aligned(factor.integers, factor.labels, wanted)


def product_of(factors: Iterable[Factor], labels: Sequence[Label] = ()) -> Factor:
    """The product of factors; over these labels and all of theirs."""
    listed = list(factors)
    union = tuple(dict.fromkeys([*labels, *[label for f in listed for label in f.labels]]))
    one = np.ones((1,) * len(union), dtype=np.int64).astype(object)
    integers = reduce(lambda a, b: a * b, [aligned(factor, union) for factor in listed], one)
    scale = reduce(lambda a, b: a * b, [factor.scale for factor in listed], Fraction(1))
    return Factor(union, np.asarray(integers, dtype=object), scale)


def _met(structure: Structure, parts: Parts, factor: Factor, others: int, apart: bool) -> Factor:
    """The product over all individuals that one meets: each weighs as often as it is met.

    ``apart``: whether nobody meets themselves.
    """
    places = [place for place, part in enumerate(parts) if part[0] == others]
    cells = cell_count(structure.populations[others].prvs)
    labels = tuple(dict.fromkeys([*factor.labels, CELL, *[(PART, place) for place in places]]))
    often: Any = np.zeros((1,) * len(labels), dtype=np.int64)
    for place in places:
        counts = part_counts(structure, parts, place)
        often = often + _aligned(counts, [(PART, place), MET], labels)
    if apart:
        often = often - _aligned(np.eye(cells, dtype=np.int64), [CELL, MET], labels)
    entries = _aligned(factor.integers, factor.labels, labels).astype(object)
    axis = labels.index(MET)
    raised = np.multiply.reduce(entries ** np.maximum(often, 0).astype(object), axis=axis)
    kept = tuple([label for label in labels if label != MET])
    return Factor(kept, np.asarray(raised, dtype=object), factor.scale, factor.population)
