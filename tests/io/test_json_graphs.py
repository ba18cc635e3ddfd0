"""Factor graphs in JSON files: nothing is lost, and errors name their place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import liftgraph as lg
from tests.strategies import factor_graphs


@given(factor_graphs(), st.sampled_from(["m.json", "m.json.gz"]))
def test_what_is_written_reads_back_equal(
    tmp_path_factory: pytest.TempPathFactory, graph: lg.FactorGraph, name: str
) -> None:
    path = tmp_path_factory.mktemp("json") / name
    lg.write(graph, path)
    assert lg.read(path) == graph


@given(st.lists(st.text(min_size=1), unique=True, min_size=1), st.floats(0, 1e300))
def test_names_and_measured_values_are_kept(
    tmp_path_factory: pytest.TempPathFactory, names: list[str], value: float
) -> None:
    usable = [name for name in names if name.encode("utf-8", "ignore").decode() == name]
    builder = lg.FactorGraphBuilder()
    for name in usable:
        builder.add_variable(name, usable)
        builder.add_factor([name], [value] * len(usable))
    path = tmp_path_factory.mktemp("json") / "model.json"
    lg.write(builder.build(), path)
    graph = lg.read_graph(path)
    assert graph == builder.build()
    assert all(table.measured for table in graph.tables)


DOCUMENT: dict[str, Any] = {
    "format": "liftgraph factor graph",
    "version": 1,
    "variables": [{"name": "A", "states": ["true", "false"]}],
    "tables": [{"shape": [2], "values": [0.1, "2/3"]}],
    "factors": [{"scope": ["A"], "table": 0}],
    "evidence": {"A": "true"},
}


def test_decimals_are_exact(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text(json.dumps(DOCUMENT))
    assert lg.read_graph(path).factors[0].table == lg.Table.of(["0.1", "2/3"])


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("version", 2, "expected liftgraph factor graph 1, got liftgraph factor graph 2"),
        (
            "format",
            "other",
            "expected liftgraph factor graph 1 or liftgraph parfactor graph 1, got other",
        ),
        ("variables", [{"name": "A", "states": []}], r"at `\$\.variables\[0\]`"),
        (
            "variables",
            [{"name": 3, "states": ["x"]}],
            r"Expected `str`, got `int` - at `\$\.variables\[0\]\.name`",
        ),
        (
            "tables",
            [{"shape": [2], "values": [1]}],
            r"expected a table of shape .* at `\$\.tables\[0\]`",
        ),
        ("tables", [{"shape": [2], "values": [1, -1]}], "expected a non-negative number, got '-1'"),
        (
            "tables",
            [{"shape": [2], "values": [1, True]}],
            "expected a non-negative number, got 'true'",
        ),
        (
            "tables",
            [{"shape": [2], "values": [1, None]}],
            "expected a non-negative number, got 'null'",
        ),
        ("tables", [{"shape": [-2, -1], "values": [1, 1]}], "expected at least one state"),
        (
            "factors",
            [{"scope": ["B"], "table": 0}],
            r"expected a variable, got 'B' - at `\$\.factors\[0\]`",
        ),
        ("factors", [{"scope": ["A"], "table": 1}], "expected a table below 1, got 1"),
        ("factors", [{"scope": ["A"], "table": 0, "x": 1}], "unknown field `x`"),
        ("evidence", {"A": "maybe"}, r"expected a state of A .* at `\$\.evidence`"),
    ],
)
def test_malformed_documents_are_refused(
    tmp_path: Path, key: str, value: object, problem: str
) -> None:
    path = tmp_path / "model.json"
    path.write_text(json.dumps(DOCUMENT | {key: value}))
    with pytest.raises(lg.ParseError, match=problem):
        lg.read(path)


def test_a_key_that_comes_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    text = json.dumps(DOCUMENT)
    for old, new in (
        ('"A": "true"', '"A": "true", "A": "false"'),
        ('"version": 1', '"version": 1, "version": 1'),
    ):
        assert old in text
        path.write_text(text.replace(old, new))
        with pytest.raises(lg.ParseError, match="expected distinct keys"):
            lg.read(path)


def test_malformed_json_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text(json.dumps(DOCUMENT, indent=1).replace('"version": 1', '"version": 1,,'))
    with pytest.raises(lg.ParseError) as caught:
        lg.read(path)
    assert caught.value.line == 3
    path.write_text(" \n")
    with pytest.raises(lg.ParseError, match=r":1: expected a JSON document, got an empty"):
        lg.read(path)


@given(st.binary(max_size=40), st.integers(0, 400))
def test_damaged_documents_raise_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, junk: bytes, start: int
) -> None:
    content = json.dumps(DOCUMENT).encode()
    path = tmp_path_factory.mktemp("json") / "model.json"
    path.write_bytes(content[:start] + junk + content[start + len(junk) :])
    try:
        lg.read(path)
    except lg.ParseError as error:
        assert error.problem
