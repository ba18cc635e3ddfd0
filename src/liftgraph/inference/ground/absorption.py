"""Tables over one variable are multiplied into another table of it: fewer tables, fewer steps."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.inference.ground.reduction import impossible
from liftgraph.model.ground.factor_graph import FactorGraph, pointers
from liftgraph.model.ground.table import Table, integer_array

_Product = tuple[tuple[int, tuple[int, ...]], ...]  # tables, and the axes that they have


def absorbed(graph: FactorGraph) -> tuple[FactorGraph, list[tuple[Fraction, int]]]:
    """A graph with the same weights, up to constants, and at most one table over one variable for
    each; and none for variables in larger factors. With the constants and how often each occurs.

    Precondition: the potentials are tables of scale 1.
    """
    arity = np.diff(graph.scope_ptr)
    ends, scope, kinds = graph.scope_ptr.tolist(), graph.scope.tolist(), graph.table_id.tolist()
    single: dict[int, list[int]] = {}
    for factor in np.flatnonzero(arity == 1).tolist():
        single.setdefault(scope[ends[factor]], []).append(kinds[factor])
    scopes: list[list[int]] = []
    products: list[_Product] = []
    for factor in np.flatnonzero(arity > 1).tolist():
        arguments = scope[ends[factor] : ends[factor + 1]]
        product = [(kinds[factor], tuple(range(len(arguments))))]
        for axis, variable in enumerate(arguments):
            product += [(table, (axis,)) for table in sorted(single.pop(variable, ()))]
        scopes.append(arguments)
        products.append(tuple(product))
    for variable, tables in single.items():
        scopes.append([variable])
        products.append(tuple([(table, (0,)) for table in sorted(tables)]))
    return _with_products(graph, scopes, products)


def _with_products(
    graph: FactorGraph, scopes: list[list[int]], products: list[_Product]
) -> tuple[FactorGraph, list[tuple[Fraction, int]]]:
    pool: dict[Table, int] = {}
    constants: Counter[Fraction] = Counter()
    table_of: dict[_Product, int] = {}
    for product, times in Counter(products).items():
        table, divisor = _multiplied(graph, product)
        table_of[product] = pool.setdefault(table, len(pool))
        constants[Fraction(divisor)] += times
    left = FactorGraph(
        graph.state_sets,
        graph.state_set_id,
        graph.names,
        pointers(np.array([len(arguments) for arguments in scopes], dtype=np.int64)),
        np.array([variable for arguments in scopes for variable in arguments], dtype=np.int32),
        np.array([table_of[product] for product in products], dtype=np.int32),
        list(pool),
    )
    return left, list(constants.items())


def _multiplied(graph: FactorGraph, product: _Product) -> tuple[Table, int]:
    """The product of tables as coprime integers, and what they were divided by."""
    first = graph.potentials[product[0][0]].table().integers
    integers: NDArray[Any] = first.astype(object)
    for table, axes in product[1:]:
        shape = [1] * first.ndim
        shape[axes[0]] = first.shape[axes[0]]
        integers = integers * graph.potentials[table].table().integers.reshape(shape)
    divisor = int(np.gcd.reduce(integers, axis=None))
    if divisor == 0:
        raise impossible()
    return Table(
        integer_array((integers // divisor).ravel().tolist(), first.shape), Fraction(1)
    ), divisor
