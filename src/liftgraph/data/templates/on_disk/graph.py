"""The tables of the graph, copied from DuckDB into Parquet files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from liftgraph.data.templates.on_disk.domains import Individuals, names_of
from liftgraph.data.templates.on_disk.engine import copy, first_row, literal
from liftgraph.data.templates.on_disk.facts import Facts
from liftgraph.data.templates.on_disk.files import exact_path
from liftgraph.data.templates.on_disk.numbering import numbered_rows, rank, satisfied
from liftgraph.data.templates.on_disk.rows import RuleRows
from liftgraph.data.templates.on_disk.variables import PRVVariables, individuals_of, variable
from liftgraph.errors import InputError
from liftgraph.io.parquet.folders import NewFolder
from liftgraph.io.parquet.layout import EDGES, EVIDENCE, FACTORS, SUFFIX, VARIABLES, Listing
from liftgraph.io.parquet.writer import ROW_GROUP
from liftgraph.model.lifted.parfactor import PRV, atom_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Engine

_NARROW = 2**31  # numbers below fit into 32 bits
_NAMED_ROW_GROUP = ROW_GROUP >> 3  # names take more memory


def _copied(
    engine: Engine,
    folder: NewFolder,
    listing: Listing,
    selects: Sequence[str],
    most: int,
    more: str = "",
) -> int:
    """Write a table of the graph, a file for each query; how many rows there are.

    ``most``: the largest number in it; ``more``: further columns.
    """
    path = listing.in_folder(folder.path)
    path.mkdir()
    width = "INTEGER" if most < _NARROW else "BIGINT"
    columns = ", ".join([f'CAST("{name}" AS {width}) AS "{name}"' for name in listing.columns])
    nothing = ", ".join([*(f'0 AS "{name}"' for name in listing.columns), "'' AS name"])
    row_group = _NAMED_ROW_GROUP if more else ROW_GROUP
    total = 0
    for place, select in enumerate(selects or [f"SELECT {nothing} WHERE false"]):
        part = path / f"part-{place:06d}{SUFFIX}"
        total += copy(
            engine, f"SELECT {columns}{more} FROM ({select})", part, row_group, folder.generation
        )
    return total


def copy_variables(
    engine: Engine,
    folder: NewFolder,
    variables: Sequence[PRVVariables],
    states: Mapping[PRV, int],
    individuals: Mapping[PRV, Sequence[Individuals]] | None,
) -> int:
    """Write the variables. ``individuals``: of each PRV's domains, if variables get names."""
    selects = [
        _variables(of_prv, states[of_prv.prv])
        if individuals is None
        else _named_variables(of_prv, states[of_prv.prv], individuals[of_prv.prv])
        for of_prv in variables
        if of_prv.substitutions.size
    ]
    total = sum(of_prv.substitutions.size for of_prv in variables)
    more = "" if individuals is None else ", name"
    return _copied(engine, folder, VARIABLES, selects, total, more)


def _variables(variables: PRVVariables, states: int) -> str:
    numbers = f"range({variables.substitutions.size})"
    return f"SELECT {variables.start} + range AS variable, {states} AS states FROM {numbers}"


def _named_variables(
    variables: PRVVariables, states: int, individuals: Sequence[Individuals]
) -> str:
    """SQL for the variables of a PRV with their names, joined to those of their individuals."""
    pattern, table = variables.substitutions.pattern, variables.substitutions.table
    tables = [f"{names_of(domain)} AS t{k}(n{k}, name{k})" for k, domain in enumerate(individuals)]
    numbers = [f"n{place}" for place in range(len(tables))]
    if table is None:
        number, condition = rank(pattern, numbers), satisfied(pattern, numbers)
    else:
        number = "v.rowid"
        condition = " AND ".join(f"v.x{place} = {n}" for place, n in enumerate(numbers))
    source = ", ".join(["range(1) AS v(nothing)" if table is None else f"{table} AS v", *tables])
    parts = [literal(variables.prv.name), *(f"name{place}" for place in range(len(tables)))]
    name = " || '.' || ".join(parts)
    selected = f"{variables.start} + {number} AS variable, {states} AS states, {name} AS name"
    return f"SELECT {selected} FROM {source} WHERE {condition}"


def check_names(
    engine: Engine,
    folder: NewFolder,
    variables: Sequence[PRVVariables],
    individuals: Mapping[PRV, Sequence[Individuals]],
) -> None:
    """Refuse variables of the same name; without dots in names there are none."""
    if not any(_ambiguous(engine, individuals[of_prv.prv]) for of_prv in variables) and not any(
        a.prv.name.startswith(f"{b.prv.name}.") for a in variables for b in variables
    ):
        return
    files = ", ".join(map(exact_path, sorted(VARIABLES.in_folder(folder.path).iterdir())))
    twice = "GROUP BY name HAVING count(*) > 1 ORDER BY name LIMIT 1"
    row = first_row(engine, f"SELECT name FROM read_parquet([{files}]) {twice}")
    if row is not None:
        problem = f"expected a new variable, got {row[0]} again"
        raise InputError(f"{problem} (dots in names of individuals?)")


def _ambiguous(engine: Engine, individuals: Sequence[Individuals]) -> bool:
    """Whether dots in names may blur where the name of an individual ends."""
    dotted = "WHERE contains(name, '.') LIMIT 1"
    with_dots = [
        domain.table is not None
        and not domain.integers
        and first_row(engine, f"SELECT 1 FROM {domain.table} {dotted}") is not None
        for domain in (individuals if len(individuals) > 1 else ())
    ]
    return sum(with_dots) > 1


def copy_factors(
    engine: Engine, folder: NewFolder, rules: Sequence[RuleRows], tables: Sequence[int]
) -> int:
    """Write the factors, rule after rule. ``tables``: the index of each rule's table."""
    total = sum(rule.substitutions.size for rule in rules)
    selects = [
        f'SELECT {start} + range AS factor, {table} AS "table" FROM range({size})'
        for (start, size), table in zip(_starts(rules), tables, strict=True)
        if size
    ]
    return _copied(engine, folder, FACTORS, selects, total)


def _starts(rules: Sequence[RuleRows]) -> Iterator[tuple[int, int]]:
    """The number of each rule's first factor, and how many there are."""
    start = 0
    for rule in rules:
        yield start, rule.substitutions.size
        start += rule.substitutions.size


def copy_edges(
    engine: Engine,
    folder: NewFolder,
    rules: Sequence[RuleRows],
    variables: Mapping[PRV, PRVVariables],
) -> int:
    """Write the arguments of all factors."""
    pairs = [
        (rule, start) for rule, (start, size) in zip(rules, _starts(rules), strict=True) if size
    ]
    selects = [" UNION ALL ".join(_edges(rule, start, variables)) for rule, start in pairs]
    largest = [start + rule.substitutions.size for rule, start in pairs]
    largest += [of_prv.start + of_prv.substitutions.size for of_prv in variables.values()]
    return _copied(engine, folder, EDGES, list(filter(None, selects)), max(largest, default=0))


def _edges(rule: RuleRows, start: int, variables: Mapping[PRV, PRVVariables]) -> Iterator[str]:
    """SQL for the edges of a rule's factors, one argument after the other."""
    rows = numbered_rows(rule.substitutions)
    for position, atom in enumerate(map(atom_of, rule.parfactor.arguments)):
        number, joined = variable(variables[atom.prv], individuals_of(rule.parfactor, atom))
        edge = f"{start} + r.number AS factor, {position} AS position, {number} AS variable"
        yield f"SELECT {edge} FROM {rows} AS r {joined}"


def copy_evidence(
    engine: Engine, folder: NewFolder, facts: Sequence[Facts], variables: Mapping[PRV, PRVVariables]
) -> int:
    """Write what was observed, if anything was."""
    selects = []
    for observed in facts:
        of_prv = variables[observed.prv]
        columns = [f"r.x{place}" for place in range(len(observed.prv.logvars))]
        number, joined = variable(of_prv, columns)
        select = f"SELECT {number} AS variable, r.state AS state FROM {observed.table} AS r"
        selects += [f"{select} {joined}"] * (observed.size > 0)
    if not selects:
        return 0
    total = sum(of_prv.substitutions.size for of_prv in variables.values())
    return _copied(engine, folder, EVIDENCE, selects, total)
