"""The logvars behind a colouring: coordinates for its groups that describe all its factors."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import permutations
from math import factorial

import numpy as np
from numpy.typing import NDArray

from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.lifted.substitutions import Pattern
from liftgraph.symmetry.colours.colouring import Colouring
from liftgraph.symmetry.structure.aspects import Aspects, add_link, copied, own_aspects
from liftgraph.symmetry.structure.components import Labels, components, distinct, row_numbers
from liftgraph.symmetry.structure.coordinates import Coordinate, Coordinates, Rank, coordinates
from liftgraph.symmetry.structure.factor_rows import FactorRows, add_relations, factor_rows
from liftgraph.symmetry.structure.fitting import Slot, fit
from liftgraph.symmetry.structure.parfactor_fit import FittedRows, fit_rows
from liftgraph.symmetry.structure.swaps import swaps_change_nothing
from liftgraph.symmetry.tables.commutative import Positions


@dataclass(frozen=True, slots=True)
class Groups:
    """Groups of variables and factors, and those that are more than one variable's business.

    ``variables`` and ``factors``: members of each group. ``rows``: by group of factors, where not
    all arguments are single.
    """

    variables: list[NDArray[np.intp]]
    factors: list[NDArray[np.intp]]
    rows: dict[int, FactorRows]

    @property
    def sizes(self) -> dict[int, int]:
        """How many members each group of more than one variable has."""
        return {group: len(each) for group, each in enumerate(self.variables) if len(each) > 1}


@dataclass(frozen=True, slots=True)
class Structure:
    """Coordinates, and what they make of each group; where they do not fit, the group fails.

    ``patterns``: of the groups of variables. ``fitted``: the groups of factors in ``rows``.
    """

    groups: Groups
    coordinates: Coordinates
    patterns: dict[int, Pattern]
    fitted: dict[int, FittedRows]

    @property
    def failing_groups(self) -> list[int]:
        """Groups of variables whose coordinates are not all substitutions."""
        return [group for group in self.coordinates.of if group not in self.patterns]

    @property
    def failing_rows(self) -> list[FactorRows]:
        """Groups of factors that are no parfactor."""
        return [rows for group, rows in self.groups.rows.items() if group not in self.fitted]

    @property
    def failures(self) -> int:
        """How many groups are not described."""
        return len(self.failing_groups) + len(self.failing_rows)

    @property
    def complete(self) -> bool:
        """Whether everything is described."""
        return not self.failures


def grouped(graph: FactorGraph, colouring: Colouring) -> Groups:
    """The groups of a colouring, with the rows of those factors that have any to speak of."""
    variables, factors = colouring.variable_groups, colouring.factor_groups
    number = np.empty(graph.variable_count, dtype=np.int64)
    for members in variables:
        number[members] = np.arange(len(members))
    sizes = np.array([len(members) for members in variables])
    shared = sizes[colouring.variable_colours] > 1 if len(sizes) else np.empty(0, dtype=np.bool_)
    lifted = np.add.reduceat(np.append(shared[graph.scope], False), graph.scope_ptr[:-1]) > 0
    lifted &= np.diff(graph.scope_ptr) > 0
    rows = {
        group: factor_rows(graph, colouring, members, number)
        for group, members in enumerate(factors)
        if lifted[members[0]]
    }
    return Groups(variables, factors, rows)


def structure(graph: FactorGraph, groups: Groups, rank: Rank) -> Structure:
    """Coordinates for all groups of more than one variable, as good as they can be found.

    ``rank``: the order in which members of a group are numbered off.
    """
    aspects = own_aspects(groups.sizes)
    for rows in groups.rows.values():
        add_relations(aspects, rows)
    found = _best_described(groups, coordinates(aspects, rank))
    for more in (_add_sets, _add_components):
        trial = copied(aspects)
        while not found.complete and more(graph, trial, found, rank):
            better = _best_described(groups, coordinates(trial, rank))
            if better.failures > found.failures or (
                more is _add_sets and better.failures == found.failures
            ):
                break
            aspects, found, trial = trial, better, copied(trial)
    return found


def _best_described(groups: Groups, known: Coordinates) -> Structure:
    """With as few coordinates as will do; or, if that fails, with as many as there are."""
    few = _described(groups, known, fewest=True)
    if few.complete:
        return few
    many = _described(groups, known, fewest=False)
    return many if many.failures < few.failures else few


def _described(groups: Groups, known: Coordinates, fewest: bool) -> Structure:
    patterns: dict[int, Pattern] = {}
    of: dict[int, tuple[Coordinate, ...]] = {}
    used = Counter(each.domain for own in known.of.values() for each in own)
    for group, own in known.of.items():
        members = len(groups.variables[group])
        of[group], pattern = _needed(own, members, known.sizes, used, fewest)
        if pattern is not None:
            patterns[group] = pattern
    known = Coordinates(of, known.sizes)
    fitted = {}
    for number, rows in groups.rows.items():
        if all(group in patterns for group in rows.groups if group in known.of):
            fits = fit_rows(rows, known, patterns)
            if fits is not None and swaps_change_nothing(rows, fits, patterns):
                fitted[number] = fits
    return Structure(groups, known, patterns, fitted)


def _needed(
    own: tuple[Coordinate, ...],
    members: int,
    sizes: dict[int, int],
    used: Counter[int],
    fewest: bool,
) -> tuple[tuple[Coordinate, ...], Pattern | None]:
    """Coordinates that number the members, and the pattern of their substitutions.

    Where there are too many, those are left out first that tell least of other groups, and came
    last: with X and Y, that Friends(X, Y) and Friends(Y, X) are about the same pair is no news.
    """
    left = own
    best: tuple[tuple[Coordinate, ...], Pattern | None] = own, None
    while left:
        slots = [Slot(each.domain, each.individuals) for each in left]
        described = fit(slots, members, sizes)
        if described is not None and described.copies == 1 and len(described.domains) == len(left):
            best = left, described.pattern
            if not fewest:
                break
        least = min(left, key=lambda c: (used[c.domain], -sizes[c.domain], -c.aspect))
        left = tuple(each for each in left if each is not least)
    return best


def _add_sets(graph: FactorGraph, aspects: Aspects, found: Structure, rank: Rank) -> bool:
    """Members that determine a set of members of another group get these as coordinates.

    Friends({X, Y}) and Friends(X, Y) with a table symmetric in X and Y determine {X, Y}.
    """
    before = len(aspects.links)
    for rows in found.failing_rows:
        for column, group in enumerate(rows.groups):
            for target, sets, as_arguments in _told_sets(found, rows, column):
                if as_arguments:
                    sets = _in_all_orders(sets, len(found.groups.variables[target]), rank(group))
                _add_set(aspects, group, target, sets)
        if len(aspects.links) > before:
            return True
    return False


def _told_sets(found: Structure, rows: FactorRows, column: int) -> list[tuple[int, Labels, bool]]:
    """Groups of which each member in a column determines a few, who they are, int64 (n, k), and
    whether they are arguments of the same factor."""
    known, group = found.coordinates, rows.groups[column]
    told: list[tuple[int, Labels, bool]] = []
    if group not in known.of:
        return told
    size = len(found.groups.variables[group])
    for block in rows.columns:
        target = rows.groups[block[0]]
        if column in block or not known.of.get(target) or len(block) > 3:
            continue
        rank = _in_order(found, target)
        images = [(each[column], [each[place] for place in block]) for each in rows.exchanges]
        members = np.concatenate([rows.members[:, place] for place, _ in images])
        others = np.concatenate([rank[rows.members[:, places]] for _, places in images])
        each = _few_per_member(members, np.sort(others, axis=1), size)
        if each is not None and len(found.groups.variables[target]) < size:
            told.append((target, np.argsort(rank)[each], len(block) > 1))
    return told


def _in_order(found: Structure, group: int) -> Labels:
    """The rank of each member of a group by its coordinates."""
    own = found.coordinates.of[group]
    sizes = [found.coordinates.sizes[each.domain] for each in own]
    code = row_numbers([each.individuals for each in own], sizes)
    rank = np.empty(len(code), dtype=np.int64)
    rank[np.argsort(code, kind="stable")] = np.arange(len(code))
    return rank


def _few_per_member(members: Labels, others: Labels, size: int) -> Labels | None:
    """The two or three others that each member comes with in its rows, increasing: (n, k)."""
    width = others.shape[1]
    if width > 1:
        sets = np.full((size, width), -1)
        sets[members] = others
        told = np.array_equal(sets[members], others) and sets.min() >= 0
        return sets if told else None
    bound = int(others.max()) + 1
    pairs, _ = distinct(members * bound + others[:, 0], size * bound)
    members, others = np.divmod(pairs, bound)
    per_member = len(members) // size
    uniform = (np.bincount(members, minlength=size) == per_member).all()
    if not uniform or not 2 <= per_member <= 3:
        return None
    return others.reshape(size, per_member)


def _in_all_orders(sets: Labels, size: int, ranks: Labels) -> Labels:
    """The sets, each in every order if as many members share it as it has orders: then X and Y
    are told apart after all. ``size``: of their group; ``ranks``: who gets the first orders."""
    width = sets.shape[1]
    code = np.unique(row_numbers(list(sets.T), [size] * width), return_inverse=True)[1]
    counts = np.bincount(code)
    if (counts % factorial(width)).any():
        return sets
    place = np.empty(len(code), dtype=np.int64)
    start = np.repeat(np.cumsum(counts) - counts, counts)
    place[np.lexsort((ranks, code))] = np.arange(len(code)) - start
    orders: list[Positions] = list(permutations(range(width)))
    return np.take_along_axis(sets, np.array(orders)[place % len(orders)], axis=1)


def _add_set(aspects: Aspects, group: int, target: int, sets: Labels) -> None:
    """The members of each set, one by one, as aspects."""
    everyone = np.arange(aspects.cells[target][0])
    for column in sets.T:
        add_link(aspects, group, column, target, everyone)


def _add_components(graph: FactorGraph, aspects: Aspects, found: Structure, rank: Rank) -> bool:
    """Which part of the graph a member is in, once variables of single groups are left out."""
    before = sum(map(len, aspects.cells.values()))
    shared = np.zeros(graph.variable_count, dtype=np.bool_)
    for group in aspects.labels:
        shared[found.groups.variables[group]] = True
    edge = np.flatnonzero(shared[graph.scope])
    factor = np.repeat(np.arange(graph.factor_count), np.diff(graph.scope_ptr))[edge]
    variable = graph.scope[edge].astype(np.int64)
    together = factor[1:] == factor[:-1]
    root = components(variable[:-1][together], variable[1:][together], graph.variable_count)
    first: dict[bytes, int] = {}
    for group in aspects.labels:
        labels = root[found.groups.variables[group]]
        other = first.setdefault(np.unique(labels).tobytes(), group)
        add_link(aspects, group, labels, other, root[found.groups.variables[other]])
    return before < sum(map(len, aspects.cells.values()))
