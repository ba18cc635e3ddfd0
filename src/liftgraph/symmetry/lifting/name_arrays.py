"""Names of variables in arrays: their parts, compared and ordered many at once.

All names are letters in one array, in UTF-8, whose order is that of the text. They are compared a
word at a time: eight letters as one integer, with zeros beyond the end of a text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from liftgraph.symmetry.structure.components import Integers, Labels

_WORD = 8  # letters
_DOT, _END = ord("."), 0


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts within an array of letters: where each starts, int64 (m,), and how long it is.

    Precondition: at least a word of letters follows every text.
    """

    letters: NDArray[np.uint8]
    start: Labels
    length: Labels

    def __len__(self) -> int:
        return len(self.start)

    def chosen(self, places: Integers) -> Texts:
        """The texts at these places."""
        return Texts(self.letters, self.start[places], self.length[places])


@dataclass(frozen=True, slots=True)
class NameArrays:
    """The names of n variables as letters, with an end before each name and after the last one.

    ``separators``: int64, where the ends and dots are; ``ends``: int64 (n + 1,), which of the
    separators are ends.
    """

    letters: NDArray[np.uint8]
    separators: Labels
    ends: Labels

    def whole(self, variables: NDArray[np.intp]) -> Texts:
        """The names of variables."""
        start = self.separators[self.ends[variables]] + 1
        return Texts(self.letters, start, self.separators[self.ends[variables + 1]] - start)

    def part_counts(self, variables: NDArray[np.intp]) -> Labels:
        """How many parts the names of variables have."""
        return self.ends[variables + 1] - self.ends[variables]

    def part(self, variables: NDArray[np.intp], part_index: int) -> Texts:
        """One part of each name. Precondition: all these names have that part."""
        first = self.ends[variables] + part_index
        start = self.separators[first] + 1
        return Texts(self.letters, start, self.separators[first + 1] - start)


def name_arrays(names: Sequence[str]) -> NameArrays:
    """Names in arrays.

    >>> names = name_arrays(["Epid", "Treat.eve.m1"])
    >>> names.part_counts(np.array([0, 1])).tolist(), names.part(np.array([1]), 1).length.tolist()
    ([1, 3], [3])
    """
    text = chr(_END).join(("", *names, *("" for _ in range(_WORD + 1))))
    letters = np.frombuffer(text.encode(errors="surrogatepass"), dtype=np.uint8)
    del text
    body = letters[:-_WORD]  # with one end after the last name
    are_separators = body == _DOT
    are_separators |= body == _END
    separators = np.flatnonzero(are_separators)
    ends = np.flatnonzero(letters[separators] == _END)
    if len(ends) == len(names) + 1:
        return NameArrays(letters, separators, ends)
    # Some names contain what ends them: only their lengths tell where they end.
    sizes = [len(name.encode(errors="surrogatepass")) + 1 for name in names]
    positions = np.array([*accumulate(sizes, initial=0)])
    separators = np.union1d(np.flatnonzero(body == _DOT), positions)
    return NameArrays(letters, separators, np.searchsorted(separators, positions))


def _words(texts: Texts, place: int) -> NDArray[np.uint64]:
    """The letters of each text from a place on as a number, uint64 (m,); zero beyond its end."""
    letters = texts.letters
    window = np.ndarray((len(letters) - _WORD + 1,), ">u8", letters, strides=(1,))
    left = np.clip(texts.length - place, 0, _WORD)
    words = window[np.minimum(texts.start + place, len(window) - 1)].astype(np.uint64)
    shift = (8 * (_WORD - left)).astype(np.uint64)
    return (words >> shift) << shift  # shifts by 64 give zero


def are_same(a: Texts, b: Texts) -> bool:
    """Whether two lists of texts are equal, text by text. Precondition: equally many."""
    if not np.array_equal(a.length, b.length):
        return False
    place = 0
    while len(a):
        if not np.array_equal(_words(a, place), _words(b, place)):
            return False
        place += _WORD
        longer = np.flatnonzero(a.length > place)
        a, b = a.chosen(longer), b.chosen(longer)
    return True


def are_increasing(texts: Texts) -> bool:
    """Whether each text comes before the next one; then they are distinct."""
    undecided = np.arange(len(texts) - 1)
    for place in range(0, int(texts.length.max(initial=0)), _WORD):
        first, second = (_words(texts.chosen(undecided + step), place) for step in (0, 1))
        if (first > second).any():
            return False
        undecided = undecided[first == second]
        if not len(undecided):
            break
    return not len(undecided)


def ranks(texts: Texts, cells: Integers) -> tuple[Labels, bool]:
    """The rank of each text among those in its cell, and whether these are always distinct.

    ``cells``: integers (m,), of each text. Words are looked at one after the other, and only those
    of texts that earlier words do not tell apart: no letter is read that does not matter.

    >>> names = name_arrays(["b", "a", "a.b"])
    >>> ranks(names.whole(np.arange(3)), np.zeros(3, dtype=np.int64))[0].tolist()
    [2, 0, 1]
    """
    order = np.argsort(cells, kind="stable")
    tied, groups = np.arange(len(order)), cells[order]
    longest = int(texts.length.max(initial=0))
    for place in (*range(0, longest, _WORD), None):
        same_group = groups[1:] == groups[:-1]
        if not same_group.any():
            break
        members = texts.chosen(order[tied])
        # In the end, lengths tell apart texts that only differ in zeros at their ends.
        keys = members.length.astype(np.uint64) if place is None else _words(members, place)
        if not (same_group & (keys[1:] != keys[:-1])).any():
            continue  # a common beginning
        by_key = _sorted_within(groups, keys)
        if by_key is not None:
            order[tied], keys = order[tied[by_key]], keys[by_key]
        apart = np.flatnonzero(~same_group | (keys[1:] != keys[:-1])) + 1
        counts = np.diff(apart, prepend=0, append=len(tied))
        together = np.repeat(counts > 1, counts)
        tied, groups = tied[together], np.repeat(np.arange(len(counts)), counts)[together]
    sizes = np.bincount(cells)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return rank, not (groups[1:] == groups[:-1]).any()


def _sorted_within(groups: Integers, keys: NDArray[np.uint64]) -> Labels | None:
    """The order of keys within groups, which are in order; None if it is the given one.

    Groups of equal sizes are the rows of a matrix, each sorted by itself.
    """
    rising = keys[:-1] <= keys[1:]
    if (rising | (groups[:-1] != groups[1:])).all():
        return None
    row_count = int(np.count_nonzero(np.diff(groups))) + 1
    width = len(keys) // row_count
    if width * row_count < len(keys) or not np.array_equal(
        groups[::width], groups[width - 1 :: width]
    ):
        return np.lexsort((keys, groups))
    within = np.argsort(keys.reshape(row_count, width), axis=1, kind="stable")
    return (within + width * np.arange(row_count)[:, None]).ravel()


def share_a_text(a: Texts, b: Texts) -> bool:
    """Whether some text is in both lists. Precondition: they are within the same letters."""
    both = Texts(a.letters, np.append(a.start, b.start), np.append(a.length, b.length))
    order = np.argsort(ranks(both, np.zeros(len(both), dtype=np.int64))[0])
    source = order < len(a)
    beside = np.flatnonzero(source[1:] != source[:-1])
    first, second = both.chosen(order[beside]), both.chosen(order[beside + 1])
    equal, place = np.flatnonzero(first.length == second.length), 0
    while len(equal) and place < int(first.length[equal].max()):
        words = [_words(texts.chosen(equal), place) for texts in (first, second)]
        equal = equal[words[0] == words[1]]
        place += _WORD
    return len(equal) > 0
