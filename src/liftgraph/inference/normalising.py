"""From weights to probabilities."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.inference.ground.reduction import impossible
from liftgraph.semiring import LOG, Scaled
from liftgraph.semiring.pairs import Number, plus, precise_logarithm


@dataclass(frozen=True)
class Normalised:
    """Probabilities, and the sum that they were divided by (its logarithm; exactly, if known)."""

    probabilities: NDArray[np.float64]
    fractions: NDArray[Any] | None
    log_sum: Number
    sum: int | None


def normalised(weights: Scaled | NDArray[Any]) -> Normalised:
    """Weights divided by their sum; refused if that is zero."""
    if isinstance(weights, Scaled):
        entries, log_peak = LOG.relative(weights)
        total = float(entries.sum())
        if total == 0:
            raise impossible()
        log_sum = plus(log_peak, (math.log(total), 0.0))
        return Normalised(entries / total, None, log_sum, None)
    integers = [int(entry) for entry in weights.ravel().tolist()]
    whole = sum(integers)
    if whole == 0:
        raise impossible()
    fractions = np.empty(len(integers), dtype=object)
    fractions[:] = [Fraction(integer, whole) for integer in integers]
    shaped = fractions.reshape(weights.shape)
    return Normalised(shaped.astype(np.float64), shaped, precise_logarithm(whole), whole)


def normalised_flow(flow: NDArray[Any]) -> Normalised:
    """A flow divided by its sum."""
    if flow.dtype == object:
        return normalised(flow)
    total = float(flow.sum())
    return Normalised(flow / total, None, (math.log(total), 0.0), None)


def beside_fixed(
    weights: Normalised, shape: Sequence[int], index: tuple[int | slice, ...]
) -> tuple[NDArray[np.float64], NDArray[Any] | None]:
    """A distribution of some variables as one of more: the others are in their state for sure.

    ``shape``: the states of all; ``index``: the state of each fixed one, a slice for the others.
    """
    probabilities = np.zeros(shape)
    probabilities[index] = weights.probabilities
    if weights.fractions is None:
        return probabilities, None
    fractions = np.full(shape, Fraction(0), dtype=object)
    fractions[index] = weights.fractions if weights.fractions.ndim else weights.fractions[()]
    return probabilities, fractions
