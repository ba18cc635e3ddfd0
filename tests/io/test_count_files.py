"""Count factors and noisy-ORs in files: kept in JSON, tables elsewhere, refused where too large."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

import liftgraph as lg
from tests.inference.test_counts import graphs


@given(graphs())
def test_json_keeps_them(tmp_path_factory: pytest.TempPathFactory, graph: lg.FactorGraph) -> None:
    path = tmp_path_factory.mktemp("counts") / "model.json"
    lg.write(graph, path)
    read = lg.read_graph(path)
    assert read == graph
    assert [*map(type, read.potentials)] == [*map(type, graph.potentials)]


@given(graphs())
def test_other_formats_have_tables(
    tmp_path_factory: pytest.TempPathFactory, graph: lg.FactorGraph
) -> None:
    path = tmp_path_factory.mktemp("counts") / "model.uai"
    bare = graph.observing({})
    lg.write(bare, path)
    read = lg.read_graph(path)
    for factor in range(graph.factor_count):
        scope, table = bare.factors[factor].parts
        assert read.factors[factor].scope == scope
        assert read.factors[factor].table.shape == table.shape


def wide(tmp_path: Path) -> Path:
    builder = lg.FactorGraphBuilder()
    people = builder.add_variables(10_000)
    child = builder.add_variable("Child")
    builder.add_count_factor(people, lg.at_least(3))
    builder.add_noisy_or(child, dict.fromkeys(people, "0.1"), "0.01")
    path = tmp_path / "wide.json"
    lg.write(builder.build(), path)
    return path


def test_ten_thousand_arguments(tmp_path: Path) -> None:
    graph = lg.read_graph(wide(tmp_path))
    assert graph.factor_count == 2
    with pytest.raises(lg.MemoryLimitError, match=r"over 10,00[01] variables would need a table"):
        lg.write(graph, tmp_path / "wide.uai")
    with pytest.raises(lg.MemoryLimitError, match="the limit is"):
        lg.read_graph(tmp_path / "wide.json", memory_limit=300_000)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"addends": [[[1, 0], 3]]}, "expected weights of 4 sums"),
        ({"addends": [[[1, -1], 2]]}, "expected numbers from 0 on"),
        ({"addends": [[[], 2]]}, "expected numbers from 0 on"),
        ({"addends": [[[1, 0], 0]]}, "expected numbers from 0 on"),
        ({"addends": [[[1, 0], 2]], "causes": [{"shape": [2], "values": [1, 2]}]}, "got both"),
        ({"ranks": [0, 1]}, "expected a rank from 0 on"),
        ({"causes": [{"shape": [2], "values": [1, 2]}], "ranks": [0, 1, 2]}, "of 3 effects"),
        ({"causes": [{"shape": [2], "values": [1, 2], "ranks": [1]}], "ranks": [0]}, "plain table"),
    ],
)
def test_damaged_files_are_refused(tmp_path: Path, change: dict[str, Any], problem: str) -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(2)
    builder.add_count_factor([0, 1], [1, 2, 3])
    path = tmp_path / "model.json"
    lg.write(builder.build(), path)
    document = json.loads(path.read_text())
    del document["tables"][0]["addends"]
    document["tables"][0] |= change
    path.write_text(json.dumps(document))
    with pytest.raises(lg.ParseError, match=problem):
        lg.read(path)


def test_parfactors_have_plain_tables(tmp_path: Path) -> None:
    sick = lg.prv("Sick", lg.LogVar("P", 2))
    path = tmp_path / "model.json"
    lg.write(lg.ParfactorGraph.of([lg.parfactor([sick], [1, 2])]), path)
    document = json.loads(path.read_text())
    document["parfactors"][0]["table"]["addends"] = [[[1, 0], 1]]
    path.write_text(json.dumps(document))
    with pytest.raises(lg.ParseError, match="expected a plain table"):
        lg.read(path)
