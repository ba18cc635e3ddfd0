"""What the start, a step and the observations of a day do to the weights of histograms."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.inference.dynamic.arithmetic import Arithmetic, Weights
from liftgraph.inference.dynamic.cells import Structure
from liftgraph.inference.dynamic.factors import (
    CELL,
    LATER,
    LATER_PART,
    PART,
    SINGLE,
    THEN,
    Factor,
    Label,
    Parts,
    aligned,
    factor_of,
    part_counts,
    product_of,
)
from liftgraph.inference.dynamic.kernels import Kernel, kernel_of
from liftgraph.inference.dynamic.operations import Labels
from liftgraph.inference.dynamic.stages import Stage
from liftgraph.inference.dynamic.transitions import transition

Scale = tuple[Fraction, int]  # a factor of all weights, and how often


@dataclass(frozen=True, eq=False)
class Move:
    """The step of the individuals of a part, for each choice of its ``context``.

    ``keep``: whether today's histogram of the part is still needed; ``needed``: what of today is
    needed afterwards. ``gain``: how far the logarithm of the total weight changes, at most.
    """

    place: int
    context: Labels
    kernels: Mapping[tuple[int, ...], Kernel]
    keep: bool
    needed: frozenset[Label]
    scale: Scale
    gain: float


@dataclass(frozen=True, eq=False)
class Slices:
    """The days of a model whose populations have these parts, in some arithmetic."""

    structure: Structure
    parts: Parts
    arithmetic: Arithmetic

    @cached_property
    def labels(self) -> Labels:
        """The axes of a day: single variables, then the histograms of parts."""
        singles = [(SINGLE, place) for place in range(len(self.structure.single))]
        return (*singles, *[(PART, place) for place in range(len(self.parts))])

    @cached_property
    def sizes(self) -> dict[Label, int]:
        sizes: dict[Label, int] = {}
        for place, prv in enumerate(self.structure.single):
            sizes[SINGLE, place] = sizes[LATER, place] = len(prv.states)
        for place in range(len(self.parts)):
            count = len(part_counts(self.structure, self.parts, place))
            sizes[PART, place] = sizes[LATER_PART, place] = count
        return sizes

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple([self.sizes[label] for label in self.labels])

    def factors(self, where: str) -> list[Factor]:
        """The parfactors of the start, the step or the observations, over counts."""
        if where not in self._factors:
            parfactors = getattr(self.structure.model, where)
            listed = [factor_of(self.structure, self.parts, where, p) for p in parfactors]
            self._factors[where] = listed
        return list(self._factors[where])

    def scales(self, where: str) -> list[Scale]:
        """What the factors of these parfactors are multiplied with, each by itself."""
        return [
            scale
            for parfactor in getattr(self.structure.model, where)
            for scale in parfactor.scales
        ]

    @cached_property
    def _factors(self) -> dict[str, list[Factor]]:
        return {}

    def observing(self, size: int, integers: NDArray[Any], divisor: int) -> Sequence[Stage]:
        """The stages from the cells of a number of individuals to what is observed of them, whose
        weights are integers (cells, kinds) over a divisor."""
        key = size, tuple(map(tuple, integers.tolist())), divisor
        if key not in self._observing:
            kernel = kernel_of(size, integers[None], divisor)
            self._observing[key] = transition(self.arithmetic, kernel)
        return self._observing[key]

    @cached_property
    def _observing(self) -> dict[Any, Sequence[Stage]]:
        return {}

    def start(self) -> tuple[Weights, list[Scale]]:
        """The weights of the first day: individuals in all ways that histograms can occur, each
        weighed by the parfactors of the start that are about its cell and single variables only."""
        weights = self.arithmetic.full((1,) * len(self.labels), self.arithmetic.one)
        scales = self.scales("start")
        factors = [factor for factor in self.factors("start") if is_plain(factor)]
        for place, (population, size) in enumerate(self.parts):
            joint = product_of([f for f in factors if f.population == population], [CELL])
            more, divisor = self._start_of_part(joint, place)
            weights = self.arithmetic.times(weights, more)
            scales.append((joint.scale * divisor, size))
        return np.broadcast_to(weights, self.shape), scales

    def _start_of_part(self, joint: Factor, place: int) -> tuple[Weights, int]:
        cells = self.structure.populations[self.parts[place][0]].cells
        context = [label for label in joint.labels if label != CELL]
        shape = [*[self.sizes[label] for label in context], cells]
        integers = np.broadcast_to(aligned(joint, [*context, CELL]), shape)
        divisor = max(int(np.max(integers.sum(axis=-1))), 1) if self.arithmetic.divides else 1
        prepared = self.arithmetic.prepared(integers.reshape(-1, cells), divisor)
        flows = self.arithmetic.flows(prepared, part_counts(self.structure, self.parts, place))
        over = Factor((*context, (PART, place)), flows.reshape(*shape[:-1], -1), Fraction(1))
        return aligned(over, self.labels), divisor

    def weigh(self, factor: Factor) -> tuple[Weights, Scale]:
        """A factor about the single variables and counts of a day, as weights of at most one."""
        largest = int(factor.integers.max()) if self.arithmetic.divides else 1
        divisor = max(largest, 1)
        weights = self.arithmetic.weights(factor.integers, divisor)
        even = Factor(factor.labels, weights, factor.scale)
        return aligned(even, self.labels), (factor.scale * divisor, 1)

    def weigh_part(self, factor: Factor, place: int) -> tuple[Weights, Fraction]:
        """A factor about one individual's cell, for all individuals of a part."""
        own = (PART, place)
        context = [label for label in factor.labels if label not in (CELL, own)]
        depends = own in factor.labels
        cells = self.structure.populations[self.parts[place][0]].cells
        wanted = [*context, *([own] if depends else []), CELL]
        integers = np.broadcast_to(
            aligned(factor, wanted), [*[self.sizes[label] for label in wanted[:-1]], cells]
        )
        divisor = max(int(integers.max()), 1) if self.arithmetic.divides else 1
        counts = part_counts(self.structure, self.parts, place)
        prepared = self.arithmetic.prepared(integers, divisor)
        raised = self.arithmetic.powers(prepared, counts, each=depends)
        shape = (*[self.sizes[label] for label in context], len(counts))
        over = Factor((*context, own), raised.reshape(shape), Fraction(1))
        return aligned(over, self.labels), factor.scale * divisor

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        """The moves of all parts, first of those that fewest others depend on."""
        factors = self.factors("step")
        waiting = {place: self._kernel(factors, place) for place in range(len(self.parts))}
        moves = list[Move]()
        while waiting:
            free = [place for place in waiting if (PART, place) not in _needed(waiting, place)]
            chosen = min(free or waiting, key=lambda place: self.sizes[PART, place])
            kernel = waiting.pop(chosen)
            needed = _needed(waiting) | {(PART, place) for place in waiting}
            moves.append(self._move(kernel, chosen, not free, needed))
        return tuple(moves)

    def _kernel(self, factors: Sequence[Factor], place: int) -> Factor:
        """What the step of an individual of a part weighs."""
        population = self.parts[place][0]
        own = [factor for factor in factors if factor.population == population]
        return product_of(own, [CELL, THEN])

    def _move(self, kernel: Factor, place: int, keep: bool, needed: frozenset[Label]) -> Move:
        own, size = (PART, place), self.parts[place][1]
        context = tuple([label for label in kernel.labels if label not in (CELL, THEN, own)])
        cells = self.structure.populations[self.parts[place][0]].cells
        own_size = self.sizes[own] if own in kernel.labels else 1
        shape = [self.sizes[label] for label in context]
        integers = np.broadcast_to(
            aligned(kernel, [*context, own, CELL, THEN]), [*shape, own_size, cells, cells]
        )
        sums = integers.sum(axis=-1)
        divisor = max(int(np.max(sums)), 1)
        gain = size * deviation(sums, divisor)
        divisor = divisor if self.arithmetic.divides else 1
        kernels = {
            values: kernel_of(size, integers[values], divisor)
            for values in product(*map(range, shape))
        }
        return Move(place, context, kernels, keep, needed, (kernel.scale * divisor, size), gain)


def _needed(waiting: Mapping[int, Factor], but: int = -1) -> frozenset[Label]:
    """What the steps of parts depend on, besides their own counts; without one of them."""
    return frozenset(
        label
        for place, kernel in waiting.items()
        for label in kernel.labels
        if place != but and label != (PART, place)
    )


def is_plain(factor: Factor) -> bool:
    """Whether a factor is about one individual's cell and single variables only."""
    return factor.population >= 0 and all(
        label == CELL or label[0] == SINGLE for label in factor.labels
    )


def deviation(sums: NDArray[Any], divisor: int) -> float:
    """How far the logarithm of the smallest sum is from that of the largest, the divisor."""
    smallest = int(np.min(sums))
    if divisor >= 2 * smallest:  # their ratio may be larger than floats are
        return math.log(divisor) - math.log(smallest) if smallest else math.inf
    return math.log1p((divisor - smallest) / smallest)
