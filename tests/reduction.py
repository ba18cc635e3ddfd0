"""Reduction and pruning as they are defined, for each question anew: the twin of kept patterns."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

import liftgraph as lg

Tables = list[tuple[tuple[int, ...], NDArray[Any]]]  # free variables, and integers


def reduced(graph: lg.FactorGraph, kept: Collection[int]) -> tuple[Tables, Fraction]:
    """Tables cut at the evidence, and a constant: the sum of their product is the total weight.

    Variables that are in one table only, and over which it sums to the same everywhere, are summed
    away with it, again and again, unless they are kept.
    """
    tables, constant = _cut(graph)
    while barren := _barren(tables, kept):
        place, value = barren
        constant *= value
        del tables[place]
    return tables, constant


def _cut(graph: lg.FactorGraph) -> tuple[Tables, Fraction]:
    constant, tables = Fraction(1), Tables()
    for factor in range(graph.factor_count):
        scope, table = graph.factors[factor].parts
        index = tuple([graph.evidence.get(variable, slice(None)) for variable in scope])
        free = tuple([variable for variable in scope if variable not in graph.evidence])
        tables.append((free, np.array(table.integers.astype(object)[index], dtype=object)))
        constant *= table.scale
    for variable in set(range(graph.variable_count)) - set(graph.evidence):
        tables.append(((variable,), np.array([1] * len(graph.states(variable)), dtype=object)))
    return tables, constant


def _barren(tables: Tables, kept: Collection[int]) -> tuple[int, int] | None:
    """A table to take away, and what it sums to: over one variable, or as a table of ones."""
    for place, (scope, table) in enumerate(tables):
        others = {v for other, (held, _) in enumerate(tables) if other != place for v in held}
        if set(scope) <= others and (table == 1).all():
            return place, 1
        for axis, variable in enumerate(scope):
            sums = np.array(table.sum(axis=axis), dtype=object)
            rest = set(scope) - {variable}
            private = variable not in others and variable not in kept and rest <= others
            if private and (sums == sums.flat[0]).all():
                return place, int(sums.flat[0])
    return None


def weights(tables: Tables, asked: tuple[int, ...]) -> NDArray[Any]:
    """The product of tables, summed to the asked variables. Precondition: each is in a table."""
    scope = tuple(dict.fromkeys([*asked, *(v for variables, _ in tables for v in variables)]))
    product: Any = np.ones((1,) * len(scope), dtype=object)
    for variables, table in tables:
        axes = sorted(range(len(variables)), key=lambda axis: scope.index(variables[axis]))
        sizes = dict(zip(variables, table.shape, strict=True))
        shaped = table.transpose(axes).reshape([sizes.get(v, 1) for v in scope])
        product = np.array(product * shaped, dtype=object)
    return np.array(product.sum(axis=tuple(range(len(asked), len(scope)))), dtype=object)
