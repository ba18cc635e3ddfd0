"""Lifted variable elimination: operators until no logvar is left, then plain elimination.

What remains when all logvars are gone are tables over single variables and counting variables:
an ordinary elimination problem, for which a good order is chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from liftgraph.disjoint_sets import DisjointSets
from liftgraph.display import format_count
from liftgraph.errors import ComputationError, MemoryLimitError
from liftgraph.inference.lifted.elimination import (
    BeyondAnyMachineError,
    Eliminated,
    eliminate_logvars,
)
from liftgraph.inference.lifted.facts import Evidence
from liftgraph.inference.lifted.observations import observations
from liftgraph.inference.lifted.operators import OPERATORS, Operator
from liftgraph.inference.lifted.operators.protocol import Step
from liftgraph.inference.lifted.operators.sum_out import weights
from liftgraph.inference.lifted.parts import Parts, cut_domains
from liftgraph.inference.lifted.placements import part_choices
from liftgraph.inference.lifted.shards import ShardIndex
from liftgraph.inference.lifted.shattering import Shattered, shatter
from liftgraph.inference.lifted.terms import Term, UnliftableError, World
from liftgraph.inference.tensor.contraction_tree import BeyondMemoryError, contraction_tree
from liftgraph.inference.tensor.counting import Repeated
from liftgraph.inference.tensor.planning_memory import contracting_bytes, ordering_bytes
from liftgraph.inference.tensor.sections import Section, section
from liftgraph.inference.tensor.tensors import Given, Powers, Root, Tensor, given, in_order
from liftgraph.model.lifted.logvars import Domain
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.model.lifted.variables import Place
from liftgraph.model.memory_limit import Planning

_MOST_TERMS = 2_000_000
_FEW_TERMS = 1000  # for which nothing is charged
_TERM_BYTES = 850  # a term while a plan is made, with its tensor and its place among the others
_LISTED_BYTES = 1900  # a term whose logvars are eliminated, with what that leaves
_ROOM = Planning(1 << 62)  # for everything
_NAMED = 3  # the most domains that a refusal names


@dataclass(frozen=True)
class Compiled:
    """A model turned into tensors whose product is the total weight, or its share over kept shards.

    ``steps``: those that removed logvars; ``sections``: what they left; if shards are kept, their
    section comes first. ``roots``: the results of all sections and of what needed no
    further elimination. ``ground``: domains whose individuals are told apart, and why.
    """

    shattered: Shattered
    steps: list[Step]
    sections: list[Section]
    roots: list[Root]
    ground: dict[int, str]

    @property
    def world(self) -> World:
        """The shards of the model."""
        return self.shattered.shards.world

    @cached_property
    def orders(self) -> dict[Root, list[Tensor]]:
        """The tensors that each root is made from, and its own, operands first."""
        return {root: in_order([root.tensor]) for root in self.roots}

    @cached_property
    def possible(self) -> set[Root]:
        """The roots that are known to be above zero; runs add to those of tables without zeros."""
        return {root for root, order in self.orders.items() if _are_positive(order)}

    @cached_property
    def owner(self) -> dict[Tensor, Root]:
        """The root that each tensor belongs to."""
        return {tensor: root for root, order in self.orders.items() for tensor in order}


class WithoutLogvars(NamedTuple):
    """A model as terms over shards, what operators left of them, and why domains are ground."""

    shattered: Shattered
    left: Eliminated
    ground: dict[int, str]


def compile_model(
    model: ParfactorGraph,
    evidence: Evidence,
    kept: Sequence[Place] = (),
    operators: Sequence[Operator] = OPERATORS,
    planning: Planning = _ROOM,
) -> Compiled:
    """Plan the elimination of everything but some variables.

    ``evidence``: the states of variables; likelihoods are those of the model's own evidence.
    ``planning``: nothing is charged there (``compiled_bytes`` says how much that is), but
    ``PlanningLimitError`` is raised where there is no room for it.
    """
    shattered, left, ground = without_logvars(
        model, evidence, kept, lambda shards: operators, planning
    )
    check_room(left, planning)
    try:
        return _finished(shattered, left, kept, ground)
    except BeyondMemoryError:
        raise _beyond_any_machine(shattered.shards, ground) from None


def without_logvars(
    model: ParfactorGraph,
    evidence: Evidence,
    kept: Sequence[Place],
    operators: Callable[[ShardIndex], Sequence[Operator]],
    planning: Planning,
) -> WithoutLogvars:
    """Apply operators, which may depend on shards, until no term has a logvar.

    ``kept``: variables whose individuals are told apart from all others. Where no operator applies,
    the individuals of a domain are told apart and planning restarts.
    """
    ground: dict[int, str] = {}
    observed = observations(model, evidence)
    while True:
        parts = cut_domains(model, observed.by_place, kept, ground)
        check_size(model, parts, ground, planning)
        try:
            shattered = shatter(model, parts, observed)
            shards = shattered.shards
            left = eliminate_logvars(shards, shattered.terms, operators(shards))
        except BeyondAnyMachineError:
            raise _beyond_any_machine(shards, ground) from None
        except UnliftableError as reason:
            domain = parts.listed[reason.part].domain
            if domain in ground:
                raise ComputationError(f"cannot be answered by lifting: {reason.reason}") from None
            _check_individuals(model.domains[domain], reason.reason)
            ground[domain] = reason.reason
            continue
        return WithoutLogvars(shattered, left, ground)


def _beyond_any_machine(shards: ShardIndex, ground: Mapping[int, str]) -> MemoryLimitError:
    """The error for tables that no machine could hold; it says who is told apart."""
    beyond = BeyondAnyMachineError()
    error = MemoryLimitError(f"{beyond}: {told_apart(shards, ground)}")
    error.needed = beyond.needed
    return error


def _are_positive(tensors: Sequence[Tensor]) -> bool:
    """Whether no table among tensors has zeros: products, sums, powers and choices of positive
    numbers are positive."""
    tables = (leaf.integers for leaf in tensors if isinstance(leaf, Given))
    return all(bool((integers > 0).all()) for integers in tables)


def told_apart(shards: ShardIndex, ground: Mapping[int, str]) -> str:
    """A short text: how many parts domains are split into, and why individuals are told apart.

    At most three domains are named. The reason is that of the first one that was told apart: it is
    often the cause of the others.
    """
    domains = shards.model.domains
    parts = [max(map(len, by_outer)) for by_outer in shards.parts.by_domain]
    clauses: list[str] = []
    for domain, reason in ground.items():
        why = ", too" if clauses else f", since {reason}"
        clauses.append(f"all {parts[domain]:,} of {domains[domain].name} are told apart{why}")
    for domain, count in enumerate(parts):
        if domain not in ground and count > 1:
            name = domains[domain].name
            clauses.append(f"{name} is split into {count:,} parts by what is observed or asked")
    more = len(clauses) - _NAMED
    rest = [f"so are {more:,} more domains" if more > 1 else "so is another domain"]
    return "; ".join(clauses[:_NAMED] + rest * (more > 0)) or "no individuals are told apart"


def _check_individuals(domain: Domain, reason: str) -> None:
    """Refuse to tell more individuals apart than could be in the terms of a parfactor."""
    if domain.size > _MOST_TERMS:
        raise MemoryLimitError(
            f"needs all {format_count(domain.size)} individuals of {domain.name} to be told apart,"
            f" expected {_MOST_TERMS:,} at most: {reason}"
        )


def check_size(
    model: ParfactorGraph, parts: Parts, ground: Mapping[int, str], planning: Planning
) -> None:
    """Refuse to list more terms than a user would wait for, or than there is room for."""
    logvars = max([len(p.logvars) + len(p.counted) for p in model.parfactors], default=0)
    choices = len(parts.listed) ** logvars
    if choices <= _MOST_TERMS and choices * len(model.parfactors) <= _FEW_TERMS:
        return
    domains = {domain: index for index, domain in enumerate(model.domains)}
    terms = [part_choices(parfactor, parts, domains) for parfactor in model.parfactors]
    if max(terms, default=0) > _MOST_TERMS:
        told = told_apart(ShardIndex(model, parts), ground)
        raise MemoryLimitError(
            f"needs {format_count(max(terms))} terms for a parfactor,"
            f" expected {_MOST_TERMS:,} at most: {told}"
        )
    told = told_apart(ShardIndex(model, parts), ground)
    planning.check(_LISTED_BYTES * sum(terms), told)


def check_room(left: Eliminated, planning: Planning) -> None:
    """Refuse to eliminate the variables of terms without logvars where there is no room for it."""
    terms = left.terms
    if len(terms) > _FEW_TERMS:
        least, passing = ordering_bytes([tuple([shard for shard, _ in t.axes]) for t in terms])
        reason = f"{len(terms):,} terms are left"
        made = _TERM_BYTES * (len(terms) + len(left.steps))
        planning.check(made + max(least, passing), reason)


def compiled_bytes(compiled: Compiled) -> int:
    """A bound on the bytes of a compiled model."""
    terms = len(compiled.shattered.terms) + len(compiled.steps)
    return _TERM_BYTES * terms + sum([contracting_bytes(part.tree) for part in compiled.sections])


def _finished(
    shattered: Shattered, left: Eliminated, kept: Sequence[Place], ground: dict[int, str]
) -> Compiled:
    """Plan the plain elimination of what is left, section by section."""
    shards = shattered.shards
    asked = dict.fromkeys(shards.shard(place) for place in kept)
    wanted = tuple([shard for shard in asked if shard not in shards.observed])
    terms = [*left.terms, *_weights(shards.world, left.terms)]
    covered = {shard for term in terms for shard, _ in term.axes}
    bare = [shard for shard in wanted if shard not in covered]
    terms += [_ones(shards.world, shard) for shard in bare]
    if bare:  # The tables of ones count their states now.
        less = [(Fraction(1, shards.world.shards[shard].values), 1) for shard in bare]
        shattered = replace(shattered, free=[*shattered.free, *less])
    sections = [
        _section(shards.world, together, wanted if section_index == 0 else ())
        for section_index, together in enumerate(_connected(terms, wanted))
    ]
    roots = [_root(section.result) for section in sections]
    roots += [_root(term.tensor) for term in terms if not term.axes]
    return Compiled(shattered, left.steps, sections, roots, ground)


def _connected(terms: Sequence[Term], kept: Sequence[int]) -> list[list[Term]]:
    """Groups of terms that share shards; the group connected to kept shards comes first."""
    shards: DisjointSets[int] = DisjointSets()
    shards.join(kept)
    for term in terms:
        shards.join(shard for shard, _ in term.axes)
    sections: dict[int, list[Term]] = {shards.find(kept[0]): []} if kept else {}
    for term in terms:
        if term.axes:
            sections.setdefault(shards.find(term.axes[0][0]), []).append(term)
    return list(sections.values())


def _section(world: World, terms: Sequence[Term], kept: Sequence[int]) -> Section:
    """Plan the elimination of all shards but the kept ones."""
    variables = tuple(dict.fromkeys([shard for term in terms for shard, _ in term.axes]))
    label = {shard: index for index, shard in enumerate(variables)}
    scopes = [tuple([label[shard] for shard, _ in term.axes]) for term in terms]
    sizes = [world.shards[shard].values for shard in variables]
    tree = contraction_tree(scopes, sizes, [label[shard] for shard in kept])
    return section(tree, variables, [term.tensor for term in terms])


def _root(tensor: Tensor) -> Root:
    """A single number that is a power stays a base and an exponent: it may be astronomical."""
    if isinstance(tensor, Powers) and isinstance(tensor.exponents, Repeated) and not tensor.shape:
        return Root(tensor.operand, tensor.exponents.total)
    return Root(tensor, 1)


def _weights(world: World, terms: Sequence[Term]) -> list[Term]:
    """In how many ways each histogram of the counting variables can occur."""
    covered = dict.fromkeys([shard for term in terms for shard, _ in term.axes])
    return [weights(world, shard) for shard in covered if world.shards[shard].counting is not None]


def _ones(world: World, shard: int) -> Term:
    """The table of a variable that is in no factor."""
    return Term(((shard, ()),), given(np.ones(world.shards[shard].values, dtype=np.int64)))
