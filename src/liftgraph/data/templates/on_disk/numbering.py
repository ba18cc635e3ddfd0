"""Substitutions in SQL: all of a pattern, and their numbers in lexicographic order.

The individuals of a substitution are the columns x0, x1, … of a table. Tables also have a column
``nothing``, so that substitutions of no logvars have one, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

from liftgraph.data.templates.on_disk.engine import create
from liftgraph.display import format_count
from liftgraph.errors import MemoryLimitError
from liftgraph.model.lifted.substitutions import Pattern, count

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Engine

MOST = 2**62  # of numbers; SQL knows no larger integers that are fast


@dataclass(frozen=True, slots=True)
class Substitutions:
    """Substitutions of a pattern, numbered in lexicographic order; ``size`` counts them.

    ``table``: the one that lists them, so that ``rowid`` is the number; None if they are all
    that there are, and a formula gives the number.
    """

    pattern: Pattern
    size: int
    table: str | None


def x_columns(pattern: Pattern, table: str = "") -> list[str]:
    """The columns of individuals. ``table``: its name and a dot, if needed."""
    return [f"{table}x{place}" for place in range(len(pattern.sizes))]


def listed(names: Sequence[str]) -> str:
    """The columns of a table of substitutions in SQL."""
    return ", ".join(["nothing", *names])


def all_substitutions(engine: Engine, table: str, pattern: Pattern, what: str) -> Substitutions:
    """All substitutions of a pattern; in a table if their numbers have no formula.

    ``what``: the words for them in an error.
    """
    size = count(pattern) if pattern.sizes else 1
    if size >= MOST:
        raise MemoryLimitError(f"expected fewer than 2^62 {what}, got {format_count(size)}")
    columns = x_columns(pattern)
    if rank(pattern, columns) is not None:
        return Substitutions(pattern, size, None)
    everything = f"SELECT {listed(columns)} FROM {everything_in(pattern)}"
    create(engine, table, f"{everything} ORDER BY {', '.join(columns)}")
    return Substitutions(pattern, size, table)


def numbered_rows(substitutions: Substitutions) -> str:
    """SQL for substitutions after FROM: their ``number``, and their individuals."""
    if substitutions.table is not None:
        return f"(SELECT rowid AS number, * FROM {substitutions.table})"
    pattern = substitutions.pattern
    columns = x_columns(pattern)
    number = rank(pattern, columns)
    return f"(SELECT {number} AS number, {listed(columns)} FROM {everything_in(pattern)})"


def everything_in(pattern: Pattern) -> str:
    """SQL for all substitutions of a pattern after FROM, and the condition they satisfy."""
    ranges = [f"range({size}) AS t{k}(x{k})" for k, size in enumerate(pattern.sizes)]
    condition = satisfied(pattern, x_columns(pattern))
    return f"{', '.join(['range(1) AS t(nothing)', *ranges])} WHERE {condition}"


def satisfied(pattern: Pattern, columns: Sequence[str]) -> str:
    """SQL for the condition that individuals in columns are a substitution of a pattern."""
    rising = [pair for places in pattern.unordered for pair in pairwise(places)]
    apart = [f"{columns[a]} <> {columns[b]}" for a, b in sorted(pattern.different)]
    increasing = [f"{columns[a]} < {columns[b]}" for a, b in rising]
    return " AND ".join([*increasing, *apart]) or "true"


def different(pattern: Pattern, columns: Sequence[str]) -> str:
    """SQL for the condition that all individuals that must differ do, in whatever order."""
    return " AND ".join(f"{columns[a]} <> {columns[b]}" for a, b in sorted(pattern.apart)) or "true"


def increasing(pattern: Pattern, columns: Sequence[str]) -> list[str]:
    """SQL for the individuals in columns, those in an unordered set increasing."""
    result = list(columns)
    for places in pattern.unordered:
        members = ", ".join(columns[place] for place in places)
        for order, place in enumerate(places):
            chosen = f"list_sort([{members}])[{order + 1}]"
            if len(places) == 2:
                chosen = f"{('least', 'greatest')[order]}({members})"
            result[place] = chosen
    return result


def rank(pattern: Pattern, columns: Sequence[str]) -> str | None:
    """SQL for the number of the substitution in columns, or None if there is no formula.

    Individuals of earlier places are left out of the choice at a place. There is a formula if
    these are always equally many, for they differ among themselves; and for unordered pairs.
    """
    if pattern.unordered:
        return _rank_of_pair(pattern, columns)
    number = "0"
    for place, size in enumerate(pattern.sizes):
        earlier = [a for a, b in sorted(pattern.apart) if b == place]
        if any(pair not in pattern.apart for pair in combinations(earlier, 2)):
            return None
        smaller = [f" - CAST({columns[a]} < {columns[place]} AS BIGINT)" for a in earlier]
        number = f"(({number}) * {size - len(earlier)} + {columns[place]}{''.join(smaller)})"
    return number


def _rank_of_pair(pattern: Pattern, columns: Sequence[str]) -> str | None:
    """Before a pair (x, y) are those that begin with one of 0, …, x - 1, and those up to y."""
    if pattern.unordered not in (((0, 1),), ((1, 0),)) or len(pattern.sizes) != 2:
        return None
    if pattern.unordered == ((1, 0),):  # lexicographic order goes by the larger individual
        return f"({columns[0]} * ({columns[0]} - 1) // 2 + {columns[1]})"
    x, y = columns
    return f"({x} * (2 * {pattern.sizes[0]} - {x} - 1) // 2 + {y} - {x} - 1)"
