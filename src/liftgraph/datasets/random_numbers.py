"""Random numbers that depend on a seed alone: they are the same on every machine."""

from __future__ import annotations

from math import prod

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import InputError, quoted
from liftgraph.model.ground.names import is_count

LARGEST_POTENTIAL = 10

Integers = NDArray[np.int64]


class Draws:
    """An endless sequence of random numbers, determined by a seed and by their purpose.

    They are made from the raw bits of PCG64, which NumPy promises never to change. NumPy's own
    distributions may change from version to version.

    >>> first, again = (Draws(7, "tables").integers(100, 1, 10) for _ in range(2))
    >>> first.tolist() == again.tolist()
    True
    """

    def __init__(self, seed: int, purpose: str) -> None:
        if not is_count(seed) or seed < 0:
            raise InputError(f"expected a seed of 0 or more, got {quoted(seed)}")
        self._bits = np.random.PCG64(np.random.SeedSequence([int(seed), *purpose.encode()]))

    def uniform(self, *shape: int) -> NDArray[np.float64]:
        """Numbers from 0 up to, but not including, 1: float64 of a shape."""
        raw = self._bits.random_raw(prod(shape))
        numbers: NDArray[np.float64] = np.ldexp((raw >> np.uint64(11)).astype(np.float64), -53)
        return numbers.reshape(shape)

    def integers(self, count: int, low: int, high: int) -> Integers:
        """Integers from low to high, both included, int64 (count,)."""
        return low + (self.uniform(count) * (high - low + 1)).astype(np.int64)

    def potentials(self, shape: tuple[int, ...], commutative: bool = False) -> Integers:
        """A table of integers from 1 to 10. If it is to be commutative, they depend only on how
        many arguments are in which state; precondition: all arguments have two states."""
        if not commutative:
            return self.integers(prod(shape), 1, LARGEST_POTENTIAL).reshape(shape)
        by_count = self.integers(len(shape) + 1, 1, LARGEST_POTENTIAL)
        table: Integers = by_count[np.indices(shape).sum(axis=0)]
        return table
