"""The front door of the likelihood of data: a model and a table of observations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.data.columns import native_columns
from liftgraph.data.learning.sources import table_weights
from liftgraph.data.prediction.evidence import row_observations
from liftgraph.errors import ComputationError, ZeroWeightError
from liftgraph.inference.counts import observing_counts
from liftgraph.inference.methods import Model, check_model, plan
from liftgraph.inference.rows.groups import Observations, group_of
from liftgraph.inference.rows.likelihood import log_likelihoods
from liftgraph.inference.rows.one_by_one import check_exact
from liftgraph.inference.rows.predictions import is_large, named
from liftgraph.model import answering
from liftgraph.model.answers.weights import Partition
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.names import listed_names
from liftgraph.model.lifted.parfactor_graph import as_graph
from liftgraph.model.memory_limit import MEMORY_LIMIT, Bytes, checked_memory_limit
from liftgraph.model.plans import Progress
from liftgraph.model.query import Query
from liftgraph.model.questions import Given
from liftgraph.semiring.protocol import Floats


def log_likelihood(
    model: Model,
    table: Any,
    *,
    given: Given | None = None,
    counts: str | None = None,
    ignore: Sequence[str] = (),
    by_row: bool = False,
    memory_limit: Bytes = MEMORY_LIMIT,
    progress: Progress = lambda share: None,
) -> float | Floats:
    """The natural logarithm of the probability of a table's rows; see ``Questions``.

    Rows are answered together, by one elimination for all that observe the same variables. Where
    that takes too much memory, and for large lifted models, each distinct row is asked for the
    total weight that agrees with it.
    """
    check_model(model, given)
    limit = checked_memory_limit(memory_limit)
    conditioned_model, others = observing_counts(model, given or {}, limit)
    observed_model = conditioned_model.given(others) if others else conditioned_model
    columns = native_columns(table)
    ignored = [ignore] if isinstance(ignore, str) else listed_names(ignore)
    weights = table_weights(columns, counts)
    if counts is not None:
        ignored.append(counts)
    observations, _ = row_observations(observed_model, columns, (), ignored)
    logs = _logs(observed_model, observations, limit, progress)
    if by_row:
        return logs
    counting = weights > 0  # zero times -inf is zero here
    return math.fsum((logs[counting] * weights[counting]).tolist())


def _logs(model: Model, observations: Observations, limit: int, progress: Progress) -> Floats:
    if is_large(model):
        return _one_by_one(model, observations, limit, progress)
    graph = as_graph(model, limit)
    try:
        return log_likelihoods(graph, _states(graph, observations), limit, progress)
    except ZeroWeightError:
        raise
    except ComputationError as refused:
        try:
            return _one_by_one(model, observations, limit, progress)
        except ComputationError:
            raise refused from None


def _states(graph: FactorGraph, observations: Observations) -> NDArray[np.int32]:
    states = np.full((graph.variable_count, observations.row_count), -1, dtype=np.int32)
    for variable, observed in zip(observations.variables, observations.states, strict=True):
        states[graph.variable(variable.name)] = observed
    return states


def _one_by_one(model: Model, observations: Observations, limit: int, progress: Progress) -> Floats:
    """For each distinct row, the total weight with what it observes, relative to that without."""
    total = _log_weight(model, {}, limit)
    group = group_of(observations, np.arange(observations.row_count))
    distinct, kind = group.distinct(range(len(group.variables)))
    logs = np.full(len(distinct), -math.inf)
    for place, row in enumerate(distinct.tolist()):
        with suppress(ZeroWeightError):  # an impossible row
            logs[place] = _log_weight(model, named(group, row), limit) - total
        progress((place + 1) / len(distinct))
    return logs[kind]


def _log_weight(model: Model, given: Given, limit: int) -> float:
    answer = plan(model, Query("partition"), given=given, memory_limit=limit).run()
    check_exact(answer)
    assert isinstance(answer, Partition)
    return answer.log_z


answering.register(log_likelihood=log_likelihood)
