"""The definitions, tried out on every permutation and every subset: oracles for small models."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import Any

import numpy as np

from liftgraph import FactorGraph, Table
from liftgraph.symmetry.colours.engines.engine import StableColours
from liftgraph.symmetry.colours.incidence import Incidence
from liftgraph.symmetry.colours.initial import Colour

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
    return {members for members in subsets if not any(members < more for more in subsets)}


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
        scope, table = graph.factors[factor].parts
        table_class, order = _classified(table, classes, algorithm)
        home.append(table_class)
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
            (colour, min([variables[scope[k]] for k in order] for order in groups[table_class]))
            for colour, table_class, scope in zip(factors, home, aligned, strict=True)
        ]
        factors = _numbered(factors)
        heard: list[list[Any]] = [[] for _ in variables]
        for colour, table_class, scope in zip(factors, home, aligned, strict=True):
            for marked in scope:
                row = min(
                    [(variables[scope[k]], scope[k] == marked) for k in order]
                    for order in groups[table_class]
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


def dictionary_engine(
    incidence: Incidence, variable_colours: Colour, factor_colours: Colour, record: bool
) -> StableColours:
    """An engine of signatures in dictionaries, which numbers groups at random; it never records."""
    numbers, rounds = np.random.default_rng(), 0
    variables, factors = variable_colours.tolist(), factor_colours.tolist()
    scopes = np.split(incidence.arguments, incidence.start[1:-1]) if len(factors) else []
    groups = [list(products(kind.symmetries.generators, kind.arity)) for kind in incidence.kinds]
    orders = [groups[kind] for kind in incidence.kind_of.tolist()]
    before, after = -1, len(set(variables)) + len(set(factors))
    while before < after:
        before, rounds = after, rounds + 1
        heard: list[list[Any]] = [[] for _ in variables]
        for factor, scope in enumerate(scopes):
            row = [variables[v] for v in scope]
            least = min([row[k] for k in order] for order in orders[factor])
            factors[factor] = (factors[factor], tuple(least))
            for marked, v in enumerate(scope):
                pairs = [(colour, k == marked) for k, colour in enumerate(row)]
                position = min([pairs[k] for k in order] for order in orders[factor])
                heard[v].append((factors[factor], position))
        words = [tuple(sorted(map(str, said))) for said in heard]
        variables = list(zip(variables, words, strict=True))
        variables, factors = (_shuffled(colours, numbers) for colours in (variables, factors))
        after = len(set(variables)) + len(set(factors))
    return StableColours(np.array(variables, np.int64), np.array(factors, np.int64), rounds)


def _shuffled(colours: list[Any], numbers: np.random.Generator) -> list[int]:
    """Any numbers for the colours, from a large range."""
    distinct = list(dict.fromkeys(colours))
    chosen = numbers.choice(10 * len(distinct) + 1, len(distinct), replace=False) * 10**6
    renamed = dict(zip(distinct, chosen.tolist(), strict=True))
    return [renamed[colour] for colour in colours]


def products(generators: Iterator[Positions], arity: int) -> set[Positions]:
    """All permutations that are products of some."""
    steps, group = list(generators), {tuple(range(arity))}
    fresh = set(group)
    while fresh:
        fresh = {tuple(order[k] for k in step) for order in fresh for step in steps} - group
        group |= fresh
    return group


def _classified(table: Table, classes: list[Table], algorithm: str) -> tuple[int, Positions]:
    """The class of a table and its alignment to the first table of that class."""
    for table_class, representative in enumerate(classes):
        for order, scale in alignments(table, representative):
            in_order = order == tuple(range(len(order)))
            if algorithm == "alpha-acp" or (scale == 1 and (in_order or algorithm == "acp")):
                return table_class, order
    classes.append(table)
    return len(classes) - 1, tuple(range(len(table.shape)))


def _symmetries(table: Table, algorithm: str) -> list[Positions]:
    if algorithm == "cp":
        return [tuple(range(len(table.shape)))]
    return [order for order, scale in alignments(table, table) if scale == 1]


def _numbered(colours: list[Any]) -> list[int]:
    numbers: dict[Any, int] = {}
    return [numbers.setdefault(repr(colour), len(numbers)) for colour in colours]
