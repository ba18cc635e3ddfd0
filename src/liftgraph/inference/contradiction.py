"""Observations that contradict each other, where a question has no answer because of them.

The observations are contradictory together. Arc consistency (Mackworth 1977) on the zeros of tables
often shows which of them are to blame: each value that a variable loses has its reasons.
QuickXplain (Junker 2004) then leaves a set that is contradictory, while none of its proper subsets
is. It asks arc consistency first, then whether the total weight is zero. Where that takes too much,
an observation stays: what is named is always contradictory, though perhaps not as small as can be.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import wraps
from math import prod
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import ComputationError, MemoryLimitError, ZeroWeightError
from liftgraph.inference.counts import plan_question
from liftgraph.inference.methods import Model, find_variable
from liftgraph.inference.named_states import name_and_states
from liftgraph.model.counts import Count, event_of
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.likelihoods import likelihood, likelihood_in
from liftgraph.model.ground.names import state_index
from liftgraph.model.ground.table import Table
from liftgraph.model.lifted.evidence import LiftedEvidence
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph, as_graph
from liftgraph.model.lifted.variables import Place, index_of
from liftgraph.model.memory_limit import MEMORY_LIMIT
from liftgraph.model.query import PARTITION, Query
from liftgraph.model.questions import Given

F = TypeVar("F", bound=Callable[..., Any])
Chosen = Sequence[int]  # observations, by their place in the list
_WORK = 200_000  # arguments of factors, in all models whose total weight is asked for together
_ENTRIES = 10**6  # that a question about the total weight may read
_VISITS = 20_000  # of factors, in one round of arc consistency, and ten times this in all rounds
_WRITTEN_OUT = 50_000  # arguments of lifted models that are written out for arc consistency
_SMALL = 1 << 12  # entries of tables that are looked at
_NAMED = 6  # observations that are listed


@dataclass(frozen=True)
class _Observation:
    """An observation of a variable or a count.

    ``own``: whether it is evidence of the model, not of the question. ``text``: as it is named.
    ``variable``: the index of its variable in the ground model, and ``possible``: the states that
    it leaves; none for counts."""

    key: Any
    value: Any
    own: bool
    text: str
    variable: int | None = None
    possible: NDArray[np.bool_] | None = None


def naming_contradictions(function: F) -> F:
    """A function that answers questions, whose ``ZeroWeightError`` names observations."""

    @wraps(function)
    def asked(model: Model, *variables: Any, **options: Any) -> Any:
        with contradictions_named(model, options):
            return function(model, *variables, **options)

    return cast(F, asked)


@contextmanager
def contradictions_named(model: Model, options: Mapping[str, Any]) -> Iterator[None]:
    """A ``ZeroWeightError`` from inside names observations that contradict each other.

    ``options``: those of the question; ``given`` and ``memory_limit`` are read.
    """
    try:
        yield
    except ZeroWeightError as error:
        if not isinstance(model, FactorGraph | ParfactorGraph):
            raise
        limit = options.get("memory_limit", MEMORY_LIMIT)
        raise contradiction(model, options.get("given") or {}, limit) from error


def contradiction(model: Model, given: Given, memory_limit: int) -> ZeroWeightError:
    """The error for a question that has no answer. Precondition: evidence of the model and of the
    question leaves nothing possible."""
    asked = _Asked(model, given, memory_limit)
    if asked.is_impossible([]):
        return ZeroWeightError(
            "nothing is possible, whatever is observed: every assignment of the model has weight"
            " zero"
        )
    smallest = asked.smallest()
    texts = [asked.observations[place].text for place in smallest]
    return ZeroWeightError(f"nothing is possible: {_listed(texts, asked.complete)}", tuple(texts))


def _listed(texts: Sequence[str], complete: bool) -> str:
    if len(texts) == 1:
        return f"{texts[0]} contradicts the model"
    more = len(texts) - _NAMED
    shown = [*texts[:_NAMED], f"{more:,} more"] if more > 1 else texts
    together = f"{', '.join(shown[:-1])} and {shown[-1]}"
    if complete:
        return f"{together} contradict each other"
    return f"some of these {len(texts):,} observations contradict each other: {together}"


class _Asked:
    """A question without an answer, and which of its observations are contradictory, as far as that
    can be found out quickly.

    ``complete``: whether it always could be.
    """

    def __init__(self, model: Model, given: Given, memory_limit: int) -> None:
        self.memory_limit = memory_limit
        self.bare, self.observations = _bare(model), [*_own(model), *_of_question(model, given)]
        self.complete, self._work = True, 0
        self.consistency: _ArcConsistency | None = None
        if isinstance(model, FactorGraph) or model.edge_count <= _WRITTEN_OUT:
            with suppress(MemoryLimitError):
                graph = as_graph(self.bare, memory_limit)
                self.consistency = _ArcConsistency(graph, self.observations)

    def smallest(self) -> list[int]:
        """Observations that contradict each other, with no others if decisions were complete."""
        chosen = list(range(len(self.observations)))
        if self.consistency is not None:
            while (blamed := self.consistency.blamed(chosen)) is not None:
                if len(blamed) == len(chosen):
                    break
                chosen = blamed
            if blamed is not None:
                inconsistent = self.consistency.is_inconsistent
                chosen = quick_explanation(inconsistent, chosen)
        return quick_explanation(self.is_impossible, chosen)

    def is_impossible(self, chosen: Chosen) -> bool:
        """Whether the total weight given some observations is zero, for certain."""
        observations = [self.observations[place] for place in chosen]
        self._work += self.bare.edge_count + len(chosen)
        if self._work > _WORK:
            self.complete = False
            return False
        model = _observing(self.bare, [one for one in observations if one.own])
        given = {one.key: one.value for one in observations if not one.own}
        limit = self.memory_limit
        try:
            query = Query(PARTITION.name)
            planned = plan_question(model, query, given, memory_limit=limit, search_seconds=0)
            if planned.work <= _ENTRIES:
                planned.run()
                return False
        except ZeroWeightError:
            return True
        except ComputationError:
            pass
        self.complete = False
        return False


def quick_explanation(is_impossible: Callable[[Chosen], bool], chosen: Chosen) -> list[int]:
    """A part of something impossible that is impossible, while no proper part of it is.

    ``is_impossible``: False where it does not know; then some parts may be, too. Precondition:
    nothing at all is not impossible, and everything that is chosen is.

    >>> quick_explanation(lambda places: {2, 5} <= {*places}, range(8))
    [2, 5]
    """

    def explained(background: Chosen, places: Chosen, is_new: bool) -> list[int]:
        if is_new and is_impossible(background):
            return []
        if len(places) == 1:
            return [*places]
        first, second = places[: len(places) // 2], places[len(places) // 2 :]
        later = explained([*background, *first], second, True)
        return explained([*background, *later], first, bool(later)) + later

    return explained([], chosen, False) if chosen else []


def _bare(model: Model) -> Model:
    """A model without its evidence about single variables; those of PRVs that it observes as a
    whole, as interventions do, keep theirs."""
    if isinstance(model, ParfactorGraph):
        kept = {place: state for place, state in model.evidence.items() if _as_whole(model, place)}
        return replace(model, evidence=LiftedEvidence(kept))
    return model.observing({})


def _as_whole(model: ParfactorGraph, place: Place) -> bool:
    return model.prvs[place[0]].observed is not None


def _own(model: Model) -> Iterator[_Observation]:
    """The observations of a model, states as their indices."""
    if isinstance(model, FactorGraph):
        for variable, state in model.evidence.items():
            name = model.states(variable)[state]
            yield replace(_observation(model, variable, name, True), value=state)
        return
    for place, state in model.evidence.items():
        if not _as_whole(model, place):
            name = model.prvs[place[0]].states[state]
            found = _observation(model, model.name(place), name, True)
            yield replace(found, key=place, value=state)
    for place, table in model.evidence.likelihoods.items():
        yield replace(_observation(model, model.name(place), table, True), key=place)


def _observing(bare: Model, own: Sequence[_Observation]) -> Model:
    """A model with some of the evidence that it was stripped of."""
    if isinstance(bare, FactorGraph):
        return bare.observing({one.key: one.value for one in own})
    states = {one.key: one.value for one in own if not isinstance(one.value, Table)}
    likelihoods = {one.key: one.value for one in own if isinstance(one.value, Table)}
    return replace(bare, evidence=LiftedEvidence({**bare.evidence, **states}, likelihoods))


def _of_question(model: Model, given: Given) -> Iterator[_Observation]:
    for key, value in given.items():
        if isinstance(key, Count):
            yield _Observation(key, value, False, f"{key}={event_of(key, value).numbers}")
        else:
            yield _observation(model, key, value, False)


def _observation(model: Model, key: Any, value: Any, own: bool) -> _Observation:
    place = find_variable(model, key)
    name, states = name_and_states(model, place)
    variable = index_of(model.places, place) if isinstance(model, ParfactorGraph) else place
    written = likelihood_in(value, lambda: states)
    if written is not None:
        numbers = likelihood(name, states, written)
        text = ",".join(str(numbers.potential((state,))) for state in range(len(states)))
        possible = np.array([bool(weight) for weight in numbers.integers])
    else:
        state = state_index(name, states, value)
        text, possible = states[state], np.arange(len(states)) == state
    return _Observation(key, value, own, f"{name}={text}", variable, possible)


@dataclass(frozen=True)
class _Event:
    """The loss of values of a variable. ``observation``: because of this one, if any;
    ``because``: the earlier events that made it so."""

    observation: int | None
    because: tuple[int, ...]


class _ArcConsistency:
    """Arc consistency: variables lose the values that no table allows, until nothing changes."""

    def __init__(self, graph: FactorGraph, observations: Sequence[_Observation]) -> None:
        self.graph, self.observations = graph, observations
        factor = np.repeat(np.arange(graph.factor_count), np.diff(graph.scope_ptr))
        self._factors = factor[np.argsort(graph.scope, kind="stable")]
        counts = np.bincount(graph.scope, minlength=graph.variable_count)
        self._start = np.append(0, np.cumsum(counts))
        self._supports: dict[int, NDArray[np.bool_] | None] = {}
        self._visits = 10 * _VISITS

    def is_inconsistent(self, chosen: Chosen) -> bool:
        """Whether a variable loses all values; if not, observations may be contradictory still."""
        return self.blamed(chosen) is not None

    def blamed(self, chosen: Chosen) -> list[int] | None:
        """Observations because of which a variable loses all values; None if none does."""
        possible, last = dict[int, NDArray[np.bool_]](), dict[int, int]()
        events, queue = list[_Event](), deque[int]()

        def is_empty(variable: int, left: NDArray[np.bool_], event: _Event) -> bool:
            """Whether nothing is left for a variable that can only have these values."""
            before = possible.get(variable)
            now = left if before is None else left & before
            if now.all() if before is None else np.array_equal(now, before):
                return False
            possible[variable], last[variable] = now, len(events)
            events.append(event)
            start, end = self._start[variable : variable + 2].tolist()
            queue.extend(self._factors[start:end].tolist())
            return not now.any()

        for place in chosen:
            observation = self.observations[place]
            variable, left = observation.variable, observation.possible
            if variable is None or left is None:
                continue
            if is_empty(variable, left, _Event(place, _last_of([variable], last))):
                return _reasons(events)
        visits = min(_VISITS, self._visits)
        while queue and visits:
            factor = queue.popleft()
            visits -= 1
            self._visits -= 1
            scope = self.graph.scope_of(factor)
            support = self._support(factor)
            if support is None:
                continue
            for axis, variable in enumerate(scope):
                if variable in possible:
                    shape = [-1 if other == axis else 1 for other in range(len(scope))]
                    support = support & possible[variable].reshape(shape)
            event = _Event(None, _last_of(scope, last))
            for axis, variable in enumerate(scope):
                others = tuple([other for other in range(len(scope)) if other != axis])
                left = np.asarray(support.any(axis=others))
                if is_empty(variable, left, event):
                    return _reasons(events)
        return None

    def _support(self, factor: int) -> NDArray[np.bool_] | None:
        """Where the table of a factor is not zero; None if it is large."""
        kind = int(self.graph.table_id[factor])
        if kind not in self._supports:
            potential = self.graph.potentials[kind]
            small = prod(potential.shape) <= _SMALL
            self._supports[kind] = potential.table().integers != 0 if small else None
        return self._supports[kind]


def _last_of(scope: Iterable[int], last: Mapping[int, int]) -> tuple[int, ...]:
    return tuple([last[variable] for variable in scope if variable in last])


def _reasons(events: Sequence[_Event]) -> list[int]:
    """The observations that made the last event happen."""
    needed, places = {len(events) - 1}, set[int]()
    for index in range(len(events) - 1, -1, -1):
        if index in needed:
            needed.update(events[index].because)
            observation = events[index].observation
            if observation is not None:
                places.add(observation)
    return sorted(places)
