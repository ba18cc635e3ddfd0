"""What tolerances buy and what they cost, as a table of choices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, astuple, dataclass, fields
from fractions import Fraction
from typing import Any, overload

from liftgraph.display import counted
from liftgraph.exact import numeral
from liftgraph.model.notebook import Pictured


@dataclass(frozen=True)
class Choice:
    """A tolerance, how small the lifted model gets with it, and how far off log odds may be.

    ``error``: how far off they are for the asked variables; None if no variables were asked for.
    """

    tolerance: Fraction
    prvs: int
    parfactors: int
    log_odds_bound: float
    error: float | None


@dataclass(frozen=True, repr=False)
class TradeOff(Pictured, Sequence[Choice]):
    """Choices in the order of their tolerances; printing them gives a table.

    Each has its ``tolerance``, how many ``prvs`` and ``parfactors`` the lifted model then has, its
    ``log_odds_bound``, and the measured ``error`` in log odds, if you asked for variables.
    """

    variables: int
    factors: int
    choices: tuple[Choice, ...]

    @overload
    def __getitem__(self, place: int) -> Choice: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Choice, ...]: ...
    def __getitem__(self, place: int | slice) -> Choice | tuple[Choice, ...]:
        return self.choices[place]

    def __len__(self) -> int:
        return len(self.choices)

    def columns(self) -> dict[str, list[Any]]:
        """The same as columns, for a data frame."""
        rows = [asdict(choice) for choice in self.choices]
        names = [attribute.name for attribute in fields(Choice)]
        return {name: [row[name] for row in rows] for name in names}

    def __repr__(self) -> str:
        head = f"{counted(self.variables, 'variable')} and {counted(self.factors, 'factor')}"
        return "\n".join([head, *_lines(self.choices)])


def _lines(choices: Sequence[Choice]) -> Iterator[str]:
    measured = "measured" if any(choice.error is not None for choice in choices) else ""
    head = f"{'tolerance':>10} {'PRVs':>9} {'parfactors':>11} {'log odds within':>16} {measured:>9}"
    yield head.rstrip()
    for tolerance, prvs, parfactors, bound, error in map(astuple, choices):
        measured = "" if error is None else f"{error:.3g}"
        line = f"{numeral(tolerance):>10} {prvs:>9,} {parfactors:>11,} {bound:>16.3g} {measured:>9}"
        yield line.rstrip()
