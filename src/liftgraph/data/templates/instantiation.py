"""Instantiating templates: the model of some data, lifted where every rule holds for everybody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from liftgraph.data.columns import native_columns
from liftgraph.data.templates.ground_rows import Fact, ground_rows
from liftgraph.data.templates.individuals import (
    Mentions,
    known_domains,
    located,
    mentions,
    numbers,
)
from liftgraph.data.templates.observations import VALUE, Observations, observations, observed
from liftgraph.data.templates.relation_rows import Rows, as_parfactor, rows_of
from liftgraph.data.templates.template import Rule, Template
from liftgraph.errors import InputError
from liftgraph.exact import shortened
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.names import is_count
from liftgraph.model.lifted.logvars import Constraint, Different, Domain, LogVar, Unordered
from liftgraph.model.lifted.parfactor import PRV, Atom, Parfactor, atom_of
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph, Place


def instantiate(
    template: Template,
    domains: Mapping[str, object],
    relations: Mapping[str, object],
    evidence: Mapping[str, object],
) -> FactorGraph | ParfactorGraph:
    """The model of a template and some data; see ``Template.instantiate``."""
    _check_named("open domain", domains, [e.name for e in template.domains if e.is_open])
    _check_named("relation", relations, template.relations)
    _check_named("PRV", evidence, [each.name for each in template.prvs])
    tables = _Tables()
    related = [_related(each, relations, tables) for each in template.rules]
    about = [each for each in template.prvs if each.name in evidence]
    seen = [_seen(each, evidence[each.name], tables) for each in about]
    mentioned = [each for each in related if each is not None]
    mentioned += [each.individuals for each in seen]
    known = _Known(known_domains(template.domains, domains, mentioned, tables.read))
    rules = [_holding(known, *both) for both in zip(template.rules, related, strict=True)]
    facts = [_facts(known, each) for each in seen]
    prvs = [known.prv(each) for each in template.prvs]
    sparse = _sparse(prvs, rules)
    lifted = all(isinstance(each, Parfactor) or not each.size for each in rules)
    if lifted and not any(prv in sparse for prv, _ in facts):
        there = [each for each in prvs if each not in sparse]
        return _lifted(there, [each for each in rules if isinstance(each, Parfactor)], facts)
    return ground_rows(prvs, sparse, rules, facts)


def _check_named(what: str, given: Mapping[str, object], known: Sequence[str]) -> None:
    if not isinstance(given, Mapping):
        raise InputError(f"expected {{{what}: data}}, got {shortened(repr(given))}")
    for name in given:
        if name not in known:
            expected = ", ".join(known) or "none"
            raise InputError(f"expected one of the template's {what}s ({expected}), got {name}")


class _Tables:
    """The columns of tables; each is read once, as the rows of a query come only once."""

    def __init__(self) -> None:
        self._read: dict[int, tuple[object, Mapping[str, Any]]] = {}

    def read(self, where: str, table: object) -> Mapping[str, Any]:
        """The columns of a table."""
        if id(table) not in self._read:
            columns = located(where, lambda: native_columns(table))
            self._read[id(table)] = table, columns
        return self._read[id(table)][1]


@dataclass(frozen=True)
class _Known:
    """Open domains and what they turned out to be."""

    domains: Mapping[Domain, Domain]

    def logvar(self, given: LogVar) -> LogVar:
        return LogVar(given.name, self.domains[given.domain])

    def constraint(self, given: Constraint) -> Constraint:
        if isinstance(given, Unordered):
            return Unordered(tuple(map(self.logvar, given.logvars)))
        return Different(self.logvar(given.first), self.logvar(given.second))

    def prv(self, given: PRV) -> PRV:
        logvars = tuple(map(self.logvar, given.logvars))
        constraints = tuple(map(self.constraint, given.constraints))
        return replace(given, logvars=logvars, constraints=constraints)

    def parfactor(self, given: Parfactor) -> Parfactor:
        atoms = map(atom_of, given.arguments)
        arguments = [Atom(self.prv(e.prv), tuple(map(self.logvar, e.logvars))) for e in atoms]
        constraints = tuple(map(self.constraint, given.constraints))
        return Parfactor(
            tuple(arguments), tuple(map(self.logvar, given.logvars)), given.table, constraints
        )


def _related(given: Rule, relations: Mapping[str, object], tables: _Tables) -> Mentions | None:
    """The individuals in the rows of a rule's relation."""
    if given.over is None:
        return None
    where = f"relation {given.over.relation.name}"
    if given.over.relation.name not in relations:
        raise InputError(f"{where}: expected a table, got none")
    table = tables.read(where, relations[given.over.relation.name])
    domains = [logvar.domain for logvar in given.over.logvars]
    return mentions(where, table, given.over.relation.columns, domains)


def _seen(prv: PRV, given: object, tables: _Tables) -> Observations:
    """What a table, or a state by itself, says of a PRV."""
    where = f"evidence on {prv.name}"
    if (isinstance(given, str | bool | np.bool_) or is_count(given)) and not prv.logvars:
        return observations(prv, {VALUE: [given]}, [VALUE])
    columns = None
    if isinstance(given, tuple) and len(given) == 2 and not isinstance(given[1], Mapping):
        given, columns = given
        listed = isinstance(columns, list | tuple) and all(isinstance(e, str) for e in columns)
        if not listed:
            raise InputError(f"{where}: expected names of columns in a list, got {columns!r}")
    return observations(prv, tables.read(where, given), columns)


def _holding(known: _Known, given: Rule, related: Mentions | None) -> Parfactor | Rows:
    """A rule's parfactor, if it holds for all substitutions, or the rows it holds for."""
    made = known.parfactor(given.parfactor)
    if related is None:
        return made
    rows = rows_of(related.where, made, numbers(related, known.domains), given.repeated)
    return as_parfactor(rows) or rows


def _facts(known: _Known, given: Observations) -> Fact:
    prv = known.prv(given.prv)
    return prv, list(observed(prv, given, numbers(given.individuals, known.domains)))


def _sparse(prvs: Sequence[PRV], rules: Sequence[Parfactor | Rows]) -> set[PRV]:
    """PRVs of several logvars that have variables only where rows or evidence mention them."""
    everywhere, somewhere = set[PRV](), set[PRV]()
    for each in rules:
        given = each if isinstance(each, Parfactor) else each.parfactor
        used = {atom_of(argument).prv for argument in given.arguments}
        (everywhere if isinstance(each, Parfactor) else somewhere).update(used)
    return {prv for prv in prvs if len(prv.logvars) > 1 and prv in somewhere - everywhere}


def _lifted(
    prvs: Sequence[PRV], parfactors: Sequence[Parfactor], facts: Sequence[Fact]
) -> ParfactorGraph:
    model = ParfactorGraph.of(parfactors, prvs)
    evidence: dict[Place, int] = {}
    for prv, (*columns, states) in facts:
        number = model.prvs.index(prv)
        rows = zip(*(column.tolist() for column in columns), strict=True) if columns else [()]
        for individuals, state in zip(rows, states.tolist(), strict=False):
            evidence[number, individuals] = state
    return replace(model, evidence=evidence)
