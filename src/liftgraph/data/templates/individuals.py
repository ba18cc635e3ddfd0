"""Which individuals the domains of a template have: given ones, or those that tables mention."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from liftgraph.data.columns import Column, column, is_listed
from liftgraph.errors import InputError, quoted
from liftgraph.exact import shortened
from liftgraph.model.ground.names import is_count
from liftgraph.model.lifted.logvars import Domain
from liftgraph.symmetry.structure.components import row_numbers

Indices = NDArray[np.int64]
Result = TypeVar("Result")
Reader = Callable[[str, object], Mapping[str, Any]]  # (what a table is, the table) -> its columns


@dataclass(frozen=True, eq=False)
class Mentions:
    """Individuals that the rows of a table mention: one column per domain.

    ``where``: what the table is, for error messages.
    """

    where: str
    columns: tuple[Column, ...]
    domains: tuple[Domain, ...]


def located(where: str, read: Callable[[], Result]) -> Result:
    """What ``read`` returns; errors get the place where they occurred."""
    try:
        return read()
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def mentions(
    where: str, table: Mapping[str, Any], names: Sequence[str], domains: Sequence[Domain]
) -> Mentions:
    """The individuals in some columns of a table; none may be missing."""
    columns = []
    for name in names:
        individuals = named_column(where, table, name)
        missing = np.flatnonzero(individuals.codes < 0)
        if len(missing):
            raise InputError(f"{where}, row {missing[0]}: expected a value in {name}, got none")
        columns.append(individuals)
    return Mentions(where, tuple(columns), tuple(domains))


def named_column(where: str, table: Mapping[str, Any], name: str) -> Column:
    """A column of a table by name; a table without columns has no rows."""
    if not table:
        return column(())
    if name not in table:
        came = shortened(", ".join(table) or "none")
        raise InputError(f"{where}: expected a column {name}, got {came}")
    return located(f"{where}, column {name}", lambda: column(table[name]))


def closed_domains(
    domains: Sequence[Domain],
    given: Mapping[str, object],
    mentioned: Sequence[Mentions],
    read: Reader,
) -> dict[Domain, Domain]:
    """Each domain with its individuals: its own, the given ones, or those that tables mention.

    Individuals that tables mention come in the order of their first mention, column after column.
    """
    closed = {}
    for domain in domains:
        if not domain.is_open:
            closed[domain] = domain
        elif domain.name in given:
            closed[domain] = given_domain(domain.name, given[domain.name], read)
        else:
            closed[domain] = _mentioned_domain(domain, mentioned)
    return closed


def given_domain(name: str, individuals: object, read: Reader) -> Domain:
    """A domain of a number of individuals, or of those that a column names."""
    where = f"domain {name}"
    if is_count(individuals):
        if individuals < 1:
            raise InputError(f"{where}: expected at least one individual, got {individuals}")
        return Domain(name, int(individuals))
    names = located(where, lambda: column(_only_column(where, individuals, read)))
    if np.any(names.codes < 0):
        row = int(np.argmax(names.codes < 0))
        raise InputError(f"{where}, row {row}: expected the name of an individual, got none")
    if len(names.values) < len(names.codes):
        first, again = repeated_rows(names.codes)
        twice = names.values[names.codes[first]]
        raise InputError(
            f"{where}: expected each individual once, got {twice} in rows {first} and {again}"
        )
    return _domain(name, names.values)


def _only_column(where: str, individuals: object, read: Reader) -> Iterable[object]:
    """A column by itself, or the only one of a table."""
    is_table = (
        isinstance(individuals, Mapping)
        or hasattr(individuals, "columns")
        or hasattr(individuals, "fetchall")
        or (isinstance(individuals, list) and bool(individuals) and _all_mappings(individuals))
    )
    if not is_table:
        if not is_listed(individuals):
            came = shortened(quoted(individuals))
            raise InputError(f"expected a number of individuals or a column, got {came}")
        return individuals
    columns = read(where, individuals)
    if len(columns) != 1:
        raise InputError(f"expected one column, got {', '.join(columns) or 'none'}")
    only: Iterable[object] = next(iter(columns.values()))
    return only


def _all_mappings(rows: list[object]) -> bool:
    return all(isinstance(row, Mapping) for row in rows)


def _mentioned_domain(domain: Domain, mentioned: Sequence[Mentions]) -> Domain:
    columns = (
        individuals
        for mentions in mentioned
        for individuals, about in zip(mentions.columns, mentions.domains, strict=True)
        if about == domain
    )
    names = dict.fromkeys(name for individuals in columns for name in individuals.values)
    return _domain(domain.name, tuple(names))


def _domain(name: str, individuals: tuple[str, ...]) -> Domain:
    if not individuals:
        raise InputError(f"domain {name}: expected at least one individual, got none")
    return Domain(name, len(individuals), individuals)


def individual_indices(mentions: Mentions, closed: Mapping[Domain, Domain]) -> list[Indices]:
    """The index of each individual in its domain, int64 (rows,) for each column."""
    columns = []
    for individuals, about in zip(mentions.columns, mentions.domains, strict=True):
        domain = closed[about]
        indices = np.array([domain.find(name) for name in individuals.values], dtype=np.int64)
        if np.any(indices < 0):
            row = int(np.argmax(indices[individuals.codes] < 0))
            came = individuals.values[individuals.codes[row]]
            problem = f"expected an individual of domain {domain.name}, got {came}"
            raise InputError(f"{mentions.where}, row {row}: {problem}")
        columns.append(indices[individuals.codes])
    return columns


def row_codes(columns: Sequence[Indices]) -> Indices:
    """Codes that are equal for equal rows and ordered as they are, int64 (rows,).

    Domains may be larger than any code; only individuals that are mentioned count.
    """
    return row_numbers(columns, [int(column.max(initial=0)) + 1 for column in columns])


def repeated_rows(codes: Indices) -> tuple[int, int]:
    """The first row with a code that came before, as (earlier row, this row).

    Precondition: there is one.

    >>> repeated_rows(np.array([5, 7, 5, 7]))
    (0, 2)
    """
    firsts = np.unique(codes, return_index=True)[1]
    again = int(np.setdiff1d(np.arange(len(codes)), firsts)[0])
    return int(np.argmax(codes == codes[again])), again
