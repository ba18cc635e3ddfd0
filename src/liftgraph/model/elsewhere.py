"""Names that other libraries have for what is here, for errors about missing attributes."""

from __future__ import annotations

_LEARN = "liftgraph.learn_bayesian_network(structure, table) learns the numbers of a network"
_GIVEN = 'evidence comes with a question, query("A", given={"B": "true"}), or before: given({…})'
_QUERY = 'ask query("A", given={"B": "true"})'
_PLAN = "explain(…) plans a question, and the plan can be run"
_DISTRIBUTION = "a builder has add_distribution(child, parents, table) for that"
_CPD = 'cpd("A") is the distribution of A given its parents'

# Names in pgmpy, pyAgrum, networkx, pomegranate and scikit-learn.
_MODELS = {
    "map_query": 'ask map("A", "B") for some variables, or mpe() for all',
    "max_marginal": "ask mpe()",
    **dict.fromkeys(["posterior", "infer", "jointPosterior", "evidenceImpact"], _QUERY),
    **dict.fromkeys(["nodes", "names", "node_names"], "variables lists the names"),
    **dict.fromkeys(["arcs", "out_edges", "in_edges"], "edges lists pairs of parent and child"),
    **dict.fromkeys(["topologicalOrder", "topological_sort"], "topological_order() lists them"),
    **dict.fromkeys(["cpt", "cpts", "cpds", "get_cpds", "get_cpd"], _CPD),
    **dict.fromkeys(["add_cpds", "add_cpd", "generateCPTs"], _DISTRIBUTION),
    **dict.fromkeys(["fit", "fit_update", "from_samples", "learn"], _LEARN),
    **dict.fromkeys(["predict_proba", "predict_probability"], 'predict(table, "A") has both'),
    **dict.fromkeys(["simulate", "forward_sample", "drawSamples"], "ask sample(1000)"),
    **dict.fromkeys(["log_probability", "score", "logLikelihood"], "ask log_likelihood(table)"),
    **dict.fromkeys(["evidence_", "setEvidence", "addEvidence", "set_evidence"], _GIVEN),
    **dict.fromkeys(["makeInference", "calibrate", "setTargets"], _PLAN),
    **dict.fromkeys(["get_parents", "predecessors"], 'use parents("A")'),
    **dict.fromkeys(["get_children", "successors"], 'use children("A")'),
    **dict.fromkeys(["get_ancestors", "get_ancestors_of"], 'use ancestors("A")'),
    **dict.fromkeys(["get_markov_blanket", "markovBlanket"], 'use markov_blanket("A")'),
    **dict.fromkeys(
        ["is_dconnected", "is_dseparated", "isIndependent"], 'use d_separated("A", "B")'
    ),
    **dict.fromkeys(["get_cardinality", "cardinality", "states_"], 'states("A") lists the names'),
    **dict.fromkeys(["neighbors", "get_neighbors"], 'model["A"].neighbours lists the names'),
    **dict.fromkeys(["get_partition_function", "norm", "Z"], "ask partition()"),
    **dict.fromkeys(["size", "number_of_nodes"], "use variable_count or factor_count"),
    **dict.fromkeys(["save", "saveBIF", "to_bif"], 'liftgraph.write(model, "model.bif") writes it'),
    **dict.fromkeys(["plot", "show", "to_graphviz", "toDot"], "liftgraph.draw(model) draws it"),
    **dict.fromkeys(["copy", "clone"], "models never change, so there is no need to copy them"),
    **dict.fromkeys(["to_factor_graph", "to_markov_model"], "it is a factor graph already"),
    "check_model": "models are checked when they are built",
}
_BUILDERS = {
    **dict.fromkeys(["add_node", "add", "add_variable_node"], 'use add_variable("A")'),
    **dict.fromkeys(["add_nodes_from", "add_nodes"], 'use add_variables(["A", "B"])'),
    **dict.fromkeys(
        ["add_edge", "add_edges_from", "addArc", "add_arc"],
        "a factor connects its variables: add_factor(variables, table),"
        " or add_distribution(child, parents, table)",
    ),
    **dict.fromkeys(["add_cpds", "add_cpd", "cpt"], _DISTRIBUTION),
    **dict.fromkeys(["addFactor", "add_factor_node"], "use add_factor(variables, table)"),
}
_LIBRARY = {
    **dict.fromkeys(
        ["BayesianNetwork", "DiscreteBayesianNetwork", "BayesNet", "MarkovNetwork", "fastBN"],
        "FactorGraphBuilder builds networks, and read reads them",
    ),
    **dict.fromkeys(
        ["VariableElimination", "BeliefPropagation", "LazyPropagation"],
        'a model answers itself: model.query("A")',
    ),
    **dict.fromkeys(["loadBN", "load", "BIFReader", "read_bif", "open"], "read reads all formats"),
    **dict.fromkeys(["saveBN", "save", "BIFWriter"], "write writes all formats"),
    **dict.fromkeys(
        ["TabularCPD", "DiscreteFactor"], "a Table, or add_factor of a builder, is that"
    ),
    **dict.fromkeys(
        ["BNLearner", "MaximumLikelihoodEstimator", "fit"], "learn_bayesian_network learns networks"
    ),
}

HINTS = {"model": _MODELS, "builder": _BUILDERS, "library": _LIBRARY}


def missing(owner: object, name: str) -> AttributeError:
    """The error for an attribute that a model or a builder does not have.

    >>> from liftgraph import datasets
    >>> print(missing(datasets.asia(), "get_parents"))
    'FactorGraph' object has no attribute 'get_parents'; here, use parents("A")
    """
    kind = type(owner).__name__
    hints = HINTS["builder" if kind.endswith("Builder") else "model"]
    hint = f"; here, {hints[name]}" if name in hints else ""
    problem = f"{kind!r} object has no attribute {name!r}"
    return AttributeError(f"{problem}{hint}", name=name, obj=owner)


def elsewhere(name: str) -> str:
    """The name of something of another library here, as the end of an error."""
    return f"; here, {HINTS['library'][name]}" if name in HINTS["library"] else ""
