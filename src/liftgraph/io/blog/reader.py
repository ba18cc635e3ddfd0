"""Reading BLOG files, statement by statement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from liftgraph.errors import InputError, ParseError
from liftgraph.exact import shortened
from liftgraph.io.allowance import Allowance
from liftgraph.io.blog.declarations import (
    Declarations,
    declare_individuals,
    declare_prv,
    declare_type,
)
from liftgraph.io.blog.grounding import lifted_again
from liftgraph.io.blog.logvars import is_individual
from liftgraph.io.blog.parfactors import as_parfactor, listed_parfactor
from liftgraph.io.blog.tokens import TokenStream, token_stream
from liftgraph.io.files import read_text
from liftgraph.io.number_costs import take_digits
from liftgraph.model.lifted.evidence import LiftedEvidence
from liftgraph.model.lifted.parfactor import CRV, PRV, Argument
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.model.lifted.substitutions import exists
from liftgraph.model.memory_limit import MEMORY_LIMIT

_BYTE_COST = 3
_STATEMENT_COST = 2000
_KEYWORDS = ("type", "guaranteed", "random", "parfactor", "factor", "obs", "query")


def read(path: Path | str, *, memory_limit: int = MEMORY_LIMIT) -> ParfactorGraph:
    """Read a parametric factor graph; errors name the line.

    What a file asks (``query``) is checked, and not kept.
    """
    allowance, declared = Allowance(str(path), memory_limit), Declarations()
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
    if not (declared.prvs or declared.listed):
        tokens.fail("a random variable", tokens.next)
    if any(listed.names_individuals for listed in declared.listed):
        return lifted_again(declared, allowance)
    return _model(declared)


def _statement(tokens: TokenStream, declared: Declarations) -> None:
    match tokens.expect(*_KEYWORDS):
        case "type":
            declare_type(tokens, declared)
        case "guaranteed":
            declare_individuals(tokens, declared)
        case "random":
            declare_prv(tokens, declared)
        case "obs":
            _observe(tokens, declared)
        case "query":
            _variables(tokens, declared)
        case kind:
            _add_parfactor(tokens, declared, kind)
    tokens.expect(";")


def _add_parfactor(tokens: TokenStream, declared: Declarations, kind: str) -> None:
    listed = listed_parfactor(tokens, kind, declared.domains, declared.prvs)
    declared.listed.append(listed)
    if not listed.names_individuals:
        declared.parfactors.append(as_parfactor(listed))
        take_digits(tokens.allowance, declared.parfactors[-1].table)


def _observe(tokens: TokenStream, declared: Declarations) -> None:
    """``Epid = high``, ``Sick(alice) = true``, or ``Sick(X) = true`` for all variables of a PRV."""
    observed, individuals = _variables(tokens, declared)
    tokens.expect("=")
    state = observed.states.index(tokens.name("a state", observed.states))
    key = observed.name, individuals or ()
    earlier = declared.observed.get(key, state) if observed.observed is None else observed.observed
    if individuals is None:
        others = {s for (name, _), s in declared.observed.items() if name == observed.name}
        earlier = next(iter(others - {state}), earlier)
    if earlier != state:
        raise InputError(f"expected one state for {shortened(observed.name)}, got another one")
    if individuals is None:
        declared.prvs[observed.name] = replace(observed, observed=state)
    else:
        declared.observed[key] = state


def _variables(tokens: TokenStream, declared: Declarations) -> tuple[PRV, tuple[int, ...] | None]:
    """A PRV, and individuals by number: of one variable, or None for all variables of the PRV."""
    prv = declared.prvs[tokens.name("a random variable", declared.prvs)]
    if not prv.logvars:
        return prv, None
    tokens.expect("(")
    names = [tokens.take()]
    while tokens.expect(",", ")") == ",":
        names.append(tokens.take())
    domains = [logvar.domain for logvar in prv.logvars]
    numbers = [d.find(name.text) for d, name in zip(domains, names, strict=False)]
    if len(names) == len(domains) and min(numbers) >= 0:
        if not exists(prv.pattern, numbers):
            came = ", ".join(name.text for name in names)
            raise InputError(f"expected a variable of {shortened(prv.name)}, got {shortened(came)}")
        return prv, tuple(numbers)
    for name in names:
        if name.kind not in ("name", "string") or is_individual(name.text, domains):
            tokens.fail(f"{len(domains)} individuals of {shortened(prv.name)}, or logvars", name)
    if len(names) != len(domains) or len({name.text for name in names}) < len(names):
        came = shortened(", ".join(name.text for name in names))
        raise InputError(f"expected {len(domains)} different logvars, got {came}")
    return prv, None


def _model(declared: Declarations) -> ParfactorGraph:
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
    model = ParfactorGraph.of(parfactors, tuple(declared.prvs.values()))
    place = {prv.name: index for index, prv in enumerate(model.prvs)}
    evidence = {
        (place[name], individuals): state
        for (name, individuals), state in declared.observed.items()
    }
    return replace(model, evidence=LiftedEvidence(evidence)) if evidence else model


def _as_observed(argument: Argument, prvs: Mapping[str, PRV]) -> Argument:
    if isinstance(argument, CRV):
        atom = replace(argument.atom, prv=prvs[argument.atom.prv.name])
        return replace(argument, atom=atom)
    return replace(argument, prv=prvs[argument.prv.name])
