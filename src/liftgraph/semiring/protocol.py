"""What every semiring can do with its tensors.

Elimination of a variable from two tables is ``combine``, a product of matrices, after an
``Arrangement`` of their axes, which is worked out once and serves every run. Lifted elimination
needs two more operations: ``powers``, for what many individuals have in common, and
``take``, which looks entries up. Backwards, an *adjoint* is the derivative of the result by each
entry of a tensor (Darwiche 2003), itself a tensor of the semiring. A *flow* is the entry times its
adjoint: how much of the total weight passes through it. It needs no division by zero and no
logarithm of zero.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Objects = NDArray[Any]
Flow = NDArray[Any]
Index = tuple[int | slice, ...]
Number = tuple[float, float]  # the sum of a large and a small float
T = TypeVar("T")

CHUNK = 1 << 16  # entries of a product that exist at a time while it is summed


class Normalised(NamedTuple):
    """Probabilities, and the sum that they were divided by (its logarithm; exactly, if known)."""

    probabilities: Floats
    fractions: Objects | None
    log_sum: Number
    sum: int | None


class Arrangement(NamedTuple):
    """How the axes of two tensors are grouped so that their product is one of matrices.

    The tensors are exchanged if ``swapped``; then the axes of each are put in an order (None: the
    one they have) and grouped, the left ones as (…, i, k) and the right ones as (…, k, j). Leading
    axes that only the right tensor has are of length one on the left. The product, (…, i, j), is
    reshaped to ``shape``, and its axes put in the order ``axes`` unless that is None.
    ``growth``: by how many bits sums over k can be longer than their terms.
    """

    swapped: bool
    left_axes: tuple[int, ...] | None
    left_shape: tuple[int, ...]
    right_axes: tuple[int, ...] | None
    right_shape: tuple[int, ...]
    shape: tuple[int, ...]
    axes: tuple[int, ...] | None
    growth: int


class Semiring(Protocol[T]):
    """Tensors of some kind with products and sums over an axis."""

    def evaluate(self, integers: NDArray[Any], bits: int | None = None) -> T:
        """The tensor of a table's non-negative integers, without its scale.

        ``bits``: a bound on those of the longest integer, where it is known.
        """

    def unit(self, shape: tuple[int, ...]) -> T:
        """The tensor of ones: multiplying with them changes nothing."""

    def before(self, power: int) -> Semiring[T]:
        """The semiring for tensors that are raised to this power later on: itself, or one whose
        results have more digits."""

    def stays_exact(self, bits: int, power: int) -> bool:
        """Whether integers of this many bits in all stay integers for now, to lose no digit.

        ``power``: to which they are raised later on.
        """

    def convert(self, integers: Objects, power: int = 1) -> T:
        """The tensor of integers that stayed exact, raised to this power by the next operation."""

    def part(self, tensor: T, index: Index) -> T:
        """The tensor with some of its axes at a fixed place."""

    def arrange(self, tensor: T, axes: tuple[int, ...] | None, shape: tuple[int, ...]) -> T:
        """The tensor with its axes in another order, or as they are, then reshaped."""

    def combine(self, a: T, b: T) -> T:
        """From shapes (…, i, k) and (…, k, j) to (…, i, j): the products, summed over k.

        Leading axes are broadcast: where ``a`` has one of length one, ``b`` may have a longer one.
        """

    def moved(self, tensor: T, places: int) -> T:
        """From shape (…, q) to (…, p, p + q - 1): moved by 0, 1, … p - 1 places, zero elsewhere.

        The result is only read.
        """

    def convolve(self, a: T, b: T) -> T:
        """From shapes (…, i, p) and (…, q) to (…, i, p + q - 1): products with the same sum of
        indices, summed. Leading axes are broadcast as in ``combine``."""

    def correlate(self, a: T, b: T) -> T:
        """From shapes (…, i, r) and (…, q) to (…, i, r - q + 1): products with the same difference
        of indices, summed."""

    def contract(self, a: T, b: T, how: Arrangement) -> T:
        """The product of two tensors with variables summed out: ``combine``, once arranged."""

    def take(self, tensor: T, index: Integers) -> T:
        """From shape (r, m) to (r, n): the entries at places of the second axis, int64 (n,)."""

    def powers(self, tensor: T, exponents: Integers) -> T:
        """From shapes (r, b, e) and (b, e, h) to (r, b, h): powers multiplied over e.

        Zero to the power of zero is 1.
        """

    def multinomials(self, counts: Integers) -> T:
        """What each histogram weighs: in how many ways it can occur.

        ``counts``: int64 (histograms, cells), all with the same number of individuals.
        """

    def possible(self, tensor: T) -> bool:
        """Whether any entry is not zero."""


class Contracting(Protocol[T]):
    """How tensors are contracted in any semiring."""

    def arrange(self, tensor: T, axes: tuple[int, ...] | None, shape: tuple[int, ...]) -> T: ...

    def combine(self, a: T, b: T) -> T: ...

    def contract(self, a: T, b: T, how: Arrangement) -> T:
        if how.swapped:
            a, b = b, a
        left = self.arrange(a, how.left_axes, how.left_shape)
        right = self.arrange(b, how.right_axes, how.right_shape)
        product = self.arrange(self.combine(left, right), None, how.shape)
        if how.axes is None:
            return product
        return self.arrange(product, how.axes, tuple([how.shape[axis] for axis in how.axes]))


def moved(array: NDArray[Any], zero: object, places: int) -> NDArray[Any]:
    """From shape (…, q) to (…, p, p + q - 1): an array moved by 0, 1, … p - 1 places.

    All rows are views of one array with zeros at both ends; they are only read.

    >>> moved(np.array([5, 6]), 0, 3).tolist()
    [[5, 6, 0, 0], [0, 5, 6, 0], [0, 0, 5, 6]]
    """
    *lead, length = array.shape
    padded = np.full((*lead, length + 2 * (places - 1)), zero, dtype=array.dtype)
    padded[..., places - 1 : places - 1 + length] = array
    *strides, step = padded.strides
    return np.lib.stride_tricks.as_strided(
        padded[..., places - 1 :],
        (*lead, places, places + length - 1),
        (*strides, -step, step),
        writeable=False,
    )


class MaxSemiring(Semiring[T], Protocol[T]):
    """A semiring whose sum is the maximum. ``zero``: the entry of what is impossible."""

    zero: Any

    def best(self, a: T, b: T) -> int:
        """Where the product of two vectors is largest."""

    def best_rows(self, tensor: T) -> Integers:
        """From shape (r, m) to (r,): where each row is largest."""


class FlowSemiring(Semiring[T], Protocol[T]):
    """A semiring in which the total weight can be traced back to the entries it came from.

    Flows are plain arrays: float64 that add up to 1, or integers that add up to the total weight.
    """

    def normalise(self, tensor: T) -> Normalised | None:
        """The entries divided by their sum; None if that is zero."""

    def normalise_flow(self, flow: Flow) -> Normalised | None:
        """A flow divided by its sum; None if that is zero."""

    def total(self, tensor: T) -> Flow:
        """The flow through a tensor that is the result: its entries, as shares of their sum."""

    def share(self, flow: Flow, tensor: T) -> T:
        """The flow divided by the entries it passes through, zero where these are zero."""

    def times(self, a: T, b: T) -> Flow:
        """The entrywise product, as a flow."""

    def weighed(self, flow: Flow, exponents: Integers) -> Flow:
        """From shapes (r, b, h) and (b, e, h) to (r, b, e): the flow that powers send back."""

    def spread(self, flow: Flow, index: Integers, size: int) -> Flow:
        """From shape (r, n) to (r, m): the flow that ``take`` sends back."""

    def row_weights(self, tensor: T) -> Objects:
        """A matrix as plain numbers, each row up to a factor of its own: float64 of at most 1, or
        Python's integers."""
