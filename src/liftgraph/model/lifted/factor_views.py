"""The parfactors of a lifted model with their names there, as values that print well."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from liftgraph.errors import printable
from liftgraph.model.ground.table import Table
from liftgraph.model.lifted.parfactor import Parfactor, argument_names
from liftgraph.model.listing import Lazy, first_few, first_lines
from liftgraph.model.tabular import Tabular


@dataclass(frozen=True, repr=False)
class LiftedFactor:
    """A parfactor of a lifted model with its name there: what ``model.factors[0]`` returns."""

    index: int
    parfactor: Parfactor

    @property
    def name(self) -> str:
        """The name that pictures and texts give it: φ1 is the parfactor with index 0."""
        return f"φ{self.index + 1}"

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the PRVs in its arguments."""
        return tuple(argument_names(self.parfactor.arguments))

    @property
    def table(self) -> Table:
        """Its potential as a table; refused if it has too many entries."""
        return self.parfactor.table

    @property
    def entries(self) -> Tabular:
        """A row for each assignment of its arguments and the potential; histograms of counts."""
        return self.parfactor.entries(self.name)

    @property
    def label(self) -> str:
        """Its name and arguments: φ1(Sick(P), Epid)."""
        arguments = self.parfactor.arguments
        return f"{self.name}({first_few(map(str, arguments), len(arguments))})"

    @property
    def text(self) -> str:
        """All of it in one line."""
        return printable(self.parfactor.named(self.name))

    @property
    def _is_table(self) -> bool:
        return isinstance(self.parfactor.potential, Table)  # others may be too large for one

    def __str__(self) -> str:
        return f"{self.text}\n\n{self.entries}" if self._is_table else self.text

    def _repr_html_(self) -> str:
        entries = self.entries._repr_html_() if self._is_table else ""
        return f"<p>{escape(self.text)}</p>{entries}"

    def __repr__(self) -> str:
        return f"LiftedFactor({self.text})"


@dataclass(frozen=True, repr=False, eq=False)
class LiftedFactors(Lazy[LiftedFactor]):
    """The parfactors of a lifted model with their names. Printing it shows a line for each."""

    parfactors: tuple[Parfactor, ...]

    noun = "parfactor"

    @property
    def size(self) -> int:
        """How many parfactors there are."""
        return len(self.parfactors)

    def item(self, index: int) -> LiftedFactor:
        """A parfactor with its name."""
        return LiftedFactor(index, self.parfactors[index])

    def texts(self) -> Iterator[str]:
        """The names and arguments of the parfactors."""
        return (factor.label for factor in self)

    def __str__(self) -> str:
        return first_lines((factor.text for factor in self), self.size) or "no parfactors"
