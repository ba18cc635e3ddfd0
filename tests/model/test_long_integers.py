"""Domains and answers of more digits than Python prints: shown by their magnitude, or refused."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import liftgraph
from liftgraph import InputError, LiftgraphError, LogVar, ParfactorGraph, parfactor, prv, unordered

HUGE = 10**5000  # Python prints up to 4300 digits


@pytest.fixture(autouse=True)
def _usual_limit() -> Iterator[None]:
    """As in a process that does nothing but import the library."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(sys.int_info.default_max_str_digits)
    yield
    sys.set_int_max_str_digits(before)


def _pairs_of_many() -> ParfactorGraph:
    """Two logvars whose domains Python prints, and whose pairs are too many for that."""
    X, Y = LogVar("X", 10**3000), LogVar("Y", 10**3000)
    return ParfactorGraph.of([parfactor([prv("Sick", X, Y), prv("Epid")], [3, 1, 1, 5])])


@pytest.mark.parametrize("show", [repr, str, ParfactorGraph.summary])
def test_counts_beyond_what_python_prints_are_shown(show: Callable[[ParfactorGraph], str]) -> None:
    assert "e+" in show(_pairs_of_many())


@pytest.mark.parametrize(
    "ask",
    [
        ParfactorGraph.partition,
        ParfactorGraph.marginals,
        ParfactorGraph.mpe,
        liftgraph.to_frames,
        ParfactorGraph.ground,
        lambda model: model.query(HUGE),
        lambda model: model.query("Epid", given={"Epid": HUGE}),
        lambda model: model.name((0, (HUGE, 0))),
        lambda model: model.partition(memory_limit=-HUGE),
    ],
)
def test_what_such_a_model_does_not_answer_is_refused(ask: Callable[[Any], object]) -> None:
    with pytest.raises(LiftgraphError):
        ask(_pairs_of_many())


def test_pairs_of_a_domain_beyond_all_floats_are_refused() -> None:
    X = LogVar("X", 10**3000)
    sick, Y = prv("Sick", X), LogVar("Y", X)
    clique = parfactor([sick(X), sick(Y)], [3, 1, 1, 5], where=unordered(X, Y))
    with pytest.raises(LiftgraphError):
        ParfactorGraph.of([clique]).partition()


@pytest.mark.parametrize(
    "make",
    [
        lambda: LogVar("X", HUGE),
        lambda: LogVar("X", -HUGE),
        lambda: prv("Sick", states=HUGE),
        lambda: parfactor([prv("Sick")], [HUGE, 1]),
        lambda: parfactor([prv("Sick")], [-HUGE, 1]),
        lambda: liftgraph.Table.of([1, 2], shape=(HUGE,)),
        lambda: liftgraph.datasets.epid(-HUGE),
    ],
)
def test_integers_that_nobody_prints_are_refused(make: Callable[[], object]) -> None:
    with pytest.raises(InputError):
        make()


@pytest.mark.parametrize("place", ["size", "shape", "version", "times"])
def test_long_integers_in_files_are_refused(place: str, tmp_path: Path) -> None:
    X, path = LogVar("X", 3), tmp_path / "model.json"
    liftgraph.write(ParfactorGraph.of([parfactor([prv("Sick", X)], [3, 1])]), path)
    document = json.loads(path.read_text())
    mark = 123456789
    match place:
        case "size":
            document["domains"][0]["size"] = mark
        case "shape":
            document["parfactors"][0]["table"]["shape"] = [mark]
        case "times":
            document["parfactors"][0]["scales"] = [["2", mark]]
        case _:
            document["version"] = mark
    path.write_text(json.dumps(document).replace(str(mark), "9" * 5000))
    with pytest.raises(InputError):
        liftgraph.read(path)
