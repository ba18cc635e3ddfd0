"""Rows under headings, as text and as HTML; ``latex`` sets them in LaTeX."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from itertools import islice, product
from math import prod
from typing import Literal

from liftgraph.errors import InputError, printable
from liftgraph.exact import six_digits

_DARKEST = 0.6  # how opaque the colour of a probability of 1 is
SHOWN = 40  # the most rows that are printed
KEPT = 1000  # the most rows that are kept, and set in LaTeX
_FEW = 6  # arguments that a heading lists
_MANY = 12  # parts that a cell lists


class Words(str):
    """A heading in words, rather than a name."""


@dataclass(frozen=True, slots=True)
class Function:
    """A function with its arguments, as a heading: φ(A, B).

    >>> print(Function("φ1", ("A", "B")), Function("φ", range(7)))
    φ1(A, B) φ
    """

    name: str
    arguments: Sequence[object] = ()

    def __str__(self) -> str:
        if not 0 < len(self.arguments) <= _FEW:
            return self.name
        return f"{self.name}({', '.join(map(str, self.arguments))})"


@dataclass(frozen=True, slots=True)
class Listed:
    """Parts in brackets, as a cell: a histogram [2,0], an ordered multiset ⟨0.1, 0.2⟩, or a
    multiset {1, 1}. Of many parts, the first are printed.

    >>> print(Listed("[]", (2, 0)), Listed("⟨⟩", range(20)))
    [2, 0] ⟨0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, … and 8 more⟩
    """

    brackets: Literal["[]", "⟨⟩", "{}", "()", ""]
    parts: Sequence[object]

    @property
    def first(self) -> Sequence[object]:
        """The parts that are printed."""
        return self.parts[:_MANY]

    @property
    def more(self) -> int:
        """How many parts are not printed."""
        return len(self.parts) - len(self.first)

    def __str__(self) -> str:
        dots = [f"… and {self.more:,} more"] * (self.more > 0)
        text = ", ".join([*map(cell_text, self.first), *dots])
        return f"{self.brackets[:1]}{text}{self.brackets[1:]}"


@dataclass(frozen=True, slots=True)
class Repeated:
    """A part of a multiset with the number of times that it is in there.

    >>> print(Repeated(3, "x"), Repeated(1, "x"))
    3 × x x
    """

    times: int
    part: object

    def __str__(self) -> str:
        return f"{self.times:,} × {self.part}" if self.times > 1 else str(self.part)


@dataclass(frozen=True, repr=False)
class Tabular:
    """Rows under headings. ``rows``: the first ones; ``row_count``: how many there are.

    Headings and cells are any values with a text. In notebooks it is an HTML table; ``shaded``: its
    numbers are probabilities, and the likelier, the darker there.

    >>> print(Tabular(("A", Function("φ", ("A",))), (("true", Fraction(1, 10)),), 5))
    A     φ(A)
    true  0.1
    … and 4 more
    """

    headings: tuple[object, ...]
    rows: tuple[tuple[object, ...], ...]
    row_count: int
    shaded: bool = False

    @classmethod
    def of(cls, headings: Iterable[object], rows: Sequence[tuple[object, ...]]) -> Tabular:
        """The table of all these rows."""
        return cls(tuple(headings), tuple(rows[:KEPT]), len(rows))

    def __str__(self) -> str:
        lines = [[*map(cell_text, row)] for row in (self.headings, *self.rows[:SHOWN])]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        text = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]
        return "\n".join([*text, *self._more(SHOWN)])

    __repr__ = __str__

    def _more(self, listed: int) -> list[str]:
        """A line that counts the rows that are not among the first ones, if there are any."""
        more = self.row_count - min(listed, len(self.rows))
        return [f"… and {more:,} more"] if more else []

    def _repr_html_(self) -> str:
        shown = self.rows[:SHOWN]
        rows = [f"<tr>{_html_cells(row, 'td', self.shaded)}</tr>" for row in shown]
        more = [
            f'<tr><td colspan="{len(self.headings)}" style="text-align:left">{line}</td></tr>'
            for line in self._more(SHOWN)
        ]
        head = f"<thead><tr>{_html_cells(self.headings, 'th')}</tr></thead>"
        return html_table(f"{head}<tbody>{''.join([*rows, *more])}</tbody>")


class Tabulated:
    """What is shown as one table after another."""

    @property
    def tabulars(self) -> tuple[Tabular, ...]:
        """The tables."""
        raise NotImplementedError

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.tabulars))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return "".join(tabular._repr_html_() for tabular in self.tabulars)


@dataclass(frozen=True, slots=True)
class Described:
    """A title, and what is to be said about it: rows of a word and a text.

    >>> print(Described("A ∈ {true, false}", (("factors", "φ1(A)"), ("neighbours", "none"))))
    A ∈ {true, false}
      factors     φ1(A)
      neighbours  none
    """

    title: str
    rows: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        width = max((len(word) for word, _ in self.rows), default=0)
        rows = [f"  {word:<{width}}  {printable(text)}" for word, text in self.rows]
        return "\n".join([printable(self.title), *rows])

    def _repr_html_(self) -> str:
        head = f'<tr><th colspan="2" style="text-align:left">{escape(self.title)}</th></tr>'
        rows = [f"<tr>{_html_cells(row, 'td')}</tr>" for row in self.rows]
        return html_table(f"<thead>{head}</thead><tbody>{''.join(rows)}</tbody>")


def html_table(rows: str, title: str = "") -> str:
    """Rows in HTML as a table under a title; where there is not enough room for it, it scrolls.

    >>> print(html_table("<tr><td>1</td></tr>", "P(A)"))
    <div style="overflow-x:auto"><div>P(A)</div><table><tr><td>1</td></tr></table></div>
    """
    heading = f"<div>{escape(title)}</div>" if title else ""
    return f'<div style="overflow-x:auto">{heading}<table>{rows}</table></div>'


def cell_text(cell: object) -> str:
    """A cell as text; numbers have six digits unless they are short."""
    return six_digits(cell) if isinstance(cell, Fraction | float) else printable(str(cell))


def _html_cells(cells: Sequence[object], tag: str, shaded: bool = False) -> str:
    styles = [
        f"text-align:left;background:rgba(0,114,178,{_DARKEST * float(cell):.3f})"
        if shaded and isinstance(cell, Fraction | float)
        else "text-align:left"
        for cell in cells
    ]
    return "".join(
        f'<{tag} style="{style}">{escape(cell_text(cell))}</{tag}>'
        for cell, style in zip(cells, styles, strict=True)
    )


def entries(
    potentials: Iterable[Fraction | float],
    shape: Sequence[int],
    arguments: Sequence[object] | None,
    values: Sequence[Sequence[object]] | None,
    name: str,
) -> Tabular:
    """A row for each assignment: the values of the arguments and the potential.

    ``potentials``: of the assignments, the last argument changing fastest. ``arguments``: without
    any, R1, R2, …; ``values``: of each argument, without any, the numbers of its states.
    """
    headings = named_arguments(shape, arguments)
    states = named_values(shape, values)
    weighed = zip(product(*states), potentials, strict=False)
    rows = tuple((*assignment, weight) for assignment, weight in islice(weighed, KEPT))
    return Tabular((*headings, Function(name, headings)), rows, prod(shape))


def named_arguments(shape: Sequence[int], arguments: Sequence[object] | None) -> tuple[object, ...]:
    """The names of a table's arguments; R1, R2, … if there are none."""
    if arguments is None:
        return tuple(f"R{position}" for position in range(1, len(shape) + 1))
    if len(arguments) != len(shape):
        raise InputError(f"expected {len(shape)} arguments, got {len(arguments)}")
    return tuple(arguments)


def named_values(
    shape: Sequence[int], values: Sequence[Sequence[object]] | None
) -> Sequence[Sequence[object]]:
    """The values of a table's arguments; their numbers from 0 if there are no names."""
    if values is None:
        return [range(size) for size in shape]
    if tuple(map(len, values)) != tuple(shape):
        came = "×".join(str(len(listed)) for listed in values)
        raise InputError(f"expected values for shape {'×'.join(map(str, shape))}, got {came}")
    return values
