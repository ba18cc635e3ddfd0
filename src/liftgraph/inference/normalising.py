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
    """Weights divided by their sum; a sum of zero is refused."""
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
    """Extend a distribution by fixed variables, which are in their state for certain.

    ``shape``: the number of states of each variable; ``index``: the state of each fixed variable, a
    slice for each other one.
    """
    probabilities = np.zeros(shape)
    probabilities[index] = weights.probabilities
    if weights.fractions is None:
        return probabilities, None
    fractions = np.full(shape, Fraction(0), dtype=object)
    fractions[index] = weights.fractions if weights.fractions.ndim else weights.fractions[()]
    return probabilities, fractions
