"""Names of gates in pictures: the test that they are, or what they count."""

from __future__ import annotations

import numpy as np

from liftgraph.model.ground.count_potential import CountPotential
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.noisy_max import NoisyMax
from liftgraph.model.ground.table import Table

_NEGATIVE = ("false", "no", "0")


def gate_name(graph: FactorGraph, factor: int) -> str:
    """The test of a gate or a count factor, such as ≥ 2, or its kind; nothing for a table.

    >>> from liftgraph import FactorGraphBuilder, at_least
    >>> builder = FactorGraphBuilder()
    >>> pumps = builder.add_variables(3)
    >>> _ = builder.add_gate(builder.add_variable("Plant"), pumps, at_least(2))
    >>> gate_name(builder.build(), 0)
    '≥ 2'
    """
    potential = graph.potentials[graph.table_id[factor]]
    scope = graph.scope_of(factor)
    if isinstance(potential, NoisyMax):
        return _noisy_name(potential, graph.states(scope[-1]))
    if not isinstance(potential, CountPotential):
        return ""
    if potential.weights is None:
        return "sum"
    adding = [int(np.argmax(addends)) for addends in potential.addends]
    counted = {graph.states(v)[state] for v, state in zip(scope, adding, strict=False)}
    return _test(_chances(potential.weights, graph.states(scope[-1]), counted)) or "count"


def gate_child(graph: FactorGraph, factor: int) -> int | None:
    """The variable whose distribution a gate is; None for tables and count factors."""
    potential = graph.potentials[graph.table_id[factor]]
    is_gate = isinstance(potential, NoisyMax) or (
        isinstance(potential, CountPotential) and len(potential.shape) == len(potential.addends) + 1
    )
    return graph.scope_of(factor)[-1] if is_gate else None


def _noisy_name(potential: NoisyMax, states: tuple[str, ...]) -> str:
    if len(states) > 2:
        return "noisy-MAX"
    largest = states[int(np.argmax(potential.ranks))]
    return "noisy-AND" if largest in _NEGATIVE else "noisy-OR"


def _chances(weights: Table, states: tuple[str, ...], counted: set[str]) -> list[int]:
    """The weight of each number, with the child in the state that is counted."""
    if weights.integers.ndim == 1:
        return [int(weight) for weight in weights.integers]
    if len(states) != 2 or weights.integers.ndim != 2:
        return []
    state = next((place for place, name in enumerate(states) if name in counted), 0)
    return [int(weight) for weight in weights.integers[:, state]]


def _test(weights: list[int]) -> str:
    """The numbers of which weights are not zero, if all others are zero and these are equal.

    >>> _test([0, 0, 1, 1]), _test([3, 3, 0]), _test([0, 1, 0]), _test([1, 0, 1])
    ('≥ 2', '≤ 1', '= 1', '')
    """
    holds = [number for number, weight in enumerate(weights) if weight]
    if len({0, *weights}) != 2 or len(holds) == len(weights):
        return ""
    if holds[-1] - holds[0] + 1 != len(holds):
        return ""
    first, last = holds[0], holds[-1]
    if first == last:
        return f"= {first}"
    if last == len(weights) - 1:
        return f"≥ {first}"
    return f"≤ {last}" if first == 0 else f"{first} to {last}"
