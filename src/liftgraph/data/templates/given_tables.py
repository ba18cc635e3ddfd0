"""The tables that a template was given, by name, and what they say about rules and evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from liftgraph.data.columns import native_columns
from liftgraph.data.templates.individuals import Mentions, located, mentions
from liftgraph.data.templates.observations import VALUE, ObservedStates, observations
from liftgraph.data.templates.rules import RelationAtom, Rule, RuleSet
from liftgraph.errors import InputError, quoted
from liftgraph.exact import shortened
from liftgraph.model.ground.names import is_count
from liftgraph.model.lifted.parfactor import PRV


def check_given(template: RuleSet, domains: object, relations: object, evidence: object) -> None:
    """Refuse data for what is not in a template; anything but mappings from its names."""
    _check_named("open domain", domains, [d.name for d in template.domains if d.is_open])
    _check_named("relation", relations, template.relations)
    _check_named("PRV", evidence, [prv.name for prv in template.prvs])


def _check_named(what: str, data: object, names: Sequence[str]) -> None:
    if not isinstance(data, Mapping):
        raise InputError(f"expected {{{what}: data}}, got {shortened(quoted(data))}")
    for name in data:
        if name not in names:
            expected = ", ".join(names) or "none"
            raise InputError(f"expected one of the template's {what}s ({expected}), got {name}")


class Tables:
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


def related_rows(rule: Rule, relations: Mapping[str, object], tables: Tables) -> Mentions | None:
    """The individuals in the rows of a rule's relation."""
    if rule.over is None:
        return None
    where, given = given_relation(rule.over, relations)
    domains = [logvar.domain for logvar in rule.over.logvars]
    return mentions(where, tables.read(where, given), rule.over.relation.columns, domains)


def given_relation(over: RelationAtom, relations: Mapping[str, object]) -> tuple[str, object]:
    """What the table of a relation is, for error messages, and the table."""
    where = f"relation {over.relation.name}"
    if over.relation.name not in relations:
        raise InputError(f"{where}: expected a table, got none")
    return where, relations[over.relation.name]


def observed_states(prv: PRV, evidence: object, tables: Tables) -> ObservedStates:
    """What a table, or a state by itself, says about a PRV."""
    if is_state(prv, evidence):
        return observations(prv, {VALUE: [evidence]}, [VALUE])
    where = f"evidence on {prv.name}"
    table, columns = table_and_columns(where, evidence)
    return observations(prv, tables.read(where, table), columns)


def is_state(prv: PRV, evidence: object) -> bool:
    """Whether evidence is just the state of a PRV without logvars."""
    return (isinstance(evidence, str | bool | np.bool_) or is_count(evidence)) and not prv.logvars


def table_and_columns(where: str, evidence: object) -> tuple[object, Sequence[str] | None]:
    """The table of evidence, and the names of its columns if they come with it."""
    if not isinstance(evidence, tuple) or len(evidence) != 2 or isinstance(evidence[1], Mapping):
        return evidence, None
    table, columns = evidence
    if not isinstance(columns, list | tuple) or not all(isinstance(c, str) for c in columns):
        raise InputError(f"{where}: expected names of columns in a list, got {columns!r}")
    return table, columns
