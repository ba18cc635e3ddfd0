"""What the user gave, brought into DuckDB: the tables of relations and evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from liftgraph.data.columns import Column
from liftgraph.data.templates.given_tables import (
    Tables,
    given_relation,
    is_state,
    observed_states,
    related_rows,
    table_and_columns,
)
from liftgraph.data.templates.observations import observed_columns
from liftgraph.data.templates.on_disk.files import is_path, staged_file, table_file
from liftgraph.data.templates.on_disk.sources import Source, check_names, staged_columns
from liftgraph.data.templates.rules import Relation, Rule
from liftgraph.model.lifted.parfactor import PRV

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Engine


def relation_sources(
    engine: Engine, rules: Sequence[Rule], relations: Mapping[str, object], tables: Tables
) -> dict[Relation, Source]:
    """The tables of all relations, each once."""
    sources: dict[Relation, Source] = {}
    for rule in rules:
        if rule.over is not None and rule.over.relation not in sources:
            table = f"relation{len(sources)}"
            sources[rule.over.relation] = _relation(engine, table, rule, relations, tables)
    return sources


def _relation(
    engine: Engine, table: str, rule: Rule, relations: Mapping[str, object], tables: Tables
) -> Source:
    assert rule.over is not None
    where, given = given_relation(rule.over, relations)
    if is_path(given):
        names = rule.over.relation.columns
        source = staged_file(engine, table, table_file(where, given), names)
        check_names(engine, source, len(names))
        return source
    related = related_rows(rule, relations, tables)
    assert related is not None
    return staged_columns(engine, table, where, related.columns)


def evidence_sources(
    engine: Engine, prvs: Sequence[PRV], evidence: Mapping[str, object], tables: Tables
) -> list[tuple[PRV, Source]]:
    """The tables of what was observed; the last column has the states."""
    observed = [prv for prv in prvs if prv.name in evidence]
    named = [(f"evidence{place}", prv) for place, prv in enumerate(observed)]
    return [
        (prv, _evidence(engine, table, prv, evidence[prv.name], tables)) for table, prv in named
    ]


def _evidence(engine: Engine, table: str, prv: PRV, evidence: object, tables: Tables) -> Source:
    where = f"evidence on {prv.name}"
    given, columns = table_and_columns(where, evidence)
    if is_path(given) and not is_state(prv, evidence):
        file = table_file(where, given)
        listed = observed_columns(file.where, prv, file.names, columns)
        source = staged_file(engine, table, file, listed)
        check_names(engine, source, len(prv.logvars))
        return source
    states = observed_states(prv, evidence, tables)
    last = Column(prv.states, states.states)
    return staged_columns(engine, table, where, [*states.individuals.columns, last])
