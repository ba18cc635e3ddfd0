"""Parts of rows that are alike, on top of one another: each is computed once for all of them.

What a row does not observe falls into parts that are independent given what it observes. Parts of
the same tables over free variables that meet in the same way are alike, whichever rows and
variables they come from; those with equal states of the observed variables are equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from graphlib import TopologicalSorter
from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liftgraph.disjoint_sets import DisjointSets
from liftgraph.inference.rows.distinct import distinct_rows
from liftgraph.semiring.protocol import Integers

Scope = tuple[int, ...]
_OUT, _SEEN, _FREE = range(3)  # what a variable is in a row


class Term(NamedTuple):
    """A table of a model: which one it is, over which variables, and whose distribution.

    ``child``: the variable whose distribution it helps to give, -1 if it is no distribution.
    """

    source: int
    scope: Scope
    child: int


@dataclass(frozen=True, eq=False)
class Structure:
    """The tables of a model. ``sizes``: how many states each variable has, hidden ones last."""

    terms: Sequence[Term]
    sizes: Sequence[int]

    @cached_property
    def terms_of(self) -> list[list[int]]:
        """The terms of each variable, increasing."""
        places: list[list[int]] = [[] for _ in self.sizes]
        for place, term in enumerate(self.terms):
            for variable in term.scope:
                places[variable].append(place)
        return places

    @cached_property
    def row_bytes(self) -> int:
        """A bound on the bytes that a row of observations takes, while rows are arranged."""
        return 40 * len(self.sizes) + 16 * sum([len(term.scope) for term in self.terms])

    @cached_property
    def parents(self) -> dict[int, set[int]]:
        """The parents of each variable whose distribution is there, children after parents."""
        above: dict[int, set[int]] = {}
        for term in self.terms:
            if term.child >= 0:
                above.setdefault(term.child, set()).update({*term.scope} - {term.child})
        return above


class Alike(NamedTuple):
    """What parts have in common.

    ``terms``: the source of each table, and its axes: free variables by their label, observed ones
    by the complement (~) of their slot. ``sizes``: those of the free variables, by label;
    ``slot_sizes``: those of the observed ones.
    """

    terms: tuple[tuple[int, Scope], ...]
    sizes: Scope
    slot_sizes: Scope


@dataclass(frozen=True, eq=False)
class Stack:
    """Parts that are alike, of which there are some kinds.

    ``states``: int64 (slots, kinds), the state of each slot. ``rows``: int64 (parts,), the row of
    each part; ``kind``: int64 (parts,), which kind it is.
    """

    alike: Alike
    states: Integers
    rows: Integers
    kind: Integers


@dataclass(frozen=True, eq=False)
class Arranged:
    """What the rows of a table make of a model.

    ``seen``: the terms whose variables are all observed in some rows, and these rows. ``stacks``:
    the parts of all other terms that matter.
    """

    seen: list[tuple[Term, Integers]]
    stacks: list[Stack]


def arranged(structure: Structure, states: NDArray[np.integer]) -> Arranged:
    """The terms and parts that matter for the weights of rows of observations.

    ``states``: (variables, rows), -1 where a value is missing. Tables that are the distributions of
    variables which are neither observed nor above an observed one sum to one, and are left out
    (Shachter 1986: barren nodes).
    """
    status = _status(structure, states)
    found: dict[Alike, list[tuple[list[int], Integers]]] = {}
    for rows in _patterns(status):
        for alike, slots in _parts(structure, status[:, rows[0]]):
            found.setdefault(alike, []).append((slots, rows))
    stacks = [_stack(alike, pieces, states) for alike, pieces in found.items()]
    return Arranged([*_seen(structure, status)], stacks)


def _status(structure: Structure, states: NDArray[np.integer]) -> NDArray[np.int8]:
    """What each variable is in each row: out, seen or free. Hidden variables are always free."""
    status = np.full((len(structure.sizes), states.shape[1]), _OUT, dtype=np.int8)
    status[len(states) :] = _FREE
    status[: len(states)][states >= 0] = _SEEN
    parents = structure.parents
    undirected = {v for term in structure.terms if term.child < 0 for v in term.scope}
    for variable in undirected:
        status[variable][status[variable] == _OUT] = _FREE
    for variable in _children_first(parents):
        needed = status[variable] != _OUT
        for parent in parents[variable]:
            status[parent][needed & (status[parent] == _OUT)] = _FREE
    return status


def _children_first(parents: Mapping[int, set[int]]) -> list[int]:
    order = [*TopologicalSorter(parents).static_order()]
    return [variable for variable in reversed(order) if variable in parents]


def _is_in(term: Term, status: NDArray[np.int8]) -> NDArray[np.bool_]:
    """In which rows a term matters; in its one row, if there are no others."""
    if term.child < 0:
        return np.ones(status.shape[1:], dtype=np.bool_)
    return np.asarray(status[term.child] != _OUT)


def _seen(structure: Structure, status: NDArray[np.int8]) -> Iterator[tuple[Term, Integers]]:
    """The terms without free variables, and the rows in which they have none."""
    for term in structure.terms:
        all_seen = _is_in(term, status)
        for variable in term.scope:
            all_seen = all_seen & (status[variable] == _SEEN)
        rows = np.flatnonzero(all_seen)
        if len(rows):
            yield term, rows


def _patterns(status: NDArray[np.int8]) -> list[Integers]:
    """The rows in which all variables are the same, for each such group with free ones."""
    kind = distinct_rows([*status], [3] * len(status), status.shape[1]).kind
    order = np.argsort(kind, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(kind[order])) + 1)
    return [rows for rows in groups if len(rows) and (status[:, rows[0]] == _FREE).any()]


def _parts(structure: Structure, status: NDArray[np.int8]) -> Iterator[tuple[Alike, list[int]]]:
    """The independent parts of a pattern, and the variables of their slots."""
    free = np.flatnonzero(status == _FREE).tolist()
    is_free = set(free)
    together: DisjointSets[int] = DisjointSets()
    terms = sorted({place for variable in free for place in structure.terms_of[variable]})
    terms = [place for place in terms if _is_in(structure.terms[place], status)]
    for place in terms:
        together.join([v for v in structure.terms[place].scope if v in is_free])
    grouped: dict[int, list[Term]] = {}
    for place in terms:
        term = structure.terms[place]
        first = next(variable for variable in term.scope if variable in is_free)
        grouped.setdefault(together.find(first), []).append(term)
    for part in grouped.values():
        yield _alike(part, is_free, structure.sizes)


def _alike(
    part: Sequence[Term], is_free: set[int], sizes: Sequence[int]
) -> tuple[Alike, list[int]]:
    labels, slots = count(), count()
    name: dict[int, int] = {}
    terms: list[tuple[int, Scope]] = []
    for term in part:
        for variable in term.scope:
            if variable not in name:
                name[variable] = next(labels) if variable in is_free else ~next(slots)
        terms.append((term.source, tuple([name[variable] for variable in term.scope])))
    free = tuple([sizes[variable] for variable in name if name[variable] >= 0])
    observed = [variable for variable in name if name[variable] < 0]
    return Alike(tuple(terms), free, tuple([sizes[variable] for variable in observed])), observed


def _stack(
    alike: Alike, pieces: Sequence[tuple[list[int], Integers]], states: NDArray[np.integer]
) -> Stack:
    rows = np.concatenate([rows for _, rows in pieces])
    columns = [
        np.concatenate([states[slots[slot], some].astype(np.int64) for slots, some in pieces])
        for slot in range(len(alike.slot_sizes))
    ]
    first, kind = distinct_rows(columns, alike.slot_sizes, len(rows))
    distinct = np.array([column[first] for column in columns], dtype=np.int64)
    return Stack(alike, distinct.reshape(len(columns), len(first)), rows, kind)
