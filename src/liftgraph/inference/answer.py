"""The front door of inference: ask a model, get an answer, whichever method computes it."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, cast

from liftgraph.errors import ZeroWeightError
from liftgraph.inference.contraction import Progress
from liftgraph.inference.ground import run_ground
from liftgraph.inference.lifted import run_lifted
from liftgraph.inference.lifted_plan import LiftedPlan
from liftgraph.inference.planning import MEMORY_LIMIT, Given, Method, Model, Plan, plan
from liftgraph.inference.query import Answer, Explanation, Marginal, Marginals, Partition, Query
from liftgraph.model.evidence import states_of
from liftgraph.model.parfactor_graph import ParfactorGraph

_FEW = 8  # variables of an event that are asked for jointly


def run(planned: Plan, progress: Progress = lambda done: None) -> Answer:
    """Carry out a plan."""
    if isinstance(planned, LiftedPlan):
        return run_lifted(planned, progress)
    return run_ground(planned, progress)


def explain(
    model: Model,
    *variables: str | int,
    given: Given | None = None,
    exact: bool = False,
    method: Method = "auto",
    memory_limit: int = MEMORY_LIMIT,
    tolerance: object = None,
) -> Plan:
    """What a query will do and what it will cost, before it is done; of Z without variables."""
    question = Query("marginal" if variables else "partition", variables, exact)
    return plan(
        model,
        question,
        given=given,
        method=method,
        memory_limit=memory_limit,
        tolerance=tolerance,
    )


def query(
    model: Model,
    *variables: str | int,
    given: Given | None = None,
    exact: bool = False,
    method: Method = "auto",
    memory_limit: int = MEMORY_LIMIT,
    tolerance: object = None,
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
    question = Query("marginal", variables, exact)
    return cast(Marginal, _ask(model, question, given, method, memory_limit, tolerance))


def probability(
    model: Model,
    event: Given,
    *,
    given: Given | None = None,
    exact: bool = False,
    method: Method = "auto",
    memory_limit: int = MEMORY_LIMIT,
) -> float | Fraction:
    """The probability that variables are in given states, given others; any number of them.

    That of many variables is a ratio of total weights; as a float, its relative error is about
    that of their logarithms' last digits.

    >>> from liftgraph import LogVar, ParfactorGraph, parfactor, prv
    >>> coin = prv("Coin", LogVar("X", 3), states=["heads", "tails"])
    >>> fair = ParfactorGraph.of([parfactor([coin], [1, 1])])
    >>> probability(fair, {"Coin.1": "heads", "Coin.2": "tails"}, exact=True)
    Fraction(1, 4)
    """
    known, wanted = _named(model, given or {}), _named(model, event)
    contradicted = any(
        known.get(variable, _observed(model, variable, state)) != state
        for variable, state in wanted.items()
    )
    if 0 < len(event) <= _FEW and not contradicted:
        question = Query("marginal", tuple(event), exact)
        found = cast(Marginal, _ask(model, question, given, method, memory_limit))
        place = tuple(wanted.values())
        exactly = None if found.fractions is None else found.fractions[place]
        return float(found.probabilities[place]) if exactly is None else Fraction(exactly)
    every = partition(model, given=given, exact=exact, method=method, memory_limit=memory_limit)
    both = {**(given or {}), **event}
    nothing = Fraction(0) if exact else 0.0
    if contradicted:
        return nothing
    try:
        those = partition(model, given=both, exact=exact, method=method, memory_limit=memory_limit)
    except ZeroWeightError:
        return nothing
    if those.z is not None and every.z is not None:
        return those.z / every.z
    return math.exp(those.log_z - every.log_z)


def _observed(model: Model, variable: Any, otherwise: int) -> int:
    """The state a variable was observed in, in the model itself."""
    if isinstance(model, ParfactorGraph):
        observed = model.prvs[variable[0]].observed
        return model.evidence.get(variable, otherwise) if observed is None else observed
    return model.evidence.get(variable, otherwise)


def _named(model: Model, given: Given) -> dict[Any, int]:
    """Variables, however they are called, and the index of their states."""
    if isinstance(model, ParfactorGraph):
        return dict(states_of(model, given))
    variables = {name: model.variable(name) for name in given}
    return {variables[name]: model.state(variables[name], given[name]) for name in given}


def marginals(
    model: Model,
    *,
    given: Given | None = None,
    exact: bool = False,
    method: Method = "auto",
    memory_limit: int = MEMORY_LIMIT,
    tolerance: object = None,
) -> Marginals:
    """The distribution of every variable given evidence, at the cost of a few queries."""
    question = Query("marginals", exact=exact)
    return cast(Marginals, _ask(model, question, given, method, memory_limit, tolerance))


def partition(
    model: Model,
    *,
    given: Given | None = None,
    exact: bool = False,
    method: Method = "auto",
    memory_limit: int = MEMORY_LIMIT,
    tolerance: object = None,
) -> Partition:
    """The total weight of all assignments that agree with the evidence: Z and its logarithm."""
    question = Query("partition", exact=exact)
    return cast(Partition, _ask(model, question, given, method, memory_limit, tolerance))


def mpe(
    model: Model,
    *,
    given: Given | None = None,
    exact: bool = False,
    method: Method = "auto",
    memory_limit: int = MEMORY_LIMIT,
    tolerance: object = None,
) -> Explanation:
    """A most probable explanation: an assignment of all variables given evidence.

    Without ``exact``, weights that differ by less than floats can tell are taken for equal.
    """
    question = Query("explanation", exact=exact)
    return cast(Explanation, _ask(model, question, given, method, memory_limit, tolerance))


def _ask(
    model: Model,
    question: Query,
    given: Given | None,
    method: Method,
    memory_limit: int,
    tolerance: object = None,
) -> Answer:
    return run(
        plan(
            model,
            question,
            given=given,
            method=method,
            memory_limit=memory_limit,
            tolerance=tolerance,
        )
    )
