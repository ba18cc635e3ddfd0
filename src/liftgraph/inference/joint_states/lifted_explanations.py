"""The most probable assignments of a lifted model, up to exchanging individuals.

Individuals of a part are those that evidence does not tell apart. Where each variable is about at
most one of them, an assignment gives each individual a joint state of all PRVs about it, and
exchanging individuals changes anything but how many have which: so a class of assignments is a
histogram of joint states for each part, beside the states of variables about no such individual. It
stands for as many assignments as there are ways to choose which individuals are in which cell.

So PRVs about a part are counted jointly, also those that no factor connects, and what is left are
tables over these counting variables, whose best few values are found. PRVs that only matter to each
individual alone need no histogram: their best few joint states are ranked. Where variables are
about several individuals that can be exchanged, classes are those of graphs up to isomorphism,
which no histogram describes: then the question is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np

from liftgraph.display import counted
from liftgraph.inference.answer_memory import listing_bytes, weight_bytes
from liftgraph.inference.joint_states.best_few import (
    BestFew,
    Origins,
    largest_products,
    origins,
    possible_ranks,
)
from liftgraph.inference.joint_states.counted_individuals import Individuals, counted_individuals
from liftgraph.inference.joint_states.explanations import (
    ExplanationsPlan,
    Ranking,
    explanations,
    fitting,
)
from liftgraph.inference.joint_states.ranked_individuals import (
    RankedWeights,
    individuals_at,
    multinomial,
    ranked_weights,
)
from liftgraph.inference.lifted.colourings import States
from liftgraph.inference.lifted.decisions import decided
from liftgraph.inference.lifted.explanation import assignment
from liftgraph.inference.lifted.facts import Evidence
from liftgraph.inference.lifted.plan import check_powers
from liftgraph.inference.lifted.shards import short_shard_name
from liftgraph.inference.tensor.counting import cell_counts
from liftgraph.inference.tensor.evaluation import forward
from liftgraph.inference.tensor.memory import peak_bytes
from liftgraph.inference.tensor.operation_memory import FLOAT_BYTES
from liftgraph.inference.tensor.tensors import Root, in_order, power_bits
from liftgraph.model.answers.explanations import Explanations
from liftgraph.model.answers.weights import Assignment
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.model.memory_limit import beyond_limit
from liftgraph.model.plans import Progress
from liftgraph.model.query import Query
from liftgraph.semiring import MaxSemiring, choose_semiring

_STATE_BYTES = 120  # a variable in an assignment: its state, and its name's entry
_COUNT_COPIES = 4  # of the histograms of a counting variable, while states are decided


def plan_lifted_explanations(
    model: ParfactorGraph, query: Query, evidence: Evidence, memory_limit: int
) -> ExplanationsPlan:
    """Plan the most probable assignments; refused if this needs more bytes than the limit."""
    listed = listing_bytes(model.places) + _STATE_BYTES * (query.best + 1) * model.variable_count
    if listed > memory_limit:
        reason = f"the model has {model.variable_count:,} variables"
        raise beyond_limit("the answer alone needs", listed, memory_limit, reason)
    individuals = counted_individuals(model, evidence, query.best + 1, memory_limit)
    check_powers(in_order(individuals.all_tables))
    world, ranked = individuals.world, individuals.ranked
    besides = listed + _besides(individuals, query)
    name = partial(short_shard_name, individuals.shattered.shards)
    for part in ranked:
        if part.peak_bytes(query.exact) + besides > memory_limit:
            needed = part.peak_bytes(query.exact) + besides
            kept = counted(max(part.one.largest, part.together.largest), "product")
            reason = f"{kept} would be kept for the individuals of {name(part.about[0])}"
            raise beyond_limit("needs", needed, memory_limit, reason)
    besides += sum([part.peak_bytes(query.exact) for part in ranked])
    search = fitting(
        [*individuals.scopes, *[part.scope for part in ranked]],
        [shard.values for shard in world.shards],
        _bits(individuals),
        query,
        memory_limit,
        besides,
        name,
        [1] * len(individuals.scopes) + [query.best + 1] * len(ranked),
    )
    carry_out = partial(_run, model, query, individuals, search)
    needed = search.peak_bytes(query.exact) + besides
    rankings: list[Ranking] = [search]
    for part in ranked:
        rankings += [part.one, part.together]
    return ExplanationsPlan(query, ("lifted", model.log_odds_bound), rankings, needed, carry_out)


def _bits(individuals: Individuals) -> list[int]:
    """Those of the longest integer of each table, and of each part."""
    bits = [tensor.bits for tensor in individuals.tables]
    return bits + [part.bits for part in individuals.ranked]


def _besides(individuals: Individuals, query: Query) -> int:
    """The bytes that tables take, and the states of individuals."""
    tables, world = individuals.all_tables, individuals.world
    roots = [Root(tensor, 1) for tensor in tables]
    besides = peak_bytes(in_order(tables), roots, exact=query.exact, maximises=True)
    histograms = [
        shard.values * prod(shard.counting.shape)
        for shard in world.shards
        if shard.counting is not None
    ]
    besides += _COUNT_COPIES * FLOAT_BYTES * max(histograms, default=0)
    if query.exact:
        constants = individuals.shattered.constants
        besides += (query.best + 1) * weight_bytes(constants, sum(_bits(individuals)))
    return besides


def _run(
    model: ParfactorGraph,
    query: Query,
    individuals: Individuals,
    search: BestFew,
    progress: Progress,
) -> Explanations:
    order = in_order(individuals.all_tables)
    bits = max([power_bits(order), *[part.bits for part in individuals.ranked]])
    semiring: MaxSemiring[Any] = choose_semiring("maximum", query.exact, bits)
    values = forward(semiring, order, [Root(tensor, 1) for tensor in individuals.all_tables])
    parts = [ranked_weights(part, semiring, values) for part in individuals.ranked]
    tables = [np.asarray(values[tensor])[..., None] for tensor in individuals.tables]
    leaves = [*tables, *[part.together for part in parts]]
    ranked = largest_products(search, semiring, leaves, progress)
    found = origins(search, semiring, ranked, possible_ranks(semiring, ranked[-1]))
    how = ("lifted", model.log_odds_bound)
    classes = _classes(model, query, individuals, _decisions(individuals, semiring, parts, found))
    return explanations(classes, query.best, how)


def _classes(
    model: ParfactorGraph,
    query: Query,
    individuals: Individuals,
    decisions: Iterator[tuple[dict[int, States], int]],
) -> Iterator[tuple[Assignment, int]]:
    """An assignment of each class, and how many are in the class."""
    how = ("lifted", model.log_odds_bound)
    for states, size in decisions:
        yield assignment(model, individuals.shattered, states, query.exact, how), size


def _decisions(
    individuals: Individuals,
    semiring: MaxSemiring[Any],
    parts: Sequence[RankedWeights],
    found: Origins,
) -> Iterator[tuple[dict[int, States], int]]:
    """The states of all shards in each class, and in how many ways individuals have them."""
    world, first = individuals.world, len(individuals.tables)
    for place in range(len(found.ranks[0])):
        chosen = {label: int(column[place]) for label, column in found.states.items()}
        states, size = dict[int, States](), 1
        for number, (plan, weights) in enumerate(zip(individuals.ranked, parts, strict=True)):
            rank = int(found.ranks[first + number][place])
            own, ways = individuals_at(plan, semiring, weights, chosen, rank)
            states |= own
            size *= ways
        ranked = {plan.counting for plan in individuals.ranked}
        others = {label: value for label, value in chosen.items() if label not in ranked}
        for label, value in others.items():
            counting = world.shards[label].counting
            if counting is not None:
                counts = cell_counts(counting.individuals, prod(counting.shape))
                size *= multinomial(counts[value].tolist())
        yield decided(world, others, individuals.shattered.terms, states), size
