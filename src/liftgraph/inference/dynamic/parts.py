"""Which individuals are told apart on which day.

Individuals of whom the same was observed so far are counted together: a *part* of a population. A
part splits when something is observed of some of its members, and parts merge as soon as nothing
will tell them apart any more.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from liftgraph.inference.dynamic.arithmetic import Arithmetic, Indices
from liftgraph.inference.dynamic.factors import Parts
from liftgraph.inference.dynamic.stages import Collect, Spread
from liftgraph.inference.tensor.counting import cell_counts, rank
from liftgraph.model.lifted.histograms import histogram_count

Mark = Hashable
Marks = Mapping[int, Mapping[int, Mark]]  # by individual and day: what tells it apart


@dataclass(frozen=True)
class Part:
    """Some individuals of a population: ``listed`` ones, and a number of others, of whom nothing
    is ever observed."""

    population: int
    listed: frozenset[int]
    unlisted: int

    @property
    def size(self) -> int:
        return len(self.listed) + self.unlisted


Layout = tuple[Part, ...]


def is_among(part: Part, members: frozenset[int] | None) -> bool:
    """Whether the individuals of a part are among some, or among all. Precondition: if one is, so
    are the others."""
    return members is None or (bool(part.listed) and part.listed <= members)


def sizes_of(layout: Layout) -> Parts:
    """The population and the size of each part."""
    return tuple([(part.population, part.size) for part in layout])


def together(population_sizes: Sequence[int], marks: Sequence[Marks]) -> Layout:
    """All individuals of each population in one part."""
    return tuple(
        [
            Part(population, frozenset(marked), size - len(marked))
            for population, (size, marked) in enumerate(zip(population_sizes, marks, strict=True))
        ]
    )


def split(layout: Layout, marks: Sequence[Marks], day: int) -> list[tuple[Part, Layout]]:
    """Each part, and those that it splits into on a day."""
    return [(part, _split(part, marks[part.population], day)) for part in layout]


def _split(part: Part, marks: Marks, day: int) -> Layout:
    groups: dict[Mark, set[int]] = {}
    for individual in sorted(part.listed):
        groups.setdefault(marks[individual].get(day), set()).add(individual)
    unmarked = groups.pop(None, set())
    rest = Part(part.population, frozenset(unmarked), part.unlisted)
    named = [Part(part.population, frozenset(group), 0) for group in groups.values()]
    return (*named, rest) if rest.size else tuple(named)


def merged(layout: Layout, marks: Sequence[Marks], day: int) -> list[Layout]:
    """Parts that nothing tells apart after a day, together."""
    groups: dict[Hashable, list[Part]] = {}
    for place, part in enumerate(layout):
        futures = {_future(marks[part.population], member, day) for member in part.listed}
        if part.unlisted:
            futures.add(())
        alone: Hashable = place if len(futures) > 1 else None
        groups.setdefault((part.population, alone, frozenset(futures)), []).append(part)
    return [tuple(group) for group in groups.values()]


def _future(marks: Marks, individual: int, day: int) -> tuple[tuple[int, Mark], ...]:
    return tuple([(when, mark) for when, mark in sorted(marks[individual].items()) if when > day])


def union(parts: Layout) -> Part:
    """Several parts as one."""
    listed = frozenset(member for part in parts for member in part.listed)
    return Part(parts[0].population, listed, sum(part.unlisted for part in parts))


def splitting(arithmetic: Arithmetic, sizes: Sequence[int], cells: int) -> Spread:
    """From the histograms of a part to those of the parts it splits into.

    All ways to choose who is where are equally probable (a hypergeometric distribution).
    """
    parts = _combinations(sizes, cells)
    whole = np.sum(parts, axis=0)
    size = histogram_count(sum(sizes), cells)
    return Spread(rank(whole, sum(sizes)), arithmetic.choices(parts, whole), size)


def merging(sizes: Sequence[int], cells: int) -> Collect:
    """From the histograms of parts to those of all their individuals."""
    whole = np.sum(_combinations(sizes, cells), axis=0)
    return Collect(rank(whole, sum(sizes)), None, histogram_count(sum(sizes), cells))


def _combinations(sizes: Sequence[int], cells: int) -> list[Indices]:
    """All combinations of histograms of parts, the last part fastest: int64 (h, cells) each."""
    counts = [cell_counts(size, cells) for size in sizes]
    grid = np.indices([len(rows) for rows in counts]).reshape(len(sizes), -1)
    return [rows[index] for rows, index in zip(counts, grid, strict=True)]
