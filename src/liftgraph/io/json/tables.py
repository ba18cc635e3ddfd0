"""Tables from and to their JSON entries."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import msgspec

from liftgraph.exact import numeral, parse_rational
from liftgraph.io.json.documents import TableEntry
from liftgraph.io.json.text import place
from liftgraph.model.ground.table import Table

_PORTABLE = 2**53  # larger integers are written as text: many JSON readers round them


def table_of(entry: TableEntry, path: str) -> Table:
    """The table of an entry at a path of the document."""
    with place(path):
        values = [_value(bytes(value).decode()) for value in entry.values]
        return replace(Table.of(values, entry.shape), measured=entry.measured)


def _value(text: str) -> Fraction:
    return parse_rational(text[1:-1] if text.startswith('"') else text)


def entry_of(table: Table) -> TableEntry:
    """The entry of a table."""
    values = [
        msgspec.Raw(_json(integer * table.scale).encode())
        for integer in table.integers.ravel().tolist()
    ]
    return TableEntry(list(table.shape), values, table.measured)


def _json(value: Fraction) -> str:
    portable = value.denominator == 1 and value.numerator < _PORTABLE
    return str(value.numerator) if portable else f'"{numeral(value)}"'
