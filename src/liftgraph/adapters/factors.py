"""Factors as other libraries hold them: each a scope and floats, with no evidence beside them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from liftgraph.adapters.floats import floats_of_table, table_of_floats
from liftgraph.adapters.libraries import refused
from liftgraph.errors import InputError
from liftgraph.model.ground.bayesian_network import normalised, own_factors
from liftgraph.model.ground.builder import FactorGraphBuilder
from liftgraph.model.ground.factor_graph import FactorGraph, without_factors
from liftgraph.model.ground.names import States
from liftgraph.model.ground.table import Table
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph

Scope = tuple[int, ...]


def without_evidence(graph: object, library: str) -> FactorGraph:
    """The given graph, if another library can hold it: ground, and nothing observed."""
    if isinstance(graph, ParfactorGraph):
        size = f"a lifted model of {graph.variable_count:,} variables"
        raise InputError(f"expected a FactorGraph, got {size}: model.ground() makes a graph of it")
    if not isinstance(graph, FactorGraph):
        raise refused(graph, ["FactorGraph"])
    if len(graph.observed):
        problem = f"models of {library} have no evidence, got {len(graph.observed):,} observed"
        remedy = "convert graph.observing({}) and pass the evidence with each query"
        raise InputError(f"{problem}: {remedy}")
    return graph


def is_bayesian_network(graph: FactorGraph) -> bool:
    """Whether each factor is the distribution of a variable given others that come before it."""
    try:
        own_factors(graph)
    except InputError:
        return False
    return True


def all_factors(graph: FactorGraph) -> list[tuple[Scope, Table]]:
    """Scopes and tables of all factors; a variable that is in none gets a table of ones.

    Other libraries know the states of a variable from its factors only, or cannot answer for one
    that has none. The ones change nothing.
    """
    ones = [((each,), _ones(graph, each)) for each in without_factors(graph)]
    return [graph.factor(number) for number in range(graph.factor_count)] + ones


def _ones(graph: FactorGraph, variable: int) -> Table:
    return Table.of([1] * len(graph.states(variable)))


def merged_factors(graph: FactorGraph) -> list[tuple[Scope, Table]]:
    """The same with one factor for each set of variables: the exact product of all that have it."""
    merged: dict[frozenset[int], tuple[Scope, Table]] = {}
    for scope, table in all_factors(graph):
        first, product = merged.get(frozenset(scope), (scope, None))
        order = [scope.index(variable) for variable in first]
        merged[frozenset(scope)] = first, table if product is None else times(product, table, order)
    return list(merged.values())


def times(first: Table, second: Table, order: Sequence[int]) -> Table:
    """The product of two tables; the second one's arguments are taken in the order of the first.

    >>> times(Table.of([[1, 2], [3, 4]]), Table.of([[1, 10], [100, 1000]]), [1, 0])
    Table(2×2, [1 200 30 4000] × 1)
    """
    integers = first.integers.astype(object) * second.integers.transpose(order).astype(object)
    product = Table.of(np.asarray(integers, dtype=object))
    scale = product.scale * first.scale * second.scale if product.integers.any() else product.scale
    return Table(product.integers, scale, first.measured or second.measured)


def factor_floats(
    graph: FactorGraph, scope: Scope, table: Table, rescale: bool | None = None
) -> NDArray[np.float64]:
    """A factor's potentials as floats; an error names the factor.

    ``rescale``: None where nobody may choose, otherwise the error says if that would help.
    """
    try:
        return floats_of_table(table, bool(rescale))
    except InputError as error:
        remedy = ": rescale=True divides tables by their largest potential"
        problem = f"factor of {_listed(map(graph.name, scope))}: {error}"
        raise InputError(
            problem + remedy * (rescale is False and _can_be_rescaled(table))
        ) from None


def _can_be_rescaled(table: Table) -> bool:
    try:
        floats_of_table(table, rescale=True)
    except InputError:
        return False
    return True


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "no variables"


def graph_of_floats(
    variables: Mapping[Hashable, tuple[str, States]],
    factors: Iterable[tuple[Sequence[Hashable], NDArray[np.float64]]],
    *,
    distributions: bool,
    decimals: bool,
) -> FactorGraph:
    """The graph of factors with float tables over named variables.

    ``variables``: name and states of each. ``distributions``: each factor is the conditional
    distribution of its first argument, and is normalised if it is off by more than rounding.
    """
    builder = FactorGraphBuilder()
    index: dict[Hashable, int] = {}
    for variable, (name, states) in variables.items():
        index[variable] = builder.add_variable(name, states)
    known: dict[tuple[tuple[int, ...], bytes], Table] = {}
    for scope, values in factors:
        key = values.shape, values.tobytes()
        try:
            if key not in known:
                table = table_of_floats(values, decimals)
                known[key] = normalised(table, 0) if distributions else table
        except InputError as error:
            names = _listed(variables[each][0] for each in scope)
            raise InputError(f"factor of {names}: {error}") from None
        builder.add_factor([index[variable] for variable in scope], known[key])
    return builder.build()
