"""Instantiating templates: the model of some data, lifted if rules hold for all substitutions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from liftgraph.data.templates.closing import Closed, sparse_prvs
from liftgraph.data.templates.given_tables import Tables, check_given, observed_states, related_rows
from liftgraph.data.templates.ground_rows import Observed, ground_rows
from liftgraph.data.templates.individuals import Mentions, closed_domains, individual_indices
from liftgraph.data.templates.observations import ObservedStates, observed
from liftgraph.data.templates.relation_rows import RelationRows, as_parfactor, rows_of
from liftgraph.data.templates.rules import Rule, RuleSet
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.lifted.evidence import LiftedEvidence
from liftgraph.model.lifted.parfactor import PRV, Parfactor, atom_of
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.model.lifted.variables import Place


def instantiate(
    template: RuleSet,
    domains: Mapping[str, object],
    relations: Mapping[str, object],
    evidence: Mapping[str, object],
) -> FactorGraph | ParfactorGraph:
    """The model of a template and some data; see ``Template.instantiate``."""
    check_given(template, domains, relations, evidence)
    tables = Tables()
    related = [related_rows(rule, relations, tables) for rule in template.rules]
    observed_prvs = [prv for prv in template.prvs if prv.name in evidence]
    states = [observed_states(prv, evidence[prv.name], tables) for prv in observed_prvs]
    mentioned = [rows for rows in related if rows is not None]
    mentioned += [table.individuals for table in states]
    closed = Closed(closed_domains(template.domains, domains, mentioned, tables.read))
    rules = [_holding(closed, *pair) for pair in zip(template.rules, related, strict=True)]
    facts = [_facts(closed, table) for table in states]
    prvs = [closed.prv(prv) for prv in template.prvs]
    everywhere = [rule for rule in rules if isinstance(rule, Parfactor)]
    somewhere = [rule.parfactor for rule in rules if isinstance(rule, RelationRows)]
    sparse = sparse_prvs(prvs, everywhere, somewhere)
    lifted = all(isinstance(rule, Parfactor) or not rule.size for rule in rules)
    if lifted and not any(prv in sparse for prv, _ in facts):
        existing = [prv for prv in prvs if prv not in sparse]
        return _lifted(existing, everywhere, facts)
    return ground_rows(prvs, sparse, rules, facts)


def _holding(closed: Closed, rule: Rule, related: Mentions | None) -> Parfactor | RelationRows:
    """A rule's parfactor, if it holds for all substitutions, or the rows it holds for."""
    parfactor = closed.parfactor(rule.parfactor)
    if related is None:
        return parfactor
    individuals = individual_indices(related, closed.domains)
    rows = rows_of(related.where, parfactor, individuals, rule.repeated)
    return as_parfactor(rows) or rows


def _facts(closed: Closed, table: ObservedStates) -> Observed:
    prv = closed.prv(table.prv)
    individuals = individual_indices(table.individuals, closed.domains)
    return prv, list(observed(prv, table, individuals))


def _directed(prvs: Sequence[PRV], parfactors: Sequence[Parfactor]) -> Sequence[Parfactor]:
    """The parfactors; they have no children if some PRV has no distribution of its own.

    Whether it has one depends on the data, as a rule over a relation without rows gives none; and
    rules may give one to some of its variables only, or together to all.
    """
    giving: dict[PRV, list[Parfactor]] = {prv: [] for prv in prvs}
    for parfactor in parfactors:
        if parfactor.child is not None:
            giving[atom_of(parfactor.arguments[parfactor.child]).prv].append(parfactor)
    if all(_is_given(prv, listed) for prv, listed in giving.items()):
        return parfactors
    return [replace(parfactor, child=None) for parfactor in parfactors]


def _is_given(prv: PRV, parfactors: Sequence[Parfactor]) -> bool:
    """Whether one of the parfactors gives each variable its distribution, with the same logvars.

    So it is if there are too many, which are refused later. ``parfactors``: whose child is the PRV.
    """
    size = sum([parfactor.size for parfactor in parfactors])
    if size != prv.size or len(parfactors) != 1:
        return size > prv.size
    (only,) = parfactors
    child = atom_of(only.arguments[only.child or 0])
    return len(only.logvars) == len(child.logvars) == len({*child.logvars})


def _lifted(
    prvs: Sequence[PRV], parfactors: Sequence[Parfactor], facts: Sequence[Observed]
) -> ParfactorGraph:
    model = ParfactorGraph.of(_directed(prvs, parfactors), prvs)
    evidence: dict[Place, int] = {}
    for prv, (*columns, states) in facts:
        prv_index = model.prvs.index(prv)
        rows = zip(*(column.tolist() for column in columns), strict=True) if columns else [()]
        for individuals, state in zip(rows, states.tolist(), strict=False):
            evidence[prv_index, individuals] = state
    return replace(model, evidence=LiftedEvidence(evidence, checked_on=model.prvs))
