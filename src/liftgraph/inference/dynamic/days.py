"""What the observations of a day weigh, for each choice of its single variables and histograms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod

import numpy as np
from numpy.typing import NDArray

from liftgraph.inference.dynamic.arithmetic import Weights
from liftgraph.inference.dynamic.cells import states_in_cells
from liftgraph.inference.dynamic.factors import (
    CELL,
    LOCAL,
    LOCAL_SINGLE,
    PART,
    SINGLE,
    Factor,
    aligned,
    product_of,
    total_counts,
)
from liftgraph.inference.dynamic.kernels import Kernel
from liftgraph.inference.dynamic.local_counts import LocalCounts
from liftgraph.inference.dynamic.observed import Counted, Day
from liftgraph.inference.dynamic.parts import Layout, is_among
from liftgraph.inference.dynamic.slices import Scale, Slices, is_plain
from liftgraph.model.counts import CountEvent
from liftgraph.model.lifted.parfactor import PRV


@dataclass
class Weighed:
    """Weights of at most one, an axis for each label of a day, their scales, and the logarithm of
    what they were divided by."""

    weights: Weights
    scales: list[Scale]
    log_scale: float = 0.0


class DayWeights:
    """Puts the weights of a day together. ``first``: whether it is the first day."""

    def __init__(self, slices: Slices, layout: Layout, day: Day, first: bool) -> None:
        self.slices, self.layout, self.day = slices, layout, day
        self.arithmetic = slices.arithmetic
        self.structure = slices.structure
        factors = slices.factors("observe")
        if first:
            factors += [factor for factor in slices.factors("start") if not is_plain(factor)]
        self.factors = factors
        self.result = self._nothing()

    def weighed(self, without: int = -1) -> Weighed:
        """What the observations weigh; ``without``: a population whose local variables do not
        count, nor what was observed of its individuals."""
        self.result = self._nothing()
        for factor in self.factors:
            if factor.population < 0:
                self._times(*_listed(self.slices.weigh(self._local_single(factor))))
        for population in range(len(self.structure.populations)):
            self._without_local(population)
            if population != without:
                self._individuals(population)
        for prv, state in self.day.single.items():
            if prv in self.structure.single:
                place = (SINGLE, self.structure.single.index(prv))
                self._where(np.arange(len(prv.states)) == state, (place,))
        for one, table in self.day.uncertain.items():
            if isinstance(one, PRV) and one in self.structure.single:
                label = (SINGLE, self.structure.single.index(one))
                uncertain = Factor((label,), table.integers.astype(object), table.scale)
                self._times(*_listed(self.slices.weigh(uncertain)))
        for counted, event in self.day.counts:
            if not self._is_local(counted.prv):
                self._counted(counted, event)
        weights, log = self.arithmetic.peaked(self.result.weights)
        return Weighed(weights, self.result.scales, log)

    def _nothing(self) -> Weighed:
        """What weighs one everywhere, up to the scales of factors."""
        one = self.arithmetic.full((1,) * len(self.slices.labels), self.arithmetic.one)
        return Weighed(one, self.slices.scales("observe"))

    def _times(self, weights: Weights, scales: Sequence[Scale]) -> None:
        self.result.weights = self.arithmetic.times(self.result.weights, weights)
        self.result.scales += scales

    def _where(self, holds: NDArray[np.bool_], labels: tuple[tuple[str, int], ...]) -> None:
        """Only what agrees with an observation has weight."""
        chosen = np.where(holds, self.arithmetic.one, self.arithmetic.zero)
        over = Factor(labels, chosen.astype(self.arithmetic.dtype), Fraction(1))
        self._times(aligned(over, self.slices.labels), [])

    def _is_local(self, prv: PRV) -> bool:
        locals_ = [p for population in self.structure.populations for p in population.local]
        return prv in (*self.structure.local, *locals_)

    def _local_single(self, factor: Factor) -> Factor:
        """Local single variables at their observed state, or summed out with their likelihood."""
        integers, labels, scale = factor.integers, list(factor.labels), factor.scale
        for label in [label for label in labels if label[0] == LOCAL_SINGLE]:
            axis, prv = labels.index(label), self.structure.local[label[1]]
            state, table = self.day.single.get(prv), self.day.uncertain.get(prv)
            if table is not None:
                over = Factor((label,), table.integers, Fraction(1))
                integers = integers.astype(object) * aligned(over, labels)
                scale *= table.scale
            if state is None:
                integers = self.arithmetic.join(integers.astype(object), axis)
            else:
                integers = np.asarray(np.take(integers, state, axis=axis))
            labels.remove(label)
        return Factor(tuple(labels), integers, scale)

    def _counted(self, counted: Counted, event: CountEvent) -> None:
        """A count of variables that a day is about."""
        if not counted.prv.logvars:
            single = (SINGLE, self.structure.single.index(counted.prv))
            states = np.arange(len(counted.prv.states)) == counted.state
            self._where(event.holds(states.astype(np.int64)), (single,))
            return
        places = self._places(counted)
        totals = total_counts(self.structure, self.slices.parts, places, counted.prv)
        holds = event.holds(totals[..., counted.state])
        self._where(holds, tuple([(PART, place) for place in places]))

    def _places(self, counted: Counted) -> list[int]:
        """The parts that are counted."""
        population = self.structure.population(counted.prv.logvars[0].domain)
        return [
            place
            for place, part in enumerate(self.layout)
            if part.population == population and is_among(part, counted.members)
        ]

    def _individuals(self, population: int) -> None:
        """What the observations of the individuals of a population weigh."""
        local = self.local_counts(population)
        if local is not None:
            back = local.sent_back(self.known(local, population))
            self._times(aligned(back, self.slices.labels), local.scales)
        else:
            for place, factor in self._parts(population).items():
                labels = tuple([label for label in factor.labels if label != LOCAL])
                integers = self.arithmetic.join(factor.integers, factor.labels.index(LOCAL))
                self._weigh_part(Factor(labels, integers, factor.scale), place)

    def _without_local(self, population: int) -> None:
        """What individuals of a population weigh, apart from their local variables."""
        factors = [factor for factor in self._of(population) if LOCAL not in factor.labels]
        if factors:
            joint = product_of(factors, [CELL])
            for place, part in enumerate(self.layout):
                if part.population == population:
                    self._weigh_part(joint, place)

    def _weigh_part(self, factor: Factor, place: int) -> None:
        size = self.layout[place].size
        if (factor.integers == 1).all():
            self.result.scales.append((factor.scale, size))
        else:
            weights, scale = self.slices.weigh_part(factor, place)
            self._times(weights, [(scale, size)])

    def _of(self, population: int) -> list[Factor]:
        return [factor for factor in self.factors if factor.population == population]

    def _parts(self, population: int) -> dict[int, Factor]:
        """What the local variables of an individual weigh, and what was observed of it, for each
        part of a population."""
        factors = [factor for factor in self._of(population) if LOCAL in factor.labels]
        joint = replace(product_of(factors, [CELL, LOCAL]), population=population)
        places = [n for n, part in enumerate(self.layout) if part.population == population]
        return {place: self._part(joint, place) for place in places}

    def _part(self, joint: Factor, place: int) -> Factor:
        """A factor about an individual of a part, given what was observed of each of these."""
        part = self.layout[place]
        here = self.structure.populations[part.population]
        shape = list(joint.integers.shape)
        shape[joint.labels.index(CELL)] = here.cells
        shape[joint.labels.index(LOCAL)] = prod([len(prv.states) for prv in here.local])
        integers = np.broadcast_to(joint.integers, shape)
        member, scale = min(part.listed, default=-1), joint.scale
        for prv in (*here.prvs, *here.local):
            label, among = (LOCAL, here.local) if prv in here.local else (CELL, here.prvs)
            state = self.day.individual.get((prv, member))
            table = self.day.uncertain.get((prv, member))
            if state is not None:
                holds = states_in_cells(among, prv) == state
                mask = Factor((label,), holds.astype(np.int64), Fraction(1))
                integers = integers * aligned(mask, joint.labels)
            if table is not None:
                weights = table.integers.astype(object)[states_in_cells(among, prv)]
                over = Factor((label,), weights, Fraction(1))
                integers, scale = integers * aligned(over, joint.labels), scale * table.scale
        return Factor(joint.labels, integers, scale, joint.population)

    def local_counts(self, population: int, asked: Sequence[Counted] = ()) -> LocalCounts | None:
        """Counts of the local variables of a population, observed ones first; None if there are
        none."""
        counted = [*[one for one, _ in self._local_events(population)], *asked]
        if not counted:
            return None
        return LocalCounts(self.slices, self.layout, self._parts(population), counted)

    def local_kernels(self, asked: Sequence[Counted]) -> Iterator[Kernel]:
        """The kernels that lead from cells to what is counted of local variables."""
        for population, here in enumerate(self.structure.populations):
            local = self.local_counts(population, [c for c in asked if c.prv in here.local])
            if local is not None:
                yield from local.kernels()

    def _local_events(self, population: int) -> list[tuple[Counted, CountEvent]]:
        local = self.structure.populations[population].local
        return [(one, event) for one, event in self.day.counts if one.prv in local]

    def known(self, local: LocalCounts, population: int) -> Weights:
        """What was observed of local counts."""
        return local.known([event for _, event in self._local_events(population)])


def _listed(pair: tuple[Weights, Scale]) -> tuple[Weights, list[Scale]]:
    return pair[0], [pair[1]]
