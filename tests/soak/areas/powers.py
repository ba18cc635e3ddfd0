"""Huge domains and stacked powers, beside closed forms in decimals: right, or refused by name.

A tower has a variable A0, ``sizes[0]`` variables A1(X1), ``sizes[1]`` times as many A2(X1, X2), and
so on, with a factor between each and the one above. A crowd has pairs of individuals. A factor is
repeated as often as the domain of a logvar is large that nothing else has.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from random import Random
from typing import Any

import liftgraph as lg
from tests.soak.area import Area, Case, expect

CLOSE = 1e-9
LISTED = 300  # variables that an answer may have
GROUND = 100  # factors of a model that is grounded, too
EXACT = 1000  # factors of a model that is asked exactly, too
NOTHING = Decimal("-Infinity")
DIGITS = Context(prec=150, Emax=10**17, Emin=-(10**17), traps=[])


def _table(random: Random, count: int) -> list[str]:
    if random.random() < 0.3:  # rows that sum to one: no power of them is far from it
        weights = [Fraction(random.randint(1, 9), 10) for _ in range(count // 2)]
        return [str(value) for weight in weights for value in (weight, 1 - weight)]
    if random.random() < 0.2:
        return [random.choice("0112") for _ in range(count)]
    return [random.choice(["1", "2", "3", "1/3", "9/10", "1e-9", "1e9"]) for _ in range(count)]


def _large(random: Random, digits: int) -> int:
    return 1 if random.random() < 0.3 else int(10 ** random.uniform(0, digits))


def _draw(random: Random) -> Case:
    crowd = random.random() < 0.3
    levels = 2 if crowd else random.randint(1, 4)
    digits = random.choice([1, 2, 6, 13, 30])
    sizes = [_large(random, digits) for _ in range(levels - 1)]
    return {
        "crowd": crowd,
        "sizes": [1 + sizes[0] % 100] if crowd else sizes,
        "repeats": [_large(random, random.choice([1, 12])) for _ in range(levels)],
        "tables": [_table(random, 2 if level == 0 else 4) for level in range(levels)],
    }


def _model(case: Case) -> lg.ParfactorGraph:
    repeats = [lg.LogVar(f"N{level}", repeat) for level, repeat in enumerate(case["repeats"])]
    tables = [[Fraction(value) for value in table] for table in case["tables"]]
    if case["crowd"]:
        X = lg.LogVar("X", case["sizes"][0])
        Y = lg.LogVar("Y", X)
        member, pair = lg.prv("A0", X), [tables[1][0], tables[1][1], tables[1][1], tables[1][3]]
        alone = lg.parfactor([member], tables[0], logvars=[X, repeats[0]])
        both = lg.parfactor([member, member(Y)], pair, lg.unordered(X, Y), [X, Y, repeats[1]])
        return lg.ParfactorGraph.of([alone, both])
    logvars = [lg.LogVar(f"X{level}", size) for level, size in enumerate(case["sizes"], 1)]
    prvs = [lg.prv(f"A{level}", *logvars[:level]) for level in range(len(tables))]
    parfactors = [lg.parfactor([prvs[0]], tables[0], logvars=[repeats[0]])]
    for level in range(1, len(tables)):
        free = [*logvars[:level], repeats[level]]
        parfactors.append(lg.parfactor(prvs[level - 1 : level + 1], tables[level], logvars=free))
    return lg.ParfactorGraph.of(parfactors)


def _logs(table: Sequence[str], repeat: int) -> list[Decimal]:
    """Logarithms of powers."""
    values = [Fraction(value) for value in table]
    return [repeat * (_ln(v.numerator) - _ln(v.denominator)) if v else NOTHING for v in values]


def _ln(number: int) -> Decimal:
    return Decimal(number).ln()


def _times(count: int, logarithm: Decimal) -> Decimal:
    return count * logarithm if count else Decimal(0)


def _sum(terms: Iterable[Decimal]) -> Decimal:
    """The logarithm of a sum, from logarithms."""
    listed = list(terms)
    largest = max(listed)
    if largest == NOTHING:
        return largest
    return largest + sum(((term - largest).exp() for term in listed), Decimal(0)).ln()


def _states_of_first(case: Case, add: Any) -> list[Decimal]:
    """The log weights of the states of A0 (of a crowd: of one member, of all that agree)."""
    logs = [_logs(*pair) for pair in zip(case["tables"], case["repeats"], strict=True)]
    if case["crowd"]:
        return _crowd(case["sizes"][0], logs[0], logs[1], add)
    below = [Decimal(0)] * 2
    for level in range(len(logs) - 1, 0, -1):
        sums = [add(logs[level][2 * a + b] + below[b] for b in (0, 1)) for a in (0, 1)]
        below = [_times(case["sizes"][level - 1], value) for value in sums]
    return [a + b for a, b in zip(logs[0], below, strict=True)]


def _crowd(size: int, alone: list[Decimal], pair: list[Decimal], add: Any) -> list[Decimal]:
    """Sums over how many others are in the first state."""

    def of(first: int) -> Decimal:
        """The log weight of an assignment in which so many have the first state."""
        other = size - first
        pairs = [math.comb(first, 2), first * other, math.comb(other, 2)]
        logs = [alone[0], alone[1], pair[0], pair[1], pair[3]]
        return sum(map(_times, [first, other, *pairs], logs), Decimal(0))

    counts = range(size)
    ways = [Decimal(0) if add is max else _ln(math.comb(size - 1, count)) for count in counts]
    return [
        add(ways[count] + of(count + 1) for count in counts),
        add(ways[count] + of(count) for count in counts),
    ]


def _check(case: Case) -> None:
    model = _model(case)
    with localcontext(DIGITS):
        sums, maxima = _states_of_first(case, _sum), max(_states_of_first(case, max))
        log_z = _sum(sums)
        if log_z == NOTHING:
            shares = [0.0, 0.0]
        else:
            shares = [float((state - log_z).exp()) for state in sums]
    few = model.variable_count <= LISTED
    questions = ["query", "partition"] + ["mpe"] * few + ["marginals"] * few
    methods = ["lifted", "auto"] + ["ground"] * (model.factor_count <= GROUND)
    for question in questions:
        for exact in (False,) + (True,) * (model.factor_count <= EXACT):
            found = {method: _asked(model, question, method, exact) for method in methods}
            for method, answer in found.items():
                name = f"{question}, {method}, {'exact' if exact else 'float'}"
                _compare(name, answer, log_z, maxima, shares)
            refused = found["auto"] is lg.ComputationError
            answered = [m for m, answer in found.items() if answer is not lg.ComputationError]
            expect(not (refused and answered), f"auto refuses what others answer: {answered}")


def _asked(model: lg.ParfactorGraph, question: str, method: str, exact: bool) -> Any:
    """An answer, or what kind of error there is instead."""
    options: Any = {"method": method, "exact": exact, "memory_limit": 2**26}
    try:
        if question == "query":
            return model.query(model.name(model.locate(0)), **options)
        return model.ask(question, **options)
    except lg.ZeroWeightError:
        return lg.ZeroWeightError
    except lg.ComputationError:  # too much memory, or beyond what floats tell
        return lg.ComputationError


def _compare(name: str, found: Any, log_z: Decimal, best: Decimal, shares: Sequence[float]) -> None:
    if found is lg.ComputationError:
        return
    impossible = log_z == NOTHING
    if impossible or found is lg.ZeroWeightError:
        agreed = impossible and found is lg.ZeroWeightError
        expect(agreed, f"{name}: expected log Z = {log_z:.20}, got {found}")
        return
    if isinstance(found, lg.Marginals):
        _compare_logs(f"{name}: log Z", found.log_z, log_z)
        found = next(iter(found.values()))
    if isinstance(found, lg.Marginal):
        for p, right in zip(found.values(), shares, strict=True):
            near = math.isclose(p, right, rel_tol=CLOSE, abs_tol=1e-300)
            expect(near, f"{name}: expected probability {right!r}, got {p!r}")
    elif isinstance(found, lg.Assignment):
        _compare_logs(f"{name}: log weight", found.log_weight, best)
    else:
        _compare_logs(f"{name}: log Z", found.log_z, log_z)


def _compare_logs(name: str, found: float, expected: Decimal) -> None:
    near = math.isclose(found, float(expected), rel_tol=CLOSE, abs_tol=CLOSE)
    expect(near, f"{name}: expected {float(expected)!r}, got {found!r}")


def _smaller(case: Case) -> Iterator[Case]:
    if len(case["sizes"]) > 1:
        shorter = {key: case[key][:-1] for key in ("sizes", "repeats", "tables")}
        yield {**case, **shorter}
    for key in ("sizes", "repeats"):
        for index, size in enumerate(case[key]):
            for less in {1, size // 10} - {0, size}:
                yield {**case, key: [*case[key][:index], less, *case[key][index + 1 :]]}


AREAS = (Area("powers", _draw, _check, _smaller, seconds=30),)
