"""The methods ``ground``, ``lifted`` and ``auto``, which chooses between them for each question.

``auto`` counts what lifting and planning cost, not only what running does. A question whose
relevant part is small is answered there, by ground elimination, before anything is lifted.
Otherwise the graph is coloured, once; if that compresses it enough, it is lifted, once. What one of
the two methods refuses is left to the other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import ComputationError, MemoryLimitError, ZeroWeightError, without_frames
from liftgraph.inference.compression import (
    COMPRESSED,
    added_bytes,
    compresses,
    group_counts,
    lifted,
)
from liftgraph.inference.ground.pieces import maximisable, maximising_bytes
from liftgraph.inference.ground.plan import plan_ground
from liftgraph.inference.ground.refusal import HopelessError, check_treewidth
from liftgraph.inference.ground.relevance import reaches_at_most, relevant
from liftgraph.inference.ground.run import run_ground
from liftgraph.model.ground.evidence import states_beside
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.table import Table
from liftgraph.model.lifted.evidence import LiftedEvidence, evidence_on
from liftgraph.model.lifted.grounding import ground_bytes
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph, as_graph
from liftgraph.model.memory_limit import Planning
from liftgraph.model.plans import Plan
from liftgraph.model.query import BY_PRV, EXPLANATIONS, KINDS, MAP, MARGINALS, PARTITION, Query
from liftgraph.model.questions import Given

Model = FactorGraph | ParfactorGraph
# A plan that reads at most this many entries runs without another one being made.
CHEAP = 10**6
# Planning ground elimination takes as long as reading this many entries for each argument.
PLANNING = 1000
# Factors that ground elimination is planned for sooner than a graph is lifted: this number, and as
# large a share of the graph's.
_FEW_FACTORS = 100
_SMALL_SHARE = 20
_OBSERVED_BYTES = 300  # a variable that a question observes: its state, by name and by index


def plan_by_ground(model: Model, query: Query, given: Given, options: Mapping[str, Any]) -> Plan:
    """The plan of ground elimination; a lifted model is grounded for it."""
    limit = options["memory_limit"]
    graph, taken = grounded(model, limit, len(given))
    if query.kind == MAP.name:
        from liftgraph.inference.joint_states.asked import asked_of
        from liftgraph.inference.joint_states.ground_map import plan_ground_map

        if isinstance(model, ParfactorGraph):
            listed = asked_of(model, query.variables).indices()
            query = replace(query, variables=tuple(listed))
        states = states_beside(graph, graph.evidence, given)
        return plan_ground_map(graph, query, states, Planning(limit, taken))
    if KINDS[query.kind].maximises:
        Planning(limit, taken).check(maximising_bytes(graph), "noisy-ORs become tables")
        graph = maximisable(graph)
    if query.kind == BY_PRV.name:
        query = replace(query, kind=MARGINALS.name)
    states = states_beside(graph, graph.evidence, given)
    if query.kind == EXPLANATIONS.name:
        from liftgraph.inference.joint_states.ground_explanations import plan_ground_explanations

        return plan_ground_explanations(graph, query, states, Planning(limit, taken))
    deadline = options["search_seconds"]
    if query.kind == MARGINALS.name:
        from liftgraph.inference.ground.repeated import plan_repeated

        observed = graph.given(given) if given else graph
        if (repeated := plan_repeated(observed, query, limit, deadline, taken)) is not None:
            return repeated
    return plan_ground(graph, query, states, limit, run_ground, deadline, taken)


def grounded(model: Model, memory_limit: int, observed: int = 0) -> tuple[FactorGraph, int]:
    """The graph of a model, and how many bytes that it takes if it is made for a question.

    ``observed``: how many variables the question observes; what these take is included.
    """
    planning = Planning(memory_limit)
    planning.take(_OBSERVED_BYTES * observed, f"{observed:,} variables are observed")
    if isinstance(model, FactorGraph):
        planning.take(added_bytes(model), "likelihoods become factors")
        return model, planning.taken
    graph = as_graph(model, memory_limit)
    return graph, planning.taken + ground_bytes(model.places, model.parfactors)


def plan_by_lifting(model: Model, query: Query, given: Given, options: Mapping[str, Any]) -> Plan:
    """The plan of lifted elimination; a graph is lifted for it, once."""
    from liftgraph.inference.lifted.facts import take_observations
    from liftgraph.inference.lifted.plan import plan_lifted
    from liftgraph.inference.lifted.run import run_lifted

    limit = options["memory_limit"]
    take_observations(Planning(limit), len(model.evidence) + len(given))
    if isinstance(model, ParfactorGraph):
        lifted_model, evidence = model, evidence_on(model.places, model.evidence, given)
    else:
        graph = model.given(given) if given else model
        lifted_model = lifted(graph, options)
        states = {lifted_model.locate(index): state for index, state in graph.evidence.items()}
        evidence = LiftedEvidence(states)
    if query.kind == MAP.name:
        from liftgraph.inference.joint_states.lifted_map import plan_lifted_map

        return plan_lifted_map(lifted_model, query, evidence, limit)
    if query.kind == EXPLANATIONS.name:
        from liftgraph.inference.joint_states.lifted_explanations import plan_lifted_explanations

        return plan_lifted_explanations(lifted_model, query, evidence, limit)
    return plan_lifted(lifted_model, query, evidence, limit, run_lifted)


def plan_auto(model: Model, query: Query, given: Given, options: Mapping[str, Any]) -> Plan:
    """The cheaper plan, as far as that is known beforehand, or the one that is not refused."""
    ground = _Once(partial(plan_by_ground, model, query, given, options))
    by_lifting = partial(plan_by_lifting, model, query, given, options)
    if query.kind == EXPLANATIONS.name:  # which mean something else on a lifted model
        return by_lifting() if isinstance(model, ParfactorGraph) else ground()
    if isinstance(model, ParfactorGraph):
        return _by_size(model, model, ground, by_lifting)
    if KINDS[query.kind].draws and not options["tolerance"]:  # all variables are written out anyway
        planned = _either(ground, by_lifting)
        return planned if _is_cheap(planned, model) else cheaper(planned, by_lifting)
    if not options["tolerance"]:  # whoever allows a tolerance wants to see what it does
        if (local := _local_plan(model, query, given, ground)) is not None:
            return local
        if query.kind != MAP.name:  # which does not keep what is asked for together
            _check_rigid_part(model, query, given, options)
    try:
        groups = group_counts(model, options)
        lifted_model = lifted(model, options) if compresses(model, groups) else None
    except MemoryLimitError:
        return ground()
    if lifted_model is not None:
        return _by_size(model, lifted_model, ground, by_lifting)
    if groups == (model.variable_count, model.factor_count):
        return _either(ground, by_lifting, lambda: True)
    return _either(ground, by_lifting, partial(_is_rigidly_hopeless, model, query, given, options))


def _by_size(
    model: Model,
    lifted_model: ParfactorGraph,
    ground: Callable[[], Plan],
    by_lifting: Callable[[], Plan],
) -> Plan:
    """The lifted plan, unless the lifted model is hardly smaller or the ground plan is cheaper."""
    if not _is_compressed(lifted_model, COMPRESSED):
        return _either(ground, by_lifting, lambda: not _is_compressed(lifted_model, 1))
    planned = _either(by_lifting, ground)
    expensive = planned.work > max(CHEAP, PLANNING * model.edge_count)
    return cheaper(planned, ground) if expensive and planned.method == "lifted" else planned


@dataclass
class _Once:
    """A plan that is made when it is first asked for: it, or why it is refused, stays known."""

    make: Callable[[], Plan]
    refused: ComputationError | None = None

    def __call__(self) -> Plan:
        if self.refused is not None:
            raise self.refused
        try:
            return self.make()
        except ComputationError as refused:
            self.refused = without_frames(refused)
            raise


def _local_plan(
    graph: FactorGraph, query: Query, given: Given, ground: Callable[[], Plan]
) -> Plan | None:
    """The plan of ground elimination where few factors matter and it is cheap: less work than
    looking for symmetries in the tables."""
    most = max(_FEW_FACTORS, graph.factor_count // _SMALL_SHARE)
    asked = tuple(map(graph.variable, query.variables))
    observed = frozenset(map(graph.variable, given))
    if not asked and (graph.factor_count > _FEW_FACTORS or _entries_compared(graph) <= CHEAP):
        return None
    if asked and not reaches_at_most(graph, observed, asked, most):
        return None
    try:
        planned = ground()
    except ZeroWeightError:
        raise
    except ComputationError:
        return None
    return planned if _is_cheap(planned, graph) else None


def _is_cheap(planned: Plan, graph: FactorGraph) -> bool:
    """Whether a plan is less work than anything else, or than looking for symmetries in tables."""
    return planned.work <= CHEAP or planned.work <= _entries_compared(graph)


def _entries_compared(graph: FactorGraph) -> int:
    """How many entries colouring reads to know which arguments of tables are interchangeable: about
    all of a table for each pair of its arguments."""
    tables = [table for table in graph.potentials if isinstance(table, Table)]
    return sum([table.integers.size * comb(len(table.shape), 2) for table in tables])


def _is_compressed(model: ParfactorGraph, times: int) -> bool:
    """Whether a model has more than this many variables per PRV or factors per parfactor."""
    prvs, parfactors = len(model.prvs), len(model.parfactors)
    return model.variable_count > times * prvs or model.factor_count > times * parfactors


def _either(
    first: Callable[[], Plan],
    second: Callable[[], Plan],
    alike: Callable[[], bool] = lambda: False,
) -> Plan:
    """A plan, or another one if it is refused. ``alike``: whether nothing is left to try where no
    order helps, since both eliminate the same tables."""
    try:
        return first()
    except ZeroWeightError:
        raise
    except ComputationError as refused:
        if isinstance(refused, HopelessError) and alike():
            raise
        try:
            return second()
        except MemoryLimitError as other:
            raise _nearer(refused, other) from None


def _nearer(refused: ComputationError, other: MemoryLimitError) -> ComputationError:
    """Of two refusals, the one whose plan needs less memory, if both say how much."""
    if not isinstance(refused, MemoryLimitError):
        return other if other.needed < math.inf else refused
    return other if other.needed < refused.needed < math.inf else refused


def _check_rigid_part(
    graph: FactorGraph, query: Query, given: Given, options: Mapping[str, Any]
) -> None:
    """Refuse what both methods would, since lifting leaves too wide a part as it is."""
    from liftgraph.symmetry.colours.fewest_groups import rigid_factors

    observed = {*map(graph.variable, given), *graph.evidence}
    variables = list(map(graph.variable, query.variables))
    asked = [variable for variable in variables if variable not in observed]
    if asked or not variables:
        limit = options["memory_limit"]
        check_treewidth(graph, observed, asked, limit, partial(rigid_factors, graph))


def _is_rigidly_hopeless(
    graph: FactorGraph, query: Query, given: Given, options: Mapping[str, Any]
) -> bool:
    """Whether the factors that are in groups of their own, with such variables, are too many for
    every order by themselves: lifting leaves them as they are."""
    from liftgraph.symmetry.colours.colour_passing import colour_passing
    from liftgraph.symmetry.colours.fewest_groups import rigid_factors
    from liftgraph.symmetry.lifting.memory import check_memory

    hopeless = partial(_is_hopeless, graph, query, given, options)
    if not options["tolerance"] and hopeless(rigid_factors(graph)):
        return True
    try:
        check_memory(graph, None, options["memory_limit"])
    except MemoryLimitError:  # lifting says so itself, or needs less without likelihoods
        return False
    colouring = colour_passing(graph.observing({}), tolerance=options["tolerance"])
    colours = colouring.variable_colours, colouring.factor_colours
    variables, factors = (np.bincount(of)[of] == 1 for of in colours)
    return hopeless(
        factors
        & np.logical_and.reduceat(np.append(variables[graph.scope], True), graph.scope_ptr[:-1])
    )


def _is_hopeless(
    graph: FactorGraph,
    query: Query,
    given: Given,
    options: Mapping[str, Any],
    factors: NDArray[np.bool_],
) -> bool:
    """Whether some of the factors that matter for a question are too many for every order."""
    from liftgraph.inference.ground.repetition import with_factors

    observed = graph.given(given)
    if asked := tuple(map(graph.variable, query.variables)):
        matters = np.zeros(graph.factor_count, dtype=np.bool_)
        matters[list(relevant(observed, (), asked).factors)] = True
        factors = factors & matters
    part = with_factors(observed, factors)
    try:
        plan_ground(part, Query(PARTITION.name), {}, options["memory_limit"], run_ground)
    except HopelessError:
        return True
    except ComputationError:
        return False
    return False


def cheaper(planned: Plan, plan_other: Callable[[], Plan]) -> Plan:
    """A plan, or another one that needs less work and is not refused."""
    try:
        other = plan_other()
    except ZeroWeightError:
        raise
    except ComputationError:
        return planned
    return other if other.work < planned.work else planned
