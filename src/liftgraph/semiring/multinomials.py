"""In how many ways a histogram can occur: multinomial coefficients, and their logarithms."""

from __future__ import annotations

from itertools import accumulate
from math import prod
from operator import mul

import numpy as np

from liftgraph.semiring.pairs import Pair, add
from liftgraph.semiring.protocol import Integers


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


def log_multinomials(counts: Integers) -> Pair:
    """Their natural logarithms, each as a sum of two float64 (histograms,)."""
    individuals = int(counts[0].sum())
    high, low = _log_factorials(individuals)
    total = np.full(len(counts), high[individuals]), np.full(len(counts), low[individuals])
    for column in counts.T:
        total = add(total, (-high[column], -low[column]))
    return total


def _log_factorials(largest: int) -> Pair:
    """log 0!, …, log largest!, each as a sum of a large and a small float64 (largest + 1,).

    The logarithms are cut where a sum of all of them is still exact.
    """
    logs = np.log(np.arange(1, largest + 1))
    unit = 2.0 ** -(51 - int(max(logs.sum(), 1.0)).bit_length())
    high = np.floor(logs / unit) * unit
    sums = [np.concatenate(([0.0], np.cumsum(part))) for part in (high, logs - high)]
    return sums[0], sums[1]
