"""The arrows of a directed model: parents, ancestors, Markov blankets and d-separation.

Variables are numbered. Everything here is about arrows only; no table is looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.model.arrays import FrozenArrays

Numbers = NDArray[np.int64]
Chosen = NDArray[np.bool_]  # for each variable, whether it is chosen
NOTHING: Numbers = np.array([], dtype=np.int64)


@dataclass(frozen=True, eq=False, repr=False)
class Links(FrozenArrays):
    """The variables that each variable has an arrow from, or to.

    ``start``: int64 (n + 1,); those of variable v are ``ends[start[v]:start[v + 1]]``.
    """

    start: Numbers
    ends: Numbers

    def of(self, variables: Numbers) -> Numbers:
        """The ends of some variables, one after the other, int64."""
        first, size = self.start[variables], self.start[variables + 1] - self.start[variables]
        before = np.cumsum(size) - size
        ends: Numbers = self.ends[np.repeat(first - before, size) + np.arange(size.sum())]
        return ends


@dataclass(frozen=True, eq=False, repr=False)
class Arrows(FrozenArrays):
    """The parents of each variable, in the order of its mechanism, and its children, in order.

    >>> chain = arrows(np.array([0, 1]), np.array([1, 2]), 3)
    >>> chain.parents.of(np.array([2])).tolist(), chain.children.of(np.array([0])).tolist()
    ([1], [1])
    """

    parents: Links
    children: Links


def arrows(tails: NDArray[Any], heads: NDArray[Any], variable_count: int) -> Arrows:
    """The arrows from tails to heads, integers (a,). Parents keep the order of the arrows."""
    by_head, by_tail = np.argsort(heads, kind="stable"), np.lexsort((heads, tails))
    return Arrows(
        Links(_starts(heads, variable_count), tails[by_head].astype(np.int64)),
        Links(_starts(tails, variable_count), heads[by_tail].astype(np.int64)),
    )


def _starts(variables: NDArray[Any], variable_count: int) -> Numbers:
    degree = np.bincount(variables, minlength=variable_count)
    return np.concatenate(([0], np.cumsum(degree))).astype(np.int64)


def reached(links: Links, variables: Numbers) -> Chosen:
    """Some variables and all that links lead to from there: bool (n,)."""
    known = np.zeros(len(links.start) - 1, dtype=np.bool_)
    new = np.unique(variables)
    while len(new):
        known[new] = True
        ends = links.of(new)
        new = np.unique(ends[~known[ends]])
    return known


def beyond(links: Links, variable: int) -> Numbers:
    """The ancestors of a variable, or its descendants, increasing; it is not one of them."""
    found = reached(links, np.array([variable]))
    found[variable] = False
    return np.flatnonzero(found)


def blanket(of: Arrows, variable: int) -> Numbers:
    """The Markov blanket of a variable, increasing: parents, children and their parents.

    Given these, the variable is independent of all others (Pearl 1988).
    """
    children = of.children.of(np.array([variable]))
    around = [of.parents.of(np.array([variable])), children, of.parents.of(children)]
    members = np.unique(np.concatenate(around))
    return np.setdiff1d(members, [variable])


def separated(
    of: Arrows, first: Numbers, second: Numbers, given: Numbers, uncertain: Numbers = NOTHING
) -> bool:
    """Whether the given variables d-separate two sets (Pearl 1988), in linear time.

    A ball starts at the first set (Shachter 1998). What it enters from a child, it leaves to
    parents and children, unless that is given. What it enters from a parent, it leaves to children,
    unless that is given, and to parents if that or a descendant of it is given. ``uncertain``:
    variables which have one more child, that is given: what a likelihood of them observes.
    """
    count = len(of.parents.start) - 1
    is_given = np.zeros(count, dtype=np.bool_)
    is_given[given] = True
    # Given, or with a descendant which is.
    opened = reached(of.parents, np.concatenate((given, uncertain)))
    from_child, from_parent = np.zeros((2, count), dtype=np.bool_)
    up, down = np.unique(first), np.array([], dtype=np.int64)
    while len(up) or len(down):
        from_child[up] = True
        from_parent[down] = True
        passing = up[~is_given[up]]
        to_parents = np.concatenate((passing, down[opened[down]]))
        to_children = np.concatenate((passing, down[~is_given[down]]))
        up, down = of.parents.of(to_parents), of.children.of(to_children)
        up, down = np.unique(up[~from_child[up]]), np.unique(down[~from_parent[down]])
    return not ((from_child | from_parent) & ~is_given)[second].any()
