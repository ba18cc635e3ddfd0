"""The best few joint states of all PRVs about the individuals of a part, up to exchanging these.

A PRV that is in no factor with two individuals, nor counted in one, is private: all that matters of
it is what is best for one individual, given the context (variables about no individual) and the
individual's counted PRVs. So the best joint states of the private PRVs are ranked for one
individual, and multisets of ranks are what all individuals have. Only the PRVs that are not private
need a histogram, which tables of the whole model share.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import comb, prod
from typing import Any, NamedTuple

import numpy as np

from liftgraph.inference.joint_states.best_few import (
    BestFew,
    Ranked,
    aligned,
    best_few,
    largest_products,
    origins,
)
from liftgraph.inference.joint_states.best_multisets import BestMultisets, best_multisets, multiset
from liftgraph.inference.lifted.colourings import States
from liftgraph.inference.lifted.terms import Term, World
from liftgraph.inference.tensor.elimination_order import Search
from liftgraph.inference.tensor.evaluation import Values
from liftgraph.inference.tensor.tensors import Scope, Tensor, given
from liftgraph.model.arrays import codes, digits
from liftgraph.semiring import MaxSemiring


@dataclass(frozen=True)
class RankedIndividuals:
    """How the individuals of a part are ranked.

    ``contexts``: the shards about no individual in their terms; ``counted``: those of the part that
    are in a histogram, and ``counting``: which one, if there are any. ``about``: all shards of the
    part. ``tables``: those of one individual; ``one``, ``together``: what is done for one
    individual, and for all of them.
    """

    contexts: Scope
    counted: Scope
    counting: int | None
    about: Scope
    tables: Sequence[Tensor]
    one: BestFew
    together: BestMultisets

    @property
    def scope(self) -> Scope:
        """What the weights of all individuals together depend on."""
        return self.contexts if self.counting is None else (*self.contexts, self.counting)

    @property
    def bits(self) -> int:
        """Those of the longest integer of all individuals together."""
        return self.together.bits * self.together.individuals

    def peak_bytes(self, exact: bool) -> int:
        """A bound on the bytes that it takes."""
        return self.one.peak_bytes(exact) + self.together.peak_bytes(exact)


class RankedWeights(NamedTuple):
    """What was found. ``products``: those of one individual, and ``one``: the last, of shape
    (contexts, cells, ranks). ``together``: those of all individuals, ranked, by context and
    histogram."""

    products: Sequence[Ranked]
    one: Ranked
    together: Ranked


def ranked_individuals(
    world: World,
    about: Scope,
    counting: int | None,
    terms: Sequence[Term],
    wanted: int,
    search: Search,
) -> RankedIndividuals:
    """Plan the best few multisets of joint states.

    ``about``: all shards of a part; ``counting``: the histogram of some of them; ``terms``: those
    with an individual of the part as their only logvar. Raises ``BeyondMemoryError``.
    """
    counts = None if counting is None else world.shards[counting].counting
    counted = tuple([slot.shard for slot in counts.slots]) if counts else ()
    tables = [term.tensor for term in terms]
    scopes: list[Scope] = [tuple([shard for shard, _ in term.axes]) for term in terms]
    for shard in about:  # also those in no term
        tables.append(given(np.ones(world.shards[shard].values, dtype=np.int64)))
        scopes.append((shard,))
    contexts = contexts_of(terms)
    sizes = [shard.values for shard in world.shards]
    bits = [table.bits for table in tables]
    one = best_few(scopes, sizes, bits, wanted, search, (*contexts, *counted))
    lengths = [prod([sizes[shard] for shard in scope]) for scope in (contexts, counted)]
    individuals = world.sizes[world.shards[about[0]].parts[0]]
    shape = lengths[0], lengths[1], one.ranks[-1]
    together = BestMultisets(individuals, shape, one.bits[-1], wanted)
    return RankedIndividuals(contexts, counted, counting, about, tables, one, together)


def contexts_of(terms: Iterable[Term]) -> Scope:
    """The shards about no individual in some terms."""
    return tuple(sorted({shard for t in terms for shard, logvars in t.axes if not logvars}))


def ranked_weights(
    plan: RankedIndividuals, semiring: MaxSemiring[Any], values: Values[Any]
) -> RankedWeights:
    """The weights of the best multisets. ``values``: those of the tables."""
    leaves = [np.asarray(values[table])[..., None] for table in plan.tables]
    products, tree = largest_products(plan.one, semiring, leaves), plan.one.tree
    kept = (*plan.contexts, *plan.counted)
    one = aligned(tree, products[-1], tree.root, kept).reshape(plan.together.shape)
    together = best_multisets(plan.together, semiring, one)
    contexts = [tree.sizes[shard] for shard in plan.contexts]
    histograms = [] if plan.counting is None else [plan.together.histograms]
    return RankedWeights(products, one, together.reshape(*contexts, *histograms, -1))


def individuals_at(
    plan: RankedIndividuals,
    semiring: MaxSemiring[Any],
    weights: RankedWeights,
    chosen: Mapping[int, int],
    rank: int,
) -> tuple[dict[int, States], int]:
    """The states of the part's shards in the multiset of a rank, and in how many ways individuals
    can have them. ``chosen``: the states of contexts, and the number of the histogram."""
    tree, context = plan.one.tree, [chosen[shard] for shard in plan.contexts]
    shape = [tree.sizes[shard] for shard in plan.contexts]
    row = int(codes([np.array([state]) for state in context], shape)[0])
    histogram = 0 if plan.counting is None else chosen[plan.counting]
    counts = multiset(plan.together, semiring, weights.one[row], histogram, rank)
    cells, ranks = np.nonzero(counts)
    numbers = counts[cells, ranks]
    columns = digits(cells, [tree.sizes[shard] for shard in plan.counted])
    kept = {shard: np.full(len(cells), chosen[shard]) for shard in plan.contexts}
    kept |= dict(zip(plan.counted, columns, strict=True))
    found = origins(plan.one, semiring, weights.products, ranks, kept)
    states = {shard: np.repeat(found.states[shard], numbers) for shard in plan.about}
    return states, multinomial(numbers.tolist())


def multinomial(counts: Sequence[int]) -> int:
    """In how many ways individuals can be distributed so that there are these numbers of them.

    >>> multinomial([2, 1, 1])
    12
    """
    return prod(map(comb, accumulate(counts), counts))
