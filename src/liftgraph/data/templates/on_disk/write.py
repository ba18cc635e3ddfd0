"""Writing the graph of a template and some data to disk, without building it in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from liftgraph.data.templates.closing import Closed, sparse_prvs
from liftgraph.data.templates.given_tables import Tables, check_given
from liftgraph.data.templates.on_disk.domains import Individuals, Mention, all_individuals
from liftgraph.data.templates.on_disk.engine import check_installed, opened
from liftgraph.data.templates.on_disk.facts import Facts, facts
from liftgraph.data.templates.on_disk.given import evidence_sources, relation_sources
from liftgraph.data.templates.on_disk.graph import (
    check_names,
    copy_edges,
    copy_evidence,
    copy_factors,
    copy_variables,
)
from liftgraph.data.templates.on_disk.rows import (
    NumberedRows,
    RuleRows,
    all_rows,
    numbered_source,
    related_rows,
)
from liftgraph.data.templates.on_disk.sources import Source
from liftgraph.data.templates.on_disk.variables import PRVVariables, numbered_variables
from liftgraph.data.templates.rules import Relation, Rule, RuleSet
from liftgraph.errors import InputError
from liftgraph.io.parquet.folders import NewFolder, replacing
from liftgraph.io.parquet.layout import Counts, counts_of, write_counts
from liftgraph.io.parquet.writer import write_potentials, write_states
from liftgraph.model.ground.table import PotentialPool
from liftgraph.model.lifted.logvars import Domain
from liftgraph.model.lifted.parfactor import PRV
from liftgraph.model.memory_limit import MEMORY_LIMIT, Bytes, checked_memory_limit

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Engine

_WORK = "work"  # a folder beside the tables of the graph, as long as they are not complete


@dataclass(frozen=True, slots=True)
class Data:
    """What ``Template.write`` gets: for each name, what was given."""

    domains: Mapping[str, object]
    relations: Mapping[str, object]
    evidence: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class GroundTables:
    """The graph in tables of DuckDB. ``individuals``: of the domains of each PRV."""

    variables: list[PRVVariables]
    rules: list[RuleRows]
    facts: list[Facts]
    individuals: dict[PRV, list[Individuals]]


def write(
    template: RuleSet,
    path: Path | str,
    data: Data,
    *,
    names: bool = True,
    memory_limit: Bytes = MEMORY_LIMIT,
) -> None:
    """Write the graph of a template and some data into a folder; see ``Template.write``."""
    check_installed(path)
    limit = checked_memory_limit(memory_limit)
    if str(path).endswith(".gz"):
        raise InputError(f"{path}: expected the name of a folder, which is not compressed, got .gz")
    check_given(template, data.domains, data.relations, data.evidence)
    with replacing(path) as folder:
        with opened(folder.path / _WORK, path, limit) as engine:
            tables = _ground_tables(engine, template, data)
            counts = _copied(engine, folder, path, tables, names)
        write_counts(folder.path, counts)


def _ground_tables(engine: Engine, template: RuleSet, data: Data) -> GroundTables:
    tables = Tables()
    relations = relation_sources(engine, template.rules, data.relations, tables)
    observed = evidence_sources(engine, template.prvs, data.evidence, tables)
    mentions = _mentions(template.rules, relations, observed)
    individuals = all_individuals(engine, template.domains, data.domains, mentions, tables)
    closed = Closed({domain: known.domain for domain, known in individuals.items()})
    rules = _rules(engine, template.rules, closed, relations, individuals)
    known = [
        facts(engine, f"facts{place}", closed.prv(prv), source, individuals, prv)
        for place, (prv, source) in enumerate(observed)
    ]
    prvs = [closed.prv(prv) for prv in template.prvs]
    sparse = _sparse(prvs, rules)
    of_prvs = {
        closed.prv(prv): [individuals[v.domain] for v in prv.logvars] for prv in template.prvs
    }
    variables = numbered_variables(engine, prvs, sparse, rules, known)
    return GroundTables(variables, rules, known, of_prvs)


def _mentions(
    rules: Sequence[Rule],
    relations: Mapping[Relation, Source],
    observed: Iterable[tuple[PRV, Source]],
) -> list[Mention]:
    """Which columns mention individuals of which domain, in the order of their mention."""
    overs = [rule.over for rule in rules if rule.over is not None]
    in_rules = [(relations[over.relation], [v.domain for v in over.logvars]) for over in overs]
    in_evidence = [(source, [v.domain for v in prv.logvars]) for prv, source in observed]
    return [*in_rules, *in_evidence]


def _rules(
    engine: Engine,
    rules: Sequence[Rule],
    closed: Closed,
    relations: Mapping[Relation, Source],
    individuals: Mapping[Domain, Individuals],
) -> list[RuleRows]:
    """The rows of each rule; those of a relation are numbered once for the same domains."""
    numbered: dict[tuple[Relation, tuple[Domain, ...]], NumberedRows] = {}
    listed = []
    for place, rule in enumerate(rules):
        table, parfactor = f"rows{place}", closed.parfactor(rule.parfactor)
        if rule.over is None:
            listed.append(all_rows(engine, table, parfactor))
            continue
        relation, domains = rule.over.relation, tuple(v.domain for v in rule.over.logvars)
        if (relation, domains) not in numbered:
            source, known = relations[relation], [individuals[domain] for domain in domains]
            new = numbered_source(engine, f"numbered{len(numbered)}", source, known)
            numbered[relation, domains] = new
        rows = numbered[relation, domains]
        listed.append(related_rows(engine, table, parfactor, rows, rule.repeated))
    return listed


def _sparse(prvs: Sequence[PRV], rules: Sequence[RuleRows]) -> set[PRV]:
    everywhere = [rule.everywhere for rule in rules if rule.everywhere is not None]
    somewhere = [rule.parfactor for rule in rules if rule.everywhere is None]
    return sparse_prvs(prvs, everywhere, somewhere)


def _copied(
    engine: Engine, folder: NewFolder, path: Path | str, tables: GroundTables, names: bool
) -> Counts:
    """Write everything that is in the folder apart from its counts."""
    state_sets = list(dict.fromkeys(of_prv.prv.states for of_prv in tables.variables))
    states = {v.prv: state_sets.index(v.prv.states) for v in tables.variables}
    write_states(folder, state_sets)
    pool = PotentialPool()
    potentials = [pool.add(rule.parfactor.potential) for rule in tables.rules]
    write_potentials(folder, pool, False, path)
    individuals = tables.individuals if names else None
    variable_count = copy_variables(engine, folder, tables.variables, states, individuals)
    if names:
        check_names(engine, folder, tables.variables, tables.individuals)
    factor_count = copy_factors(engine, folder, tables.rules, potentials)
    by_prv = {of_prv.prv: of_prv for of_prv in tables.variables}
    edge_count = copy_edges(engine, folder, tables.rules, by_prv)
    observed = copy_evidence(engine, folder, tables.facts, by_prv)
    return counts_of(variable_count, factor_count, edge_count, observed, folder.generation)
