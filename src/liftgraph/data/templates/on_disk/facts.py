"""What was observed, each variable once, in tables of DuckDB."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from liftgraph.data.templates.on_disk.domains import Individuals, name_of
from liftgraph.data.templates.on_disk.engine import asked, create, create_from_arrow, first_row
from liftgraph.data.templates.on_disk.numbering import different, increasing, listed, x_columns
from liftgraph.data.templates.on_disk.rows import NumberedRows, numbered_source
from liftgraph.data.templates.on_disk.sources import Source, key
from liftgraph.errors import InputError
from liftgraph.model.ground.names import state_index
from liftgraph.model.lifted.logvars import Domain
from liftgraph.model.lifted.parfactor import PRV

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Engine

_SPELLINGS = 10_000  # of states in a table, capital letters being what they are


@dataclass(frozen=True, slots=True)
class Facts:
    """Observed variables of a PRV with closed domains: so many rows of individuals and states.

    ``table``: with the columns x0, x1, … and ``state``.
    """

    prv: PRV
    table: str
    size: int


def facts(
    engine: Engine,
    table: str,
    prv: PRV,
    source: Source,
    individuals: Mapping[Domain, Individuals],
    written: PRV,
) -> Facts:
    """What a source says about a PRV. ``written``: the same PRV as the template has it."""
    _list_states(engine, f"{table}_states", written, source)
    name = key(source, len(prv.logvars), False)
    joined = f"LEFT JOIN {table}_states AS m ON m.name = {name}"
    domains = [individuals[logvar.domain] for logvar in written.logvars]
    rows = numbered_source(engine, f"{table}_rows", source, domains, ["m.state AS state"], joined)
    columns = x_columns(prv.pattern)
    _check_exist(engine, prv, rows)
    chosen = zip(increasing(prv.pattern, columns), columns, strict=True)
    selected = listed([*(f"{sql} AS {x}" for sql, x in chosen), "state"])
    select = f"SELECT DISTINCT {selected} FROM {rows.table} WHERE state IS NOT NULL"
    observed = Facts(prv, table, create(engine, table, select))
    _check_agreement(engine, observed, rows)
    return observed


def _list_states(engine: Engine, table: str, prv: PRV, source: Source) -> None:
    """Make a table of the states that a source names, with their indices."""
    import pyarrow as pa

    name, most = key(source, len(prv.logvars), False), 2 * len(prv.states) + _SPELLINGS
    distinct = f"SELECT {name} AS name, min(s.rowid) AS first FROM {source.table} AS s GROUP BY 1"
    select = f"SELECT name, first FROM ({distinct}) WHERE name IS NOT NULL ORDER BY first"
    names, indices = [], []
    for text, row in asked(engine, f"{select} LIMIT {most + 1}"):
        try:
            indices.append(state_index(prv.name, prv.states, text))
        except InputError as error:
            raise InputError(f"{source.where}, row {row}: {error}") from None
        names.append(text)
    if len(names) > most:
        raise InputError(f"{source.where}: expected at most {most:,} ways to write its states")
    columns = {"name": pa.array(names, pa.string()), "state": pa.array(indices, pa.int32())}
    create_from_arrow(engine, table, columns)


def _check_exist(engine: Engine, prv: PRV, rows: NumberedRows) -> None:
    """Refuse rows about variables that the constraints of a PRV rule out."""
    columns = x_columns(prv.pattern)
    wrong = f"state IS NOT NULL AND NOT ({different(prv.pattern, columns)})"
    select = f"SELECT {', '.join(['nothing', *columns])} FROM {rows.table} WHERE {wrong}"
    row = first_row(engine, f"{select} ORDER BY {', '.join(['nothing', *columns])} LIMIT 1")
    if row is not None:
        problem = f"{prv.name} needs different individuals, got {_named(engine, prv, rows, row)}"
        raise InputError(f"{rows.where}: {problem}")


def _check_agreement(engine: Engine, observed: Facts, rows: NumberedRows) -> None:
    prv = observed.prv
    group = listed(x_columns(prv.pattern))
    states = f"SELECT {group}, min(state), max(state) FROM {observed.table} GROUP BY {group}"
    row = first_row(engine, f"{states} HAVING count(*) > 1 ORDER BY {group} LIMIT 1")
    if row is not None:
        *individuals, first, second = row
        came = f"{prv.states[first]} and {prv.states[second]}"
        name = _named(engine, prv, rows, individuals)
        raise InputError(f"{rows.where}: expected one state for {name}, got {came}")


def _named(engine: Engine, prv: PRV, rows: NumberedRows, row: object) -> str:
    """The name of a variable, from a row of ``nothing`` and its individuals."""
    assert isinstance(row, tuple | list)
    pairs = zip(rows.individuals, row[1:], strict=True)
    return ".".join([prv.name, *(name_of(engine, domain, index) for domain, index in pairs)])
