"""Shards of a model: which one a variable belongs to, its place there, and the shards' names."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from textwrap import shorten

import numpy as np
from numpy.typing import NDArray

from liftgraph.inference.lifted.parts import Key, Parts, arranged, shard_key, swaps_of
from liftgraph.inference.lifted.terms import Axis, Counting, Shard, Term, World, canonical
from liftgraph.model.lifted.parfactor import PRV
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.model.lifted.substitutions import substitutions
from liftgraph.model.lifted.variables import Place

Column = NDArray[np.int64]
_LINE = 80  # the most characters of a term in a refusal


class ShardIndex:
    """Shards by PRV and parts, created on first use.

    ``prv_index`` and ``domain``: the numbers of PRVs, by name, and of domains. ``observed``: the
    state of each shard that was observed; other shards may have a likelihood.
    """

    def __init__(self, model: ParfactorGraph, parts: Parts) -> None:
        self.model = model
        self.parts = parts
        self.world = World([part.size for part in parts.listed])
        self.prv_index = {prv.name: index for index, prv in enumerate(model.prvs)}
        self.domain = {domain: index for index, domain in enumerate(model.domains)}
        self.observed: dict[int, int] = {}

    def key(self, place: Place) -> Key:
        """What tells the shard of a variable apart from others."""
        prv_index, chosen = place
        prv = self.model.prvs[prv_index]
        individuals = self.parts.nesting.individuals(prv_index, chosen)
        parts = self.parts.parts_of(prv_index, individuals)
        return prv_index, shard_key(prv, parts, individuals)

    def shard(self, place: Place) -> int:
        """The shard of a variable."""
        return self.of_key(self.key(place))

    def of_key(self, key: Key) -> int:
        """The shard that a key tells apart from others."""
        if key not in self.world.known:
            prv = self.model.prvs[key[0]]
            parts, equal = key[1]
            blocks = [
                -1 - part if self.world.sizes[part] == 1 else block
                for part, block in zip(parts, equal, strict=True)
            ]
            self.axis(prv, parts, blocks)
        return self.world.known[key]

    def axis(self, prv: PRV, parts: Sequence[int], blocks: Sequence[int]) -> Axis:
        """The shard of an atom at blocks (an individual each) of parts, and its logvars.

        Blocks of parts with one individual are below zero: they are not logvars.
        """
        order = arranged(prv, parts, blocks)
        parts, blocks = [parts[p] for p in order], [blocks[p] for p in order]
        key = self.prv_index[prv.name], shard_key(prv, parts, blocks)
        if key not in self.world.known:
            self._add(prv, key, parts, blocks)
        logvars = dict.fromkeys([block for block in blocks if block >= 0])
        return canonical(self.world, (self.world.known[key], tuple(logvars)))

    def _add(self, prv: PRV, key: Key, parts: list[int], blocks: list[int]) -> None:
        part = dict(zip(blocks, parts, strict=True))
        distinct = list(part)
        logvars = [block for block in distinct if block >= 0]
        place = {block: order for order, block in enumerate(logvars)}
        swaps = tuple(
            tuple(place[distinct[image[distinct.index(block)]]] for block in logvars)
            for image in swaps_of(prv, parts, blocks)
        )
        shard = Shard(tuple(part[block] for block in logvars), len(prv.states), swaps, key)
        shard_index = self.world.add(shard, key)
        observation = self.parts.observed[key][0] if key in self.parts.observed else None
        if observation is not None and observation < len(prv.states):
            self.observed[shard_index] = observation
        elif prv.observed is not None:
            self.observed[shard_index] = prv.observed


@dataclass(frozen=True)
class Members:
    """Variables of one shard: their numbers in the model, and their place in the shard.

    ``index``: for each place of the shard, the individuals' numbers in their part.
    """

    shard: int
    variables: Column
    index: tuple[Column, ...]


def members(shards: ShardIndex, only: Container[int] | None = None) -> Iterator[Members]:
    """All variables of a model by shard, PRV after PRV. ``only``: those of these PRVs."""
    start = shards.model.variable_start
    present = [prv_index for prv_index, prv in enumerate(shards.model.prvs) if prv.size]
    if only is not None:
        present = [prv_index for prv_index in present if prv_index in only]
    # A domain that only repeats factors, or that no variable is about, may be of any size.
    listed = {v.domain for prv_index in present for v in shards.model.prvs[prv_index].logvars}
    nested = shards.parts.nesting
    inside: dict[int, tuple[Column, Column]] = {}
    for domain in nested.outermost_first:
        if shards.model.domains[domain] in listed:
            around = nested.outer[domain]
            outer = None if around is None else inside[around][0]
            inside[domain] = _in_parts(shards, domain, outer)
    for prv_index in present:
        prv = shards.model.prvs[prv_index]
        if not prv.logvars:
            yield Members(shards.shard((prv_index, ())), np.array([start[prv_index]]), ())
            continue
        columns = substitutions(prv.pattern)
        domains = nested.domains[prv_index]
        numbers = nested.numbers(prv_index, columns)
        for rows in _alike(numbers, [inside[domain][0] for domain in domains], domains):
            first = tuple(int(column[rows[0]]) for column in columns)
            individuals = nested.individuals(prv_index, first)
            parts = shards.parts.parts_of(prv_index, individuals)
            order: dict[tuple[int, int], int] = {}
            for p in arranged(prv, parts, individuals):
                order.setdefault(individuals[p], p)
            several = [p for p in order.values() if shards.world.sizes[parts[p]] > 1]
            index = tuple(inside[domains[p]][1][numbers[p][rows]] for p in several)
            yield Members(shards.shard((prv_index, first)), start[prv_index] + rows, index)


def _in_parts(shards: ShardIndex, domain: int, outer: Column | None) -> tuple[Column, Column]:
    """For each individual of a domain, its part and its number there.

    ``outer``: the parts of the individuals that the domain is nested in.
    """
    size, parts = shards.model.domains[domain].size, shards.parts
    rest = np.array([parts.rest.get((domain, part), -1) for part in range(len(parts.listed))])
    part = np.full(size, parts.rest.get((domain, None), -1)) if outer is None else rest[outer]
    if outer is not None:
        part = np.repeat(part, size)
    for (index, _), inside in parts.inside.items():
        for part_index in inside if index == domain else ():
            part[list(parts.listed[part_index].members or ())] = part_index
    rows = part.reshape(-1, size)
    place = np.zeros_like(rows)
    for part_index in np.unique(part):
        here = rows == part_index
        place[here] = (np.cumsum(here, axis=1) - 1)[here]
    return part, place.ravel()


def _alike(
    columns: Sequence[Column], parts: Sequence[Column], domains: Sequence[int]
) -> Iterator[Column]:
    """Rows with the same parts and the same individuals equal to each other.

    ``parts``: for each place, those of the individuals of its domain.
    """
    if not len(columns[0]):
        return
    code = np.zeros(len(columns[0]), dtype=np.int64)
    for place, (column, part) in enumerate(zip(columns, parts, strict=True)):
        code = code * (int(part.max()) + 1) + part[column]
        for other in range(place):
            if domains[other] == domains[place]:
                code = code * 2 + (columns[other] == column)
        code = np.unique(code, return_inverse=True)[1]
    order = np.argsort(code, kind="stable")
    yield from np.split(order, np.flatnonzero(np.diff(code[order])) + 1)


def term_name(shards: ShardIndex, term: Term) -> str:
    """The axes of a term, with a name for each of its logvars: F(X, X'), S(X), S(X').

    Logvars over one of several parts of a domain have a number: X1, X2.
    """
    labels = logvar_names(shards, term.parts)
    return ", ".join(axis_name(shards, axis, labels) for axis in term.axes)


def short_term_name(shards: ShardIndex, term: Term) -> str:
    """The axes of a term, as many as fit on a line."""
    return shorten(term_name(shards, term), _LINE, placeholder=" …")


def shard_name(shards: ShardIndex, shard: int) -> str:
    """A shard, with logvars of its own."""
    parts = shards.world.shards[shard].parts
    labels = logvar_names(shards, parts)
    return axis_name(shards, (shard, tuple(range(len(parts)))), labels)


def short_shard_name(shards: ShardIndex, shard: int) -> str:
    """A shard, with as much of its name as fits on a line."""
    return shorten(shard_name(shards, shard), _LINE, placeholder=" …")


def logvar_names(shards: ShardIndex, parts: Sequence[int]) -> list[str]:
    """Different names for logvars over these parts."""
    used: dict[int, int] = {}
    names = []
    for part in parts:
        domain = shards.parts.listed[part].domain
        large = [p for p in shards.parts.beside(part) if shards.world.sizes[p] > 1]
        name = shards.model.domains[domain].name
        order = str(large.index(part) + 1) if len(large) > 1 else ""
        names.append(f"{name}{order}{chr(39) * used.get(part, 0)}")
        used[part] = used.get(part, 0) + 1
    return names


def axis_name(shards: ShardIndex, axis: Axis, labels: Sequence[str]) -> str:
    """An axis, its logvars called by their labels, single individuals by their names."""
    shard, logvars = axis
    counting = shards.world.shards[shard].counting
    if counting is not None:
        return _counting_name(shards, counting, [labels[logvar] for logvar in logvars])
    return _atom_name(shards, shard, [labels[logvar] for logvar in logvars])


def _atom_name(shards: ShardIndex, shard: int, names: Sequence[str]) -> str:
    prv_index, (parts, equal) = shards.world.shards[shard].key
    remaining = iter(names)
    called: dict[int, str] = {}
    for part, individual in zip(parts, equal, strict=True):
        if individual not in called:
            single = shards.world.sizes[part] == 1
            called[individual] = _individual(shards, part) if single else next(remaining)
    listed = ", ".join(called[individual] for individual in equal)
    name = shards.model.prvs[prv_index].name
    return f"{name}({listed})" if listed else name


def _individual(shards: ShardIndex, part: int) -> str:
    """The name of the only individual of a part; a number, if there is one in each of several."""
    domain, members = shards.parts.listed[part].domain, shards.parts.listed[part].members
    name, size = shards.model.domains[domain].name, shards.model.domains[domain].size
    if not _is_alone(shards.parts, part):
        return f"{name}°{shards.parts.beside(part).index(part) + 1}"
    if members is not None:
        return shards.model.domains[domain].individual(members[0] % size)
    beside = [shards.parts.listed[other] for other in shards.parts.beside(part)]
    taken = {member % size for other in beside for member in other.members or ()}
    return shards.model.domains[domain].individual(next(i for i in range(size) if i not in taken))


def _is_alone(parts: Parts, part: int) -> bool:
    """Whether a part has one individual, and so has the part around it."""
    outer = parts.listed[part].outer
    return parts.listed[part].size == 1 and (outer is None or _is_alone(parts, outer))


def _counting_name(shards: ShardIndex, counting: Counting, context: Sequence[str]) -> str:
    first = counting.slots[0]
    parts = shards.world.shards[first.shard].parts
    counted = [f"{label}*" for label in logvar_names(shards, [parts[p] for p in first.places])]
    inner = []
    for slot in counting.slots:
        fixed, at_place = iter(context), dict(zip(slot.places, counted, strict=True))
        size = len(shards.world.shards[slot.shard].parts)
        names = [at_place[p] if p in at_place else next(fixed) for p in range(size)]
        inner.append(_atom_name(shards, slot.shard, names))
    text = f"#{','.join(counted)}[{', '.join(inner)}]"
    return text.replace("*", "'" if set(counted) & {f"{name}*" for name in context} else "")
