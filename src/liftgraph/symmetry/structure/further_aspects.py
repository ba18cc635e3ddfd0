"""More aspects, looked for only where coordinates do not describe all groups: sets of members that
are determined together, and components of the graph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from math import factorial

import numpy as np

from liftgraph.model.arrays import inverse
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.symmetry.structure.aspects import Aspects, add_link
from liftgraph.symmetry.structure.components import (
    Integers,
    Labels,
    components,
    distinct,
    row_numbers,
)
from liftgraph.symmetry.structure.coordinates import Coordinates, Rank
from liftgraph.symmetry.structure.factor_rows import FactorRows, Groups

LARGEST_SET = 3


def add_sets(
    aspects: Aspects,
    groups: Groups,
    coordinates: Coordinates,
    failing_rows: Sequence[FactorRows],
    rank: Rank,
) -> bool:
    """Link members that determine a set of members of another group to each of those; returns
    whether there is a new link.

    In factors on Friends(X, Y), Smokes(X) and Smokes(Y) with a table that is symmetric in the last
    two arguments, each member of Friends determines {X, Y}.
    """
    count_before = len(aspects.links)
    for rows in failing_rows:
        for column, group in enumerate(rows.groups):
            for target, sets, as_arguments in _determined_sets(groups, coordinates, rows, column):
                target_size = len(groups.variables[target])
                if as_arguments:
                    sets = _in_all_orders(sets, target_size, rank(group, np.zeros_like(sets[:, 0])))
                for member in sets.T:
                    add_link(aspects, group, member, target, np.arange(target_size))
        if len(aspects.links) > count_before:
            return True
    return False


def _determined_sets(
    groups: Groups, coordinates: Coordinates, rows: FactorRows, column: int
) -> Iterator[tuple[int, Labels, bool]]:
    """Groups in which each member in a column determines a few members; those, int64 (n, k), and
    whether they are arguments of the same factor."""
    if rows.groups[column] not in coordinates.of:
        return
    size = len(groups.variables[rows.groups[column]])
    for block in rows.interchangeable:
        target = rows.groups[block[0]]
        if column in block or not coordinates.of.get(target) or len(block) > LARGEST_SET:
            continue
        order = _by_coordinates(coordinates, target)
        rank = inverse(order)
        images = [(image[column], [image[place] for place in block]) for image in rows.exchanges]
        members = np.concatenate([rows.members[:, place] for place, _ in images])
        others = np.concatenate([rank[rows.members[:, places]] for _, places in images])
        others.sort(axis=1)
        sets = _few_per_member(members, others, size)
        if sets is not None and len(groups.variables[target]) < size:
            yield target, order[sets], len(block) > 1


def _by_coordinates(coordinates: Coordinates, group: int) -> Labels:
    """The members of a group in the order of their coordinates."""
    group_coordinates = coordinates.of[group]
    sizes = [coordinates.sizes[coordinate.domain] for coordinate in group_coordinates]
    code = row_numbers([coordinate.individuals for coordinate in group_coordinates], sizes)
    return np.argsort(code, kind="stable")


def _few_per_member(members: Integers, others: Integers, size: int) -> Labels | None:
    """The two or three others that each of ``size`` members always comes with, increasing: int64
    (size, k). None if they are not the same in all rows, or if there are more, or just one."""
    width = others.shape[1]
    if width > 1:
        sets = np.full((size, width), -1)
        sets[members] = others
        determined = np.array_equal(sets[members], others) and sets.min() >= 0
        return sets if determined else None
    bound = int(others.max()) + 1
    codes = members.astype(np.int64)
    codes *= bound
    codes += others[:, 0]
    pairs, _ = distinct(codes, size * bound)
    del codes
    owners, determined_others = np.divmod(pairs, bound)
    per_member = len(pairs) // size
    uniform = (np.bincount(owners, minlength=size) == per_member).all()
    if not uniform or not 2 <= per_member <= LARGEST_SET:
        return None
    return determined_others.reshape(size, per_member)


def _in_all_orders(sets: Labels, target_size: int, ranks: Labels) -> Labels:
    """The sets, each in all its orders, if each set is shared by one member per order: then X
    and Y are told apart after all. ``ranks``: members of lower rank get the first orders."""
    width = sets.shape[1]
    code = np.unique(row_numbers(list(sets.T), [target_size] * width), return_inverse=True)[1]
    counts = np.bincount(code)
    if (counts % factorial(width)).any():
        return sets
    place = np.empty(len(code), dtype=np.int64)
    start = np.repeat(np.cumsum(counts) - counts, counts)
    place[np.lexsort((ranks, code))] = np.arange(len(code)) - start
    orders = np.array(list(permutations(range(width))))
    return np.take_along_axis(sets, orders[place % len(orders)], axis=1)


def add_components(aspects: Aspects, graph: FactorGraph, groups: Groups) -> bool:
    """Add the connected component of the graph that each member is in, once variables that are
    alone in their group are left out; whether that is a new aspect."""
    count_before = aspects.aspect_count
    shared = np.zeros(graph.variable_count, dtype=np.bool_)
    for group in aspects.labels:
        shared[groups.variables[group]] = True
    edge = shared[graph.scope]
    factors = np.arange(graph.factor_count, dtype=np.int32)
    factor, variable = np.repeat(factors, np.diff(graph.scope_ptr))[edge], graph.scope[edge]
    together = factor[1:] == factor[:-1]
    del edge, factor
    component = components(variable[:-1][together], variable[1:][together], graph.variable_count)
    group_with: dict[bytes, int] = {}  # members in the same components
    for group in aspects.labels:
        labels = component[groups.variables[group]]
        first = group_with.setdefault(np.unique(labels).tobytes(), group)
        add_link(aspects, group, labels, first, component[groups.variables[first]])
    return aspects.aspect_count > count_before
