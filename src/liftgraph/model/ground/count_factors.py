"""Count factors, gates and noisy-ORs, as users write them: checked, and made into potentials."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from liftgraph.errors import InputError, quoted
from liftgraph.exact import rational
from liftgraph.model.ground.count_potential import CountPotential
from liftgraph.model.ground.names import States, is_count, state_index
from liftgraph.model.ground.noisy_max import NoisyMax
from liftgraph.model.ground.table import Potential, Table

Test = Callable[[int], bool]
_MOST_SUMS = 1 << 22  # numbers that a weight is listed for
_NEARLY = Fraction(1, 10**9)  # how far float64 probabilities may be from adding up to 1


def at_least(count: int) -> Test:
    """Whether a number is at least this one: a potential for count factors, or a gate.

    >>> [at_least(2)(number) for number in range(4)]
    [False, False, True, True]
    """
    return lambda number: number >= count


def at_most(count: int) -> Test:
    """Whether a number is at most this one."""
    return lambda number: number <= count


def exactly(count: int) -> Test:
    """Whether a number is this one."""
    return lambda number: number == count


def exactly_one(number: int) -> bool:
    """Whether a number is 1."""
    return number == 1


def count_potential(
    states: Sequence[States],
    potentials: object,
    state: object,
    weights: Sequence[int] | None = None,
) -> CountPotential:
    """The potential of a count factor. ``states``: those of each variable."""
    if not states:
        raise InputError("expected variables to count, got none")
    if state is None:
        return _histogram_potential(states, potentials, weights)
    addends = counted_addends(states, state, weights)
    sums = CountPotential(addends).sums
    return CountPotential(addends, Table.of(_listed(potentials, sums)))


def counted_addends(
    states: Sequence[States], state: object, weights: Sequence[int] | None = None
) -> tuple[tuple[int, ...], ...]:
    """What each state of each variable adds: its weight if it is the one to count, else 0."""
    each = [1] * len(states) if weights is None else [*weights]
    if len(each) != len(states) or not all(is_count(weight) and weight >= 0 for weight in each):
        raise InputError(
            f"expected {len(states)} weights, integers from 0 on, got {quoted(weights)}"
        )
    if sum(each) >= _MOST_SUMS:
        raise InputError(f"expected weights with a sum below {_MOST_SUMS:,}, got {sum(each):,}")
    addends: dict[tuple[States, int], tuple[int, ...]] = {}
    for names, weight in zip(states, each, strict=True):
        if (names, weight) not in addends:
            chosen = state_index("every counted variable", names, state)
            adds = tuple([int(weight) * (place == chosen) for place in range(len(names))])
            addends[names, weight] = adds
    return tuple([addends[pair] for pair in zip(states, each, strict=True)])


def _listed(potentials: object, sums: int) -> list[Any]:
    """The potential of each number: truth values count as 0 and 1."""
    if callable(potentials):
        listed = [potentials(number) for number in range(sums)]
    elif isinstance(potentials, Mapping):
        if unknown := [key for key in potentials if not is_count(key) or not 0 <= key < sums]:
            raise InputError(
                f"expected potentials of numbers from 0 to {sums - 1}, got one of {unknown[0]!r}"
            )
        listed = [potentials.get(number, 0) for number in range(sums)]
    elif isinstance(potentials, Sequence | np.ndarray) and not isinstance(potentials, str):
        listed = [*potentials]
    else:
        expected = "potentials as a list, a mapping or a function"
        raise InputError(f"expected {expected}, got {quoted(potentials)}")
    if len(listed) != sums:
        raise InputError(f"expected {sums} potentials, for 0 to {sums - 1}, got {len(listed)}")
    return [int(value) if isinstance(value, bool | np.bool_) else value for value in listed]


def _histogram_potential(
    states: Sequence[States], potentials: object, weights: Sequence[int] | None
) -> CountPotential:
    """A histogram is a number with a digit for each state but the last, in base n + 1."""
    if len(set(states)) > 1 or weights is not None:
        raise InputError("expected variables with the same states, without weights, for histograms")
    count, digits = len(states), len(states[0]) - 1
    if (count + 1) ** digits > _MOST_SUMS:
        raise InputError(f"expected at most {_MOST_SUMS:,} histograms, got more")
    digit = [*((count + 1) ** place for place in range(digits)), 0]
    addends = (tuple(digit),) * count
    listed: dict[int, object] = {}
    for histogram in _histograms(count, digits + 1):
        number = sum([times * value for times, value in zip(histogram, digit, strict=True)])
        listed[number] = _of_histogram(potentials, histogram)
    return CountPotential(addends, Table.of(_listed(listed, CountPotential(addends).sums)))


def _histograms(count: int, states: int) -> Iterator[tuple[int, ...]]:
    if states == 1:
        yield (count,)
        return
    for first in range(count + 1):
        yield from ((first, *rest) for rest in _histograms(count - first, states - 1))


def _of_histogram(potentials: object, histogram: tuple[int, ...]) -> object:
    if callable(potentials):
        return potentials(histogram)
    if isinstance(potentials, Mapping):
        return potentials.get(histogram, 0)
    raise InputError(f"expected a mapping or a function of histograms, got {quoted(potentials)}")


def conditional_count(
    states: Sequence[States], probabilities: object, state: object
) -> CountPotential:
    """The distribution of the last variable given how many of the others are in a state."""
    *counted, child = states
    if not counted:
        raise InputError("expected variables to count, got none")
    addends = counted_addends(counted, state)
    holds = _effect(child, state)
    chances = [_probability(p) for p in _listed(probabilities, CountPotential(addends).sums)]
    rows = [_beside(p, holds) for p in chances]
    return CountPotential(addends, replace(Table.of(rows), measured=_any_float(probabilities)))


def noisy(
    states: Sequence[States],
    probabilities: Sequence[object],
    leak: object,
    state: object,
    prevents: bool = False,
) -> Potential:
    """A noisy-OR of all variables but the last, which is the effect; or a noisy-AND: there, causes
    that are not in the state may prevent it."""
    *causes, child = states
    effect = _effect(child, state) ^ prevents
    tables: dict[tuple[States, Fraction, bool], Table] = {}  # equal causes share theirs
    keys = [
        (names, _probability(p), isinstance(p, float | np.floating))
        for names, p in zip(causes, probabilities, strict=True)
    ]
    for key in dict.fromkeys(keys):
        chosen = state_index("every cause", key[0], state)
        tables[key] = _noisy(chosen, len(key[0]), *key[1:], effect, prevents)
    ranks = tuple([int(place == effect) for place in range(2)])
    resting = Table.of(_beside(_probability(leak), effect))
    return NoisyMax(tuple([tables[key] for key in keys]), resting, ranks) if keys else resting


def _noisy(
    chosen: int, states: int, p: Fraction, measured: bool, effect: int, prevents: bool
) -> Table:
    """The effects of a cause: with a probability in the chosen state, or in all others."""
    acts = [(place == chosen) != prevents for place in range(states)]
    table = Table.of([_beside(p if acting else Fraction(0), effect) for acting in acts])
    return replace(table, measured=measured)


def _effect(child: States, state: object) -> int:
    if len(child) != 2:
        raise InputError(f"expected a child with two states, got {len(child)}")
    return state_index("the child", child, state)


def _beside(p: Fraction, place: int) -> list[Fraction]:
    """The distribution of two states, one of them with probability p."""
    return [p, 1 - p] if place == 0 else [1 - p, p]


def _any_float(values: object) -> bool:
    return isinstance(values, Sequence) and any(isinstance(v, float | np.floating) for v in values)


def _probability(value: object) -> Fraction:
    p = rational(value)
    if p > 1:
        raise InputError(f"expected a probability from 0 to 1, got {quoted(value)}")
    return p


def noisy_max(states: Sequence[States], distributions: Sequence[object], leak: object) -> Potential:
    """A noisy-MAX of all variables but the last, which is the effect."""
    *causes, child = states
    certain = [1, *[0] * (len(child) - 1)]
    tables = [
        _distribution(given, (len(names), len(child)))
        for names, given in zip(causes, distributions, strict=True)
    ]
    resting = _distribution(certain if leak is None else leak, (len(child),))
    return NoisyMax(tuple(tables), resting, tuple(range(len(child)))) if tables else resting


def _distribution(values: object, shape: tuple[int, ...]) -> Table:
    """A table whose rows are distributions."""
    table = Table.of(values, shape)
    for row in np.atleast_2d(table.integers):
        total = sum(row.tolist()) * table.scale
        if abs(total - 1) > (_NEARLY if table.measured else 0):
            raise InputError(f"expected probabilities that add up to 1, got {float(total):.12g}")
    return table
