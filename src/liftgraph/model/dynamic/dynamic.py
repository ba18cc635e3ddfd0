"""Dynamic models: how a day begins, what it leads to, and what is observed of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, cast

from liftgraph.cache import Cached
from liftgraph.errors import InputError, quoted, short_traceback
from liftgraph.model.answering import answer_to
from liftgraph.model.lifted.parfactor import CRV, PRV, Atom, Parfactor, atom_of
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph

if TYPE_CHECKING:
    from liftgraph.model.counts import Count
    from liftgraph.model.dynamic.answers import Days, Path

    Asked = str | Count
    Observations = Sequence[Mapping[Any, Any] | None] | Mapping[int, Mapping[Any, Any]]

AFTER = "'"
MOST_DAYS = 1 << 20
A = TypeVar("A", PRV, Atom, CRV)


def after(argument: A) -> A:
    """The same argument on the next day, for a parfactor of a step.

    >>> from liftgraph import LogVar, prv
    >>> after(prv("Sick", LogVar("P", 3))).name
    "Sick'"
    """
    if isinstance(argument, PRV):
        return replace(argument, name=argument.name + AFTER)
    if isinstance(argument, Atom):
        return replace(argument, prv=after(argument.prv))
    if isinstance(argument, CRV):
        return replace(argument, atom=after(argument.atom))
    raise InputError(f"expected a PRV, with or without logvars, or a CRV, got {quoted(argument)}")


def of_a_day(prv: PRV) -> PRV:
    """The PRV of today that a PRV of today or tomorrow belongs to."""
    return replace(prv, name=prv.name.removesuffix(AFTER))


@dataclass(frozen=True, repr=False)
class Dynamic(Cached):
    """A dynamic model: the same PRVs every day, and parfactors about a day and the next one.

    ``start``: parfactors about the first day. ``step``: about a day and the next one, whose PRVs
    are written ``after(prv)``. ``observe``: about any single day. A PRV stands for other variables
    each day: if something stays the same, a parfactor in ``step`` must say so. The first day is 0.
    ``names``: other names by which variables can be called, too.

    Questions take ``observations``: a list with a mapping for each day (None if nothing was
    observed), or a mapping from days. They observe variables, named as in any lifted model
    (``Sick.alice``), by a state or a likelihood, and counts. If you ask for several things, the
    answers are joint distributions.
    ``options``: ``exact``, in fractions; ``memory_limit`` in bytes.

    >>> from liftgraph import LogVar, count, crv, different, parfactor, prv
    >>> P = LogVar("P", 100); Q = LogVar("Q", P); sick = prv("Sick", P)
    >>> start = parfactor([sick], ["0.1", "0.9"])
    >>> def infection(others, now, then):
    ...     risk = Fraction(others["true"], 200) if now == "false" else Fraction(1, 2)
    ...     return risk if then == "true" else 1 - risk
    >>> others = crv(sick(Q), Q, where=different(P, Q))
    >>> step = parfactor([others, sick, after(sick)], infection, different(P, Q))
    >>> model = Dynamic([start], [step])
    >>> days = model.filter([None, {count("Sick"): 20}, None], count("Sick"))
    >>> [round(day.mean, 3) for day in days]
    [10.0, 20.0, 18.0]
    """

    start: tuple[Parfactor, ...]
    step: tuple[Parfactor, ...]
    observe: tuple[Parfactor, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)

    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self,
        start: Iterable[Parfactor] | Parfactor,
        step: Iterable[Parfactor] | Parfactor,
        observe: Iterable[Parfactor] | Parfactor = (),
        *,
        names: Mapping[str, str] | None = None,
    ) -> None:
        object.__setattr__(self, "names", dict(names or {}))
        for name, parfactors in (("start", start), ("step", step), ("observe", observe)):
            object.__setattr__(self, name, _listed(name, parfactors))
        for prv in self.prvs:
            if prv.name.endswith(AFTER):
                raise InputError(f"expected PRVs of a day and the next one, got {after(prv).name}")
        for name, parfactors in (("start", self.start), ("observe", self.observe)):
            for prv in _prvs(parfactors):
                if prv.name.endswith(AFTER):
                    raise InputError(f"{name}: expected PRVs of one day, got {prv.name}")
        ParfactorGraph.of([*self.start, *self.step, *self.observe], [*self.prvs, *self.later])

    @cached_property
    def prvs(self) -> tuple[PRV, ...]:
        """The PRVs of a day."""
        used = _prvs((*self.start, *self.step, *self.observe))
        return tuple(dict.fromkeys(map(of_a_day, used)))

    @property
    def later(self) -> tuple[PRV, ...]:
        """The same PRVs on the next day."""
        return tuple([after(prv) for prv in self.prvs])

    @short_traceback
    def filter(self, observations: Observations, *asked: Asked, **options: Any) -> Days:
        """The distributions of each day, given what was observed up to that day."""
        return cast("Days", answer_to("filter")(self, observations, *asked, **options))

    @short_traceback
    def forecast(
        self, observations: Observations, horizon: int, *asked: Asked, **options: Any
    ) -> Days:
        """The distributions of ``horizon`` days after the observed ones."""
        return cast("Days", answer_to("forecast")(self, observations, horizon, *asked, **options))

    @short_traceback
    def smooth(self, observations: Observations, *asked: Asked, **options: Any) -> Days:
        """The distributions of each day, given what was observed on all days."""
        return cast("Days", answer_to("smooth")(self, observations, *asked, **options))

    @short_traceback
    def log_likelihood(self, observations: Observations, **options: Any) -> float:
        """The logarithm of the probability of the observations; -inf if they are impossible."""
        return cast(float, answer_to("likelihood_of_days")(self, observations, **options))

    @short_traceback
    def likelihood(self, observations: Observations, **options: Any) -> Fraction:
        """The probability of the observations, exactly."""
        return cast(Fraction, answer_to("likelihood")(self, observations, **options))

    @short_traceback
    def most_probable_path(self, observations: Observations, **options: Any) -> Path:
        """How many individuals are in which states each day in a most probable assignment of all
        variables of all days: the assignment which ``mpe`` of the unrolled model finds."""
        return cast("Path", answer_to("most_probable_path")(self, observations, **options))

    @short_traceback
    def unrolled(self, days: int) -> ParfactorGraph:
        """All of these days in one lifted model; ``Sick@3`` is the PRV Sick on day 3."""
        return cast(ParfactorGraph, answer_to("unrolled")(self, days))

    @short_traceback
    def explain(self, observations: Observations, *asked: Asked, **options: Any) -> Any:
        """What filtering will do and what it will cost; print the result to read it."""
        return answer_to("explain_days")(self, observations, *asked, **options)

    def __repr__(self) -> str:
        parts = ((name, len(getattr(self, name))) for name in ("start", "step", "observe"))
        shown = ", ".join(f"{count} in {name}" for name, count in parts)
        return f"Dynamic({', '.join(prv.name for prv in self.prvs)}; parfactors: {shown})"


def _listed(name: str, parfactors: object) -> tuple[Parfactor, ...]:
    listed = (parfactors,) if isinstance(parfactors, Parfactor) else parfactors
    if not isinstance(listed, Iterable):
        raise InputError(f"{name}: expected parfactors, got {quoted(parfactors)}")
    checked = tuple(listed)
    for parfactor in checked:
        if not isinstance(parfactor, Parfactor):
            raise InputError(f"{name}: expected parfactors, got {quoted(parfactor)}")
    return checked


def _prvs(parfactors: Iterable[Parfactor]) -> list[PRV]:
    listed = [atom_of(argument).prv for parfactor in parfactors for argument in parfactor.arguments]
    return list(dict.fromkeys(listed))
