"""Questions asked before, with other states: one look-up leads to the plan, or to the answer.

Names and options were checked the first time. Which variables are observed decides on the plan,
so the states are all that is new. Where they change no table, they cannot change the answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, cast

from liftgraph.cache import Memo
from liftgraph.inference.ground.memory import kept_bytes
from liftgraph.inference.ground.pattern import Pattern
from liftgraph.inference.ground.plan import GroundPlan
from liftgraph.inference.ground.run import run_ground
from liftgraph.inference.ground.witness import is_witnessed
from liftgraph.model.answers.marginal import Marginal
from liftgraph.model.ground.evidence import Evidence
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.names import States


class Key(NamedTuple):
    """A question but for the states: names only, since 1, 1.0 and True are equal as keys."""

    evidence: Evidence
    asked: tuple[str, ...]
    exact: bool
    observed: tuple[str, ...]
    method: str


class _Asked(NamedTuple):
    """What is kept of a question. ``observed``: the variables it observes, with their states.
    ``answer``: the one that it has in all states, if there is such a one."""

    pattern: Pattern
    observed: tuple[tuple[int, States], ...]
    answer: Marginal | None


_ASKED: Memo[Key, _Asked] = Memo(
    "questions asked before", most=1 << 26, size=lambda asked: kept_bytes(asked.pattern)
)


def key_of(
    model: object,
    variables: tuple[object, ...],
    given: object,
    exact: bool,
    options: Mapping[str, object],
) -> Key | None:
    """The key of a question; None if it is not worth keeping: with other options, or indices."""
    if type(model) is not FactorGraph or (given is not None and type(given) is not dict):
        return None
    observed = tuple(given) if given else ()
    method = options.get("method", "auto")
    if len(options) > ("method" in options):
        return None
    for name in (method, *variables, *observed):
        if type(name) is not str:
            return None
    return Key(model.evidence, cast(tuple[str, ...], variables), exact, observed, cast(str, method))


def answer_again(
    graph: FactorGraph, key: Key, given: Mapping[str, object] | None
) -> Marginal | None:
    """The answer to a question that was asked before; None if it was not, or not like this."""
    asked = _ASKED.find(graph.cache, key)
    if asked is None:
        return None
    pattern, states = asked.pattern, dict[int, int]()
    for (variable, names), state in zip(asked.observed, (given or {}).values(), strict=True):
        if type(state) is not str or state not in names:
            return None
        states[variable] = names.index(state)
    if not is_witnessed(graph, pattern, states):
        return None
    if asked.answer is not None:
        return asked.answer
    return cast(Marginal, run_ground(GroundPlan(graph, pattern, states, run_ground)))


def keep(key: Key, planned: object, answer: Marginal) -> None:
    """Keep a question that was answered, if ground elimination did, for all states.

    A pattern that asks whether the graph's own evidence is possible is not kept: the answer has
    proven that it is.
    """
    if not isinstance(planned, GroundPlan) or planned.carry_out is not run_ground:
        return
    graph, pattern, states = planned.graph, planned.pattern, planned.states
    if pattern.doubtful or len(states) < len(key.observed):  # observed by the graph, too
        return
    variables = map(graph.variable, key.observed)
    observed = tuple([(variable, graph.states(variable)) for variable in variables])
    steady = answer if _is_steady(pattern, frozenset(states)) else None
    _ASKED.get(graph.cache, key, lambda: _Asked(pattern, observed, steady))


def _is_steady(pattern: Pattern, observed: frozenset[int]) -> bool:
    """Whether the states of these variables change neither a table nor what the answer names."""
    if pattern.changes.tables or not observed.isdisjoint(pattern.variables):
        return False
    return all(observed.isdisjoint(piece.observed) for piece in pattern.reduction.settled)
