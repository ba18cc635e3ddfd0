"""The individuals of each domain, numbered in a table of DuckDB unless they are just counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from liftgraph.data.templates.given_tables import Tables
from liftgraph.data.templates.individuals import given_domain
from liftgraph.data.templates.on_disk.engine import create, create_from_arrow, first_row
from liftgraph.data.templates.on_disk.files import is_path, staged_file, table_file
from liftgraph.data.templates.on_disk.sources import Source, check_names, key
from liftgraph.errors import InputError
from liftgraph.model.lifted.logvars import Domain

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Engine

Mention = tuple[Source, Sequence[Domain]]  # a table, and the domains of its first columns
_ROWS = 1 << 40  # more than a table has


@dataclass(frozen=True, slots=True)
class Individuals:
    """The individuals of a domain. ``domain``: closed, perhaps without their names.

    ``table``: a column ``name`` whose ``rowid`` is the number; None if they are called 1, 2, …
    ``integers``: whether names in tables are compared as integers, not as text.
    """

    domain: Domain
    table: str | None
    integers: bool


def all_individuals(
    engine: Engine,
    domains: Sequence[Domain],
    given: Mapping[str, object],
    mentions: Sequence[Mention],
    tables: Tables,
) -> dict[Domain, Individuals]:
    """The individuals of each domain: its own, the given ones, or those that tables mention."""
    closed = {}
    for place, domain in enumerate(domains):
        table, columns = f"domain{place}", list(dict.fromkeys(_columns(domain, mentions)))
        integers = all(source.integers[column] for source, column in columns)
        listed = given.get(domain.name)
        if not domain.is_open:
            closed[domain] = _listed(engine, table, domain)
        elif domain.name not in given:
            closed[domain] = _mentioned(engine, table, domain.name, columns, integers)
        elif is_path(listed):
            closed[domain] = _in_file(engine, table, domain.name, listed, integers)
        else:
            known = given_domain(domain.name, listed, tables.read)
            closed[domain] = _listed(engine, table, known)
    return closed


def _columns(domain: Domain, mentions: Sequence[Mention]) -> Iterator[tuple[Source, int]]:
    """The columns that mention individuals of a domain, in the order of their mention."""
    for source, domains in mentions:
        for place, about in enumerate(domains):
            if about == domain:
                yield source, place


def _listed(engine: Engine, table: str, domain: Domain) -> Individuals:
    """The individuals of a domain that is in memory."""
    import pyarrow as pa

    if domain.individuals is None:
        return Individuals(domain, None, True)
    names = [domain.individual(number) for number in range(domain.size)]
    create_from_arrow(engine, table, {"name": pa.array(names, pa.large_string())})
    return Individuals(domain, table, False)


def _mentioned(
    engine: Engine, table: str, name: str, columns: Sequence[tuple[Source, int]], integers: bool
) -> Individuals:
    """Individuals in the order of their first mention, column after column."""
    mentions = " UNION ALL ".join(
        f"SELECT {key(source, place, integers)} AS name, {order * _ROWS} + s.rowid AS mention"
        f" FROM {source.table} AS s"
        for order, (source, place) in enumerate(columns)
    )
    if not columns:
        raise _nobody(name)
    first = f"SELECT name, min(mention) AS mention FROM ({mentions}) GROUP BY name"
    size = create(engine, table, f"SELECT name FROM ({first}) ORDER BY mention")
    if not size:
        raise _nobody(name)
    return Individuals(Domain(name, size), table, integers)


def _nobody(name: str) -> InputError:
    return InputError(f"domain {name}: expected at least one individual, got none")


def _in_file(engine: Engine, table: str, name: str, path: object, integers: bool) -> Individuals:
    """The individuals that the only column of a file names."""
    assert is_path(path)
    file = table_file(f"domain {name}", path)
    if len(file.names) != 1:
        raise InputError(f"{file.where}: expected one column, got {', '.join(file.names)}")
    source = staged_file(engine, f"{table}_file", file, file.names)
    check_names(engine, source, 1)
    as_integers = integers and source.integers[0]
    names = f"SELECT {key(source, 0, as_integers)} AS name FROM {source.table} AS s"
    size = create(engine, table, f"{names} ORDER BY s.rowid")
    twice = f"SELECT name FROM {table} GROUP BY name HAVING count(*) > 1 LIMIT 1"
    if (row := first_row(engine, twice)) is not None:
        raise InputError(f"{file.where}: expected each individual once, got {row[0]} again")
    if not size:
        raise _nobody(name)
    return Individuals(Domain(name, size), table, as_integers)


def numbered(individuals: Individuals, source: Source, place: int) -> tuple[str, str]:
    """SQL for the numbers of the individuals in a column of a source ``s``, NULL if unknown.

    And the table to join for this, if there is one.
    """
    column = key(source, place, individuals.integers)
    if individuals.table is not None:
        table = f"n{place}"
        joined = f"LEFT JOIN {individuals.table} AS {table} ON {table}.name = {column}"
        return f"{table}.rowid", joined
    whole = column if source.integers[place] else f"TRY_CAST({column} AS BIGINT)"
    spelt = "true" if source.integers[place] else f"CAST({whole} AS VARCHAR) = {column}"
    within = f"{whole} BETWEEN 1 AND {individuals.domain.size} AND {spelt}"
    return f"CASE WHEN {within} THEN {whole} - 1 END", ""


def names_of(individuals: Individuals) -> str:
    """SQL for all individuals after FROM: columns of their numbers and their names as text."""
    if individuals.table is None:
        size = individuals.domain.size
        return f"(SELECT range, CAST(range + 1 AS VARCHAR) FROM range({size}))"
    return f"(SELECT rowid, CAST(name AS VARCHAR) FROM {individuals.table})"


def name_of(engine: Engine, individuals: Individuals, index: int) -> str:
    """The name of an individual, for error messages."""
    if individuals.table is None:
        return str(index + 1)
    row = first_row(engine, f"SELECT name FROM {individuals.table} WHERE rowid = {index}")
    return "" if row is None else str(row[0])
