"""Parametric factor graphs from their documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from liftgraph.display import format_count
from liftgraph.errors import InputError
from liftgraph.exact import parse_rational, shortened
from liftgraph.io.allowance import Allowance
from liftgraph.io.json.documents import (
    ArgumentEntry,
    DomainEntry,
    LiftedDocument,
    OriginEntry,
    ParfactorEntry,
    PRVEntry,
)
from liftgraph.io.json.tables import potentials_of, table_of
from liftgraph.io.json.text import place
from liftgraph.model.arrays import places_type
from liftgraph.model.ground.names import find_state
from liftgraph.model.lifted.builder import crv, parfactor, prv
from liftgraph.model.lifted.evidence import LiftedEvidence, states_of
from liftgraph.model.lifted.logvars import (
    Constraint,
    Different,
    Domain,
    LogVar,
    Unordered,
    constrained,
)
from liftgraph.model.lifted.origin import Origin, check_origin
from liftgraph.model.lifted.parfactor import PRV, Argument, Atom, Parfactor, atom_of
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph

_SIGNS = {"!=", "<"}
Declared = TypeVar("Declared")


def model_of(document: LiftedDocument, allowance: Allowance) -> ParfactorGraph:
    """The parametric factor graph that a document describes."""
    domains: dict[str, Domain] = {}
    for index, domain in enumerate(document.domains):
        with place(f"$.domains[{index}]"):
            _check_new(domain.name, domains)
            domains[domain.name] = _domain(domain)
    prvs: dict[str, PRV] = {}
    for index, entry in enumerate(document.prvs):
        with place(f"$.prvs[{index}]"):
            _check_new(entry.name, prvs)
            prvs[entry.name] = _prv(entry, domains)
    parfactors: list[Parfactor] = []
    for index, listed in enumerate(document.parfactors):
        with place(f"$.parfactors[{index}]"):
            parfactors.append(_parfactor(listed, domains, prvs, allowance))
    model = ParfactorGraph.of(parfactors, tuple(prvs.values()))
    if document.origin is not None:
        with place("$.origin"):
            origin = _origin(document.origin, allowance)
            check_origin(origin, model.variable_count, model.parfactors)
            model = ParfactorGraph(model.prvs, model.parfactors, origin)
    likelihoods = {
        name: table_of(entry, f"$.likelihoods.{name}", allowance)
        for name, entry in document.likelihoods.items()
    }
    with place("$.likelihoods"):
        model = model.given(likelihoods) if likelihoods else model
    with place("$.evidence"):
        if not document.evidence:
            return model
        states = states_of(model.places, document.evidence)
        return replace(model, evidence=LiftedEvidence(states, model.evidence.likelihoods))


def _check_new(name: str, declared: Mapping[str, object]) -> None:
    if name in declared:
        raise InputError(f"expected a new name, got {shortened(name)} again")


def _declared(name: str, declared: Mapping[str, Declared], what: str) -> Declared:
    if name not in declared:
        raise InputError(f"expected a {what}, got {shortened(name)}")
    return declared[name]


def _domain(entry: DomainEntry) -> Domain:
    individuals = entry.size if entry.individuals is None else entry.individuals
    domain = LogVar(entry.name, individuals).domain
    if domain.size != entry.size:
        raise InputError(
            f"expected {format_count(entry.size)} individuals, got {format_count(domain.size)}"
        )
    return domain


def _logvars(entry: Mapping[str, str], domains: Mapping[str, Domain]) -> dict[str, LogVar]:
    """The logvars that an entry lists with the names of their domains."""
    return {name: LogVar(name, _declared(kind, domains, "domain")) for name, kind in entry.items()}


def _prv(entry: PRVEntry, domains: Mapping[str, Domain]) -> PRV:
    logvars = _logvars(entry.logvars, domains)
    where = [_constraint(constraint, logvars) for constraint in entry.where]
    unobserved = prv(entry.name, *logvars.values(), states=entry.states, where=where)
    if entry.observed is None:
        if entry.overridable:
            raise InputError(f"expected {shortened(entry.name)} to be observed: it is overridable")
        return unobserved
    state = find_state(unobserved.states, entry.observed)
    if state < 0:
        name, came = shortened(entry.name), shortened(entry.observed)
        raise InputError(f"expected a state of {name}, got {came}")
    return replace(unobserved, observed=state, overridable=entry.overridable)


def _constraint(entry: Sequence[str], logvars: Mapping[str, LogVar]) -> Constraint:
    operands = tuple(_declared(name, logvars, "logvar") for name in entry[::2])
    signs = set(entry[1::2])
    if len(operands) < 2 or len(signs) != 1 or not signs <= _SIGNS:
        came = shortened(" ".join(entry))
        raise InputError(f"expected a constraint such as X != Y or X < Y, got {came}")
    if signs == {"<"}:
        return Unordered(operands)
    if len(operands) != 2:
        raise InputError(f"expected two logvars that differ, got {shortened(' '.join(entry))}")
    return Different(*operands)


def _parfactor(
    entry: ParfactorEntry,
    domains: Mapping[str, Domain],
    prvs: Mapping[str, PRV],
    allowance: Allowance,
) -> Parfactor:
    free = _logvars(entry.logvars, domains)
    logvars = free | _logvars(entry.counted, domains)
    where = [_constraint(constraint, logvars) for constraint in entry.where]
    arguments = [_argument(argument, logvars, prvs, where) for argument in entry.arguments]
    table = table_of(entry.table, "table", allowance)
    child = _child(entry, arguments)
    unscaled = parfactor(arguments, table, where, tuple(free.values()), child)
    scales = tuple((parse_rational(scale), times) for scale, times in entry.scales)
    factors = sum(times for _, times in scales)
    positive = all(scale > 0 and times > 0 for scale, times in scales)
    if scales and (factors != unscaled.size or not positive):
        raise InputError(f"expected positive scales for {format_count(unscaled.size)} factors")
    return replace(unscaled, scales=scales)


def _child(entry: ParfactorEntry, arguments: Sequence[Argument]) -> Atom | None:
    """The argument whose distribution a parfactor is, if it was written as one."""
    if entry.child is None:
        return None
    if not 0 <= entry.child < len(arguments) or not isinstance(arguments[entry.child], Atom):
        expected = "the index of an argument that does not count"
        raise InputError(f"expected {expected} as the child, got {entry.child}")
    return atom_of(arguments[entry.child])


def _argument(
    entry: ArgumentEntry,
    logvars: Mapping[str, LogVar],
    prvs: Mapping[str, PRV],
    where: Sequence[Constraint],
) -> Argument:
    arguments = [_declared(name, logvars, "logvar") for name in entry.logvars]
    atom = _declared(entry.prv, prvs, "PRV")(*arguments)
    if not entry.counted:
        return atom
    counted = [_declared(name, logvars, "logvar") for name in entry.counted]
    constraints = [c for c in where if not set(counted).isdisjoint(constrained(c))]
    return crv(atom, *counted, where=constraints)


def _origin(entry: OriginEntry, allowance: Allowance) -> Origin:
    try:
        return Origin(
            None if entry.names is None else tuple(entry.names),
            np.array(entry.variables, dtype=np.int64),
            np.array(entry.factors, dtype=np.int64),
            np.array(entry.argument_order, dtype=places_type(max(entry.argument_order, default=0))),
            np.array(entry.scale_id, dtype=np.int32),
            tuple(map(parse_rational, entry.scales)),
            np.array(entry.singled_out, dtype=np.int32),
            parse_rational(entry.tolerance),
            entry.log_odds_bound,
            tuple(potentials_of(entry.near, "near", allowance)),
            np.array(entry.near_id, dtype=np.int32),
        )
    except OverflowError:
        raise InputError("expected integers that fit the arrays, got larger ones") from None
