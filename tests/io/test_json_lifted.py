"""Lifted models in JSON files: they are kept exactly, and refused if they make no sense."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import liftgraph as lg
from tests.relational import families, relational_models, shuffled

EXAMPLE = "src/liftgraph/datasets/epidemic.json"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lifted") / "model.json"


@given(st.data())
def test_models_are_kept_exactly(path: Path, data: st.DataObject) -> None:
    model = data.draw(relational_models())
    lg.write(model, path)
    assert lg.read(path) == model
    graph = data.draw(shuffled(model.ground(), named=data.draw(st.booleans())))
    if graph.variable_count:
        graph = graph.observing({0: 0})
    lifted = lg.lift(graph)
    lg.write(lifted, path)
    again = lg.read(path)
    assert again == lifted
    assert isinstance(again, lg.ParfactorGraph)
    assert again.ground() == graph


@pytest.mark.parametrize("suffix", [".json", ".json.gz"])
def test_families_are_kept_exactly(tmp_path: Path, suffix: str) -> None:
    for _, model in families(4):
        lg.write(model, tmp_path / f"model{suffix}")
        assert lg.read(tmp_path / f"model{suffix}") == model
        assert lg.read_graph(tmp_path / f"model{suffix}") == model.ground()


def test_scales_need_no_origin(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    lg.write(lg.lift(lg.read_graph(EXAMPLE)), path)
    document = json.loads(path.read_text())
    del document["origin"]
    path.write_text(json.dumps(document))
    expected = lg.read_graph(EXAMPLE).partition(exact=True)
    assert lg.read(path).partition(exact=True) == expected


@pytest.mark.parametrize("end", [200, -2, -30])
def test_errors_of_syntax_name_the_line(tmp_path: Path, end: int) -> None:
    path = tmp_path / "model.json"
    lg.write(lg.lift(lg.read_graph(EXAMPLE)), path)
    path.write_text(path.read_text()[:end] + ",,")
    with pytest.raises(lg.ParseError) as error:
        lg.read(path)
    assert error.value.line is not None
    assert error.value.column is not None
    assert re.search(r"expected .*, got (the end of the file|',')$", str(error.value))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"format": "x",\n "a"', "2:5: expected a colon"),
        ('{"format": "x",\n "a": ', "2:7: expected a value"),
        ('{"format": "x",\n "a": [1', "2:9: expected a comma, ] or }"),
        ('{"format": "x"', "1:15: expected a comma, ] or }"),
        ('{"format": "x', '1:12: expected a closing " behind this text'),
        ("{", "1:2: expected a key in double quotes"),
    ],
)
def test_truncated_files_say_what_is_missing(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "model.json"
    path.write_text(text)
    with pytest.raises(lg.ParseError) as error:
        lg.read(path)
    assert str(error.value) == f"{path}:{problem}, got the end of the file"


def test_near_tables_are_kept(tmp_path: Path) -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(3)
    builder.add_factor([0, 2], [[0.1, 0.2], [0.3, 0.5]])
    builder.add_factor([1, 2], [[0.1 + 1e-15, 0.2], [0.3, 0.5]])
    model = lg.lift(builder.build())
    assert model.origin is not None
    assert model.origin.near
    path = tmp_path / "near.json"
    lg.write(model, path)
    assert lg.read(path) == model
    assert lg.read_graph(path) == builder.build()
    document = json.loads(path.read_text())
    for place, value, message in (
        ("near_id", [0], "a near table or -1 for 2 factors"),
        ("near_id", [5, 0], "near tables below 1"),
        ("near", [{"shape": [2], "values": [1, 2]}], "expected a table of shape (2, 2)"),
    ):
        wrong = json.loads(json.dumps(document))
        wrong["origin"][place] = value
        path.write_text(json.dumps(wrong))
        with pytest.raises(lg.ParseError) as error:
            lg.read(path)
        assert message in str(error.value)


@pytest.fixture
def document(tmp_path: Path) -> dict[str, Any]:
    graph = lg.read_graph(EXAMPLE).given({"Epid": "true"})
    lg.write(lg.lift(graph), tmp_path / "model.json")
    content: dict[str, Any] = json.loads((tmp_path / "model.json").read_text())
    return content


def put(document: Any, place: list[str | int], value: object) -> None:
    for step in place[:-1]:
        document = document[step]
    document[place[-1]] = value


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (["version"], 2, "expected liftgraph parfactor graph 1"),
        (["domains", 0, "size"], 3, "expected 3 individuals, got 2 - at `$.domains[0]`"),
        (["domains", 1, "name"], "X", "got X again - at `$.domains[1]`"),
        (["domains", 0, "individuals"], ["a", "a"], "distinct individuals"),
        (["prvs", 1, "name"], "Epid", "got Epid again - at `$.prvs[1]`"),
        (["prvs", 1, "logvars"], {"X": "Q"}, "expected a domain, got Q - at `$.prvs[1]`"),
        (["prvs", 0, "observed"], "maybe", "expected a state of Epid, got maybe"),
        (["prvs", 0, "states"], [], "distinct states"),
        (["prvs", 1, "where"], [["X", "!="]], "expected a constraint such as X != Y"),
        (["prvs", 1, "where"], [["X", "!=", "X"]], "different logvars in a constraint"),
        (["parfactors", 0, "arguments", 0, "prv"], "Q", "expected a PRV, got Q"),
        (["parfactors", 1, "arguments", 0, "logvars"], ["Q"], "expected a logvar, got Q"),
        (["parfactors", 1, "arguments", 0, "logvars"], [], "logvars over its domains"),
        (
            ["parfactors", 1, "arguments", 0, "counted"],
            ["X"],
            "all its logvars except the counted ones",
        ),
        (["parfactors", 0, "table", "shape"], [3], "expected a table of shape (3,)"),
        (["parfactors", 1, "scales"], [["1", 1]], "positive scales for 2 factors"),
        (["parfactors", 1, "scales"], [["0", 2]], "positive scales for 2 factors"),
        (["origin", "variables", 0], 1, "expected the variables 0 to 8, each once"),
        (["origin", "factors", 0], 99, "expected the factors 0 to 8, each once"),
        (["origin", "argument_order", 0], 1, "arguments 0 to"),
        (["origin", "argument_order", 0], 1000, "arguments 0 to"),
        (["origin", "argument_order", 0], 10**10, "expected integers that fit the arrays"),
        (["origin", "argument_order"], [], "expected an order of 21 arguments"),
        (["origin", "scale_id"], [0] * 9, "expected the scales of parfactor 1"),
        (["origin", "names", 0], "", "expected a name"),
        (["parfactors", 1, "scales"], [["1", 3], ["2", -1]], "positive scales for 2 factors"),
        (["origin", "scale_id", 0], 9, "positive scales for 9 factors"),
        (["origin", "scales", 0], "0", "positive scales for 9 factors"),
        (["origin", "singled_out"], [9], "variables below 9"),
        (["origin", "singled_out"], [-1], "variables below 9"),
        (["origin", "names"], ["a"] * 9, "9 distinct names"),
        (["origin", "tolerance"], "x", "expected a non-negative number"),
        (["more"], 1, "unknown field `more`"),
    ],
)
def test_what_makes_no_sense_is_refused(
    document: dict[str, Any], tmp_path: Path, place: list[str | int], value: object, message: str
) -> None:
    put(document, place, value)
    wrong = tmp_path / "wrong.json"
    wrong.write_text(json.dumps(document))
    with pytest.raises(lg.ParseError) as error:
        lg.read(wrong)
    assert message in str(error.value)
    assert str(error.value).startswith(str(wrong))


@given(st.integers(0, 2000), st.binary(max_size=3))
def test_damaged_files_raise_nothing_else(path: Path, start: int, junk: bytes) -> None:
    lg.write(lg.lift(lg.read_graph(EXAMPLE)), path)
    content = path.read_bytes()
    path.write_bytes(content[:start] + junk + content[start + 1 :])
    try:
        lg.read(path)
    except lg.LiftgraphError as error:
        assert str(path) in str(error)
