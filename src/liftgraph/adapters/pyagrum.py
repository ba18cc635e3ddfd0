"""Models of pyAgrum (Bayesian networks, Markov random fields) from graphs, and back.

The array of a pyAgrum tensor has the tensor's variables as axes, in reverse order.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from liftgraph.adapters.factors import (
    Scope,
    factor_floats,
    graph_of_floats,
    is_bayesian_network,
    merged_factors,
    times,
    without_evidence,
)
from liftgraph.adapters.libraries import chosen, needed, refused
from liftgraph.adapters.pyagrum_rules import Rule, is_computed, rule_potential, rules
from liftgraph.errors import InputError
from liftgraph.model.ground.bayesian_network import own_factors
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.table import Potential, Table

Factor = tuple[tuple[str, ...], NDArray[np.float64] | Potential]
PyagrumKind = Literal["auto", "bayesian network", "markov random field"]
_KINDS = ("auto", "bayesian network", "markov random field")
_MOST_ENTRIES = 1 << 24  # of a table that a computed distribution is expanded to


def from_pyagrum(model: Any, *, decimals: bool = False) -> FactorGraph:
    """The factor graph of a pyAgrum model.

    ``model``: a ``BayesNet`` or a ``MarkovRandomField``, with any kind of discrete variables.
    ``decimals``, and distributions that do not sum to one, are treated as in ``from_pgmpy``.
    Descriptions, and the numbers that labels may stand for, are not kept.

    Distributions which pyAgrum computes by a rule (noisy-OR, noisy-AND, and the aggregators or,
    and, exists, forall, count, sum, max and min) never become tables, if pyAgrum exposes the rule,
    as version 3.3 does. Others (logit, median, amplitude) become tables, unless these are too
    large.
    """
    pyagrum = needed("pyagrum")
    if isinstance(model, pyagrum.BayesNet):
        factors = _distributions(model, decimals)
    elif isinstance(model, pyagrum.MarkovRandomField):
        tensors = [model.factor(scope) for scope in sorted(model.factors(), key=sorted)]
        factors = ((tensor.names, _array(tensor)) for tensor in tensors)
    else:
        raise refused(model, ["pyagrum BayesNet", "pyagrum MarkovRandomField"])
    variables = [model.variable(node) for node in sorted(model.nodes())]
    return graph_of_floats(
        {variable.name(): (variable.name(), variable.labels()) for variable in variables},
        factors,
        distributions=isinstance(model, pyagrum.BayesNet),
        decimals=decimals,
    )


def _distributions(network: Any, decimals: bool) -> Iterator[Factor]:
    """The distribution of each variable: of itself and its parents, or the other way round."""
    tensors = [network.cpt(node) for node in sorted(network.nodes())]
    found = rules(network) if any(map(is_computed, tensors)) else {}
    for tensor in tensors:
        rule = found.get(tensor.names[0])
        potential = None if rule is None else rule_potential(rule, tensor, decimals)
        if potential is None:
            _check_size(tensor, rule)
            yield tensor.names, _array(tensor)
        else:
            child, *parents = tensor.names
            yield (*parents, child), potential


def _check_size(tensor: Any, rule: Rule | None) -> None:
    """Refuse a distribution that is computed, since no table was small enough to be kept."""
    if is_computed(tensor) and prod(tensor.shape) > _MOST_ENTRIES:
        child, *parents = tensor.names
        expected = f"a table of at most {_MOST_ENTRIES:,} entries"
        kind = "computed distribution" if rule is None else rule.title
        came = f"a {kind} of {len(parents)} parents"
        remedy = "use fewer parents, with variables in between"
        raise InputError(f"{child}: expected {expected}, got {came}: {remedy}")


def _array(tensor: Any) -> NDArray[np.float64]:
    """The values of a tensor, one axis for each of its ``names``.

    A copy is filled first: a distribution that pyAgrum computes from parameters (noisy or, logit,
    aggregators) has no table, and its ``toarray`` returns memory that was never written.
    """
    plain = needed("pyagrum").Tensor()
    for variable in tensor.variablesSequence():
        plain.add(variable)
    plain.fillWith(tensor)
    return np.asarray(plain.toarray(), dtype=np.float64).transpose()


def to_pyagrum(graph: FactorGraph, kind: PyagrumKind = "auto", *, rescale: bool = False) -> Any:
    """The pyAgrum model of a factor graph.

    ``kind``: "bayesian network" (an error if the graph is not one), "markov random field", or
    "auto": a Bayesian network if the graph is one, else a Markov random field.

    Rounding, ``rescale`` and evidence are treated as in ``to_pgmpy``. A Markov random field has one
    factor for each set of variables: factors over the same variables are multiplied (exactly,
    before they are rounded), and constants are multiplied into the first factor. A variable without
    factors gets a table of ones, since pyAgrum cannot answer for it otherwise.
    """
    graph = without_evidence(graph, "pyAgrum")
    wanted = chosen(kind, _KINDS)
    if wanted == "bayesian network" or (wanted == "auto" and is_bayesian_network(graph)):
        return _bayesian_network(graph)
    return _markov_random_field(graph, rescale)


def _add_variables(graph: FactorGraph, model: Any) -> None:
    """Add all variables; the node of each is its index."""
    labelled = needed("pyagrum").LabelizedVariable
    for variable in range(graph.variable_count):
        model.add(labelled(graph.name(variable), "", list(graph.states(variable))), variable)


def _fill(
    graph: FactorGraph, tensor: Any, scope: Scope, table: Table, rescale: bool | None = None
) -> None:
    axes = {graph.name(variable): axis for axis, variable in enumerate(scope)}
    floats = factor_floats(graph, scope, table, rescale)
    order = [axes[name] for name in reversed(tensor.names)]
    tensor.fillWith(floats.transpose(order).ravel())


def _bayesian_network(graph: FactorGraph) -> Any:
    network = needed("pyagrum").BayesNet()
    distributions = [graph.factors[factor].parts for factor in own_factors(graph).tolist()]
    _add_variables(graph, network)
    network.beginTopologyTransformation()
    for variable, (scope, _) in enumerate(distributions):
        for parent in scope:
            if parent != variable:
                network.addArc(parent, variable)
    network.endTopologyTransformation()
    for variable, (scope, table) in enumerate(distributions):
        _fill(graph, network.cpt(variable), scope, table)
    return network


def _markov_random_field(graph: FactorGraph, rescale: bool) -> Any:
    field = needed("pyagrum").MarkovRandomField()
    factors = _without_constants(merged_factors(graph))
    _add_variables(graph, field)
    field.beginTopologyTransformation()
    for scope, table in factors:
        _fill(graph, field.addFactor(list(scope)), scope, table, rescale)
    field.endTopologyTransformation()
    return field


def _without_constants(factors: list[tuple[Scope, Table]]) -> list[tuple[Scope, Table]]:
    """The factors with arguments; those without are multiplied into the first of them."""
    constants = [table for scope, table in factors if not scope]
    others = [(scope, table) for scope, table in factors if scope]
    if constants and not others:
        raise InputError("expected a factor with arguments, got constants only")
    for constant in constants:
        scope, table = others[0]
        others[0] = scope, times(table, _spread(constant, table.shape), range(len(scope)))
    return others


def _spread(constant: Table, shape: tuple[int, ...]) -> Table:
    """The table of this shape with the same constant everywhere."""
    integers = np.full(shape, int(constant.integers[()]), dtype=object)
    return Table(integers, constant.scale, constant.measured)
