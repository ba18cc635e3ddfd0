"""The distributions of all variables of a PRV, as a relation: individuals and probabilities."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from itertools import islice
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from liftgraph.display import counted, format_count
from liftgraph.errors import InputError, MemoryLimitError
from liftgraph.model.answers.answer import accuracy_text
from liftgraph.model.answers.frames import data_frame, fraction_texts, framed
from liftgraph.model.answers.marginal import Marginal
from liftgraph.model.answers.marginals import Distribution
from liftgraph.model.ground.names import States
from liftgraph.model.tabular import SHOWN, Tabular

_MOST_ROWS = 1 << 27  # in a data frame, or printed by a command
Individuals = tuple[str, ...]


class Rows(Protocol):
    """The variables of a PRV, a row each. They may be very many: rows are made when they are read.

    A row has the variable's individuals and its group: variables with the same distribution.
    """

    @property
    def headings(self) -> tuple[str, ...]:
        """The names of the logvars."""

    @property
    def size(self) -> int:
        """How many variables there are."""

    def __iter__(self) -> Iterator[tuple[Individuals, int]]:
        """The individuals of each row and its group."""

    def find(self, individuals: Individuals) -> int | None:
        """The group of the variable of individuals; None if there is none."""

    def columns(self) -> list[list[str]]:
        """The individuals of all rows, a column for each logvar."""

    def groups(self) -> NDArray[np.int64]:
        """The group of each row, int64 (n,)."""


@dataclass(frozen=True, eq=False)
class ListedRows:
    """Rows that are there already. ``listed``: a column for each heading; ``group``: of each row,
    int64 (n,)."""

    headings: tuple[str, ...]
    listed: tuple[list[str], ...]
    group: NDArray[np.int64]

    @property
    def size(self) -> int:
        """How many rows there are."""
        return len(self.group)

    def __iter__(self) -> Iterator[tuple[Individuals, int]]:
        return zip(self._individuals, self.group.tolist(), strict=True)

    @property
    def _individuals(self) -> Iterable[Individuals]:
        return zip(*self.listed, strict=True) if self.listed else [()] * self.size

    @cached_property
    def _places(self) -> dict[Individuals, int]:
        return {individuals: place for place, individuals in enumerate(self._individuals)}

    def find(self, individuals: Individuals) -> int | None:
        """The group of the variable of individuals; None if there is none."""
        place = self._places.get(individuals)
        return None if place is None else int(self.group[place])

    def columns(self) -> list[list[str]]:
        """The individuals of all rows, a column for each logvar."""
        return [*self.listed]

    def groups(self) -> NDArray[np.int64]:
        """The group of each row, int64 (n,)."""
        return self.group


@dataclass(frozen=True, eq=False, repr=False)
class PRVMarginals(Mapping[Any, Marginal]):
    """The distributions of all variables of a PRV given the evidence.

    A mapping from individuals to distributions: from a name if the PRV has one logvar, from tuples
    of names otherwise. So individuals may have any names. Notebooks show it as a table, and
    ``to_frame`` has a column for each logvar. Rows are made when they are read.

    ``name``: that of the PRV; ``states``: those of its variables. ``distributions``: those that
    its variables have, in the order of their groups. The other fields are those of a ``Marginal``.

    >>> from liftgraph import LogVar, ParfactorGraph, parfactor, prv
    >>> sick = prv("Sick", LogVar("Person", ["alice", "bob"]))
    >>> model = ParfactorGraph.of([parfactor([sick, prv("Epid")], [3, 1, 1, 5])])
    >>> model.marginals("Sick", given={"Sick.bob": [3, 1]})
    Person  P(Sick=true)  P(Sick=false)
    alice   0.431818      0.568182
    bob     0.613636      0.386364
    """

    name: str
    states: States
    rows: Rows
    distributions: tuple[Distribution, ...]
    method: str
    log_odds_bound: float = 0.0
    approximate: bool = False

    def __getitem__(self, individuals: str | Individuals) -> Marginal:
        key = (individuals,) if isinstance(individuals, str) else individuals
        fits = isinstance(key, tuple) and len(key) == len(self.rows.headings)
        group = self.rows.find(tuple(map(str, key))) if fits else None
        if group is None:
            expected = ", ".join(self.rows.headings) or "no individuals, ()"
            raise KeyError(f"{individuals!r}: expected individuals of {self.name} ({expected})")
        title = f"{self.name}({', '.join(map(str, key))})" if key else self.name
        marginal = self.distributions[group].named(title, self.method, self.log_odds_bound)
        return replace(marginal, approximate=True) if self.approximate else marginal

    def __iter__(self) -> Iterator[Any]:
        for individuals, _ in self.rows:
            yield individuals[0] if len(individuals) == 1 else individuals

    def __len__(self) -> int:
        return self.rows.size

    @framed
    def to_frame(self, backend: str = "pandas") -> Any:
        """A data frame of pandas, polars or PyArrow, with a row for each variable.

        It has a column for each logvar and one for each state, such as ``P(Sick=true)``; if exact,
        also ``exact P(Sick=true)``, as text; if probabilities may be off, also
        ``least P(Sick=true)`` and ``most P(Sick=true)``, their bounds.
        """
        self.check_size()
        groups, how = self.rows.groups(), (self.method, self.log_odds_bound)
        columns: dict[str, Any] = dict(zip(self.rows.headings, self.rows.columns(), strict=True))
        for place, heading in enumerate(self._headings()):
            self._check_new(heading, columns)
            shares = [shared.probabilities[place] for shared in self.distributions]
            columns[heading] = np.array(shares, dtype=np.float64)[groups]
        for place, heading in enumerate(self._headings() if self.log_odds_bound else ()):
            bounds = [shared.named("", *how).bounds for shared in self.distributions]
            for which, bound in enumerate(("least", "most")):
                self._check_new(f"{bound} {heading}", columns)
                shares = [pair[which][place] for pair in bounds]
                columns[f"{bound} {heading}"] = np.array(shares, dtype=np.float64)[groups]
        fractions = [shared.fractions for shared in self.distributions]
        texts = [fraction_texts(exact) for exact in fractions if exact is not None]
        for place, heading in enumerate(self._headings() if texts else ()):
            self._check_new(f"exact {heading}", columns)
            listed = np.array([of_group[place] for of_group in texts], dtype=object)
            columns[f"exact {heading}"] = listed[groups].tolist()
        return data_frame(columns, backend)

    def check_size(self) -> None:
        """Refuse to list more rows than fit."""
        if self.rows.size > _MOST_ROWS:
            came = format_count(self.rows.size)
            raise MemoryLimitError(f"expected at most {_MOST_ROWS:,} rows to list, got {came}")

    def _headings(self) -> list[str]:
        return [f"P({self.name}={state})" for state in self.states]

    def _check_new(self, heading: str, columns: Mapping[str, object]) -> None:
        if heading in columns:
            raise InputError(f"expected columns of different names, got {heading} twice")

    @property
    def table(self) -> Tabular:
        """The first rows, as a table."""
        return Tabular(self.headings, tuple(islice(self.texts(), SHOWN)), self.rows.size)

    @property
    def headings(self) -> tuple[str, ...]:
        """The names of the logvars, and of the probability of each state."""
        return (*self.rows.headings, *self._headings())

    def texts(self) -> Iterator[tuple[str, ...]]:
        """The rows as text: individuals and probabilities."""
        shown = [*map(self._shown, self.distributions)]
        return ((*individuals, *shown[group]) for individuals, group in self.rows)

    def _shown(self, shared: Distribution) -> list[str]:
        if shared.fractions is not None:
            return [str(share) for share in shared.fractions.tolist()]
        return [f"{share:.6g}" for share in shared.probabilities.tolist()]

    def __str__(self) -> str:
        accuracy = accuracy_text(self, "log odds off").removeprefix(", ")
        return "\n".join([str(self.table), *[accuracy] * bool(accuracy)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        title = f"{self.name}: {counted(self.rows.size, 'variable')}{accuracy_text(self)}"
        return f"<div>{escape(title)}</div>{self.table._repr_html_()}"


@dataclass(frozen=True, eq=False, repr=False)
class ByPRV:
    """The distributions of all variables, PRV by PRV, by the names of these."""

    prvs: Mapping[str, PRVMarginals]
    method: str
    log_odds_bound: float = 0.0
    approximate: bool = False
