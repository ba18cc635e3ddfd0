"""Questions and answers, as data."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import InputError
from liftgraph.exact import shown

Kind = Literal["marginal", "marginals", "partition", "explanation"]
State = str | tuple[str, ...]
_BAR = 30  # characters of a bar for probability 1


@dataclass(frozen=True)
class Query:
    """What to compute: one (joint) marginal, all marginals, log Z or the most probable explanation.

    ``variables``: of a marginal, as indices. ``exact``: in fractions, not in floats.
    """

    kind: Kind
    variables: tuple[int, ...] = ()
    exact: bool = False


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

    def _place(self, state: State) -> tuple[int, ...]:
        names = (state,) if isinstance(state, str) else tuple(state)
        try:
            return tuple(
                [known.index(name) for known, name in zip(self.states, names, strict=True)]
            )
        except ValueError:
            raise KeyError(state) from None

    def __repr__(self) -> str:
        """One line per state: name, probability and a bar."""
        lines = [f"P({', '.join(self.variables)})"]
        names = [state if isinstance(state, str) else ", ".join(state) for state in self]
        width = max(map(len, names))
        for name, state in zip(names, self, strict=True):
            value = self[state]
            bar = "█" * round(_BAR * value)
            exact = "" if self.fractions is None else shown(self.fractions[self._place(state)])
            lines.append(f"  {name:<{width}}  {value:<10.6g} {bar}  {exact}".rstrip())
        return "\n".join(lines)


@dataclass(frozen=True, repr=False)
class Marginals(Mapping[str, Marginal]):
    """The distribution of every variable given the evidence, by name."""

    marginals: dict[str, Marginal]
    log_z: float
    method: str

    def __getitem__(self, name: str) -> Marginal:
        return self.marginals[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.marginals)

    def __len__(self) -> int:
        return len(self.marginals)

    def __repr__(self) -> str:
        return f"Marginals({len(self):,} variables, log Z = {self.log_z:.6g})"


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
