"""The distribution of one variable, or the joint one of several."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import InputError, printable
from liftgraph.exact import shown
from liftgraph.model.answers.answer import accuracy_text
from liftgraph.model.answers.frames import combinations, data_frame, fraction_texts, framed, library
from liftgraph.model.answers.inexact import Inexact
from liftgraph.model.arrays import digits
from liftgraph.model.ground.names import find_state
from liftgraph.model.tabular import html_table

_MOST_ROWS = 40  # states that are printed, or listed in a notebook
State = str | tuple[str, ...]
_BAR = 30  # characters of a bar for probability 1
_BAR_WIDTH = 15  # of the same in a notebook, in units of the font size
_Sums = Callable[[NDArray[np.float64]], tuple[Any, Any]]  # inside of events, and outside


def freeze(*arrays: NDArray[Any] | None) -> None:
    """Make arrays read-only: interchangeable variables and later questions share answers."""
    for array in arrays:
        if array is not None:
            array.flags.writeable = False


@dataclass(frozen=True, eq=False, repr=False)
class Marginal(Mapping[State, float]):
    """The distribution of one variable, or the joint one of several, given the evidence.

    A mapping from states (tuples of states for several variables) to probabilities; states are
    found as in evidence.
    ``probabilities``: float64, one axis per variable. ``fractions``: the same in an object array
    of ``Fraction``, if asked for. ``log_odds_bound``: how far off log odds may be; 0 unless a
    tolerance was allowed.
    ``approximate``: whether the method only estimates. ``interval``: the least and the largest
    probabilities, if the method bounds them itself.
    """

    variables: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    probabilities: NDArray[np.float64]
    fractions: NDArray[Any] | None
    method: str
    log_odds_bound: float = 0.0
    approximate: bool = False
    interval: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None

    def __post_init__(self) -> None:
        freeze(self.probabilities, self.fractions, *(self.interval or ()))

    @property
    def bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The least and the largest possible probabilities, each float64 with the shape of
        ``probabilities``; the probabilities themselves if they are exact."""
        if self.interval is not None:
            return self.interval
        return self._bounds_of(lambda shares: (shares, _sums_of_others(shares)))

    def _bounds_of(self, sums: _Sums) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The least and the largest possible probabilities of events, from their sums."""
        inside, outside = sums(self.probabilities)
        if self.interval is None:
            return odds_bounds(inside, outside, self.log_odds_bound)
        least, most = map(sums, self.interval)
        return np.maximum(least[0], 1 - most[1]), np.minimum(most[0], 1 - least[1])

    def __getitem__(self, state: State | int) -> float:
        return float(self.probabilities[self._place(state)])

    def __iter__(self) -> Iterator[State]:
        if len(self.variables) == 1:
            return iter(self.states[0])
        return product(*self.states)

    def __len__(self) -> int:
        return self.probabilities.size

    @property
    def exact(self) -> dict[State, Fraction]:
        """The probabilities as fractions, by state."""
        if self.fractions is None:
            raise InputError("expected an exact answer, got floats: ask with exact=True")
        return {state: self.fractions[self._place(state)] for state in self}

    @property
    def mean(self) -> float | Fraction:
        """The expected value of a variable whose states are numbers, such as a count."""
        weights = self.probabilities if self.fractions is None else self.fractions
        terms = zip(self._numbers, weights.tolist(), strict=True)
        products = [number * weight for number, weight in terms]
        mean = math.fsum(products) if self.fractions is None else sum(products, Fraction(0))
        return mean if self._is_exact else Inexact(mean, self._how, self._mean_bounds())

    def _mean_bounds(self) -> tuple[float, float] | None:
        """E(X) = x₀ + Σ (xᵢ - xᵢ₋₁) P(X ≥ xᵢ) for the possible numbers x₀ < x₁ < …"""
        if not self._is_bounded:
            return None
        numbers = np.array(self._numbers, dtype=np.float64)
        order = np.argsort(numbers)

        def tails(shares: NDArray[np.float64]) -> tuple[Any, Any]:
            ordered = shares[order]
            return np.cumsum(ordered[::-1])[::-1][1:], np.cumsum(ordered)[:-1]

        steps, first = np.diff(numbers[order]), float(numbers[order][0])
        least, most = (first + math.fsum(steps * bound) for bound in self._bounds_of(tails))
        return least, most

    def at_least(self, number: int) -> float | Fraction:
        """The probability that a variable whose states are numbers is at least this number."""
        return self.of_event(np.array([state >= number for state in self._numbers]))

    def at_most(self, number: int) -> float | Fraction:
        """The probability that a variable whose states are numbers is at most this number."""
        return self.of_event(np.array([state <= number for state in self._numbers]))

    def quantile(self, share: float) -> int:
        """The least number such that a variable is at most this number with this probability.

        Refused if probabilities may be off: ``at_most`` has bounds.
        """
        if not 0 <= share <= 1:
            raise InputError(f"expected a share from 0 to 1, got {share}")
        ordered = sorted(zip(self._numbers, self.probabilities.tolist(), strict=True))
        if not self._is_exact:
            expected = "an exact distribution to take a quantile of"
            raise InputError(f"expected {expected}, got {self._title}; at_most has bounds")
        sums = np.cumsum([p for _, p in ordered])
        place = int(np.searchsorted(sums, min(share, float(sums[-1]))))
        return ordered[place][0]

    def of_event(self, chosen: NDArray[np.bool_]) -> float | Fraction:
        """The probability of all chosen combinations of states together, with bounds if it may be
        off. ``chosen``: bool, with the shape of ``probabilities``."""
        if self.fractions is None:
            weight: float | Fraction = math.fsum(self.probabilities[chosen].tolist())
        else:
            weight = sum(self.fractions[chosen].tolist(), Fraction(0))
        if self._is_exact:
            return weight
        if not self._is_bounded:
            return Inexact(weight, self._how, None)
        bounds = self._bounds_of(lambda shares: (shares[chosen].sum(), shares[~chosen].sum()))
        return Inexact(weight, self._how, (float(bounds[0]), float(bounds[1])))

    @property
    def _is_bounded(self) -> bool:
        """Whether probabilities may be off, and it is known how far."""
        return self.interval is not None or self.log_odds_bound > 0

    @property
    def _how(self) -> tuple[str, float, bool]:
        return self.method, self.log_odds_bound, self.approximate

    @property
    def _is_exact(self) -> bool:
        return not (self._is_bounded or self.approximate)

    @property
    def _numbers(self) -> list[int]:
        """The states as numbers."""
        names = self.states[0] if len(self.states) == 1 else ()
        if not names or not all(name.isascii() and name.isdecimal() for name in names):
            raise InputError(f"expected one variable with numbers as states, got {self._title}")
        return [int(name) for name in names]

    def to_pandas(self) -> Any:
        """The probabilities as a pandas series, indexed by state, or by combinations of states."""
        pd = library("pandas")
        if len(self.variables) == 1:
            index = pd.Index(self.states[0], name=self.variables[0])
        else:
            index = pd.MultiIndex.from_product(self.states, names=self.variables)
        name = f"probability{accuracy_text(self, 'log odds off')}"
        return pd.Series(self.probabilities.ravel(), index=index, name=name)

    @framed
    def to_frame(self, backend: str = "pandas") -> Any:
        """A data frame of pandas, polars or PyArrow, with a row for each combination of states.

        It has a column for each variable, ``probability`` and, if exact, ``exact`` as text. If
        probabilities may be off, ``least`` and ``most`` are their bounds.
        """
        columns: dict[str, Any] = {"probability": self.probabilities.ravel()}
        if self._is_bounded:
            columns |= zip(("least", "most"), map(np.ravel, self.bounds), strict=True)
        if self.fractions is not None:
            columns["exact"] = fraction_texts(self.fractions.ravel())
        states = dict(zip(self.variables, self.states, strict=True))
        return data_frame(combinations(states, *columns) | columns, backend)

    def _repr_html_(self) -> str:
        """A table with bars, for notebooks."""
        rows = "".join(
            f'<tr><th style="text-align:left;white-space:nowrap">{escape(name)}</th>'
            f"<td>{value:.6g}</td><td>{more}</td><td><div style="
            f'"background:#4477aa;height:0.8em;width:{_BAR_WIDTH * value:.1f}em"></div></td></tr>'
            for name, value, more in self._rows()
        )
        return html_table(rows, self._title)

    @property
    def _title(self) -> str:
        names = printable(", ".join(self.variables))
        return f"P({names}){accuracy_text(self, 'log odds off')}"

    def _rows(self) -> Iterator[tuple[str, float, str]]:
        """For each state, its name, its probability, and its fraction or bounds, if any.

        Of many states, the most likely ones; the last row sums up the others.
        """
        least, most = self.bounds
        kept, rest = most_likely(self.probabilities, _MOST_ROWS)
        for index in kept:
            place = tuple(digits(index, self.probabilities.shape))
            names = [states[state] for states, state in zip(self.states, place, strict=True)]
            details = [] if self.fractions is None else [shown(self.fractions[place])]
            if self._is_bounded:
                details.append(f"[{least[place]:.6g}, {most[place]:.6g}]")
            name = printable(", ".join(names))
            yield name, float(self.probabilities[place]), " ".join(details)
        if len(kept) < len(self):
            exact = "" if self.fractions is None else shown(1 - sum(self.fractions.ravel()[kept]))
            yield f"{len(self) - len(kept):,} others", rest, exact

    def _place(self, state: State | int) -> tuple[int, ...]:
        names = state if isinstance(state, tuple) else (state,)
        if len(names) == len(self.states):
            place = [*map(find_state, self.states, names)]
            if min(place, default=0) >= 0:
                return tuple(place)
        raise KeyError(state)

    def __repr__(self) -> str:
        """One line per state: name, probability and a bar; of many states, the most likely ones."""
        lines = [self._title]
        rows = list(self._rows())
        width = max(len(name) for name, _, _ in rows)
        for name, value, details in rows:
            bar = "█" * round(_BAR * value)
            lines.append(f"  {name:<{width}}  {value:<10.6g} {bar}  {details}".rstrip())
        return "\n".join(lines)


def most_likely(probabilities: NDArray[np.float64], most: int) -> tuple[list[int], float]:
    """Which states have a row of their own in a list of at most ``most`` rows, by their indices in
    the flattened distribution, and the probability of all others, which share the last row.

    >>> most_likely(np.array([0.125, 0.5, 0.125, 0.25]), 3)
    ([1, 3], 0.25)
    """
    flat = probabilities.ravel()
    if len(flat) <= most:
        return list(range(len(flat))), 0.0
    kept = np.sort(np.argsort(-flat, kind="stable")[: most - 1])
    return kept.tolist(), float(np.delete(flat, kept).sum())


def _sums_of_others(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each value, the sum of all others, without a subtraction that could cancel."""
    flat = values.ravel()
    before = np.cumsum(np.append(0.0, flat[:-1]))
    after = np.cumsum(np.append(0.0, flat[:0:-1]))[::-1]
    sums: NDArray[np.float64] = before + after
    return sums.reshape(values.shape)


def odds_bounds(
    p: NDArray[np.float64], q: NDArray[np.float64], bound: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The least and the largest probabilities whose log odds are those of p against q up to a
    bound.

    >>> odds_bounds(np.array([0.25]), np.array([0.75]), np.log(3))
    (array([0.1]), array([0.5]))
    """
    shrunk = math.exp(-bound)
    return _share(p * shrunk, q), _share(p, q * shrunk)


def _share(p: NDArray[np.float64], q: NDArray[np.float64]) -> NDArray[np.float64]:
    """p / (p + q), and 0 where both are 0."""
    share = np.zeros(np.shape(p))
    np.divide(p, np.add(p, q), out=share, where=np.add(p, q) > 0)
    return share
