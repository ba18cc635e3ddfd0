"""Which shard each variable of a model belongs to, and where in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from liftgraph.inference.lifted.parts import Parts, arranged
from liftgraph.inference.lifted.shards import ShardIndex
from liftgraph.model.lifted.substitutions import substitutions

Column = NDArray[np.int64]


@dataclass(frozen=True)
class Members:
    """Variables of one shard: their numbers in the model, and their place in the shard.

    ``index``: for each place of the shard the individuals by their number in the part.
    """

    shard: int
    variables: Column
    index: tuple[Column, ...]


def members(shards: ShardIndex) -> Iterator[Members]:
    """All variables of a model by shard, PRV after PRV."""
    inside = [_in_parts(shards, domain) for domain in range(len(shards.model.domains))]
    start = shards.model.variable_start
    for number, prv in enumerate(shards.model.prvs):
        if not prv.logvars:
            yield Members(shards.shard((number, ())), np.array([start[number]]), ())
            continue
        columns = substitutions(prv.pattern)
        domains = [shards.domain[logvar.domain] for logvar in prv.logvars]
        parts = [inside[d][0][c] for d, c in zip(domains, columns, strict=True)]
        places = [inside[d][1][c] for d, c in zip(domains, columns, strict=True)]
        for rows in _alike(columns, parts, domains):
            first = tuple(int(column[rows[0]]) for column in columns)
            own = [int(part[rows[0]]) for part in parts]
            individuals = list(zip(domains, first, strict=True))
            order: dict[tuple[int, int], int] = {}
            for p in arranged(prv, own, individuals):
                order.setdefault(individuals[p], p)
            several = [p for p in order.values() if shards.world.sizes[own[p]] > 1]
            index = tuple(places[p][rows] for p in several)
            yield Members(shards.shard((number, first)), start[number] + rows, index)


def _in_parts(shards: ShardIndex, domain: int) -> tuple[Column, Column]:
    """For each individual of a domain its part and its number there."""
    size = shards.model.domains[domain].size
    parts: Parts = shards.parts
    rest = parts.rest[domain]
    part = np.full(size, -1 if rest is None else rest)
    for number in parts.by_domain[domain]:
        part[list(parts.listed[number].members or ())] = number
    place = np.empty(size, dtype=np.int64)
    for number in parts.by_domain[domain]:
        inside = np.flatnonzero(part == number)
        place[inside] = np.arange(len(inside))
    return part, place


def _alike(columns: list[Column], parts: list[Column], domains: list[int]) -> Iterator[Column]:
    """Rows with the same parts and the same individuals equal to each other."""
    if not len(columns[0]):
        return
    code = np.zeros(len(columns[0]), dtype=np.int64)
    for place, (column, part) in enumerate(zip(columns, parts, strict=True)):
        code = code * (int(part.max()) + 1) + part
        for other in range(place):
            if domains[other] == domains[place]:
                code = code * 2 + (columns[other] == column)
        code = np.unique(code, return_inverse=True)[1]
    order = np.argsort(code, kind="stable")
    yield from np.split(order, np.flatnonzero(np.diff(code[order])) + 1)
