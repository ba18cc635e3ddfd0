"""Sums and products of integers of any size."""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Callable, Iterable
from fractions import Fraction
from numbers import Rational
from operator import add
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from liftgraph.semiring.multinomials import multinomials
from liftgraph.semiring.pairs import precise_logarithm
from liftgraph.semiring.power_products import (
    PowerProduct,
    bit_bound,
    power_divisor,
    raisable,
    without,
)
from liftgraph.semiring.protocol import Contracting, Index, Integers, Normalised, Objects, moved
from liftgraph.semiring.scaled import chunks

# Where the integers of a step have more bits than this in all, FLINT is faster (measured on
# grids, trees and chains); below, calling it costs more than its faster multiplication saves.
_LONG = 300_000
# Powers of more bits than this are not multiplied out: keeping them apart costs less.
_LONG_POWER = 1 << 14
_FEW = 8  # terms that are added one after the other

S = TypeVar("S", bound="ArraySemiring")


class ArraySemiring(Contracting[NDArray[Any]]):
    """What semirings on plain arrays have in common. ``zero``: what adding changes nothing."""

    zero: Any = 0

    def before(self: S, power: int) -> S:
        return self

    def stays_exact(self, bits: int, power: int) -> bool:
        return False

    def part(self, tensor: NDArray[Any], index: Index) -> NDArray[Any]:
        return np.asarray(tensor[index], dtype=tensor.dtype)

    def arrange(
        self, tensor: NDArray[Any], axes: tuple[int, ...] | None, shape: tuple[int, ...]
    ) -> NDArray[Any]:
        ordered = tensor if axes is None else tensor.transpose(axes)
        return ordered.reshape(shape)

    def take(self, tensor: NDArray[Any], index: Integers) -> NDArray[Any]:
        return tensor[:, index]

    def moved(self, tensor: NDArray[Any], places: int) -> NDArray[Any]:
        return moved(tensor, self.zero, places)

    def convolve(self, a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
        return self.combine(a, self.moved(b, a.shape[-1]))

    def correlate(self, a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
        rows = self.moved(b, a.shape[-1] - b.shape[-1] + 1)
        return self.combine(a, rows.swapaxes(-1, -2))


class ExactSemiring(ArraySemiring):
    """Sums and products of integers of any size."""

    def evaluate(self, integers: NDArray[Any], bits: int | None = None) -> Objects:
        return integers.astype(object)

    def unit(self, shape: tuple[int, ...]) -> Objects:
        return self.evaluate(np.ones(shape, dtype=np.int64))

    def convert(self, integers: Objects, power: int = 1) -> Objects:
        return self.evaluate(integers)

    def combine(self, a: Objects, b: Objects) -> Objects:
        return folded(np.add, a, b)

    def powers(self, tensor: Objects, exponents: Integers) -> Objects:
        raised = tensor[..., None] ** exponents.astype(object)
        products: Objects = np.multiply.reduce(raised, axis=2)
        return products

    def multinomials(self, counts: Integers) -> Objects:
        return self.evaluate(np.array(multinomials(counts), dtype=object))

    def possible(self, tensor: Objects) -> bool:
        return bool(tensor.astype(bool).any())

    def normalise(self, tensor: Objects) -> Normalised | None:
        weights = tensor.ravel().tolist()
        total = sum(weights)
        if not total:
            return None
        fractions, whole = _array(_shares(weights, total), tensor.shape), int(total)
        return Normalised(fractions.astype(np.float64), fractions, precise_logarithm(whole), whole)

    def normalise_flow(self, flow: Objects) -> Normalised | None:
        return self.normalise(flow)

    def total(self, tensor: Objects) -> Objects:
        return tensor

    def share(self, flow: Objects, tensor: Objects) -> Objects:
        # The flow through an entry is a multiple of it; where it is zero, nothing flows.
        return np.asarray(flow // np.where(tensor.astype(bool), tensor, 1), dtype=object)

    def times(self, a: Objects, b: Objects) -> Objects:
        return np.asarray(a * b, dtype=object)

    def weighed(self, flow: Objects, exponents: Integers) -> Objects:
        weights = exponents.transpose(0, 2, 1).astype(object)
        sums: Objects = np.add.reduce(flow[..., None] * weights, axis=2)
        return sums

    def spread(self, flow: Objects, index: Integers, size: int) -> Objects:
        sums = np.zeros((size, len(flow)), dtype=object)
        np.add.at(sums, index, flow.T)
        return sums.T

    def row_weights(self, tensor: Objects) -> Objects:
        return _array(map(int, tensor.ravel().tolist()), tensor.shape)


def folded(join: np.ufunc, a: Objects, b: Objects) -> Objects:
    """The products joined over k, chunk by chunk, so that few of them exist at a time."""
    parts = (join.reduce(part_a * part_b, axis=0) for part_a, part_b in chunks(a, b))
    joined: Objects = functools.reduce(join, parts)
    return joined


class FactoredSemiring(ExactSemiring):
    """Exact sums and products, in which long powers are multiplied out only as far as needed."""

    def combine(self, a: Objects, b: Objects) -> Objects:
        return functools.reduce(add, (_sum(x * y) for x, y in chunks(a, b)))

    def powers(self, tensor: Objects, exponents: Integers) -> Objects:
        if _long(tensor, exponents):
            tensor = _array(raisable(tensor.ravel().tolist()), tensor.shape)
        return super().powers(tensor, exponents)

    def weighed(self, flow: Objects, exponents: Integers) -> Objects:
        weights = exponents.transpose(0, 2, 1).astype(object)
        return _sum(np.moveaxis(flow[..., None] * weights, 2, 0))


class FlintSemiring(FactoredSemiring):
    """The same on FLINT's integers, faster for long integers."""

    def evaluate(self, integers: NDArray[Any], bits: int | None = None) -> Objects:
        from flint import fmpz

        return _array([fmpz(int(entry)) for entry in integers.ravel().tolist()], integers.shape)


def _long(tensor: Objects, exponents: Integers) -> bool:
    """Whether powers may be long."""
    bits = max(map(bit_bound, tensor.ravel().tolist()), default=0)
    return bits * int(exponents.sum(axis=1).max(initial=0)) > _LONG_POWER


def _array(entries: Iterable[Any], shape: tuple[int, ...]) -> Objects:
    """An array of integers of any kind."""
    listed = list(entries)
    array = np.empty(len(listed), dtype=object)
    array[:] = listed
    return array.reshape(shape)


def _sum(terms: Objects) -> Objects:
    """The sum over the first axis, which takes the place of the terms.

    Products of powers are added in pairs, then pairs of pairs, so that short sums come first.
    """
    count = len(terms)
    if count == 1:
        return cast(Objects, terms[0])
    if count <= _FEW or not isinstance(terms.flat[terms.size // 2], PowerProduct):
        return np.asarray(np.add.reduce(terms, axis=0), dtype=object)
    while count > 1:
        for pair in range(count // 2):
            terms[pair] = terms[2 * pair] + terms[2 * pair + 1]
        if count % 2:
            terms[count // 2] = terms[count - 1]
        count -= count // 2
    return np.asarray(terms[0], dtype=object)


class _Reduced(NamedTuple):
    """A fraction that has no common factors left, which ``Fraction`` takes as it is."""

    numerator: int
    denominator: int


Rational.register(_Reduced)


def coprime(numerator: int, denominator: int) -> Fraction:
    """The fraction of two integers without a common divisor."""
    return Fraction(cast("Rational", _Reduced(numerator, denominator)))


def reduced(numerator: int, denominator: int) -> Fraction:
    """The fraction of two integers that are not negative, by FLINT if installed and faster.

    The greatest common divisor takes Python time that is quadratic in the bits.
    """
    if not uses_flint(denominator.bit_length()):
        return Fraction(numerator, denominator)
    from flint import fmpz

    above, below = fmpz(numerator), fmpz(denominator)
    divisor = above.gcd(below)
    return coprime(int(above // divisor), int(below // divisor))


def ratio(above: Any, below: Any) -> Fraction:
    """The fraction of two positive integers, of which the first may be a product of powers.

    What a power has in common with the denominator is found without a look at the whole power.
    """
    if not isinstance(above, PowerProduct):
        return reduced(int(above), int(below))
    numerator, denominator = 1, below
    for base, exponent in above.powers.items():
        divisor = power_divisor(denominator, base, exponent)
        numerator, denominator = numerator * (base**exponent // divisor), denominator // divisor
    rest = reduced(int(above.coefficient), int(denominator))
    return coprime(rest.numerator * int(numerator), rest.denominator)


def _shares(weights: list[Any], total: Any) -> list[Fraction]:
    """Weights divided by their sum, which is positive.

    All but zeros have the powers of the sum. Only one of two is reduced: what divides one and the
    sum divides the other.
    """
    positive = [weight for weight in weights if weight]
    if isinstance(total, PowerProduct):
        positive = [without(weight, total.powers) for weight in positive]
        total = total.coefficient
    shares = [ratio(weight, total) for weight in positive[: 1 if len(positive) == 2 else None]]
    if len(positive) == 2:
        below = shares[0].denominator
        shares.append(coprime(below - shares[0].numerator, below))
    remaining = iter(shares)
    return [next(remaining) if weight else Fraction(0) for weight in weights]


def uses_flint(bits: int) -> bool:
    """Whether FLINT is installed and faster for steps of about this many bits."""
    return bits > _LONG and importlib.util.find_spec("flint") is not None


def long_integer(bits: int) -> Callable[[int], Any]:
    """What makes integers of about this many bits: FLINT's, or none but Python's own."""
    if not uses_flint(bits):
        return int
    from flint import fmpz

    return cast("Callable[[int], Any]", fmpz)


def exact_semiring(bits: int) -> FactoredSemiring:
    """The semiring for exact sums in steps of about this many bits."""
    return FLINT if uses_flint(bits) else FACTORED


EXACT = ExactSemiring()
FACTORED = FactoredSemiring()
FLINT = FlintSemiring()
