"""Tables from and to their JSON entries."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import groupby

import msgspec
import numpy as np

from liftgraph.errors import InputError, ParseError
from liftgraph.exact import parse_rational
from liftgraph.io.allowance import Allowance
from liftgraph.io.decimal_tables import NumeralRows, make_tables
from liftgraph.io.json.documents import TableEntry
from liftgraph.io.json.text import place
from liftgraph.io.number_costs import take_digits
from liftgraph.io.number_text import tokenise
from liftgraph.io.numerals import parse_numerals
from liftgraph.io.spelling import Spelling, numerals
from liftgraph.model.ground.count_potential import CountPotential
from liftgraph.model.ground.noisy_max import NoisyMax
from liftgraph.model.ground.table import MAX_ARGUMENTS, Potential, Table

_ENTRY_COST = 240
_ARGUMENT_COST = 16
_PLAIN = re.compile(rb'\[(?:[^]["{}\\]++|"[\d./eE+-]++")++\]')
_BLANK = bytes.maketrans(b'[],"', b"    ")
_PORTABLE = 2**53  # larger integers are written as text: many JSON readers round them


def table_of(entry: TableEntry, path: str, allowance: Allowance) -> Table:
    """The table of an entry at a path of the document; other potentials are refused."""
    if entry.addends or entry.causes or entry.ranks:
        with place(path):
            raise InputError("expected a plain table, got one with addends, causes or ranks")
    return _listed_table(entry, path, allowance)


def _listed_table(entry: TableEntry, path: str, allowance: Allowance) -> Table:
    return _listed_tables([entry], [path], allowance)[0]


def _listed_tables(
    entries: Sequence[TableEntry], paths: Sequence[str], allowance: Allowance
) -> list[Table]:
    """The tables of entries, all numbers at once; whatever is odd is read number by number."""
    lists = [bytes(entry.values) for entry in entries]
    counts = [values.count(b",") + 1 for values in lists]
    for path, count in zip(paths, counts, strict=True):
        allowance.take(_ENTRY_COST * count, f"{path} has {count:,} values")
    tables: Sequence[Table | None] = [None] * len(entries)
    if all(map(_is_plain, entries, lists, counts)):
        with suppress(ParseError):  # it lacks the place in the document
            tables = _plain_tables(entries, lists, counts, allowance)
    listed: list[Table] = []
    for entry, path, table in zip(entries, paths, tables, strict=True):
        with place(path):
            read = table or _table_by_numbers(entry)
            take_digits(allowance, read)
        listed.append(replace(read, measured=True) if entry.measured else read)
    return listed


def _is_plain(entry: TableEntry, values: bytes, count: int) -> bool:
    """Whether an entry has a table with as many values as its shape says, spelt as usual."""
    fits = 0 < len(entry.shape) <= MAX_ARGUMENTS and min(entry.shape) > 0
    return fits and math.prod(entry.shape) == count and _PLAIN.fullmatch(values) is not None


def _plain_tables(
    entries: Sequence[TableEntry], lists: list[bytes], counts: list[int], allowance: Allowance
) -> list[Table]:
    """The tables of entries that are plain; each distinct one is made once."""
    text = tokenise(allowance.path, b" ".join(lists).translate(_BLANK))
    shapes: dict[tuple[int, ...], int] = {}
    shape_ids = [shapes.setdefault(tuple(entry.shape), len(shapes)) for entry in entries]
    starts = np.cumsum(counts, dtype=np.int64) - counts
    rows = NumeralRows([*shapes], np.array(shape_ids, dtype=np.int64), starts.astype(np.int64))
    tables, table_ids = make_tables(rows, parse_numerals(text, 0), text.error)
    return [tables[table_id] for table_id in table_ids.tolist()]


def _table_by_numbers(entry: TableEntry) -> Table:
    try:
        values = msgspec.json.decode(entry.values, type=list[msgspec.Raw])
    except msgspec.ValidationError as error:
        raise InputError(f"values: {error}") from None
    return Table.of([_value(bytes(value).decode()) for value in values], entry.shape)


def potential_of(entry: TableEntry, path: str, allowance: Allowance) -> Potential:
    """The potential of an entry at a path of the document."""
    return _potential(entry, _listed_table(entry, path, allowance), path, allowance)


def potentials_of(
    entries: Sequence[TableEntry], path: str, allowance: Allowance
) -> list[Potential]:
    """The potentials of a list of entries: tables, count factors and noisy-MAXes."""
    paths = [f"{path}[{index}]" for index in range(len(entries))]
    tables = _listed_tables(entries, paths, allowance)
    return [
        _potential(entry, table, path, allowance)
        for entry, table, path in zip(entries, tables, paths, strict=True)
    ]


def _potential(entry: TableEntry, table: Table, path: str, allowance: Allowance) -> Potential:
    if not (entry.addends or entry.causes or entry.ranks):
        return table
    with place(path):
        if entry.addends and entry.causes:
            raise InputError("expected addends or causes, got both")
        if entry.addends:
            return _count_potential(entry, table, allowance)
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

    values = f"[{','.join(numerals(table, quoted))}]"
    return TableEntry(list(table.shape), msgspec.Raw(values.encode()), table.measured)
