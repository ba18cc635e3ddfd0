"""A round of colour passing on arrays, for many edges at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from liftgraph.symmetry.colours.engines.grouping import (
    Colours,
    Hashes,
    Indices,
    Places,
    chunks,
    mixed,
    run_bounds,
    spans,
    split,
)
from liftgraph.symmetry.colours.incidence import Incidence, Kind
from liftgraph.symmetry.colours.initial import Colour, Integers
from liftgraph.symmetry.tables.orbits import ColourRows, orbit_labels, smallest_images
from liftgraph.symmetry.tables.symmetries import Symmetries

Words = NDArray[np.uint32] | NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Speakers:
    """Factors of one kind that tell their arguments about a new colour.

    ``factors``: intp (m,). ``labels``: int64 (k,) or int8 (m, k), the names of the positions.
    """

    factors: Indices
    labels: Integers


@dataclass(frozen=True, slots=True)
class Heard:
    """The messages to variables: a counted multiset of words for each.

    ``variables``: intp (n,), the receivers. Receiver i got the words
    ``words[start[i]:start[i + 1]]``, increasing, each ``counts`` times, int32.
    """

    variables: Indices
    start: Indices
    words: Words
    counts: NDArray[np.int32]


def factor_step(
    incidence: Incidence,
    variables: Colours,
    factors: Colours,
    touched: Indices | None,
    all_speak: bool = False,
) -> list[Speakers]:
    """Colour the touched factors (None: all) by their colours and those of their arguments.

    Those with a new colour send messages; with ``all_speak``, all touched factors do.
    """
    return [
        _recoloured(incidence, variables, factors, kind, chosen, all_speak)
        for kind_index, kind in enumerate(incidence.kinds)
        if len(chosen := _of_kind(incidence, kind_index, touched))
    ]


def variable_step(
    incidence: Incidence, variables: Colours, factors: Colours, speakers: list[Speakers], base: int
) -> Indices:
    """Colour variables by their colours and messages; returns those with a new colour.

    ``base``: no speaker has a smaller colour.
    """
    heard = _heard(incidence, factors, speakers, base)
    if not len(heard.variables):
        return heard.variables

    def signature(i: int) -> list[tuple[int, int]]:
        span = slice(heard.start[i], heard.start[i + 1])
        return list(zip(heard.words[span].tolist(), heard.counts[span].tolist(), strict=True))

    return split(
        variables,
        heard.variables,
        _multiset_hashes(heard, variables.of),
        lambda i, j: _heard_alike(heard, i, j),
        signature,
    )


def _of_kind(incidence: Incidence, kind_index: int, touched: Indices | None) -> Indices:
    if touched is None:
        return incidence.kinds[kind_index].factors
    chosen: Indices = touched[incidence.kind_of[touched] == kind_index]
    return chosen


def _recoloured(
    incidence: Incidence,
    variables: Colours,
    factors: Colours,
    kind: Kind,
    chosen: Indices,
    all_speak: bool,
) -> Speakers:
    """Colour factors of one kind; those with a new colour send messages.

    Where exchanges of arguments are symmetries, the label of a position depends on the colours of
    all arguments: so all touched factors send messages, and get a new colour.
    """
    rows = _argument_colours(incidence, variables, kind, chosen)
    exchanges = bool(kind.symmetries.exchanges)
    labels: Integers = kind.labels
    if exchanges:
        rows, labels = smallest_rows(rows, kind.symmetries)
    else:
        for positions in kind.together:
            rows[:, positions] = np.sort(rows[:, positions], axis=1)
    changed = split(
        factors,
        chosen,
        _row_hashes(rows, factors.of[chosen]),
        lambda i, j: _equal_rows(rows, i, j),
        lambda i: rows[i].tolist(),
        fresh=exchanges,
    )
    return Speakers(chosen if all_speak or exchanges else changed, labels)


def _argument_colours(
    incidence: Incidence, variables: Colours, kind: Kind, chosen: Indices
) -> Colour:
    """The colours of the arguments of factors of one kind: int32 (m, k)."""
    rows = np.empty((len(chosen), kind.arity), dtype=np.int32, order="F")
    for some, part in zip(chunks(chosen), chunks(rows), strict=True):
        start = incidence.start[some]
        for position in range(kind.arity):
            part[:, position] = variables.of[incidence.arguments[start + position]]
    return rows


def smallest_rows(rows: ColourRows, symmetries: Symmetries) -> tuple[ColourRows, NDArray[np.int8]]:
    """The smallest images of the rows, and the label of each position of the rows: int8 (m, k).

    ``rows``: integers (m, k). A position has the label of the place that it goes to in the image.
    """
    images, orders = smallest_images(rows, symmetries)
    distinct, inverse = np.unique(images, axis=0, return_inverse=True)
    labels = np.empty(rows.shape, dtype=np.int8)
    image_labels = orbit_labels(distinct, symmetries).astype(np.int8)[inverse.ravel()]
    np.put_along_axis(labels, orders, image_labels, axis=1)
    return images, labels


def _equal_rows(rows: NDArray[np.int32], i: Places, j: Places) -> NDArray[np.bool_]:
    equal = np.ones(len(i), dtype=np.bool_)
    for column in rows.T:
        equal &= column[i] == column[j]
    return equal


def _row_hashes(rows: NDArray[np.int32], colours: Colour) -> Hashes:
    """A hash of each row and the factor's own colour, uint64 (m,)."""
    hashes = np.empty(len(rows), dtype=np.uint64)
    for some, part, own in zip(chunks(hashes), chunks(rows), chunks(colours), strict=True):
        some[:] = mixed(own.astype(np.uint64))
        for column in part.T:
            some[:] = mixed(some + column.astype(np.uint64))
    return hashes


def _multiset_hashes(heard: Heard, colours: Colour) -> Hashes:
    """A hash of what each receiver got and its own colour. ``colours``: those of all variables."""
    messages = np.empty(len(heard.words), dtype=np.uint64)
    for some, words, counts in zip(
        *map(chunks, (messages, heard.words, heard.counts)), strict=True
    ):
        some[:] = mixed(mixed(words.astype(np.uint64)) + counts.astype(np.uint64))
    hashes: Hashes = np.add.reduceat(messages, heard.start[:-1])
    for some, receivers in zip(chunks(hashes), chunks(heard.variables), strict=True):
        some += mixed(colours[receivers].astype(np.uint64))
    return hashes


def _heard(incidence: Incidence, factors: Colours, speakers: list[Speakers], base: int) -> Heard:
    """All messages, sorted and counted."""
    width = incidence.width
    bound = (factors.used - base) * width
    small = incidence.variable_count * bound < 2**32
    edges = sum(len(group.factors) * group.labels.shape[-1] for group in speakers)
    keys = np.empty(edges, dtype=np.uint32 if small else np.uint64)
    filled = 0
    for group in speakers:
        names = np.broadcast_to(group.labels, (len(group.factors), group.labels.shape[-1]))
        for some, labels in zip(chunks(group.factors), chunks(names), strict=True):
            places = incidence.start[some, None] + np.arange(labels.shape[1])
            words = (factors.of[some, None].astype(np.int64) - base) * width + labels
            block = keys[filled : filled + labels.size].reshape(labels.shape)
            block[:] = incidence.arguments[places].astype(np.int64) * bound + words
            filled += labels.size
    keys.sort()
    return _counted(keys, bound)


def _counted(keys: Words, bound: int) -> Heard:
    """Runs of equal keys, each a variable times the bound plus a word."""
    bounds = run_bounds(keys)
    variables, words = np.divmod(keys[bounds[:-1]], keys.dtype.type(max(bound, 1)))
    counts = np.diff(bounds).astype(np.int32)
    start = run_bounds(variables)
    return Heard(variables[start[:-1]].astype(np.intp), start, words, counts)


def _heard_alike(heard: Heard, i: Places, j: Places) -> NDArray[np.bool_]:
    """Whether the receivers i got the same words as the receivers j."""
    lengths = heard.start[i + 1] - heard.start[i]
    alike: NDArray[np.bool_] = lengths == heard.start[j + 1] - heard.start[j]
    lengths = lengths[alike]
    left, right = (spans(heard.start[side[alike]], lengths) for side in (i, j))
    equal = (heard.words[left] == heard.words[right]) & (heard.counts[left] == heard.counts[right])
    if len(lengths):
        alike[alike] = np.logical_and.reduceat(equal, np.cumsum(lengths) - lengths)
    return alike
