"""What every semiring can do with its tensors.

Elimination of a variable from two tables is ``combine`` after a rearrangement of axes. Lifted
elimination needs two more operations: ``powers``, for what holds of many individuals alike, and
``take``, which looks entries up. Backwards, a *flow* says how much of the total weight passes
through each entry of a tensor; it needs no division by zero and no logarithm of zero.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Objects = NDArray[Any]
Index = tuple[int | slice, ...]
T = TypeVar("T")

CHUNK = 1 << 16  # entries of a product that exist at a time while it is summed
WORKING_COPIES = 6  # of a result and its operands, at most, while it is computed in floats
EXACT_COPIES = 3  # of a result in integers: a sum so far, another part, and both together


class Semiring(Protocol[T]):
    """Tensors of some kind with products and sums over an axis."""

    def evaluate(self, integers: NDArray[Any]) -> T:
        """The tensor of a table's non-negative integers, without its scale."""

    def part(self, tensor: T, index: Index) -> T:
        """The tensor with some of its axes at a fixed place."""

    def arrange(self, tensor: T, axes: tuple[int, ...], shape: tuple[int, ...]) -> T:
        """The tensor with its axes in another order, then reshaped."""

    def combine(self, a: T, b: T) -> T:
        """From shapes (k, b, i) and (k, b, j) to (b, i, j): the products, summed over k."""

    def take(self, tensor: T, index: Integers) -> T:
        """From shape (r, m) to (r, n): the entries at places of the second axis, int64 (n,)."""

    def powers(self, tensor: T, exponents: Integers) -> T:
        """From shapes (r, b, e) and (b, e, h) to (r, b, h): powers multiplied over e.

        Zero to the power of zero is 1.
        """

    def multinomials(self, counts: Integers) -> T:
        """What each histogram weighs: in how many ways it comes about.

        ``counts``: int64 (histograms, cells), all of as many individuals.
        """


class MaxSemiring(Semiring[T], Protocol[T]):
    """A semiring whose sum is the maximum."""

    def best(self, a: T, b: T) -> int:
        """Where the product of two vectors is largest."""

    def best_rows(self, tensor: T) -> Integers:
        """From shape (r, m) to (r,): where each row is largest."""


class FlowSemiring(Semiring[T], Protocol[T]):
    """A semiring in which the total weight can be traced back to the entries it came from.

    Flows are plain arrays: float64 that add up to 1, or integers that add up to the total weight.
    """

    def total(self, tensor: T) -> NDArray[Any]:
        """The flow through a tensor that is the result: its entries, as shares of their sum."""

    def share(self, flow: NDArray[Any], tensor: T) -> T:
        """The flow divided by the entries it passes through, zero where these are zero."""

    def times(self, a: T, b: T) -> NDArray[Any]:
        """The entrywise product, as a flow."""

    def weighed(self, flow: NDArray[Any], exponents: Integers) -> NDArray[Any]:
        """From shapes (r, b, h) and (b, e, h) to (r, b, e): the flow that powers send back."""

    def spread(self, flow: NDArray[Any], index: Integers, size: int) -> NDArray[Any]:
        """From shape (r, n) to (r, m): the flow that ``take`` sends back."""
