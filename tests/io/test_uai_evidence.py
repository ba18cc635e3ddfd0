"""UAI evidence files in both layouts, there and back, and malformed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

import liftgraph as lg
from liftgraph.io import uai
from tests.strategies import factor_graphs


def two_variables() -> lg.FactorGraph:
    """Variable 0 has two states, variable 1 has three."""
    builder = lg.FactorGraphBuilder()
    builder.add_variable(states=2)
    builder.add_variable(states=3)
    return builder.build()


@pytest.mark.parametrize("text", ["2 0 1 1 2", "1\n2 0 1 1 2\n", "1 2 1 2 0 1 # comment"])
def test_evidence_in_both_layouts(tmp_path: Path, text: str) -> None:
    evidence = tmp_path / "model.uai.evid"
    evidence.write_text(text)
    assert uai.read_evidence(two_variables(), evidence).evidence == {0: 1, 1: 2}


@pytest.mark.parametrize("text", ["0", "1 0", "1\n0\n"])
def test_no_evidence_in_both_layouts(tmp_path: Path, text: str) -> None:
    evidence = tmp_path / "model.uai.evid"
    evidence.write_text(text)
    assert uai.read_evidence(two_variables(), evidence).evidence == {}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "expected the number of observed variables, got the end of the file"),
        ("2 0 1", "expected 2 observed variables with their states, got the end of the file"),
        ("1 0 1 1 2", "expected the end of the file, got 1"),
        ("1 7 0", "expected a variable below 2, got 7"),
        ("1 0 2", "expected a state of variable 0 below 2, got 2"),
        ("2 0 1 0 0", "expected variable 0 in state 1 again, got 0"),
        ("x", "expected a non-negative number, got 'x'"),
        ("2 1 0 1 1 0 1", "expected one sample of evidence, got 2"),
        ("2 1 0 1 1 0 1 9", "expected the end of the file, got 0"),
    ],
)
def test_malformed_evidence_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    evidence = tmp_path / "model.uai.evid"
    evidence.write_text(text)
    with pytest.raises(lg.ParseError, match=problem):
        uai.read_evidence(two_variables(), evidence)


@given(factor_graphs(named=False))
def test_written_evidence_reads_back(
    tmp_path_factory: pytest.TempPathFactory, graph: lg.FactorGraph
) -> None:
    path = tmp_path_factory.mktemp("uai") / "model.uai.evid"
    uai.write_evidence(graph, path)
    bare = graph.observing({})
    assert uai.read_evidence(bare, path) == graph
