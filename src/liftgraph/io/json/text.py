"""JSON documents from text and to text; errors name the place in the document."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import msgspec

from liftgraph.errors import InputError, ParseError

Decoded = TypeVar("Decoded", bound=msgspec.Struct)


def decode(path: Path | str, text: str, kind: type[Decoded]) -> Decoded:
    """The document of a kind that a file's text spells."""
    if not text.strip():
        raise ParseError(str(path), 1, "expected a JSON document, got an empty file")
    try:
        document = msgspec.json.decode(text, type=kind)
        json.loads(text, object_pairs_hook=_check_distinct, parse_int=str, parse_float=str)
        return document
    except msgspec.ValidationError as error:
        raise ParseError(str(path), None, str(error)) from None
    except (msgspec.DecodeError, RecursionError) as error:
        content = text.encode()
        place = re.search(r"\(byte (\d+)\)", str(error))
        end = int(place[1]) if place else len(content)
        raise ParseError(str(path), content.count(b"\n", 0, end) + 1, str(error)) from None


def _check_distinct(pairs: list[tuple[str, object]]) -> None:
    """Refuse an object that has a key twice: other readers would take the last value."""
    if len({key for key, _ in pairs}) < len(pairs):
        keys = [key for key, _ in pairs]
        raise msgspec.ValidationError(f"expected distinct keys, got {keys}")


@contextmanager
def place(path: str) -> Iterator[None]:
    """Add a place in the document to the errors that are raised there."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{error} - at `{path}`") from None


def encode(document: msgspec.Struct) -> bytes:
    """JSON with one variable, table or factor per line, for readers and for diffs."""
    fields = msgspec.json.decode(msgspec.json.encode(document), type=dict[str, msgspec.Raw])
    lines = [f'"{key}": {_one_per_line(bytes(value))}' for key, value in fields.items()]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _one_per_line(value: bytes) -> str:
    if not value.startswith(b"["):
        return value.decode()
    entries = msgspec.json.decode(value, type=list[msgspec.Raw])
    return "[\n  " + ",\n  ".join(bytes(entry).decode() for entry in entries) + "\n]"
