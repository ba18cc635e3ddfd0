"""The most probable assignments of all variables of a factor graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from liftgraph.inference.answer_memory import (
    ARGUMENT_BYTES,
    FACTOR_BYTES,
    STATE_BYTES,
    logarithms_bytes,
    weight_bytes,
)
from liftgraph.inference.ground.memory import table_bytes
from liftgraph.inference.ground.pattern import fixed_variables, name_of, state_of, table_tensors
from liftgraph.inference.ground.pieces import graph_scales
from liftgraph.inference.ground.planning import check_ordering, take_reducing, take_walk
from liftgraph.inference.ground.reduction import Reduction, reduce_graph
from liftgraph.inference.ground.refusal import check_counts, check_tables, check_treewidth
from liftgraph.inference.ground.values import settled, table_values
from liftgraph.inference.joint_states.best_few import (
    BestFew,
    Origins,
    largest_products,
    origins,
    possible_ranks,
)
from liftgraph.inference.joint_states.explanations import ExplanationsPlan, explanations, fitting
from liftgraph.inference.joint_states.problem import whole
from liftgraph.inference.weight import log_weight, weight
from liftgraph.model.answers.explanations import Explanations
from liftgraph.model.answers.weights import Assignment
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.memory_limit import Planning
from liftgraph.model.plans import Progress
from liftgraph.model.query import Query
from liftgraph.semiring import choose_semiring

METHOD = "ground"


def plan_ground_explanations(
    graph: FactorGraph, query: Query, states: Mapping[int, int], planning: Planning
) -> ExplanationsPlan:
    """Plan the most probable assignments; refused if this needs more bytes than the limit.

    ``states``: those that the question observes beside the graph's own evidence. ``planning``: what
    planning takes is charged there. Precondition: the
    hidden axes of potentials may be maximised.
    """
    take_walk(graph, planning, len(states))
    fixed = fixed_variables(graph, states)
    check_treewidth(graph, states, (), planning.limit)
    check_counts(graph, query, (), planning.limit)
    take_reducing(graph, planning)
    free = [variable for variable in range(graph.variable_count) if variable not in fixed]
    reduction = reduce_graph(graph, fixed, free)
    check_tables(len(reduction.scopes), planning.limit)
    check_ordering(reduction, planning)
    tensors = [whole(tensor) for tensor in table_tensors(reduction)]
    bits = [tensor.bits for tensor in tensors]
    besides = table_bytes(graph, query, reduction, tensors)
    besides += (query.best + 1) * (STATE_BYTES * graph.variable_count)
    besides += FACTOR_BYTES * graph.factor_count + ARGUMENT_BYTES * graph.edge_count
    besides += logarithms_bytes(2 * graph.factor_count)
    if query.exact:
        besides += (query.best + 1) * weight_bytes(graph_scales(graph), sum(bits))
    scopes, name = reduction.scopes or [()], partial(name_of, graph)
    search = fitting(scopes, reduction.sizes, bits, query, planning.limit, besides, name)
    carry_out = partial(_run, graph, query, states, reduction, search)
    needed = search.peak_bytes(query.exact) + besides
    return ExplanationsPlan(query, (METHOD, 0.0), [search], needed, carry_out)


def _run(
    graph: FactorGraph,
    query: Query,
    states: Mapping[int, int],
    reduction: Reduction,
    search: BestFew,
    progress: Progress,
) -> Explanations:
    settled(graph, reduction, states)  # or nothing is possible
    semiring: Any = choose_semiring("maximum", query.exact)
    tensors = [whole(tensor) for tensor in table_tensors(reduction)]
    places = [(tensor, table) for table, tensor in enumerate(tensors)]
    values = table_values(graph, reduction, states, semiring, places)
    tables = [np.asarray(values[tensor])[..., None] for tensor in tensors]
    ranked = largest_products(search, semiring, tables, progress)
    found = origins(search, semiring, ranked, possible_ranks(semiring, ranked[-1]))
    return explanations(_assignments(graph, query, states, found), query.best, (METHOD, 0.0))


def _assignments(
    graph: FactorGraph,
    query: Query,
    states: Mapping[int, int],
    found: Origins,
) -> Iterator[tuple[Assignment, int]]:
    """The assignments that were found; each stands for itself."""
    names = tuple(map(graph.name, range(graph.variable_count)))
    for place in range(len(found.ranks[0])):
        chosen = {variable: int(column[place]) for variable, column in found.states.items()}
        assigned = tuple(
            [
                chosen[v] if v in chosen else state_of(graph, states, v)
                for v in range(graph.variable_count)
            ]
        )
        exact = weight(graph, assigned) if query.exact else None
        yield (
            Assignment(
                names,
                assigned,
                graph.state_set_id,
                graph.state_sets,
                log_weight(graph, assigned),
                exact,
                METHOD,
            ),
            1,
        )
