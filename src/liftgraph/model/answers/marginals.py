"""The distributions of all variables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.display import counted
from liftgraph.model.answers.answer import ByVariable, accuracy_text
from liftgraph.model.answers.frames import data_frame, fraction_texts, framed
from liftgraph.model.answers.marginal import Marginal, freeze
from liftgraph.model.notebook import Pictured


@dataclass(frozen=True, eq=False)
class Distribution:
    """A distribution without a name, which several variables may share.

    ``probabilities``: float64, one for each of the states; ``fractions``: the same in an object
    array of ``Fraction``, if asked for.
    """

    states: tuple[str, ...]
    probabilities: NDArray[np.float64]
    fractions: NDArray[Any] | None

    def __post_init__(self) -> None:
        freeze(self.probabilities, self.fractions)

    def named(self, name: str, method: str, bound: float = 0.0) -> Marginal:
        """The same as the marginal of a variable."""
        values = self.probabilities, self.fractions
        return Marginal((name,), (self.states,), *values, method, bound)


@dataclass(frozen=True, eq=False, repr=False)
class Marginals(ByVariable, Pictured, Mapping[str, Marginal]):
    """The distribution of every variable given the evidence: a mapping by name, or by index.

    ``names``: those of the variables, in the order of the model. ``group``: int64 (n,), which of
    the ``distributions`` each variable has: interchangeable variables share one. The other fields
    are those of a ``Marginal``.
    """

    names: tuple[str, ...]
    group: NDArray[np.int64]
    distributions: tuple[Distribution, ...]
    log_z: float
    method: str
    log_odds_bound: float = 0.0
    approximate: bool = False

    def __getitem__(self, variable: str | int) -> Marginal:
        place = self._place(variable)
        shared = self.distributions[int(self.group[place])]
        marginal = shared.named(self.names[place], self.method, self.log_odds_bound)
        return replace(marginal, approximate=True) if self.approximate else marginal

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    @framed
    def to_frame(self, backend: str = "pandas") -> Any:
        """A data frame of pandas, polars or PyArrow, a row for each state of each variable.

        Its columns are ``variable``, ``state``, ``probability`` and, if exact, ``exact`` as text;
        ``least`` and ``most`` are bounds if probabilities may be off.
        """
        groups = self.group.tolist()
        rows = [self.distributions[group] for group in groups]
        columns: dict[str, Any] = {
            "variable": [n for n, row in zip(self.names, rows, strict=True) for _ in row.states],
            "state": [state for row in rows for state in row.states],
            "probability": np.concatenate([np.empty(0), *(row.probabilities for row in rows)]),
        }
        if self.log_odds_bound:
            named = [shared.named("", self.method, self.log_odds_bound) for shared in rows]
            for place, bound in enumerate(("least", "most")):
                columns[bound] = np.concatenate([one.bounds[place] for one in named])
        fractions = [shared.fractions for shared in self.distributions]
        texts = [fraction_texts(exact) for exact in fractions if exact is not None]
        if texts:
            columns["exact"] = [text for group in groups for text in texts[group]]
        return data_frame(columns, backend)

    def __repr__(self) -> str:
        return (
            f"Marginals({counted(len(self), 'variable')},"
            f" {counted(len(self.distributions), 'distribution')},"
            f" log Z = {self.log_z:.6g}{accuracy_text(self, 'log odds off')})"
        )
