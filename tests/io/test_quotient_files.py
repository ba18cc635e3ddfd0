"""Quotients in JSON files: nothing is lost, damage is refused, and errors name their place."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.symmetry.colours import contributions
from liftgraph.symmetry.colours.colouring import ALGORITHMS, Algorithm
from tests.inference.test_counts import graphs
from tests.strategies import factor_graphs, symmetric_graphs

algorithms = st.sampled_from(ALGORITHMS)


def quotient_of(graph: lg.FactorGraph, *arguments: Any) -> lg.Quotient:
    return lg.quotient(graph, lg.colour_passing(graph, *arguments))


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("quotients") / "quotient.json"


@given(
    st.one_of(symmetric_graphs(), factor_graphs()),
    algorithms,
    st.sampled_from([None, 0, "0.5"]),
    st.sampled_from(["", ".gz"]),
)
def test_what_is_written_reads_back_equal(
    path: Path, graph: lg.FactorGraph, algorithm: Algorithm, tolerance: object, suffix: str
) -> None:
    quotient = quotient_of(graph, algorithm, tolerance)
    lg.write_quotient(quotient, f"{path}{suffix}")
    again = lg.read_quotient(f"{path}{suffix}")
    assert again == quotient
    measured = [[potential.measured for potential in one.potentials] for one in (again, quotient)]
    assert measured[0] == measured[1]
    for name, array in vars(quotient).items():
        if hasattr(array, "dtype"):
            assert getattr(again, name).dtype == array.dtype


@given(graphs(), algorithms)
def test_count_factors_are_kept(path: Path, graph: lg.FactorGraph, algorithm: Algorithm) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contributions, "_FEW_ENTRIES", 0)
        quotient = quotient_of(graph, algorithm)
    lg.write_quotient(quotient, path)
    again = lg.read_quotient(path)
    assert again == quotient
    assert [*map(type, again.potentials)] == [*map(type, quotient.potentials)]


def test_groups_may_be_larger_than_any_graph(path: Path) -> None:
    quotient = quotient_of(lg.datasets.clique(3).ground())
    lg.write_quotient(quotient, path)
    document = json.loads(path.read_text())
    for entry in document["variables"] + document["factors"]:
        entry["size"] = 2**60
        if "scales" in entry:
            entry["scales"] = [["1/3", 2**59], ["2.5", 2**59]]
    path.write_text(json.dumps(document))
    again = lg.read_quotient(path)
    assert again.variable_count == 2**60
    assert again.scales[0] == ((Fraction(1, 3), 2**59), (Fraction(5, 2), 2**59))
    lg.write_quotient(again, path)
    assert lg.read_quotient(path) == again


@pytest.fixture
def document(path: Path) -> dict[str, Any]:
    graph = lg.datasets.epidemic().given({"Sick.alice": "true"})
    lg.write_quotient(quotient_of(graph), path)
    content: dict[str, Any] = json.loads(path.read_text())
    return content


def test_a_file_has_a_line_for_each_group(path: Path, document: dict[str, Any]) -> None:
    assert [entry["size"] for entry in document["variables"]] == [2, 1, 1, 2, 1, 1, 1]
    lines = path.read_text().splitlines()
    assert '  {"name":"Sick.alice","states":0,"size":1,"observed":"true"},' in lines
    assert '  {"arguments":[5,3,2],"table":2,"size":2,"scales":[["2",2]]},' in lines


def put(document: Any, place: list[str | int], value: object) -> None:
    for step in place[:-1]:
        document = document[step]
    document[place[-1]] = value


DAMAGE: list[tuple[list[str | int], object, str]] = [
    (["version"], 2, "expected liftgraph quotient 1, got liftgraph quotient 2"),
    (["format"], "other", "expected liftgraph quotient 1, got other"),
    (["format"], "liftgraph factor graph", "got liftgraph factor graph: lg.read reads it"),
    (["format"], 3, "Expected `str`, got `int` - at `$.format`"),
    (["algorithm"], "wl", "expected one of alpha-acp, acp, cp, got wl - at `$.algorithm`"),
    (["tolerance"], "1", "expected a tolerance below 1, got 1 - at `$.tolerance`"),
    (["tolerance"], "-1", "expected a non-negative number, got '-1' - at `$.tolerance`"),
    (["tolerance"], 0.5, "Expected `str`, got `float` - at `$.tolerance`"),
    (["states", 0], [], "distinct states or their number, got [] - at `$.states[0]`"),
    (["states"], [["true", "false"]] * 2, "expected other states, got ('true', 'false') again"),
    (["states"], [], "expected states below 0, got 0 - at `$.variables[0]`"),
    (["states"], [["a", "b"]], "expected a state of Sick.alice (a, b), got true"),
    (["states"], [["true", "false", "x"]], "expected a table of shape (3,), got (2,)"),
    (["variables", 0, "name"], "", "expected a name, got '' - at `$.variables[0]`"),
    (["variables", 0, "name"], "Epid", "got Epid again - at `$.variables[5]`"),
    (["variables", 1, "states"], -1, "expected states below 1, got -1 - at `$.variables[1]`"),
    (["variables", 1, "size"], 0, "expected a size from 1 to 2^63 - 1, got 0"),
    (
        ["variables", 1, "size"],
        2**63,
        "expected a size from 1 to 2^63 - 1, got 9223372036854775808",
    ),
    (["variables", 1, "size"], 1.5, "Expected `int`, got `float` - at `$.variables[1].size`"),
    (
        ["variables", 1, "size"],
        2**63 - 1,
        "expected fewer than 2^63 variables, got more - at `$.variables`",
    ),
    (["variables", 1, "size"], 3, "1 × 1 for 3 variables - at `$.factors[0]`"),
    (["variables", 2, "observed"], "maybe", "expected a state of Sick.alice (true, false), got ma"),
    (["variables", 2, "seen"], "true", "Object contains unknown field `seen`"),
    (["variables"], [], "expected a group of variables below 0, got 1 - at `$.factors[0]`"),
    (["tables", 0, "values"], [1], "at `$.tables[0]`"),
    (["tables", 0], {"shape": [3], "values": [1, 2, 3]}, "a table of shape (2,), got (3,)"),
    (["tables"], [], "expected a table below 0, got 0 - at `$.factors[0]`"),
    (["factors", 2, "table"], 4, "expected a table below 4, got 4 - at `$.factors[2]`"),
    (["factors", 2, "table"], 0, "expected a table of shape (2, 2, 2), got (2,)"),
    (["factors", 2, "arguments"], [5, 0, 7], "expected a group of variables below 7, got 7"),
    (["factors", 2, "arguments"], [5, -1, 6], "expected a group of variables below 7, got -1"),
    (["factors", 2, "arguments"], [5, 0], "expected a table of shape (2, 2), got (2, 2, 2)"),
    (["factors", 2, "arguments"], [5, 5, 5], "expected at most 1 arguments of group 5, got 3"),
    (["factors", 3, "arguments"], [0, 5, 6], "each variable of group 0 equally often, got 1 × 1"),
    (["factors", 2, "size"], -2, "expected a size from 1 to 2^63 - 1, got -2 - at `$.factors[2]`"),
    (["factors", 2, "size"], 3, "3 × 1 for 2 variables - at `$.factors[2]`"),
    (["factors", 2, "size"], 4, "expected scales of 4 factors, got 2 - at `$.factors[2]`"),
    (["factors", 2, "scales"], [], "expected scales of 2 factors, got 0"),
    (["factors", 2, "scales"], [["1", 1]], "expected scales of 2 factors, got 1"),
    (["factors", 2, "scales"], [["1", 1], ["1.0", 1]], "positive scales, each once, increasing"),
    (["factors", 2, "scales"], [["2", 1], ["1", 1]], "positive scales, each once, increasing"),
    (["factors", 2, "scales"], [["0", 2]], "positive scales, each once, increasing"),
    (["factors", 2, "scales"], [["-1", 2]], "expected a non-negative number, got '-1'"),
    (["factors", 2, "scales"], [["1", 3], ["2", -1]], "expected a size from 1 to 2^63 - 1, got -1"),
    (["factors", 2, "scales"], [["1"]], "at `$.factors[2].scales[0]`"),
]


@pytest.mark.parametrize(("place", "value", "message"), DAMAGE)
def test_damaged_documents_are_refused(
    path: Path, document: dict[str, Any], place: list[str | int], value: object, message: str
) -> None:
    put(document, place, value)
    path.write_text(json.dumps(document))
    with pytest.raises(lg.ParseError) as error:
        lg.read_quotient(path)
    assert message in str(error.value)
    assert str(error.value).startswith(f"{path}: ")
    assert "\n" not in str(error.value)


def test_too_many_edges_are_refused(path: Path, document: dict[str, Any]) -> None:
    document["variables"][0]["size"] = document["factors"][2]["size"] = 2**62
    document["factors"][2]["scales"] = [["1", 2**62]]
    path.write_text(json.dumps(document))
    with pytest.raises(
        lg.ParseError, match=r"fewer than 2\^63 arguments, got more - at `\$\.factors`"
    ):
        lg.read_quotient(path)


def fields(document: Any, place: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The places of everything in a document."""
    if isinstance(document, dict | list):
        pairs = document.items() if isinstance(document, dict) else enumerate(document)
        for step, value in pairs:
            yield (*place, step)
            yield from fields(value, (*place, step))


@pytest.mark.parametrize("value", [None, -1, 10**30, "x", [], {}, [[]], "9" * 5000])
def test_whatever_is_damaged_raises_nothing_else(
    path: Path, document: dict[str, Any], value: object
) -> None:
    text = json.dumps(document)
    for place in fields(document):
        wrong = json.loads(text)
        put(wrong, [*place], value)
        path.write_text(json.dumps(wrong))
        try:
            lg.read_quotient(path)
        except lg.InputError as error:
            assert len(str(error).splitlines()) == 1
    for place in fields(document):
        if isinstance(place[-1], str):
            wrong = json.loads(text)
            inner = wrong
            for step in place[:-1]:
                inner = inner[step]
            del inner[place[-1]]
            path.write_text(json.dumps(wrong))
            if place[-1] != "observed":
                with pytest.raises(lg.ParseError):
                    lg.read_quotient(path)


@given(st.binary(max_size=40), st.integers(0, 1500), st.booleans())
def test_truncated_and_overwritten_files_raise_nothing_else(
    path: Path, junk: bytes, start: int, truncated: bool
) -> None:
    lg.write_quotient(quotient_of(lg.datasets.epidemic()), path)
    content = path.read_bytes()
    start = min(start, len(content) - 4)
    path.write_bytes(content[:start] + (b"" if truncated else junk + content[start + len(junk) :]))
    try:
        lg.read_quotient(path)
        assert not truncated
    except lg.InputError as error:
        assert len(str(error).splitlines()) == 1


def test_each_reader_names_the_other(tmp_path: Path) -> None:
    graph = lg.datasets.epidemic()
    lg.write_quotient(quotient_of(graph), tmp_path / "quotient.json")
    expected = "got liftgraph quotient: lg.read_quotient reads it"
    for read in (lg.read, lg.read_graph):
        with pytest.raises(lg.ParseError, match=expected):
            read(tmp_path / "quotient.json")
    for model in (graph, lg.lift(graph)):
        lg.write(model, tmp_path / "model.json")
        with pytest.raises(
            lg.ParseError, match=r"expected liftgraph quotient 1.*lg\.read reads it"
        ):
            lg.read_quotient(tmp_path / "model.json")


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    quotient = quotient_of(lg.datasets.epidemic())
    with pytest.raises(lg.InputError, match=r"q\.uai: expected a name ending in \.json or"):
        lg.write_quotient(quotient, tmp_path / "q.uai")
    with pytest.raises(lg.InputError, match="expected a name ending in"):
        lg.read_quotient("q.bif.gz")
    with pytest.raises(lg.InputError, match="expected the name of a file, got 3"):
        lg.read_quotient(3)  # type: ignore[arg-type]
    with pytest.raises(lg.InputError, match="expected a quotient to write, got 3"):
        lg.write_quotient(3, tmp_path / "q.json")  # type: ignore[arg-type]
    with pytest.raises(lg.InputError, match="cannot be read"):
        lg.read_quotient(tmp_path / "nowhere.json")
    assert list(tmp_path.iterdir()) == []


def test_reading_takes_no_more_memory_than_is_allowed(path: Path) -> None:
    graph = lg.datasets.grid(30, 30)
    lg.write_quotient(quotient_of(graph, "cp"), path)
    tracemalloc.start()
    try:
        lg.read_quotient(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    with pytest.raises(lg.MemoryLimitError, match="the limit is"):
        lg.read_quotient(path, memory_limit=int(0.95 * peak))
    lg.read_quotient(path, memory_limit=8 * peak)
