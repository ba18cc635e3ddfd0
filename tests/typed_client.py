"""A client of the library in typed code; mypy --strict accepts all of it but the mistakes."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import liftgraph as lg


def epidemic(people: int) -> lg.FactorGraph:
    """One epidemic, and people who are sick or not."""
    builder = lg.FactorGraphBuilder()
    builder.add_variables(["Epid", *[f"Sick.{person}" for person in range(people)]])
    builder.add_factor(["Epid"], [1, 9])
    table = lg.Table.of([[3, 1], [1, 5]])
    for person in range(people):
        builder.add_factor([f"Sick.{person}", "Epid"], table)
    return builder.build()


def risk(model: lg.FactorGraph | lg.ParfactorGraph, evidence: dict[str, str | bool]) -> float:
    """The probability of an epidemic, by any kind of model."""
    answer: lg.Marginal = model.query("Epid", given=evidence, method="lifted", memory_limit=2**30)
    event: float | Fraction = model.probability({"Epid": "true"}, given=evidence)
    return min(answer["true"], float(event))


def answers(path: Path) -> dict[str, float]:
    """Ask a model in a file, whether it is lifted or not."""
    model = lg.read(path)
    observed = model.given({"Sick.0": True})
    every: lg.Marginals = observed.marginals(exact=True)
    best: lg.Assignment = observed.mpe()
    states: dict[str, str] = dict(best)
    first: str = best[0]
    names: list[str] = [*model.variables, *model.states("Epid")]
    counts = model.query(lg.count("Sick"), "Epid")
    plan = model.explain("Epid", given={"Sick.1": first})
    lifted: lg.ParfactorGraph = lg.lift(model, "acp", tolerance="0.01")
    again: lg.ParfactorGraph = model.lift()
    groups: lg.Colouring = model.colours()
    lg.draw(lifted).save(path.with_suffix(".svg"))
    lg.write(lifted.ground(), path.with_suffix(".uai"))
    print(
        plan,
        plan.run().method,
        again,
        groups,
        counts.to_frame(),
        states,
        names,
        model.partition().log_z,
    )
    return {name: every[name]["true"] for name in every}


def risks(graph: lg.FactorGraph) -> list[float]:
    """Models of both kinds in a list can still be asked."""
    return [float(model.query("Epid")["true"]) for model in [graph, graph.lift()]]


def mistakes(graph: lg.FactorGraph) -> None:
    """What type checkers find, and the library refuses, too."""
    graph.query("Epid", evidence={"Sick.0": "true"})  # type: ignore[call-arg]
    graph.query("Epid", mehtod="ground")  # type: ignore[call-arg]
    lg.query(graph, "Epid")  # type: ignore[attr-defined]
