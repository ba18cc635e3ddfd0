"""Queries with their times, and how far their answers are from those of independent methods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from liftgraph.errors import ComputationError
from liftgraph.experiments.study import Row
from liftgraph.experiments.timing import best_times, lifted_query
from liftgraph.inference.answer import partition, query
from liftgraph.model.answers.marginal import Marginal
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph

ALLOWED = 1e-9  # relative difference of two probabilities computed in floats
Asked = Mapping[str, str | int]  # a variable of each PRV
Expected = Mapping[str, float]


def asked_rows(
    what: str,
    models: Mapping[str, ParfactorGraph],
    asked: Asked,
    expected: Expected,
    repeats: int,
) -> Iterator[Row]:
    """A row per query and model, by lifted variable elimination; every answer is checked.

    ``models``: by the algorithm that made them; they take turns.
    ``expected``: the probabilities of first states, computed by an independent method.
    """
    for prv, variable in asked.items():
        tasks = [lifted_query(model, variable) for model in models.values()]
        times, answers = best_times(tasks, repeats)
        for algorithm, seconds, answer in zip(models, times, answers, strict=True):
            probability = first_probability(answer)
            difference = checked(f"{what}, {algorithm}, P({prv})", probability, expected[prv])
            yield {
                "algorithm": algorithm,
                "query": prv,
                "query_seconds": seconds,
                "probability": probability,
                "difference": difference,
            }


def mean_query_seconds(model: ParfactorGraph, asked: Asked, repeats: int) -> float:
    """How long lifted variable elimination takes for a query, on average over those asked."""
    times, _ = best_times([lifted_query(model, variable) for variable in asked.values()], repeats)
    return sum(times) / len(times)


def by_ground_elimination(graph: FactorGraph, asked: Asked) -> dict[str, float]:
    """The probabilities of first states, by a method that knows nothing of symmetry."""
    answers = {prv: query(graph, variable, method="ground") for prv, variable in asked.items()}
    return {prv: first_probability(answer) for prv, answer in answers.items()}


def first_probability(answer: Marginal) -> float:
    """The probability of a variable's first state."""
    return float(answer.probabilities[0])


def checked(what: str, computed: float, expected: float) -> float:
    """The relative difference of two probabilities. Refused if rounding cannot explain it.

    >>> checked("P(Epid)", 0.25, 0.25)
    0.0
    """
    difference = abs(computed - expected) / expected if expected else abs(computed)
    if not difference <= ALLOWED:
        raise ComputationError(f"{what}: got {computed!r}, the independent check says {expected!r}")
    return difference


def worst_log_odds_error(model: ParfactorGraph, graph: FactorGraph, asked: Asked) -> float:
    """The largest error of the log odds of two states of a variable on a lifted model.

    Ground elimination on the graph gives the right values. Odds are ratios of two partition
    functions, so that even nearly certain states can be told apart.
    """
    errors = []
    for variable in asked.values():
        ratios = [
            partition(model, given={variable: state}, method="lifted").log_z
            - partition(graph, given={variable: state}, method="ground").log_z
            for state in graph.states(graph.variable(variable))
        ]
        errors.append(max(ratios) - min(ratios))
    return max(errors)


def graph_size(graph: FactorGraph | ParfactorGraph) -> dict[str, int]:
    """The size of a model once it is grounded."""
    return {"variables": graph.variable_count, "factors": graph.factor_count}


def compression(model: ParfactorGraph) -> dict[str, int]:
    """The size of a lifted model."""
    return {"prvs": len(model.prvs), "parfactors": len(model.parfactors)}
