"""Reading BLOG files, statement by statement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from liftgraph.errors import InputError, ParseError
from liftgraph.exact import parse_rational, shortened
from liftgraph.io.allowance import Allowance
from liftgraph.io.blog.individuals import individuals_as_states, listed_individuals
from liftgraph.io.blog.tokens import TokenStream, token_stream
from liftgraph.io.files import read_text
from liftgraph.io.number_costs import take_digits
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
from liftgraph.model.memory_limit import MEMORY_LIMIT

_BYTE_COST = 3
_STATEMENT_COST = 2000
_VALUE_COST = 250


@dataclass(slots=True)
class _Declarations:
    """What the statements so far have declared; types that have individuals are domains, too."""

    types: set[str] = field(default_factory=set)
    domains: dict[str, Domain] = field(default_factory=dict)
    prvs: dict[str, PRV] = field(default_factory=dict)
    parfactors: list[Parfactor] = field(default_factory=list)


def read(path: Path | str, *, memory_limit: int = MEMORY_LIMIT) -> ParfactorGraph:
    """Read a parametric factor graph; errors name the line."""
    allowance, declared = Allowance(str(path), memory_limit), _Declarations()
    tokens = token_stream(read_text(path, allowance, _BYTE_COST), allowance)
    while tokens.next.kind != "end":
        line = tokens.next.line
        allowance.take(_STATEMENT_COST, "its statements", line)
        try:
            _statement(tokens, declared)
        except ParseError:
            raise
        except InputError as error:
            raise ParseError(str(path), line, str(error)) from None
    if not (declared.prvs or declared.parfactors):
        tokens.fail("a random variable", tokens.next)
    return _model(declared)


def _statement(tokens: TokenStream, declared: _Declarations) -> None:
    match tokens.expect("type", "guaranteed", "random", "parfactor", "factor", "obs"):
        case "type":
            _declare_type(tokens, declared)
        case "guaranteed":
            _declare_individuals(tokens, declared)
        case "random":
            _declare_prv(tokens, declared)
        case "obs":
            _observe(tokens, declared)
        case kind:
            logvars = _typed_logvars(tokens, declared, ".") if kind == "parfactor" else {}
            _add_parfactor(tokens, declared, logvars)
    tokens.expect(";")


def _declare_type(tokens: TokenStream, declared: _Declarations) -> None:
    built_in = tokens.at("Boolean")
    name = tokens.name("the name of a type")
    if name in declared.types or built_in:
        raise InputError(f"expected a new type, got {shortened(name)} again")
    declared.types.add(name)


def _declare_individuals(tokens: TokenStream, declared: _Declarations) -> None:
    name = tokens.name("a type", declared.types)
    if name in declared.domains:
        raise InputError(f"expected the individuals of {shortened(name)} once, got them again")
    declared.domains[name] = listed_individuals(tokens, name)


def _declare_prv(tokens: TokenStream, declared: _Declarations) -> None:
    states = _states(tokens, declared)
    name = tokens.name("the name of a random variable")
    if name in declared.prvs:
        raise InputError(f"expected a new random variable, got {shortened(name)} again")
    logvars: dict[str, LogVar] = {}
    if tokens.accept("("):
        logvars = _typed_logvars(tokens, declared, ")")
    where = _constraints(tokens, logvars, declared) if tokens.accept(":") else []
    declared.prvs[name] = prv(name, *logvars.values(), states=states, where=where)


def _states(tokens: TokenStream, declared: _Declarations) -> States:
    if tokens.accept("Boolean"):
        return BOOLEAN
    line = tokens.next.line
    name = tokens.name("Boolean or a type with individuals", declared.domains)
    return individuals_as_states(tokens, declared.domains[name], line)


def _typed_logvars(tokens: TokenStream, declared: _Declarations, end: str) -> dict[str, LogVar]:
    """``Person X, Person Y`` up to the end, which is taken unless constraints come first.

    A logvar without a name gets that of its type, with primes if there are several.
    """
    logvars: dict[str, LogVar] = {}
    earlier: Counter[str] = Counter()
    while True:
        domain = declared.domains[tokens.name("a type with individuals", declared.domains)]
        if tokens.next.kind in ("name", "string"):
            name = tokens.name("a logvar")
        else:
            name = domain.name + "'" * earlier[domain.name]
            tokens.allowance.take(4 * len(name), "names of logvars", tokens.next.line)
        earlier[domain.name] += 1
        if name in logvars:
            raise InputError(f"expected different logvars, got {shortened(name)} twice")
        logvars[name] = LogVar(name, domain)
        if end == "." and tokens.at(":"):
            return logvars
        if tokens.expect(",", end) == end:
            return logvars


def _constraints(
    tokens: TokenStream, logvars: Mapping[str, LogVar], declared: _Declarations
) -> list[Constraint]:
    """``X != Y & Y < Z``, with more than two logvars in ``X < Y < Z``."""
    constraints: list[Constraint] = []
    while True:
        operands = [_logvar(tokens, logvars, declared)]
        sign = tokens.expect("!=", "<")
        operands.append(_logvar(tokens, logvars, declared))
        while sign == "<" and tokens.accept("<"):
            operands.append(_logvar(tokens, logvars, declared))
        constraints.append(Unordered(tuple(operands)) if sign == "<" else Different(*operands))
        if not tokens.accept("&"):
            return constraints


def _logvar(tokens: TokenStream, logvars: Mapping[str, LogVar], declared: _Declarations) -> LogVar:
    token = tokens.next
    if token.text not in logvars and _is_individual(token.text, declared.domains.values()):
        tokens.fail("a logvar (individuals by name are not supported)", token)
    return logvars[tokens.name("a logvar", logvars)]


def _is_individual(name: str, domains: Iterable[Domain]) -> bool:
    return any(domain.find(name) >= 0 for domain in domains)


def _add_parfactor(
    tokens: TokenStream, declared: _Declarations, logvars: Mapping[str, LogVar]
) -> None:
    where: list[Constraint] = []
    if logvars and tokens.accept(":"):
        where = _constraints(tokens, logvars, declared)
        tokens.expect(".")
    tokens.expect("MultiArrayPotential")
    values = _values(tokens)
    tokens.expect("(")
    arguments: list[Argument] = []
    while not tokens.accept(")"):
        arguments.append(_argument(tokens, declared, logvars, where))
        if not tokens.at(")"):
            tokens.expect(",", ")")
    crvs = [argument for argument in arguments if isinstance(argument, CRV)]
    counted = {logvar for argument in crvs for logvar in argument.counted}
    free = [logvar for logvar in logvars.values() if logvar not in counted]
    declared.parfactors.append(parfactor(arguments, values, where, free))
    take_digits(tokens.allowance, declared.parfactors[-1].table)


def _values(tokens: TokenStream) -> list[object]:
    tokens.expect("[")
    tokens.expect("[")
    values: list[object] = []
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
    declared: _Declarations,
    logvars: Mapping[str, LogVar],
    where: list[Constraint],
) -> Argument:
    counted: list[LogVar] = []
    if tokens.accept("#"):
        counted = _logvar_list(tokens, logvars, declared, "[")
    name = tokens.name("a random variable", declared.prvs)
    arguments = _logvar_list(tokens, logvars, declared, ")") if tokens.accept("(") else []
    atom = declared.prvs[name](*arguments)
    if not counted:
        return atom
    tokens.expect("]")
    constraints = [c for c in where if not set(counted).isdisjoint(constrained(c))]
    return crv(atom, *counted, where=constraints)


def _logvar_list(
    tokens: TokenStream, logvars: Mapping[str, LogVar], declared: _Declarations, end: str
) -> list[LogVar]:
    listed = [_logvar(tokens, logvars, declared)]
    while tokens.expect(",", end) != end:
        listed.append(_logvar(tokens, logvars, declared))
    return listed


def _observe(tokens: TokenStream, declared: _Declarations) -> None:
    """``obs Epid = high``, or ``obs Sick(X) = true`` for all variables of a PRV with logvars."""
    name = tokens.name("a random variable", declared.prvs)
    observed_prv = declared.prvs[name]
    if observed_prv.logvars:
        tokens.expect("(")
        _any_logvars(tokens, observed_prv)
    tokens.expect("=")
    state = tokens.name("a state", observed_prv.states)
    if observed_prv.observed not in (None, observed_prv.states.index(state)):
        raise InputError(f"expected one state for {shortened(name)}, got another one")
    declared.prvs[name] = replace(observed_prv, observed=observed_prv.states.index(state))


def _any_logvars(tokens: TokenStream, observed_prv: PRV) -> None:
    """Take different names for the logvars of a PRV, any names but those of individuals."""
    names: list[str] = []
    while True:
        token = tokens.next
        if _is_individual(token.text, (logvar.domain for logvar in observed_prv.logvars)):
            tokens.fail("a logvar (individuals by name are not supported)", token)
        names.append(tokens.name("a logvar"))
        if tokens.expect(",", ")") == ")":
            break
    arity = len(observed_prv.logvars)
    if len(names) != arity or len(set(names)) != arity:
        raise InputError(f"expected {arity} different logvars, got {shortened(', '.join(names))}")


def _model(declared: _Declarations) -> ParfactorGraph:
    """The model; observations may come after parfactors, which get the observed PRVs only now."""
    parfactors = (
        replace(
            unobserved,
            arguments=tuple(
                _as_observed(argument, declared.prvs) for argument in unobserved.arguments
            ),
        )
        for unobserved in declared.parfactors
    )
    return ParfactorGraph.of(parfactors, tuple(declared.prvs.values()))


def _as_observed(argument: Argument, prvs: Mapping[str, PRV]) -> Argument:
    if isinstance(argument, CRV):
        atom = replace(argument.atom, prv=prvs[argument.atom.prv.name])
        return replace(argument, atom=atom)
    return replace(argument, prv=prvs[argument.prv.name])
