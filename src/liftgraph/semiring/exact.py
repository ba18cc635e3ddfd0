"""Sums and products of integers of any size."""

from __future__ import annotations

import functools
import importlib.util
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.semiring.log import chunks
from liftgraph.semiring.multinomials import multinomials
from liftgraph.semiring.pairs import precise_logarithm
from liftgraph.semiring.protocol import Index, Integers, Normalised, Objects


class ArraySemiring:
    """What semirings on plain arrays have in common."""

    def stays_exact(self, bits: int, power: int) -> bool:
        return False

    def part(self, tensor: NDArray[Any], index: Index) -> NDArray[Any]:
        return np.asarray(tensor[index], dtype=tensor.dtype)

    def arrange(
        self, tensor: NDArray[Any], axes: tuple[int, ...], shape: tuple[int, ...]
    ) -> NDArray[Any]:
        return tensor.transpose(axes).reshape(shape)

    def take(self, tensor: NDArray[Any], index: Integers) -> NDArray[Any]:
        return tensor[:, index]


class ExactSemiring(ArraySemiring):
    """Sums and products of integers of any size."""

    def evaluate(self, integers: NDArray[Any]) -> Objects:
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
        return bool((tensor != 0).any())

    def normalise(self, tensor: Objects) -> Normalised | None:
        integers = [int(entry) for entry in tensor.ravel().tolist()]
        total = sum(integers)
        if total == 0:
            return None
        fractions = np.empty(len(integers), dtype=object)
        fractions[:] = [Fraction(integer, total) for integer in integers]
        shaped = fractions.reshape(tensor.shape)
        return Normalised(shaped.astype(np.float64), shaped, precise_logarithm(total), total)

    def normalise_flow(self, flow: Objects) -> Normalised | None:
        return self.normalise(flow)

    def total(self, tensor: Objects) -> Objects:
        return tensor

    def share(self, flow: Objects, tensor: Objects) -> Objects:
        # The flow through an entry is a multiple of it; where it is zero, nothing flows.
        return np.asarray(flow // np.where(tensor == 0, 1, tensor), dtype=object)

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


def folded(join: np.ufunc, a: Objects, b: Objects) -> Objects:
    """The products joined over k, chunk by chunk, so that few of them exist at a time."""
    parts = (join.reduce(part_a * part_b, axis=0) for part_a, part_b in chunks(a, b))
    joined: Objects = functools.reduce(join, parts)
    return joined


class FlintSemiring(ExactSemiring):
    """Exact sums and products on FLINT's integers, faster for long integers."""

    def evaluate(self, integers: NDArray[Any]) -> Objects:
        from flint import fmpz

        entries = [fmpz(int(entry)) for entry in integers.ravel().tolist()]
        tensor = np.empty(len(entries), dtype=object)
        tensor[:] = entries
        return tensor.reshape(integers.shape)


# Where the integers of a step have more bits than this in all, FLINT is faster (measured on
# grids, trees and chains); below, calling it costs more than its faster multiplication saves.
_LONG = 300_000


def exact_semiring(bits: int) -> ExactSemiring:
    """The exact semiring for steps of about this many bits: FLINT's if installed and faster."""
    if bits > _LONG and importlib.util.find_spec("flint") is not None:
        return FLINT
    return EXACT


EXACT = ExactSemiring()
FLINT = FlintSemiring()
