"""In how many ways a histogram can occur: multinomial coefficients, and their logarithms."""

from __future__ import annotations

import math
from itertools import accumulate
from math import prod
from operator import mul

import numpy as np

from liftgraph.semiring.doubled import logarithms_of_pairs
from liftgraph.semiring.pairs import Pair, add, two_sum
from liftgraph.semiring.protocol import Floats, Integers

BLOCK = 1 << 12  # logarithms of this many integers are computed at a time


def multinomials(counts: Integers) -> list[int]:
    """In how many ways individuals can be distributed to cells, for each histogram.

    ``counts``: int64 (histograms, cells), all with the same number of individuals.

    >>> multinomials(np.array([[0, 3], [1, 2], [2, 1], [3, 0]]))
    [1, 3, 3, 1]
    """
    individuals = int(counts[0].sum())
    factorials = list(accumulate(range(1, individuals + 1), mul, initial=1))
    orders = factorials[individuals]
    return [orders // prod([factorials[count] for count in row]) for row in counts.tolist()]


def log_multinomials(counts: Integers, precise: bool = False) -> Pair:
    """Their natural logarithms, each as a sum of two float64 (histograms,).

    ``precise``: whether both floats are full of digits.
    """
    individuals = int(counts[0].sum())
    high, low = _log_factorials(individuals, precise)
    total = np.full(len(counts), high[individuals]), np.full(len(counts), low[individuals])
    for column in counts.T:
        total = add(total, (-high[column], -low[column]))
    return total


def _log_factorials(largest: int, precise: bool) -> Pair:
    """log 0!, …, log largest!, each as a sum of a large and a small float64 (largest + 1,).

    The logarithms are cut where a sum of all of them is still exact.
    """
    integers = np.arange(1, largest + 1, dtype=np.float64)
    if precise:
        blocks = [integers[start : start + BLOCK] for start in range(0, largest, BLOCK)]
        logs = [logarithms_of_pairs((block, np.zeros_like(block))) for block in blocks]
        high, rest = (np.concatenate(parts) for parts in zip(*logs, strict=True))
    else:
        high, rest = np.log(integers), np.zeros(())
    sums: Pair = (np.zeros(largest + 1), np.zeros(largest + 1))
    for _ in range(2 if precise else 1):
        unit = 2.0 ** -(51 - math.frexp(max(float(np.abs(high).sum()), 2.0**-60))[1])
        exact = np.floor(high / unit) * unit
        sums = add(sums, (_partial_sums(exact), np.zeros(())))
        high, rest = two_sum(high - exact, rest)
    return add(sums, (_partial_sums(high + rest), np.zeros(())))


def _partial_sums(values: Floats) -> Floats:
    return np.concatenate(([0.0], np.cumsum(values)))
