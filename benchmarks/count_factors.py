"""Count factors and counts beside a loop over the count in NumPy.

    python benchmarks/count_factors.py

CPU time in one process. The loops are what one would write by hand for just this question.
"""

from __future__ import annotations

import os

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import time  # noqa: E402
from collections.abc import Callable  # noqa: E402
from typing import Any  # noqa: E402

import numpy as np  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

import liftgraph as lg  # noqa: E402

STATES, CLASSES = 20, 50


def main() -> None:
    print(f"{'question':<58}{'liftgraph':>11}{'NumPy loop':>12}{'differs by':>12}")
    for causes in (1_000, 10_000):
        _noisy_or(causes)
    for causes in (10_000, 100_000):
        _equal_causes(causes)
    for variables in (1_000, 4_000):
        _unequal(variables)
    for obligors in (1_000, 10_000):
        _portfolio(obligors, weighted=False)
    _portfolio(1_000, weighted=True)
    for people in (1_000, 4_000):
        _people(people)


def _shown(question: str, ours: Callable[[], Any], loop: Callable[[], Any]) -> None:
    start = time.process_time()
    answer = np.asarray(ours())
    middle = time.process_time()
    expected = np.asarray(loop())
    end = time.process_time()
    visible = expected > 1e-250
    error = np.abs(answer[visible] / expected[visible] - 1).max()
    print(f"{question:<58}{middle - start:>10.3f}s{end - middle:>11.3f}s{error:>12.1e}", flush=True)


def _noisy_or(causes: int) -> None:
    builder = lg.FactorGraphBuilder()
    variables, child = builder.add_variables(causes), builder.add_variable("Effect")
    for variable in variables:
        builder.add_factor([variable], [1 + variable % 7, 50])
    chances = {variable: f"0.00{1 + variable % 9}" for variable in variables}
    builder.add_noisy_or(child, chances, "0.001")
    graph = builder.build()

    def loop() -> list[float]:
        prior = (1 + np.arange(causes) % 7) / (51 + np.arange(causes) % 7)
        absent = 0.999 * float(np.prod(1 - prior * (1 + np.arange(causes) % 9) / 1000))
        return [1 - absent, absent]

    question = f"noisy-OR of {causes:,} unequal causes: its effect"
    _shown(question, lambda: graph.query("Effect").probabilities, loop)


def _equal_causes(causes: int) -> None:
    builder = lg.FactorGraphBuilder()
    variables, child = builder.add_variables(causes), builder.add_variable("Effect")
    for variable in variables:
        builder.add_factor([variable], [1, causes])
    builder.add_noisy_or(child, dict.fromkeys(variables, "0.3"), "0.001")
    graph = builder.build()

    def loop() -> list[float]:
        absent = 0.999 * float(np.exp(causes * np.log1p(-0.3 / (causes + 1))))
        return [1 - absent, absent]

    question = f"noisy-OR of {causes:,} equal causes, lifted: its effect"
    _shown(question, lambda: graph.query("Effect").probabilities, loop)


def _added(chances: NDArray[Any], steps: NDArray[Any]) -> NDArray[Any]:
    """The distribution of a sum, variable by variable, for each row of chances."""
    sums = np.zeros((len(chances), int(steps.sum()) + 1))
    sums[:, 0], reached = 1.0, 0
    for p, step in zip(chances.T, steps.tolist(), strict=True):
        moved = sums[:, : reached + 1] * p[:, None]
        sums[:, : reached + 1] *= 1 - p[:, None]
        sums[:, step : reached + step + 1] += moved
        reached += step
    return sums


def _unequal(variables: int) -> None:
    builder = lg.FactorGraphBuilder()
    listed = builder.add_variables(variables)
    for variable in listed:
        builder.add_factor([variable], [1 + variable % 11, 9])
    graph = builder.build()
    heads = np.arange(variables) % 11 + 1
    chances = (heads / (heads + 9))[None]
    _shown(
        f"how many of {variables:,} unequal variables",
        lambda: graph.query(lg.count([*listed])).probabilities,
        lambda: _added(chances, np.ones(variables, dtype=int))[0],
    )


def _portfolio(obligors: int, weighted: bool) -> None:
    random = np.random.default_rng(1)
    rates = np.sort(random.integers(1, 2000, (CLASSES, STATES)), axis=1)
    steps = 1 + np.arange(obligors) % 9 if weighted else np.ones(obligors, dtype=int)
    builder = lg.FactorGraphBuilder()
    cause = builder.add_variable("Cause", STATES)
    loans = builder.add_variables([f"Loan.{n}" for n in range(obligors)])
    for place, loan in enumerate(loans):
        table = [[int(rate), 10_000 - int(rate)] for rate in rates[place % CLASSES]]
        builder.add_factor([cause, loan], table)
    graph = builder.build()
    losses = lg.count([*loans], weights=steps.tolist())
    chances = rates[np.arange(obligors) % CLASSES].T / 10_000
    _shown(
        f"losses of {obligors:,} obligors, a cause of {STATES} states" + ", exposures" * weighted,
        lambda: graph.query(losses).probabilities,
        lambda: _added(chances, steps).mean(axis=0),
    )


def _people(people: int) -> None:
    sick = lg.prv("Sick", lg.LogVar("P", people))
    epidemic = lg.prv("Epid")
    model = lg.ParfactorGraph.of(
        [lg.parfactor([epidemic], [1, 9]), lg.parfactor([sick, epidemic], [1, 1, 1, 5])]
    )

    def loop() -> NDArray[Any]:
        ones = np.ones(people, dtype=int)
        rates = np.repeat([[1 / 2], [1 / 6]], people, axis=1)
        weights = np.exp(np.array([0.0, np.log(9) + people * np.log(3.0)]) - people * np.log(3.0))
        return np.asarray((weights / weights.sum()) @ _added(rates, ones))

    question = f"how many of {people:,} people, on the lifted model"
    _shown(question, lambda: model.query(lg.count("Sick")).probabilities, loop)


if __name__ == "__main__":
    main()
