"""Tables from and to their JSON entries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import groupby

import msgspec

from liftgraph.errors import InputError
from liftgraph.exact import parse_rational
from liftgraph.io.allowance import Allowance
from liftgraph.io.json.documents import TableEntry
from liftgraph.io.json.text import place
from liftgraph.io.number_costs import take_digits
from liftgraph.io.spelling import Spelling, numerals
from liftgraph.model.ground.count_potential import CountPotential
from liftgraph.model.ground.noisy_max import NoisyMax
from liftgraph.model.ground.table import Potential, Table

_ENTRY_COST = 240
_ARGUMENT_COST = 16
_PORTABLE = 2**53  # larger integers are written as text: many JSON readers round them


def table_of(entry: TableEntry, path: str, allowance: Allowance) -> Table:
    """The table of an entry at a path of the document; other potentials are refused."""
    if entry.addends or entry.causes or entry.ranks:
        with place(path):
            raise InputError("expected a plain table, got one with addends, causes or ranks")
    return _listed_table(entry, path, allowance)


def _listed_table(entry: TableEntry, path: str, allowance: Allowance) -> Table:
    allowance.take(_ENTRY_COST * len(entry.values), f"{path} has {len(entry.values):,} values")
    with place(path):
        values = [_value(bytes(value).decode()) for value in entry.values]
        table = replace(Table.of(values, entry.shape), measured=entry.measured)
        take_digits(allowance, table)
        return table


def potential_of(entry: TableEntry, path: str, allowance: Allowance) -> Potential:
    """The potential of an entry: a table, a count factor or a noisy-MAX."""
    table = _listed_table(entry, path, allowance)
    with place(path):
        if entry.addends and entry.causes:
            raise InputError("expected addends or causes, got both")
        if entry.addends:
            return _count_potential(entry, table, allowance)
        if not entry.causes and not entry.ranks:
            return table
    causes = [
        table_of(cause, f"{path}.causes[{index}]", allowance)
        for index, cause in enumerate(entry.causes)
    ]
    with place(path):
        return _noisy_max(causes, table, entry.ranks)


def _count_potential(entry: TableEntry, table: Table, allowance: Allowance) -> CountPotential:
    arguments = sum([times for _, times in entry.addends])
    allowance.take(_ARGUMENT_COST * max(arguments, 0), f"a count of {arguments:,} arguments")
    for adds, times in entry.addends:
        if not adds or min(adds) < 0 or times < 1:
            raise InputError(f"expected numbers from 0 on, and how often, got {adds}, {times}")
    addends = [tuple(adds) for adds, times in entry.addends for _ in range(times)]
    sums = CountPotential(tuple(addends)).sums
    if table.shape[:1] != (sums,):
        raise InputError(f"expected weights of {sums:,} sums, got shape {table.shape}")
    return CountPotential(tuple(addends), table)


def _noisy_max(causes: Sequence[Table], leak: Table, ranks: Sequence[int]) -> NoisyMax:
    effects = len(ranks)
    if sorted(ranks) != list(range(effects)) or leak.shape != (effects,):
        raise InputError(f"expected a rank from 0 on for each effect, got {list(ranks)}")
    for cause in causes:
        if len(cause.shape) != 2 or cause.shape[1] != effects:
            raise InputError(f"expected causes of {effects} effects, got shape {cause.shape}")
    return NoisyMax(tuple(causes), leak, tuple(ranks))


def _value(text: str) -> Fraction:
    return parse_rational(text[1:-1] if text.startswith('"') else text)


def potential_entry(potential: Potential, spell: Spelling) -> TableEntry:
    """The entry of a potential; one that has no form of its own is expanded."""
    match potential:
        case CountPotential(addends=addends, weights=Table() as weights):
            entry = entry_of(weights, spell)
            runs = [(list(adds), len(list(run))) for adds, run in groupby(addends)]
            return msgspec.structs.replace(entry, addends=runs)
        case NoisyMax(causes=causes, leak=leak, ranks=ranks):
            listed = [entry_of(cause, spell) for cause in causes]
            entry = entry_of(leak, spell)
            return msgspec.structs.replace(entry, causes=listed, ranks=list(ranks))
    return entry_of(potential.table(), spell)


def entry_of(table: Table, spell: Spelling) -> TableEntry:
    """The entry of a table."""

    def quoted(value: Fraction) -> str:
        portable = value.denominator == 1 and value.numerator < _PORTABLE
        return str(value.numerator) if portable else f'"{spell(value)}"'

    values = [msgspec.Raw(text.encode()) for text in numerals(table, quoted)]
    return TableEntry(list(table.shape), values, table.measured)
