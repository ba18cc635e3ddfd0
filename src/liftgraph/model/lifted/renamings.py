"""Renamings of logvars that take a parfactor's arguments and constraints to themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from liftgraph.model.lifted.substitutions import Pattern

COUNTED = -1
_MOST = 6  # logvars renamed along with two that are swapped


@dataclass(frozen=True, slots=True)
class Key:
    """What an argument is, by numbers of logvars.

    ``logvars``: in the order of the PRV's; counted ones are ``COUNTED``. ``sets``: places of
    logvars whose order does not matter. ``apart``: those that counted ones must differ from.
    """

    kind: object
    logvars: tuple[int, ...]
    sets: tuple[tuple[int, ...], ...] = ()
    apart: frozenset[int] = frozenset()


def swapped(
    arguments: Sequence[Key], domains: Sequence[object], given: Pattern, pair: tuple[int, int]
) -> Iterator[tuple[dict[int, int], list[int]]]:
    """Renamings that swap two logvars, perhaps along with others of the same domains, and leave
    everything else as it is, each with the number of the argument that each argument becomes.

    ``domains``: of the logvars, ``given``: their constraints.
    With X and Y in f(T(X, M), T(Y, N)), M and N have to be swapped.
    """
    known = {_renamed(each, {}): number for number, each in enumerate(arguments)}
    for renaming in _renamings(domains, given, pair):
        images = [known.get(_renamed(each, renaming)) for each in arguments]
        found = [image for image in images if image is not None]
        if len(set(found)) == len(arguments):
            yield renaming, found


def _renamings(
    domains: Sequence[object], given: Pattern, pair: tuple[int, int]
) -> Iterator[dict[int, int]]:
    """Permutations of logvars that swap two and keep domains and constraints, plainest first."""
    first, second = pair
    others = [each for each in range(len(domains)) if each not in pair]
    images = permutations(others) if len(others) <= _MOST else [tuple(others)]
    # What another unordered set has to be swapped along for is no symmetry of its own.
    kept = {each for places in given.unordered for each in places} - {*pair}
    for image in images:
        renaming = {first: second, second: first, **dict(zip(others, image, strict=True))}
        if (
            all(domains[a] == domains[b] for a, b in renaming.items())
            and {_pair(renaming, each) for each in given.different} == given.different
            and all(renaming[each] == each for each in kept)
        ):
            yield renaming


def _pair(renaming: dict[int, int], pair: tuple[int, int]) -> tuple[int, int]:
    first, second = sorted(renaming[each] for each in pair)
    return first, second


def _renamed(key: Key, renaming: dict[int, int]) -> Key:
    logvars = [renaming.get(each, each) for each in key.logvars]
    for places in key.sets:
        listed = sorted(logvars[place] for place in places)
        for place, logvar in zip(sorted(places), listed, strict=True):
            logvars[place] = logvar
    apart = frozenset(renaming.get(each, each) for each in key.apart)
    return Key(key.kind, tuple(logvars), key.sets, apart)
