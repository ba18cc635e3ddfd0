"""The best few joint states of all variables of some tables, by elimination.

Where elimination keeps the largest product for each joint state of a table's variables, here it
keeps the k largest ones, in descending order: the i-th of one table and the j-th of another can
only be among the k largest products if i · j ≤ k, since i · j products are at least as large.
Backwards, each rank is traced to a state of what was eliminated, and to ranks of two tables. So
different ranks belong to different joint states.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from liftgraph.inference.tensor.contraction_tree import ContractionTree, contraction_tree
from liftgraph.inference.tensor.elimination_order import EVERYTHING, Search
from liftgraph.inference.tensor.memory import BASE_BYTES, VALUE_BYTES
from liftgraph.inference.tensor.operation_memory import PAIR_BYTES, integer_bytes
from liftgraph.inference.tensor.tensors import Scope
from liftgraph.model.plans import Progress
from liftgraph.semiring import CHUNK, MaxSemiring
from liftgraph.semiring.maximum import entrywise_products

_COPIES = 5  # of a chunk of products, while the largest ones are chosen
Ranked = NDArray[Any]  # the entries of a table, and their ranks along the last axis, largest first


class _Pairs(NamedTuple):
    """Ranks in two tables whose products may be among the largest: int64 (p,) each."""

    left: NDArray[np.int64]
    right: NDArray[np.int64]


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
                once = max(products + entries * ranks, joint * pairs)  # forwards, and backwards
                peak = max(peak, live + _COPIES * width * once)
        return BASE_BYTES + max(peak, live)

    def pairs(self, operands: Sequence[int]) -> _Pairs:
        """The ranks in one tensor, or in two, that may be among the largest products."""
        left, right = self.ranks[operands[0]], self.ranks[operands[1]] if operands[1:] else 1
        chosen = [(i, j) for i in range(left) for j in range(min(right, self.wanted // (i + 1)))]
        first, second = zip(*chosen, strict=True)
        return _Pairs(np.array(first), np.array(second))


def best_few(
    scopes: Sequence[Scope],
    sizes: Sequence[int],
    bits: Sequence[int],
    wanted: int,
    search: Search = EVERYTHING,
) -> BestFew:
    """Plan to find the best joint states. ``bits``: of the longest integer of each table.

    Raises ``BeyondMemoryError`` as ``contraction_tree`` does. Precondition: there is a table.
    """
    tree = contraction_tree(scopes, sizes, (), search)
    ranks, lengths = [1] * tree.leaves, list(bits)
    for step in tree.steps:
        joint = prod([sizes[label] for label in step.eliminated])
        ways = joint * prod([ranks[operand] for operand in step.operands])
        ranks.append(min(wanted, ways))
        lengths.append(sum([lengths[operand] for operand in step.operands]))
    return BestFew(tree, wanted, ranks, lengths)


def run_best_few(
    plan: BestFew, semiring: MaxSemiring[Any], tables: Sequence[Any], progress: Progress
) -> Iterator[dict[int, int]]:
    """The best joint states that are possible, by label, the best one first."""
    ranked: list[Ranked] = [np.asarray(table)[..., None] for table in tables]
    for place in range(len(plan.tree.steps)):
        ranked.append(_largest(plan, semiring, place, ranked))
        progress((place + 1) / len(plan.tree.steps))
    for rank in range(plan.ranks[-1]):
        if semiring.possible(ranked[-1][rank : rank + 1]):
            yield _traced(plan, semiring, rank, ranked)


def _largest(
    plan: BestFew, semiring: MaxSemiring[Any], place: int, ranked: Sequence[Ranked]
) -> Ranked:
    """The largest products of a step, for each entry of its result."""
    tree, step = plan.tree, plan.tree.steps[place]
    out, kept = tree.scopes[tree.leaves + place], plan.ranks[tree.leaves + place]
    shape = tuple([tree.sizes[label] for label in out])
    pairs = plan.pairs(step.operands)
    aligned = [_aligned(tree, ranked[t], t, (*out, *step.eliminated)) for t in step.operands]
    gone = [tree.sizes[label] for label in step.eliminated]
    each = max(CHUNK // max(prod(shape) * len(pairs.left), 1), 1)
    best: Ranked | None = None
    for start in range(0, prod(gone), each):
        states = np.arange(start, min(start + each, prod(gone)))
        everywhere = (slice(None),) * len(out)
        found = _products(semiring, [_at(a, everywhere, gone, states) for a in aligned], pairs)
        found = np.broadcast_to(found, (*shape, *found.shape[len(out) :])).reshape(*shape, -1)
        together = found if best is None else np.concatenate([best, found], axis=-1)
        best = np.sort(together, axis=-1)[..., ::-1][..., :kept]
    assert best is not None
    return np.ascontiguousarray(best)


def _aligned(tree: ContractionTree, table: Ranked, tensor: int, joint: Scope) -> Ranked:
    """A tensor with its axes in the order of a joint scope, of length one where it has none."""
    scope = tree.scopes[tensor]
    order = [scope.index(label) for label in joint if label in scope]
    shape = [tree.sizes[label] if label in scope else 1 for label in joint]
    return table.transpose(*order, len(scope)).reshape(*shape, table.shape[-1])


def _at(
    table: Ranked, kept: tuple[Any, ...], gone: Sequence[int], states: NDArray[np.int64]
) -> Ranked:
    """A table at some joint states of what is eliminated: one axis for these, and one for ranks."""
    if not gone:
        return np.asarray(table[kept][..., None, :])
    columns = np.unravel_index(states, gone)
    lengths = table.shape[len(kept) : -1]
    index = [c if length > 1 else 0 * c for c, length in zip(columns, lengths, strict=True)]
    return np.asarray(table[(*kept, *index)])


def _products(semiring: MaxSemiring[Any], tables: Sequence[Ranked], pairs: _Pairs) -> NDArray[Any]:
    """The products of pairs of ranks, along the last axis."""
    if len(tables) == 1:
        return tables[0]
    left, right = tables
    return entrywise_products(semiring, left[..., pairs.left], right[..., pairs.right])


def _traced(
    plan: BestFew, semiring: MaxSemiring[Any], rank: int, ranked: Sequence[Ranked]
) -> dict[int, int]:
    """The states of all variables that the product of a rank comes from."""
    tree, states = plan.tree, dict[int, int]()
    rank_of = {tree.root: rank}
    for place in reversed(range(len(tree.steps))):
        step, result = tree.steps[place], tree.leaves + place
        out, pairs = tree.scopes[result], plan.pairs(step.operands)
        aligned = [_aligned(tree, ranked[t], t, (*out, *step.eliminated)) for t in step.operands]
        gone = [tree.sizes[label] for label in step.eliminated]
        here = []
        for table in aligned:
            lengths = zip(out, table.shape, strict=False)
            kept = tuple([states[label] if length > 1 else 0 for label, length in lengths])
            here.append(_at(table[kept], (), gone, np.arange(prod(gone))))
        found = _products(semiring, here, pairs)
        order = np.argsort(found.ravel(), kind="stable")[::-1]
        joint, pair = divmod(int(order[rank_of[result]]), found.shape[-1])
        states.update(zip(step.eliminated, map(int, np.unravel_index(joint, gone)), strict=True))
        ranks = (pairs.left, pairs.right) if len(step.operands) > 1 else (np.arange(pair + 1),)
        rank_of |= {t: int(of[pair]) for t, of in zip(step.operands, ranks, strict=False)}
    return states
