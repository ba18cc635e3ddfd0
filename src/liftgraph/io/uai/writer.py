"""Writing UAI models so that they read back equal, scales included."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Context, Decimal
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

from liftgraph.exact import numeral
from liftgraph.io.files import write_bytes
from liftgraph.model.factor_graph import FactorGraph
from liftgraph.model.table import Table


def write(graph: FactorGraph, path: Path | str, *, rounded: bool = False) -> None:
    """Write a MARKOV model. The format has no names and no evidence, so those are left out.

    A value without a finite decimal form is written as a fraction such as 1/3, which this
    library reads exactly and others may refuse; ``rounded`` writes 17 significant digits instead.
    """
    write_bytes(path, "\n".join(_lines(graph, _rounded if rounded else numeral)).encode())


def needs_fractions(graph: FactorGraph) -> bool:
    """Whether some value has no finite decimal form, so that exact text needs a fraction."""
    return any("/" in text for table in graph.used_tables for text in _numerals(table, numeral))


def _lines(graph: FactorGraph, spell: Callable[[Fraction], str]) -> Iterator[str]:
    yield "MARKOV"
    yield str(graph.variable_count)
    yield " ".join(map(str, graph.cardinalities.tolist()))
    yield str(graph.factor_count)
    ends, scope = graph.scope_ptr.tolist(), graph.scope.tolist()
    for start, end in pairwise(ends):
        yield " ".join(map(str, (end - start, *scope[start:end])))
    texts = [
        f"\n{table.integers.size}\n{' '.join(_numerals(table, spell))}" for table in graph.tables
    ]
    for number in graph.table_id.tolist():
        yield texts[number]
    yield ""


def _numerals(table: Table, spell: Callable[[Fraction], str]) -> Iterator[str]:
    """The values of a table as text, each distinct one spelt once."""
    known: dict[int, str] = {}
    for integer in table.integers.ravel().tolist():
        if integer not in known:
            known[integer] = spell(integer * table.scale)
        yield known[integer]


def _rounded(value: Fraction) -> str:
    exact = numeral(value)
    return exact if "/" not in exact else _seventeen_digits(value)


def _seventeen_digits(value: Fraction) -> str:
    """The nearest decimal with 17 significant digits, of any magnitude."""
    context = Context(prec=17, Emin=-999999, Emax=999999)
    return str(context.divide(Decimal(value.numerator), Decimal(value.denominator)))
