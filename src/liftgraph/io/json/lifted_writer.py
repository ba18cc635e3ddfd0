"""The documents of parametric factor graphs."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from liftgraph.io.json.documents import (
    ArgumentEntry,
    DomainEntry,
    LiftedDocument,
    OriginEntry,
    ParfactorEntry,
    PRVEntry,
)
from liftgraph.io.json.tables import entry_of, potential_entry
from liftgraph.io.spelling import Spelling
from liftgraph.model.lifted.logvars import Constraint, Domain, LogVar, Unordered, constrained
from liftgraph.model.lifted.origin import Origin
from liftgraph.model.lifted.parfactor import CRV, PRV, Argument, Parfactor, atom_of
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.model.lifted.variables import Place


def document_of_model(model: ParfactorGraph, spell: Spelling) -> LiftedDocument:
    """The document of a parametric factor graph."""
    return LiftedDocument(
        LiftedDocument.TITLE,
        LiftedDocument.VERSION,
        [_domain(domain, spell) for domain in model.domains],
        [_prv(prv) for prv in model.prvs],
        [_parfactor(parfactor, spell) for parfactor in model.parfactors],
        None if model.origin is None else _origin(model.origin, spell),
        {_name(model, p): model.prvs[p[0]].states[state] for p, state in model.evidence.items()},
        {_name(model, p): entry_of(t, spell) for p, t in model.evidence.likelihoods.items()},
    )


def _name(model: ParfactorGraph, place: Place) -> str:
    """The name of a variable; one that several variables have is refused."""
    name = model.name(place)
    model.locate(name)
    return name


def _domain(domain: Domain, spell: Spelling) -> DomainEntry:
    spell(Fraction(domain.size))  # refuses a size that cannot be read back
    individuals = None if domain.individuals is None else [*domain.individuals]
    return DomainEntry(domain.name, domain.size, individuals)


def _domains_of(logvars: Sequence[LogVar]) -> dict[str, str]:
    return {logvar.name: logvar.domain.name for logvar in logvars}


def _prv(prv: PRV) -> PRVEntry:
    observed = None if prv.observed is None else prv.states[prv.observed]
    where = [_constraint(constraint) for constraint in prv.constraints]
    logvars = _domains_of(prv.logvars)
    return PRVEntry(prv.name, [*prv.states], logvars, where, observed, prv.overridable)


def _constraint(constraint: Constraint) -> list[str]:
    sign = "<" if isinstance(constraint, Unordered) else "!="
    first, *rest = (logvar.name for logvar in constrained(constraint))
    return [first, *(text for name in rest for text in (sign, name))]


def _parfactor(parfactor: Parfactor, spell: Spelling) -> ParfactorEntry:
    return ParfactorEntry(
        [_argument(argument) for argument in parfactor.arguments],
        entry_of(parfactor.table, spell),
        _domains_of(parfactor.logvars),
        _domains_of(parfactor.counted),
        [_constraint(constraint) for constraint in parfactor.constraints],
        [(spell(scale), times) for scale, times in parfactor.scales],
        parfactor.child,
    )


def _argument(argument: Argument) -> ArgumentEntry:
    atom = atom_of(argument)
    counted = argument.counted if isinstance(argument, CRV) else ()
    return ArgumentEntry(
        atom.prv.name,
        [logvar.name for logvar in atom.logvars],
        [logvar.name for logvar in counted],
    )


def _origin(origin: Origin, spell: Spelling) -> OriginEntry:
    return OriginEntry(
        None if origin.names is None else [*origin.names],
        origin.variables.tolist(),
        origin.factors.tolist(),
        origin.argument_order.tolist(),
        origin.scale_id.tolist(),
        [spell(scale) for scale in origin.scales],
        origin.singled_out.tolist(),
        spell(origin.tolerance),
        origin.log_odds_bound,
        [potential_entry(near, spell) for near in origin.near],
        origin.near_id.tolist(),
    )
