"""How many factors have each potential at an assignment, counted without listing the factors.

An assignment colours the choices of individuals for the logvars of an axis, by their states.
Colourings are joined, and logvars are summed out one by one, as variables are in elimination: all
that matters of the individuals that a logvar stands for is how many there are of each colour.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import permutations
from math import prod

import numpy as np
from numpy.typing import NDArray

from liftgraph.disjoint_sets import DisjointSets
from liftgraph.inference.lifted.terms import Axis, Term, World
from liftgraph.inference.tensor.counting import falling
from liftgraph.inference.tensor.tensors import Given, Take

States = NDArray[np.int64]
Tally = Mapping[int, int]  # entries of a table, and how many substitutions have each
Component = tuple[tuple[int, tuple[int, ...]], ...]  # axes of a term by number, and their logvars
NO_VARIABLE = -1  # the state of a choice of individuals for which there is no variable
_SINGLE = np.zeros((), dtype=np.int64)
_ONE: Tally = {0: 1}


@dataclass(frozen=True)
class Colouring:
    """A colour for each choice of individuals for some logvars.

    ``colours``: int64, an axis for each logvar. ``tallies``: what each colour stands for.
    """

    logvars: tuple[int, ...]
    colours: States
    tallies: Sequence[Tally]


def potential_counts(
    world: World, terms: Sequence[Term], states: Mapping[int, States]
) -> Counter[int]:
    """How many factors of terms have each potential, an integer of their tables.

    ``states``: those of the shards, int64 with an axis for each place; NO_VARIABLE where the same
    individual is in places that need different ones. Precondition: shattering made the terms.
    """
    total: Counter[int] = Counter()
    for term in terms:
        tensor, values = term.tensor, Counter[int]()
        rows = tensor.lookup.array() if isinstance(tensor, Take) else None
        table = tensor.operand if isinstance(tensor, Take) else tensor
        assert isinstance(table, Given)
        integers = table.integers.ravel()
        for entry, times in _entry_counts(world, term, states).items():
            values[int(integers[entry if rows is None else rows[entry]])] += times
        # The orbit of a substitution has an element for each swap, all with the same potential.
        total.update({value: times // len(term.swaps) for value, times in values.items()})
    return total


def _entry_counts(world: World, term: Term, states: Mapping[int, States]) -> Tally:
    """How many substitutions of a term's logvars have each entry of its table."""
    used = sorted({logvar for _, logvars in term.axes for logvar in logvars})
    kinds = list(zip(term.cliques, term.parts, strict=True))
    sizes = [world.sizes[part] for part in term.parts]
    together = {pair for _, logvars in term.axes for pair in permutations(logvars, 2)}
    alike = {pair for pair in permutations(used, 2) if kinds[pair[0]] == kinds[pair[1]]}
    colourings = list(_coloured(term, states))
    tallies: dict[Component, Tally] = {}
    total: dict[int, int] = {}
    for image, weight in _identifications(used, alike - together):
        components = _components(term.axes, image)
        for component in components:
            if component not in tallies:
                moved = [replace(colourings[axis], logvars=images) for axis, images in component]
                tallies[component] = _tally(moved, sizes)
        _add(
            total, reduce(_product, [tallies[component] for component in components], _ONE), weight
        )
    # For logvars that are in no axis, there are all individuals that the others leave.
    repeated = _ways(world, kinds) // _ways(world, [kinds[logvar] for logvar in used])
    return {entry: repeated * times for entry, times in total.items() if times}


def _components(axes: Sequence[Axis], image: Mapping[int, int]) -> list[Component]:
    """Axes that are connected by the images of their logvars, each with these images."""
    sets: DisjointSets[int] = DisjointSets()
    images = [tuple([image[logvar] for logvar in logvars]) for _, logvars in axes]
    for logvars in images:
        sets.join(logvars)
    components: dict[int, list[tuple[int, tuple[int, ...]]]] = {}
    for axis, logvars in enumerate(images):
        root = sets.find(logvars[0]) if logvars else -1
        components.setdefault(root, []).append((axis, logvars))
    return list(map(tuple, components.values()))


def _ways(world: World, kinds: Sequence[tuple[int, int]]) -> int:
    """In how many ways logvars of these cliques and parts stand for individuals."""
    return prod(falling(world.sizes[part], n) for (_, part), n in Counter(kinds).items())


def _identifications(
    logvars: Sequence[int], same: Collection[tuple[int, int]]
) -> Iterator[tuple[dict[int, int], int]]:
    """All ways to identify logvars with earlier ones, and their weights.

    ``same``: the pairs of logvars that may be identified. The number of choices of different
    individuals is that of any individuals, summed over all these ways, with the Möbius function of
    the lattice of partitions as weights (Rota 1964). Where others are identified, it is zero.

    >>> list(_identifications([0, 1, 2], {(1, 0)}))
    [({0: 0, 1: 1, 2: 2}, 1), ({0: 0, 1: 0, 2: 2}, -1)]
    """
    if not logvars:
        yield {}, 1
        return
    *others, logvar = logvars
    for image, weight in _identifications(others, same):
        yield {**image, logvar: logvar}, weight
        for first in dict.fromkeys(image.values()):
            block = [other for other in others if image[other] == first]
            if all((logvar, other) in same for other in block):
                yield {**image, logvar: first}, -len(block) * weight


def _coloured(term: Term, states: Mapping[int, States]) -> Iterator[Colouring]:
    """A colouring for each axis of a term: a colour stands for a state."""
    stride = term.tensor.entries
    for (shard, logvars), size in zip(term.axes, term.tensor.shape, strict=True):
        stride //= size
        if not logvars:
            yield Colouring((), _SINGLE, [{int(states[shard]) * stride: 1}])
            continue
        present, colours = np.unique(states[shard], return_inverse=True)
        tallies = [{s * stride: 1} if s != NO_VARIABLE else {} for s in present.tolist()]
        yield Colouring(logvars, colours.reshape(states[shard].shape), tallies)


def _tally(colourings: Sequence[Colouring], sizes: Sequence[int]) -> Tally:
    """How many choices of individuals for all logvars have each entry."""
    left = list(colourings)
    while logvars := {logvar for colouring in left for logvar in colouring.logvars}:
        holders = {v: [c for c in left if v in c.logvars] for v in logvars}
        spans = {v: {w for c in holders[v] for w in c.logvars} for v in logvars}
        logvar = min(logvars, key=lambda v: prod([sizes[other] for other in spans[v]]))
        joint = reduce(_joined, holders[logvar])
        left = [c for c in left if logvar not in c.logvars] + [_summed_out(joint, logvar)]
    return reduce(_product, [colouring.tallies[0] for colouring in left], _ONE)


def _joined(first: Colouring, second: Colouring) -> Colouring:
    """A colour for each pair of colours that occurs."""
    logvars = tuple(dict.fromkeys((*first.logvars, *second.logvars)))
    codes = _spread(first, logvars) * len(second.tallies) + _spread(second, logvars)
    present, colours = np.unique(codes, return_inverse=True)
    pairs = [divmod(code, len(second.tallies)) for code in present.tolist()]
    tallies = [_product(first.tallies[a], second.tallies[b]) for a, b in pairs]
    return Colouring(logvars, colours.reshape(codes.shape), tallies)


def _spread(colouring: Colouring, logvars: Sequence[int]) -> States:
    """Colours with an axis for each of these logvars, of length one for those it does not have."""
    present = [logvar for logvar in logvars if logvar in colouring.logvars]
    ordered = colouring.colours.transpose([colouring.logvars.index(v) for v in present])
    return ordered[tuple([slice(None) if v in present else None for v in logvars])]


def _summed_out(colouring: Colouring, logvar: int) -> Colouring:
    """A colour for each multiset of colours that the individuals of a logvar have."""
    colours = np.moveaxis(colouring.colours, colouring.logvars.index(logvar), -1)
    rows = np.array(colours.reshape(-1, colours.shape[-1]), order="C")
    rows.sort(axis=1)
    keys = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
    _, first, multisets = np.unique(keys, return_index=True, return_inverse=True)
    tallies = []
    for row in rows[first]:
        total: dict[int, int] = {}
        for colour, times in zip(*np.unique(row, return_counts=True), strict=True):
            _add(total, colouring.tallies[colour], int(times))
        tallies.append(total)
    others = tuple([other for other in colouring.logvars if other != logvar])
    return Colouring(others, multisets.reshape(colours.shape[:-1]), tallies)


def _add(total: dict[int, int], tally: Tally, times: int) -> None:
    """Add a tally this many times."""
    for entry, substitutions in tally.items():
        total[entry] = total.get(entry, 0) + times * substitutions


def _product(first: Tally, second: Tally) -> Tally:
    """The tally of pairs of choices: their entries are added, since they are along other axes."""
    total: dict[int, int] = {}
    for entry, substitutions in first.items():
        for other, times in second.items():
            total[entry + other] = total.get(entry + other, 0) + substitutions * times
    return total
