"""Potentials as text that reads back exactly, or rounded where no decimal is exact."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from decimal import Context, Decimal
from fractions import Fraction

from liftgraph.exact import numeral
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.table import Table

Spelling = Callable[[Fraction], str]


def spelling(rounded: bool) -> Spelling:
    """How numbers are written: exactly (1/3), or decimals of 17 digits where need be."""
    return _rounded if rounded else numeral


def numerals(table: Table, spell: Spelling) -> Iterator[str]:
    """The values of a table as text, last argument fastest, each distinct one spelt once."""
    known: dict[int, str] = {}
    for integer in table.integers.ravel().tolist():
        if integer not in known:
            known[integer] = spell(integer * table.scale)
        yield known[integer]


def needs_fractions(graph: FactorGraph) -> bool:
    """Whether some value has no finite decimal form, so that exact text needs a fraction."""
    return any("/" in text for table in graph.used_tables for text in numerals(table, numeral))


def losses_of_numbers(graph: FactorGraph, rounded: bool) -> Iterator[str]:
    """What decimals cannot keep of a graph, or others may not read."""
    if not needs_fractions(graph):
        return
    if rounded:
        yield "values without a finite decimal form were rounded to 17 digits"
    else:
        yield "values without a finite decimal form were written as fractions; --round rounds them"


def losses_of_floats(tables: Iterable[Table]) -> Iterator[str]:
    """Decimals do not tell which tables were measured, and are to be compared with a tolerance."""
    if any(table.measured for table in tables):
        yield "tables of floats are read back as exact numbers, which are compared exactly"


def losses_of_evidence(graph: FactorGraph, title: str) -> Iterator[str]:
    """Evidence has no place in most formats."""
    if len(graph.observed):
        yield f"{title} models have no evidence: it was left out"


def _rounded(value: Fraction) -> str:
    exact = numeral(value)
    return exact if "/" not in exact else _seventeen_digits(value)


def _seventeen_digits(value: Fraction) -> str:
    """The nearest decimal with 17 significant digits, of any magnitude."""
    context = Context(prec=17, Emin=-999999, Emax=999999)
    return str(context.divide(Decimal(value.numerator), Decimal(value.denominator)))
