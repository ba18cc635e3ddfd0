"""Tables with many symmetries (codes, parities, rings): found soon, in any order of arguments."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from random import Random

import numpy as np

import liftgraph as lg
from liftgraph.exact import log
from tests.relational import in_any_order
from tests.soak.area import Area, Case, expect

SHAPES = ["code", "parity", "ring", "blocks", "count"]


def _draw(random: Random) -> Case:
    arity = random.randint(3, 12)
    return {
        "shape": random.choice(SHAPES),
        "arity": arity,
        "words": [random.getrandbits(arity) for _ in range(random.randint(1, 5))],
        "values": [random.randint(1, 9) for _ in range(arity + 1)],
        "alone": random.choice([[], [2, 1], [1, 3]]),
        "order": random.randrange(1000),
    }


def _value(case: Case, code: set[int], states: tuple[int, ...]) -> int:
    values: list[int] = case["values"]
    if case["shape"] == "code":
        return values[int("".join(map(str, states)), 2) in code]
    if case["shape"] == "parity":
        return values[sum(states) % 2]
    if case["shape"] == "ring":
        return values[sum(a != b for a, b in zip(states, states[1:] + states[:1], strict=True))]
    if case["shape"] == "blocks":
        return values[sum(a and b for a, b in zip(states[::2], states[1::2], strict=False))]
    return values[sum(states)]


def _graph(case: Case) -> lg.FactorGraph:
    """One table of all variables, and perhaps a table for each second one."""
    arity, code = case["arity"], {0}
    for word in case["words"]:  # all sums of some words: a linear code
        code |= {word ^ other for other in code}
    entries = [_value(case, code, states) for states in product((0, 1), repeat=arity)]
    builder = lg.FactorGraphBuilder()
    for variable in range(arity):
        builder.add_variable(f"V{variable}", 2)
    builder.add_factor(range(arity), lg.Table.of(entries, [2] * arity))
    for variable in range(0, arity, 2):
        if case["alone"]:
            builder.add_factor([variable], lg.Table.of(case["alone"], [2]))
    return builder.build()


def _check(case: Case) -> None:
    graph = _graph(case)
    shuffled = in_any_order(graph, np.random.default_rng(case["order"]), named=True)
    groups = []
    for model in (graph, shuffled):
        colouring = lg.colour_passing(model)
        groups.append((colouring.variable_group_count, colouring.factor_group_count))
        lifted = lg.lift(model)
        expect(lifted.ground() == model, "grounding does not give back the graph")
        z = lifted.partition(method="lifted").log_z
        right = log(Fraction(model.partition(exact=True, method="ground").z or 0))
        expect(math.isclose(z, right, rel_tol=1e-9), f"expected log Z {right}, got {z}")
    expect(groups[0] == groups[1], f"another order, other groups: {groups}")


def _smaller(case: Case) -> Iterator[Case]:
    for index in range(len(case["words"])):
        yield {**case, "words": case["words"][:index] + case["words"][index + 1 :]}
    if case["alone"]:
        yield {**case, "alone": []}


AREAS = (Area("budgets", _draw, _check, _smaller),)
