"""The rows of relations as substitutions of a rule's logvars, checked, in tables of DuckDB."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from liftgraph.data.templates.on_disk.domains import Individuals, name_of, numbered
from liftgraph.data.templates.on_disk.engine import create, first_row
from liftgraph.data.templates.on_disk.numbering import (
    Substitutions,
    all_substitutions,
    different,
    increasing,
    listed,
    x_columns,
)
from liftgraph.data.templates.on_disk.sources import Source
from liftgraph.data.templates.relation_rows import comparable, holding_everywhere, kept_apart
from liftgraph.data.templates.rules import Repeated
from liftgraph.errors import InputError
from liftgraph.model.lifted.logvars import Different
from liftgraph.model.lifted.parfactor import Parfactor, argument_names, atom_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Engine


@dataclass(frozen=True, slots=True)
class RuleRows:
    """What a rule holds for. ``everywhere``: its parfactor, if this is all substitutions."""

    parfactor: Parfactor
    substitutions: Substitutions
    everywhere: Parfactor | None


@dataclass(frozen=True, slots=True)
class NumberedRows:
    """The rows of a source with the numbers of their individuals, x0, x1, … in a table."""

    where: str
    table: str
    individuals: tuple[Individuals, ...]


def all_rows(engine: Engine, table: str, parfactor: Parfactor) -> RuleRows:
    """The rows of a rule that holds for all substitutions."""
    names = ", ".join(argument_names(parfactor.arguments))
    what = f"factors of the rule on {names}"
    substitutions = all_substitutions(engine, table, parfactor.pattern, what)
    return RuleRows(parfactor, substitutions, parfactor)


def numbered_source(
    engine: Engine,
    table: str,
    source: Source,
    individuals: Sequence[Individuals],
    columns: Sequence[str] = (),
    joined: str = "",
) -> NumberedRows:
    """Make a table of the numbers of the individuals in a source's first columns.

    ``columns``: SQL for further columns; ``joined``: for what they join. Unknown individuals are
    refused.
    """
    pairs = [numbered(domain, source, place) for place, domain in enumerate(individuals)]
    selected = [f"{sql} AS x{place}" for place, (sql, _) in enumerate(pairs)]
    joins = " ".join([*(join for _, join in pairs), joined])
    select = f"SELECT {', '.join(['0 AS nothing', *selected, *columns])}"
    create(engine, table, f"{select} FROM {source.table} AS s {joins}")
    for place, domain in enumerate(individuals):
        _check_known(engine, table, source, place, domain)
    return NumberedRows(source.where, table, tuple(individuals))


def _check_known(
    engine: Engine, table: str, source: Source, place: int, individuals: Individuals
) -> None:
    if first_row(engine, f"SELECT 1 FROM {table} WHERE x{place} IS NULL LIMIT 1") is None:
        return
    sql, joined = numbered(individuals, source, place)
    unknown = f"FROM {source.table} AS s {joined} WHERE {sql} IS NULL"
    row = first_row(engine, f"SELECT s.rowid, s.c{place} {unknown} ORDER BY s.rowid LIMIT 1")
    assert row is not None
    problem = f"expected an individual of domain {individuals.domain.name}, got {row[1]}"
    raise InputError(f"{source.where}, row {row[0]}: {problem}")


def related_rows(
    engine: Engine, table: str, parfactor: Parfactor, rows: NumberedRows, repeated: Repeated
) -> RuleRows:
    """The rows of a relation that satisfy a rule's constraints; ``repeated`` as in ``rule``."""
    pattern = parfactor.pattern
    columns = x_columns(pattern)
    if repeated == "refuse":
        _check_set(engine, rows, columns)
    kept = f"FROM {rows.table} WHERE {different(pattern, columns)}"
    _check_arguments(engine, parfactor, rows, kept)
    chosen = [f"{sql} AS {x}" for sql, x in zip(increasing(pattern, columns), columns, strict=True)]
    which = "" if repeated == "each" else "DISTINCT "
    distinct = f"SELECT {which}{listed(chosen)} {kept}"
    size = create(engine, table, f"FROM ({distinct}) ORDER BY {', '.join(columns)}")
    substitutions = Substitutions(pattern, size, table)
    return RuleRows(parfactor, substitutions, _everywhere(engine, parfactor, substitutions))


def _check_set(engine: Engine, rows: NumberedRows, columns: Sequence[str]) -> None:
    group = ", ".join(columns)
    twice = f"GROUP BY {group} HAVING count(*) > 1 ORDER BY {group} LIMIT 1"
    row = first_row(engine, f"SELECT {group} FROM {rows.table} {twice}")
    if row is not None:
        problem = f"expected each row once, got {_named(engine, rows, row)} again"
        raise InputError(f'{rows.where}: {problem} (repeated="once" or "each" allows them)')


def _check_arguments(engine: Engine, parfactor: Parfactor, rows: NumberedRows, kept: str) -> None:
    """Refuse rows in which a variable does not exist, or is at two places of a factor."""
    columns = x_columns(parfactor.pattern)
    for condition, problem in _problems(parfactor):
        wrong = f"{kept} AND {condition} ORDER BY {', '.join(columns)} LIMIT 1"
        row = first_row(engine, f"SELECT {', '.join(columns)} {wrong}")
        if row is not None:
            came = f"{_named(engine, rows, row)} (where=different(…) leaves such rows out)"
            raise InputError(f"{rows.where}: {problem}, got {came}")


def _problems(parfactor: Parfactor) -> Iterator[tuple[str, str]]:
    """Conditions in SQL that no row may satisfy, and what is wrong if one does."""
    columns = x_columns(parfactor.pattern)
    column_of = dict(zip(parfactor.logvars, columns, strict=True))
    atoms = [atom_of(argument) for argument in parfactor.arguments]
    for atom in atoms:
        for first, second in kept_apart(atom):
            needs = f"{atom.prv.name} needs {first.name} ≠ {second.name}"
            yield f"{column_of[first]} = {column_of[second]}", needs
    for left, right in combinations(atoms, 2):
        if left.prv == right.prv and left.logvars:
            both = ([column_of[v] for v in atom.logvars] for atom in (left, right))
            individuals = [increasing(left.prv.pattern, of_atom) for of_atom in both]
            same = [f"{a} = {b}" for a, b in zip(*individuals, strict=True)]
            yield " AND ".join(same), f"expected {left.prv.name} of different individuals"


def _everywhere(
    engine: Engine, parfactor: Parfactor, substitutions: Substitutions
) -> Parfactor | None:
    """The parfactor of rows that are all substitutions."""
    column_of = dict(zip(parfactor.logvars, x_columns(parfactor.pattern), strict=True))
    table = substitutions.table
    apart = []
    for a, b in comparable(parfactor):
        same = f"SELECT 1 FROM {table} WHERE {column_of[a]} = {column_of[b]} LIMIT 1"
        if first_row(engine, same) is None:
            apart.append(Different(a, b))
    everywhere = holding_everywhere(parfactor, apart, substitutions.size)
    group = ", ".join(column_of.values())
    twice = f"SELECT 1 FROM {table} GROUP BY {group} HAVING count(*) > 1 LIMIT 1"
    return None if everywhere is None or first_row(engine, twice) else everywhere


def _named(engine: Engine, rows: NumberedRows, indices: Sequence[int]) -> str:
    pairs = zip(rows.individuals, indices, strict=True)
    return ", ".join(name_of(engine, individuals, index) for individuals, index in pairs)
