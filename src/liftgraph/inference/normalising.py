"""From weights to probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from liftgraph.inference.ground.reduction import impossible
from liftgraph.semiring import Flow, FlowSemiring, Normalised

T = TypeVar("T")


def normalised(semiring: FlowSemiring[T], weights: T) -> Normalised:
    """Weights divided by their sum; refused if that is zero."""
    return _possible(semiring.normalise(weights))


def normalised_flow(semiring: FlowSemiring[T], flow: Flow) -> Normalised:
    """A flow divided by its sum."""
    return _possible(semiring.normalise_flow(flow))


def _possible(shares: Normalised | None) -> Normalised:
    if shares is None:
        raise impossible()
    return shares


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
