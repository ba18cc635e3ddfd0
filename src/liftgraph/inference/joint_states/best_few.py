"""The best few joint states of all variables of some tables, by elimination.

Where elimination keeps the largest product for each joint state of a table's variables, here it
keeps the k largest ones, in descending order (Flerova et al. 2012). The i-th of one table and the
j-th of another can only be among the k largest products if i · j ≤ k, since i · j products are at
least as large. Backwards, each rank is traced to a state of what was eliminated, and to ranks of
two tables. So different ranks belong to different joint states, or to different ranks in tables
whose entries are ranked from the start.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from liftgraph.inference.tensor.contraction_tree import ContractionTree, contraction_tree
from liftgraph.inference.tensor.elimination_order import EVERYTHING, Search
from liftgraph.inference.tensor.memory import BASE_BYTES, VALUE_BYTES
from liftgraph.inference.tensor.operation_memory import PAIR_BYTES, integer_bytes
from liftgraph.inference.tensor.tensors import Scope
from liftgraph.model.arrays import digits
from liftgraph.model.plans import Progress
from liftgraph.semiring import CHUNK, MaxSemiring
from liftgraph.semiring.maximum import entrywise_products

_COPIES = 5  # of a chunk of products, while the largest ones are chosen
INDEX_BYTES = 8
Integers = NDArray[np.int64]
Ranked = NDArray[Any]  # the entries of a table, and their ranks along the last axis, largest first


class Pairs(NamedTuple):
    """Ranks in two tables whose products may be among the largest: int64 (p,) each."""

    left: Integers
    right: Integers


@dataclass(frozen=True)
class BestFew:
    """How the best joint states will be found. ``wanted``: how many, at most.

    ``ranks``: how many products are kept for each entry of each tensor of the ``tree``; ``bits``:
    those of its longest integer.
    """

    tree: ContractionTree
    wanted: int
    ranks: Sequence[int]
    bits: Sequence[int]

    @property
    def steps(self) -> int:
        """How many contractions."""
        return len(self.tree.steps)

    @property
    def work(self) -> int:
        """How many products are looked at."""
        steps = zip(self.tree.costs, self.tree.steps, strict=True)
        return sum([cost * len(self.pairs(step.operands).left) for cost, step in steps])

    @property
    def kept(self) -> list[int]:
        """How many products are kept for each tensor."""
        return [
            entries * ranks for entries, ranks in zip(self.tree.entries, self.ranks, strict=True)
        ]

    @property
    def largest_tensor(self) -> int:
        """The tensor with most of them."""
        return self.kept.index(self.largest)

    @property
    def largest(self) -> int:
        """How many products are kept for the largest table."""
        return max(self.kept)

    def peak_bytes(self, exact: bool) -> int:
        """A bound on the bytes that it takes."""
        live = peak = 0
        for tensor, (entries, ranks) in enumerate(zip(self.tree.entries, self.ranks, strict=True)):
            width = integer_bytes(self.bits[tensor]) if exact else PAIR_BYTES
            live += VALUE_BYTES + width * entries * ranks
            if tensor >= self.tree.leaves:
                step = self.tree.steps[tensor - self.tree.leaves]
                pairs = len(self.pairs(step.operands).left)
                joint = prod([self.tree.sizes[label] for label in step.eliminated])
                products = min(max(CHUNK, entries * pairs), entries * joint * pairs)
                backwards = min(max(CHUNK, joint * pairs), self.wanted * joint * pairs)
                once = max(products + entries * ranks, backwards)
                peak = max(peak, live + _COPIES * width * once)
        origins = (VALUE_BYTES + INDEX_BYTES * self.wanted) * len(self.tree.order)
        return BASE_BYTES + max(peak, live) + origins

    def pairs(self, operands: Sequence[int]) -> Pairs:
        """The ranks in one tensor, or in two, that may be among the largest products."""
        left, right = self.ranks[operands[0]], self.ranks[operands[1]] if operands[1:] else 1
        return ranked_pairs(left, right, self.wanted)


@lru_cache(maxsize=64)
def ranked_pairs(left: int, right: int, wanted: int) -> Pairs:
    """The ranks in two tables, of so many, whose products may be among the largest."""
    chosen = [(i, j) for i in range(left) for j in range(min(right, wanted // (i + 1)))]
    first, second = zip(*chosen, strict=True)
    return Pairs(np.array(first), np.array(second))


class Origins(NamedTuple):
    """Where some products come from: the states of variables, by label, and ranks in tables, by
    number. All are int64 (p,), with a place for each product."""

    states: dict[int, Integers]
    ranks: dict[int, Integers]


def best_few(
    scopes: Sequence[Scope],
    sizes: Sequence[int],
    bits: Sequence[int],
    wanted: int,
    search: Search = EVERYTHING,
    kept: Sequence[int] = (),
    ranks: Sequence[int] = (),
) -> BestFew:
    """Plan to find the best joint states, for each joint state of the ``kept`` variables.

    ``bits``: of the longest integer of each table; ``ranks``: how many each of its entries has, one
    unless they are given. Raises ``BeyondMemoryError`` as ``contraction_tree`` does.
    Precondition: there is a table, and one for each kept variable.
    """
    tree = contraction_tree(scopes, sizes, kept, search)
    all_ranks, lengths = list(ranks or [1] * tree.leaves), list(bits)
    for step in tree.steps:
        joint = prod([sizes[label] for label in step.eliminated])
        ways = joint * prod([all_ranks[operand] for operand in step.operands])
        all_ranks.append(min(wanted, ways))
        lengths.append(sum([lengths[operand] for operand in step.operands]))
    return BestFew(tree, wanted, all_ranks, lengths)


def largest_products(
    plan: BestFew,
    semiring: MaxSemiring[Any],
    tables: Sequence[Ranked],
    progress: Progress = lambda share: None,
) -> list[Ranked]:
    """The ranked tables, and what each step makes of them: the last one has the largest products of
    all, in the order of its scope."""
    ranked = list(tables)
    for place in range(len(plan.tree.steps)):
        ranked.append(_largest(plan, semiring, place, ranked))
        progress((place + 1) / len(plan.tree.steps))
    return ranked


def possible_ranks(semiring: MaxSemiring[Any], products: Ranked) -> Integers:
    """The ranks of those products that are possible: int64 (p,)."""
    possible = [semiring.possible(products[rank : rank + 1]) for rank in range(len(products))]
    return np.flatnonzero(possible)


def origins(
    plan: BestFew,
    semiring: MaxSemiring[Any],
    ranked: Sequence[Ranked],
    ranks: Integers,
    kept: Mapping[int, Integers] | None = None,
) -> Origins:
    """Where the products of these ranks, for these states of the kept variables, come from.

    ``ranked``: what ``largest_products`` found.
    """
    found = Origins(dict(kept or {}), {plan.tree.root: ranks})
    for place in reversed(range(len(plan.tree.steps))):
        step, result = plan.tree.steps[place], plan.tree.leaves + place
        asked, pairs = found.ranks.pop(result), plan.pairs(step.operands)
        gone = [plan.tree.sizes[label] for label in step.eliminated]
        each = max(CHUNK // (prod(gone) * len(pairs.left)), 1)
        products = [np.empty(0, dtype=np.int64)]
        for start in range(0, len(asked), each):
            some = slice(start, start + each)
            states = [found.states[label][some] for label in plan.tree.scopes[result]]
            products.append(_places(plan, semiring, place, ranked, states, asked[some]))
        joint, pair = np.divmod(np.concatenate(products), len(pairs.left))
        found.states.update(zip(step.eliminated, digits(joint, gone), strict=True))
        found.ranks.update([(t, of[pair]) for t, of in zip(step.operands, pairs, strict=False)])
    return found


def _largest(
    plan: BestFew, semiring: MaxSemiring[Any], place: int, ranked: Sequence[Ranked]
) -> Ranked:
    """The largest products of a step, for each entry of its result."""
    tree, step = plan.tree, plan.tree.steps[place]
    out, kept = tree.scopes[tree.leaves + place], plan.ranks[tree.leaves + place]
    shape = tuple([tree.sizes[label] for label in out])
    pairs = plan.pairs(step.operands)
    joint = (*out, *step.eliminated)
    tables = [aligned(tree, ranked[t], t, joint) for t in step.operands]
    gone = [tree.sizes[label] for label in step.eliminated]
    each = max(CHUNK // max(prod(shape) * len(pairs.left), 1), 1)
    best: Ranked | None = None
    for start in range(0, prod(gone), each):
        states = np.arange(start, min(start + each, prod(gone)))
        everywhere = (slice(None),) * len(out)
        found = _products(semiring, [_at(t, everywhere, gone, states) for t in tables], pairs)
        found = np.broadcast_to(found, (*shape, *found.shape[len(out) :])).reshape(*shape, -1)
        together = found if best is None else np.concatenate([best, found], axis=-1)
        best = np.sort(together, axis=-1)[..., ::-1][..., :kept]
    assert best is not None
    return np.ascontiguousarray(best)


def aligned(tree: ContractionTree, table: Ranked, tensor: int, joint: Scope) -> Ranked:
    """A tensor with its axes in the order of a joint scope, of length one where it has none."""
    scope = tree.scopes[tensor]
    order = [scope.index(label) for label in joint if label in scope]
    shape = [tree.sizes[label] if label in scope else 1 for label in joint]
    return table.transpose(*order, len(scope)).reshape(*shape, table.shape[-1])


def _at(table: Ranked, kept: tuple[Any, ...], gone: Sequence[int], states: Integers) -> Ranked:
    """A table at some joint states of what is eliminated: one axis for these, and one for ranks."""
    if not gone:
        return np.asarray(table[kept][..., None, :])
    columns = digits(states, gone)
    lengths = table.shape[len(kept) : -1]
    index = [c if length > 1 else 0 * c for c, length in zip(columns, lengths, strict=True)]
    return np.asarray(table[(*kept, *index)])


def _products(semiring: MaxSemiring[Any], tables: Sequence[Ranked], pairs: Pairs) -> NDArray[Any]:
    """The products of pairs of ranks, along the last axis."""
    if len(tables) == 1:
        return tables[0]
    left, right = tables
    return entrywise_products(semiring, left[..., pairs.left], right[..., pairs.right])


def _places(
    plan: BestFew,
    semiring: MaxSemiring[Any],
    place: int,
    ranked: Sequence[Ranked],
    states: Sequence[Integers],
    ranks: Integers,
) -> Integers:
    """Where some products of a step are among all, in the order of joint states and pairs.

    ``states``: those of the variables of the result, and ``ranks``: those of the products there.
    """
    tree, step = plan.tree, plan.tree.steps[place]
    joint = (*tree.scopes[tree.leaves + place], *step.eliminated)
    gone = [tree.sizes[label] for label in step.eliminated]
    here = []
    for tensor in step.operands:
        table = aligned(tree, ranked[tensor], tensor, joint)
        lengths = zip(states, table.shape, strict=False)
        index = tuple([state if length > 1 else 0 * state for state, length in lengths])
        rows = table[index] if index else np.broadcast_to(table, (len(ranks), *table.shape))
        here.append(_at(rows, (slice(None),), gone, np.arange(prod(gone))))
    pairs = plan.pairs(step.operands)
    shape = len(ranks), prod(gone) * len(pairs.left)
    products = _products(semiring, here, pairs).reshape(shape)
    order = np.argsort(products, axis=1, kind="stable")[:, ::-1]
    return order[np.arange(len(ranks)), ranks]
