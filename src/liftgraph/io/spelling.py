"""Potentials as text that reads back exactly, or is rounded if no decimal is exact.

Numbers that no reader would take, because they have too many digits, are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from decimal import Context, Decimal
from fractions import Fraction
from pathlib import Path

from liftgraph.errors import InputError
from liftgraph.exact import MAX_DIGITS, limited, numeral
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.table import Table

Spelling = Callable[[Fraction], str]


def spelling(rounded: bool, path: Path | str) -> Spelling:
    """How numbers are written: as decimals or, if no finite decimal is exact, as fractions.

    This library reads 1/3 exactly, but others may refuse it; ``rounded`` writes 17 significant
    digits instead. ``path``: the file to be written, which errors name.
    """

    def spell(value: Fraction) -> str:
        text = _rounded(value) if rounded else _exact(value)
        if text is None:
            expected = f"expected numbers of at most {MAX_DIGITS:,} digits, got a longer one"
            raise InputError(f"{path}: {expected}: round or scale its table before")
        return text

    return spell


def numerals(table: Table, spell: Spelling) -> Iterator[str]:
    """The values of a table as text, last argument fastest; each distinct one is spelt once."""
    spelt: dict[int, str] = {}
    for integer in table.integers.ravel().tolist():
        if integer not in spelt:
            spelt[integer] = spell(integer * table.scale)
        yield spelt[integer]


def needs_fractions(graph: FactorGraph) -> bool:
    """Whether some value has no finite decimal form, so that exact text needs a fraction."""
    return any(
        "/" in text
        for table in graph.used_tables
        for text in numerals(table, lambda value: _exact(value) or "/")
    )


def losses_of_numbers(graph: FactorGraph, rounded: bool) -> Iterator[str]:
    """A note if decimals cannot spell all values, which are then rounded, or fractions."""
    if not needs_fractions(graph):
        return
    if rounded:
        yield "values without a finite decimal form were rounded to 17 digits"
    else:
        yield "values without a finite decimal form were written as fractions; --round rounds them"


def losses_of_floats(tables: Iterable[Table]) -> Iterator[str]:
    """A note if tables were measured: in a file they become decimals, which are exact."""
    if any(table.measured for table in tables):
        yield "tables of floats are read back as exact numbers, which are compared exactly"


def _exact(value: Fraction) -> str | None:
    """The exact text of a number; None if readers would refuse it."""
    try:
        return numeral(limited(value))
    except InputError:
        return None


def _rounded(value: Fraction) -> str | None:
    exact = _exact(value)
    if exact is not None and "/" not in exact:
        return exact
    context = Context(prec=17, Emin=-999999, Emax=999999)
    return _exact(Fraction(context.divide(Decimal(value.numerator), Decimal(value.denominator))))
