"""Factors as other libraries hold them: a scope and floats each, without evidence."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from liftgraph.adapters.floats import floats_of_table, table_of_floats
from liftgraph.adapters.libraries import refused
from liftgraph.display import format_count
from liftgraph.errors import InputError
from liftgraph.model.ground.bayesian_network import normalised, own_factors
from liftgraph.model.ground.builder import FactorGraphBuilder
from liftgraph.model.ground.factor_graph import FactorGraph, without_factors
from liftgraph.model.ground.names import States
from liftgraph.model.ground.table import Potential, Table
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph

Scope = tuple[int, ...]


def without_evidence(graph: object, library: str) -> FactorGraph:
    """The graph itself, if another library can hold it: not lifted, and without evidence."""
    if isinstance(graph, ParfactorGraph):
        size = f"a lifted model of {format_count(graph.variable_count)} variables"
        raise InputError(f"expected a FactorGraph, got {size}: model.ground() returns one")
    if not isinstance(graph, FactorGraph):
        raise refused(graph, ["FactorGraph"])
    if len(graph.evidence):
        problem = f"models of {library} have no evidence, got {len(graph.evidence):,} observed"
        remedy = "convert graph.observing({}) and pass the evidence with each query"
        raise InputError(f"{problem}: {remedy}")
    return graph


def is_bayesian_network(graph: FactorGraph) -> bool:
    """Whether each factor is the distribution of a variable given its parents, without cycles."""
    try:
        own_factors(graph)
    except InputError:
        return False
    return True


def all_factors(graph: FactorGraph) -> list[tuple[Scope, Table]]:
    """The scopes and tables of all factors; a variable without factors gets a table of ones.

    Other libraries know the states of a variable only from its factors, or cannot answer for a
    variable without factors. The ones change nothing.
    """
    ones = [((variable,), _ones(graph, variable)) for variable in without_factors(graph)]
    return [factor.parts for factor in graph.factors] + ones


def _ones(graph: FactorGraph, variable: int) -> Table:
    return Table.of([1] * len(graph.states(variable)))


def merged_factors(graph: FactorGraph) -> list[tuple[Scope, Table]]:
    """Scopes and tables, with factors over the same set of variables multiplied exactly."""
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

    ``rescale``: None if the caller has no choice; if False, the error says whether True would help.
    """
    try:
        return floats_of_table(table, bool(rescale))
    except InputError as error:
        helps = rescale is False and _can_be_rescaled(table)
        remedy = ": rescale=True divides tables by their largest potential" if helps else ""
        problem = f"factor of {_listed(map(graph.name, scope))}: {error}"
        raise InputError(f"{problem}{remedy}") from None


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
    factors: Iterable[tuple[Sequence[Hashable], NDArray[np.float64] | Potential]],
    *,
    distributions: bool,
    decimals: bool,
) -> FactorGraph:
    """The graph of factors with float tables, or other potentials, over named variables.

    ``variables``: the name and the states of each. ``distributions``: each table is the
    conditional distribution of its first argument, and is normalised if it does not sum to one.
    """
    builder = FactorGraphBuilder()
    index: dict[Hashable, int] = {}
    for variable, (name, states) in variables.items():
        index[variable] = builder.add_variable(name, states)
    tables: dict[tuple[tuple[int, ...], bytes], Table] = {}
    for scope, values in factors:
        arguments = [index[variable] for variable in scope]
        if not isinstance(values, np.ndarray):
            builder.add_factor(arguments, values)
            continue
        key = values.shape, values.tobytes()
        try:
            if key not in tables:
                table = table_of_floats(values, decimals)
                tables[key] = normalised(table, 0) if distributions else table
        except InputError as error:
            names = _listed(variables[variable][0] for variable in scope)
            raise InputError(f"factor of {names}: {error}") from None
        builder.add_factor(arguments, tables[key])
    return builder.build()
