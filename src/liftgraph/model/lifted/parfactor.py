"""Parameterised variables and parfactors, as data: one for many interchangeable ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from liftgraph.display import format_count
from liftgraph.errors import InputError
from liftgraph.exact import six_digits
from liftgraph.model.ground.names import BOOLEAN, States
from liftgraph.model.ground.table import Potential, Table
from liftgraph.model.lifted.counting_noisy_max import CountingNoisyMax
from liftgraph.model.lifted.histograms import histogram_count, histograms
from liftgraph.model.lifted.logvars import Constraint, Domain, LogVar, constrained
from liftgraph.model.lifted.substitutions import Pattern, count, pattern
from liftgraph.model.listing import in_braces
from liftgraph.model.tabular import Listed, Tabular


@dataclass(frozen=True, slots=True, repr=False)
class PRV:
    """A parameterised random variable: a variable for each substitution of its logvars.

    ``observed``: the index of the state in which all of them were observed, if they were.
    ``overridable``: whether evidence on single individuals may say otherwise.

    >>> print(PRV("Sick", (LogVar("P", 3),)))
    Sick(P) ∈ {true, false}
    """

    name: str
    logvars: tuple[LogVar, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    states: States = BOOLEAN
    observed: int | None = None
    overridable: bool = False

    def __call__(self, *logvars: LogVar) -> Atom:
        """This PRV with other logvars over the same domains, as an argument."""
        domains = [logvar.domain if isinstance(logvar, LogVar) else None for logvar in logvars]
        if domains != [logvar.domain for logvar in self.logvars]:
            came = ", ".join(map(repr, logvars))
            raise InputError(f"{self.name}: expected logvars over its domains, got {came}")
        return Atom(self, logvars)

    @property
    def atom(self) -> Atom:
        """This PRV with its own logvars, as an argument."""
        return Atom(self, self.logvars)

    @property
    def pattern(self) -> Pattern:
        """Which substitutions of its logvars there are."""
        return pattern(self.logvars, self.constraints)

    @property
    def size(self) -> int:
        """How many variables this stands for."""
        return count(self.pattern) if self.logvars else 1

    def __str__(self) -> str:
        observed = "" if self.observed is None else f", observed {self.states[self.observed]}"
        return f"{_applied(self)} ∈ {in_braces(self.states)}{_where(self.constraints)}{observed}"

    def __repr__(self) -> str:
        return f"PRV({self})"


@dataclass(frozen=True, slots=True, repr=False)
class Atom:
    """A PRV as an argument of a parfactor. The order within its unordered sets means nothing."""

    prv: PRV
    logvars: tuple[LogVar, ...]

    @property
    def values(self) -> int:
        """How many values the argument has."""
        return len(self.prv.states)

    def __str__(self) -> str:
        return _applied(self.prv, self.logvars)

    def __repr__(self) -> str:
        return f"Atom({self})"


@dataclass(frozen=True, slots=True, repr=False)
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

    def __str__(self) -> str:
        return f"#{_names(self.counted)}[{self.atom}]"

    def __repr__(self) -> str:
        return f"CRV({self} of {format_count(self.number)})"


Argument = Atom | CRV


@dataclass(frozen=True, slots=True, repr=False)
class Parfactor:
    """A factor for each substitution of its logvars that satisfies the constraints.

    ``logvars``: all except the counted ones; a logvar in no argument repeats the factors.
    ``potential``: a value for each assignment of the arguments: a table, or a noisy-MAX of counted
    causes. ``constraints``: those on these logvars and the counted ones.
    ``scales``: the numbers by which the table is multiplied, each with the number of factors which
    have it; these numbers add up to the number of factors. Empty if all scales are 1.
    ``child``: the argument, by place, whose distribution given the others this was written as; None
    if it was not written so.

    >>> sick = PRV("Sick", (LogVar("P", 3),))
    >>> print(Parfactor((sick(*sick.logvars),), sick.logvars, Table.of(["0.1", "0.9"])))
    φ(Sick(P)) = [0.1 0.9] for all P
    """

    arguments: tuple[Argument, ...]
    logvars: tuple[LogVar, ...]
    potential: Potential
    constraints: tuple[Constraint, ...] = ()
    scales: tuple[tuple[Fraction, int], ...] = ()
    child: int | None = None

    @property
    def table(self) -> Table:
        """The potential as a table; refused if it has too many entries."""
        return self.potential.table()

    @property
    def counted(self) -> tuple[LogVar, ...]:
        """The logvars over which its counting variables count."""
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

    def entries(self, name: str = "φ") -> Tabular:
        """A row for each assignment of its arguments, with its potential; counts are
        histograms."""
        return self.table.entries(self.arguments, [*map(values_of, self.arguments)], name)

    def named(self, name: str) -> str:
        """Its name, arguments and potentials, its logvars and its scales."""
        arguments = ", ".join(map(str, self.arguments))
        logvars = f" for all {_names(self.logvars)}" if self.logvars else ""
        rest = _where(self.constraints) + _scale(self.scales)
        if self.child is not None:
            rest += f", a distribution of {self.arguments[self.child]}"
        return f"{name}({arguments}) = {_potentials(self)}{logvars}{rest}"

    def __str__(self) -> str:
        return self.named("φ")

    def __repr__(self) -> str:
        return f"Parfactor({self})"

    def _repr_html_(self) -> str | None:
        # A noisy-MAX of many causes may have no table.
        return self.entries()._repr_html_() if isinstance(self.potential, Table) else None


def _names(logvars: Sequence[LogVar]) -> str:
    return ", ".join(logvar.name for logvar in logvars)


def _applied(prv: PRV, logvars: Sequence[LogVar] | None = None) -> str:
    listed = prv.logvars if logvars is None else logvars
    return f"{prv.name}({_names(listed)})" if listed else prv.name


def _where(constraints: Sequence[Constraint]) -> str:
    return f" with {', '.join(map(str, constraints))}" if constraints else ""


def _potentials(parfactor: Parfactor) -> str:
    """The first entries of a table, or what a noisy-MAX is made of."""
    potential = parfactor.potential
    if isinstance(potential, CountingNoisyMax):
        causes = "; ".join([cause.first_entries() for cause in potential.causes])
        return f"noisy-MAX of {causes} and {potential.leak.first_entries()}"
    return parfactor.table.first_entries() + _count_order(parfactor.arguments)


def _count_order(arguments: Sequence[Argument]) -> str:
    """In which order the potentials of counting variables of two states are listed."""
    counting = [argument for argument in arguments if isinstance(argument, CRV)]
    pairs = {argument.atom.prv.states for argument in counting}
    first = sorted({states[0] for states in pairs if len(states) == 2})
    return f" (from 0 {', '.join(first)} on)" if first else ""


def _scale(scales: Sequence[tuple[Fraction, int]]) -> str:
    """The product of the scales of all factors."""
    if not scales:
        return ""
    powers = [
        six_digits(scale) + (f"^{format_count(times)}" if times > 1 else "")
        for scale, times in scales
        if scale != 1
    ]
    return f", × {' · '.join(powers[:6])}{' · …' if len(powers) > 6 else ''} in all"


def values_of(argument: Argument) -> Sequence[object]:
    """The values of an argument: states, or histograms."""
    if isinstance(argument, Atom):
        return argument.prv.states
    rows = histograms(argument.number, len(argument.atom.prv.states))
    return [Listed("[]", tuple(row)) for row in rows.tolist()]


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
