"""Models of pgmpy: Bayesian networks, Markov networks and factor graphs, to and fro."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import combinations
from typing import Any, Literal

import numpy as np

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
from liftgraph.errors import InputError
from liftgraph.exact import shortened
from liftgraph.model.ground.bayesian_network import own_factors
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.names import States, is_count
from liftgraph.model.ground.table import Table

Kind = Literal["auto", "bayesian network", "markov network", "factor graph"]
_KINDS = ("auto", "bayesian network", "markov network", "factor graph")
_ACCEPTED = ["DiscreteBayesianNetwork", "DiscreteMarkovNetwork", "FactorGraph"]


def from_pgmpy(model: Any, *, decimals: bool = False) -> FactorGraph:
    """The factor graph of a pgmpy model.

    ``model``: a ``DiscreteBayesianNetwork``, ``DiscreteMarkovNetwork`` or ``FactorGraph``.
    Variables and states that are no text are called by their text, and it is an error if two are
    called the same. A variable that is an integer i has index i here, where there are so many.
    Distributions that do not sum to one are normalised; those off by more than a hundredth are an
    error. Which variables are latent is not kept.

    pgmpy has floats, and a float is taken as a measured value: exactly what it is, but compared
    with a tolerance. With ``decimals`` each is taken for the shortest decimal that it prints as,
    so that 0.1 is one tenth and tables are exact. That is right for numbers that a person wrote,
    and wrong for numbers that were computed or estimated; so it has to be asked for.
    """
    pgmpy = needed("pgmpy", "pgmpy.models")
    if isinstance(model, pgmpy.DiscreteBayesianNetwork):
        factors = _distributions(model)
        nodes = list(model.nodes())
    elif isinstance(model, pgmpy.DiscreteMarkovNetwork):
        factors = list(model.factors)
        nodes = list(model.nodes())
    elif isinstance(model, pgmpy.FactorGraph):
        factors = list(model.factors)
        nodes = _variable_nodes(model)
    else:
        raise refused(model, [f"pgmpy {each}" for each in _ACCEPTED])
    return graph_of_floats(
        _variables(nodes, factors),
        ((each.variables, np.asarray(each.values)) for each in factors),
        distributions=isinstance(model, pgmpy.DiscreteBayesianNetwork),
        decimals=decimals,
    )


def _distributions(model: Any) -> list[Any]:
    """The distribution of each variable; its parents must be those that the arrows say."""
    own: dict[Hashable, Any] = {}
    for each in model.cpds:
        if own.setdefault(each.variable, each) is not each:
            raise InputError(f"{each.variable}: expected one conditional distribution, got another")
        if each.variable not in model:
            came = "got a distribution of it only"
            raise InputError(f"{each.variable}: expected a node of the model, {came}")
    for node in model.nodes():
        if node not in own:
            raise InputError(f"{node}: expected a conditional distribution, got none")
        parents = own[node].variables[1:]
        if set(parents) != set(model.predecessors(node)):
            arrows = ", ".join(map(str, model.predecessors(node))) or "nothing"
            came = ", ".join(map(str, parents)) or "nothing"
            raise InputError(
                f"{node}: expected a distribution given {arrows}, got one given {came}"
            )
    return [own[node] for node in model.nodes()]


def _variable_nodes(model: Any) -> list[Hashable]:
    """The nodes of a pgmpy factor graph that are variables; others stand for factors.

    These are factors or, if the graph was made from a Markov network, names of factors.
    """
    used = {variable for factor in model.factors for variable in factor.variables}
    factors = set(model.factors)
    variables: list[Hashable] = []
    for node in model.nodes():
        if node in used or (not hasattr(node, "variables") and not model.degree(node)):
            variables.append(node)
        elif hasattr(node, "variables") and node not in factors:
            raise InputError(f"{node!r}: expected every factor in factors, got it as a node only")
    return variables


def _variables(
    nodes: Sequence[Hashable], factors: Iterable[Any]
) -> dict[Hashable, tuple[str, States]]:
    """Name and states of each variable, in our order."""
    states = _states(factors)
    names = texts(arranged(nodes), "variables")
    for node, name in names.items():
        if node not in states:
            raise InputError(f"{name}: expected a factor that tells its states, got none")
    for node in states:
        if node not in names:
            raise InputError(f"{node}: expected a node of the model, got a factor's argument only")
    known: dict[tuple[type | Hashable, ...], States] = {}
    variables: dict[Hashable, tuple[str, States]] = {}
    for node, name in names.items():
        key = (*map(type, states[node]), *states[node])
        if key not in known:
            known[key] = tuple(texts(states[node], f"states of {name}").values())
        variables[node] = name, known[key]
    return variables


def _states(factors: Iterable[Any]) -> dict[Hashable, tuple[Hashable, ...]]:
    """The states of each argument, the same in all factors.

    A factor without names for them has 0, 1, …: these give way to names, as in pgmpy. Elsewhere
    pgmpy goes by position even if names differ, and we would by name: neither is done.
    """
    found: dict[Hashable, tuple[Hashable, ...]] = {}
    for factor in factors:
        for variable, size in zip(factor.variables, factor.cardinality.tolist(), strict=True):
            given = tuple(factor.state_names.get(variable, range(size)))
            if len(given) != size:
                raise InputError(f"{variable}: expected {size} states, got {len(given)} names")
            known = found.setdefault(variable, given)
            if not _agree(given, known):
                both = f"{shortened(str([*known]))} and {shortened(str([*given]))}"
                raise InputError(f"{variable}: expected the same states everywhere, got {both}")
            if _by_number(known):
                found[variable] = given
    return found


def _agree(given: tuple[Hashable, ...], known: tuple[Hashable, ...]) -> bool:
    return len(given) == len(known) and (given == known or _by_number(given) or _by_number(known))


def _by_number(states: tuple[Hashable, ...]) -> bool:
    return states == (*range(len(states)),) and all(map(is_count, states))


def to_pgmpy(graph: FactorGraph, kind: Kind = "auto", *, rescale: bool = False) -> Any:
    """The pgmpy model of a factor graph.

    ``kind``: "bayesian network" (an error if the graph is none), "markov network", "factor graph",
    or "auto": a Bayesian network if the graph is one, else a Markov network.

    Exact numbers are rounded to floats, each by at most one part in 2⁵³; one beyond the range of
    floats is an error. With ``rescale`` every table is divided by its largest potential: that
    changes no probability, but the partition function of the pgmpy model is another one then.
    A variable without factors gets a table of ones, since pgmpy knows states from factors only. In
    a pgmpy factor graph equal factors are one node, so factors over the same variables are
    multiplied. pgmpy has no evidence in models: a graph with evidence is an error.
    """
    given = without_evidence(graph, "pgmpy")
    wanted = chosen(kind, _KINDS)
    if wanted == "bayesian network" or (wanted == "auto" and is_bayesian_network(given)):
        return _bayesian_network(given)
    if wanted == "factor graph":
        return _factor_graph(given, rescale)
    return _markov_network(given, rescale)


def _names(graph: FactorGraph) -> list[str]:
    return [graph.name(variable) for variable in range(graph.variable_count)]


def _bayesian_network(graph: FactorGraph) -> Any:
    """Nodes, arrows and distributions, handed over as a whole.

    pgmpy looks for cycles whenever it is given an arrow, and at all distributions whenever it is
    given another one, which takes quadratic time.
    """
    networkx, pgmpy = needed("networkx"), needed("pgmpy", "pgmpy.models")
    arrows = networkx.DiGraph()
    arrows.add_nodes_from(_names(graph))
    distributions = [
        _distribution(graph, variable, *graph.factor(factor))
        for variable, factor in enumerate(own_factors(graph).tolist())
    ]
    for each in distributions:
        arrows.add_edges_from((parent, each.variable) for parent in each.variables[1:])
    network = pgmpy.DiscreteBayesianNetwork(arrows)
    network.cpds.extend(distributions)
    return network


def _distribution(graph: FactorGraph, variable: int, scope: Scope, table: Table) -> Any:
    discrete = needed("pgmpy", "pgmpy.factors.discrete")
    parents = [each for each in scope if each != variable]
    floats = np.moveaxis(factor_floats(graph, scope, table), scope.index(variable), 0)
    states = graph.states(variable)
    return discrete.TabularCPD(
        graph.name(variable),
        len(states),
        floats.reshape(len(states), -1),
        evidence=[graph.name(each) for each in parents],
        evidence_card=[len(graph.states(each)) for each in parents],
        state_names={graph.name(each): list(graph.states(each)) for each in scope},
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
        network.factors.append(factor)  # its own method lists all nodes for each factor
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
