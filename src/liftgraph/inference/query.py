"""Questions and answers, as data."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from html import escape
from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import InputError
from liftgraph.exact import shown
from liftgraph.model.notebook import Pictured

Kind = Literal["marginal", "marginals", "partition", "explanation"]
State = str | tuple[str, ...]
_BAR = 30  # characters of a bar for probability 1
_BAR_WIDTH = 15  # of the same in a notebook, in units of the font size


@dataclass(frozen=True)
class Query:
    """What to compute: one (joint) marginal, all marginals, log Z or the most probable explanation.

    ``variables``: of a marginal, by name or index. ``exact``: in fractions, not in floats.
    """

    kind: Kind
    variables: tuple[str | int, ...] = ()
    exact: bool = False


def _freeze(*arrays: NDArray[Any] | None) -> None:
    """Answers are shared: of interchangeable variables, and with later questions."""
    for array in arrays:
        if array is not None:
            array.flags.writeable = False


def _off(bound: float, what: str = "off") -> str:
    """How far off something may be, if it may."""
    return f", {what} by up to {bound:.3g}" if bound else ""


@dataclass(frozen=True, eq=False, repr=False)
class Marginal(Mapping[State, float]):
    """The distribution of one variable, or the joint one of several, given the evidence.

    A mapping from states (tuples of states for several variables) to probabilities.
    ``probabilities``: float64, one axis per variable. ``fractions``: the same in an object array
    of ``Fraction``, if asked for. ``log_z``: log of the weight of all that fits the evidence.
    ``log_odds_bound``: how far off log odds (and log_z) may be; 0 unless a tolerance was allowed.
    """

    variables: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    probabilities: NDArray[np.float64]
    fractions: NDArray[Any] | None
    log_z: float
    method: str
    log_odds_bound: float = 0.0

    def __post_init__(self) -> None:
        _freeze(self.probabilities, self.fractions)

    @property
    def bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The least and the largest probabilities that the bound on log odds admits, float64 of
        the shape of ``probabilities`` each; the probabilities themselves if the bound is 0."""
        p, others = self.probabilities, _sums_of_others(self.probabilities)
        shrunk = math.exp(-self.log_odds_bound)
        return _share(p * shrunk, others), _share(p, others * shrunk)

    def __getitem__(self, state: State) -> float:
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

    def to_pandas(self) -> Any:
        """The probabilities as a pandas series, indexed by state; by several, of a joint one."""
        from liftgraph.inference.frames import library

        pd = library("pandas")
        if len(self.variables) == 1:
            index = pd.Index(self.states[0], name=self.variables[0])
        else:
            index = pd.MultiIndex.from_product(self.states, names=self.variables)
        return pd.Series(self.probabilities.ravel(), index=index, name="probability")

    def to_frame(self, backend: str = "pandas") -> Any:
        """A data frame of pandas, polars or PyArrow, a row for each state or combination of them.

        A column for each variable, ``probability`` and, of an exact answer, ``exact`` as text.
        """
        from liftgraph.inference.frames import data_frame, marginal_columns

        return data_frame(marginal_columns(self), backend)

    def _repr_html_(self) -> str:
        """A table with bars, for notebooks."""
        rows = "".join(
            f"<tr><th>{escape(name)}</th><td>{value:.6g}</td><td>{more}</td><td><div style="
            f'"background:#4477aa;height:0.8em;width:{_BAR_WIDTH * value:.1f}em"></div></td></tr>'
            for name, value, more in self._rows()
        )
        return f"<table><caption>{escape(self._title)}</caption>{rows}</table>"

    @property
    def _title(self) -> str:
        return f"P({', '.join(self.variables)}){_off(self.log_odds_bound, 'log odds off')}"

    def _rows(self) -> Iterator[tuple[str, float, str]]:
        """For each state its name, its probability, and the fraction or the bounds if any."""
        least, most = self.bounds
        for state in self:
            name, place = state if isinstance(state, str) else ", ".join(state), self._place(state)
            about = [] if self.fractions is None else [shown(self.fractions[place])]
            if self.log_odds_bound:
                about.append(f"[{least[place]:.6g}, {most[place]:.6g}]")
            yield name, self[state], " ".join(about)

    def _place(self, state: State) -> tuple[int, ...]:
        try:
            names = (state,) if isinstance(state, str) else tuple(state)
            return tuple(
                [known.index(name) for known, name in zip(self.states, names, strict=True)]
            )
        except (TypeError, ValueError):
            raise KeyError(state) from None

    def __repr__(self) -> str:
        """One line per state: name, probability and a bar."""
        lines = [self._title]
        rows = list(self._rows())
        width = max(len(name) for name, _, _ in rows)
        for name, value, exact in rows:
            bar = "█" * round(_BAR * value)
            lines.append(f"  {name:<{width}}  {value:<10.6g} {bar}  {exact}".rstrip())
        return "\n".join(lines)


def _sums_of_others(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each value the sum of all others, without subtracting what could cancel."""
    flat = values.ravel()
    before = np.cumsum(np.append(0.0, flat[:-1]))
    after = np.cumsum(np.append(0.0, flat[:0:-1]))[::-1]
    sums: NDArray[np.float64] = before + after
    return sums.reshape(values.shape)


def _share(p: NDArray[np.float64], q: NDArray[np.float64]) -> NDArray[np.float64]:
    """p / (p + q), and 0 where both are."""
    share = np.zeros_like(p)
    np.divide(p, p + q, out=share, where=p + q > 0)
    return share


@dataclass(frozen=True, eq=False)
class Distribution:
    """The distribution of a variable, whatever it is called.

    ``probabilities``: float64, one for each of the states; ``fractions``: the same in an object
    array of ``Fraction``, if asked for.
    """

    states: tuple[str, ...]
    probabilities: NDArray[np.float64]
    fractions: NDArray[Any] | None

    def __post_init__(self) -> None:
        _freeze(self.probabilities, self.fractions)

    def named(self, name: str, log_z: float, method: str, bound: float = 0.0) -> Marginal:
        """The same as the marginal of a variable."""
        values = self.probabilities, self.fractions
        return Marginal((name,), (self.states,), *values, log_z, method, bound)


@dataclass(frozen=True, eq=False, repr=False)
class Marginals(Pictured, Mapping[str, Marginal]):
    """The distribution of every variable given the evidence, by name.

    ``names``: of the variables, in the order of the model. ``group``: int64 (n,), which of the
    ``distributions`` each variable has: interchangeable ones have the same.
    """

    names: tuple[str, ...]
    group: NDArray[np.int64]
    distributions: tuple[Distribution, ...]
    log_z: float
    method: str
    log_odds_bound: float = 0.0

    @cached_property
    def _index(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.names)}

    def __getitem__(self, name: str) -> Marginal:
        found = self.distributions[int(self.group[self._index[name]])]
        return found.named(name, self.log_z, self.method, self.log_odds_bound)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def to_frame(self, backend: str = "pandas") -> Any:
        """A data frame of pandas, polars or PyArrow, a row for each state of each variable.

        Columns ``variable``, ``state``, ``probability`` and, of exact answers, ``exact`` as text.
        """
        from liftgraph.inference.frames import data_frame, marginals_columns

        return data_frame(marginals_columns(self), backend)

    def __repr__(self) -> str:
        return (
            f"Marginals({len(self):,} variables, {len(self.distributions):,} distributions,"
            f" log Z = {self.log_z:.6g}{_off(self.log_odds_bound, 'log odds off')})"
        )


@dataclass(frozen=True, repr=False)
class Partition:
    """The total weight of all assignments that agree with the evidence.

    ``log_z``: its natural logarithm; ``z``: the weight itself, if asked for exactly.
    ``log_odds_bound``: how far off the logarithm may be; 0 unless a tolerance was allowed.
    """

    log_z: float
    z: Fraction | None
    method: str
    log_odds_bound: float = 0.0

    @property
    def log10_z(self) -> float:
        """Its decimal logarithm."""
        return self.log_z / math.log(10)

    def __repr__(self) -> str:
        exact = "" if self.z is None else f", Z = {shown(self.z)}"
        return f"Partition(log Z = {self.log_z:.12g}{exact}{_off(self.log_odds_bound)})"


@dataclass(frozen=True, repr=False)
class Explanation:
    """A most probable assignment of all variables that agrees with the evidence.

    ``states``: the index of each variable's state; ``assignment``: the same by names.
    ``log_weight``: natural logarithm of the product of all factors there; ``weight``: the product
    itself, if asked for exactly. Among equally probable assignments any one may come.
    ``log_odds_bound``: by how much the log weight of a better one may be larger, and how far off
    the log weight may be; 0 unless a tolerance was allowed.
    """

    states: tuple[int, ...]
    assignment: dict[str, str]
    log_weight: float
    weight: Fraction | None
    method: str
    log_odds_bound: float = 0.0

    def __repr__(self) -> str:
        first = [f"{name}={state}" for name, state in list(self.assignment.items())[:6]]
        dots = ["…"] if len(self.assignment) > len(first) else []
        weight = f"log weight = {self.log_weight:.12g}{_off(self.log_odds_bound)}"
        return f"Explanation({', '.join(first + dots)}; {weight})"


Answer = Marginal | Marginals | Partition | Explanation
