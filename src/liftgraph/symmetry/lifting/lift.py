"""From a factor graph to a parametric factor graph, verified on every model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import ComputationError, short_traceback
from liftgraph.model import answering
from liftgraph.model.arrays import NO_INDICES
from liftgraph.model.ground.factor_graph import FactorGraph, checked_graph
from liftgraph.model.ground.table import Potential, Table
from liftgraph.model.lifted import grounding
from liftgraph.model.lifted.origin import Origin
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph, as_graph
from liftgraph.model.memory_limit import MEMORY_LIMIT, Bytes, checked_memory_limit
from liftgraph.symmetry.colours.colour_passing import colour_passing
from liftgraph.symmetry.colours.colouring import Algorithm, Colouring
from liftgraph.symmetry.colours.contributions import is_wide
from liftgraph.symmetry.colours.stars import narrow_graph, with_stars
from liftgraph.symmetry.lifting.counting_parfactors import without_centres
from liftgraph.symmetry.lifting.counting_potentials import counts_alike
from liftgraph.symmetry.lifting.lifted_model import lifted_model
from liftgraph.symmetry.lifting.memory import check_memory
from liftgraph.symmetry.lifting.name_arrays import NameArrays, name_arrays
from liftgraph.symmetry.lifting.naming import by_name
from liftgraph.symmetry.structure.components import distinct
from liftgraph.symmetry.structure.factor_rows import grouped
from liftgraph.symmetry.structure.structure import Structure, structure

PATIENCE = 12  # attempts to single out one individual at a time; then all that fail are


@short_traceback
def lift(
    graph: FactorGraph | ParfactorGraph,
    algorithm: Algorithm = "alpha-acp",
    tolerance: object = None,
    engine: str = "auto",
    memory_limit: Bytes = MEMORY_LIMIT,
    device: str | None = None,
) -> ParfactorGraph:
    """The parametric factor graph of a factor graph; grounding it gives back the given graph.

    A model that is lifted already is ground first, if the memory limit allows it.

    Groups of variables get coordinates, and groups of factors become parfactors if their rows are
    all substitutions of logvars. If they are not (in a ring, say), the colouring was too coarse: an
    individual is singled out, and colours are passed again. In the end the model is always
    grounded, exactly, and compared with the given graph, in linear time.

    ``algorithm``, ``tolerance``, ``engine`` and ``device``: as in ``colour_passing``. With a
    tolerance, which tables of floats have by default, the table of a parfactor is only near those
    of its factors; grounding still gives back the given tables. ``memory_limit``: in bytes; lifting
    which needs more is refused.

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
    limit = checked_memory_limit(memory_limit)
    graph = checked_graph(as_graph(graph, limit))
    narrow = narrow_graph(graph, algorithm)
    check_memory(narrow, None, limit)
    colour = partial(colour_passing, narrow, algorithm, tolerance, engine=engine, device=device)
    return lift_colouring(graph, colour(), colour, limit)


def lift_colouring(
    graph: FactorGraph,
    colouring: Colouring,
    colour: Callable[..., Colouring],
    memory_limit: int = MEMORY_LIMIT,
) -> ParfactorGraph:
    """The parametric factor graph of a factor graph whose narrow graph has been coloured.

    ``colour(initial=…)``: gives the colouring from other initial colours, if one is needed.
    """
    if (stars := with_stars(graph, colouring.algorithm)) is not None:
        starred = _lifted(stars.graph, colouring, colour, memory_limit)
        model = without_centres(graph, stars, starred)
    else:
        model = _lifted(graph, colouring, colour, memory_limit)
    check_grounding(model, graph)
    return model


def _lifted(
    graph: FactorGraph,
    colouring: Colouring,
    colour: Callable[..., Colouring],
    memory_limit: int,
) -> ParfactorGraph:
    """The parametric factor graph of a graph without wide factors, not verified yet."""
    initial = np.zeros(graph.variable_count, dtype=np.int32)
    check_memory(graph, colouring, memory_limit)
    names = None if graph.names is None else name_arrays(graph.names)
    described = _described(graph, colouring, names)
    attempts = 0
    while not described.complete:
        attempts += 1
        chosen = _singled_out(described, attempts)
        initial[chosen] = initial.max() + 1 + (attempts > PATIENCE) * np.arange(len(chosen))
        del described  # it takes more memory than a colouring
        colouring = colour(initial=initial)
        check_memory(graph, colouring, memory_limit)
        described = _described(graph, colouring, names)
    singled_out = np.flatnonzero(initial).astype(np.int32)
    return lifted_model(graph, colouring, described, singled_out, names)


def _described(graph: FactorGraph, colouring: Colouring, names: NameArrays | None) -> Structure:
    groups = grouped(graph, colouring)
    return structure(graph, groups, by_name(names, groups))


def _singled_out(described: Structure, attempts: int) -> NDArray[np.intp]:
    """The variables of one individual of the smallest domain that coordinates fail to describe;
    after many attempts, all variables of the groups that are not described."""
    variables, coordinates = described.groups.variables, described.coordinates.of
    failing = set(described.failing_groups)
    for rows in described.failing_rows:
        failing.update(group for group in rows.groups if group in coordinates)
    if attempts > PATIENCE:
        return np.concatenate([variables[group] for group in sorted(failing)])
    finest = {group: coordinates[group][-1].individuals for group in failing if coordinates[group]}
    if not finest:
        return variables[min(failing)][:1]
    group = min(finest, key=lambda group: (int(finest[group].max()), group))
    chosen: NDArray[np.intp] = variables[group][finest[group] == finest[group].min()]
    return chosen


def check_grounding(model: ParfactorGraph, graph: FactorGraph) -> None:
    """Refuse a model unless grounding it gives back the graph, argument by argument, and every
    table that is not exactly its parfactor's is within the tolerance of it."""
    same = _grounds_to(model, graph, Fraction(0)) and counts_alike(model, graph)
    near = () if model.origin is None else model.origin.near
    if same and model.origin is not None and any(isinstance(table, Table) for table in near):
        exactly = replace(model, origin=_without_near_tables(model.origin))
        same = _grounds_to(exactly, graph, model.origin.tolerance)
    if not same:
        raise ComputationError(
            "the lifted model does not stand for the given graph: please report this"
        )


def _without_near_tables(origin: Origin) -> Origin:
    """The origin without tables that are only near those of parfactors."""
    are_tables = np.array([isinstance(near, Table) for near in origin.near])
    if are_tables.all():
        return replace(origin, near=(), near_id=NO_INDICES)
    near_id = np.where(np.append(are_tables, True)[origin.near_id], -1, origin.near_id)
    return replace(origin, near_id=near_id)


def _grounds_to(model: ParfactorGraph, graph: FactorGraph, tolerance: Fraction) -> bool:
    ground = grounding.ground(model.places, model.parfactors, model.evidence)
    return (
        np.array_equal(ground.scope_ptr, graph.scope_ptr)
        and np.array_equal(ground.scope, graph.scope)
        and ground.evidence == graph.evidence
        and ground.names == graph.names
        and all(
            ground.state_sets[a] == graph.state_sets[b]
            for a, b in _pairs(ground.state_set_id, graph.state_set_id)
        )
        and all(
            _agree(ground.potentials[a], graph.potentials[b], tolerance)
            for a, b in _pairs(ground.table_id, graph.table_id)
        )
    )


def _pairs(a: NDArray[np.int32], b: NDArray[np.int32]) -> Sequence[tuple[int, int]]:
    """The distinct pairs of entries at the same places."""
    height, width = (int(ids.max(initial=0)) + 1 for ids in (a, b))
    codes, _ = distinct(a.astype(np.int64) * width + b, height * width)
    return [divmod(code, width) for code in codes.tolist()]


def _agree(first: Potential, second: Potential, tolerance: Fraction) -> bool:
    """Whether tables are equal, or every potential is within the tolerance of the first table's."""
    if first is second or is_wide(first) or is_wide(second):
        return first == second
    ground, given = first.table(), second.table()
    if ground == given:
        return True
    if not tolerance or ground.shape != given.shape:
        return False
    pairs = zip(ground.integers.ravel().tolist(), given.integers.ravel().tolist(), strict=True)
    return all(
        abs(b * given.scale - a * ground.scale) <= tolerance * a * ground.scale for a, b in pairs
    )


answering.register(lift=lift, colours=colour_passing)
