"""Probabilities by formula, for models whose symmetries are known from how they are written.

Nothing here uses lifting or elimination: there are sums over one individual's variables, powers
for the others, and binomials for the number of individuals in a state. Integers are exact;
logarithms have 60 digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Context, Decimal, localcontext
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import InputError
from liftgraph.model.ground.table import Table
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph

_DIGITS = Context(prec=60)
Weights = NDArray[Any]  # Python integers
_NO_PRIOR: Weights = np.array([1, 1], dtype=object)


def by_formula(family: str, model: ParfactorGraph, prv: str) -> float:
    """The probability that a variable of a PRV is in its first state.

    Precondition: the model is that of the family in ``datasets``, as written; in the textbook
    models, the PRV is the first one.
    """
    if family in _LOG_WEIGHTS:
        if prv != model.prvs[0].name:
            raise InputError(f"{family}: expected {model.prvs[0].name}, got {prv}")
        return _count_probability(_LOG_WEIGHTS[family](model), model.prvs[0].size)
    prior, weights, names = _GIVEN_HUB[family](model)
    return _hub_probability(prior, weights, model.domains[0].size, names.index(prv))


def _hub_probability(prior: Weights, weights: Weights, individuals: int, place: int) -> float:
    """The probability if, given the hub, individuals are independent and alike.

    ``weights``: of an individual's variables (axes 1, 2, …) given the hub (axis 0).
    ``place``: the variable asked for, 0 for the hub itself.
    """
    totals = weights.reshape(len(prior), -1).sum(axis=1)
    with localcontext(_DIGITS):
        pairs = zip(prior, totals, strict=True)
        logs = [_log(weight) + individuals * _log(total) for weight, total in pairs]
        hub = [(log - max(logs)).exp() for log in logs]
        if place:
            first_state = weights.sum(axis=tuple({*range(1, weights.ndim)} - {place}))[:, 0]
        else:
            first_state = totals * np.array([1, 0], dtype=object)
        shares = [Decimal(a) / Decimal(b) for a, b in zip(first_state, totals, strict=True)]
        return float(sum(map(prod, zip(hub, shares, strict=True))) / sum(hub))


def _epid(model: ParfactorGraph) -> tuple[Weights, Weights, tuple[str, ...]]:
    prior, spread, cure = (_entries(parfactor.table) for parfactor in model.parfactors)
    medications = model.domains[1].size
    other_treatments = cure.sum(axis=2) ** (medications - 1)  # of (sick, epidemic)
    weights = (
        spread.transpose(2, 0, 1)[:, :, :, None]
        * (cure * other_treatments[:, :, None]).transpose(1, 0, 2)[:, None]
    )
    return prior, weights, ("Epid", "Travel", "Sick", "Treat")


def _employee(model: ParfactorGraph) -> tuple[Weights, Weights, tuple[str, ...]]:
    competence, revenue, salary = (_entries(parfactor.table) for parfactor in model.parfactors)
    weights = (competence[:, None] * revenue)[:, :, None] * salary
    return _NO_PRIOR, weights.transpose(1, 0, 2), ("Rev", "Com", "Sal")


def _ds(model: ParfactorGraph) -> tuple[Weights, Weights, tuple[str, ...]]:
    first, rest = (_entries(parfactor.table) for parfactor in model.parfactors)
    weights = first.reshape(2, 2, *[1] * (rest.ndim - 1)) * rest[None]
    return _NO_PRIOR, weights, tuple(f"R{position}" for position in range(weights.ndim))


_GIVEN_HUB = {"epid": _epid, "employee": _employee, "ds4": _ds, "ds6": _ds}


def _count_probability(log_weights: Sequence[Decimal], individuals: int) -> float:
    """The mean share of individuals in the first state.

    ``log_weights``: for each number of individuals in that state, the logarithm of its weight
    without the binomial coefficient.
    """
    with localcontext(_DIGITS):
        choices, weights = Decimal(0), []
        for count, log in enumerate(log_weights):
            weights.append(log + choices)
            if count < individuals:
                choices += (Decimal(individuals - count) / (count + 1)).ln()
        largest = max(weights)
        shares = [(log - largest).exp() for log in weights]
        total = sum(count * share for count, share in enumerate(shares))
        return float(total / (individuals * sum(shares)))


def _log(weight: int) -> Decimal:
    return Decimal(weight).ln()


def _clique(model: ParfactorGraph) -> list[Decimal]:
    pair, single = (_entries(parfactor.table) for parfactor in model.parfactors)
    return _pairwise(pair, single, model.prvs[0].size)


def _smokers(model: ParfactorGraph) -> list[Decimal]:
    single, friends = (_entries(parfactor.table) for parfactor in model.parfactors)
    ordered = friends.sum(axis=0)
    return _pairwise(ordered * ordered.T, single, model.prvs[0].size)


def _pairwise(pair: Weights, single: Weights, n: int) -> list[Decimal]:
    """The logarithm of the weight if k of n individuals are in the first state, for all k.

    ``pair``: the weight of the states of two individuals, symmetric; ``single``: that of one.
    """
    with localcontext(_DIGITS):
        both, mixed, none = _log(pair[0, 0]), _log(pair[0, 1]), _log(pair[1, 1])
        first, second = map(_log, single)
        return [
            both * (k * (k - 1) // 2)
            + mixed * (k * (n - k))
            + none * ((n - k) * (n - k - 1) // 2)
            + first * k
            + second * (n - k)
            for k in range(n + 1)
        ]


def _workshops(model: ParfactorGraph) -> list[Decimal]:
    hot, series = (_entries(parfactor.table) for parfactor in model.parfactors)
    n, workshops = model.domains[0].size, model.domains[1].size
    with localcontext(_DIGITS):
        return [
            workshops * _log_sum(hot.T, k, n - k) + _log_sum(series.T, k, n - k)
            for k in range(n + 1)
        ]


def _log_sum(rows: Weights, first: int, second: int) -> Decimal:
    """log Σ a^first · b^second over rows (a, b)."""
    logs = [first * _log(a) + second * _log(b) for a, b in rows]
    return max(logs) + sum(((log - max(logs)).exp() for log in logs), Decimal(0)).ln()


_LOG_WEIGHTS = {"clique": _clique, "smokers": _smokers, "workshops": _workshops}


def _entries(table: Table) -> Weights:
    """The integers of a table; its scale changes no probability."""
    return table.integers.astype(object)
