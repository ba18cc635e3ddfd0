"""Questions about days, and their answers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, TypeVar

import numpy as np

from liftgraph.display import counted, format_bytes
from liftgraph.errors import InputError, ZeroWeightError, quoted
from liftgraph.inference.dynamic.arithmetic import (
    FLOATS,
    INTEGERS,
    LOGARITHMS,
    MAXIMA,
    WIDE_FLOATS,
    Weights,
)
from liftgraph.inference.dynamic.course import Course
from liftgraph.inference.dynamic.days import Weighed
from liftgraph.inference.dynamic.memory import Cost, cost_of
from liftgraph.inference.dynamic.observed import days_of
from liftgraph.inference.dynamic.passes import (
    BeyondFloatsError,
    Forward,
    backward,
    forward,
    path,
    total_of_all,
)
from liftgraph.inference.dynamic.question import Question, counts_at, marginal, question_of
from liftgraph.model import answering
from liftgraph.model.answers.marginal import Marginal
from liftgraph.model.dynamic.answers import Days, Path
from liftgraph.model.dynamic.dynamic import MOST_DAYS, Dynamic
from liftgraph.model.dynamic.unrolling import unrolled
from liftgraph.model.ground.names import is_count
from liftgraph.model.memory_limit import MEMORY_LIMIT, checked_memory_limit
from liftgraph.model.options import unknown_option
from liftgraph.semiring.pairs import log_of_product

T = TypeVar("T")
_ASK = "expected something to ask for, such as liftgraph.count(...), got nothing"


@dataclass(frozen=True)
class Options:
    """How to answer. ``exact``: in fractions; ``memory_limit``: in bytes."""

    exact: bool = False
    memory_limit: int = MEMORY_LIMIT


def _checked(options: Mapping[str, Any]) -> Options:
    for name in options:
        if name not in ("exact", "memory_limit"):
            raise unknown_option(name, ["exact", "memory_limit"])
    limit = checked_memory_limit(options.get("memory_limit", MEMORY_LIMIT))
    return Options(bool(options.get("exact", False)), limit)


def _answered(question: Question, options: Options, keep: bool, run: Callable[[Course], T]) -> T:
    """In floats; with smaller ones, or in logarithms, if they lose too much; or exactly."""
    sizes = [len(states) for states in question.states]
    kinds = [INTEGERS] if options.exact else [FLOATS, WIDE_FLOATS, LOGARITHMS]
    for arithmetic in kinds:
        course = question.course(arithmetic)
        cost_of(course, keep, sizes, options.memory_limit, question.local_asked)
        try:
            return run(course)
        except BeyondFloatsError:
            continue
    raise AssertionError("logarithms lose nothing")


def filter_days(model: Dynamic, observations: object, *asked: object, **options: Any) -> Days:
    """The distributions of each day, given what was observed up to that day."""
    return Days(_filter(model, observations, asked, _checked(options)))


def _filter(
    model: Dynamic, observations: object, asked: Sequence[object], options: Options
) -> tuple[Marginal, ...]:
    if not asked:
        raise InputError(_ASK)
    question = question_of(model, observations, asked, options.memory_limit)
    return _answered(question, options, False, partial(_filtered, question))


def _filtered(question: Question, course: Course) -> tuple[Marginal, ...]:
    marginals = list[Marginal]()

    def read(day: int, around: Weights, observed: Weighed, lost: float) -> None:
        marginals.append(marginal(question, course, day, around, observed, lost))

    forward(course, read)
    return tuple(marginals)


def forecast(
    model: Dynamic, observations: object, horizon: int, *asked: object, **options: Any
) -> Days:
    """The distributions of ``horizon`` days after the observed ones."""
    if not is_count(horizon) or horizon < 0:
        raise InputError(f"expected a number of days to forecast, got {quoted(horizon)}")
    first = len(days_of(model, observations, _checked(options).memory_limit))
    if first + horizon > MOST_DAYS:
        raise InputError(f"expected at most {MOST_DAYS:,} days, got {first + int(horizon):,}")
    longer = [*_by_day(observations, first), *[None] * int(horizon)]
    return Days(_filter(model, longer, asked, _checked(options))[first:], first)


def _by_day(observations: Any, days: int) -> list[Any]:
    if isinstance(observations, Sequence):
        return list(observations)
    return [observations.get(day) for day in range(days)]


def smooth(model: Dynamic, observations: object, *asked: object, **options: Any) -> Days:
    """The distributions of each day, given what was observed on all days."""
    if not asked:
        raise InputError(_ASK)
    checked = _checked(options)
    question = question_of(model, observations, asked, checked.memory_limit)
    return Days(_answered(question, checked, True, partial(_smoothed, question)))


def _smoothed(question: Question, course: Course) -> tuple[Marginal, ...]:
    marginals: dict[int, Marginal] = {}

    def read(day: int, around: Weights, observed: Weighed, lost: float) -> None:
        marginals[day] = marginal(question, course, day, around, observed, lost)

    backward(course, forward(course, keep=True), read)
    return tuple([marginals[day] for day in range(len(marginals))])


def log_likelihood(model: Dynamic, observations: object, **options: Any) -> float:
    """The logarithm of the probability of the observations."""
    checked = _checked(options)
    if checked.exact:
        exact = likelihood(model, observations, **options)
        return log_of_product([(exact, 1)]) if exact else -math.inf
    question = question_of(model, observations, (), checked.memory_limit)
    return _answered(question, checked, False, _log_likelihood)


def _log_likelihood(course: Course) -> float:
    everything = total_of_all(course.unobserved())
    try:
        observed = forward(course)
    except ZeroWeightError:
        return -math.inf
    inverse = [(1 / scale, times) for scale, times in everything.scales]
    logs = [((log, 0.0), 1) for log in observed.logs]
    logs += [((-log, 0.0), 1) for log in everything.logs]
    return log_of_product([*observed.scales, *inverse], logs)


def likelihood(model: Dynamic, observations: object, **options: Any) -> Fraction:
    """The probability of the observations, exactly."""
    exactly = _checked({**options, "exact": True})
    question = question_of(model, observations, (), exactly.memory_limit)
    return _answered(question, exactly, False, _likelihood)


def _likelihood(course: Course) -> Fraction:
    everything = _total(total_of_all(course.unobserved()))
    try:
        return _total(forward(course)) / everything
    except ZeroWeightError:
        return Fraction(0)


def _total(result: Forward) -> Fraction:
    scales = [scale**times for scale, times in result.scales]
    return Fraction(result.total) * math.prod(scales, start=Fraction(1))


def most_probable_path(model: Dynamic, observations: object, **options: Any) -> Path:
    """How many individuals are in which states each day, in a most probable assignment."""
    limit = _checked(options).memory_limit
    question = question_of(model, observations, (), limit)
    course = question.course(MAXIMA)
    cost_of(course, True, (), limit)
    kept = forward(course, keep=True)
    places = path(course, kept)
    structure = question.structure
    counted = [prv for population in structure.populations for prv in population.prvs]
    counts = {}
    for prv in (*structure.single, *counted):
        rows = [counts_at(question, day, place, prv) for day, place in enumerate(places)]
        counts[prv.name] = np.array(rows, dtype=np.int64).reshape(len(rows), len(prv.states))
    states = {prv.name: prv.states for prv in (*structure.single, *counted)}
    return Path(counts, states, log_of_product(kept.scales, [((kept.total, 0.0), 1)]))


@dataclass(frozen=True)
class DaysPlan:
    """What filtering will do, and what it costs; printing it describes it."""

    days: int
    cost: Cost
    told_apart: int

    @property
    def peak_bytes(self) -> int:
        """A bound on the memory it will take beyond the model, in bytes."""
        return self.cost.peak_bytes

    @property
    def work(self) -> int:
        """How many entries of tables will be read."""
        return self.cost.work

    @property
    def text(self) -> str:
        """What will be done, in a few lines."""
        cost, parts = self.cost, counted(self.told_apart, "part")
        up_to = "up to " * (self.told_apart != 1)
        return "\n".join(
            [
                f"{counted(self.days, 'day')}; individuals are counted in {up_to}{parts}",
                f"  a day has {counted(cost.entries, 'histogram')} or fewer",
                f"  the constants of steps have {counted(cost.stages, 'entry')}",
                f"  needs {format_bytes(cost.peak_bytes)}",
            ]
        )

    def __str__(self) -> str:
        return self.text


def explain_days(model: Dynamic, observations: object, *asked: object, **options: Any) -> DaysPlan:
    """What filtering will do, and what it costs."""
    checked = _checked(options)
    question = question_of(model, observations, asked, checked.memory_limit)
    course = question.course(INTEGERS if checked.exact else FLOATS)
    sizes = [len(states) for states in question.states]
    cost = cost_of(course, False, sizes, checked.memory_limit, question.local_asked)
    parts = max([len(plan.layout) for plan in question.plans], default=0)
    return DaysPlan(len(question.days), cost, parts)


answering.register(
    filter=filter_days,
    forecast=forecast,
    smooth=smooth,
    likelihood_of_days=log_likelihood,
    likelihood=likelihood,
    most_probable_path=most_probable_path,
    explain_days=explain_days,
    unrolled=unrolled,
)
