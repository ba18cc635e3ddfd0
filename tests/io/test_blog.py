"""BLOG files: what the syntax means, what it keeps, and where it goes wrong."""

from __future__ import annotations

import re
from dataclasses import replace
from math import log, prod
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.io import write_what_fits
from tests.relational import families, relational_models, shuffled

TEXT = """
// people, their health and whom they know
type Person;
guaranteed Person alice, bob, "Mr. X";
type Level;
guaranteed Level low, mid, high;
type Medication;
guaranteed Medication m[2];
random Level Epid;
random Boolean Sick(Person);
random Boolean Knows(Person X, Person Y) : X != Y;
random Boolean Treat(Person, Medication);
factor MultiArrayPotential[[1, 9, 0.5]] (Epid);
parfactor Person X . MultiArrayPotential[[3, 1, 1, 5, 2, 2]] (Sick(X), Epid);
parfactor Person X, Person Y : X != Y .
    MultiArrayPotential[[1, 2, 3, 4, 5, 6, 7, 1/3]] (Knows(X, Y), Sick(X), Sick(Y));
parfactor Person X, Medication M .  /* how many of them */
    MultiArrayPotential[[1, 2, 3, 4, 5, 6]] (Sick(X), #M[Treat(X, M)]);
obs Epid = high;
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("blog") / "model.blog"


def test_the_syntax(path: Path) -> None:
    path.write_text(TEXT)
    model = lg.read(path)
    assert isinstance(model, lg.ParfactorGraph)
    P = lg.LogVar("Person", ["alice", "bob", "Mr. X"]).domain
    X, Y = lg.LogVar("X", P), lg.LogVar("Y", P)
    kinds = lg.LogVar("Medication", ["m1", "m2"]).domain
    M, N = lg.LogVar("M", kinds), lg.LogVar("Medication", kinds)
    unobserved = lg.prv("Epid", states=["low", "mid", "high"])
    epidemic = replace(unobserved, observed=2)
    sick = lg.prv("Sick", lg.LogVar("Person", P))
    knows = lg.prv("Knows", X, Y, where=lg.different(X, Y))
    treat = lg.prv("Treat", lg.LogVar("Person", P), N)
    counted = lg.crv(treat(X, M), M)
    expected = lg.ParfactorGraph.of(
        [
            lg.parfactor([epidemic], ["1", "9", "0.5"]),
            lg.parfactor([sick(X), epidemic], [3, 1, 1, 5, 2, 2]),
            lg.parfactor(
                [knows, sick(X), sick(Y)], [1, 2, 3, 4, 5, 6, 7, "1/3"], lg.different(X, Y)
            ),
            lg.parfactor([sick(X), counted], [1, 2, 3, 4, 5, 6]),
        ]
    )
    assert model == expected
    assert "Sick.Mr. X" in (model.ground().names or ())


@given(relational_models())
def test_models_are_kept_exactly(path: Path, model: lg.ParfactorGraph) -> None:
    lg.write(model, path)
    again = lg.read(path)
    assert isinstance(again, lg.ParfactorGraph)
    assert again.parfactors == model.parfactors
    assert again.prvs == model.prvs


def test_families_are_kept_exactly(path: Path) -> None:
    for _, model in families(5):
        lg.write(model, path)
        assert lg.read(path) == model


@given(st.data())
def test_lifted_models_keep_their_product(path: Path, data: st.DataObject) -> None:
    model = lg.lift(data.draw(shuffled(data.draw(relational_models()).ground())))
    if not (model.prvs or model.parfactors):
        with pytest.raises(lg.InputError, match="got an empty model"):
            lg.write(model, path)
        return
    lg.write(model, path)
    again = lg.read(path)
    assert isinstance(again, lg.ParfactorGraph)
    assert prod(parfactor.total_scale for parfactor in again.parfactors) == prod(
        parfactor.total_scale for parfactor in model.parfactors
    )
    kept = again.parfactors[: len(model.parfactors)]
    assert [replace(parfactor, scales=()) for parfactor in model.parfactors] == list(kept)


def _log_odds(marginal: lg.Marginal) -> float:
    first, second = marginal.probabilities
    return log(first / second)


def test_a_note_says_how_much_answers_change_within_a_tolerance(path: Path) -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(["A", "B"])
    builder.add_factor(["A"], [100, 50])
    builder.add_factor(["B"], [101, 50])
    graph = builder.build()
    model = lg.lift(graph, tolerance=0.05)
    notes = write_what_fits(model, path)
    said = [re.search(r"no log odds change by more than ([\d.e-]+)$", note) for note in notes]
    (bound,) = [float(found[1]) for found in said if found]
    again = lg.read(path)
    assert isinstance(again, lg.ParfactorGraph)
    written = [again.name(again.locate(number)) for number in range(2)]
    changes = [
        abs(_log_odds(again.query(new)) - _log_odds(graph.query(old)))
        for new, old in zip(written, "AB", strict=True)
    ]
    assert 0 < max(changes) <= bound * 1.01 < 0.1  # the note has two digits


@pytest.mark.parametrize(
    "name", ["[", ")", "]", "Boolean", "random", "X", "", "a b", '"', "\\", "é"]
)
def test_names_are_kept_whatever_they_are(path: Path, name: str) -> None:
    called = name or "."
    X = lg.LogVar(called, [called, "other"])
    S, R = lg.prv(called, X, states=[called, "no"]), lg.prv("R")
    model = lg.ParfactorGraph.of([lg.parfactor([S, R], range(4))])
    lg.write(model, path)
    assert lg.read(path) == model


def test_observations_of_all_individuals(path: Path) -> None:
    path.write_text(TEXT + "obs Sick(X) = true; obs Knows(A, B) = false;")
    model = lg.read(path)
    assert [prv.observed for prv in model.prvs if prv.name in ("Sick", "Knows")] == [0, 1]  # type: ignore[union-attr]
    for wrong in ("Knows(A, A)", "Knows(A)", "Sick", "Epid(X)"):
        path.write_text(f"{TEXT}obs {wrong} = true;")
        with pytest.raises(lg.ParseError, match="expected"):
            lg.read(path)


def test_large_domains_without_names(path: Path) -> None:
    X = lg.LogVar("X", 10**12)
    model = lg.ParfactorGraph.of([lg.parfactor([lg.prv("S", X)], [1, 2])])
    lg.write(model, path)
    assert lg.read(path) == model


def test_a_graph_is_to_be_lifted_first(path: Path) -> None:
    with pytest.raises(lg.InputError, match="expected a lifted model"):
        lg.write(lg.datasets.epidemic(), path)


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("type Level;", "type Person;", 5, "expected a new type, got Person again"),
        ("type Level;", "kind Level;", 5, "expected type or guaranteed or random"),
        ("type Level;", "type Level", 6, "expected ;, got guaranteed"),
        ("m[2]", "m[0]", 8, "expected a number of individuals from 1 to 10,000,000, got 0"),
        ("m[2]", "m[2", 8, "expected ], got ;"),
        ("m[2]", "m[1.5]", 8, "expected a number of individuals"),
        ("low, mid", "low, low", 6, "expected distinct individuals"),
        ("guaranteed Level", "guaranteed Height", 6, "expected a type, got Height"),
        ("random Level Epid", "random Height Epid", 9, "expected Boolean or a type"),
        ("Sick(Person)", "Epid(Person)", 10, "expected a new random variable, got Epid again"),
        ("Sick(Person)", "Sick(People)", 10, "expected a type with individuals, got People"),
        (": X != Y;", ": X > Y;", 11, "expected a word, got '> Y;"),
        (": X != Y;", ": X != Z;", 11, "expected a logvar, got Z"),
        (": X != Y;", ": X != alice;", 11, "by name are not supported here), got alice"),
        ("[[1, 9, 0.5]]", "[[1, 9]]", 13, "expected a table of shape (3,), got (2,)"),
        ("[[1, 9, 0.5]]", "[[1, -9, 0.5]]", 13, "expected a potential, got -"),
        ("[[1, 9, 0.5]]", "[[1, 9/0, 0.5]]", 13, "expected a non-negative number"),
        ("(Sick(X), Epid)", "(Sick(Y), Epid)", 14, "a logvar or an individual of Person, got Y"),
        ("(Sick(X), Epid)", "(Sick(X), Epidemic)", 14, "expected a random variable, got Epidemic"),
        ("(Sick(X), Epid)", "(Sick, Epid)", 14, "Sick: expected logvars over its domains"),
        ("Y : X != Y .\n", "Y .\n", 15, "expected Sick of different individuals only"),
        ("obs Epid = high;", "obs Epid = huge;", 19, "expected a state, got huge"),
        ("obs Epid = high;", "obs Sick(carol, X) = true;", 19, "expected 1 different logvars"),
        ("obs Epid = high;", "obs Knows(alice, X) = true;", 19, "2 individuals of Knows, or log"),
        ("obs Epid = high;", "obs Knows(bob, bob) = true;", 19, "expected a variable of Knows"),
        ("obs Epid = high;", "obs Sick(bob) = true; obs Sick(bob) = false;", 19, "one state for"),
        ("obs Epid = high;", "obs Sick(bob) = true; obs Sick(X) = false;", 19, "one state for"),
        ("obs Epid = high;", "obs Sick(X) = true; obs Sick(bob) = false;", 19, "one state for"),
        ("obs Epid = high;", "query Sick(bob) = true;", 19, "expected ;, got ="),
        ("obs Epid = high;", "query Sicker(bob);", 19, "expected a random variable, got Sicker"),
        (
            "Person X . Multi",
            "Person X : X != dave . Multi",
            14,
            "an individual of Person, got dave",
        ),
        ("Person X . Multi", "Person X : bob != alice . Multi", 14, "not supported here), got bob"),
        ("Person X . Multi", "Person X : X != bob & X < X . Multi", 14, "no unordered sets"),
        ("(Sick(X), Epid)", "(Sick(alice, X), Epid)", 14, "Sick: expected 1 logvars or"),
        ("(Sick(X), Epid)", "(Sick(low), Epid)", 14, "an individual of Person, got low"),
        ("#M[Treat(X, M)]", "#(Person X)[Treat(X, m1)]", 17, "expected different logvars, got X"),
        ("obs Epid = high;", "obs Epid = high; obs Epid = low;", 19, "expected one state for Epid"),
        ("obs Epid = high;", 'obs "Epid = high;', 19, "expected a word"),
        ("obs Epid = high;", "obs Epid = high", 20, "expected ;, got the end of the file"),
    ],
)
def test_errors_name_the_line(path: Path, old: str, new: str, line: int, message: str) -> None:
    assert TEXT.count(old) == 1
    path.write_text(TEXT.replace(old, new))
    with pytest.raises(lg.ParseError) as error:
        lg.read(path)
    assert str(error.value).startswith(f"{path}:{line}: ")
    assert message in str(error.value)


@pytest.mark.parametrize("content", [b"", b"// nothing\n", b"\xff", b"type P;", b"\x00"])
def test_files_without_a_model(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(lg.ParseError):
        lg.read(path)


@given(st.integers(0, len(TEXT)), st.text(max_size=3))
def test_damaged_files_raise_nothing_else(path: Path, start: int, junk: str) -> None:
    path.write_text(TEXT[:start] + junk + TEXT[start + 1 :], errors="replace")
    try:
        lg.read(path)
    except lg.LiftgraphError as error:
        assert str(path) in str(error)
