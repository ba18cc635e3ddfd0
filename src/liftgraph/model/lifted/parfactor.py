"""Parameterised variables and parfactors, as data: one for many interchangeable ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from liftgraph.errors import InputError
from liftgraph.model.ground.names import BOOLEAN, States
from liftgraph.model.ground.table import Potential, Table
from liftgraph.model.lifted.histograms import histogram_count
from liftgraph.model.lifted.logvars import Constraint, Domain, LogVar, constrained
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
        domains = [logvar.domain if isinstance(logvar, LogVar) else None for logvar in logvars]
        if domains != [logvar.domain for logvar in self.logvars]:
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
    """A PRV as an argument of a parfactor. The order within its unordered sets means nothing."""

    prv: PRV
    logvars: tuple[LogVar, ...]

    @property
    def values(self) -> int:
        """How many values the argument has."""
        return len(self.prv.states)


@dataclass(frozen=True, slots=True)
class CRV:
    """A counting variable: how many substitutions of the counted logvars have each state.

    ``number``: how many variables it counts. Its values are histograms, in the order of
    ``histograms``.
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

    ``logvars``: all but the counted ones; a logvar in no argument just repeats the factors.
    ``potential``: with a value for each argument's values: a table, or a noisy-MAX of counted
    causes. ``constraints``: those on these logvars and the counted ones.
    ``scales``: what the table is multiplied with, each with the number of factors that have it;
    these numbers add up to the number of factors. Empty if all scales are 1.
    """

    arguments: tuple[Argument, ...]
    logvars: tuple[LogVar, ...]
    potential: Potential
    constraints: tuple[Constraint, ...] = ()
    scales: tuple[tuple[Fraction, int], ...] = ()

    @property
    def table(self) -> Table:
        """The potential as a table; refused if it has too many entries."""
        return self.potential.table()

    @property
    def counted(self) -> tuple[LogVar, ...]:
        """The logvars that its counting variables count over."""
        counting = (argument for argument in self.arguments if isinstance(argument, CRV))
        return tuple(logvar for crv in counting for logvar in crv.counted)

    @property
    def pattern(self) -> Pattern:
        """Which substitutions of its logvars there are."""
        counted = set(self.counted)
        free = [c for c in self.constraints if not counted & set(constrained(c))]
        return pattern(self.logvars, free)

    @property
    def size(self) -> int:
        """How many factors this stands for."""
        return count(self.pattern) if self.logvars else 1

    @property
    def total_scale(self) -> Fraction:
        """The product of the scales of all its factors, apart from their integers."""
        extra = prod((scale**times for scale, times in self.scales), start=Fraction(1))
        return self.potential.scale**self.size * extra


def atom_of(argument: Argument) -> Atom:
    """The PRV and logvars of an argument, whether it counts or not."""
    return argument.atom if isinstance(argument, CRV) else argument


def logvars_of(argument: Argument) -> tuple[LogVar, ...]:
    """The logvars of an argument, counted ones included."""
    return atom_of(argument).logvars


def argument_names(arguments: Sequence[Argument]) -> Iterator[str]:
    """The names of the PRVs in arguments."""
    for argument in arguments:
        yield atom_of(argument).prv.name


def width(argument: Argument) -> int:
    """How many variables an argument is about: all that a counting variable counts."""
    return argument.number if isinstance(argument, CRV) else 1


def arity(parfactor: Parfactor) -> int:
    """How many arguments each of a parfactor's factors has."""
    return sum(map(width, parfactor.arguments))


def domains_of(prvs: Iterable[PRV], parfactors: Iterable[Parfactor]) -> tuple[Domain, ...]:
    """All domains of PRVs and parfactors, in the order of their first use."""
    of_prvs = (logvar.domain for prv in prvs for logvar in prv.logvars)
    of_parfactors = (v.domain for p in parfactors for v in (*p.logvars, *p.counted))
    return tuple(dict.fromkeys((*of_prvs, *of_parfactors)))
