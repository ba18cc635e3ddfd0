"""Texts of parfactors and tables: the same alone as in a model, and of six digits."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given

import liftgraph as lg
from tests.strategies import tables

P, Q = lg.LogVar("P", ["alice", "bob", "carol"]), lg.LogVar("Q", 1_000_000)
R = lg.LogVar("R", P)
SICK, EPIDEMIC = lg.prv("Sick", P), lg.prv("Epid", states=["no", "yes", "over"])
FRIENDS = lg.prv("Friends", P, R, where=lg.different(P, R))
COUNTING = lg.parfactor([lg.crv(SICK, P), EPIDEMIC], range(12))
PAIRS = lg.parfactor([FRIENDS, SICK(P), SICK(R)], range(8), where=lg.different(P, R))


@pytest.mark.parametrize("parfactor", [COUNTING, PAIRS])
def test_what_stands_alone_is_written_as_in_its_model(parfactor: lg.Parfactor) -> None:
    model = lg.ParfactorGraph.of([parfactor])
    lines = [line.strip() for line in str(model).splitlines()]
    assert str(parfactor).replace("φ", "φ1", 1) in lines
    for part in (*model.prvs, *model.domains):
        assert str(part) in lines


def test_arguments_and_logvars_are_written_as_in_papers() -> None:
    assert [*map(str, COUNTING.arguments)] == ["#P[Sick(P)]", "Epid"]
    assert [*map(str, PAIRS.constraints)] == ["P ≠ R"]
    assert str(P) == "P ∈ {alice, bob, carol}"
    assert [*map(str, lg.unordered(P, R))] == ["P < R"]


def test_large_things_are_short() -> None:
    table = lg.Table.of(list(range(1, 5000)))
    names = lg.Domain("X", 10**5, tuple(map(str, range(10**5))))
    for part in (Q, Q.domain, names, lg.prv("Many", states=2000), lg.parfactor([], [1])):
        assert max(len(repr(part)), len(str(part))) < 120
        assert "\n" not in repr(part)
    assert str(table).splitlines()[-1] == "… and 4,959 more"
    assert len(repr(table)) < 120


@given(tables())
def test_the_text_of_a_table_has_six_digits_of_its_numbers_or_all(table: lg.Table) -> None:
    lines = str(table).splitlines()[1:]
    for line, states in zip(lines, product(*map(range, table.shape)), strict=False):
        if not line.startswith("…"):
            *assignment, potential = line.split()
            assert [*map(int, assignment)] == [*states]
            exact = table.potential(states)
            written = Fraction(potential.removeprefix("≈"))
            assert abs(written - exact) <= exact / 10**5 / 2
            short = exact.denominator == 1 and exact < 10**15 and not table.measured
            assert written == exact or not short
            assert len(potential) <= 15
    assert len(lines) == min(table.integers.size, 41)


def test_html_has_a_row_for_each_assignment_and_escapes_names() -> None:
    html = lg.Table.of([1, 2]).entries(["<A>"], [["x&y", "no"]])._repr_html_()
    assert "<A>" not in html
    assert "&lt;A&gt;" in html
    assert "x&amp;y" in html
    rows = re.findall("<tr>", COUNTING._repr_html_() or "")
    assert len(rows) == 1 + 12


def test_names_for_another_shape_are_refused() -> None:
    with pytest.raises(lg.InputError, match="expected 1 arguments, got 2"):
        lg.Table.of([1, 2]).entries(["A", "B"])
    with pytest.raises(lg.InputError, match="expected values for shape 2, got 3"):
        lg.Table.of([1, 2]).entries(["A"], [["a", "b", "c"]])


def test_numbers_that_python_does_not_print_have_a_text() -> None:
    scaled = lg.Table(lg.Table.of([1, 2]).integers, Fraction(1, 3**9500))
    assert [line.split()[1][0] for line in str(scaled).splitlines()[1:]] == ["≈", "≈"]


def test_no_name_begins_a_line_or_steers_a_terminal() -> None:
    name, state = "A\n  B ∈ {x}", "yes\n  no  1"
    builder = lg.FactorGraphBuilder()
    for extra in ("", "\x1b[2J"):
        builder.add_variable(name + extra, [state, "\r" + extra + "z"])
    builder.add_factor([name], ["1/2", "1/2"])
    builder.add_factor([name, name + "\x1b[2J"], ["1/2", "1/2", 0, 1])
    graph = builder.build()
    model = graph.lift()
    parts = [graph, model, graph[name], model[name], graph.factors, model.factors, graph.variables]
    parts += [graph.factors[1], model.factors[1], graph.cpd(name + "\x1b[2J"), model.variables]
    parts += [graph.query(name), graph.mpe(), model.mpe(), graph.given({name: state})]
    for part in parts:
        for line in [*str(part).split("\n"), *repr(part).split("\n")]:
            assert line.isprintable()
            assert line.split() not in (["B", "∈", "{x}"], ["no", "1"])
