"""Whether rows of individuals are all substitutions of logvars, and of which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from liftgraph.model.lifted.substitutions import Pattern, at_least, codes, count
from liftgraph.symmetry.structure.components import Labels


@dataclass(frozen=True, slots=True)
class Slot:
    """One coordinate of one argument: its domain and the individual in each row, int64 (m,)."""

    domain: int
    individuals: Labels


@dataclass(frozen=True, slots=True)
class Fit:
    """Rows as substitutions: slots that are always equal are one logvar.

    ``logvar``: of each slot. ``domains`` and ``columns``: of each logvar, the domain and the
    individual in each row, int64 (m,). ``copies``: how often each substitution occurs.
    """

    logvar: tuple[int, ...]
    domains: tuple[int, ...]
    columns: tuple[Labels, ...]
    pattern: Pattern
    copies: int


def fit(slots: Sequence[Slot], rows: int, sizes: dict[int, int]) -> Fit | None:
    """The logvars of rows that are all substitutions of them, each equally often; or None.

    Different rows that satisfy the constraints, as many as there are substitutions, are all of
    them. Logvars of a domain that always differ must differ; if they always increase, they
    stand for an unordered set.
    """
    logvar, leaders = _logvars(slots)
    domains = tuple(slots[leader].domain for leader in leaders)
    columns = tuple(slots[leader].individuals for leader in leaders)
    given = _pattern(domains, columns, sizes)
    if given is None or at_least(given) > rows:
        return None
    substitutions = count(given)
    if not substitutions or rows % substitutions:
        return None
    if not columns:
        return Fit(logvar, domains, columns, given, rows)
    copies = rows // substitutions
    code = codes(columns, given.sizes)
    code.sort()
    listed = code.reshape(-1, copies)
    if (np.diff(listed[:, 0]) == 0).any() or (listed != listed[:, :1]).any():
        return None
    return Fit(logvar, domains, columns, given, copies)


def _logvars(slots: Sequence[Slot]) -> tuple[tuple[int, ...], list[int]]:
    """The logvar of each slot, and the first slot of each logvar."""
    leaders: list[int] = []
    logvar: list[int] = []
    for place, slot in enumerate(slots):
        for number, leader in enumerate(leaders):
            if slots[leader].domain == slot.domain and np.array_equal(
                slots[leader].individuals, slot.individuals
            ):
                logvar.append(number)
                break
        else:
            logvar.append(len(leaders))
            leaders.append(place)
    return tuple(logvar), leaders


def _pattern(
    domains: Sequence[int], columns: Sequence[Labels], sizes: dict[int, int]
) -> Pattern | None:
    different: set[tuple[int, int]] = set()
    rising: set[tuple[int, int]] = set()
    for a, b in combinations(range(len(domains)), 2):
        if domains[a] != domains[b]:
            continue
        if (columns[a] < columns[b]).all():
            rising.add((a, b))
        elif (columns[b] < columns[a]).all():
            rising.add((b, a))
        elif (columns[a] != columns[b]).all():
            different.add((a, b))
    sets = list(_chains(rising))
    if sum(len(each) * (len(each) - 1) // 2 for each in sets) != len(rising):
        return None
    listed = tuple(sizes[domain] for domain in domains)
    return Pattern(listed, frozenset(different), tuple(sets))


def _chains(rising: set[tuple[int, int]]) -> Iterator[tuple[int, ...]]:
    """Maximal sets of places that are ordered throughout, each in its order."""
    left = {place for pair in rising for place in pair}
    while left:
        seed = min(left)
        chain = {seed} | {b for a, b in rising if a == seed} | {a for a, b in rising if b == seed}
        chain &= left
        left -= chain
        yield tuple(sorted(chain, key=lambda place: sum((o, place) in rising for o in chain)))
