"""Single numbers that may be off, and say so: probabilities and expected values."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

Bounds = tuple[float, float]


class Inexact(float):
    """A number of a model that was lifted within a tolerance, or of a method that estimates.

    ``bounds``: the least and the largest possible numbers, or None if the method only estimates.
    ``log_odds_bound``, ``approximate`` and ``method``: those of the answer it was taken from. What
    is computed from it is a plain float.

    >>> from liftgraph import datasets
    >>> graph = datasets.perturbed(datasets.epid(10).ground(), "0.01", seed=3)
    >>> risk = graph.probability({"Epid": True}, tolerance="0.05", method="lifted")
    >>> risk.bounds[0] <= graph.probability({"Epid": True}) <= risk.bounds[1]
    True
    """

    method: str
    log_odds_bound: float
    approximate: bool
    bounds: Bounds | None

    def __new__(
        cls, value: float | Fraction, how: tuple[str, float, bool], bounds: Bounds | None
    ) -> Inexact:
        """A number. ``how``: its ``method``, its ``log_odds_bound``, and whether it is
        ``approximate``."""
        number = super().__new__(cls, value)
        number.method, number.log_odds_bound, number.approximate = how
        number.bounds = bounds
        return number

    def __getnewargs__(self) -> tuple[Any, ...]:  # copies and pickles
        return float(self), (self.method, self.log_odds_bound, self.approximate), self.bounds

    def __repr__(self) -> str:
        if self.bounds is None:
            return f"{float(self):.6g} (approximate: {self.method})"
        least, most = self.bounds
        return f"{float(self):.6g} [{least:.6g}, {most:.6g}]"
