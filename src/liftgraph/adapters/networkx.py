"""Models as networkx graphs, for drawing and graph algorithms, and factor graphs from them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from liftgraph.adapters.libraries import needed, refused
from liftgraph.adapters.naming import arranged, texts
from liftgraph.errors import InputError
from liftgraph.exact import shortened
from liftgraph.model.ground.builder import FactorGraphBuilder
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.names import BOOLEAN
from liftgraph.model.ground.table import Potential, Table, UnknownDistribution
from liftgraph.model.lifted.parfactor import atom_of
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.symmetry.colours.colouring import Colouring, check_colouring


def to_networkx(
    model: FactorGraph | ParfactorGraph,
    colouring: Colouring | None = None,
    *,
    directed: bool = False,
) -> Any:
    """The bipartite ``networkx.Graph`` of variables and factors.

    ``directed``: the ``networkx.DiGraph`` of a Bayesian network instead, with an arrow from each
    parent to its child; its nodes are those of variables.

    The node of a variable is its name. It has ``kind="variable"``, ``bipartite=0``, its ``states``
    and, with evidence, the state that was ``observed``. The node of factor j is ``("factor", j)``.
    It has ``kind="factor"``, ``bipartite=1`` and its ``table``, if it is known. The edge between
    them says which ``argument`` of the factor the variable is. A ``colouring`` (from
    ``colour_passing``) gives all nodes a ``colour``; the colours of factors come after those of
    variables.

    A lifted model has PRVs instead of variables and parfactors instead of factors (``kind="prv"``
    and ``kind="parfactor"``), with their ``logvars`` and ``size``, the number of variables or
    factors that they stand for. An edge has all ``arguments`` with this PRV, each with its
    position and its text. If some variables of a PRV were observed, the PRV has their states by
    name as ``evidence``.
    """
    if isinstance(model, ParfactorGraph):
        if directed:
            raise InputError("expected a factor graph to draw arrows between variables; ground it")
        return _of_lifted(model, colouring)
    if not isinstance(model, FactorGraph):
        raise refused(model, ["FactorGraph", "ParfactorGraph"])
    structure = needed("networkx").Graph()
    structure.add_nodes_from(_variable_nodes(model))
    if directed:
        return _arrows(model, colouring, structure)
    structure.add_nodes_from(_factor_nodes(model))
    for factor in range(model.factor_count):
        for argument, variable in enumerate(model.scope_of(factor)):
            structure.add_edge(model.name(variable), ("factor", factor), argument=argument)
    if colouring is not None:
        _colour(model, colouring, structure)
    return structure


def _arrows(graph: FactorGraph, colouring: Colouring | None, variables: Any) -> Any:
    if colouring is not None:
        raise InputError("expected no colouring of a directed graph: it has no factors")
    arrows = variables.to_directed()
    arrows.add_edges_from(graph.edges)
    return arrows


def _variable_nodes(graph: FactorGraph) -> list[tuple[str, dict[str, Any]]]:
    nodes = []
    for variable in range(graph.variable_count):
        states = graph.states(variable)
        attributes = {"kind": "variable", "bipartite": 0, "states": states}
        if variable in graph.evidence:
            attributes["observed"] = states[graph.evidence[variable]]
        nodes.append((graph.name(variable), attributes))
    return nodes


def _factor_nodes(graph: FactorGraph) -> list[tuple[tuple[str, int], dict[str, Any]]]:
    common = {"kind": "factor", "bipartite": 1}
    return [
        (("factor", factor), common | _table(graph.potentials[table_id]))
        for factor, table_id in enumerate(graph.table_id.tolist())
    ]


def _table(potential: Potential) -> dict[str, Table]:
    return {} if isinstance(potential, UnknownDistribution) else {"table": potential.table()}


def _colour(graph: FactorGraph, colouring: Colouring, structure: Any) -> None:
    check_colouring(graph, colouring)
    variables, factors = colouring.variable_colours, colouring.factor_colours
    colours = np.concatenate([variables, factors + colouring.variable_group_count])
    for attributes, colour in zip(structure.nodes.values(), colours.tolist(), strict=True):
        attributes["colour"] = colour


def _of_lifted(model: ParfactorGraph, colouring: Colouring | None) -> Any:
    if colouring is not None:
        raise InputError("expected no colouring of a lifted model: its PRVs are the groups")
    structure = needed("networkx").Graph()
    for prv in model.prvs:
        logvars = tuple(logvar.name for logvar in prv.logvars)
        common = {"kind": "prv", "bipartite": 0, "logvars": logvars, "size": prv.size}
        observed = {} if prv.observed is None else {"observed": prv.states[prv.observed]}
        structure.add_node(prv.name, states=prv.states, **common, **observed)
    for index, parfactor in enumerate(model.parfactors):
        node = ("parfactor", index)
        logvars = tuple(logvar.name for logvar in parfactor.logvars)
        common = {"kind": "parfactor", "bipartite": 1, "logvars": logvars, "size": parfactor.size}
        structure.add_node(node, table=parfactor.table, **common)
        for position, argument in enumerate(parfactor.arguments):
            name = atom_of(argument).prv.name
            structure.add_edge(name, node)
            edge = structure.edges[name, node]
            edge["arguments"] = *edge.get("arguments", ()), (position, str(argument))
    for variable, state in model.evidence.items():
        prv = model.prvs[variable[0]]
        evidence = structure.nodes[prv.name].setdefault("evidence", {})
        evidence[model.name(variable)] = prv.states[state]
    return structure


def from_networkx(structure: Any, tables: Mapping[Hashable, object] | None = None) -> FactorGraph:
    """The factor graph of a bipartite graph with attributes as ``to_networkx`` writes them.

    Every node must have its ``kind``, variables their ``states`` (names, or how many there are),
    factors their ``table``, unless ``tables`` has it by node, and edges their ``argument``, unless
    the factor has only one. Evidence is taken from ``observed``. The names of variables are the
    texts of their nodes; if there are n variables, an integer i < n has index i.

    A directed graph is a Bayesian network without tables: its edges are arrows from parents to
    children. Variables without ``states`` have two, true and false. Such a network can be drawn and
    asked what its arrows say, such as ``d_separated``, and ``learn_bayesian_network`` learns the
    tables.
    """
    if not isinstance(structure, needed("networkx").Graph):
        raise refused(structure, ["networkx Graph", "networkx DiGraph"])
    if structure.is_directed() and not structure.is_multigraph():
        return _of_arrows(structure, tables)
    builder = FactorGraphBuilder()
    nodes = _nodes_by_kind(structure)
    factors = set(nodes["factor"])
    for node in tables or ():
        if node not in factors:
            raise InputError(f"tables: expected nodes of factors, got {_named(node)}")
    names = texts(arranged(nodes["variable"]), "variables")
    index = {}
    for node, name in names.items():
        index[node] = builder.add_variable(name, _attribute(structure.nodes[node], "states", node))
    for node in nodes["factor"]:
        scope = [index[variable] for variable in _scope(structure, node)]
        attributes = {**structure.nodes[node], **_given_table(node, tables)}
        builder.add_factor(scope, _attribute(attributes, "table", node))
    observed = {index[node]: structure.nodes[node].get("observed") for node in names}
    evidence = {variable: state for variable, state in observed.items() if state is not None}
    return builder.build().given(evidence)


def _of_arrows(structure: Any, tables: Mapping[Hashable, object] | None) -> FactorGraph:
    """The Bayesian network with these arrows, and no tables."""
    if tables:
        way_out = "FactorGraphBuilder.add_distribution adds them one by one"
        raise InputError(f"expected no tables of a directed graph: {way_out}")
    builder = FactorGraphBuilder()
    names = texts(arranged(list(structure.nodes)), "variables")
    for node, name in names.items():
        builder.add_variable(name, structure.nodes[node].get("states", BOOLEAN))
    for node, name in names.items():
        builder.add_distribution(name, [names[above] for above in structure.predecessors(node)])
    return builder.build()


def _nodes_by_kind(structure: Any) -> dict[str, list[Hashable]]:
    if structure.is_multigraph() or structure.is_directed():
        raise InputError("expected a networkx Graph or DiGraph without parallel edges")
    nodes: dict[str, list[Hashable]] = {"variable": [], "factor": []}
    for node, attributes in structure.nodes.items():
        kind = _attribute(attributes, "kind", node)
        if kind not in nodes:
            raise InputError(f"node {_named(node)}: expected kind variable or factor, got {kind!r}")
        nodes[kind].append(node)
    for first, second in structure.edges:
        if structure.nodes[first]["kind"] == structure.nodes[second]["kind"]:
            edge = f"{_named(first)} and {_named(second)}"
            raise InputError(f"expected edges between variables and factors, got one of {edge}")
    return nodes


def _given_table(node: Hashable, tables: Mapping[Hashable, object] | None) -> dict[str, object]:
    return {} if tables is None or node not in tables else {"table": tables[node]}


def _scope(structure: Any, factor: Hashable) -> list[Hashable]:
    """The neighbours of a factor in the order of its arguments."""
    neighbours = structure.adj[factor]
    default = 0 if len(neighbours) == 1 else None
    arguments = {edge.get("argument", default): node for node, edge in neighbours.items()}
    if set(arguments) != set(range(len(neighbours))):
        came = shortened(str([edge.get("argument") for edge in neighbours.values()]))
        expected = f"edges for arguments 0 to {len(neighbours) - 1}"
        raise InputError(f"node {_named(factor)}: expected {expected}, got {came}")
    return [arguments[position] for position in range(len(neighbours))]


def _attribute(attributes: Mapping[str, Any], name: str, node: Hashable) -> Any:
    if name not in attributes:
        raise InputError(f"node {_named(node)}: expected the attribute {name}, got none")
    return attributes[name]


def _named(node: Hashable) -> str:
    return shortened(repr(node))
