"""Distributions that are not known: Bayesian networks may have arrows and no tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn, Protocol

from liftgraph.errors import InputError
from liftgraph.model.ground.table import Piece, Potential, Table


class WithPotentials(Protocol):
    """A factor graph, as far as it matters here."""

    @property
    def potentials(self) -> Sequence[Potential]:
        """The potentials."""


@dataclass(frozen=True)
class UnknownDistribution:
    """The place of a distribution: a potential that has no weights yet.

    The arguments are the parents, then the variable. ``variable``: its name. So two of them are
    never equal, and nothing takes one variable for another. Every question about weights is
    refused.
    """

    variable: str
    shape: tuple[int, ...]
    measured: bool = False

    @property
    def scale(self) -> Fraction:
        """One: what is unknown are the weights."""
        return Fraction(1)

    def potential(self, states: Sequence[int]) -> Fraction:
        """Refused."""
        self._refuse()

    def table(self) -> Table:
        """Refused."""
        self._refuse()

    def pieces(self) -> Sequence[Piece]:
        """Refused."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        came = "got arrows without tables"
        way_out = "lg.learn_bayesian_network(graph, data) learns them"
        raise InputError(f"expected the distribution of {self.variable}, {came}; {way_out}")


def lacks_tables(graph: WithPotentials) -> bool:
    """Whether some distributions of a graph are not known.

    >>> from liftgraph import FactorGraphBuilder
    >>> builder = FactorGraphBuilder()
    >>> _ = builder.add_variables(["Fire", "Alarm"])
    >>> _ = builder.add_distribution("Fire", []), builder.add_distribution("Alarm", ["Fire"])
    >>> graph = builder.build()
    >>> lacks_tables(graph), graph.markov_blanket("Fire")
    (True, ('Alarm',))
    """
    return any(isinstance(potential, UnknownDistribution) for potential in graph.potentials)
