"""The front door of inference: ask a model, get an answer, whichever method computes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast, get_args

from liftgraph.errors import ComputationError, InputError
from liftgraph.inference.contraction import Progress
from liftgraph.inference.ground import run_ground
from liftgraph.inference.ground_plan import GroundPlan, plan_ground
from liftgraph.inference.query import (
    Answer,
    Explanation,
    Kind,
    Marginal,
    Marginals,
    Partition,
    Query,
)
from liftgraph.model.factor_graph import FactorGraph
from liftgraph.model.grounding import as_graph
from liftgraph.model.parfactor_graph import ParfactorGraph

Model = FactorGraph | ParfactorGraph
Method = Literal["auto", "lifted", "ground"]
METHODS: tuple[Method, ...] = ("auto", "lifted", "ground")
MEMORY_LIMIT = 4 * 2**30


def plan(
    model: Model, query: Query, *, method: Method = "auto", memory_limit: int = MEMORY_LIMIT
) -> GroundPlan:
    """How a query will be answered; printing it tells the steps and their cost."""
    graph = as_graph(model)
    if method not in METHODS:
        raise InputError(f"expected a method ({', '.join(METHODS)}), got {method}")
    _check_query(graph, query)
    if method == "lifted":
        raise ComputationError("lifted inference is not part of this version; use ground or auto")
    return plan_ground(graph, query, memory_limit)


def _check_query(graph: FactorGraph, query: Query) -> None:
    kinds = get_args(Kind)
    if query.kind not in kinds:
        raise InputError(f"expected a kind of query ({', '.join(kinds)}), got {query.kind}")
    if bool(query.variables) != (query.kind == "marginal"):
        raise InputError(f"expected variables for a marginal only, got {query}")
    indices(graph, query.variables)


def run(planned: GroundPlan, progress: Progress = lambda done: None) -> Answer:
    """Carry out a plan."""
    return run_ground(planned, progress)


def query(
    model: Model,
    *variables: str | int,
    given: Mapping[Any, Any] | None = None,
    exact: bool = False,
    method: Method = "auto",
    memory_limit: int = MEMORY_LIMIT,
) -> Marginal:
    """The distribution of a variable, or the joint one of several, given evidence.

    >>> from liftgraph import FactorGraphBuilder
    >>> builder = FactorGraphBuilder()
    >>> _ = builder.add_variable("Epid"), builder.add_variable("Sick")
    >>> _ = builder.add_factor(("Sick", "Epid"), [[3, 1], [1, 5]])
    >>> query(builder.build(), "Sick", given={"Epid": "true"}, exact=True)
    P(Sick)
      true   0.75       ██████████████████████  3/4
      false  0.25       ████████  1/4
    """
    graph = as_graph(model)
    question = Query("marginal", indices(graph, variables), exact)
    return cast(Marginal, _ask(graph, question, given, method, memory_limit))


def marginals(
    model: Model,
    *,
    given: Mapping[Any, Any] | None = None,
    exact: bool = False,
    method: Method = "auto",
    memory_limit: int = MEMORY_LIMIT,
) -> Marginals:
    """The distribution of every variable given evidence, at the cost of a few queries."""
    question = Query("marginals", exact=exact)
    return cast(Marginals, _ask(as_graph(model), question, given, method, memory_limit))


def partition(
    model: Model,
    *,
    given: Mapping[Any, Any] | None = None,
    exact: bool = False,
    method: Method = "auto",
    memory_limit: int = MEMORY_LIMIT,
) -> Partition:
    """The total weight of all assignments that agree with the evidence: Z and its logarithm."""
    question = Query("partition", exact=exact)
    return cast(Partition, _ask(as_graph(model), question, given, method, memory_limit))


def mpe(
    model: Model,
    *,
    given: Mapping[Any, Any] | None = None,
    exact: bool = False,
    method: Method = "auto",
    memory_limit: int = MEMORY_LIMIT,
) -> Explanation:
    """A most probable explanation: an assignment of all variables given evidence.

    Without ``exact``, weights that differ by less than floats can tell are taken for equal.
    """
    question = Query("explanation", exact=exact)
    return cast(Explanation, _ask(as_graph(model), question, given, method, memory_limit))


def _ask(
    graph: FactorGraph,
    question: Query,
    given: Mapping[Any, Any] | None,
    method: Method,
    memory_limit: int,
) -> Answer:
    observed = graph.given(given) if given else graph
    return run(plan(observed, question, method=method, memory_limit=memory_limit))


def indices(graph: FactorGraph, variables: Sequence[str | int]) -> tuple[int, ...]:
    """The indices of the variables of a query, which must be distinct."""
    found = tuple(map(graph.variable, variables))
    if len(set(found)) < len(found):
        raise InputError(f"expected distinct variables, got {', '.join(map(str, variables))}")
    return found
