"""Reading BLOG files, statement by statement."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from liftgraph.errors import InputError, ParseError
from liftgraph.exact import parse_rational
from liftgraph.io.blog.tokens import Tokens, tokens
from liftgraph.io.files import read_text
from liftgraph.model.ground.names import BOOLEAN, States
from liftgraph.model.lifted.builder import crv, parfactor, prv
from liftgraph.model.lifted.logvars import (
    Constraint,
    Different,
    Domain,
    LogVar,
    Unordered,
    constrained,
)
from liftgraph.model.lifted.parfactor import CRV, PRV, Argument, Parfactor
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph

_MOST = 10_000_000  # individuals with names


@dataclass(slots=True)
class _Known:
    """What the statements so far have declared: types, those with individuals as domains; PRVs
    by name; and parfactors."""

    types: set[str] = field(default_factory=set)
    domains: dict[str, Domain] = field(default_factory=dict)
    prvs: dict[str, PRV] = field(default_factory=dict)
    parfactors: list[Parfactor] = field(default_factory=list)


def read(path: Path | str) -> ParfactorGraph:
    """Read a parametric factor graph; errors name the line."""
    words, known = tokens(str(path), read_text(path)), _Known()
    while words.next.kind != "end":
        line = words.next.line
        try:
            _statement(words, known)
        except ParseError:
            raise
        except InputError as error:
            raise ParseError(str(path), line, str(error)) from None
    if not (known.prvs or known.parfactors):
        words.fail("a random variable", words.next)
    return _model(known)


def _statement(words: Tokens, known: _Known) -> None:
    match words.expect("type", "guaranteed", "random", "parfactor", "factor", "obs"):
        case "type":
            _declare_type(words, known)
        case "guaranteed":
            _declare_individuals(words, known)
        case "random":
            _declare_prv(words, known)
        case "obs":
            _observe(words, known)
        case kind:
            logvars = _typed_logvars(words, known, ".") if kind == "parfactor" else {}
            _add_parfactor(words, known, logvars)
    words.expect(";")


def _declare_type(words: Tokens, known: _Known) -> None:
    built_in = words.at("Boolean")
    name = words.name("the name of a type")
    if name in known.types or built_in:
        raise InputError(f"expected a new type, got {name} again")
    known.types.add(name)


def _declare_individuals(words: Tokens, known: _Known) -> None:
    name = words.name("a type", known.types)
    if name in known.domains:
        raise InputError(f"expected the individuals of {name} once")
    first = "" if words.at("[") else words.name("the name of an individual")
    individuals: int | list[str]
    if words.accept("["):
        number = _count(words, _MOST if first else sys.maxsize)
        individuals = [f"{first}{each}" for each in range(1, number + 1)] if first else number
        words.expect("]")
    else:
        individuals = [first]
        while words.accept(","):
            individuals.append(words.name("the name of an individual"))
    known.domains[name] = LogVar(name, individuals).domain


def _count(words: Tokens, most: int) -> int:
    word = words.take()
    plain = word.kind == "number" and word.text.isdecimal() and len(word.text) < 20
    if not plain or not 1 <= int(word.text) <= most:
        words.fail(f"a number of individuals from 1 to {most:,}", word)
    return int(word.text)


def _declare_prv(words: Tokens, known: _Known) -> None:
    states = _states(words, known)
    name = words.name("the name of a random variable")
    if name in known.prvs:
        raise InputError(f"expected a new random variable, got {name} again")
    logvars: dict[str, LogVar] = {}
    if words.accept("("):
        logvars = _typed_logvars(words, known, ")")
    where = _constraints(words, logvars, known) if words.accept(":") else []
    known.prvs[name] = prv(name, *logvars.values(), states=states, where=where)


def _states(words: Tokens, known: _Known) -> States:
    if words.accept("Boolean"):
        return BOOLEAN
    domain = known.domains[words.name("Boolean or a type with individuals", known.domains)]
    return tuple(map(domain.individual, range(domain.size)))


def _typed_logvars(words: Tokens, known: _Known, end: str) -> dict[str, LogVar]:
    """``Person X, Person Y`` up to the end, which is taken unless constraints come first; a
    logvar without a name is called by its type, with primes."""
    logvars: dict[str, LogVar] = {}
    while True:
        kind = words.name("a type with individuals", known.domains)
        if words.next.kind in ("name", "string"):
            name = words.name("a logvar")
        else:
            name = kind + "'" * sum(each.domain.name == kind for each in logvars.values())
        if name in logvars:
            raise InputError(f"expected different logvars, got {name} twice")
        logvars[name] = LogVar(name, known.domains[kind])
        if end == "." and words.at(":"):
            return logvars
        if words.expect(",", end) == end:
            return logvars


def _constraints(words: Tokens, logvars: Mapping[str, LogVar], known: _Known) -> list[Constraint]:
    """``X != Y & Y < Z``, with more than two logvars in ``X < Y < Z``."""
    found: list[Constraint] = []
    while True:
        about = [_logvar(words, logvars, known)]
        sign = words.expect("!=", "<")
        about.append(_logvar(words, logvars, known))
        while sign == "<" and words.accept("<"):
            about.append(_logvar(words, logvars, known))
        found.append(Unordered(tuple(about)) if sign == "<" else Different(*about))
        if not words.accept("&"):
            return found


def _logvar(words: Tokens, logvars: Mapping[str, LogVar], known: _Known) -> LogVar:
    word = words.next
    if word.text not in logvars and _is_individual(word.text, known.domains.values()):
        words.fail("a logvar (individuals by name are not supported)", word)
    return logvars[words.name("a logvar", logvars)]


def _is_individual(name: str, domains: Iterable[Domain]) -> bool:
    return any(each.find(name) >= 0 for each in domains)


def _add_parfactor(words: Tokens, known: _Known, logvars: Mapping[str, LogVar]) -> None:
    where: list[Constraint] = []
    if logvars and words.accept(":"):
        where = _constraints(words, logvars, known)
        words.expect(".")
    words.expect("MultiArrayPotential")
    values = _values(words)
    words.expect("(")
    arguments: list[Argument] = []
    while not words.accept(")"):
        arguments.append(_argument(words, known, logvars, where))
        if not words.at(")"):
            words.expect(",", ")")
    counted = {logvar for each in arguments if isinstance(each, CRV) for logvar in each.counted}
    free = [logvar for logvar in logvars.values() if logvar not in counted]
    known.parfactors.append(parfactor(arguments, values, where, free))


def _values(words: Tokens) -> list[object]:
    words.expect("[")
    words.expect("[")
    values: list[object] = []
    while not words.accept("]"):
        word = words.take()
        if word.kind != "number":
            words.fail("a potential", word)
        values.append(parse_rational(word.text.removeprefix("+")))
        if not words.at("]"):
            words.expect(",", "]")
    words.expect("]")
    return values


def _argument(
    words: Tokens, known: _Known, logvars: Mapping[str, LogVar], where: list[Constraint]
) -> Argument:
    counted: list[LogVar] = []
    if words.accept("#"):
        counted = _logvar_list(words, logvars, known, "[")
    name = words.name("a random variable", known.prvs)
    own = _logvar_list(words, logvars, known, ")") if words.accept("(") else []
    atom = known.prvs[name](*own)
    if not counted:
        return atom
    words.expect("]")
    about = [each for each in where if set(constrained(each)) & set(counted)]
    return crv(atom, *counted, where=about)


def _logvar_list(
    words: Tokens, logvars: Mapping[str, LogVar], known: _Known, end: str
) -> list[LogVar]:
    found = [_logvar(words, logvars, known)]
    while words.expect(",", end) != end:
        found.append(_logvar(words, logvars, known))
    return found


def _observe(words: Tokens, known: _Known) -> None:
    """``obs Epid = high``; of a PRV with logvars, all variables: ``obs Sick(X) = true``."""
    name = words.name("a random variable", known.prvs)
    given = known.prvs[name]
    if given.logvars:
        words.expect("(")
        _any_logvars(words, given)
    words.expect("=")
    state = words.name("a state", given.states)
    if given.observed not in (None, given.states.index(state)):
        raise InputError(f"expected one state for {name}, got another one")
    known.prvs[name] = replace(given, observed=given.states.index(state))


def _any_logvars(words: Tokens, given: PRV) -> None:
    """Different names for the logvars of a PRV, whatever they are, but no individuals."""
    names: list[str] = []
    while True:
        word = words.next
        if _is_individual(word.text, (each.domain for each in given.logvars)):
            words.fail("a logvar (individuals by name are not supported)", word)
        names.append(words.name("a logvar"))
        if words.expect(",", ")") == ")":
            break
    if len(set(names)) != len(given.logvars) or len(names) != len(given.logvars):
        came = ", ".join(names)
        raise InputError(f"expected {len(given.logvars)} different logvars, got {came}")


def _model(known: _Known) -> ParfactorGraph:
    """Observations may follow the parfactors they are about, so PRVs are put in at the end."""
    parfactors = (
        replace(each, arguments=tuple(_as_observed(a, known.prvs) for a in each.arguments))
        for each in known.parfactors
    )
    return ParfactorGraph.of(parfactors, tuple(known.prvs.values()))


def _as_observed(argument: Argument, prvs: Mapping[str, PRV]) -> Argument:
    if isinstance(argument, CRV):
        atom = replace(argument.atom, prv=prvs[argument.atom.prv.name])
        return replace(argument, atom=atom)
    return replace(argument, prv=prvs[argument.prv.name])
