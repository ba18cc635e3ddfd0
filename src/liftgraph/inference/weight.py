"""The weight of a single assignment: the product of all factors there."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.semiring.exact import coprime, long_integer, ratio
from liftgraph.semiring.pairs import log_of_product
from liftgraph.semiring.power_products import Base, PowerProduct

_OFTEN = 16  # a denominator that occurs more often is not multiplied out before it is reduced


def weight(graph: FactorGraph, states: Sequence[int]) -> Fraction:
    """The exact weight of an assignment of all variables, given as state indices."""
    return product_of_powers(_potentials(graph, states).items())


def log_weight(graph: FactorGraph, states: Sequence[int]) -> float:
    """The natural logarithm of an assignment's weight, -inf if that is zero."""
    potentials = _potentials(graph, states)
    if any(value == 0 for value in potentials):
        return -math.inf
    return log_of_product(potentials.items())


def product_of_powers(powers: Iterable[tuple[Fraction, int]]) -> Fraction:
    """The product of values, each to its power, as a fraction that is reduced only once.

    >>> product_of_powers([(Fraction(2, 3), 2), (Fraction(3), 1)])
    Fraction(4, 3)
    """
    pairs = list(powers)
    integer = long_integer(sum([count * _bits(value) for value, count in pairs]))
    numerator = _balanced_product([integer(value.numerator) ** count for value, count in pairs])
    if not numerator:
        return Fraction(0)
    denominators = Counter[int]()
    for value, count in pairs:
        denominators[value.denominator] += count
    often = {d: count for d, count in denominators.items() if count > _OFTEN and d > 1}
    others = [integer(d) ** count for d, count in denominators.items() if d not in often]
    bases = {Base(integer(d)): count for d, count in often.items()}
    inverse = ratio(PowerProduct(_balanced_product(others), bases), numerator)
    return coprime(inverse.denominator, inverse.numerator)


def _bits(value: Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def _balanced_product(values: list[Any]) -> Any:
    """The product of integers; long ones multiply fastest with others of their length."""
    while len(values) > 1:
        values = [math.prod(values[place : place + 2]) for place in range(0, len(values), 2)]
    return values[0] if values else 1


def _potentials(graph: FactorGraph, states: Sequence[int]) -> Counter[Fraction]:
    """The potentials of all factors at an assignment, and how often each occurs."""
    places: Counter[tuple[int, tuple[int, ...]]] = Counter()
    ends, scope = graph.scope_ptr.tolist(), graph.scope.tolist()
    for factor, potential_id in enumerate(graph.table_id.tolist()):
        arguments = scope[ends[factor] : ends[factor + 1]]
        places[potential_id, tuple([states[variable] for variable in arguments])] += 1
    values: Counter[Fraction] = Counter()
    for (potential_id, place), count in places.items():
        values[graph.potentials[potential_id].potential(place)] += count
    return values
