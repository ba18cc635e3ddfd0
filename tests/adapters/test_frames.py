"""Data frames hold factors and answers, and nothing is lost or made up on the way."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph import FactorGraph, FactorGraphBuilder, InputError
from tests.adapters.graphs import content, dyadic_graphs, with_ones
from tests.databases import cursor_of
from tests.strategies import factor_graphs

EXAMPLE = lg.datasets.epidemic()
BACKENDS = ("pandas", "polars", "pyarrow")


@settings(max_examples=40)
@given(dyadic_graphs(), st.sampled_from(BACKENDS))
def test_factors_come_back_as_they_were(graph: FactorGraph, backend: str) -> None:
    assume(graph.variable_count > 0)
    assert content(lg.from_frames(lg.to_frames(graph, backend))) == content(with_ones(graph))


@settings(max_examples=40)
@given(factor_graphs(evidence=False), st.sampled_from(BACKENDS))
def test_numerals_come_back_exactly(graph: FactorGraph, backend: str) -> None:
    back = lg.from_frames(lg.to_frames(graph, backend, exact=True, value="φ"), value="φ")
    assert content(back) == content(with_ones(graph))


@pytest.mark.parametrize("backend", BACKENDS)
def test_answers_as_frames_say_what_the_answers_say(backend: str) -> None:
    answer = EXAMPLE.query("Epid", "Sick.bob", exact=True)
    frame = nw.from_native(answer.to_frame(backend), eager_only=True)
    assert frame.columns == ["Epid", "Sick.bob", "probability", "exact"]
    for epidemic, sick, probability, exact in frame.iter_rows():
        assert probability == answer[epidemic, sick]
        assert Fraction(exact) == answer.exact[epidemic, sick]
    assert len(frame) == 4
    floats = nw.from_native(EXAMPLE.query("Epid").to_frame(backend), eager_only=True)
    assert floats.columns == ["Epid", "probability"]


@pytest.mark.parametrize("backend", BACKENDS)
def test_all_marginals_are_one_frame(backend: str) -> None:
    for exact in (False, True):
        answer = EXAMPLE.marginals(exact=exact)
        frame = nw.from_native(answer.to_frame(backend), eager_only=True)
        assert frame.columns == ["variable", "state", "probability", "exact"][: 3 + exact]
        rows = [(name, state) for name in answer for state in answer[name]]
        assert [row[:2] for row in frame.iter_rows()] == rows
        assert frame["probability"].to_list() == [answer[name][state] for name, state in rows]
        if exact:
            fractions = [answer[name].exact[state] for name, state in rows]
            assert [*map(Fraction, frame["exact"].to_list())] == fractions
    empty = FactorGraphBuilder().build().marginals()
    assert len(nw.from_native(empty.to_frame(backend), eager_only=True)) == 0


def test_columns_of_answers_do_not_hide_each_other() -> None:
    builder = FactorGraphBuilder()
    builder.add_variables(["probability", "exact"])
    graph = builder.build()
    assert "exact" in graph.query("exact").to_frame()
    for name, exact in (("probability", False), ("exact", True)):
        with pytest.raises(
            InputError, match=f"expected no variable with the name of the column {name}"
        ):
            graph.query(name, exact=exact).to_frame()
    with pytest.raises(InputError, match="expected no variable with the name of the column exact"):
        lg.to_frames(graph, value="exact")
    with pytest.raises(InputError, match="expected a backend of pandas, polars, pyarrow"):
        graph.query("exact").to_frame("cudf")


PRIOR: dict[str, list[Any]] = {"Epid": ["yes", "no"], "potential": [1, 9]}
SICK = {
    "Sick": [True, False, True, False],
    "Epid": ["no", "no", "yes", "yes"],
    "potential": ["0.2", "0.8", "0.6", "0.4"],
}


@pytest.mark.parametrize(
    "prior",
    [PRIOR, pd.DataFrame(PRIOR), pl.DataFrame(PRIOR), cursor_of(PRIOR)],
    ids=lambda prior: type(prior).__name__,
)
def test_models_are_written_as_tables_of_any_kind(prior: Any) -> None:
    graph = lg.from_frames([prior, SICK])
    assert graph.states(graph.variable("Epid")) == ("yes", "no")
    exact = graph.query("Epid", given={"Sick": True}, exact=True).exact
    assert exact["yes"] == Fraction(6, 6 + 9 * 2)


def test_states_may_be_given_and_are_in_that_order() -> None:
    graph = lg.from_frames(
        [PRIOR], states={"Other": 3, "Epid": ["no", "maybe", "yes"]}, missing="zero"
    )
    assert graph.names == ("Other", "Epid")
    assert graph.states(1) == ("no", "maybe", "yes")
    assert graph.query("Epid", exact=True).exact["maybe"] == 0


def test_potentials_beyond_floats_are_refused_or_written_as_text() -> None:
    builder = FactorGraphBuilder()
    builder.add_variable("A")
    builder.add_factor(["A"], ["3e400", 1])
    graph = builder.build()
    with pytest.raises(InputError, match=r"factor of A: expected potentials of .*e\+400$"):
        lg.to_frames(graph)
    assert lg.from_frames(lg.to_frames(graph, exact=True)) == graph


def test_tables_may_have_as_many_arguments_as_there_may_be() -> None:
    builder = FactorGraphBuilder()
    builder.add_variables(64, 1)
    builder.add_factor(range(64), [3])
    graph = builder.build()
    assert lg.from_frames(lg.to_frames(graph)) == graph


def test_floats_may_be_decimals() -> None:
    frame = pd.DataFrame({"A": [0, 1], "potential": [0.1, 0.9]})
    rows = {"A": [0, 1], "potential": list(np.array([0.1, 0.9], dtype=np.float32))}
    single = pd.DataFrame({"A": [0, 1], "potential": np.array([0.1, 0.9], dtype=np.float32)})
    for table in (frame, rows, single):
        exact = lg.from_frames([table], decimals=True).query("A", exact=True).exact
        assert exact == {"0": Fraction(1, 10), "1": Fraction(9, 10)}
        assert lg.from_frames([table]).tables[0].measured


@pytest.mark.parametrize(
    ("frames", "problem"),
    [
        ([{"A": [0, 1]}], "frame 0: expected a column potential of potentials, got A"),
        ([PRIOR, {"potential": [1, 2]}], "frame 1: expected one row for no variables, got more"),
        ([{"A": ["x", "x"], "potential": [1, 2]}], "frame 0: expected one row for A=x, got more"),
        ([{"A": ["x", None], "potential": [1, 2]}], "frame 0: column A: expected a state in every"),
        ([{"A": [0.5, 1], "potential": [1, 2]}], "frame 0: row 0: expected names or integers"),
        ([{"A": ["x"], "potential": [None]}], "frame 0: expected a non-negative number, got None"),
        ([{"A": ["x"], "potential": [-1]}], "frame 0: expected a non-negative number"),
        (
            [{"A": [0, 1], "B": [0, 1], "potential": [1, 2]}],
            r"frame 0: expected a row for A=0, B=1, got none \(missing='zero'",
        ),
        ([{"A": [], "potential": []}], "A: expected states, got none in any row"),
        (PRIOR, "expected a list of frames, one for each factor"),
        (pd.DataFrame(PRIOR), "expected a list of frames, one for each factor"),
        ([{"Epid": "yes", "potential": 1}], "expected a list of frames, one for each factor"),
        (7, "expected a list of frames, got 7"),
        ([7], "frame 0: expected a data frame"),
        (
            [{**{f"A{index}": [0, 1] for index in range(70)}, "potential": [1, 2]}],
            r"frame 0: expected at most 16,777,216 entries, got 1\.2e\+21",
        ),
    ],
)
def test_frames_that_make_no_sense_are_refused(frames: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        lg.from_frames(frames)


def test_unknown_states_and_options_are_refused() -> None:
    with pytest.raises(InputError, match=r"frame 0: column Epid: expected states of Epid \(a, b\)"):
        lg.from_frames([PRIOR], states={"Epid": ["a", "b"]})
    with pytest.raises(InputError, match="expected missing to be error or zero"):
        lg.from_frames([PRIOR], missing="ignore")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="models of data frames have no evidence"):
        lg.to_frames(EXAMPLE.given({"Epid": "true"}))
