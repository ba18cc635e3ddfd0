"""The definitions, tried out on every permutation and every subset: oracles for small models."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import Any

from liftgraph import FactorGraph, Table

Positions = tuple[int, ...]
Partition = set[frozenset[int]]


def potentials(table: Table) -> dict[Positions, Fraction]:
    assignments = product(*map(range, table.shape))
    return {states: table.potential(states) for states in assignments}


def alignments(a: Table, b: Table) -> Iterator[tuple[Positions, Fraction]]:
    """All (π, α) with a(r) = α · b(r[π(1)], …, r[π(n)]) for every assignment r."""
    first, second = potentials(a), potentials(b)
    for order in permutations(range(len(a.shape))):
        if tuple(a.shape[k] for k in order) != b.shape:
            continue
        pairs = [(first[r], second[tuple(r[k] for k in order)]) for r in first]
        ratios = {x / y for x, y in pairs if y}
        if all((x == 0) == (y == 0) for x, y in pairs) and len(ratios - {0}) <= 1:
            yield order, max(ratios - {0}, default=Fraction(1))


def near(a: Table, b: Table, epsilon: Fraction) -> bool:
    """The appendix's interval test on potentials, for tables without zeros."""
    first, second = potentials(a), potentials(b)
    pivot = (0,) * len(a.shape)
    alpha = first[pivot] / second[pivot]
    return any(
        all(
            alpha * second[s] * (1 - epsilon) <= first[r] <= alpha * second[s] * (1 + epsilon)
            for r in first
            if (s := tuple(r[k] for k in order))
        )
        for order in permutations(range(len(a.shape)))
        if tuple(a.shape[k] for k in order) == b.shape
    )


def is_commutative(table: Table, members: Positions) -> bool:
    """Whether every permutation of these arguments leaves the table as it is."""
    values = potentials(table)
    for order in permutations(members):
        place = dict(zip(members, order, strict=True))
        moved = [place.get(position, position) for position in range(len(table.shape))]
        if tuple(table.shape[k] for k in moved) != table.shape:
            return False
        if any(values[r] != values[tuple(r[k] for k in moved)] for r in values):
            return False
    return True


def commutative_sets(table: Table) -> Partition:
    """The largest subsets of the arguments that may be permuted freely."""
    positions = range(len(table.shape))
    subsets = [
        frozenset(members)
        for size in range(1, len(table.shape) + 1)
        for members in combinations(positions, size)
        if is_commutative(table, members)
    ]
    return {each for each in subsets if not any(each < other for other in subsets)}


def partition(colours: Any) -> Partition:
    """The groups of equal colours."""
    groups: dict[Any, set[int]] = {}
    for member, colour in enumerate(colours):
        groups.setdefault(colour, set()).add(member)
    return set(map(frozenset, groups.values()))


def refinement(graph: FactorGraph, algorithm: str) -> list[tuple[Partition, Partition]]:
    """The groups of variables and of factors before the first round and after each.

    Signatures are written out in full. A factor's is the smallest under all symmetries of its
    table; a position's is that of the factor with this position marked.
    """
    classes: list[Table] = []
    home: list[int] = []
    aligned: list[Positions] = []
    for factor in range(graph.factor_count):
        scope, table = graph.factor(factor)
        number, order = _classified(table, classes, algorithm)
        home.append(number)
        aligned.append(tuple(scope[k] for k in order))
    groups = [_symmetries(table, algorithm) for table in classes]
    variables: list[Any] = [
        (graph.states(v), graph.evidence.get(v, -1)) for v in range(graph.variable_count)
    ]
    factors: list[Any] = list(home)
    variables, factors = _numbered(variables), _numbered(factors)
    stages = [(partition(variables), partition(factors))]
    while True:
        factors = [
            (colour, min([variables[scope[k]] for k in order] for order in groups[number]))
            for colour, number, scope in zip(factors, home, aligned, strict=True)
        ]
        factors = _numbered(factors)
        heard: list[list[Any]] = [[] for _ in variables]
        for colour, number, scope in zip(factors, home, aligned, strict=True):
            for marked in scope:
                row = min(
                    [(variables[scope[k]], scope[k] == marked) for k in o] for o in groups[number]
                )
                heard[marked].append((colour, row))
        variables = [
            (colour, tuple(map(str, sorted(said))))
            for colour, said in zip(variables, heard, strict=True)
        ]
        variables = _numbered(variables)
        stages.append((partition(variables), partition(factors)))
        if stages[-1] == stages[-2]:
            return stages


def _classified(table: Table, classes: list[Table], algorithm: str) -> tuple[int, Positions]:
    """The class of a table and its alignment to the first table of that class."""
    for number, known in enumerate(classes):
        for order, scale in alignments(table, known):
            in_order = order == tuple(range(len(order)))
            if algorithm == "alpha-acp" or (scale == 1 and (in_order or algorithm == "acp")):
                return number, order
    classes.append(table)
    return len(classes) - 1, tuple(range(len(table.shape)))


def _symmetries(table: Table, algorithm: str) -> list[Positions]:
    if algorithm == "cp":
        return [tuple(range(len(table.shape)))]
    return [order for order, scale in alignments(table, table) if scale == 1]


def _numbered(colours: list[Any]) -> list[int]:
    numbers: dict[Any, int] = {}
    return [numbers.setdefault(repr(colour), len(numbers)) for colour in colours]
