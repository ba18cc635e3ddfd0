"""The days of a model as operations on weights: parts split and merge, individuals take steps."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from liftgraph.cache import Cache, Memo
from liftgraph.inference.dynamic.arithmetic import Arithmetic
from liftgraph.inference.dynamic.cells import Structure
from liftgraph.inference.dynamic.days import DayWeights, Weighed
from liftgraph.inference.dynamic.factors import PART, SINGLE, Label, Parts
from liftgraph.inference.dynamic.observed import Day
from liftgraph.inference.dynamic.operations import Arrange, Labels, Operation, send
from liftgraph.inference.dynamic.parts import (
    Layout,
    Marks,
    Part,
    merged,
    merging,
    sizes_of,
    split,
    splitting,
    together,
    union,
)
from liftgraph.inference.dynamic.slices import Scale, Slices
from liftgraph.inference.dynamic.stages import Collect, Spread
from liftgraph.inference.dynamic.steps import Step, step_bytes, step_of

_ROUNDING = 1e-11  # of the logarithm of a total
_Key = tuple[Hashable, ...]
_SLICES: Memo[_Key, Slices] = Memo("days of a dynamic model", most=2)
_STEPS: Memo[_Key, Step] = Memo("steps of a dynamic model", most=1 << 29, size=step_bytes)
Rearranged = tuple[tuple[Part, ...], tuple[Part, ...]]  # parts before, and in their place after


@dataclass(frozen=True, eq=False)
class DayPlan:
    """What is done on a day. ``layout``: the parts when the day is observed; ``before``: how they
    come from the day before; ``after``: how they merge afterwards."""

    layout: Layout
    before: tuple[Rearranged, ...]
    after: tuple[Rearranged, ...]


def plan_days(populations: Sequence[int], marks: Sequence[Marks], days: int) -> list[DayPlan]:
    """Which individuals are told apart on which day."""
    plans = list[DayPlan]()
    layout = together(populations, marks)
    for day in range(days):
        before = split(layout, marks, day)
        here = tuple([part for _, parts in before for part in parts])
        groups = merged(here, marks, day)
        layout = tuple([union(group) for group in groups])
        splits = tuple([((part,), parts) for part, parts in before])
        merges = tuple([(group, (union(group),)) for group in groups])
        plans.append(DayPlan(here, splits, merges))
    return plans


class Course:
    """The days of a model, in some arithmetic. ``plans``: one for each day."""

    def __init__(
        self,
        structure: Structure,
        arithmetic: Arithmetic,
        days: Sequence[Day],
        plans: Sequence[DayPlan],
    ) -> None:
        self.structure, self.arithmetic, self.days, self.plans = structure, arithmetic, days, plans
        self._slices: dict[Parts, Slices] = {}
        self._steps: dict[Parts, Step] = {}
        self._rearranging: dict[Hashable, list[Operation]] = {}

    def slices(self, layout: Layout) -> Slices:
        """The days of populations with these parts."""
        parts = sizes_of(layout)
        if parts not in self._slices:
            new = partial(Slices, self.structure, parts, self.arithmetic)
            kept = self._whole(parts)
            self._slices[parts] = _SLICES.get(self._cache, self._key, new) if kept else new()
        return self._slices[parts]

    def step(self, layout: Layout) -> Step:
        """The step of populations with these parts."""
        parts = sizes_of(layout)
        if parts not in self._steps:
            new = partial(step_of, self.slices(layout))
            kept = self._whole(parts)
            self._steps[parts] = _STEPS.get(self._cache, self._key, new) if kept else new()
        return self._steps[parts]

    @property
    def _cache(self) -> Cache:
        return self.structure.model.cache

    @cached_property
    def _key(self) -> _Key:
        """What the constants of a model depend on."""
        prvs = [prv for population in self.structure.populations for prv in population.local]
        local = tuple([prv.name for prv in (*self.structure.local, *prvs)])
        return self.arithmetic.title, self.arithmetic.smallest, local

    def _whole(self, parts: Parts) -> bool:
        """Whether nobody is told apart: what all questions need is kept with the model."""
        sizes = [population.domain.size for population in self.structure.populations]
        return parts == tuple(enumerate(sizes))

    def observing(self, day: int) -> DayWeights:
        """The observations of a day, to be weighed."""
        layout = self.plans[day].layout
        return DayWeights(self.slices(layout), layout, self.days[day], day == 0)

    def weighed(self, day: int) -> Weighed:
        """What the observations of a day weigh."""
        return self.observing(day).weighed()

    def arriving(self, day: int) -> list[Operation]:
        """From the day before to the moment when a day is observed: parts merge, individuals take
        their step, parts split."""
        plan = self.plans[day]
        operations = list[Operation]()
        if day:
            operations += self._rearranged(self.plans[day - 1].layout, self.plans[day - 1].after)
            operations += self.step(_after(self.plans[day - 1].after)).operations
        return operations + self._rearranged(parts_before(plan), plan.before)

    def scales(self, day: int) -> list[Scale]:
        """The scales of the step to a day."""
        return list(self.step(_after(self.plans[day - 1].after)).scales) if day else []

    def unobserved(self) -> Course:
        """The same days with nothing observed and nobody told apart."""
        sizes = [population.domain.size for population in self.structure.populations]
        plans = plan_days(sizes, [{} for _ in sizes], len(self.days))
        return self.sharing([Day()] * len(self.days), plans)

    def sharing(self, days: Sequence[Day], plans: Sequence[DayPlan]) -> Course:
        """Other days, with the same constants."""
        course = Course(self.structure, self.arithmetic, days, plans)
        course._slices, course._steps = self._slices, self._steps
        return course

    def conserves(self) -> bool:
        """Whether the total weight of all days is that of the first, up to what floats lose: rows
        of floats never sum up to one exactly. Integers, which are not divided, grow every day.
        Precondition: nothing is observed, and nobody is told apart."""
        if len(self.days) < 2 or not self.arithmetic.divides:
            return False
        observed = self.weighed(1)
        deviation = float(np.abs(observed.weights - self.arithmetic.one).max(initial=0.0))
        gain = self.step(self.plans[0].layout).gain + deviation + abs(observed.log_scale)
        return gain * len(self.days) < _ROUNDING

    def _rearranged(self, before: Layout, changes: Sequence[Rearranged]) -> list[Operation]:
        """The operations that split parts, or merge them. Those that merge need not be neighbours
        in the layout before."""
        if all(len(parts) == len(new) == 1 for parts, new in changes) and before == _after(changes):
            return []
        moved = [(tuple(map(before.index, parts)), sizes_of(new)) for parts, new in changes]
        key = sizes_of(before), tuple(moved)
        if key not in self._rearranging:
            self._rearranging[key] = self._rearrange(changes, before)
        return self._rearranging[key]

    def _rearrange(self, changes: Sequence[Rearranged], before: Layout) -> list[Operation]:
        """Parts, one change after the other. All labels are made distinct by their place."""
        start, end = self.slices(before), self.slices(_after(changes))
        labels: Labels = start.labels
        sizes = {**start.sizes}
        operations = list[Operation]()
        targets = list[Label]()
        for parts, new in changes:
            sent: Labels = tuple([(PART, before.index(part)) for part in parts])
            came: Labels = tuple([("new part", len(targets) + n) for n in range(len(new))])
            targets += came
            for label in came:
                sizes[label] = end.sizes[PART, label[1]]
            if len(parts) == len(new) == 1:
                operation = send(labels, sizes, sent, came, (), {(): ()})
            else:
                operation = send(labels, sizes, sent, came, (), {(): (self._stage(parts, new),)})
            operations.append(operation)
            labels = operation.after
        singles = [label for label in labels if label[0] == SINGLE]
        axes = tuple([labels.index(label) for label in (*singles, *targets)])
        return [*operations, Arrange(labels, end.labels, sizes, axes)]

    def _stage(self, parts: Layout, new: Layout) -> Spread | Collect:
        cells = self.structure.populations[new[0].population].cells
        if len(parts) == 1:
            return splitting(self.arithmetic, [part.size for part in new], cells)
        return merging([part.size for part in parts], cells)


def parts_after(plan: DayPlan) -> Layout:
    """The parts that take the step from a day to the next."""
    return _after(plan.after)


def _after(changes: Sequence[Rearranged]) -> Layout:
    return tuple([part for _, parts in changes for part in parts])


def parts_before(plan: DayPlan) -> Layout:
    """The parts that arrive at a day."""
    return tuple([part for parts, _ in plan.before for part in parts])
