"""Parfactors in a BLOG file, as they are listed; those that name no individual, as lifted ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from liftgraph.errors import InputError
from liftgraph.exact import parse_rational, shortened
from liftgraph.io.blog.logvars import Logvars, Term, Where, terms, typed_logvars, where
from liftgraph.io.blog.tokens import TokenStream
from liftgraph.model.ground.table import Table
from liftgraph.model.lifted.builder import crv, parfactor
from liftgraph.model.lifted.logvars import Domain, LogVar, constrained
from liftgraph.model.lifted.parfactor import PRV, Argument, Parfactor

_VALUE_COST = 250


@dataclass(frozen=True, slots=True)
class ListedArgument:
    """A PRV with logvars and individuals; ``counted``: the logvars that it is counted over.

    ``falling``: histograms are listed from all in the first state down, not the other way round.
    """

    prv: PRV
    terms: tuple[Term, ...]
    counted: tuple[LogVar, ...] = ()
    falling: bool = False


@dataclass(frozen=True, slots=True)
class ListedParfactor:
    """A parfactor as a file lists it: arguments, free logvars, constraints, values, and line."""

    arguments: tuple[ListedArgument, ...]
    logvars: tuple[LogVar, ...]
    where: Where
    values: list[Fraction]
    line: int

    @property
    def names_individuals(self) -> bool:
        """Whether it is about individuals by name."""
        in_terms = any(isinstance(t, int) for argument in self.arguments for t in argument.terms)
        return in_terms or bool(self.where.excluded)


def listed_parfactor(
    tokens: TokenStream, kind: str, domains: Mapping[str, Domain], prvs: Mapping[str, PRV]
) -> ListedParfactor:
    """``Person X : X != alice . MultiArrayPotential[[…]] (Sick(X), Epid)`` after its keyword."""
    line = tokens.next.line
    logvars = typed_logvars(tokens, domains, ".") if kind == "parfactor" else {}
    found = Where()
    if logvars and tokens.accept(":"):
        found = where(tokens, logvars, domains)
        tokens.expect(".")
    tokens.expect("MultiArrayPotential")
    values = _values(tokens)
    tokens.expect("(")
    arguments: list[ListedArgument] = []
    while not tokens.accept(")"):
        arguments.append(_argument(tokens, domains, prvs, logvars, found))
        if not tokens.at(")"):
            tokens.expect(",", ")")
    counted = {logvar for argument in arguments for logvar in argument.counted}
    free = tuple(logvar for logvar in logvars.values() if logvar not in counted)
    return ListedParfactor(tuple(arguments), free, found, values, line)


def _values(tokens: TokenStream) -> list[Fraction]:
    tokens.expect("[")
    tokens.expect("[")
    values: list[Fraction] = []
    while not tokens.accept("]"):
        token = tokens.take()
        if token.kind != "number":
            tokens.fail("a potential", token)
        tokens.allowance.take(_VALUE_COST, "its potentials", token.line)
        values.append(parse_rational(token.text.removeprefix("+")))
        if not tokens.at("]"):
            tokens.expect(",", "]")
    tokens.expect("]")
    return values


def _argument(
    tokens: TokenStream,
    domains: Mapping[str, Domain],
    prvs: Mapping[str, PRV],
    logvars: Logvars,
    found: Where,
) -> ListedArgument:
    """``Sick(X)``, or counted: ``#X[Sick(X)]`` or ``#(Person X : X != alice)[Sick(X)]``."""
    counted: tuple[LogVar, ...] = ()
    counts = tokens.accept("#")
    falling = counts and tokens.accept("(")
    if falling:
        counted = _counted_here(tokens, domains, logvars, found)
    elif counts:
        counted = _counted(tokens, logvars)
    prv = prvs[tokens.name("a random variable", prvs)]
    listed = terms(tokens, logvars, prv.logvars)
    if counts:
        tokens.expect("]")
    return ListedArgument(prv, listed, counted, falling)


def _counted(tokens: TokenStream, logvars: Logvars) -> tuple[LogVar, ...]:
    counted = [logvars[tokens.name("a logvar", logvars)]]
    while tokens.expect(",", "[") != "[":
        counted.append(logvars[tokens.name("a logvar", logvars)])
    return tuple(counted)


def _counted_here(
    tokens: TokenStream, domains: Mapping[str, Domain], logvars: Logvars, found: Where
) -> tuple[LogVar, ...]:
    """Counted logvars that are declared where they are counted, with their constraints."""
    counted = typed_logvars(tokens, domains, ")")
    if again := sorted(logvars.keys() & counted.keys()):
        raise InputError(f"expected different logvars, got {shortened(again[0])} twice")
    logvars.update(counted)
    if tokens.accept(":"):
        inside = where(tokens, logvars, domains)
        found.constraints.extend(inside.constraints)
        for logvar, excluded in inside.excluded.items():
            found.excluded.setdefault(logvar, set()).update(excluded)
        tokens.expect(")")
    tokens.expect("[")
    return tuple(counted.values())


def as_parfactor(listed: ListedParfactor) -> Parfactor:
    """The lifted parfactor. Precondition: no individual is named."""
    constraints = listed.where.constraints
    arguments: list[Argument] = []
    for argument in listed.arguments:
        atom = argument.prv(*[term for term in argument.terms if isinstance(term, LogVar)])
        if not argument.counted:
            arguments.append(atom)
            continue
        about = [c for c in constraints if not set(argument.counted).isdisjoint(constrained(c))]
        arguments.append(crv(atom, *argument.counted, where=about))
    shape = tuple(argument.values for argument in arguments)
    values = table_of(listed, shape) if any(a.falling for a in listed.arguments) else listed.values
    return parfactor(arguments, values, constraints, listed.logvars)


def table_of(listed: ListedParfactor, shape: tuple[int, ...]) -> Table:
    """The table of these values; histograms are in the order of ``histograms`` from then on."""
    table = Table.of(listed.values, shape)
    falling = tuple([axis for axis, a in enumerate(listed.arguments) if a.falling])
    return Table(np.flip(table.integers, falling).copy(), table.scale) if falling else table
