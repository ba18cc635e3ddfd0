"""Who is in the domains of a template: given, or mentioned by tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from liftgraph.data.columns import Column, column, is_listed
from liftgraph.errors import InputError
from liftgraph.exact import shortened
from liftgraph.model.ground.names import is_count
from liftgraph.model.lifted.logvars import Domain
from liftgraph.symmetry.structure.components import row_numbers

Numbers = NDArray[np.int64]
Result = TypeVar("Result")
Reader = Callable[[str, object], Mapping[str, Any]]  # the columns of a table, and what it is


@dataclass(frozen=True, eq=False)
class Mentions:
    """Individuals that the rows of a table mention: a column for each place, of a domain each.

    ``where``: what the table is, for people.
    """

    where: str
    columns: tuple[Column, ...]
    domains: tuple[Domain, ...]


def located(where: str, read: Callable[[], Result]) -> Result:
    """What is read, with errors that say where."""
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
        found = named_column(where, table, name)
        missing = np.flatnonzero(found.codes < 0)
        if len(missing):
            raise InputError(f"{where}, row {missing[0]}: expected a value in {name}, got none")
        columns.append(found)
    return Mentions(where, tuple(columns), tuple(domains))


def named_column(where: str, table: Mapping[str, Any], name: str) -> Column:
    """A column of a table by name; what has no columns at all has no rows."""
    if not table:
        return column(())
    if name not in table:
        came = shortened(", ".join(table) or "none")
        raise InputError(f"{where}: expected a column {name}, got {came}")
    return located(f"{where}, column {name}", lambda: column(table[name]))


def known_domains(
    domains: Sequence[Domain],
    given: Mapping[str, object],
    mentioned: Sequence[Mentions],
    read: Reader,
) -> dict[Domain, Domain]:
    """The domain with individuals for each domain: its own, the given one, or whom tables mention.

    Those mentioned come in the order of their first mention, column after column.
    """
    known = {}
    for domain in domains:
        if not domain.is_open:
            known[domain] = domain
        elif domain.name in given:
            known[domain] = given_domain(domain.name, given[domain.name], read)
        else:
            known[domain] = _mentioned_domain(domain, mentioned)
    return known


def given_domain(name: str, given: object, read: Reader) -> Domain:
    """A domain of so many individuals, or of those that a column names, each once."""
    where = f"domain {name}"
    if is_count(given):
        if given < 1:
            raise InputError(f"{where}: expected at least one individual, got {given}")
        return Domain(name, int(given))
    found = located(where, lambda: column(_only_column(where, given, read)))
    if np.any(found.codes < 0):
        row = int(np.argmax(found.codes < 0))
        raise InputError(f"{where}, row {row}: expected the name of an individual, got none")
    if len(found.values) < len(found.codes):
        first, again = repeated_rows(found.codes)
        twice = found.values[found.codes[first]]
        raise InputError(
            f"{where}: expected each individual once, got {twice} in rows {first} and {again}"
        )
    return _domain(name, found.values)


def _only_column(where: str, given: object, read: Reader) -> Iterable[object]:
    """A column by itself, or that of a table which has one."""
    rows = isinstance(given, list) and given and all(isinstance(row, Mapping) for row in given)
    table = isinstance(given, Mapping) or hasattr(given, "columns") or hasattr(given, "fetchall")
    if not (rows or table):
        if not is_listed(given):
            came = shortened(repr(given))
            raise InputError(f"expected a number of individuals or a column, got {came}")
        return given
    columns = read(where, given)
    if len(columns) != 1:
        raise InputError(f"expected one column, got {', '.join(columns) or 'none'}")
    only: Iterable[object] = next(iter(columns.values()))
    return only


def _mentioned_domain(domain: Domain, mentioned: Sequence[Mentions]) -> Domain:
    columns = (
        found
        for each in mentioned
        for found, about in zip(each.columns, each.domains, strict=True)
        if about == domain
    )
    return _domain(domain.name, tuple(dict.fromkeys(v for each in columns for v in each.values)))


def _domain(name: str, individuals: tuple[str, ...]) -> Domain:
    if not individuals:
        raise InputError(f"domain {name}: expected at least one individual, got none")
    return Domain(name, len(individuals), individuals)


def numbers(given: Mentions, known: Mapping[Domain, Domain]) -> list[Numbers]:
    """The number of each individual in its domain, int64 (rows,) for each column."""
    found = []
    for each, about in zip(given.columns, given.domains, strict=True):
        domain = known[about]
        number = np.array([domain.find(value) for value in each.values], dtype=np.int64)
        if np.any(number < 0):
            row = int(np.argmax(number[each.codes] < 0))
            came = each.values[each.codes[row]]
            problem = f"expected an individual of domain {domain.name}, got {came}"
            raise InputError(f"{given.where}, row {row}: {problem}")
        found.append(number[each.codes])
    return found


def row_codes(columns: Sequence[Numbers]) -> Numbers:
    """Numbers that are equal for equal rows and in their order, int64 (rows,).

    Domains may be larger than any code; only individuals that are mentioned count.
    """
    return row_numbers(columns, [int(column.max(initial=0)) + 1 for column in columns])


def repeated_rows(codes: Numbers) -> tuple[int, int]:
    """The first row whose code came before, and where. Precondition: there is one.

    >>> repeated_rows(np.array([5, 7, 5, 7]))
    (0, 2)
    """
    first = np.unique(codes, return_index=True)[1]
    again = int(np.setdiff1d(np.arange(len(codes)), first)[0])
    return int(np.argmax(codes == codes[again])), again
