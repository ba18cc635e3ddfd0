"""Instantiating templates: the model of some data, lifted if rules hold for all substitutions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from liftgraph.data.columns import native_columns
from liftgraph.data.templates.ground_rows import Observed, ground_rows
from liftgraph.data.templates.individuals import (
    Mentions,
    closed_domains,
    individual_indices,
    located,
    mentions,
)
from liftgraph.data.templates.observations import VALUE, ObservedStates, observations, observed
from liftgraph.data.templates.relation_rows import RelationRows, as_parfactor, rows_of
from liftgraph.data.templates.rules import Rule, RuleSet
from liftgraph.errors import InputError, quoted
from liftgraph.exact import shortened
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.names import is_count
from liftgraph.model.lifted.evidence import LiftedEvidence
from liftgraph.model.lifted.logvars import Constraint, Different, Domain, LogVar, Unordered
from liftgraph.model.lifted.parfactor import PRV, Atom, Parfactor, atom_of
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.model.lifted.variables import Place


def instantiate(
    template: RuleSet,
    domains: Mapping[str, object],
    relations: Mapping[str, object],
    evidence: Mapping[str, object],
) -> FactorGraph | ParfactorGraph:
    """The model of a template and some data; see ``Template.instantiate``."""
    open_domains = [domain.name for domain in template.domains if domain.is_open]
    _check_named("open domain", domains, open_domains)
    _check_named("relation", relations, template.relations)
    _check_named("PRV", evidence, [prv.name for prv in template.prvs])
    tables = _Tables()
    related = [_related(rule, relations, tables) for rule in template.rules]
    observed_prvs = [prv for prv in template.prvs if prv.name in evidence]
    states = [_observations(prv, evidence[prv.name], tables) for prv in observed_prvs]
    mentioned = [rows for rows in related if rows is not None]
    mentioned += [table.individuals for table in states]
    closed = _Closed(closed_domains(template.domains, domains, mentioned, tables.read))
    rules = [_holding(closed, *pair) for pair in zip(template.rules, related, strict=True)]
    facts = [_facts(closed, table) for table in states]
    prvs = [closed.prv(prv) for prv in template.prvs]
    sparse = _sparse(prvs, rules)
    lifted = all(isinstance(rule, Parfactor) or not rule.size for rule in rules)
    if lifted and not any(prv in sparse for prv, _ in facts):
        existing = [prv for prv in prvs if prv not in sparse]
        return _lifted(existing, [rule for rule in rules if isinstance(rule, Parfactor)], facts)
    return ground_rows(prvs, sparse, rules, facts)


def _check_named(what: str, data: Mapping[str, object], names: Sequence[str]) -> None:
    if not isinstance(data, Mapping):
        raise InputError(f"expected {{{what}: data}}, got {shortened(quoted(data))}")
    for name in data:
        if name not in names:
            expected = ", ".join(names) or "none"
            raise InputError(f"expected one of the template's {what}s ({expected}), got {name}")


class _Tables:
    """The columns of tables. Each table is read once: a cursor yields its rows only once."""

    def __init__(self) -> None:
        self._read: list[tuple[object, Mapping[str, Any]]] = []

    def read(self, where: str, table: object) -> Mapping[str, Any]:
        """The columns of a table."""
        for known, columns in self._read:
            if known is table:
                return columns
        columns = located(where, lambda: native_columns(table))
        self._read.append((table, columns))
        return columns


@dataclass(frozen=True)
class _Closed:
    """Parts of a template with closed domains. ``domains``: the closed one for each of its own."""

    domains: Mapping[Domain, Domain]

    def logvar(self, logvar: LogVar) -> LogVar:
        return LogVar(logvar.name, self.domains[logvar.domain])

    def constraint(self, constraint: Constraint) -> Constraint:
        if isinstance(constraint, Unordered):
            return Unordered(tuple(map(self.logvar, constraint.logvars)))
        return Different(self.logvar(constraint.first), self.logvar(constraint.second))

    def prv(self, prv: PRV) -> PRV:
        logvars = tuple(map(self.logvar, prv.logvars))
        constraints = tuple(map(self.constraint, prv.constraints))
        return replace(prv, logvars=logvars, constraints=constraints)

    def atom(self, atom: Atom) -> Atom:
        return Atom(self.prv(atom.prv), tuple(map(self.logvar, atom.logvars)))

    def parfactor(self, parfactor: Parfactor) -> Parfactor:
        arguments = tuple(self.atom(atom_of(argument)) for argument in parfactor.arguments)
        logvars = tuple(map(self.logvar, parfactor.logvars))
        constraints = tuple(map(self.constraint, parfactor.constraints))
        return Parfactor(arguments, logvars, parfactor.table, constraints)


def _related(rule: Rule, relations: Mapping[str, object], tables: _Tables) -> Mentions | None:
    """The individuals in the rows of a rule's relation."""
    if rule.over is None:
        return None
    where = f"relation {rule.over.relation.name}"
    if rule.over.relation.name not in relations:
        raise InputError(f"{where}: expected a table, got none")
    table = tables.read(where, relations[rule.over.relation.name])
    domains = [logvar.domain for logvar in rule.over.logvars]
    return mentions(where, table, rule.over.relation.columns, domains)


def _observations(prv: PRV, evidence: object, tables: _Tables) -> ObservedStates:
    """What a table, or a state by itself, says about a PRV."""
    where = f"evidence on {prv.name}"
    if (isinstance(evidence, str | bool | np.bool_) or is_count(evidence)) and not prv.logvars:
        return observations(prv, {VALUE: [evidence]}, [VALUE])
    table, columns = evidence, None
    if isinstance(evidence, tuple) and len(evidence) == 2 and not isinstance(evidence[1], Mapping):
        table, columns = evidence
        if not isinstance(columns, list | tuple) or not all(isinstance(c, str) for c in columns):
            raise InputError(f"{where}: expected names of columns in a list, got {columns!r}")
    return observations(prv, tables.read(where, table), columns)


def _holding(closed: _Closed, rule: Rule, related: Mentions | None) -> Parfactor | RelationRows:
    """A rule's parfactor, if it holds for all substitutions, or the rows it holds for."""
    parfactor = closed.parfactor(rule.parfactor)
    if related is None:
        return parfactor
    individuals = individual_indices(related, closed.domains)
    rows = rows_of(related.where, parfactor, individuals, rule.repeated)
    return as_parfactor(rows) or rows


def _facts(closed: _Closed, table: ObservedStates) -> Observed:
    prv = closed.prv(table.prv)
    individuals = individual_indices(table.individuals, closed.domains)
    return prv, list(observed(prv, table, individuals))


def _sparse(prvs: Sequence[PRV], rules: Sequence[Parfactor | RelationRows]) -> set[PRV]:
    """PRVs of several logvars that have variables only where rows or evidence mention them."""
    everywhere, somewhere = set[PRV](), set[PRV]()
    for rule in rules:
        lifted = isinstance(rule, Parfactor)
        arguments = rule.arguments if isinstance(rule, Parfactor) else rule.parfactor.arguments
        (everywhere if lifted else somewhere).update(atom_of(atom).prv for atom in arguments)
    return {prv for prv in prvs if len(prv.logvars) > 1 and prv in somewhere - everywhere}


def _lifted(
    prvs: Sequence[PRV], parfactors: Sequence[Parfactor], facts: Sequence[Observed]
) -> ParfactorGraph:
    model = ParfactorGraph.of(parfactors, prvs)
    evidence: dict[Place, int] = {}
    for prv, (*columns, states) in facts:
        prv_index = model.prvs.index(prv)
        rows = zip(*(column.tolist() for column in columns), strict=True) if columns else [()]
        for individuals, state in zip(rows, states.tolist(), strict=False):
            evidence[prv_index, individuals] = state
    return replace(model, evidence=LiftedEvidence(evidence, checked_on=model.prvs))
