"""Dynamic Bayesian networks of pgmpy as dynamic models, lifted."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from liftgraph.adapters.factors import graph_of_floats
from liftgraph.adapters.libraries import needed, refused
from liftgraph.adapters.naming import texts
from liftgraph.adapters.pgmpy import state_names_of
from liftgraph.errors import InputError
from liftgraph.model.dynamic.dynamic import AFTER, Dynamic
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.names import States
from liftgraph.symmetry.lifting.dynamic import lift_dynamic

Node = tuple[Hashable, int]  # a variable, and whether it is one of today (0) or tomorrow (1)


def dynamic_from_pgmpy(model: Any, *, decimals: bool = False) -> Dynamic:
    """The dynamic model of a pgmpy ``DynamicBayesianNetwork``, lifted.

    Distributions which are about a single day and the same on both days go to ``observe``, so
    their variables are summed out each day. Names are the texts of variables and states;
    ``decimals``: as in ``from_pgmpy``.
    """
    pgmpy = needed("pgmpy", "pgmpy.models")
    if not isinstance(model, pgmpy.DynamicBayesianNetwork):
        raise refused(model, ["pgmpy DynamicBayesianNetwork"])
    first, second = _distributions(model)
    names = texts(list(dict.fromkeys(node[0] for node in map(tuple, model.nodes()))), "variables")
    states = {node[0]: own for node, own in _states([*first, *second]).items()}
    every_day = [cpd for cpd in first if any(_same(cpd, other) for other in second)]
    start = [cpd for cpd in first if cpd not in every_day]
    step = [cpd for cpd in second if not any(_same(other, cpd) for other in every_day)]

    def graph(cpds: Iterable[Any], days: Sequence[int]) -> FactorGraph:
        variables: dict[Hashable, tuple[str, States]] = {
            (variable, day): (name + AFTER * day, states[variable])
            for variable, name in names.items()
            for day in days
        }
        factors = ((_scope(cpd), np.asarray(cpd.values)) for cpd in cpds)
        return graph_of_floats(variables, factors, distributions=False, decimals=decimals)

    later = {name: name + AFTER for name in names.values()}
    return lift_dynamic(
        graph(start, [0]), graph(step, [0, 1]), graph(every_day, [0]), tomorrow=later
    )


def _distributions(model: Any) -> tuple[list[Any], list[Any]]:
    """The distributions of the first day, and those of the second."""
    by_node: dict[Node, Any] = {}
    for cpd in model.cpds:
        by_node[_node(cpd.variable)] = cpd
    for node in map(_node, model.nodes()):
        if node not in by_node:
            raise InputError(
                f"{node}: expected a conditional distribution, got none"
                " (initialize_initial_state() copies those of the first slice)"
            )
    listed = by_node.items()
    return [cpd for node, cpd in listed if node[1] == 0], [cpd for node, cpd in listed if node[1]]


def _node(node: Any) -> Node:
    variable, day = tuple(node)
    return variable, int(day)


def _scope(cpd: Any) -> list[Node]:
    return [_node(variable) for variable in cpd.variables]


def _states(cpds: Sequence[Any]) -> dict[Node, States]:
    """The states of each variable of a day."""
    states = state_names_of(cpds)
    return {
        _node(node): tuple(texts(own, f"states of {node}").values()) for node, own in states.items()
    }


def _same(today: Any, tomorrow: Any) -> bool:
    """Whether two distributions are the same, on both days and about one day only."""
    moved = [(variable, 1) for variable, _ in _scope(today)]
    return _scope(tomorrow) == moved and np.array_equal(today.values, tomorrow.values)
