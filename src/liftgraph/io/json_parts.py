"""What the library's JSON formats have in common: documents, tables, and places for errors."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TypeVar

import msgspec

from liftgraph.errors import InputError, ParseError
from liftgraph.exact import numeral, parse_rational
from liftgraph.io.files import read_text
from liftgraph.model.ground.table import Table

Document = TypeVar("Document", bound=msgspec.Struct)
_PORTABLE = 2**53  # larger integers are written as text: many JSON readers round them


class TableEntry(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A table: the last argument changes fastest."""

    shape: list[int]
    values: list[msgspec.Raw]
    measured: bool = False


def decode(path: Path | str, kind: type[Document]) -> Document:
    """The document in a file; errors name the place."""
    text = read_text(path)
    if not text.strip():
        raise ParseError(str(path), 1, "expected a JSON document, got an empty file")
    try:
        document = msgspec.json.decode(text, type=kind)
        json.loads(text, object_pairs_hook=_distinct, parse_int=str, parse_float=str)
        return document
    except msgspec.ValidationError as error:
        raise ParseError(str(path), None, str(error)) from None
    except (msgspec.DecodeError, RecursionError) as error:
        content = text.encode()
        place = re.search(r"\(byte (\d+)\)", str(error))
        end = int(place[1]) if place else len(content)
        raise ParseError(str(path), content.count(b"\n", 0, end) + 1, str(error)) from None


def _distinct(pairs: list[tuple[str, object]]) -> None:
    """Refuse an object with a key twice, of which other readers would take the last."""
    if len({key for key, _ in pairs}) < len(pairs):
        keys = [key for key, _ in pairs]
        raise msgspec.ValidationError(f"expected distinct keys, got {keys}")


@contextmanager
def place(where: str) -> Iterator[None]:
    """Add the place in the document to what is wrong there."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{error} - at `{where}`") from None


def table_of(entry: TableEntry, where: str) -> Table:
    """The table of an entry."""
    with place(where):
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
    small = value.denominator == 1 and value.numerator < _PORTABLE
    return str(value.numerator) if small else f'"{numeral(value)}"'


def laid_out(document: msgspec.Struct) -> bytes:
    """JSON with one variable, table or factor a line, for people and for diffs."""
    parts = msgspec.json.decode(msgspec.json.encode(document), type=dict[str, msgspec.Raw])
    lines = [f'"{key}": {_one_a_line(bytes(raw))}' for key, raw in parts.items()]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _one_a_line(raw: bytes) -> str:
    if not raw.startswith(b"["):
        return raw.decode()
    entries: Sequence[msgspec.Raw] = msgspec.json.decode(raw, type=list[msgspec.Raw])
    return "[\n  " + ",\n  ".join(bytes(entry).decode() for entry in entries) + "\n]"
