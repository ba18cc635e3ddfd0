"""Convolutions of numbers that differ by more than floats can: in blocks, each with its own scale.

The distribution of a count has entries of all magnitudes, but neighbours differ little. So products
of blocks are products of plain matrices, where logarithms would need an exponential for each pair
of entries.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from liftgraph.semiring.pairs import Pair, two_sum
from liftgraph.semiring.protocol import Floats, moved

_BLOCK = 16  # entries whose neighbours may differ by a factor of about 10**8
_SHORT = 1 << 12  # products of lengths below which blocks do not pay
# What is lost to underflow is below 2**-1000 of the largest entry nearby: nothing beside this.
_LEAST = 2.0**-900


def convolve_blocks(a: Pair, b: Pair) -> Pair | None:
    """From shapes (…, i, p) and (…, q) to (…, i, p + q - 1): logarithms of sums of products.

    None if the arrays are short, or if some entry is zero or too small beside its neighbours. All
    terms are positive, so that each sum is off by at most a few ulps for each of its terms.
    """
    i, p, q = *a[0].shape[-2:], b[0].shape[-1]
    if p * q < _SHORT:
        return None
    lead = np.broadcast_shapes(a[0].shape[:-2], b[0].shape[:-1])
    first = [_rows(part, (*lead, i, p)) for part in a]
    second = [_rows(part[..., None, :] if part.ndim else part, (*lead, i, q)) for part in b]
    (left, left_peaks), (right, right_peaks) = _blocks(*first), _blocks(*second)
    sums, peaks = _sums(left, left_peaks, right, right_peaks)
    values = sums.reshape(len(sums), -1)[:, : p + q - 1]
    scales = np.repeat(peaks, _BLOCK, axis=1)[:, : p + q - 1]
    if values.min() < _LEAST:
        return None
    high, low = two_sum(np.log(values), scales)
    shape = (*lead, i, p + q - 1)
    return high.reshape(shape), low.reshape(shape)


def correlate_blocks(a: Pair, b: Pair) -> Pair | None:
    """From shapes (…, i, r) and (…, q) to (…, i, r - q + 1): as a convolution with the reverse."""
    reverse = b[0][..., ::-1], b[1][..., ::-1] if b[1].ndim else b[1]
    whole = convolve_blocks(a, reverse)
    if whole is None:
        return None
    inner = slice(b[0].shape[-1] - 1, a[0].shape[-1])
    return whole[0][..., inner], whole[1][..., inner]


def _rows(array: Floats, shape: tuple[int, ...]) -> Floats:
    return np.broadcast_to(array, shape).reshape(-1, shape[-1])


def _blocks(high: Floats, low: Floats) -> tuple[Floats, Floats]:
    """Blocks of exponentials, (rows, blocks, length), and the logarithms of their scales."""
    rows, length = high.shape
    count = -(-length // _BLOCK)
    logs = np.full((rows, count * _BLOCK), -math.inf)
    rests = np.zeros_like(logs)
    logs[:, :length], rests[:, :length] = high, low
    blocks = logs.reshape(rows, count, _BLOCK)
    peaks = blocks.max(axis=2)
    scales = np.where(np.isneginf(peaks), 0.0, peaks)[..., None]
    return np.exp((blocks - scales) + rests.reshape(blocks.shape)), peaks


def _sums(
    left: Floats, left_peaks: Floats, right: Floats, right_peaks: Floats
) -> tuple[Floats, Floats]:
    """The sums in blocks, (rows, blocks, length), and the logarithms of their scales."""
    (rows, count, _), others = left.shape, right.shape[1]
    peaks: NDArray[np.float64] = np.full((rows, count + others), -math.inf)
    for block in range(count):
        joint = left_peaks[:, block, None] + right_peaks
        for shift in (block, block + 1):  # a product of blocks reaches into the next one
            reached = peaks[:, shift : shift + others]
            np.maximum(reached, joint, out=reached)
    peaks[np.isneginf(peaks)] = 0.0
    sums = np.zeros((rows, count + others, _BLOCK))
    for block in range(count):
        products = right @ np.ascontiguousarray(moved(left[:, block], 0.0, _BLOCK))
        joint = left_peaks[:, block, None] + right_peaks
        for shift, part in ((block, products[..., :_BLOCK]), (block + 1, products[..., _BLOCK:])):
            factors = np.exp(joint - peaks[:, shift : shift + others])
            sums[:, shift : shift + others, : part.shape[-1]] += part * factors[..., None]
    return sums, peaks
