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

from pathlib import Path

import msgspec

from liftgraph.errors import InputError, ParseError
from liftgraph.io.files import write_bytes
from liftgraph.io.json_parts import TableEntry, decode, entry_of, laid_out, place, table_of
from liftgraph.model.ground.builder import FactorGraphBuilder
from liftgraph.model.ground.factor_graph import FactorGraph

FORMAT = "liftgraph factor graph"


class _Variable(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    states: list[str]


class _Factor(msgspec.Struct, forbid_unknown_fields=True):
    scope: list[str]
    table: int


class _Document(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    format: str
    version: int
    variables: list[_Variable]
    tables: list[TableEntry]
    factors: list[_Factor]
    evidence: dict[str, str] = {}


def read(path: Path | str) -> FactorGraph:
    """Read a factor graph; errors name the place in the document."""
    document = decode(path, _Document)
    if (document.format, document.version) != (FORMAT, 1):
        came = f"{document.format} {document.version}"
        raise ParseError(str(path), None, f"expected {FORMAT} 1, got {came}")
    try:
        return _graph(document)
    except InputError as error:
        raise ParseError(str(path), None, str(error)) from None


def _graph(document: _Document) -> FactorGraph:
    builder = FactorGraphBuilder()
    for index, variable in enumerate(document.variables):
        with place(f"$.variables[{index}]"):
            builder.add_variable(variable.name, variable.states)
    tables = [table_of(entry, f"$.tables[{index}]") for index, entry in enumerate(document.tables)]
    for index, factor in enumerate(document.factors):
        with place(f"$.factors[{index}]"):
            if not 0 <= factor.table < len(tables):
                raise InputError(f"expected a table below {len(tables)}, got {factor.table}")
            builder.add_factor(factor.scope, tables[factor.table])
    with place("$.evidence"):
        return builder.build().given(document.evidence)


def write(graph: FactorGraph, path: Path | str) -> None:
    """Write a factor graph so that it reads back equal."""
    ends, scope = graph.scope_ptr.tolist(), [graph.name(v) for v in graph.scope.tolist()]
    document = _Document(
        FORMAT,
        1,
        [_Variable(graph.name(v), list(graph.states(v))) for v in range(graph.variable_count)],
        [entry_of(table) for table in graph.tables],
        [
            _Factor(scope[ends[factor] : ends[factor + 1]], table)
            for factor, table in enumerate(graph.table_id.tolist())
        ],
        {graph.name(v): graph.states(v)[state] for v, state in graph.evidence.items()},
    )
    write_bytes(path, laid_out(document))
