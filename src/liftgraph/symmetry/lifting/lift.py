"""From a factor graph to a parametric factor graph, verified on every model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import ComputationError
from liftgraph.model.ground.factor_graph import NO_INDICES, FactorGraph
from liftgraph.model.ground.table import Table
from liftgraph.model.lifted import grounding
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.symmetry.colours.colour_passing import colour_passing
from liftgraph.symmetry.colours.colouring import Algorithm, Colouring
from liftgraph.symmetry.lifting.lifted_model import lifted_model
from liftgraph.symmetry.lifting.naming import by_name
from liftgraph.symmetry.structure.structure import Structure, grouped, structure

PATIENCE = 12  # attempts with one individual singled out at a time


def lift(
    graph: FactorGraph,
    algorithm: Algorithm = "alpha-acp",
    tolerance: object = None,
    engine: str = "auto",
) -> ParfactorGraph:
    """The parametric factor graph of a factor graph; grounding it gives back the given graph.

    Groups of colour passing get coordinates, and groups of factors become parfactors where their
    rows are all substitutions of logvars. Where they are not (in a ring, say), colours were too
    coarse: an individual is singled out, and colours are passed again. In the end the model is
    ground, exactly, and compared with the given one: always, and in linear time.

    ``algorithm``, ``tolerance`` and ``engine``: as in ``colour_passing``. With a tolerance, which
    tables of floats have by default, a parfactor's table is near those of its factors, no more;
    grounding gives back the given ones all the same.

    >>> from liftgraph import FactorGraphBuilder
    >>> builder = FactorGraphBuilder()
    >>> variables = builder.add_variables(["Epid", "Sick.alice", "Sick.bob"])
    >>> first = builder.add_factor(["Sick.alice", "Epid"], [[3, 1], [1, 5]])
    >>> second = builder.add_factor(["Epid", "Sick.bob"], [[6, 2], [2, 10]])
    >>> model = lift(builder.build())
    >>> print(model)
    domains
      X = {alice, bob}
    variables
      Epid ∈ {true, false}
      Sick(X) ∈ {true, false}
    parfactors
      φ1(Sick(X), Epid) = [3 1 1 5] for all X, × 2 in all
    >>> model.ground() == builder.build()
    True
    """
    colour = partial(colour_passing, graph, algorithm, tolerance, engine=engine)
    return lift_colouring(graph, colour(), colour)


def lift_colouring(
    graph: FactorGraph, found: Colouring, colour: Callable[..., Colouring]
) -> ParfactorGraph:
    """The parametric factor graph of a factor graph that has been coloured.

    ``colour(initial=…)``: the colouring from other initial colours, should it be needed.
    """
    initial = np.zeros(graph.variable_count, dtype=np.int32)
    described = _structure(graph, found)
    attempts = 0
    while not described.complete:
        attempts += 1
        chosen = _singled_out(described, attempts)
        initial[chosen] = initial.max() + 1 + (attempts > PATIENCE) * np.arange(len(chosen))
        found = colour(initial=initial)
        described = _structure(graph, found)
    singled = np.flatnonzero(initial).astype(np.int32)
    model = lifted_model(graph, found, described, singled)
    check_grounding(model, graph)
    return model


def _structure(graph: FactorGraph, found: Colouring) -> Structure:
    groups = grouped(graph, found)
    return structure(graph, groups, by_name(graph, groups))


def _singled_out(described: Structure, attempts: int) -> NDArray[np.intp]:
    """The variables of one individual of the smallest domain that coordinates fail to describe;
    with many attempts behind, all variables they fail for."""
    known = described.coordinates
    failing = set(described.failing_groups)
    failing |= {each for rows in described.failing_rows for each in rows.groups if each in known.of}
    if attempts > PATIENCE:
        return np.concatenate([described.groups.variables[each] for each in sorted(failing)])
    finest = {each: known.of[each][-1].individuals for each in failing if known.of[each]}
    if not finest:
        return described.groups.variables[min(failing)][:1]
    group = min(finest, key=lambda each: (int(finest[each].max()), each))
    chosen: NDArray[np.intp] = described.groups.variables[group][
        finest[group] == finest[group].min()
    ]
    return chosen


def check_grounding(model: ParfactorGraph, graph: FactorGraph) -> None:
    """Refuse a model unless grounding it gives back a graph, argument by argument, and tables
    that are not exactly their parfactor's are within the tolerance of it."""
    same = _is_ground(model, graph, Fraction(0))
    if same and model.origin is not None and model.origin.near:
        plain = replace(model.origin, near=(), near_id=NO_INDICES)
        same = _is_ground(replace(model, origin=plain), graph, model.origin.tolerance)
    if not same:
        raise ComputationError("the lifted model does not stand for the given one: please report")


def _is_ground(model: ParfactorGraph, graph: FactorGraph, tolerance: Fraction) -> bool:
    ground = grounding.ground(model)
    return (
        np.array_equal(ground.scope_ptr, graph.scope_ptr)
        and np.array_equal(ground.scope, graph.scope)
        and np.array_equal(ground.observed, graph.observed)
        and np.array_equal(ground.observed_state, graph.observed_state)
        and ground.names == graph.names
        and all(
            ground.state_sets[a] == graph.state_sets[b]
            for a, b in _pairs(ground.state_set_id, graph.state_set_id)
        )
        and all(
            _agree(ground.tables[a], graph.tables[b], tolerance)
            for a, b in _pairs(ground.table_id, graph.table_id)
        )
    )


def _pairs(a: NDArray[np.int32], b: NDArray[np.int32]) -> Sequence[tuple[int, int]]:
    """The distinct pairs of numbers at the same places."""
    width = int(b.max(initial=0)) + 1
    found = np.unique(a.astype(np.int64) * width + b)
    return [divmod(each, width) for each in found.tolist()]


def _agree(ground: Table, given: Table, tolerance: Fraction) -> bool:
    """Whether tables are equal, or every potential is within the tolerance of the first's."""
    if ground == given:
        return True
    if not tolerance or ground.shape != given.shape:
        return False
    pairs = zip(ground.integers.ravel().tolist(), given.integers.ravel().tolist(), strict=True)
    return all(
        abs(b * given.scale - a * ground.scale) <= tolerance * a * ground.scale for a, b in pairs
    )
