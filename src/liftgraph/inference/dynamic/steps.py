"""A step, from the weights of today to those of tomorrow, as operations."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from liftgraph.inference.dynamic.factors import (
    LATER,
    LATER_PART,
    PART,
    SINGLE,
    Factor,
    Label,
    aligned,
    product_of,
)
from liftgraph.inference.dynamic.kernels import Kernel
from liftgraph.inference.dynamic.operations import (
    Arrange,
    Labels,
    Operation,
    Send,
    SumOut,
    Weigh,
    send,
)
from liftgraph.inference.dynamic.slices import Move, Scale, Slices, deviation
from liftgraph.inference.dynamic.stages import stage_bytes
from liftgraph.inference.dynamic.transitions import transition, transition_matrix


@dataclass(frozen=True)
class Step:
    """Operations, and the scales that their results lack. ``gain``: how far the logarithm of the
    total weight changes, at most."""

    operations: tuple[Operation, ...]
    scales: tuple[Scale, ...]
    gain: float


def step_of(slices: Slices) -> Step:
    """The step of populations with these parts."""
    return _Builder(slices).step()


def step_bytes(step: Step) -> int:
    """Bytes of the arrays of a step; integers of any size are not followed."""
    sends = [operation for operation in step.operations if isinstance(operation, Send)]
    weighs = [operation for operation in step.operations if isinstance(operation, Weigh)]
    stages = [stage for send in sends for some in send.stages.values() for stage in some]
    return 1 + stage_bytes(stages) + sum([weigh.weights.nbytes for weigh in weighs])


class _Builder:
    """Puts the operations of a step together."""

    def __init__(self, slices: Slices) -> None:
        self.slices, self.arithmetic = slices, slices.arithmetic
        self.labels: Labels = slices.labels
        self.operations: list[Operation] = []
        self.scales = slices.scales("step")
        self.gain = 0.0

    def step(self) -> Step:
        factors = self.slices.factors("step")
        ahead = [f for f in factors if f.population < 0 and _is_ahead(f)]
        self._singles([f for f in factors if f.population < 0 and not _is_ahead(f)])
        for move in self.slices.moves:
            self._move(move)
        self._rename()
        for factor in ahead:
            self._tomorrow(factor)
        return Step(tuple(self.operations), tuple(self.scales), self.gain)

    def _singles(self, factors: Sequence[Factor]) -> None:
        """Tomorrow's single variables appear."""
        later = [(LATER, place) for place in range(len(self.slices.structure.single))]
        joint = product_of(factors, later)
        if not later and not factors:
            return
        after = (*self.labels, *later)
        sizes = [self.slices.sizes[label] if label in joint.labels else 1 for label in after]
        integers = np.broadcast_to(aligned(joint, after), sizes)
        axes = tuple(range(len(self.labels), len(after)))
        sums = integers.sum(axis=axes) if axes else integers
        divisor = max(int(np.max(sums)), 1)
        self.gain += deviation(sums, divisor)
        if not self.arithmetic.divides:
            divisor = 1
        weights = self.arithmetic.weights(integers, divisor)
        self.operations.append(Weigh(self.labels, after, self.slices.sizes, weights))
        self.scales.append((joint.scale * divisor, 1))
        self.labels = after

    def _move(self, move: Move) -> None:
        """The individuals of a part take their step."""
        own: Label = (PART, move.place)
        later: Label = (LATER_PART, move.place)
        self.gain += move.gain
        self.scales.append(move.scale)
        if move.keep:
            self._extend(move.kernels, move.context, own, later)
        else:
            stages = {values: transition(self.arithmetic, k) for values, k in move.kernels.items()}
            sizes = self.slices.sizes
            operation = send(self.labels, sizes, (own,), (later,), move.context, stages)
            self.operations.append(operation)
            self.labels = operation.after
        self._drop(move.needed)

    def _extend(
        self,
        kernels: Mapping[tuple[int, ...], Kernel],
        context: Labels,
        own: Label,
        later: Label,
    ) -> None:
        """Tomorrow's histogram appears beside today's."""
        matrices = [transition_matrix(self.arithmetic, kernel) for kernel in kernels.values()]
        sizes = self.slices.sizes
        shape = [sizes[label] for label in (*context, own, later)]
        joint = Factor((*context, own, later), np.array(matrices).reshape(shape), Fraction(1))
        after = (*self.labels, later)
        self.operations.append(Weigh(self.labels, after, sizes, aligned(joint, after)))
        self.labels = after

    def _drop(self, needed: Collection[Label]) -> None:
        """Sum out what nobody depends on any more."""
        today = [label for label in self.labels if label[0] in (PART, SINGLE)]
        gone = [label for label in today if label not in needed]
        if gone:
            after = tuple([label for label in self.labels if label not in gone])
            self.operations.append(SumOut(self.labels, after, self.slices.sizes))
            self.labels = after

    def _rename(self) -> None:
        """Tomorrow is today: the axes in the order of a day."""
        self._drop(())
        today = {LATER: SINGLE, LATER_PART: PART}
        renamed = [(today[kind], place) for kind, place in self.labels]
        axes = tuple([renamed.index(label) for label in self.slices.labels])
        sizes = self.slices.sizes
        self.operations.append(Arrange(self.labels, self.slices.labels, sizes, axes))
        self.labels = self.slices.labels

    def _tomorrow(self, factor: Factor) -> None:
        """A factor about tomorrow's counts and single variables."""
        today = {LATER: SINGLE, LATER_PART: PART}
        labels = tuple([(today[kind], place) for kind, place in factor.labels])
        weights, scale = self.slices.weigh(Factor(labels, factor.integers, factor.scale))
        self.gain = math.inf
        self.operations.append(Weigh(self.labels, self.labels, self.slices.sizes, weights))
        self.scales.append(scale)


def _is_ahead(factor: Factor) -> bool:
    return any(kind == LATER_PART for kind, _ in factor.labels)
