"""The rows of a relation as substitutions of a rule's logvars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from liftgraph.data.templates.individuals import Numbers, repeated_rows, row_codes
from liftgraph.data.templates.template import Repeated
from liftgraph.errors import InputError
from liftgraph.model.lifted.builder import parfactor
from liftgraph.model.lifted.instances import sorted_sets
from liftgraph.model.lifted.logvars import Different, LogVar, constrained
from liftgraph.model.lifted.parfactor import Parfactor, atom_of
from liftgraph.model.lifted.substitutions import count, pattern, substitutions


@dataclass(frozen=True, eq=False)
class Rows:
    """Substitutions for which a parfactor holds, in lexicographic order, and how many they are.

    ``columns``: int64 (size,), the individuals of each of the parfactor's logvars, by number.
    """

    parfactor: Parfactor
    columns: tuple[Numbers, ...]
    size: int


def rows_of(
    where: str, given: Parfactor, columns: Sequence[Numbers], repeated: Repeated = "refuse"
) -> Rows:
    """The rows of a relation that satisfy a parfactor's constraints, and what repeats them once.

    ``columns``: int64 (rows,), the individuals of each of the parfactor's logvars.
    """
    if repeated == "refuse":
        _check_set(where, given, columns)
    kept = _satisfying(given, columns)
    _check_arguments(where, given, columns, kept)
    chosen = sorted_sets(given.pattern, [column[kept] for column in columns])
    codes = row_codes(chosen)
    order = (
        np.argsort(codes, kind="stable")
        if repeated == "each"
        else np.unique(codes, return_index=True)[1]
    )
    return Rows(given, tuple(column[order] for column in chosen), len(order))


def _check_set(where: str, given: Parfactor, columns: Sequence[Numbers]) -> None:
    codes = row_codes(columns)
    in_order = np.sort(codes)
    if not np.any(in_order[1:] == in_order[:-1]):
        return
    first, again = repeated_rows(codes)
    row = _named_row(given.logvars, columns, first)
    problem = f"expected each row once, got {row} in rows {first} and {again}"
    raise InputError(f'{where}: {problem} (repeated="once" or "each" says what that means)')


def _named_row(logvars: Sequence[LogVar], columns: Sequence[Numbers], row: int) -> str:
    pairs = zip(logvars, columns, strict=True)
    return ", ".join(logvar.domain.individual(int(column[row])) for logvar, column in pairs)


def _satisfying(given: Parfactor, columns: Sequence[Numbers]) -> Numbers:
    """The rows, by number, that satisfy the constraints of a parfactor."""
    own = dict(zip(given.logvars, columns, strict=True))
    kept = np.ones(len(columns[0]), dtype=np.bool_)
    for each in given.constraints:
        for first, second in combinations(constrained(each), 2):
            kept &= own[first] != own[second]
    return np.flatnonzero(kept)


def _check_arguments(
    where: str, given: Parfactor, columns: Sequence[Numbers], kept: Numbers
) -> None:
    """Refuse rows in which a variable does not exist, or one is at two places of a factor."""
    own = {v: column[kept] for v, column in zip(given.logvars, columns, strict=True)}
    atoms = [atom_of(each) for each in given.arguments]
    for atom in atoms:
        renamed = dict(zip(atom.prv.logvars, atom.logvars, strict=True))
        for each in atom.prv.constraints:
            for first, second in combinations([renamed[v] for v in constrained(each)], 2):
                same = own[first] == own[second]
                if same.any():
                    needs = f"{atom.prv.name} needs {first.name} ≠ {second.name}"
                    raise _of_row(where, given, columns, kept[same][0], needs)
    for one, other in combinations(atoms, 2):
        if one.prv == other.prv and one.logvars:
            both = ([own[v] for v in each.logvars] for each in (one, other))
            listed = [sorted_sets(one.prv.pattern, columns_) for columns_ in both]
            same = np.logical_and.reduce([a == b for a, b in zip(*listed, strict=True)])
            if same.any():
                problem = f"expected {one.prv.name} of different individuals"
                raise _of_row(where, given, columns, kept[same][0], problem)


def _of_row(
    where: str, given: Parfactor, columns: Sequence[Numbers], row: int, problem: str
) -> InputError:
    came = _named_row(given.logvars, columns, row)
    hint = "where=different(…) leaves such rows out"
    return InputError(f"{where}, row {row}: {problem}, got {came} ({hint})")


def all_rows(given: Parfactor) -> Rows:
    """All substitutions of a parfactor."""
    columns = tuple(substitutions(given.pattern)) if given.logvars else ()
    return Rows(given, columns, len(columns[0]) if columns else 1)


def as_parfactor(given: Rows) -> Parfactor | None:
    """The parfactor of rows that are all substitutions, perhaps all with some logvars different.

    All rows satisfy the differences between logvars that never coincide in one, so these are all
    there are exactly if there are as many.
    """
    own = given.parfactor
    columns = dict(zip(own.logvars, given.columns, strict=True))
    known = {pair for each in own.constraints for pair in combinations(constrained(each), 2)}
    apart = [
        Different(a, b)
        for a, b in combinations(own.logvars, 2)
        if a.domain == b.domain
        and not known & {(a, b), (b, a)}
        and not np.any(columns[a] == columns[b])
    ]
    constraints = (*own.constraints, *apart)
    every = given.size and given.size == count(pattern(own.logvars, constraints))
    if not every or len(np.unique(row_codes(given.columns))) < given.size:
        return None
    try:
        return parfactor(own.arguments, own.table, constraints, own.logvars)
    except InputError:  # differences that tell the members of an unordered set apart
        return None
