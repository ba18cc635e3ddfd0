"""Most probable joint states of some variables of a factor graph, by elimination."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from liftgraph.inference.answer_memory import STATE_BYTES, weight_bytes
from liftgraph.inference.ground.memory import table_bytes
from liftgraph.inference.ground.pattern import fixed_variables, name_of, state_of, table_tensors
from liftgraph.inference.ground.pieces import graph_scales
from liftgraph.inference.ground.planning import check_ordering, take_reducing, take_walk
from liftgraph.inference.ground.reduction import Reduction, prune, reduce_graph
from liftgraph.inference.ground.refusal import check_counts, check_tables, check_treewidth
from liftgraph.inference.ground.values import settled, table_values
from liftgraph.inference.joint_states.choosing import Strategy, chosen
from liftgraph.inference.joint_states.plan import JointStatePlan, joint_state
from liftgraph.inference.joint_states.problem import Problem, summing
from liftgraph.model.answers.joint_states import JointState
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.memory_limit import Planning
from liftgraph.model.plans import Progress
from liftgraph.model.query import Query

METHOD = "ground"


def plan_ground_map(
    graph: FactorGraph, query: Query, states: Mapping[int, int], planning: Planning
) -> JointStatePlan:
    """Plan a most probable joint state; refused if it needs more bytes than the limit.

    ``states``: those that the question observes beside the graph's own evidence. ``planning``: what
    planning takes is charged there.
    """
    variables = tuple(map(graph.variable, query.variables))
    take_walk(graph, planning, len(states))
    fixed = fixed_variables(graph, states)
    check_treewidth(graph, states, (), planning.limit)
    check_counts(graph, query, (), planning.limit)
    take_reducing(graph, planning)
    free = [variable for variable in range(graph.variable_count) if variable not in fixed]
    asked = frozenset(variables) - fixed
    reduction = prune(graph, reduce_graph(graph, fixed, free), asked)
    check_tables(len(reduction.scopes), planning.limit)
    check_ordering(reduction, planning)
    tables = table_tensors(reduction)
    scopes = reduction.scopes or [()]
    besides = table_bytes(graph, query, reduction, tables) + STATE_BYTES * len(variables)
    besides += weight_bytes(graph_scales(graph)) if query.exact else 0
    problem = Problem(tables, scopes, reduction.sizes, asked)
    name = partial(name_of, graph)
    strategy = chosen(problem, query.exact, planning, besides, name)
    carry_out = partial(_run, graph, query, states, variables, reduction, strategy)
    names = [graph.name(variable) for variable in variables]
    return JointStatePlan(query, (METHOD, 0.0), names, strategy, besides, carry_out)


def _run(
    graph: FactorGraph,
    query: Query,
    states: Mapping[int, int],
    variables: Sequence[int],
    reduction: Reduction,
    strategy: Strategy,
    progress: Progress,
) -> JointState:
    """Carry out a plan."""
    constants = [*graph_scales(graph), *reduction.sums, *settled(graph, reduction, states)]
    known = table_values(graph, reduction, states, summing(query.exact), strategy.leaves)
    found = strategy.run(query.exact, known, progress)
    chosen_states = [
        found.states[v] if v in found.states else state_of(graph, states, v) for v in variables
    ]
    return joint_state(
        found,
        constants,
        variables,
        [graph.name(variable) for variable in variables],
        chosen_states,
        [graph.states(variable) for variable in variables],
        (METHOD, 0.0),
    )
