"""The front door: the distributions of variables in each row of observations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import ComputationError, ZeroWeightError
from liftgraph.inference.ground.relevance import keep_possible
from liftgraph.inference.methods import Model, plan
from liftgraph.inference.rows.groups import Group, Observations, Variable, group_of, groups
from liftgraph.inference.rows.one_by_one import query_rows
from liftgraph.inference.rows.plan import RowPlan
from liftgraph.inference.rows.together import plan_group, run_group
from liftgraph.model.lifted.parfactor import arity
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph, as_graph
from liftgraph.model.plans import Progress
from liftgraph.model.query import MARGINAL, Query
from liftgraph.semiring.protocol import Floats

# A query, or a plan, takes at least as long as this many multiplications for many rows at once.
_QUERY = 10**6
_FEW_ROWS = 64  # groups of fewer rows are small
# Lifted models with more arguments of factors than this are ground only if ``ground`` is asked for.
_LARGE = 10**4
Shares = tuple[Floats, NDArray[np.bool_]]


class Predictions(NamedTuple):
    """``probabilities``: float64 (rows, states) of each asked variable; zeros in rows that are not
    ``possible``, bool (rows,)."""

    probabilities: list[Floats]
    possible: NDArray[np.bool_]


def predictions(
    model: Model,
    asked: Sequence[Variable],
    observations: Observations,
    *,
    method: str,
    memory_limit: int,
    progress: Progress = lambda share: None,
) -> Predictions:
    """The distribution of each asked variable in each row, given what the row observes.

    Rows that observe the same variables are answered together, by one elimination with an axis of
    rows: in chunks that take no more than the memory limit beside the rows and the answers. Where
    that would be many eliminations of few rows each, these rows are answered together, too.
    ``auto`` asks one query after the other where that is cheaper or elimination takes too much
    memory; all methods but ``ground`` do so. Precondition: no row observes an asked variable.
    """
    row_count = observations.row_count
    answers = [np.zeros((row_count, len(variable.states))) for variable in asked]
    possible = np.ones(row_count, dtype=np.bool_)
    done, total = 0, max(row_count * len(asked), 1)
    for group in _groups(model, asked[0], observations, method, memory_limit):
        for place, variable in enumerate(asked):
            question = _Question(model, variable, group, place == 0, method, memory_limit)

            def share(part: float, before: int = done, rows: int = len(group.rows)) -> None:
                progress((before + part * rows) / total)

            answers[place][group.rows], known = _answer(question, share)
            possible[group.rows] &= known
            done += len(group.rows)
            progress(done / total)
    for answer in answers:
        answer[~possible] = 0.0
    return Predictions(answers, possible)


def _groups(
    model: Model, asked: Variable, observations: Observations, method: str, limit: int
) -> list[Group]:
    """Groups of rows with the same variables observed; if many are small, these are one group.

    In that group all variables that some rows do not observe stay free, so its rows take more work.
    """
    listed = groups(observations)
    small = [group.rows for group in listed if len(group.rows) < _FEW_ROWS]
    if len(small) < 2 or not _takes_rows(model, method):
        return listed
    joint = group_of(observations, np.concatenate(small))
    try:
        plans = plan_group(as_graph(model, limit), asked, joint, True, limit)
    except ComputationError:
        return listed
    if len(joint.rows) * sum([part.work for part in plans]) > _QUERY * len(small):
        return listed
    return [*[group for group in listed if len(group.rows) >= _FEW_ROWS], joint]


def _takes_rows(model: Model, method: str) -> bool:
    """Whether rows are answered together, if memory allows it."""
    return method == "ground" or (method == "auto" and not is_large(model))


@dataclass(frozen=True)
class _Question:
    """One variable in a group of rows. ``first``: whether no other was asked there before."""

    model: Model
    asked: Variable
    group: Group
    first: bool
    method: str
    memory_limit: int


def _answer(question: _Question, progress: Progress) -> Shares:
    model, method, limit = question.model, question.method, question.memory_limit
    if not _takes_rows(model, method):
        return _one_by_one(question, progress)
    graph = as_graph(model, limit)
    asked, group = question.asked, question.group
    try:
        plans = plan_group(graph, asked, group, question.first, limit)
    except ZeroWeightError:
        return np.zeros((len(group.rows), len(asked.states))), np.zeros(len(group.rows), np.bool_)
    except ComputationError as refused:
        if method == "ground":
            raise
        try:
            return _one_by_one(question, progress)
        except ComputationError:
            raise refused from None
    if method == "auto" and _has_cheaper_queries(question, plans):
        return _one_by_one(question, progress)
    shares, possible = run_group(graph, asked, group, plans, limit, progress)
    if question.first and possible.any():
        keep_possible(graph)
    return shares, possible


def is_large(model: Model) -> bool:
    """Whether a model is lifted, and too large to be grounded unless that is asked for.

    One that was lifted within a tolerance is not: rows have no place for bounds, and its ground
    model, which has the given tables, needs none.
    """
    if not isinstance(model, ParfactorGraph) or model.log_odds_bound:
        return False
    return sum([parfactor.size * arity(parfactor) for parfactor in model.parfactors]) > _LARGE


def _has_cheaper_queries(question: _Question, plans: Sequence[RowPlan]) -> bool:
    """Whether a query of the first row is lifted, and needs less work than a row at its side."""
    work = sum([part.work for part in plans])
    if work <= _QUERY or (
        isinstance(question.model, ParfactorGraph) and question.model.log_odds_bound
    ):
        return False
    query = Query(MARGINAL.name, (question.asked.name,))
    row = named(question.group, question.group.states[:, 0].tolist())
    limit = question.memory_limit
    planned = plan(question.model, query, given=row, method="auto", memory_limit=limit)
    return planned.method == "lifted" and planned.work + _QUERY < work


def _one_by_one(question: _Question, progress: Progress) -> Shares:
    """A query for each distinct row."""
    group = question.group
    states, kind = group.distinct(range(len(group.variables)))
    rows = [named(group, row) for row in states.tolist()]
    method, limit = question.method, question.memory_limit
    shares, possible = query_rows(question.model, question.asked, rows, method, limit, progress)
    return shares[kind], possible[kind]


def named(group: Group, row: Sequence[int]) -> dict[str, str]:
    """What a row of a group observes, by name."""
    pairs = zip(group.variables, row, strict=True)
    return {variable.name: variable.states[state] for variable, state in pairs if state >= 0}
