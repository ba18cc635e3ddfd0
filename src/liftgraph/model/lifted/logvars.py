"""Logical variables, the individuals they stand for, and constraints between them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

from liftgraph.display import format_count
from liftgraph.errors import InputError, quoted
from liftgraph.exact import MAX_DIGITS, shortened
from liftgraph.model.ground.names import checked_name, default_index, is_count, listed_names
from liftgraph.model.lifted.individuals import PartsOfNames

_FEW = 6  # individuals that are all printed


@dataclass(frozen=True, repr=False)
class Domain:
    """A set of individuals, given by names or by their number (then called 1, 2, …).

    Without a size it is open: the domain of a template, which gets its individuals from data.
    """

    name: str
    size: int = 0
    individuals: tuple[str, ...] | PartsOfNames | None = None

    def __post_init__(self) -> None:
        if not is_count(self.size):
            came = f"expected its number of individuals, got {shortened(quoted(self.size))}"
            raise InputError(f"domain {self.name}: {came}; a logvar takes their names")
        if self.size >= 10**MAX_DIGITS:  # the last individual has this name
            expected = f"expected a number of at most {MAX_DIGITS} digits, got a longer one"
            raise InputError(f"domain {self.name}: {expected}")
        named = self.size if self.individuals is None else len(self.individuals)
        if self.individuals == ():
            raise InputError(f"domain {self.name}: expected at least one individual, got none")
        if self.size < 0 or named != self.size:
            raise InputError(f"domain {self.name}: expected {self.size} individuals, got {named}")

    @property
    def is_open(self) -> bool:
        """Whether its individuals are not known yet."""
        return self.size == 0

    def __hash__(self) -> int:
        return hash((self.name, self.size))  # there may be many individuals; equality compares them

    def __reduce__(self) -> tuple[Any, ...]:
        return Domain, (self.name, self.size, self.individuals)

    def individual(self, number: int) -> str:
        """The name of an individual."""
        return str(number + 1) if self.individuals is None else self.individuals[number]

    def find(self, individual: str) -> int:
        """The number of the individual with this name, or -1."""
        if self.individuals is None:
            index = default_index(individual) - 1
            return index if 0 <= index < self.size else -1
        if isinstance(self.individuals, PartsOfNames) and self.individuals.increasing:
            return self.individuals.find(individual)
        return self._numbers.get(individual, -1)

    def __str__(self) -> str:
        return f"{self.name} = {self.listed}"

    def __repr__(self) -> str:
        return f"Domain({self})"

    @property
    def listed(self) -> str:
        """Its individuals in braces: all if there are few, else the first, the last and their
        number; those of a lifted graph in the order of its variables."""
        if self.is_open:
            return "{…}"
        if self.size > _FEW:
            return f"{{{', …, '.join(self.shown)}}} ({format_count(self.size)})"
        return f"{{{', '.join(self.shown)}}}"

    @property
    def shown(self) -> list[str]:
        """The individuals that are printed: all if there are few, else the first and the last."""
        listed: Sequence[int] = range(self.size)
        if isinstance(self.individuals, PartsOfNames):
            listed = self.individuals.as_listed
        return [
            self.individual(n) for n in (listed if self.size <= _FEW else listed[:: self.size - 1])
        ]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.individuals or ())}


class LogVar:
    """A logical variable: it stands for any individual of its domain.

    ``domain``: the number of individuals, their names, a domain, or a logvar with the same domain.

    >>> X = LogVar("X", ["alice", "bob"])
    >>> LogVar("Y", X).domain == X.domain
    True
    """

    __slots__ = ("domain", "name")

    def __init__(self, name: str, domain: Domain | LogVar | Sequence[str] | int) -> None:
        self.name = checked_name(name)
        self.domain: Domain = domain.domain if isinstance(domain, LogVar) else _domain(name, domain)

    @property
    def size(self) -> int:
        """How many individuals it may stand for."""
        return self.domain.size

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LogVar):
            return NotImplemented
        return self.name == other.name and self.domain == other.domain

    def __hash__(self) -> int:
        return hash((self.name, self.domain.name))

    def __str__(self) -> str:
        return f"{self.name} ∈ {self.domain.listed}"

    def __repr__(self) -> str:
        return f"LogVar({self.name!r}, {self.domain.name}: {format_count(self.size)})"


def _domain(name: str, domain: Domain | Sequence[str] | int) -> Domain:
    if isinstance(domain, Domain):
        return domain
    if is_count(domain):
        if domain < 1:
            raise InputError(
                f"logvar {name}: expected at least one individual, got {quoted(domain)}"
            )
        return Domain(name, int(domain))
    try:
        individuals = tuple(listed_names(domain))
    except InputError:
        came = shortened(quoted(domain))
        problem = f"expected the names of individuals or their number, got {came}"
        raise InputError(f"logvar {name}: {problem}") from None
    numbers = {individual: number for number, individual in enumerate(individuals)}
    if not individuals or len(numbers) < len(individuals):
        came = shortened(", ".join(individuals) or "none")
        raise InputError(f"logvar {name}: expected distinct individuals, got {came}")
    named = Domain(name, len(individuals), individuals)
    vars(named)["_numbers"] = numbers  # no question has to make them
    return named


@dataclass(frozen=True, slots=True)
class Different:
    """Two logvars never stand for the same individual: X ≠ Y."""

    first: LogVar
    second: LogVar

    def __str__(self) -> str:
        return f"{self.first.name} ≠ {self.second.name}"


@dataclass(frozen=True, slots=True)
class Unordered:
    """Logvars stand for different individuals, and their order does not matter: {X, Y}.

    Each choice of individuals counts once, listed with their numbers increasing: swapping two of
    the logvars, perhaps along with others of the parfactor, changes nothing.
    """

    logvars: tuple[LogVar, ...]

    def __str__(self) -> str:
        return " < ".join(logvar.name for logvar in self.logvars)


Constraint = Different | Unordered


def different(*logvars: LogVar) -> tuple[Constraint, ...]:
    """Any two of these logvars stand for different individuals.

    >>> X = LogVar("X", 10)
    >>> from liftgraph import prv
    >>> prv("Friends", X, Y := LogVar("Y", X), where=different(X, Y)).size
    90
    """
    check_logvars("a constraint", logvars)
    return tuple(Different(*pair) for pair in combinations(logvars, 2))


def unordered(*logvars: LogVar) -> tuple[Constraint, ...]:
    """These logvars stand for a set of different individuals: each set once, not in every order.

    >>> X = LogVar("X", 10)
    >>> from liftgraph import prv
    >>> prv("Married", X, Y := LogVar("Y", X), where=unordered(X, Y)).size
    45
    """
    check_logvars("a constraint", logvars)
    return (Unordered(logvars),)


def check_logvars(where: str, logvars: Iterable[object]) -> None:
    """Refuse anything but logvars with different names."""
    names = []
    for logvar in logvars:
        if not isinstance(logvar, LogVar):
            raise InputError(f"{where}: expected a logvar, got {quoted(logvar)}")
        names.append(logvar.name)
    if len(set(names)) < len(names):
        came = ", ".join(names)
        raise InputError(f"{where}: expected different logvars with different names, got {came}")


def checked_constraints(where: str, constraints: object) -> tuple[Constraint, ...]:
    """The constraints in a list, each checked to be one."""
    listed = tuple(constraints) if isinstance(constraints, Iterable) else (constraints,)
    for constraint in listed:
        if not isinstance(constraint, Different | Unordered):
            raise InputError(
                f"{where}: expected different(…) or unordered(…), got {quoted(constraint)}"
            )
    return listed


def constrained(constraint: Constraint) -> tuple[LogVar, ...]:
    """The logvars a constraint is about."""
    if isinstance(constraint, Unordered):
        return constraint.logvars
    return constraint.first, constraint.second


def check_constraints(
    where: str, logvars: Sequence[LogVar], constraints: Sequence[Constraint]
) -> None:
    """Refuse constraints on other logvars, between domains, or on domains too small for them."""
    taken: set[LogVar] = set()
    for constraint in constraints:
        about = constrained(constraint)
        names = ", ".join(logvar.name for logvar in about)
        if not set(about) <= set(logvars):
            raise InputError(f"{where}: expected constraints on its logvars, got {names}")
        if len({logvar.domain for logvar in about}) > 1:
            raise InputError(f"{where}: expected {names} to share one domain")
        if len(set(about)) < max(len(about), 2):
            raise InputError(f"{where}: expected different logvars in a constraint, got {names}")
        if isinstance(constraint, Unordered):
            if taken & set(about):
                raise InputError(f"{where}: expected {names} in one unordered set only")
            taken |= set(about)


def check_swaps(where: str, constraints: Sequence[Constraint]) -> None:
    """Refuse unordered sets whose logvars have different constraints with other logvars."""
    apart = {frozenset((c.first, c.second)) for c in constraints if isinstance(c, Different)}
    sets = [constraint.logvars for constraint in constraints if isinstance(constraint, Unordered)]
    for a, b in (pair for logvars in sets for pair in combinations(logvars, 2)):
        image = {a: b, b: a}
        if {frozenset(image.get(logvar, logvar) for logvar in pair) for pair in apart} != apart:
            raise InputError(f"{where}: expected the same constraints on {a.name} and {b.name}")
