"""Relevance first: the factors that can matter for a question, found from the asked variables.

Evidence separates, and what is below everything asked and observed sums to a constant (Shachter
1986: barren nodes; Geiger, Verma and Pearl 1990: requisite ones). What is left is walked from the
asked variables, so that the rest of the graph costs nothing.

The rest can still make the question meaningless: if it has weight zero. It has not if the model
is possible and the question observes nothing there; or if every zero in it is in a factor that
sums to a constant over a free variable (choose states from the top down: there is always one with
weight). The other parts are listed: the caller has to find that their weight is not zero.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from math import inf
from typing import NamedTuple

import numpy as np

from liftgraph.cache import Memo
from liftgraph.inference.ground.orientation import (
    Orientation,
    Rows,
    factors_of_variables,
    orientation,
)
from liftgraph.model.ground.evidence import Evidence
from liftgraph.model.ground.factor_graph import FactorGraph

Part = tuple[int, ...]  # factors, increasing


class Relevance(NamedTuple):
    """What matters for a question.

    ``factors``: those that can change the answer, increasing. ``unproven``: other parts, connected
    each, whose weight given the evidence may be zero: then nothing is possible, and the question
    has no answer. ``prunable``: whether pruning may take away more factors. ``doubtful``: whether
    the graph's own evidence may be impossible, as far as its questions have told (``is_proven``).
    """

    factors: Part
    unproven: tuple[Part, ...]
    prunable: bool
    doubtful: bool


class _Background(NamedTuple):
    """What a graph's own evidence decides for all questions.

    ``fixed``: for each variable, whether it is observed or has one state, as a byte; ``needed``:
    whether it is at or above an observed one. ``factors_of``: for each variable, its factors
    without arrows and those that needed variables own. ``unproven``: parts whose weight may be
    zero.
    """

    fixed: bytes
    needed: bytes
    factors_of: Rows
    unproven: tuple[Part, ...]


class _Question(NamedTuple):
    """A graph with its evidence, and what a question observes.

    ``above``: the factors, beside those in the background, that the question needs: the own ones
    of variables at or above what is asked or observed; for each variable in them. ``most``: how
    many factors may be looked at.
    """

    arrows: Orientation
    background: _Background
    observed: Collection[int]
    above: dict[int, list[int]]
    most: float


_BACKGROUNDS: Memo[Evidence, _Background] = Memo("what evidence decides", most=4)
_REACHES: Memo[tuple[Evidence, frozenset[int], tuple[int, ...], int], bool] = Memo(
    "whether few factors matter", most=256
)
_POSSIBLE: Memo[Evidence, bool] = Memo("possible evidence", most=64)


class BeyondReachError(Exception):
    """More factors matter than was allowed."""


def relevant(
    graph: FactorGraph, observed: Collection[int], asked: Sequence[int], most: float = inf
) -> Relevance:
    """The factors that matter for the joint distribution of the asked variables.

    ``observed``: variables that the question observes beside the graph's own evidence, whatever
    their states. What the graph's own evidence decides is kept with the graph; the question costs
    what is connected with it. ``most``: how many factors may be looked at for it, or
    ``BeyondReachError`` is raised.

    >>> from liftgraph import FactorGraphBuilder
    >>> builder = FactorGraphBuilder()
    >>> _ = builder.add_variables(4)
    >>> for left in range(3):
    ...     _ = builder.add_factor([left, left + 1], [[2, 1], [1, 3]])
    >>> relevant(builder.build(), {2}, [0]).factors
    (0, 1)
    """
    arrows = orientation(graph)
    background = _BACKGROUNDS.get(graph.cache, graph.evidence, lambda: _background(graph, arrows))
    above = _above(arrows, background.needed, [*asked, *observed], most)
    question = _Question(arrows, background, observed, above, most)
    walked: set[int] = set()
    free = [variable for variable in asked if _is_free(question, variable)]
    part = _connected(question, _factors_at(question, free), walked)
    unproven = _unproven(question, _factors_at(question, observed), walked)
    doubtful = bool(background.unproven) and not is_proven(graph)
    if doubtful:
        # Each of these was walked as a whole or not at all.
        unproven += [other for other in background.unproven if other[0] not in walked]
    if len(part) + sum(map(len, unproven)) > most:
        raise BeyondReachError
    return Relevance(tuple(sorted(part)), tuple(unproven), not arrows.complete, doubtful)


def reaches_at_most(
    graph: FactorGraph, observed: frozenset[int], asked: tuple[int, ...], most: int
) -> bool:
    """Whether at most this many factors matter for a question, or may make it impossible; kept."""

    def walked() -> bool:
        try:
            relevant(graph, observed, asked, most)
        except BeyondReachError:
            return False
        return True

    return _REACHES.get(graph.cache, (graph.evidence, observed, asked, most), walked)


def is_proven(graph: FactorGraph) -> bool:
    """Whether a graph's own evidence is known to be possible."""
    return _POSSIBLE.has(graph.cache, graph.evidence)


def keep_possible(graph: FactorGraph) -> None:
    """Note that a graph's own evidence is possible, since a question about it has an answer."""
    _POSSIBLE.get(graph.cache, graph.evidence, lambda: True)


def _background(graph: FactorGraph, arrows: Orientation) -> _Background:
    fixed = graph.cardinalities == 1
    fixed[graph.evidence.variables] = True
    needed = np.zeros(graph.variable_count, dtype=np.bool_)
    chosen = np.asarray(arrows.owner, dtype=np.int32) < 0
    if not chosen.all():
        above = _ancestors(arrows, graph.evidence, bytes(graph.variable_count), inf)
        needed[above] = True
        chosen[[arrows.own[variable] for variable in above if arrows.own[variable] >= 0]] = True
    factors_of = factors_of_variables(graph, chosen)
    background = _Background(fixed.tobytes(), needed.tobytes(), factors_of, ())
    if arrows.positive:
        return background
    question = _Question(arrows, background, (), {}, inf)
    doubtful = [f for f in np.flatnonzero(chosen).tolist() if _is_doubtful(question, f)]
    return background._replace(unproven=tuple(_unproven(question, doubtful, set())))


def _ancestors(
    arrows: Orientation, variables: Iterable[int], beside: bytes, most: float
) -> list[int]:
    """The variables at or above some of them, without those beside; at most this many."""
    found = [variable for variable in dict.fromkeys(variables) if not beside[variable]]
    seen = set(found)
    for variable in found:  # grows while it is read
        if (factor := arrows.own[variable]) >= 0:
            for parent in arrows.scopes[factor]:
                if parent not in seen and not beside[parent]:
                    seen.add(parent)
                    found.append(parent)
            if len(found) > most:
                raise BeyondReachError
    return found


def _above(
    arrows: Orientation, needed: bytes, variables: Iterable[int], most: float
) -> dict[int, list[int]]:
    above: dict[int, list[int]] = {}
    for variable in _ancestors(arrows, variables, needed, most):
        if (factor := arrows.own[variable]) >= 0:
            for argument in arrows.scopes[factor]:
                above.setdefault(argument, []).append(factor)
    return above


def _is_free(question: _Question, variable: int) -> bool:
    return variable not in question.observed and not question.background.fixed[variable]


def _factors_at(question: _Question, variables: Iterable[int]) -> Iterator[int]:
    """The needed factors of some variables."""
    for variable in variables:
        yield from question.background.factors_of[variable]
        yield from question.above.get(variable, ())


def _connected(question: _Question, factors: Iterable[int], walked: set[int]) -> list[int]:
    """The needed factors that free variables connect with the given ones, and these; those
    walked already are left out, and the others are walked then."""
    scopes, factors_of = question.arrows.scopes, question.background.factors_of
    above, fixed, observed = question.above, question.background.fixed, question.observed
    most = question.most
    part = [factor for factor in dict.fromkeys(factors) if factor not in walked]
    walked.update(part)
    visited: set[int] = set()
    for factor in part:  # grows while it is walked
        for variable in scopes[factor]:
            if variable in visited or fixed[variable] or variable in observed:
                continue
            visited.add(variable)
            others = factors_of[variable]
            if len(part) > most or len(others) > most:
                raise BeyondReachError
            for other in (*others, *above.get(variable, ())):
                if other not in walked:
                    walked.add(other)
                    part.append(other)
    return part


def _unproven(question: _Question, factors: Iterable[int], walked: set[int]) -> list[Part]:
    """The parts of some factors whose weight may be zero."""
    if question.arrows.positive:
        return []
    parts = [_connected(question, (factor,), walked) for factor in factors]
    return [tuple(sorted(part)) for part in parts if any(_is_doubtful(question, f) for f in part)]


def _is_doubtful(question: _Question, factor: int) -> bool:
    """Whether a factor has zeros, and no free variable over which it sums to a constant."""
    if not question.arrows.has_zero(factor):
        return False
    owner = question.arrows.owner[factor]
    return owner < 0 or not _is_free(question, owner)
