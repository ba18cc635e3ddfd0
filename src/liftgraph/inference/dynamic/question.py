"""A question about days: what was observed, what is asked for, and how it is read off."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from liftgraph.errors import InputError, quoted
from liftgraph.inference.dynamic.arithmetic import Arithmetic, Indices, Weights
from liftgraph.inference.dynamic.cells import Structure, structure_of
from liftgraph.inference.dynamic.course import Course, DayPlan, plan_days
from liftgraph.inference.dynamic.days import Weighed
from liftgraph.inference.dynamic.factors import (
    PART,
    SINGLE,
    Factor,
    Label,
    aligned,
    state_counts,
    total_counts,
)
from liftgraph.inference.dynamic.local_counts import LocalCounts
from liftgraph.inference.dynamic.observed import Asked, Counted, Day, asked_of, days_of, prv_of
from liftgraph.inference.dynamic.parts import Layout, is_among, sizes_of
from liftgraph.inference.dynamic.passes import share_lost
from liftgraph.model.answers.marginal import Marginal
from liftgraph.model.dynamic.dynamic import Dynamic
from liftgraph.model.lifted.parfactor import PRV
from liftgraph.model.memory_limit import MEMORY_LIMIT

METHOD = "dynamic"


@dataclass(frozen=True, eq=False)
class Question:
    """A question about days: what was observed, what is asked for, and who is told apart when.

    ``local``: the population whose local variables are asked for, alone or with others; or -1.
    """

    structure: Structure
    days: Sequence[Day]
    asked: tuple[Asked, ...]
    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    plans: Sequence[DayPlan]
    local: int = -1

    @property
    def local_asked(self) -> Sequence[Counted]:
        """The counts of local variables that are asked for."""
        return counts_asked([self.asked[place] for place in self.local_places])

    @property
    def local_places(self) -> list[int]:
        """Which of what is asked for are local variables."""
        if self.local < 0:
            return []
        local = self.structure.populations[self.local].local
        return [place for place, one in enumerate(self.asked) if prv_of(one) in local]

    def course(self, arithmetic: Arithmetic) -> Course:
        return Course(self.structure, arithmetic, self.days, self.plans)


def question_of(
    model: Dynamic,
    observations: object,
    asked: Sequence[object],
    memory_limit: int = MEMORY_LIMIT,
) -> Question:
    """A question, checked."""
    if not isinstance(model, Dynamic):
        raise InputError(f"expected a dynamic model, got {quoted(type(model).__name__)}")
    days = days_of(model, observations, memory_limit)
    found, names = asked_of(model, asked) if asked else ((), ())
    single = {c.prv.name for day in days for c, _ in day.counts if not c.prv.logvars}
    single |= {prv_of(one).name for one in found if not prv_of(one).logvars}
    structure = structure_of(model, single)
    local = _local(structure, found)
    if local < 0:
        structure = structure_of(model, single | {prv_of(one).name for one in found})
    marks = [_marks(structure, place, days, found) for place in range(len(structure.populations))]
    sizes = [population.domain.size for population in structure.populations]
    states = tuple(map(_states, found))
    plans = plan_days(sizes, marks, len(days))
    return Question(structure, days, found, names, states, plans, local)


def _local(structure: Structure, asked: Sequence[Asked]) -> int:
    """The population that all local variables which are asked for belong to; -1 if there is
    none."""
    prvs = [prv_of(one) for one in asked]
    places = [
        place
        for place, population in enumerate(structure.populations)
        if any(prv in population.local for prv in prvs)
    ]
    return places[0] if len(places) == 1 else -1


def _marks(
    structure: Structure, population: int, days: Sequence[Day], asked: Sequence[Asked]
) -> dict[int, dict[int, Hashable]]:
    """What tells individuals of a population apart, by individual and day."""
    domain = structure.populations[population].domain
    marks: dict[int, dict[int, tuple[Hashable, ...]]] = {}

    def mark(prv: PRV, individual: int, day: int, what: Hashable) -> None:
        if prv.logvars[0].domain == domain:
            own = marks.setdefault(individual, {})
            own[day] = (*own.get(day, ()), what)

    for number, day in enumerate(days):
        listed = sorted(day.individual.items(), key=lambda item: (item[0][0].name, item[0][1]))
        for (prv, individual), state in listed:
            mark(prv, individual, number, (prv.name, state))
        for variable, table in day.uncertain.items():
            if not isinstance(variable, PRV):
                mark(*variable, number, (variable[0].name, table))
        for place, (counted, _) in enumerate(day.counts):
            for individual in counted.members or ():
                mark(counted.prv, individual, number, ("counted", place))
        for place, one in enumerate(asked):
            if isinstance(one, Counted):
                for individual in one.members or ():
                    mark(one.prv, individual, number, ("asked", place))
            elif not isinstance(one, PRV):
                mark(one[0], one[1], number, ("asked", place))
    return {individual: dict(by_day) for individual, by_day in marks.items()}


def counts_at(question: Question, day: int, place: tuple[int, ...], prv: PRV) -> Indices:
    """How many variables of a PRV are in each state, at an entry of the weights of a day."""
    structure, layout = question.structure, question.plans[day].layout
    if not prv.logvars:
        state = place[structure.single.index(prv)]
        return np.asarray(np.arange(len(prv.states)) == state, dtype=np.int64)
    first, parts = len(structure.single), sizes_of(layout)
    population = structure.population(prv.logvars[0].domain)
    rows = [
        state_counts(structure, parts, n, prv)[place[first + n]]
        for n, part in enumerate(layout)
        if part.population == population
    ]
    return np.asarray(np.sum(rows, axis=0), dtype=np.int64)


def marginal(
    question: Question,
    course: Course,
    day: int,
    around: Weights,
    observed: Weighed,
    lost: float,
) -> Marginal:
    """The distribution of what is asked for. ``around``: the weights of a day without its own
    observations, which are ``observed``; ``lost``: a bound on what they lack."""
    if question.local >= 0:
        sums = _local_sums(question, course, day, around, lost)
    else:
        weights = course.arithmetic.times(around, observed.weights)
        sums = _sums(course, weights, *_codes(question, course, day, range(len(question.asked))))
    sizes = [len(states) for states in question.states]
    floats, fractions = course.arithmetic.shares(sums.reshape(sizes))
    return Marginal(question.names, question.states, floats, fractions, METHOD)


def _sums(course: Course, weights: Weights, code: Indices, size: int) -> Weights:
    """The weights of each answer. ``code``: which of them an entry belongs to."""
    places = np.broadcast_to(code, weights.shape).ravel()
    return np.asarray(course.arithmetic.collect(weights.reshape(1, -1), places, size)[0])


def _codes(
    question: Question, course: Course, day: int, places: Sequence[int]
) -> tuple[Indices, int]:
    """For each entry of a day, which of the answers about some of what is asked for it belongs to,
    and how many there are."""
    layout = question.plans[day].layout
    labels = course.slices(layout).labels
    code, size = np.zeros((1,) * len(labels), dtype=np.int64), 1
    for place in places:
        values = _values(question.structure, layout, question.asked[place], labels)
        code = code * len(question.states[place]) + values
        size *= len(question.states[place])
    return code, size


def _local_sums(
    question: Question, course: Course, day: int, around: Weights, lost: float
) -> Weights:
    """The weights of the answers, if local variables are asked for.

    Alone, the weights of the day are sent to them. With others, what each of their values says of
    the day is sent back.
    """
    arithmetic, observing = course.arithmetic, course.observing(day)
    rest = observing.weighed(without=question.local)
    local = observing.local_counts(question.local, question.local_asked)
    if local is None:
        raise AssertionError("something is asked for")
    weights = arithmetic.times(around, rest.weights)
    known = observing.known(local, question.local)
    code, size = _local_codes(question, local)
    others = [n for n in range(len(question.asked)) if n not in question.local_places]
    if not others:
        sums = _sums(course, arithmetic.times(local.sent_there(weights), known), code, size)
    else:
        own_code, own_size = _codes(question, course, day, others)
        columns = []
        for value in range(size):
            chosen = np.where(code == value, known, arithmetic.zero).astype(arithmetic.dtype)
            back = aligned(local.sent_back(chosen), local.slices.labels)
            columns.append(_sums(course, arithmetic.times(weights, back), own_code, own_size))
        order = [*others, *question.local_places]
        shape = [len(question.states[place]) for place in order]
        sums = np.stack(columns, axis=1).reshape(shape).transpose(np.argsort(order))
    share_lost(arithmetic, lost, arithmetic.shrunk(sums)[1], rest.log_scale)
    return sums


def _local_codes(question: Question, local: LocalCounts) -> tuple[Indices, int]:
    """For each combination of histograms of local variables, which of the answers about these it
    belongs to, and how many there are."""
    number = len(local.counted) - len(question.local_asked)
    code, size = np.zeros_like(local.totals(0)), 1
    for place in question.local_places:
        states = question.states[place]
        if isinstance(question.asked[place], Counted):
            values, number = local.totals(number), number + 1
        else:  # one of its states has a count of one
            each = [state * local.totals(number + state) for state in range(len(states))]
            values, number = sum(each, np.zeros_like(code)), number + len(states)
        code, size = code * len(states) + values, size * len(states)
    return code, size


def counts_asked(asked: Sequence[Asked]) -> list[Counted]:
    """What is asked for, as counts: a variable of an individual is in one of its states."""
    counted = list[Counted]()
    for one in asked:
        if isinstance(one, Counted):
            counted.append(one)
        elif not isinstance(one, PRV):
            prv, individual = one
            members = frozenset([individual]) if prv.size > 1 else None
            counted += [Counted(prv.name, prv, n, members) for n in range(len(prv.states))]
    return counted


def _states(one: Asked) -> tuple[str, ...]:
    if isinstance(one, Counted):
        return tuple(map(str, range(one.largest + 1)))
    return prv_of(one).states


def _values(structure: Structure, layout: Layout, one: Asked, labels: Sequence[Label]) -> Indices:
    """The value of what is asked for, for each entry of a day: an axis for each label."""
    prv = prv_of(one)
    if not prv.logvars:
        states = np.arange(len(prv.states))
        if isinstance(one, Counted):
            states = (states == one.state).astype(np.int64)
        single = ((SINGLE, structure.single.index(prv)),)
        return aligned(Factor(single, states, Fraction(1)), labels)
    population = structure.population(prv.logvars[0].domain)
    members = one.members if isinstance(one, Counted) else frozenset(_individuals(one))
    places = [
        place
        for place, part in enumerate(layout)
        if part.population == population and is_among(part, members)
    ]
    totals = total_counts(structure, sizes_of(layout), places, prv)
    # Of one individual, the state is the one that has it.
    values = totals[..., one.state] if isinstance(one, Counted) else totals.argmax(axis=-1)
    over = Factor(tuple([(PART, place) for place in places]), values, Fraction(1))
    return aligned(over, labels)


def _individuals(one: Asked) -> tuple[int, ...]:
    return () if isinstance(one, PRV | Counted) else (one[1],)
