"""Parameterised variables and parfactors, as data: one for many interchangeable ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from liftgraph.errors import InputError
from liftgraph.model.ground.names import BOOLEAN, States
from liftgraph.model.ground.table import Table
from liftgraph.model.lifted.histograms import histogram_count
from liftgraph.model.lifted.logvars import Constraint, LogVar, constrained
from liftgraph.model.lifted.substitutions import Pattern, count, pattern


@dataclass(frozen=True, slots=True)
class PRV:
    """A parameterised random variable: a variable for each substitution of its logvars.

    ``observed``: the index of the state that all of them were observed in, if they were.
    """

    name: str
    logvars: tuple[LogVar, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    states: States = BOOLEAN
    observed: int | None = None

    def __call__(self, *logvars: LogVar) -> Atom:
        """This PRV with other logvars over the same domains, as an argument."""
        domains = [each.domain if isinstance(each, LogVar) else None for each in logvars]
        if domains != [each.domain for each in self.logvars]:
            came = ", ".join(map(repr, logvars))
            raise InputError(f"{self.name}: expected logvars over its domains, got {came}")
        return Atom(self, logvars)

    @property
    def pattern(self) -> Pattern:
        """Which substitutions of its logvars there are."""
        return pattern(self.logvars, self.constraints)

    @property
    def size(self) -> int:
        """How many variables this stands for."""
        return count(self.pattern) if self.logvars else 1


@dataclass(frozen=True, slots=True)
class Atom:
    """A PRV as an argument of a parfactor. In an unordered set of its logvars order is nothing."""

    prv: PRV
    logvars: tuple[LogVar, ...]

    @property
    def values(self) -> int:
        """How many values the argument has."""
        return len(self.prv.states)


@dataclass(frozen=True, slots=True)
class CRV:
    """A counting variable: how many substitutions of the counted logvars have which state.

    Its values are histograms, in the order of ``histograms``.
    """

    atom: Atom
    counted: tuple[LogVar, ...]
    number: int

    @property
    def values(self) -> int:
        """How many histograms there are."""
        return histogram_count(self.number, len(self.atom.prv.states))


Argument = Atom | CRV


@dataclass(frozen=True, slots=True)
class Parfactor:
    """A factor for each substitution of its logvars that satisfies the constraints.

    ``logvars``: all but the counted ones; one in no argument just repeats the factors.
    ``constraints``: on these and the counted ones.
    ``scales``: what the table is to be multiplied with, and in how many of the factors; together
    as many as there are factors. Empty if it is 1 throughout.
    """

    arguments: tuple[Argument, ...]
    logvars: tuple[LogVar, ...]
    table: Table
    constraints: tuple[Constraint, ...] = ()
    scales: tuple[tuple[Fraction, int], ...] = ()

    @property
    def counted(self) -> tuple[LogVar, ...]:
        """The logvars that its counting variables count over."""
        return tuple(each for a in self.arguments if isinstance(a, CRV) for each in a.counted)

    @property
    def pattern(self) -> Pattern:
        """Which substitutions of its logvars there are."""
        counted = set(self.counted)
        own = [each for each in self.constraints if not counted & set(constrained(each))]
        return pattern(self.logvars, own)

    @property
    def size(self) -> int:
        """How many factors this stands for."""
        return count(self.pattern) if self.logvars else 1

    @property
    def total_scale(self) -> Fraction:
        """The product of the scales of all its factors, apart from their integers."""
        extra = prod((scale**times for scale, times in self.scales), start=Fraction(1))
        return self.table.scale**self.size * extra


def atom_of(argument: Argument) -> Atom:
    """The PRV with its logvars in an argument, counted or not."""
    return argument.atom if isinstance(argument, CRV) else argument


def logvars_of(argument: Argument) -> tuple[LogVar, ...]:
    """The logvars of an argument, counted ones included."""
    return atom_of(argument).logvars


def argument_names(arguments: Sequence[Argument]) -> Iterator[str]:
    """The names of the PRVs in arguments."""
    for each in arguments:
        yield atom_of(each).prv.name
