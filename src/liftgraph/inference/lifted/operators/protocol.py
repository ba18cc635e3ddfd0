"""What an operator of lifted elimination is, and the terms it chooses from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from liftgraph.inference.lifted.shards import ShardIndex
from liftgraph.inference.lifted.terms import Term, World


@dataclass
class Pool:
    """The terms of a model by number, and which of them have which shards.

    ``shards``: the shards and their names; ``world``: without names. ``holders``: the terms that
    have a shard with logvars; ``counters``: those that have a counting variable.
    """

    shards: ShardIndex
    world: World
    terms: dict[int, Term] = field(default_factory=dict)
    holders: dict[int, set[int]] = field(default_factory=dict)
    counters: dict[int, set[int]] = field(default_factory=dict)


@dataclass(frozen=True)
class Step:
    """What an operator does: it replaces some terms by one.

    ``operator``: its name. ``replaced``: the numbers of the terms. ``shards``: those that are
    summed out, if any; ``factors``: the terms whose product they are finally summed out of.
    """

    operator: str
    replaced: tuple[int, ...]
    result: Term
    shards: tuple[int, ...] = ()
    factors: tuple[Term, ...] = ()


class Operator(Protocol):
    """One way to remove logvars.

    A candidate is the number of a shard or of a term; the operator chooses. Steps are only planned:
    tensors are computed when all steps are known.
    """

    @property
    def name(self) -> str:
        """What it does, as plans print it: an imperative, such as "count"."""

    @property
    def far_reaching(self) -> bool:
        """Whether costs depend on what is counted anywhere, not only on the terms of a candidate.

        If so, a candidate is examined again whenever something else was counted.
        """

    def candidates(self, pool: Pool, term_index: int, term: Term) -> Iterable[tuple[int, int]]:
        """The candidates that a term concerns, each with a lower bound on its cost.

        Precondition: the term has just been added to the pool, or removed from it.
        """

    def apply(self, pool: Pool, candidate: int) -> Step | None:
        """What it would do, or None if it does not apply. The pool stays as it is."""

    def cost(self, pool: Pool, step: Step) -> int:
        """How many entries are read. Precondition: the replaced terms are in the pool."""

    def why_not(self, pool: Pool, term_index: int) -> str:
        """Why it does not apply to a term, as a main clause. Precondition: it does not."""
