"""Splitting groups by signatures: found by a hash, then verified."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
Indices = NDArray[np.intp]
Places = NDArray[np.int32]
Same = Callable[[Places, Places], NDArray[np.bool_]]

Number = TypeVar("Number", bound=np.generic)

_ODD = np.uint64(0x9E3779B97F4A7C15)  # 2⁶⁴ over the golden ratio
_MAX_SLOTS = 22  # bits
CHUNK = 1 << 15


@dataclass(slots=True)
class Colours:
    """A partition that is being refined: of the variables, or of the factors.

    ``of``: int32, the colour of each member. ``size``: int32, how many members each colour has,
    with room for more colours. ``used``: how many colours were ever used.
    ``groups``: how many of them have members.
    """

    of: NDArray[np.int32]
    size: NDArray[np.int32]
    used: int
    groups: int


def groups_of(colours: NDArray[np.int32]) -> Colours:
    """The partition into these colours, which are copied.

    Precondition: numbered from 0 without gaps.
    """
    size = np.bincount(colours).astype(np.int32)
    return Colours(colours.copy(), size, len(size), len(size))


def make_room(colours: Colours, more: int) -> None:
    """Room for more colours."""
    if colours.used + more > len(colours.size):
        room = np.zeros(colours.used + more, dtype=np.int32)
        colours.size = np.concatenate((colours.size, room))


def mixed(numbers: Hashes) -> Hashes:
    """A bijection of 64-bit numbers that spreads them well: multiply and shift, twice.

    >>> len(set(mixed(np.arange(1000, dtype=np.uint64)).tolist()))
    1000
    """
    result = numbers + _ODD
    for piece in chunks(result):
        piece *= np.uint64(0xBF58476D1CE4E5B9)
        piece ^= piece >> np.uint64(29)
        piece *= np.uint64(0x94D049BB133111EB)
        piece ^= piece >> np.uint64(32)
    return result


def representatives(hashes: Hashes, same: Same) -> NDArray[np.int32]:
    """A representative of each element: an equal element, the same for all that are equal.

    Preconditions: equal elements have equal hashes, and there are less than 2³¹. ``same(i, j)``
    tells which of the elements i equal their counterparts j; it alone decides, whatever the hashes
    are.

    >>> values = np.array([7, 8, 7, 7, 8])
    >>> broken = np.zeros(5, dtype=np.uint64)
    >>> values[representatives(broken, lambda i, j: values[i] == values[j])].tolist()
    [7, 8, 7, 7, 8]
    """
    equal = np.empty(len(hashes), dtype=np.int32)
    bits = min(len(hashes).bit_length() + 1, _MAX_SLOTS)
    slots = np.empty(1 << bits, dtype=np.int32)
    rest = np.arange(len(hashes), dtype=np.int32)
    while len(rest):
        for some, part in zip(chunks(rest), chunks(hashes), strict=True):
            slots[_slot(part, bits)] = some
        differing = []
        for some, part in zip(chunks(rest), chunks(hashes), strict=True):
            others = equal[some] = slots[_slot(part, bits)]
            differing.append(some[~same(some, others)])
        different = np.concatenate(differing)
        hashes = mixed(hashes[np.searchsorted(rest, different)])
        rest = different
    return equal


def _slot(hashes: Hashes, bits: int) -> Indices:
    return (hashes >> np.uint64(64 - bits)).astype(np.intp)


def chunks(array: NDArray[Number]) -> Iterator[NDArray[Number]]:
    """Views of an array, a piece at a time, that fit into a processor's cache with some others."""
    return (array[first : first + CHUNK] for first in range(0, len(array), CHUNK))


def spans(start: Indices, lengths: Indices) -> Indices:
    """The integers start, start + 1, … of each span, one span after the other.

    >>> spans(np.array([10, 20]), np.array([2, 3])).tolist()
    [10, 11, 20, 21, 22]
    """
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    integers: Indices = np.arange(total) + np.repeat(start - (ends - lengths), lengths)
    return integers


def run_bounds(entries: NDArray[Any]) -> Indices:
    """Where runs of equal entries begin, and where the last one ends.

    >>> run_bounds(np.array([7, 7, 3, 5, 5])).tolist()
    [0, 2, 3, 5]
    """
    begins = np.ones(len(entries) + 1, dtype=np.bool_)
    np.not_equal(entries[1:], entries[:-1], out=begins[1:-1])
    return np.flatnonzero(begins)


def split(
    colours: Colours,
    touched: Indices,
    hashes: Hashes,
    same: Same,
    signature: Callable[[int], Any],
    fresh: bool = False,
) -> Indices:
    """Split groups by the signatures of touched members; returns those with a new colour.

    Members that were not touched have one signature, different from all others. They keep the
    colour of their group; where all were touched, the largest part keeps it. So a colour that
    stays is not news for the neighbours. ``fresh=True``: all touched members get new colours.

    Precondition: something was touched. ``hashes``: of old colours and signatures together.
    Parts are numbered by old colour, hash and, where hashes collide, signature, and not by the
    order in which members are listed, so canonical colours stay canonical.
    """
    old = colours.of[touched]
    leader = representatives(hashes, lambda i, j: (old[i] == old[j]) & same(i, j))
    leaders = np.flatnonzero(leader == np.arange(len(leader), dtype=np.int32))
    leaders = _in_canonical_order(leaders, old, hashes, signature)
    part = np.empty(len(touched), dtype=np.int32)
    part[leaders] = np.arange(len(leaders), dtype=np.int32)
    part = part[leader]
    colour_of_part, is_new = _recoloured(colours, old[leaders], np.bincount(part), fresh)
    moved = is_new[part]
    changed = touched[moved]
    colours.of[changed] = colour_of_part[part[moved]]
    return changed


def _in_canonical_order(
    leaders: Indices, old: NDArray[np.int32], hashes: Hashes, signature: Callable[[int], Any]
) -> Indices:
    leaders = leaders[np.lexsort((hashes[leaders], old[leaders]))]
    first, second = leaders[:-1], leaders[1:]
    if ((old[first] == old[second]) & (hashes[first] == hashes[second])).any():
        by_signature = sorted(leaders.tolist(), key=lambda i: (old[i], hashes[i], signature(i)))
        leaders = np.array(by_signature, dtype=np.intp)
    return leaders


def _recoloured(
    colours: Colours, old: NDArray[np.int32], sizes: NDArray[np.intp], fresh: bool
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """The colour of each part and whether it is new; updates sizes and counts.

    ``old``: int32, the colours the parts had, increasing. ``sizes``: members of each part.
    """
    starts = run_bounds(old)[:-1]
    parents = old[starts]
    totals = np.add.reduceat(sizes, starts)
    whole = totals == colours.size[parents]
    is_new = np.ones(len(old), dtype=np.bool_)
    if not fresh and whole.any():
        family = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(old)))
        largest = np.lexsort((np.arange(len(old)), -sizes, family))[starts]
        is_new[largest[whole]] = False
    colour = old.copy()
    new = int(np.count_nonzero(is_new))
    colour[is_new] = colours.used + np.arange(new, dtype=np.int32)
    make_room(colours, new)
    colours.used += new
    colours.size[parents] -= totals.astype(np.int32)
    colours.size[colour] += sizes.astype(np.int32)
    colours.groups += len(old) - int(np.count_nonzero(whole))
    return colour, is_new
