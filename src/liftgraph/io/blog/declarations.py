"""What the statements of a BLOG file declare: types, individuals and random variables."""

from __future__ import annotations

from dataclasses import dataclass, field

from liftgraph.errors import InputError
from liftgraph.exact import shortened
from liftgraph.io.blog.individuals import individuals_as_states, listed_individuals
from liftgraph.io.blog.logvars import Logvars, Where, typed_logvars, where
from liftgraph.io.blog.parfactors import ListedParfactor
from liftgraph.io.blog.tokens import TokenStream
from liftgraph.model.ground.names import BOOLEAN, States
from liftgraph.model.lifted.builder import prv
from liftgraph.model.lifted.logvars import Domain
from liftgraph.model.lifted.parfactor import PRV, Parfactor


@dataclass(slots=True)
class Declarations:
    """What the statements so far have declared; types that have individuals are domains, too.

    ``parfactors``: of those ``listed``, the ones that name no individual. ``observed``: the index
    of the state of a variable, by the name of its PRV and the numbers of its individuals; whole
    PRVs are observed themselves.
    """

    types: set[str] = field(default_factory=set)
    domains: dict[str, Domain] = field(default_factory=dict)
    prvs: dict[str, PRV] = field(default_factory=dict)
    listed: list[ListedParfactor] = field(default_factory=list)
    parfactors: list[Parfactor] = field(default_factory=list)
    observed: dict[tuple[str, tuple[int, ...]], int] = field(default_factory=dict)


def declare_type(tokens: TokenStream, declared: Declarations) -> None:
    """``Person`` after its keyword."""
    built_in = tokens.at("Boolean")
    name = tokens.name("the name of a type")
    if name in declared.types or built_in:
        raise InputError(f"expected a new type, got {shortened(name)} again")
    declared.types.add(name)


def declare_individuals(tokens: TokenStream, declared: Declarations) -> None:
    """``Person alice, bob`` after its keyword."""
    name = tokens.name("a type", declared.types)
    if name in declared.domains:
        raise InputError(f"expected the individuals of {shortened(name)} once, got them again")
    declared.domains[name] = listed_individuals(tokens, name)


def declare_prv(tokens: TokenStream, declared: Declarations) -> None:
    """``Boolean Knows(Person X, Person Y) : X != Y`` after its keyword."""
    states = _states(tokens, declared)
    name = tokens.name("the name of a random variable")
    if name in declared.prvs:
        raise InputError(f"expected a new random variable, got {shortened(name)} again")
    logvars: Logvars = {}
    found = Where()
    if tokens.accept("("):
        logvars = typed_logvars(tokens, declared.domains, ")")
    if tokens.accept(":"):
        found = where(tokens, logvars, declared.domains, individuals=False)
    declared.prvs[name] = prv(name, *logvars.values(), states=states, where=found.constraints)


def _states(tokens: TokenStream, declared: Declarations) -> States:
    if tokens.accept("Boolean"):
        return BOOLEAN
    line = tokens.next.line
    name = tokens.name("Boolean or a type with individuals", declared.domains)
    return individuals_as_states(tokens, declared.domains[name], line)
