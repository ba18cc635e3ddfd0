"""Epidemics day by day beside loops over counts in NumPy.

    python benchmarks/dynamic.py

CPU time in one process, of the log-likelihood of daily numbers of positive tests, for several
numbers of days. The loops are what one would write by hand for just this model: they know which
states follow which, and compute in floats without any care.
"""

from __future__ import annotations

import os

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import math  # noqa: E402
import time  # noqa: E402
from collections.abc import Callable  # noqa: E402
from typing import Any  # noqa: E402

import numpy as np  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

import liftgraph as lg  # noqa: E402

SEEN, WRONG = 0.9, 0.05  # probabilities of a positive test of infected people, and of others
Floats = NDArray[np.float64]
Change = Callable[[dict[str, int], str, str], float]


def main() -> None:
    print(f"{'question':<44}{'liftgraph':>11}{'by day':>9}{'NumPy loop':>12}{'differs by':>12}")
    for days in (25, 50, 100):
        _compared("SIS", 1_000, days, _sis(1_000), _sis_loop)
    for days in (15, 30, 60):
        _compared("SIR", 300, days, _sir(300), _sir_loop)


def _compared(
    kind: str,
    people: int,
    days: int,
    model: lg.Dynamic,
    loop: Callable[[int, list[int]], float],
) -> None:
    numbers = _tests(people, days, recovers=kind == "SIR")
    observed = [{lg.count("Positive"): number} for number in numbers]
    start = time.process_time()
    ours = model.log_likelihood(observed)
    middle = time.process_time()
    again = model.log_likelihood(observed)
    end = time.process_time()
    expected = loop(people, numbers)
    looped = time.process_time() - end
    question = f"{kind}: {people:,} people, {days} days"
    if again != ours:
        raise AssertionError("the second answer differs")
    print(
        f"{question:<44}{middle - start:>10.2f}s{(end - middle) / days:>8.4f}s{looped:>11.2f}s"
        f"{abs(ours - expected):>12.1e}",
        flush=True,
    )


def _tests(people: int, days: int, recovers: bool) -> list[int]:
    """Simulated numbers of positive tests."""
    random = np.random.default_rng(7)
    infected = people // 50
    susceptible = people - infected
    numbers = []
    for _ in range(days):
        wrong = random.binomial(people - infected, WRONG)
        numbers.append(int(random.binomial(infected, SEEN) + wrong))
        new = random.binomial(susceptible, 0.3 * infected / people)
        leaving = random.binomial(infected, 0.1)
        infected += new - leaving
        susceptible += (0 if recovers else leaving) - new
    return numbers


def _model(people: int, states: list[str], start: list[str], change: Change) -> lg.Dynamic:
    person = lg.LogVar("P", people)
    other = lg.LogVar("Q", person)
    state, positive = lg.prv("State", person, states=states), lg.prv("Positive", person)
    apart = lg.different(person, other)
    tests = [[SEEN, 1 - SEEN] if name == "I" else [WRONG, 1 - WRONG] for name in states]
    counted = lg.crv(state(other), other, where=apart)
    return lg.Dynamic(
        lg.parfactor([state], start),
        lg.parfactor([counted, state, lg.after(state)], change, apart),
        lg.parfactor([state, positive], tests),
    )


def _sis(people: int) -> lg.Dynamic:
    def change(others: dict[str, int], now: str, then: str) -> float:
        risk = 0.3 * others["I"] / people if now == "S" else 0.9
        return risk if then == "I" else 1 - risk

    return _model(people, ["I", "S"], ["0.02", "0.98"], change)


def _sir(people: int) -> lg.Dynamic:
    def change(others: dict[str, int], now: str, then: str) -> float:
        risk = 0.3 * others["I"] / people
        leaving = {("S", "I"): risk, ("I", "R"): 0.1}
        left = {"S": risk, "I": 0.1, "R": 0.0}
        return 1 - left[now] if now == then else leaving.get((now, then), 0.0)

    return _model(people, ["S", "I", "R"], ["0.98", "0.02", "0"], change)


def _binomial(number: int, chance: float) -> Floats:
    """The probabilities of 0, 1, … successes."""
    k = np.arange(number + 1)
    orders = math.lgamma(number + 1)
    ways = [orders - math.lgamma(n + 1) - math.lgamma(number - n + 1) for n in k.tolist()]
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.array(ways) + np.where(k > 0, k * np.log(chance), 0.0)
        logs = logs + np.where(k < number, (number - k) * np.log1p(-chance), 0.0)
    return np.asarray(np.exp(logs), dtype=np.float64)


def _positive(people: int) -> Floats:
    """The probabilities of numbers of positive tests, by the number of infected people."""
    infected = range(people + 1)
    rows = [np.convolve(_binomial(i, SEEN), _binomial(people - i, WRONG)) for i in infected]
    return np.array(rows)


def _sis_loop(people: int, numbers: list[int]) -> float:
    tests = _positive(people)
    step = np.array(
        [
            np.convolve(_binomial(i, 0.9), _binomial(people - i, 0.3 * i / people))
            for i in range(people + 1)
        ]
    )
    weights, total = _binomial(people, 0.02), 0.0
    for day, number in enumerate(numbers):
        weights = (weights if day == 0 else weights @ step) * tests[:, number]
        total += math.log(weights.sum())
        weights = weights / weights.sum()
    return total


def _sir_loop(people: int, numbers: list[int]) -> float:
    """Weights by susceptible and infected people. Those who stay infected, and the susceptible,
    are as many tomorrow as the susceptible and infected then: only recoveries leave them."""
    tests, size = _positive(people), people + 1
    infection = [
        np.array([np.pad(_binomial(s, 1 - 0.3 * i / people), (0, people - s)) for s in range(size)])
        for i in range(size)
    ]
    staying = [_binomial(i, 0.9) for i in range(size)]
    weights = np.zeros((size, size))
    weights[np.arange(size)[::-1], np.arange(size)] = _binomial(people, 0.02)
    total = 0.0
    for day, number in enumerate(numbers):
        weights = weights if day == 0 else _sir_day(weights, infection, staying)
        weights = weights * tests[:, number]
        total += math.log(weights.sum())
        weights = weights / weights.sum()
    return total


def _sir_day(weights: Floats, infection: list[Any], staying: list[Floats]) -> Floats:
    size = len(weights)
    both = np.zeros((size, size))  # by those who are or get infected, and the susceptible
    for i in range(size):
        moved = np.zeros((size, size))
        for s in range(size - i):
            moved[s : s + i + 1, s] = weights[s, i] * staying[i]
        both += moved @ infection[i]
    later = np.zeros_like(weights)
    for s in range(size):
        later[s, : size - s] = both[s:, s]
    return later


if __name__ == "__main__":
    main()
