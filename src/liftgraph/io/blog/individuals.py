"""The individuals of a type in a BLOG file: named one by one, counted, or the states of a PRV."""

from __future__ import annotations

from liftgraph.display import format_count
from liftgraph.errors import InputError
from liftgraph.exact import MAX_DIGITS, shortened
from liftgraph.io.blog.tokens import TokenStream
from liftgraph.model.ground.names import MAX_STATES, States
from liftgraph.model.lifted.logvars import Domain, LogVar

_STATE_COST = 160  # of an individual that is a state
_INDIVIDUAL_COST = 200  # of an individual with a name, apart from its letters
_MOST_NAMED = 10_000_000  # individuals with names that are not listed


def listed_individuals(tokens: TokenStream, name: str) -> Domain:
    """The individuals of a type: ``alice, bob``, or ``p[1000]`` for p1 … p1000, or ``[1000]``."""
    first = "" if tokens.at("[") else tokens.name("the name of an individual")
    individuals: int | list[str]
    if tokens.accept("["):
        line = tokens.next.line
        size = _count(tokens, _MOST_NAMED if first else None)
        if first:
            what = f"domain {shortened(name)} has {size:,} individuals"
            tokens.allowance.take((_INDIVIDUAL_COST + 4 * len(first)) * size, what, line)
        individuals = [f"{first}{index}" for index in range(1, size + 1)] if first else size
        tokens.expect("]")
    else:
        individuals = [first]
        while tokens.accept(","):
            individuals.append(tokens.name("the name of an individual"))
    return LogVar(name, individuals).domain


def _count(tokens: TokenStream, most: int | None) -> int:
    """A number of individuals, at most this many; None: any number, even if it is huge."""
    token = tokens.take()
    plain = token.kind == "number" and token.text.isdecimal() and len(token.text) <= MAX_DIGITS
    size = int(token.text) if plain else 0
    if size < 1 or (most is not None and size > most):
        limit = "up" if most is None else f"to {most:,}"
        tokens.fail(f"a number of individuals from 1 {limit}", token)
    return size


def individuals_as_states(tokens: TokenStream, domain: Domain, line: int) -> States:
    """The names of all individuals, as the states of a random variable at this line."""
    what = f"domain {shortened(domain.name)} has {format_count(domain.size)} individuals"
    if domain.size > MAX_STATES:
        raise InputError(f"expected at most {MAX_STATES:,} states, but {what}")
    tokens.allowance.take(_STATE_COST * domain.size, what, line)
    return tuple(map(domain.individual, range(domain.size)))
