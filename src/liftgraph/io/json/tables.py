"""Tables from and to their JSON entries."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import msgspec

from liftgraph.exact import parse_rational
from liftgraph.io.allowance import Allowance
from liftgraph.io.json.documents import TableEntry
from liftgraph.io.json.text import place
from liftgraph.io.number_costs import take_digits
from liftgraph.io.spelling import Spelling, numerals
from liftgraph.model.ground.table import Table

_ENTRY_COST = 240
_PORTABLE = 2**53  # larger integers are written as text: many JSON readers round them


def table_of(entry: TableEntry, path: str, allowance: Allowance) -> Table:
    """The table of an entry at a path of the document."""
    allowance.take(_ENTRY_COST * len(entry.values), f"{path} has {len(entry.values):,} values")
    with place(path):
        values = [_value(bytes(value).decode()) for value in entry.values]
        table = replace(Table.of(values, entry.shape), measured=entry.measured)
        take_digits(allowance, table)
        return table


def _value(text: str) -> Fraction:
    return parse_rational(text[1:-1] if text.startswith('"') else text)


def entry_of(table: Table, spell: Spelling) -> TableEntry:
    """The entry of a table."""

    def quoted(value: Fraction) -> str:
        portable = value.denominator == 1 and value.numerator < _PORTABLE
        return str(value.numerator) if portable else f'"{spell(value)}"'

    values = [msgspec.Raw(text.encode()) for text in numerals(table, quoted)]
    return TableEntry(list(table.shape), values, table.measured)
