"""The library's own JSON format for factor graphs: everything kept, names and evidence included.

::

    {"format": "liftgraph factor graph", "version": 1,
     "variables": [{"name": "Epid", "states": ["true", "false"]}, …],
     "tables": [{"shape": [2, 2], "values": [3, 1, 0.5, "1/3"]}, …],
     "factors": [{"scope": ["Sick.alice", "Epid"], "table": 0}, …],
     "evidence": {"Epid": "true"}}

Values are numbers, or numerals as text, and read exactly; the last argument changes fastest.
``"measured": true`` marks a table that was given as floats.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import msgspec

from liftgraph.errors import InputError, ParseError
from liftgraph.exact import numeral, parse_rational
from liftgraph.io.files import read_bytes, write_bytes
from liftgraph.model.builder import FactorGraphBuilder
from liftgraph.model.factor_graph import FactorGraph
from liftgraph.model.table import Table

FORMAT = "liftgraph factor graph"
_PORTABLE = 2**53  # larger integers are written as text: many JSON readers round them


class _Variable(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    states: list[str]


class _Table(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    shape: list[int]
    values: list[msgspec.Raw]
    measured: bool = False


class _Factor(msgspec.Struct, forbid_unknown_fields=True):
    scope: list[str]
    table: int


class _Document(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    format: str
    version: int
    variables: list[_Variable]
    tables: list[_Table]
    factors: list[_Factor]
    evidence: dict[str, str] = {}


def read(path: Path | str) -> FactorGraph:
    """Read a factor graph; errors name the place in the document."""
    document = _decode(str(path), read_bytes(path))
    if (document.format, document.version) != (FORMAT, 1):
        came = f"{document.format} {document.version}"
        raise ParseError(str(path), None, f"expected {FORMAT} 1, got {came}")
    try:
        return _graph(document)
    except InputError as error:
        raise ParseError(str(path), None, str(error)) from None


def _decode(path: str, content: bytes) -> _Document:
    try:
        text = content.decode("utf-8-sig")
        document = msgspec.json.decode(text, type=_Document)
        json.loads(text, object_pairs_hook=_distinct, parse_int=str, parse_float=str)
        return document
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ParseError(
            path, line, f"expected UTF-8, got {error.object[error.start]:#x}"
        ) from None
    except msgspec.ValidationError as error:
        raise ParseError(path, None, str(error)) from None
    except (msgspec.DecodeError, RecursionError) as error:
        place = re.search(r"\(byte (\d+)\)", str(error))
        end = int(place[1]) if place else len(content)
        raise ParseError(path, content.count(b"\n", 0, end) + 1, str(error)) from None


def _distinct(pairs: list[tuple[str, object]]) -> None:
    """Refuse an object with a key twice, of which other readers would take the last."""
    if len({key for key, _ in pairs}) < len(pairs):
        keys = [key for key, _ in pairs]
        raise msgspec.ValidationError(f"expected distinct keys, got {keys}")


def _graph(document: _Document) -> FactorGraph:
    builder = FactorGraphBuilder()
    for index, variable in enumerate(document.variables):
        with _place(f"$.variables[{index}]"):
            builder.add_variable(variable.name, variable.states)
    tables = [_table(entry, index) for index, entry in enumerate(document.tables)]
    for index, factor in enumerate(document.factors):
        with _place(f"$.factors[{index}]"):
            if not 0 <= factor.table < len(tables):
                raise InputError(f"expected a table below {len(tables)}, got {factor.table}")
            builder.add_factor(factor.scope, tables[factor.table])
    with _place("$.evidence"):
        return builder.build().given(document.evidence)


@contextmanager
def _place(where: str) -> Iterator[None]:
    """Add the place in the document to what is wrong there."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{error} - at `{where}`") from None


def _table(entry: _Table, index: int) -> Table:
    with _place(f"$.tables[{index}]"):
        values = [_value(bytes(value).decode()) for value in entry.values]
        return replace(Table.of(values, entry.shape), measured=entry.measured)


def _value(text: str) -> Fraction:
    return parse_rational(text[1:-1] if text.startswith('"') else text)


def write(graph: FactorGraph, path: Path | str) -> None:
    """Write a factor graph so that it reads back equal."""
    ends, scope = graph.scope_ptr.tolist(), [graph.name(v) for v in graph.scope.tolist()]
    document = _Document(
        FORMAT,
        1,
        [_Variable(graph.name(v), list(graph.states(v))) for v in range(graph.variable_count)],
        [_Table(list(t.shape), _values(t), t.measured) for t in graph.tables],
        [
            _Factor(scope[ends[factor] : ends[factor + 1]], table)
            for factor, table in enumerate(graph.table_id.tolist())
        ],
        {graph.name(v): graph.states(v)[state] for v, state in graph.evidence.items()},
    )
    write_bytes(path, _laid_out(document))


def _values(table: Table) -> list[msgspec.Raw]:
    return [
        msgspec.Raw(_json(integer * table.scale).encode())
        for integer in table.integers.ravel().tolist()
    ]


def _json(value: Fraction) -> str:
    small = value.denominator == 1 and value.numerator < _PORTABLE
    return str(value.numerator) if small else f'"{numeral(value)}"'


def _laid_out(document: _Document) -> bytes:
    """JSON with one variable, table or factor a line, for people and for diffs."""
    parts = msgspec.json.decode(msgspec.json.encode(document), type=dict[str, msgspec.Raw])
    lines = [f'"{key}": {_one_a_line(bytes(raw))}' for key, raw in parts.items()]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _one_a_line(raw: bytes) -> str:
    if not raw.startswith(b"["):
        return raw.decode()
    entries: Sequence[msgspec.Raw] = msgspec.json.decode(raw, type=list[msgspec.Raw])
    return "[\n  " + ",\n  ".join(bytes(entry).decode() for entry in entries) + "\n]"
