"""Whether rows of individuals are all substitutions of logvars, and of which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, prod

import numpy as np

from liftgraph.model.arrays import codes
from liftgraph.model.lifted.substitutions import Pattern, at_least, count
from liftgraph.symmetry.structure.components import Integers, distinct


@dataclass(frozen=True, slots=True)
class Occurrence:
    """An occurrence of a logvar in an argument: its domain and its individual in each row.

    ``individuals``: int32 (m,). In f(Friends(X, Y), Smokes(X)) two logvars have three occurrences.
    """

    domain: int
    individuals: Integers


@dataclass(frozen=True, slots=True)
class Fit:
    """Rows as substitutions of logvars.

    ``logvar_of``: the logvar of each occurrence. ``domains`` and ``individuals``: of each logvar,
    its domain and its individual in each row, int32 (m,). ``copies``: how often each substitution
    occurs.
    """

    logvar_of: tuple[int, ...]
    domains: tuple[int, ...]
    individuals: tuple[Integers, ...]
    pattern: Pattern
    copies: int


def fit(
    occurrences: Sequence[Occurrence], row_count: int, domain_sizes: dict[int, int]
) -> Fit | None:
    """The logvars of rows that are all their substitutions, each equally often; otherwise None.

    Occurrences that are equal in all rows are one logvar. Logvars of a domain that differ in all
    rows must differ; if they increase in all rows, they stand for an unordered set. Distinct
    rows that satisfy these constraints are all substitutions if there are equally many of both.

    >>> x, y = np.array([0, 0, 1, 1, 2, 2]), np.array([1, 2, 0, 2, 0, 1])
    >>> rows = fit([Occurrence(0, x), Occurrence(0, y), Occurrence(0, x)], 6, {0: 3})
    >>> rows.logvar_of, rows.pattern.different
    ((0, 1, 0), frozenset({(0, 1)}))
    """
    logvar_of, first_occurrence = _logvars(occurrences)
    domains = tuple(occurrences[index].domain for index in first_occurrence)
    individuals = tuple(occurrences[index].individuals for index in first_occurrence)
    pattern = _pattern(domains, individuals, domain_sizes)
    if pattern is None or at_least(pattern) > row_count:
        return None
    substitution_count = count(pattern)
    if not substitution_count or row_count % substitution_count:
        return None
    copies = row_count // substitution_count
    if individuals:
        _, times = distinct(codes(individuals, pattern.sizes), prod(pattern.sizes))
        if (times != copies).any():
            return None
    return Fit(logvar_of, domains, individuals, pattern, copies)


def _logvars(occurrences: Sequence[Occurrence]) -> tuple[tuple[int, ...], list[int]]:
    """The logvar of each occurrence, and the first occurrence of each logvar."""
    first: list[int] = []
    logvar_of: list[int] = []
    for index, occurrence in enumerate(occurrences):
        same = (logvar for logvar, k in enumerate(first) if are_equal(occurrences[k], occurrence))
        logvar = next(same, len(first))
        if logvar == len(first):
            first.append(index)
        logvar_of.append(logvar)
    return tuple(logvar_of), first


def are_equal(a: Occurrence, b: Occurrence) -> bool:
    """Whether two occurrences have the same individual in every row."""
    return a.domain == b.domain and np.array_equal(a.individuals, b.individuals)


def _pattern(
    domains: Sequence[int], individuals: Sequence[Integers], domain_sizes: dict[int, int]
) -> Pattern | None:
    different: set[tuple[int, int]] = set()
    rising: set[tuple[int, int]] = set()
    for a, b in combinations(range(len(domains)), 2):
        if domains[a] != domains[b]:
            continue
        if (individuals[a] < individuals[b]).all():
            rising.add((a, b))
        elif (individuals[b] < individuals[a]).all():
            rising.add((b, a))
        elif (individuals[a] != individuals[b]).all():
            different.add((a, b))
    chains = tuple(_chains(rising))
    if sum(comb(len(chain), 2) for chain in chains) != len(rising):
        return None
    sizes = tuple(domain_sizes[domain] for domain in domains)
    return Pattern(sizes, frozenset(different), chains)


def _chains(rising: set[tuple[int, int]]) -> Iterator[tuple[int, ...]]:
    """Sets of logvars that are increasing in every row, each in its order.

    If their pairs are not all the rising pairs, the rising pairs do not form separate chains.
    """
    left = {logvar for pair in rising for logvar in pair}
    while left:
        seed = min(left)
        chain = {seed} | {b for a, b in rising if a == seed} | {a for a, b in rising if b == seed}
        chain &= left
        left -= chain
        yield tuple(
            sorted(chain, key=lambda logvar: sum((other, logvar) in rising for other in chain))
        )
