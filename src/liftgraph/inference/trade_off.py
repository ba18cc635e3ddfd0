"""What a tolerance buys and what it costs: fewer groups against answers that may be off."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial

import numpy as np

from liftgraph.errors import InputError, quoted
from liftgraph.exact import checked_tolerance
from liftgraph.inference.answer import query
from liftgraph.model import answering
from liftgraph.model.answers.marginal import Marginal
from liftgraph.model.answers.trade_off import Choice, TradeOff
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.memory_limit import MEMORY_LIMIT, Bytes, checked_memory_limit
from liftgraph.model.questions import Given
from liftgraph.symmetry.lifting.lift import lift

TOLERANCES = ("0", "0.001", "0.002", "0.005", "0.01", "0.02", "0.05", "0.1", "0.2", "0.5")


def trade_off(
    graph: FactorGraph,
    tolerances: Sequence[object] = TOLERANCES,
    *,
    variables: Sequence[str | int] = (),
    given: Given | None = None,
    memory_limit: Bytes = MEMORY_LIMIT,
) -> TradeOff:
    """How small lifted models get with each tolerance, and how far off answers may then be.

    ``variables``: those whose distributions, given the evidence, are compared with those of the
    given model. For all others the bound holds: no event's log odds are off by more.
    ``memory_limit``: in bytes; a comparison which needs more is refused.

    >>> from liftgraph import datasets
    >>> graph = datasets.perturbed(datasets.epid(8).ground(), "0.01")
    >>> [(str(each.tolerance), each.prvs) for each in trade_off(graph, ["0", "0.05"])]
    [('0', 41), ('1/20', 4)]
    """
    if not isinstance(graph, FactorGraph):
        raise InputError(f"expected a factor graph to lift with tolerances, got {quoted(graph)}")
    ask = partial(query, memory_limit=checked_memory_limit(memory_limit))
    exact = [ask(graph, variable, given=given) for variable in variables]
    increasing = sorted({checked_tolerance(epsilon) or Fraction(0) for epsilon in tolerances})
    choices = tuple(_choice(graph, epsilon, exact, given, ask) for epsilon in increasing)
    return TradeOff(graph.variable_count, graph.factor_count, choices)


def _choice(
    graph: FactorGraph,
    tolerance: Fraction,
    exact: Sequence[Marginal],
    given: Given | None,
    ask: Callable[..., Marginal],
) -> Choice:
    model = lift(graph.observing({}), tolerance=tolerance)
    evidence = {graph.name(v): graph.states(v)[s] for v, s in graph.evidence.items()}
    evidence |= given or {}
    near = [ask(model, *right.variables, given=evidence, method="lifted") for right in exact]
    errors = [log_odds_error(*pair) for pair in zip(near, exact, strict=True)]
    counts = len(model.prvs), len(model.parfactors)
    return Choice(tolerance, *counts, model.log_odds_bound, max(errors, default=None))


def log_odds_error(near: Marginal, exact: Marginal) -> float:
    """By how much the log odds of two states differ between two distributions, at most.

    Precondition: the same states are possible.
    """
    possible = exact.probabilities > 0
    ratios = np.log(near.probabilities[possible]) - np.log(exact.probabilities[possible])
    return float(ratios.max() - ratios.min())


answering.register(trade_off=trade_off)
