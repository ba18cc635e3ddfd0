"""Rounds of colour passing compiled by numba: the same groups as one by one, only faster.

Importing this module needs numba, an optional extra. Compiling takes seconds, but only once where
the compiled code can be cached.
"""

from __future__ import annotations

import os
from functools import cache
from typing import Any

import numpy as np
from numba import njit, typeof
from numpy.typing import NDArray

from liftgraph.symmetry.colours.engines.grouping import Colours, Indices, make_room
from liftgraph.symmetry.colours.incidence import Incidence

Array = NDArray[Any]
Signatures = tuple[Array, Array]  # entries, and where those of each signature begin (n + 1,)


def compiled_rounds(
    incidence: Incidence, variables: Colours, factors: Colours, changed: Indices, limit: int
) -> tuple[int, Indices, bool]:
    """Do what ``worklist.small_rounds`` does, for at most ``limit`` edges.

    Precondition: no symmetries are exchanges.
    """
    labels = np.zeros((len(incidence.kinds), incidence.width), dtype=np.int64)
    for row, kind in zip(labels, incidence.kinds, strict=True):
        row[: kind.arity] = kind.labels
    for colours in (variables, factors):
        make_room(colours, len(colours.of) - colours.used)  # no colour is left empty
    scopes = incidence.start, incidence.arguments, incidence.kind_of, labels
    neighbours = incidence.factor_start, incidence.factors
    ours = variables.of, variables.size, np.array([variables.used, variables.groups])
    theirs = factors.of, factors.size, np.array([factors.used, factors.groups])
    start = changed.astype(np.int32)
    arguments = scopes, neighbours, ours, theirs, start, limit
    rounds, recoloured, stable = _compiled_for(arguments)(*arguments)
    variables.used, variables.groups = ours[2].tolist()
    factors.used, factors.groups = theirs[2].tolist()
    return int(rounds), recoloured.astype(np.intp), bool(stable)


def _cached(function: Any) -> Any:
    """Compiled and, where numba finds a directory that it may write to, cached on disk."""
    homeless = os.path.expanduser("~") == "~"  # numba would make a directory of that name
    try:
        return njit(cache=not homeless or "NUMBA_CACHE_DIR" in os.environ)(function)
    except RuntimeError:  # "no locator available": there is no such directory
        return njit()(function)


def _compiled_for(arguments: tuple[Any, ...]) -> Any:
    """The rounds for arguments of these types; without the cache if it is damaged or full."""
    try:
        _rounds.compile(tuple(map(typeof, arguments)))
    except Exception:  # numba lets all errors of reading and writing its files through
        return _uncached_rounds()
    return _rounds


@cache
def _uncached_rounds() -> Any:
    return njit()(getattr(_rounds, "py_func", _rounds))  # compiling may be switched off


@njit()
def _touched(neighbours: Any, changed: Array, noted: Array, limit: int) -> Array:
    """A zero and the factors of these variables; -1 if the variables have too many edges."""
    start, factors = neighbours
    degree = 0
    for v in changed:
        degree += start[v + 1] - start[v]
    touched = np.zeros(1 + min(degree, limit + 1), dtype=np.int32)
    if degree > limit:
        touched[0] = -1
        return touched
    count = 1
    for v in changed:
        for f in factors[start[v] : start[v + 1]]:
            if not noted[f]:
                noted[f] = True
                touched[count] = f
                count += 1
    noted[touched[1:count]] = False
    return touched[:count]


@njit()
def _rows(scopes: Any, colours: Array, touched: Array) -> Signatures:
    """The colours of each factor's arguments, in order where they commute."""
    start, arguments, kind_of, labels = scopes
    begin = np.zeros(len(touched) + 1, dtype=np.int64)
    for i, f in enumerate(touched):
        begin[i + 1] = begin[i] + start[f + 1] - start[f]
    entries = np.empty(begin[-1], dtype=np.int64)
    for i, f in enumerate(touched):
        row, label = entries[begin[i] : begin[i + 1]], labels[kind_of[f]]
        for p in range(len(row)):
            row[p] = colours[arguments[start[f] + p]]
            for q in range(p):
                if label[p] == label[q] and row[q] > row[p]:
                    row[q], row[p] = row[p], row[q]
    return entries, begin


@njit()
def _heard(scopes: Any, factors: Any, speakers: Array, base: int) -> tuple[Array, Signatures]:
    """The receivers, and the counted multisets of words they get: word, count, word, count, …"""
    start, arguments, kind_of, labels = scopes
    bound = (factors[2][0] - base) * labels.shape[1]
    edges = 0
    for f in speakers:
        edges += start[f + 1] - start[f]
    keys = np.empty(edges, dtype=np.int64)
    e = 0
    for f in speakers:
        for p in range(start[f + 1] - start[f]):
            word = (factors[0][f] - base) * labels.shape[1] + labels[kind_of[f], p]
            keys[e] = arguments[start[f] + p] * bound + word
            e += 1
    keys.sort()
    receivers = np.empty(edges, dtype=np.int32)
    entries = np.empty(2 * edges, dtype=np.int64)
    begin = np.zeros(edges + 1, dtype=np.int64)
    count = filled = e = 0
    while e < edges:
        first = e
        while e < edges and keys[e] == keys[first]:
            e += 1
        v = keys[first] // bound
        if count == 0 or receivers[count - 1] != v:
            receivers[count] = v
            count += 1
        entries[filled], entries[filled + 1] = keys[first] - v * bound, e - first
        filled += 2
        begin[count] = filled
    return receivers[:count], (entries, begin[: count + 1])


@njit()
def _split(colours: Any, members: Array, signatures: Signatures) -> Array:
    """Give new colours to parts as ``grouping.split`` does; returns the members that got one."""
    of, size, counts = colours
    old = of[members]
    order = _sorted(old, signatures)
    changed = np.empty(len(members), dtype=np.int32)
    count = start = 0
    while start < len(order):
        colour = old[order[start]]
        end, parts, largest, keeping = start, 0, 0, -1
        while end < len(order) and old[order[end]] == colour:
            first, end = end, _end_of_part(order, old, signatures, end)
            parts += 1
            if end - first > largest:
                largest, keeping = end - first, first
        whole = end - start == size[colour]
        counts[1] += parts - 1 if whole else parts
        while start < end:
            first, start = start, _end_of_part(order, old, signatures, start)
            if whole and first == keeping:
                continue
            size[colour] -= start - first
            size[counts[0]] = start - first
            for place in order[first:start]:
                of[members[place]] = counts[0]
                changed[count] = members[place]
                count += 1
            counts[0] += 1
    return changed[:count]


@njit()
def _end_of_part(order: Array, old: Array, signatures: Signatures, first: int) -> int:
    """Where the run of members with the colour and signature of the first one ends."""
    end = first + 1
    while end < len(order) and not _less(old, signatures, order[first], order[end]):
        end += 1
    return end


@njit()
def _sorted(old: Array, signatures: Signatures) -> Array:
    """The order of the members by old colour and signature: merged from runs of one."""
    order, other = np.arange(len(old)), np.empty(len(old), dtype=np.int64)
    width = 1
    while width < len(old):
        for low in range(0, len(old), 2 * width):
            middle, high = min(low + width, len(old)), min(low + 2 * width, len(old))
            i, j = low, middle
            for k in range(low, high):
                if i < middle and (j == high or not _less(old, signatures, order[j], order[i])):
                    other[k] = order[i]
                    i += 1
                else:
                    other[k] = order[j]
                    j += 1
        order, other = other, order
        width *= 2
    return order


@njit()
def _less(old: Array, signatures: Signatures, i: int, j: int) -> bool:
    entries, begin = signatures
    if old[i] != old[j]:
        return bool(old[i] < old[j])
    lengths = begin[i + 1] - begin[i], begin[j + 1] - begin[j]
    for k in range(min(lengths)):
        if entries[begin[i] + k] != entries[begin[j] + k]:
            return bool(entries[begin[i] + k] < entries[begin[j] + k])
    return bool(lengths[0] < lengths[1])


@_cached
def _rounds(
    scopes: Any, neighbours: Any, variables: Any, factors: Any, changed: Array, limit: int
) -> tuple[int, Array, bool]:
    rounds = 0
    noted = np.zeros(len(scopes[0]) - 1, dtype=np.bool_)
    while True:
        touched = _touched(neighbours, changed, noted, limit)
        if touched[0] < 0:
            return rounds, changed, False
        rounds += 1
        groups = variables[2][1] + factors[2][1]
        base = factors[2][0]
        rows = _rows(scopes, variables[0], touched[1:])
        speakers = _split(factors, touched[1:], rows)
        receivers, heard = _heard(scopes, factors, speakers, base)
        changed = _split(variables, receivers, heard)
        if variables[2][1] + factors[2][1] == groups:
            return rounds, changed, True
