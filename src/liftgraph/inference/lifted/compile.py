"""Lifted variable elimination: operators until no logvar is left, then plain elimination.

What remains when all logvars are gone are tables over single variables and counting variables:
an ordinary elimination problem, with a good order of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from liftgraph.display import format_bytes
from liftgraph.errors import ComputationError, MemoryLimitError
from liftgraph.inference.ground.elimination_order import BEYOND_MEMORY
from liftgraph.inference.ground.steps import BeyondMemoryError, Plan, make_plan
from liftgraph.inference.lifted.elimination import Eliminated, eliminate_logvars
from liftgraph.inference.lifted.operators import MULTIPLY, SUM_OUT
from liftgraph.inference.lifted.parts import Evidence, Parts, cut_domains
from liftgraph.inference.lifted.shard_names import term_name
from liftgraph.inference.lifted.shards import ShardIndex
from liftgraph.inference.lifted.shattering import Shattered, shatter
from liftgraph.inference.lifted.steps import Step, weights
from liftgraph.inference.lifted.terms import Term, UnliftableError, World
from liftgraph.inference.tensor.counting import Repeated
from liftgraph.inference.tensor.tensors import Powers, Root, Tensor, given, in_order, product_of
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph, Place

_MOST_TERMS = 2_000_000


@dataclass(frozen=True)
class Section:
    """Tables without logvars that have to do with each other, to be eliminated by a plan.

    ``shards``: the variables of the plan; ``tensors``: of its tables and of each of its steps.
    """

    shards: tuple[int, ...]
    plan: Plan
    tensors: list[Tensor]

    @property
    def kept(self) -> tuple[int, ...]:
        """The shards of the axes of the result."""
        return tuple(self.shards[label] for label in self.plan.scopes[-1])


@dataclass(frozen=True)
class Compiled:
    """A model turned into tensors whose product is the total weight, or its share over kept shards.

    ``steps``: those that got rid of logvars; ``sections``: what they left, the one with the kept
    shards first, if there are any. ``roots``: the results of all sections and of what needed no
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
    def owner(self) -> dict[int, Root]:
        """The root that each tensor, by its id, belongs to."""
        return {id(t): root for root in self.roots for t in in_order([root.tensor])}


def compile_model(
    model: ParfactorGraph, evidence: Evidence, kept: Sequence[Place] = ()
) -> Compiled:
    """Plan the elimination of everything but some variables.

    Where no operator applies, the individuals of a domain are told apart, and all starts anew.
    """
    ground: dict[int, str] = {}
    while True:
        parts = cut_domains(model, evidence, kept, ground)
        _check_size(model, parts, ground)
        try:
            shattered = shatter(model, parts, evidence)
            left = eliminate_logvars(shattered.shards.world, shattered.terms)
            _check_not_stuck(left, shattered)
        except UnliftableError as reason:
            domain = parts.listed[reason.part].domain
            if domain in ground:
                raise ComputationError(f"cannot be answered by lifting: {reason.reason}") from None
            ground[domain] = reason.reason
            continue
        try:
            return _finished(shattered, left, kept, ground)
        except BeyondMemoryError:
            bound = format_bytes(int(BEYOND_MEMORY))
            told = told_apart(shattered.shards, ground)
            raise MemoryLimitError(f"needs more than {bound}: {told}") from None


def told_apart(shards: ShardIndex, ground: Mapping[int, str]) -> str:
    """Into how many parts domains are split, and why individuals are told apart."""
    said = []
    for number, domain in enumerate(shards.model.domains):
        parts = len(shards.parts.by_domain[number])
        if number in ground:
            said.append(f"all {parts:,} of {domain.name} are told apart, since {ground[number]}")
        elif parts > 1:
            said.append(f"{domain.name} is split into {parts:,} parts by what is observed or asked")
    return "; ".join(said) or "no individuals are told apart"


def _check_size(model: ParfactorGraph, parts: Parts, ground: Mapping[int, str]) -> None:
    """Refuse to list more terms than anybody could wait for."""
    domains = {domain: number for number, domain in enumerate(model.domains)}
    for parfactor in model.parfactors:
        terms = 1
        for logvar in (*parfactor.logvars, *parfactor.counted):
            terms *= len(parts.by_domain[domains[logvar.domain]])
        if terms > _MOST_TERMS:
            told = told_apart(ShardIndex(model, parts, {}), ground)
            raise MemoryLimitError(
                f"needs {terms:,} terms for a parfactor, expected {_MOST_TERMS:,} at most: {told}"
            )


def _check_not_stuck(left: Eliminated, shattered: Shattered) -> None:
    """Raise what is to be told apart if some terms still have logvars."""
    if left.stuck:
        world = shattered.shards.world
        parts = [part for term in left.stuck for part in term.parts]
        smallest = min(parts, key=lambda part: (world.sizes[part], part))
        term = next(term for term in left.stuck if smallest in term.parts)
        name = term_name(shattered.shards, term)
        raise UnliftableError(smallest, f"no operator applies to {name}")


def _finished(
    shattered: Shattered, left: Eliminated, kept: Sequence[Place], ground: dict[int, str]
) -> Compiled:
    """Plan the plain elimination of what is left, section by section."""
    shards = shattered.shards
    numbers = [shards.shard(place) for place in kept]
    wanted = tuple(dict.fromkeys([n for n in numbers if n not in shards.observed]))
    terms = [*left.terms, *_weights(shards.world, left.terms)]
    covered = {shard for term in terms for shard, _ in term.axes}
    bare = [shard for shard in wanted if shard not in covered]
    terms += [_ones(shards.world, shard) for shard in bare]
    # Their states are counted by the tables of ones now.
    less = [(Fraction(1, shards.world.shards[shard].values), 1) for shard in bare]
    shattered = replace(shattered, free=[*shattered.free, *less])
    sections = [
        _section(shards.world, each, wanted if number == 0 else ())
        for number, each in enumerate(_connected(terms, wanted))
    ]
    roots = [_root(section.tensors[-1]) for section in sections]
    roots += [_root(term.tensor) for term in terms if not term.axes]
    return Compiled(shattered, left.steps, sections, roots, ground)


def _connected(terms: Sequence[Term], kept: Sequence[int]) -> list[list[Term]]:
    """Terms that share shards, together; all that have to do with kept shards come first."""
    leader: dict[int, int] = {}

    def find(shard: int) -> int:
        while leader.setdefault(shard, shard) != shard:
            leader[shard] = leader[leader[shard]]
            shard = leader[shard]
        return shard

    for together in [kept, *([shard for shard, _ in term.axes] for term in terms)]:
        for shard in together[1:]:
            leader[find(shard)] = find(together[0])
    groups: dict[int, list[Term]] = {find(kept[0]): []} if kept else {}
    for term in terms:
        if term.axes:
            groups.setdefault(find(term.axes[0][0]), []).append(term)
    return list(groups.values())


def _section(world: World, terms: Sequence[Term], kept: Sequence[int]) -> Section:
    """Plan the elimination of all shards but the kept ones."""
    variables = tuple(dict.fromkeys([shard for term in terms for shard, _ in term.axes]))
    label = {shard: number for number, shard in enumerate(variables)}
    scopes = [tuple([label[shard] for shard, _ in term.axes]) for term in terms]
    sizes = [world.shards[shard].values for shard in variables]
    plan = make_plan(scopes, sizes, [label[shard] for shard in kept])
    tensors = [term.tensor for term in terms]
    for number, step in enumerate(plan.steps, plan.given):
        operator = SUM_OUT if step.eliminated else MULTIPLY
        right = None if step.right is None else tensors[step.right]
        right_scope = step.eliminated if step.right is None else plan.scopes[step.right]
        scope, out = plan.scopes[step.left], plan.scopes[number]
        tensors.append(product_of(operator, tensors[step.left], scope, right, right_scope, out))
    return Section(variables, plan, tensors)


def _root(tensor: Tensor) -> Root:
    """A single number that is a power is kept as such: the power itself may be astronomical."""
    if isinstance(tensor, Powers) and isinstance(tensor.exponents, Repeated) and not tensor.shape:
        return Root(tensor.operand, tensor.exponents.total)
    return Root(tensor, 1)


def _weights(world: World, terms: Sequence[Term]) -> list[Term]:
    """In how many ways the histograms of counting variables come about."""
    covered = dict.fromkeys([shard for term in terms for shard, _ in term.axes])
    return [weights(world, shard) for shard in covered if world.shards[shard].counting is not None]


def _ones(world: World, shard: int) -> Term:
    """The table of a variable that nothing is said of."""
    return Term(((shard, ()),), given(np.ones(world.shards[shard].values, dtype=np.int64)))
