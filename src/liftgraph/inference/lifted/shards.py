"""The shards of a model's PRVs, found by the parts of their individuals."""

from __future__ import annotations

from collections.abc import Sequence

from liftgraph.inference.lifted.parts import Evidence, Parts, arranged, shard_key, swaps_of
from liftgraph.inference.lifted.terms import Axis, Shard, World, canonical
from liftgraph.model.lifted.parfactor import PRV
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph

# A PRV, the parts at its places, and which places have the same individual.
Key = tuple[int, tuple[tuple[int, ...], tuple[int, ...]]]


class ShardIndex:
    """Shards by PRV and parts, made when they are first asked for.

    ``observed``: the state of each shard that was observed. ``facts``: the same by key, with the
    number of variables that were observed.
    """

    def __init__(self, model: ParfactorGraph, parts: Parts, evidence: Evidence) -> None:
        self.model = model
        self.parts = parts
        self.world = World([part.size for part in parts.listed])
        self.number = {prv.name: number for number, prv in enumerate(model.prvs)}
        self.domain = {domain: number for number, domain in enumerate(model.domains)}
        self.observed: dict[int, int] = {}
        self.facts: dict[Key, tuple[int, int]] = {}
        for place, state in evidence.items():
            key = self.key(place)
            self.facts[key] = state, self.facts.get(key, (state, 0))[1] + 1

    def key(self, place: tuple[int, tuple[int, ...]]) -> Key:
        """What tells the shard of a variable from others."""
        number, found = place
        prv = self.model.prvs[number]
        domains = [self.domain[logvar.domain] for logvar in prv.logvars]
        parts = [self.parts.part(d, each) for d, each in zip(domains, found, strict=True)]
        return number, shard_key(prv, parts, list(zip(domains, found, strict=True)))

    def shard(self, place: tuple[int, tuple[int, ...]]) -> int:
        """The shard of a variable."""
        key = self.key(place)
        if key not in self.world.known:
            prv = self.model.prvs[place[0]]
            parts, equal = key[1]
            blocks = [
                -1 - part if self.world.sizes[part] == 1 else block
                for part, block in zip(parts, equal, strict=True)
            ]
            self.axis(prv, parts, blocks)
        return self.world.known[key]

    def axis(self, prv: PRV, parts: Sequence[int], blocks: Sequence[int]) -> Axis:
        """The shard of an atom at blocks (an individual each) of parts, and its logvars.

        Blocks of parts with one individual are below zero: they are no logvars.
        """
        order = arranged(prv, parts, blocks)
        own_parts, own_blocks = [parts[p] for p in order], [blocks[p] for p in order]
        key = self.number[prv.name], shard_key(prv, own_parts, own_blocks)
        if key not in self.world.known:
            self._add(prv, key, own_parts, own_blocks)
        logvars = dict.fromkeys([block for block in own_blocks if block >= 0])
        return canonical(self.world, (self.world.known[key], tuple(logvars)))

    def _add(self, prv: PRV, key: Key, parts: list[int], blocks: list[int]) -> None:
        part = dict(zip(blocks, parts, strict=True))
        distinct = list(part)
        logvars = [block for block in distinct if block >= 0]
        place = {block: number for number, block in enumerate(logvars)}
        swaps = tuple(
            tuple(place[distinct[image[distinct.index(block)]]] for block in logvars)
            for image in swaps_of(prv, parts, blocks)
        )
        shard = Shard(tuple(part[block] for block in logvars), len(prv.states), swaps, key)
        number = self.world.add(shard, key)
        if key in self.facts:
            self.observed[number] = self.facts[key][0]
        elif prv.observed is not None:
            self.observed[number] = prv.observed
