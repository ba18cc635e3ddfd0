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


@dataclass(frozen=True, eq=False, repr=False)
class Marginal(Mapping[State, float]):
    """The distribution of one variable, or the joint one of several, given the evidence.

    A mapping from states (tuples of states for several variables) to probabilities.
    ``probabilities``: float64, one axis per variable. ``fractions``: the same in an object array
    of ``Fraction``, if asked for. ``log_z``: log of the weight of all that fits the evidence.
    """

    variables: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    probabilities: NDArray[np.float64]
    fractions: NDArray[Any] | None
    log_z: float
    method: str

    def __post_init__(self) -> None:
        _freeze(self.probabilities, self.fractions)

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
        import pandas as pd

        if len(self.variables) == 1:
            index = pd.Index(self.states[0], name=self.variables[0])
        else:
            index = pd.MultiIndex.from_product(self.states, names=self.variables)
        return pd.Series(self.probabilities.ravel(), index=index, name="probability")

    def _repr_html_(self) -> str:
        """A table with bars, for notebooks."""
        rows = "".join(
            f"<tr><th>{escape(name)}</th><td>{value:.6g}</td><td>{exact}</td><td><div style="
            f'"background:#4477aa;height:0.8em;width:{_BAR_WIDTH * value:.1f}em"></div></td></tr>'
            for name, value, exact in self._rows()
        )
        title = escape(f"P({', '.join(self.variables)})")
        return f"<table><caption>{title}</caption>{rows}</table>"

    def _rows(self) -> Iterator[tuple[str, float, str]]:
        """For each state its name, its probability, and the fraction if there is one."""
        for state in self:
            name = state if isinstance(state, str) else ", ".join(state)
            exact = "" if self.fractions is None else shown(self.fractions[self._place(state)])
            yield name, self[state], exact

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
        lines = [f"P({', '.join(self.variables)})"]
        rows = list(self._rows())
        width = max(len(name) for name, _, _ in rows)
        for name, value, exact in rows:
            bar = "█" * round(_BAR * value)
            lines.append(f"  {name:<{width}}  {value:<10.6g} {bar}  {exact}".rstrip())
        return "\n".join(lines)


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

    def named(self, name: str, log_z: float, method: str) -> Marginal:
        """The same as the marginal of a variable."""
        return Marginal((name,), (self.states,), self.probabilities, self.fractions, log_z, method)


@dataclass(frozen=True, eq=False, repr=False)
class Marginals(Mapping[str, Marginal]):
    """The distribution of every variable given the evidence, by name.

    ``names``: of the variables, in the order of the model. ``group``: int64 (n,), which of the
    ``distributions`` each variable has: interchangeable ones have the same.
    """

    names: tuple[str, ...]
    group: NDArray[np.int64]
    distributions: tuple[Distribution, ...]
    log_z: float
    method: str

    @cached_property
    def _index(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.names)}

    def __getitem__(self, name: str) -> Marginal:
        found = self.distributions[int(self.group[self._index[name]])]
        return found.named(name, self.log_z, self.method)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return (
            f"Marginals({len(self):,} variables, {len(self.distributions):,} distributions,"
            f" log Z = {self.log_z:.6g})"
        )


@dataclass(frozen=True, repr=False)
class Partition:
    """The total weight of all assignments that agree with the evidence.

    ``log_z``: its natural logarithm; ``z``: the weight itself, if asked for exactly.
    """

    log_z: float
    z: Fraction | None
    method: str

    @property
    def log10_z(self) -> float:
        """Its decimal logarithm."""
        return self.log_z / math.log(10)

    def __repr__(self) -> str:
        exact = "" if self.z is None else f", Z = {shown(self.z)}"
        return f"Partition(log Z = {self.log_z:.12g}{exact})"


@dataclass(frozen=True, repr=False)
class Explanation:
    """A most probable assignment of all variables that agrees with the evidence.

    ``states``: the index of each variable's state; ``assignment``: the same by names.
    ``log_weight``: natural logarithm of the product of all factors there; ``weight``: the product
    itself, if asked for exactly. Among equally probable assignments any one may come.
    """

    states: tuple[int, ...]
    assignment: dict[str, str]
    log_weight: float
    weight: Fraction | None
    method: str

    def __repr__(self) -> str:
        first = [f"{name}={state}" for name, state in list(self.assignment.items())[:6]]
        dots = ["…"] if len(self.assignment) > len(first) else []
        return f"Explanation({', '.join(first + dots)}; log weight = {self.log_weight:.12g})"


Answer = Marginal | Marginals | Partition | Explanation
