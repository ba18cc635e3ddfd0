"""Count: the logvars of a term, as many as possible, become histograms."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from liftgraph.inference.lifted.operators.conversion import Unit, count
from liftgraph.inference.lifted.operators.costs import entries_looked_at
from liftgraph.inference.lifted.operators.protocol import Pool, Step
from liftgraph.inference.lifted.shards import axis_name, logvar_names
from liftgraph.inference.lifted.terms import Axis, Term, World, mixes


@dataclass(frozen=True)
class Count:
    """Counting conversion of logvars of one clique: jointly, one by one, or per individual.

    Candidates are terms. ``kept``: shards that are not counted jointly with others.
    """

    name: str = "count"
    far_reaching: bool = True
    kept: Container[int] = frozenset()

    def candidates(self, pool: Pool, term_index: int, term: Term) -> list[tuple[int, int]]:
        """The term itself. A histogram of n individuals has at least n + 1 values."""
        if term_index not in pool.terms:
            return []
        return [(term_index, min([pool.world.sizes[part] for part in term.parts]))]

    def apply(self, pool: Pool, candidate: int) -> Step | None:
        """Count logvars of a term: all of them if possible, in the cheapest way."""
        term = pool.terms.get(candidate)
        if term is None:
            return None
        steps: list[Step] = []
        for units in _units(pool.world, term):
            waits = _can_wait(pool, term, units, self.kept)
            result = None if waits else count(pool.world, term, units)
            if result is not None and not mixes(pool.world, result, self.kept):
                steps.append(Step(self.name, (candidate,), result))
        if len(steps) < 2:
            return steps[0] if steps else None
        return min(steps, key=lambda step: (bool(step.result.parts), self.cost(pool, step)))

    def cost(self, pool: Pool, step: Step) -> int:
        """The entries that are read, and the cost that new counting variables commit to."""
        return entries_looked_at(pool, step)

    def why_not(self, pool: Pool, term_index: int) -> str:
        """Why a logvar cannot be counted: the one of the smallest part that has an obstacle."""
        term, sizes = pool.terms[term_index], pool.world.sizes
        names = logvar_names(pool.shards, term.parts)
        for logvar in sorted(range(len(names)), key=lambda v: sizes[term.parts[v]]):
            obstacle = _obstacle(pool, term, logvar)
            if obstacle:
                return f"{names[logvar]} cannot be counted, because {obstacle}"
        return f"{' and '.join(names)} cannot be counted, neither jointly nor one by one"


def _units(world: World, term: Term) -> Iterator[list[Unit]]:
    """Which logvars to count: all logvars of a clique, or some with the others as context."""
    cliques: dict[int, list[int]] = {}
    for logvar, clique in enumerate(term.cliques):
        cliques.setdefault(clique, []).append(logvar)
    for members in cliques.values():
        for size in range(len(members), 0, -1):
            for chosen in combinations(members, size):
                if _is_closed(term, members, chosen):
                    yield [(logvar,) for logvar in chosen]
    for shard, logvars in term.axes:
        counting = world.joint(shard)
        for slot in counting.slots if counting is not None else ():
            if slot.shard == shard and len(slot.places) > 1:
                yield [tuple([logvars[place] for place in slot.places])]


def is_ready(world: World, term: Term) -> bool:
    """Whether all axes with logvars have all of them, and none counts: they can be summed out."""
    return all(
        len(logvars) == len(term.parts) and world.shards[shard].counting is None
        for shard, logvars in term.axes
        if logvars
    )


def _can_wait(pool: Pool, term: Term, units: Sequence[Unit], kept: Container[int]) -> bool:
    """Whether to count is of no use yet: the term is ready for its shards to be summed out.

    Counting per individual could be in the way of other terms, where they must be counted over
    another logvar. Counting all logvars may be better than summing out, but is not compared with it
    until other terms with these shards are ready, too. Those that are kept are not summed out.
    """
    shards = [shard for shard, logvars in term.axes if logvars]
    if all(shard in kept for shard in shards):
        return False
    if not is_ready(pool.world, term) or any(shard in pool.world.counted for shard in shards):
        return False
    if sum(map(len, units)) < len(term.parts):
        return True
    holders = {holder for shard in shards for holder in pool.holders[shard]}
    return not all(is_ready(pool.world, pool.terms[holder]) for holder in holders)


def _is_closed(term: Term, members: Sequence[int], chosen: Sequence[int]) -> bool:
    """Whether all other members of a clique are context: in every axis with a chosen one."""
    rest = set(members) - set(chosen)
    return all(rest <= set(logvars) for _, logvars in term.axes if set(chosen) & set(logvars))


def _obstacle(pool: Pool, term: Term, logvar: int) -> str:
    """Why a logvar of a term cannot be counted; empty if only the other logvars prevent it."""
    labels = logvar_names(pool.shards, term.parts)
    axes = [axis for axis in term.axes if logvar in axis[1]]
    names = [axis_name(pool.shards, axis, labels) for axis in axes]
    for axis, name in zip(axes, names, strict=True):
        obstacle = _obstacle_in(pool.world, axis, name, logvar, labels)
        if obstacle:
            return obstacle
    for axis, name in zip(axes[1:], names[1:], strict=True):
        if set(axis[1]) != set(axes[0][1]):
            return f"{names[0]} and {name} do not have the same other logvars"
        if axis[0] == axes[0][0]:
            return f"{names[0]} and {name} belong to one PRV"
    return ""


def _obstacle_in(world: World, axis: Axis, name: str, logvar: int, labels: Sequence[str]) -> str:
    """Why one axis prevents a logvar from being counted, if it does."""
    shard, logvars = axis
    if world.shards[shard].counting is not None:
        return f"{name} is counted for every {labels[logvar]}"
    if len(world.shards[shard].swaps) > 1:
        return f"{name} is the same variable in every order"
    joint = world.joint(shard)
    for slot in joint.slots if joint is not None else ():
        if slot.shard == shard and [logvars[place] for place in slot.places] != [logvar]:
            counted = " and ".join(labels[logvars[place]] for place in slot.places)
            return f"{name} is counted over {counted} already"
    return ""
