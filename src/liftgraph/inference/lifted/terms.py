"""What lifted elimination works on: shards of PRVs, and terms over them, as data.

Domains are cut into *parts* of individuals that nothing tells apart. The variables of a PRV whose
individuals come from certain parts are a *shard*: they are interchangeable. A *term* is a
parfactor over shards whose table is still to be computed. Its logvars are numbers 0, 1, …
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

from liftgraph.inference.tensor.counting import Permutation, histograms_at_most
from liftgraph.inference.tensor.tensors import Tensor

Axis = tuple[int, tuple[int, ...]]  # a shard, and the logvar at each of its places


class UnliftableError(Exception):
    """A question can only be answered if the individuals of a part are told apart, and why.

    The reason is a clause that can follow "since".
    """

    def __init__(self, part: int, reason: str) -> None:
        super().__init__(part, reason)
        self.part = part
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Slot:
    """A shard, counted over the individuals at some of its places."""

    shard: int
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Counting:
    """What a counting variable counts: individuals by the joint state of slots.

    ``individuals``: how many there are; ``shape``: how many states each slot has.
    """

    slots: tuple[Slot, ...]
    individuals: int
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Shard:
    """Interchangeable variables: one for each choice of individuals from parts.

    ``parts``: those of its places; individuals from the same part are different. ``values``: how
    many states each variable has. ``swaps``: a group of permutations of the places that lead to the
    same variable, the identity first. ``counting``: what it counts, for a counting variable.
    ``key``: what it is a shard of.
    """

    parts: tuple[int, ...]
    values: int
    swaps: tuple[Permutation, ...]
    key: Any = None
    counting: Counting | None = None


@dataclass(frozen=True, slots=True)
class Term:
    """A parfactor: a factor for each substitution of its logvars, up to swaps of them.

    ``axes``: those of the tensor. ``parts``: those of the logvars. ``cliques``: a number for each
    logvar; logvars with the same number are different individuals, others are independent.
    ``swaps``: a group of permutations of the logvars, the identity first; substitutions that
    they take to each other have one factor together, and they take axes and tensor to themselves.
    """

    axes: tuple[Axis, ...]
    tensor: Tensor
    parts: tuple[int, ...] = ()
    cliques: tuple[int, ...] = ()
    swaps: tuple[Permutation, ...] = ((),)


@dataclass
class World:
    """All parts and shards, and which shards are being counted.

    ``sizes``: those of the parts. ``counted``: for each counted shard, the counting variable (also
    a shard) that it has a slot in. ``known``: the number of each shard, by its key.
    """

    sizes: list[int]
    shards: list[Shard] = field(default_factory=list)
    counted: dict[int, int] = field(default_factory=dict)
    known: dict[object, int] = field(default_factory=dict)

    def add(self, shard: Shard, key: object) -> int:
        """The number of a shard, which is added unless there is one with its key."""
        if key not in self.known:
            self.known[key] = len(self.shards)
            self.shards.append(shard)
        return self.known[key]

    def counting(self, slots: Sequence[Slot]) -> int:
        """The shard of the counting variable over some slots. Precondition: equal contexts."""
        ordered = tuple(sorted(slots, key=lambda slot: slot.shard))
        if ordered not in self.known:
            individuals = self.individuals(ordered[0])
            shape = tuple(self.shards[slot.shard].values for slot in ordered)
            values = histograms_at_most(individuals, prod(shape))
            context = self.context(ordered[0])
            swaps = (tuple(range(len(context))),)
            counting = Counting(ordered, individuals, shape)
            self.add(Shard(context, values, swaps, None, counting), ordered)
        return self.known[ordered]

    def context(self, slot: Slot) -> tuple[int, ...]:
        """The parts of the places that are not counted over."""
        parts = self.shards[slot.shard].parts
        return tuple(part for place, part in enumerate(parts) if place not in slot.places)

    def individuals(self, slot: Slot) -> int:
        """How many individuals, or choices of several, a slot is counted over in each context."""
        shard = self.shards[slot.shard]
        if len(slot.places) == len(shard.parts):
            return choices(self.sizes, shard.parts) // len(shard.swaps)
        return choices(self.sizes, shard.parts) // max(choices(self.sizes, self.context(slot)), 1)

    def joint(self, shard: int) -> Counting | None:
        """The counting variable that a shard has a slot in, if any: what it counts."""
        return self.shards[self.counted[shard]].counting if shard in self.counted else None


def mixes(world: World, term: Term, kept: Container[int]) -> bool:
    """Whether a term counts some of the ``kept`` shards jointly with others."""
    countings = [world.shards[shard].counting for shard, _ in term.axes]
    return any(
        len({slot.shard in kept for slot in counting.slots}) > 1
        for counting in countings
        if counting is not None
    )


def canonical(world: World, axis: Axis) -> Axis:
    """An axis with its logvars in the first of the orders that denote the same variable."""
    shard, logvars = axis
    swaps = world.shards[shard].swaps
    if len(swaps) == 1:
        return axis
    return shard, min(tuple([logvars[place] for place in swap]) for swap in swaps)


def choices(sizes: Sequence[int], parts: Sequence[int]) -> int:
    """The number of choices of individuals from parts, different ones from the same part."""
    return _falling([sizes[part] for part in parts], parts)


def instances(world: World, term: Term) -> int:
    """How many factors a term stands for."""
    cliques = list(zip(term.cliques, term.parts, strict=True))
    return _falling([world.sizes[part] for part in term.parts], cliques) // len(term.swaps)


def _falling(sizes: Sequence[int], kinds: Sequence[object]) -> int:
    """In how many ways individuals fill places; those of one kind are different.

    ``sizes``: how many individuals there are of the kind of each place.
    """
    return prod([size - kinds[:place].count(kinds[place]) for place, size in enumerate(sizes)])


def generated(swaps: Sequence[Permutation]) -> tuple[Permutation, ...]:
    """The group that permutations generate, the identity first. Precondition: there are some.

    >>> generated([(1, 0, 2), (0, 2, 1)])[:3]
    ((0, 1, 2), (1, 0, 2), (0, 2, 1))
    """
    generators = list(dict.fromkeys(swaps))
    group = {tuple(range(len(generators[0]))): None}
    for element in (queue := list(group)):
        for swap in generators:
            product = tuple([swap[image] for image in element])
            if product not in group:
                group[product] = None
                queue.append(product)
    return tuple(group)
