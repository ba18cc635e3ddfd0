"""Logvars in a BLOG file, constraints between them, and individuals by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from liftgraph.errors import InputError
from liftgraph.exact import shortened
from liftgraph.io.blog.tokens import Token, TokenStream
from liftgraph.model.lifted.logvars import Constraint, Different, Domain, LogVar, Unordered

Logvars = dict[str, LogVar]
Term = LogVar | int  # what an argument is about: a logvar, or an individual by its number


@dataclass(slots=True)
class Where:
    """Constraints between logvars, and the individuals, by number, that a logvar is not."""

    constraints: list[Constraint] = field(default_factory=list)
    excluded: dict[LogVar, set[int]] = field(default_factory=dict)


def typed_logvars(tokens: TokenStream, domains: Mapping[str, Domain], end: str) -> Logvars:
    """``Person X, Person Y`` up to the end, which is taken unless constraints come first.

    A logvar without a name gets that of its type, with primes if there are several.
    """
    logvars: Logvars = {}
    earlier: Counter[str] = Counter()
    while True:
        domain = domains[tokens.name("a type with individuals", domains)]
        if tokens.next.kind in ("name", "string"):
            name = tokens.name("a logvar")
        else:
            name = domain.name + "'" * earlier[domain.name]
            tokens.allowance.take(4 * len(name), "names of logvars", tokens.next.line)
        earlier[domain.name] += 1
        if name in logvars:
            raise InputError(f"expected different logvars, got {shortened(name)} twice")
        logvars[name] = LogVar(name, domain)
        if tokens.at(":"):
            return logvars
        if tokens.expect(",", end) == end:
            return logvars


def where(
    tokens: TokenStream,
    logvars: Logvars,
    domains: Mapping[str, Domain],
    individuals: bool = True,
) -> Where:
    """``X != Y & X != alice & Y < Z``, with more than two logvars in ``X < Y < Z``.

    ``individuals``: whether they may be named.
    """
    found = Where()
    while True:
        first = tokens.take()
        sign = tokens.expect("!=", "<")
        second = tokens.take()
        if individuals and sign == "!=" and (first.text in logvars) != (second.text in logvars):
            _exclude(tokens, found, logvars, first, second)
        else:
            operands = [_logvar(tokens, logvars, domains, token) for token in (first, second)]
            while sign == "<" and tokens.accept("<"):
                operands.append(_logvar(tokens, logvars, domains, tokens.take()))
            unordered = sign == "<"
            both = Unordered(tuple(operands)) if unordered else Different(*operands)
            found.constraints.append(both)
        if not tokens.accept("&"):
            return found


def _exclude(
    tokens: TokenStream, found: Where, logvars: Logvars, first: Token, second: Token
) -> None:
    """Note an individual that a logvar is not; either may come first."""
    logvar, token = (first, second) if first.text in logvars else (second, first)
    excluded = logvars[logvar.text]
    found.excluded.setdefault(excluded, set()).add(individual(tokens, excluded.domain, token))


def individual(tokens: TokenStream, domain: Domain, token: Token) -> int:
    """The number of the individual that a token names, which must be one of a domain."""
    number = domain.find(token.text) if token.kind in ("name", "string", "number") else -1
    if number < 0:
        tokens.fail(f"a logvar or an individual of {shortened(domain.name)}", token)
    return number


def _logvar(
    tokens: TokenStream, logvars: Logvars, domains: Mapping[str, Domain], token: Token
) -> LogVar:
    if token.text not in logvars or token.kind not in ("name", "string"):
        named = is_individual(token.text, domains.values())
        why = " (individuals by name are not supported here)" if named else ""
        tokens.fail(f"a logvar{why}", token)
    return logvars[token.text]


def is_individual(name: str, domains: Iterable[Domain]) -> bool:
    """Whether an individual of these domains has this name."""
    return any(domain.find(name) >= 0 for domain in domains)


def terms(tokens: TokenStream, logvars: Logvars, expected: tuple[LogVar, ...]) -> tuple[Term, ...]:
    """``(X, alice)``, or nothing: logvars, or individuals of the domains that are expected."""
    listed: list[Term] = []
    sign = "," if tokens.accept("(") else ")"
    while sign == ",":
        token = tokens.take()
        if token.kind in ("name", "string") and token.text in logvars:
            listed.append(logvars[token.text])
        elif len(listed) < len(expected):
            listed.append(individual(tokens, expected[len(listed)].domain, token))
        else:
            tokens.fail(")", token)
        sign = tokens.expect(",", ")")
    return tuple(listed)
