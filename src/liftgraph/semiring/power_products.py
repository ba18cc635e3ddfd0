"""Long integers as products of powers, multiplied out only as far as a sum needs.

The weights of histograms are products of the same few integers to different powers, millions of
bits long. Neighbouring ones have most of these powers in common: a sum takes them out and
multiplies out the rest. Summed in pairs, then pairs of pairs (binary splitting), each sum is only
as long as its terms differ, so that all of them cost a few multiplications of integers as long as
the last one, instead of several for each histogram.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from operator import mul
from typing import Any, TypeAlias

Integer: TypeAlias = Any  # an int, or one of FLINT's integers
_NEAR = 64  # a power is made from one that is longer or shorter by less than this share of it


class Base:
    """An integer that is raised; equal to others of its value. It keeps its latest power.

    Forwards and backwards, the same powers occur, or those with an exponent less by one.
    """

    __slots__ = ("exponent", "integer", "latest")

    def __init__(self, integer: Integer) -> None:
        self.integer = self.latest = integer
        self.exponent = 1

    def __hash__(self) -> int:
        return hash(self.integer)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Base) and bool(self.integer == other.integer)

    def __pow__(self, exponent: int) -> Integer:
        further = exponent - self.exponent
        if _NEAR * abs(further) > exponent:
            self.latest = self.integer**exponent
        elif further > 0:
            self.latest = self.latest * self.integer**further
        elif further < 0:
            self.latest = self.latest // self.integer**-further
        self.exponent = exponent
        return self.latest


Exponents: TypeAlias = Mapping[Base, int]


class PowerProduct:
    """A positive integer: a coefficient times bases to their powers.

    An integer can be written in several ways: the bases need not be prime, nor coprime. Beside
    each other, products of powers and integers can be multiplied, added, raised, and divided
    without a remainder.

    >>> ten = Base(10)
    >>> PowerProduct(3, {ten: 200}) * PowerProduct(1, {Base(7): 100})
    3 * 10**200 * 7**100
    >>> PowerProduct(3, {ten: 200}) + PowerProduct(2, {ten: 201})
    23 * 10**200
    """

    __slots__ = ("coefficient", "powers")

    def __init__(self, coefficient: Integer, powers: Exponents) -> None:
        self.coefficient = coefficient
        self.powers = powers

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, PowerProduct):
            return PowerProduct(self.coefficient * other, self.powers) if other else other
        powers = dict(self.powers)
        for base, exponent in other.powers.items():
            powers[base] = powers.get(base, 0) + exponent
        return PowerProduct(self.coefficient * other.coefficient, powers)

    def __add__(self, other: Any) -> Any:
        if not other:
            return self
        common = common_powers(self, other)
        coefficient = rest_of(self, common) + rest_of(other, common)
        return PowerProduct(coefficient, common) if common else coefficient

    def __pow__(self, exponent: int) -> Any:
        powers = {base: exponent * earlier for base, earlier in self.powers.items()}
        coefficient = self.coefficient**exponent
        return PowerProduct(coefficient, powers) if exponent else coefficient

    def __floordiv__(self, divisor: Any) -> Any:
        return _quotient(self, divisor)

    def __rfloordiv__(self, dividend: Any) -> Any:
        return _quotient(dividend, self)

    def __int__(self) -> int:
        return int(rest_of(self, {}))

    def __repr__(self) -> str:
        powers = [f"{base.integer}**{exponent}" for base, exponent in self.powers.items()]
        return " * ".join([str(self.coefficient), *powers])

    __rmul__ = __mul__
    __radd__ = __add__


def raisable(values: Sequence[Any]) -> list[Any]:
    """The same integers with nothing but powers, so that raising them only multiplies exponents.

    Their greatest common divisor is a base of its own, which their sums have in common.
    """
    positive = [coefficient for value in values if (coefficient := coefficient_of(value))]
    divisor = functools.reduce(_greatest_divisor, positive) if positive else 1
    return [_as_powers(value, divisor) if value else value for value in values]


def _as_powers(value: Any, divisor: Integer) -> Any:
    """An integer with nothing but powers; a divisor of its coefficient is one of them."""
    quotient, one = coefficient_of(value) // divisor, divisor**0
    bases = [Base(integer) for integer in (divisor, quotient) if integer > 1]
    factors = [PowerProduct(one, powers) for powers in (powers_of(value), *({b: 1} for b in bases))]
    product = functools.reduce(mul, factors)
    return product if product.powers else one


def bit_bound(value: Any) -> int:
    """A bound on the bits of an integer."""
    bits = [exponent * bit_bound(base.integer) for base, exponent in powers_of(value).items()]
    return int(coefficient_of(value).bit_length()) + sum(bits)


def common_powers(value: Any, other: Any) -> Exponents:
    """The powers that two integers are both written with."""
    powers, others = powers_of(value), powers_of(other)
    return {base: min(powers[base], others[base]) for base in powers if base in others}


def rest_of(value: Any, divisors: Exponents) -> Integer:
    """What is left of an integer without these powers, which it is written with."""
    rest = coefficient_of(value)
    for base, exponent in powers_of(value).items():
        if further := exponent - divisors.get(base, 0):
            rest = rest * base**further
    return rest


def without(value: Any, divisors: Exponents) -> PowerProduct:
    """The same, not multiplied out."""
    powers = {base: x - divisors.get(base, 0) for base, x in powers_of(value).items()}
    return PowerProduct(coefficient_of(value), {base: x for base, x in powers.items() if x})


def coefficient_of(value: Any) -> Integer:
    """The coefficient of a product of powers, or an integer itself."""
    return value.coefficient if isinstance(value, PowerProduct) else value


def powers_of(value: Any) -> Exponents:
    """The powers of a product of them; an integer has none."""
    return value.powers if isinstance(value, PowerProduct) else {}


def power_divisor(integer: Integer, base: Base, exponent: int) -> Integer:
    """The greatest common divisor of an integer and a power.

    Theorem: if the integer has the same one with a power and with a higher one, then no prime of
    the base occurs in the integer more often than in the power, and it has the same one with all
    higher ones. Most often that is 1, so that no more than the base is looked at.

    >>> power_divisor(2**7 * 9, Base(6), 10**9)
    1152
    """
    divisor, times = 1, 1
    while True:
        power = base.integer ** min(times, exponent)
        larger = _greatest_divisor(power, integer % power)
        if larger == divisor or times >= exponent:
            return larger
        divisor, times = larger, 4 * times


def _quotient(dividend: Any, divisor: Any) -> Any:
    """The quotient of two integers, of which the second divides the first.

    Theorem: let r be what is left of the divisor once all that it has in common with the
    dividend's coefficient is divided out of both. It divides the powers. So bases are divided by
    what they have in common with r, one power at a time, until r is 1.
    """
    if not dividend:
        return dividend
    common = common_powers(dividend, divisor)
    above, rest = without(dividend, common), rest_of(divisor, common)
    shared = _greatest_divisor(above.coefficient, rest)
    coefficient, rest = above.coefficient // shared, rest // shared
    powers = dict(above.powers)
    for base in powers:
        while powers[base] and (shared := _greatest_divisor(base.integer, rest)) > 1:
            coefficient, rest = coefficient * (base.integer // shared), rest // shared
            powers[base] -= 1
    return PowerProduct(coefficient, {base: x for base, x in powers.items() if x})


def _greatest_divisor(a: Integer, b: Integer) -> Integer:
    """The greatest common divisor of two integers."""
    if isinstance(a, int):
        return math.gcd(a, b) if isinstance(b, int) else b.gcd(a)
    return a.gcd(b)
