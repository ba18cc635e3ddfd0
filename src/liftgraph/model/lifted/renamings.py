"""Renamings of logvars that take a parfactor's arguments and constraints to themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from liftgraph.model.lifted.logvars import LogVar, constrained
from liftgraph.model.lifted.parfactor import CRV, Argument, Parfactor, atom_of
from liftgraph.model.lifted.substitutions import Pattern

COUNTED = -1
_MOST = 6  # the most logvars that are renamed along with two that are swapped


@dataclass(frozen=True, slots=True)
class Key:
    """What an argument is, by the indices of its logvars.

    ``logvars``: in the order of the PRV's; counted ones are ``COUNTED``. ``sets``: places of
    logvars whose order does not matter. ``apart``: those that counted ones must differ from.
    """

    kind: object
    logvars: tuple[int, ...]
    sets: tuple[tuple[int, ...], ...] = ()
    apart: frozenset[int] = frozenset()


def symmetries(parfactor: Parfactor, pair: tuple[LogVar, LogVar]) -> Iterator[tuple[int, ...]]:
    """Permutations of the logvars that swap two of them and take the parfactor to itself.

    >>> from liftgraph import LogVar, parfactor, prv, unordered
    >>> X = LogVar("X", 3); Y = LogVar("Y", X); friend = prv("F", X)
    >>> like = parfactor([friend(X), friend(Y)], [2, 1, 1, 2], unordered(X, Y))
    >>> list(symmetries(like, (X, Y)))
    [(1, 0)]
    """
    index = {logvar: place for place, logvar in enumerate(parfactor.logvars)}
    keys = [_key(parfactor, argument, index) for argument in parfactor.arguments]
    domains = [logvar.domain for logvar in parfactor.logvars]
    integers = parfactor.table.integers
    swaps = swapped(keys, domains, parfactor.pattern, (index[pair[0]], index[pair[1]]))
    for renaming, images in swaps:
        if np.array_equal(integers.transpose(images), integers):
            yield tuple(renaming[logvar] for logvar in range(len(domains)))


def _key(parfactor: Parfactor, argument: Argument, index: dict[LogVar, int]) -> Key:
    atom = atom_of(argument)
    counted = set(argument.counted) if isinstance(argument, CRV) else set()
    about = [set(constrained(constraint)) for constraint in parfactor.constraints]
    apart = {logvar for logvars in about if logvars & counted for logvar in logvars} - counted
    return Key(
        (isinstance(argument, CRV), atom.prv.name),
        tuple(COUNTED if logvar in counted else index[logvar] for logvar in atom.logvars),
        atom.prv.pattern.unordered,
        frozenset(index[logvar] for logvar in apart),
    )


def swapped(
    arguments: Sequence[Key], domains: Sequence[object], pattern: Pattern, pair: tuple[int, int]
) -> Iterator[tuple[dict[int, int], list[int]]]:
    """Renamings that swap two logvars, perhaps along with others of the same domains, and leave
    everything else as it is, each with the index of the argument that each argument becomes.

    ``domains``: of the logvars, ``pattern``: their constraints.
    With X and Y in f(T(X, M), T(Y, N)), M and N have to be swapped.
    """
    index = {_renamed(argument, {}): place for place, argument in enumerate(arguments)}
    for renaming in _renamings(domains, pattern, pair):
        images = [index.get(_renamed(argument, renaming)) for argument in arguments]
        taken = [image for image in images if image is not None]
        if len(set(taken)) == len(arguments):
            yield renaming, taken


def _renamings(
    domains: Sequence[object], pattern: Pattern, pair: tuple[int, int]
) -> Iterator[dict[int, int]]:
    """Permutations of logvars that swap two and keep domains and constraints, plainest first."""
    first, second = pair
    others = [logvar for logvar in range(len(domains)) if logvar not in pair]
    images = permutations(others) if len(others) <= _MOST else [tuple(others)]
    # A swap that needs another unordered set to be swapped along is not a symmetry by itself.
    fixed = {logvar for places in pattern.unordered for logvar in places} - {*pair}
    for image in images:
        renaming = {first: second, second: first, **dict(zip(others, image, strict=True))}
        if (
            all(domains[a] == domains[b] for a, b in renaming.items())
            and {_pair(renaming, apart) for apart in pattern.different} == pattern.different
            and all(renaming[logvar] == logvar for logvar in fixed)
        ):
            yield renaming


def _pair(renaming: dict[int, int], pair: tuple[int, int]) -> tuple[int, int]:
    first, second = sorted(renaming[logvar] for logvar in pair)
    return first, second


def _renamed(key: Key, renaming: dict[int, int]) -> Key:
    logvars = [renaming.get(logvar, logvar) for logvar in key.logvars]
    for places in key.sets:
        listed = sorted(logvars[place] for place in places)
        for place, logvar in zip(sorted(places), listed, strict=True):
            logvars[place] = logvar
    apart = frozenset(renaming.get(logvar, logvar) for logvar in key.apart)
    return Key(key.kind, tuple(logvars), key.sets, apart)
