"""The variables of PRVs by number: where those of each PRV start, and which there are."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from liftgraph.data.templates.on_disk.engine import create
from liftgraph.data.templates.on_disk.facts import Facts
from liftgraph.data.templates.on_disk.numbering import (
    Substitutions,
    all_substitutions,
    increasing,
    listed,
    numbered_rows,
    rank,
    x_columns,
)
from liftgraph.data.templates.on_disk.rows import RuleRows
from liftgraph.model.lifted.parfactor import PRV, Atom, Parfactor, atom_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Engine


@dataclass(frozen=True, slots=True)
class PRVVariables:
    """The variables of a PRV, numbered from ``start`` on."""

    prv: PRV
    start: int
    substitutions: Substitutions


def numbered_variables(
    engine: Engine,
    prvs: Sequence[PRV],
    sparse: Collection[PRV],
    rules: Sequence[RuleRows],
    facts: Sequence[Facts],
) -> list[PRVVariables]:
    """The variables of PRVs, PRV after PRV, in the lexicographic order of their individuals.

    ``sparse``: PRVs that have variables only where rules and facts mention them.
    """
    variables: list[PRVVariables] = []
    start = 0
    for place, prv in enumerate(prvs):
        table = f"variables{place}"
        if prv in sparse:
            mentions = [*_in_rules(prv, rules), *_in_facts(prv, facts)]
            substitutions = _mentioned(engine, table, prv, mentions)
        else:
            what = f"variables of {prv.name}"
            substitutions = all_substitutions(engine, table, prv.pattern, what)
        variables.append(PRVVariables(prv, start, substitutions))
        start += substitutions.size
    return variables


def _in_rules(prv: PRV, rules: Sequence[RuleRows]) -> Iterator[str]:
    """SQL for the individuals of a PRV that the rows of rules mention."""
    for rule in rules:
        for argument in rule.parfactor.arguments:
            if atom_of(argument).prv == prv:
                columns = individuals_of(rule.parfactor, atom_of(argument))
                yield _individuals(columns, f"{numbered_rows(rule.substitutions)} AS r")


def _in_facts(prv: PRV, facts: Sequence[Facts]) -> Iterator[str]:
    for observed in facts:
        if observed.prv == prv:
            yield _individuals(x_columns(prv.pattern), observed.table)


def _individuals(columns: Sequence[str], source: str) -> str:
    selected = listed([f"{column} AS x{place}" for place, column in enumerate(columns)])
    return f"SELECT {selected} FROM {source}"


def _mentioned(engine: Engine, table: str, prv: PRV, mentions: Sequence[str]) -> Substitutions:
    columns = x_columns(prv.pattern)
    distinct = f"SELECT DISTINCT {listed(columns)} FROM ({' UNION ALL '.join(mentions)})"
    size = create(engine, table, f"FROM ({distinct}) ORDER BY {', '.join(columns)}")
    return Substitutions(prv.pattern, size, table)


def individuals_of(parfactor: Parfactor, atom: Atom) -> list[str]:
    """SQL for the individuals of an argument in the rows ``r`` of a rule."""
    columns = x_columns(parfactor.pattern, "r.")
    column_of = dict(zip(parfactor.logvars, columns, strict=True))
    return increasing(atom.prv.pattern, [column_of[logvar] for logvar in atom.logvars])


def variable(variables: PRVVariables, individuals: Sequence[str]) -> tuple[str, str]:
    """SQL for the number of the variable of some individuals.

    And the table to join for this, if there is one. Precondition: there is such a variable.
    """
    pattern, table = variables.substitutions.pattern, variables.substitutions.table
    if table is None:
        return f"{variables.start} + {rank(pattern, individuals)}", ""
    same = zip(x_columns(pattern, "v."), individuals, strict=True)
    joined = f"JOIN {table} AS v ON {' AND '.join(f'{x} = {y}' for x, y in same)}"
    return f"{variables.start} + v.rowid", joined
