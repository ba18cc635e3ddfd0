"""Models of pgmpy (Bayesian and Markov networks, factor graphs, junction trees) and back."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from liftgraph.adapters.factors import (
    Scope,
    all_factors,
    factor_floats,
    graph_of_floats,
    is_bayesian_network,
    merged_factors,
    without_evidence,
)
from liftgraph.adapters.libraries import chosen, needed, refused
from liftgraph.adapters.naming import arranged, texts
from liftgraph.adapters.networkx import from_networkx
from liftgraph.errors import InputError
from liftgraph.exact import shortened
from liftgraph.model.ground.bayesian_network import own_factors
from liftgraph.model.ground.count_factors import noisy
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.names import States, is_count
from liftgraph.model.ground.table import Potential, Table

PgmpyKind = Literal["auto", "bayesian network", "markov network", "factor graph"]
_KINDS = ("auto", "bayesian network", "markov network", "factor graph")
_ACCEPTED = ["DiscreteBayesianNetwork", "DiscreteMarkovNetwork", "FactorGraph", "JunctionTree"]


def from_pgmpy(model: Any, *, decimals: bool = False) -> FactorGraph:
    """The factor graph of a pgmpy model.

    ``model``: a ``DiscreteBayesianNetwork``, ``DiscreteMarkovNetwork``, ``FactorGraph``,
    ``JunctionTree`` or ``ClusterGraph``. A tree stands for the product of its factors, as in
    pgmpy, where ``calibrate`` keeps beliefs elsewhere; factors that are beliefs are taken as they
    are, too, and their product is not the distribution.
    The names of variables and states are their texts; it is an error if two have the same text. If
    there are n variables, a variable that is an integer i < n has index i here. Distributions that
    do not sum to one are normalised; if a sum is off by more than a hundredth, it is an error.
    Which variables are latent is not kept. A ``NoisyORCPD`` stays a noisy-OR. A network without
    any distribution becomes one without tables, as ``from_networkx`` makes it.

    pgmpy has floats, and a float is a measured value: it is kept exactly, but compared with a
    tolerance. With ``decimals`` each float stands for the shortest decimal which it prints as: 0.1
    is one tenth, and tables are exact. This is right for numbers which a person wrote, and wrong
    for numbers which were computed or estimated, so it is not the default.
    """
    pgmpy = needed("pgmpy", "pgmpy.models")
    if isinstance(model, pgmpy.DiscreteBayesianNetwork) and not model.cpds:
        return from_networkx(model)
    if isinstance(model, pgmpy.DiscreteBayesianNetwork):
        factors = _distributions(model)
        nodes = list(model.nodes())
    elif isinstance(model, pgmpy.DiscreteMarkovNetwork):
        factors = list(model.factors)
        nodes = list(model.nodes())
    elif isinstance(model, pgmpy.FactorGraph):
        factors = list(model.factors)
        nodes = _variable_nodes(model)
    elif isinstance(model, pgmpy.ClusterGraph):
        factors = list(model.factors)
        nodes = [*dict.fromkeys(variable for clique in model.nodes() for variable in clique)]
    else:
        raise refused(model, [f"pgmpy {title}" for title in _ACCEPTED])
    return graph_of_floats(
        _variables(nodes, factors),
        (_scope_and_values(factor, decimals) for factor in factors),
        distributions=isinstance(model, pgmpy.DiscreteBayesianNetwork),
        decimals=decimals,
    )


def _scope_and_values(
    factor: Any, decimals: bool
) -> tuple[Sequence[Hashable], NDArray[np.float64] | Potential]:
    """The arguments of a factor, and its table or, if it still is one, its noisy-OR."""
    values = np.asarray(factor.values)
    if isinstance(factor, needed("pgmpy", "pgmpy.factors.discrete").NoisyORCPD):
        child, *parents = factor.variables
        if _is_noisy_or(values, factor.prob_values):
            numbers = [str(p) if decimals else p for p in factor.prob_values.tolist()]
            truth = ("true", "false")  # the states, in pgmpy's order
            return (*parents, child), noisy([truth] * values.ndim, numbers, 0, "true")
    return factor.variables, values


def _is_noisy_or(values: NDArray[np.float64], probabilities: NDArray[np.float64]) -> bool:
    """Whether a table has these probabilities; its parents may have been reordered or removed."""
    nothing = np.ones(())
    for p in probabilities:
        nothing = np.multiply.outer(nothing, [1 - p, 1.0])
    expected = np.stack([1 - nothing, nothing])
    return values.shape == expected.shape and np.allclose(values, expected, rtol=0, atol=1e-12)


def _distributions(model: Any) -> list[Any]:
    """The distribution of each variable; its parents must be those in the graph."""
    distributions: dict[Hashable, Any] = {}
    for cpd in model.cpds:
        if distributions.setdefault(cpd.variable, cpd) is not cpd:
            raise InputError(f"{cpd.variable}: expected one conditional distribution, got another")
        if cpd.variable not in model:
            came = "got only a distribution of it"
            raise InputError(f"{cpd.variable}: expected a node of the model, {came}")
    for node in model.nodes():
        if node not in distributions:
            raise InputError(f"{node}: expected a conditional distribution, got none")
        parents = distributions[node].variables[1:]
        if set(parents) != set(model.predecessors(node)):
            arrows = ", ".join(map(str, model.predecessors(node))) or "nothing"
            came = ", ".join(map(str, parents)) or "nothing"
            raise InputError(
                f"{node}: expected a distribution given {arrows}, got one given {came}"
            )
    return [distributions[node] for node in model.nodes()]


def _variable_nodes(model: Any) -> list[Hashable]:
    """The nodes of a pgmpy factor graph that are variables.

    The others are factors or, if the graph was made from a Markov network, names of factors.
    """
    used = {variable for factor in model.factors for variable in factor.variables}
    factors = set(model.factors)
    variables: list[Hashable] = []
    for node in model.nodes():
        if node in used or (not hasattr(node, "variables") and not model.degree(node)):
            variables.append(node)
        elif hasattr(node, "variables") and node not in factors:
            raise InputError(f"{node!r}: expected every factor in factors, got one only as a node")
    return variables


def _variables(
    nodes: Sequence[Hashable], factors: Iterable[Any]
) -> dict[Hashable, tuple[str, States]]:
    """The name and the states of each variable, in the order of the factor graph."""
    states = state_names_of(factors)
    names = texts(arranged(nodes), "variables")
    for node, name in names.items():
        if node not in states:
            raise InputError(f"{name}: expected a factor with its states, got none")
    for node in states:
        if node not in names:
            raise InputError(f"{node}: expected a node of the model, got only a factor's argument")
    state_sets: dict[tuple[type | Hashable, ...], States] = {}
    variables: dict[Hashable, tuple[str, States]] = {}
    for node, name in names.items():
        key = (*map(type, states[node]), *states[node])
        if key not in state_sets:
            state_sets[key] = tuple(texts(states[node], f"states of {name}").values())
        variables[node] = name, state_sets[key]
    return variables


def state_names_of(factors: Iterable[Any]) -> dict[Hashable, tuple[Hashable, ...]]:
    """The states of each argument, the same in all factors.

    A factor without names of states has 0, 1, …; names from another factor replace them, as in
    pgmpy. If two factors have different names, pgmpy matches the states by position. This could
    mix them up, so it is an error here.
    """
    states: dict[Hashable, tuple[Hashable, ...]] = {}
    for factor in factors:
        for variable, size in zip(factor.variables, factor.cardinality.tolist(), strict=True):
            names = tuple(factor.state_names.get(variable, range(size)))
            if len(names) != size:
                raise InputError(f"{variable}: expected {size} states, got {len(names)} names")
            earlier = states.setdefault(variable, names)
            if not _agree(names, earlier):
                both = f"{shortened(str([*earlier]))} and {shortened(str([*names]))}"
                raise InputError(f"{variable}: expected the same states everywhere, got {both}")
            if _are_indices(earlier):
                states[variable] = names
    return states


def _agree(names: tuple[Hashable, ...], earlier: tuple[Hashable, ...]) -> bool:
    unnamed = _are_indices(names) or _are_indices(earlier)
    return len(names) == len(earlier) and (names == earlier or unnamed)


def _are_indices(states: tuple[Hashable, ...]) -> bool:
    return states == (*range(len(states)),) and all(map(is_count, states))


def to_pgmpy(graph: FactorGraph, kind: PgmpyKind = "auto", *, rescale: bool = False) -> Any:
    """The pgmpy model of a factor graph.

    ``kind``: "bayesian network" (an error if the graph is not one), "markov network", "factor
    graph", or "auto": a Bayesian network if the graph is one, else a Markov network.

    Exact numbers are rounded to floats, each by at most one part in 2⁵³; one beyond the range of
    floats is an error. With ``rescale`` every table is divided by its largest potential: no
    probability changes, but the pgmpy model has another partition function. A variable without
    factors gets a table of ones, since pgmpy knows states only from factors. In a pgmpy factor
    graph equal factors are one node, so factors over the same variables are multiplied. Models of
    pgmpy cannot hold evidence: a graph with evidence is an error.
    """
    graph = without_evidence(graph, "pgmpy")
    wanted = chosen(kind, _KINDS)
    if wanted == "bayesian network" or (wanted == "auto" and is_bayesian_network(graph)):
        return _bayesian_network(graph)
    if wanted == "factor graph":
        return _factor_graph(graph, rescale)
    return _markov_network(graph, rescale)


def _names(graph: FactorGraph) -> list[str]:
    return [*graph.variables]


def _bayesian_network(graph: FactorGraph) -> Any:
    """The network of nodes, arrows and distributions, built as a whole.

    pgmpy searches for cycles with each new arrow, and through all distributions with each new one,
    which takes quadratic time.
    """
    networkx, pgmpy = needed("networkx"), needed("pgmpy", "pgmpy.models")
    arrows = networkx.DiGraph()
    arrows.add_nodes_from(_names(graph))
    distributions = [
        _distribution(graph, variable, *graph.factors[factor].parts)
        for variable, factor in enumerate(own_factors(graph).tolist())
    ]
    for cpd in distributions:
        arrows.add_edges_from((parent, cpd.variable) for parent in cpd.variables[1:])
    network = pgmpy.DiscreteBayesianNetwork(arrows)
    network.cpds.extend(distributions)
    return network


def _distribution(graph: FactorGraph, variable: int, scope: Scope, table: Table) -> Any:
    discrete = needed("pgmpy", "pgmpy.factors.discrete")
    parents = [parent for parent in scope if parent != variable]
    floats = np.moveaxis(factor_floats(graph, scope, table), scope.index(variable), 0)
    states = graph.states(variable)
    return discrete.TabularCPD(
        graph.name(variable),
        len(states),
        floats.reshape(len(states), -1),
        evidence=[graph.name(parent) for parent in parents],
        evidence_card=[len(graph.states(parent)) for parent in parents],
        state_names={graph.name(member): list(graph.states(member)) for member in scope},
    )


def _factor(graph: FactorGraph, scope: Scope, table: Table, rescale: bool) -> Any:
    discrete = needed("pgmpy", "pgmpy.factors.discrete")
    names = [graph.name(variable) for variable in scope]
    states = {graph.name(variable): list(graph.states(variable)) for variable in scope}
    floats = factor_floats(graph, scope, table, rescale)
    return discrete.DiscreteFactor(names, table.shape, floats, states)


def _markov_network(graph: FactorGraph, rescale: bool) -> Any:
    network = needed("pgmpy", "pgmpy.models").DiscreteMarkovNetwork()
    network.add_nodes_from(_names(graph))
    for scope, table in all_factors(graph):
        factor = _factor(graph, scope, table, rescale)
        network.add_edges_from(combinations(factor.variables, 2))
        network.factors.append(factor)  # network.add_factors lists all nodes for each factor
    return network


def _factor_graph(graph: FactorGraph, rescale: bool) -> Any:
    bipartite = needed("pgmpy", "pgmpy.models").FactorGraph()
    bipartite.add_nodes_from(_names(graph))
    for scope, table in merged_factors(graph):
        factor = _factor(graph, scope, table, rescale)
        bipartite.add_node(factor)
        bipartite.add_edges_from((variable, factor) for variable in factor.variables)
        bipartite.factors.append(factor)
    return bipartite
