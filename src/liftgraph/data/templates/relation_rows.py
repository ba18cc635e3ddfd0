"""The rows of a relation as substitutions of a rule's logvars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from liftgraph.data.templates.individuals import Indices, repeated_rows, row_codes
from liftgraph.data.templates.rules import Repeated
from liftgraph.errors import InputError
from liftgraph.model.lifted.builder import parfactor
from liftgraph.model.lifted.instances import sorted_sets
from liftgraph.model.lifted.logvars import Different, LogVar, constrained
from liftgraph.model.lifted.parfactor import Atom, Parfactor, atom_of
from liftgraph.model.lifted.substitutions import count, pattern, substitutions


@dataclass(frozen=True, eq=False)
class RelationRows:
    """Substitutions for which a parfactor holds, in lexicographic order; ``size`` counts them.

    ``columns``: int64 (size,), the indices of the individuals of each of the parfactor's logvars.
    """

    parfactor: Parfactor
    columns: tuple[Indices, ...]
    size: int


def rows_of(
    where: str, parfactor: Parfactor, columns: Sequence[Indices], repeated: Repeated = "refuse"
) -> RelationRows:
    """The rows of a relation that satisfy a parfactor's constraints; ``repeated`` as in ``rule``.

    ``columns``: int64 (rows,), the individuals of each of the parfactor's logvars.
    """
    if repeated == "refuse":
        _check_set(where, parfactor, columns)
    kept = _satisfying(parfactor, columns)
    _check_arguments(where, parfactor, columns, kept)
    chosen = sorted_sets(parfactor.pattern, [column[kept] for column in columns])
    codes = row_codes(chosen)
    order = (
        np.argsort(codes, kind="stable")
        if repeated == "each"
        else np.unique(codes, return_index=True)[1]
    )
    return RelationRows(parfactor, tuple(column[order] for column in chosen), len(order))


def _check_set(where: str, parfactor: Parfactor, columns: Sequence[Indices]) -> None:
    codes = row_codes(columns)
    in_order = np.sort(codes)
    if not np.any(in_order[1:] == in_order[:-1]):
        return
    first, again = repeated_rows(codes)
    row = _named_row(parfactor.logvars, columns, first)
    problem = f"expected each row once, got {row} in rows {first} and {again}"
    raise InputError(f'{where}: {problem} (repeated="once" or "each" allows them)')


def _named_row(logvars: Sequence[LogVar], columns: Sequence[Indices], row: int) -> str:
    pairs = zip(logvars, columns, strict=True)
    return ", ".join(logvar.domain.individual(int(column[row])) for logvar, column in pairs)


def _satisfying(parfactor: Parfactor, columns: Sequence[Indices]) -> Indices:
    """The indices of the rows that satisfy the constraints of a parfactor."""
    column_of = dict(zip(parfactor.logvars, columns, strict=True))
    kept = np.ones(len(columns[0]), dtype=np.bool_)
    for constraint in parfactor.constraints:
        for first, second in combinations(constrained(constraint), 2):
            kept &= column_of[first] != column_of[second]
    return np.flatnonzero(kept)


def _check_arguments(
    where: str, parfactor: Parfactor, columns: Sequence[Indices], kept: Indices
) -> None:
    """Refuse rows in which a variable does not exist, or is at two places of a factor."""
    logvars = parfactor.logvars
    column_of = {logvar: column[kept] for logvar, column in zip(logvars, columns, strict=True)}
    atoms = [atom_of(argument) for argument in parfactor.arguments]
    for atom in atoms:
        for first, second in kept_apart(atom):
            same = column_of[first] == column_of[second]
            if same.any():
                needs = f"{atom.prv.name} needs {first.name} ≠ {second.name}"
                raise _of_row(where, logvars, columns, kept[same][0], needs)
    for left, right in combinations(atoms, 2):
        if left.prv == right.prv and left.logvars:
            both = ([column_of[v] for v in atom.logvars] for atom in (left, right))
            individuals = [sorted_sets(left.prv.pattern, atom_columns) for atom_columns in both]
            same = np.logical_and.reduce([a == b for a, b in zip(*individuals, strict=True)])
            if same.any():
                problem = f"expected {left.prv.name} of different individuals"
                raise _of_row(where, logvars, columns, kept[same][0], problem)


def kept_apart(atom: Atom) -> Iterator[tuple[LogVar, LogVar]]:
    """The logvars of an atom that must differ for its variable to exist."""
    renamed = dict(zip(atom.prv.logvars, atom.logvars, strict=True))
    for constraint in atom.prv.constraints:
        yield from combinations([renamed[logvar] for logvar in constrained(constraint)], 2)


def _of_row(
    where: str, logvars: Sequence[LogVar], columns: Sequence[Indices], row: int, problem: str
) -> InputError:
    came = _named_row(logvars, columns, row)
    hint = "where=different(…) leaves such rows out"
    return InputError(f"{where}, row {row}: {problem}, got {came} ({hint})")


def all_rows(parfactor: Parfactor) -> RelationRows:
    """All substitutions of a parfactor."""
    columns = tuple(substitutions(parfactor.pattern)) if parfactor.logvars else ()
    return RelationRows(parfactor, columns, len(columns[0]) if columns else 1)


def as_parfactor(rows: RelationRows) -> Parfactor | None:
    """The parfactor of rows that are all substitutions, perhaps all with some logvars different."""
    written = rows.parfactor
    column_of = dict(zip(written.logvars, rows.columns, strict=True))
    pairs = comparable(written)
    apart = [Different(a, b) for a, b in pairs if not np.any(column_of[a] == column_of[b])]
    everywhere = holding_everywhere(written, apart, rows.size)
    if everywhere is None or len(np.unique(row_codes(rows.columns))) < rows.size:
        return None
    return everywhere


def comparable(parfactor: Parfactor) -> list[tuple[LogVar, LogVar]]:
    """The pairs of a parfactor's logvars that may stand for the same individual."""
    constraints = parfactor.constraints
    different = {pair for c in constraints for pair in combinations(constrained(c), 2)}
    return [
        (a, b)
        for a, b in combinations(parfactor.logvars, 2)
        if a.domain == b.domain and not different & {(a, b), (b, a)}
    ]


def holding_everywhere(
    written: Parfactor, apart: Sequence[Different], size: int
) -> Parfactor | None:
    """The parfactor of so many different rows, if they are all substitutions.

    ``apart``: the differences between logvars that never coincide in a row. All rows satisfy them.
    So the rows are all substitutions that do if and only if there are equally many.
    """
    constraints = (*written.constraints, *apart)
    if not size or size != count(pattern(written.logvars, constraints)):
        return None
    try:
        child = None if written.child is None else atom_of(written.arguments[written.child])
        return parfactor(written.arguments, written.table, constraints, written.logvars, child)
    except InputError:  # differences that tell the members of an unordered set apart
        return None
