"""JSON documents from text and to text; errors name the place in the document."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import msgspec

from liftgraph.errors import InputError, ParseError, quoted
from liftgraph.exact import shortened
from liftgraph.io.allowance import Allowance
from liftgraph.io.files import END, error_at
from liftgraph.io.json.documents import Document

Decoded = TypeVar("Decoded")
AnyDocument = TypeVar("AnyDocument", bound=Document)
Built = TypeVar("Built")
BYTE_COST = 9  # of a byte of the document, and of a digit of its numbers
_VALUE_COST = 110  # of a value in the document, and of its place in the model
_VALUES = re.compile(r'"values"\s*:\s*\[[^][{}]*+\]')
_EXPECTED = {  # what the parser of the standard library misses, in the words of this library
    "Expecting value": "a value",
    "Expecting ',' delimiter": "a comma, ] or }",
    "Expecting ':' delimiter": "a colon",
    "Expecting property name enclosed in double quotes": "a key in double quotes",
    "Unterminated string starting at": 'a closing " behind this text',
    "Extra data": END,
}


def take_values(allowance: Allowance, text: str) -> None:
    """Take what decoding needs: a value is the first of a list or an object, or behind a comma."""
    values = 1 + sum(map(text.count, ",[{"))
    allowance.take(_VALUE_COST * values, f"the document has {values:,} values")


def decode(path: Path | str, text: str, kind: type[Decoded]) -> Decoded:
    """The document of a kind that a file's text spells."""
    if not text.strip():
        raise ParseError(str(path), 1, "expected a JSON document, got an empty file")
    try:
        document = msgspec.json.decode(text, type=kind)
        keys = _VALUES.sub('"values":0', text)  # lists of numbers have no keys
        json.loads(keys, object_pairs_hook=_check_distinct, parse_int=str, parse_float=str)
        return document
    except msgspec.ValidationError as error:
        raise ParseError(str(path), None, _without_input(str(error))) from None
    except RecursionError:
        problem = "expected lists and objects, got too many levels of nesting"
        raise ParseError(str(path), None, problem) from None
    except msgspec.DecodeError as error:
        raise _malformed(path, text, str(error)) from None


class _Header(msgspec.Struct):
    format: str


def title_of(path: Path | str, text: str) -> str | None:
    """What a document says it is; None if it does not say."""
    try:
        return msgspec.json.decode(text, type=_Header).format
    except msgspec.ValidationError:
        return None
    except (msgspec.DecodeError, RecursionError):
        return decode(path, text, _Header).format  # whose error names the line


def built(
    path: Path | str, text: str, kind: type[AnyDocument], build: Callable[[AnyDocument], Built]
) -> Built:
    """What a document of a kind describes; errors name the file."""
    document = decode(path, text, kind)
    if (document.format, document.version) != (kind.TITLE, kind.VERSION):
        came = f"{shortened(document.format)} {shortened(quoted(document.version))}"
        raise ParseError(str(path), None, f"expected {kind.TITLE} {kind.VERSION}, got {came}")
    try:
        return build(document)
    except InputError as error:
        raise ParseError(str(path), None, str(error)) from None


def _without_input(problem: str) -> str:
    """A message of the decoder, which quotes whole keys and places, at most 200 characters."""
    return problem if len(problem) <= 200 else f"{problem[:120]}...{problem[-77:]}"


def _malformed(path: Path | str, text: str, problem: str) -> ParseError:
    """The error at the first place that is not JSON: the fast decoder does not always name it."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        unclosed = error.msg.startswith("Unterminated")
        came = END if unclosed or not text[error.pos :].strip() else repr(text[error.pos])
        problem = f"expected {_EXPECTED.get(error.msg, error.msg)}, got {came}"
        return ParseError(str(path), error.lineno, problem, error.colno)
    except (RecursionError, ValueError):
        pass
    content, place = text.encode(), re.search(r"\(byte (\d+)\)", problem)
    return error_at(str(path), content, int(place[1]) if place else len(content), problem)


def _check_distinct(pairs: list[tuple[str, object]]) -> None:
    """Refuse an object that has a key twice: other readers would take the last value."""
    if len({key for key, _ in pairs}) < len(pairs):
        (key, times), *_ = Counter(key for key, _ in pairs).most_common(1)
        raise msgspec.ValidationError(f"expected distinct keys, got {shortened(key)} {times} times")


@contextmanager
def place(path: str) -> Iterator[None]:
    """Add a place in the document to the errors that are raised there."""
    try:
        yield
    except InputError as error:
        raise located(error, path) from None


def located(error: InputError, path: str) -> InputError:
    """An error with its place in the document."""
    return InputError(f"{error} - at `{path}`")


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
