"""Colour passing on arrays, with rounds that cost what changed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from liftgraph.symmetry.colours.engines.grouping import (
    Colours,
    Hashes,
    Indices,
    chunks,
    mixed,
    spans,
    split,
)
from liftgraph.symmetry.colours.incidence import Incidence, Kind
from liftgraph.symmetry.tables.orbits import orbit_labels, smallest_images

Words = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Speakers:
    """Factors of one kind that tell their arguments about a new colour.

    ``factors``: intp (m,). ``labels``: int64 (k,) or (m, k), what they call the positions.
    """

    factors: Indices
    labels: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Heard:
    """What was said to variables: to each a counted multiset of words.

    ``variables``: intp (n,), the receivers. Receiver i heard the words
    ``words[start[i]:start[i + 1]]``, uint64, increasing, each ``counts`` times.
    """

    variables: Indices
    start: Indices
    words: Words
    counts: Indices


def factor_step(
    incidence: Incidence,
    variables: Colours,
    factors: Colours,
    touched: Indices | None,
    everyone: bool = False,
) -> list[Speakers]:
    """Colour the touched factors (None: all) by their colours and those of their arguments.

    Those with a new colour are to speak; everyone who was touched, if so told.
    """
    return [
        _recoloured(incidence, variables, factors, kind, chosen, everyone)
        for number, kind in enumerate(incidence.kinds)
        if len(chosen := _of_kind(incidence, number, touched))
    ]


def variable_step(
    incidence: Incidence, variables: Colours, factors: Colours, speakers: list[Speakers], base: int
) -> Indices:
    """Colour the variables by their colours and what they heard; those with a new colour.

    ``base``: no speaker has a smaller colour.
    """
    heard = _heard(incidence, factors, speakers, base)
    if not len(heard.variables):
        return heard.variables

    def signature(i: int) -> list[tuple[int, int]]:
        span = slice(heard.start[i], heard.start[i + 1])
        return list(zip(heard.words[span].tolist(), heard.counts[span].tolist(), strict=True))

    hashes = multiset_hashes(heard.words, heard.counts, heard.start[:-1])
    return split(
        variables, heard.variables, hashes, lambda i, j: _heard_alike(heard, i, j), signature
    )


def _of_kind(incidence: Incidence, number: int, touched: Indices | None) -> Indices:
    if touched is None:
        return incidence.kinds[number].factors
    chosen: Indices = touched[incidence.kind_of[touched] == number]
    return chosen


def _recoloured(
    incidence: Incidence,
    variables: Colours,
    factors: Colours,
    kind: Kind,
    chosen: Indices,
    everyone: bool,
) -> Speakers:
    """Colour factors of one kind; those with a new colour are to speak.

    Where exchanges of arguments are symmetries, arguments are put into the order of the smallest
    image, and what a position is called depends on all colours: whoever was touched speaks.
    """
    rows: NDArray[np.int32] = np.empty((len(chosen), kind.arity), dtype=np.int32, order="F")
    for some, part in zip(chunks(chosen), chunks(rows), strict=True):
        start = incidence.start[some]
        for position in range(kind.arity):
            part[:, position] = variables.of[incidence.arguments[start + position]]
    exchanges = bool(kind.symmetries.exchanges)
    if exchanges:
        rows, orders = smallest_images(rows, kind.symmetries)
        start = incidence.start[chosen, None]
        for array in (incidence.arguments, incidence.order):
            array[start + np.arange(kind.arity)] = array[start + orders]
    else:
        for positions in kind.together:
            rows[:, positions] = np.sort(rows[:, positions], axis=1)
    changed = split(
        factors,
        chosen,
        row_hashes(rows),
        lambda i, j: _equal_rows(rows, i, j),
        lambda i: rows[i].tolist(),
        fresh=exchanges,
    )
    if not exchanges:
        return Speakers(chosen if everyone else changed, kind.labels)
    distinct, inverse = np.unique(rows, axis=0, return_inverse=True)
    return Speakers(chosen, orbit_labels(distinct, kind.symmetries)[inverse.ravel()])


def _equal_rows(rows: NDArray[np.int32], i: Indices, j: Indices) -> NDArray[np.bool_]:
    equal = np.ones(len(i), dtype=np.bool_)
    for column in rows.T:
        equal &= column[i] == column[j]
    return equal


def row_hashes(rows: NDArray[np.int32]) -> Hashes:
    """A hash of each row, uint64 (m,)."""
    hashes = np.zeros(len(rows), dtype=np.uint64)
    for some, part in zip(chunks(hashes), chunks(rows), strict=True):
        for column in part.T:
            some[:] = mixed(some + column.astype(np.uint64))
    return hashes


def multiset_hashes(words: Words, counts: Indices, start: Indices) -> Hashes:
    """A hash of each counted multiset of words; each starts where the one before ends."""
    hashes: Hashes = np.add.reduceat(mixed(mixed(words) + counts.astype(np.uint64)), start)
    return hashes


def _heard(incidence: Incidence, factors: Colours, speakers: list[Speakers], base: int) -> Heard:
    """Everything that is said, sorted and counted."""
    width = incidence.width
    bound = (factors.used - base) * width
    small = incidence.variable_count * bound < 2**32
    edges = sum(len(each.factors) * each.labels.shape[-1] for each in speakers)
    keys = np.empty(edges, dtype=np.uint32 if small else np.uint64)
    filled = 0
    for each in speakers:
        names = np.broadcast_to(each.labels, (len(each.factors), each.labels.shape[-1]))
        for some, labels in zip(chunks(each.factors), chunks(names), strict=True):
            places = incidence.start[some, None] + np.arange(labels.shape[1])
            words = (factors.of[some, None].astype(np.int64) - base) * width + labels
            block = keys[filled : filled + labels.size].reshape(labels.shape)
            block[:] = incidence.arguments[places].astype(np.int64) * bound + words
            filled += labels.size
    keys.sort()
    return _counted(keys, bound)


def _counted(keys: NDArray[np.uint32] | NDArray[np.uint64], bound: int) -> Heard:
    """Runs of equal keys, each a variable times the bound plus a word."""
    first = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1]))[: len(keys)])
    counts = np.diff(first, append=len(keys))
    variables, words = np.divmod(keys[first], keys.dtype.type(max(bound, 1)))
    start = np.flatnonzero(np.concatenate(([True], variables[1:] != variables[:-1]))[: len(first)])
    return Heard(
        variables[start].astype(np.intp),
        np.append(start, len(first)),
        words.astype(np.uint64),
        counts,
    )


def _heard_alike(heard: Heard, i: Indices, j: Indices) -> NDArray[np.bool_]:
    """Whether the receivers i heard the same as the receivers j, word for word."""
    lengths = heard.start[i + 1] - heard.start[i]
    alike: NDArray[np.bool_] = lengths == heard.start[j + 1] - heard.start[j]
    lengths = lengths[alike]
    left, right = (spans(heard.start[each[alike]], lengths) for each in (i, j))
    equal = (heard.words[left] == heard.words[right]) & (heard.counts[left] == heard.counts[right])
    if len(lengths):
        alike[alike] = np.logical_and.reduceat(equal, np.cumsum(lengths) - lengths)
    return alike
