"""Samples as objects: frames, relations, texts."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Callable
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import liftgraph as lg
from liftgraph import different
from liftgraph.datasets import epid

X = lg.LogVar("X", ["ann", "b.o", "cleo"])
Y = lg.LogVar("Y", X)
SICK, FRIENDS = lg.prv("Sick", X), lg.prv("Friends", X, Y, where=different(X, Y))
MODEL = lg.ParfactorGraph.of(
    [lg.parfactor([FRIENDS, SICK, SICK(Y)], [1, 2, 3, 4, 5, 6, 7, 8], different(X, Y))]
)


def test_frames_have_a_row_for_each_sample() -> None:
    sample = epid(3).sample(7, seed=1)
    for backend, kind in (
        ("pandas", pd.DataFrame),
        ("polars", pl.DataFrame),
        ("pyarrow", pa.Table),
    ):
        frame = sample.to_frame(backend)
        assert isinstance(frame, kind)
        for name in sample.names:
            assert tuple(map(str, [*frame[name]])) == sample.column(name)
    for variable, name in enumerate(sample.names):
        assert sample.column(variable) == sample.column(name)


@pytest.mark.parametrize("method", ["ground", "lifted"])
def test_relations_say_the_same_as_columns(method: str) -> None:
    sample = MODEL.sample(4, seed=2, method=method)
    friends = sample.table("Friends")
    assert list(friends.columns) == ["sample", "X", "Y", "Friends"]
    assert len(friends) == 4 * 6
    for index, one, other, state in friends.itertuples(index=False):
        assert sample.column(f"Friends.{one}.{other}")[index] == state
    assert sample.tables().keys() == {"Friends", "Sick"}
    single = MODEL.sample(seed=2, method=method).table("Sick", "polars")
    assert single.columns == ["X", "Sick"]
    assert single["X"].to_list() == ["ann", "b.o", "cleo"]


def test_columns_have_different_names() -> None:
    people = lg.LogVar("sample", 2)
    same = lg.prv("Likes", people, lg.LogVar("Likes", people), states=("a", "b"))
    model = lg.ParfactorGraph.of([lg.parfactor([same], [1, 2])])
    assert list(model.sample(2).table("Likes").columns) == ["sample", "sample'", "Likes'", "Likes"]


def test_tables_of_a_graph_have_no_individuals() -> None:
    graph = epid(2).ground()
    sample = graph.sample(3, seed=1)
    assert sample.tables().keys() == set(graph.variables)
    assert list(sample.table("Epid").columns) == ["sample", "Epid"]
    assert sum(count.sum() for count in sample.counts("Epid").values()) == 3
    assert graph.lift().sample(3, seed=1).tables().keys() < sample.tables().keys() | {
        prv.name for prv in graph.lift().prvs
    }


def test_texts_show_shares() -> None:
    sample = MODEL.sample(50, seed=3)
    true, false = (100 * count.sum() / 150 for count in sample.counts("Sick").values())
    lines = repr(sample).splitlines()
    assert lines[0] == "50 samples of 9 variables, seed 3"
    assert f"  Sick(X)        true {true:.1f}%, false {false:.1f}%" in lines
    assert "  Friends(X, Y)  6 variables, drawn when read" in lines
    many = lg.datasets.grid(5, 5).sample(2, seed=1)
    assert repr(many).splitlines()[-1].split() == ["…", "5", "more"]


def test_views_escape_names() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variable("<b>", ["<i>", "j"])
    builder.add_factor(["<b>"], [1, 0])
    view = builder.build().sample(2, seed=1)._repr_html_()
    assert "&lt;b&gt;" in view
    assert "&lt;i&gt; 100.0%" in view
    assert "<b>" not in view


def test_samples_do_not_change() -> None:
    sample = epid(3).sample(5, seed=1)
    with pytest.raises(ValueError, match="read-only"):
        sample.states[0, 0] = 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        sample.count = 3  # type: ignore[misc]
    counts = sample.counts("Sick")["true"]
    counts[:] = 0
    assert sample.counts("Sick")["true"].any()
    assert (pickle.loads(pickle.dumps(sample)).states == sample.states).all()


@pytest.mark.parametrize("name", ["Sik", "Sick.1", 0, None, ["Sick"]])
def test_prvs_that_do_not_exist_are_refused(name: Any) -> None:
    sample = epid(3).sample(2, seed=1)
    reads: list[Callable[[Any], Any]] = [sample.counts, sample.table]
    for read in reads:
        with pytest.raises(lg.InputError, match="expected a PRV, got"):
            read(name)


@pytest.mark.parametrize("method", ["ground", "lifted"])
@pytest.mark.parametrize("model", [MODEL, MODEL.ground(), epid(2).ground().lift(), epid(2)])
def test_the_first_variables_are_those_of_the_model_wherever_that_cuts(
    model: Any, method: str
) -> None:
    """In the middle of PRVs, and whatever order the given graph has."""
    sample = model.sample(5, seed=4, method=method)
    for count in range(sample.variables.count + 1):
        part = sample.first(count)
        assert part.names == sample.names[:count]
        assert (part.states == sample.states[:, :count]).all()
        frame = part.to_frame()
        assert [*frame.columns] == [*part.names]
        for index, name in enumerate(part.names):
            assert part.column(name) == part.column(index) == sample.column(name)
            assert (*frame[name],) == sample.column(name)
        listed = {block.prv.name: len(block.variables) for block in part.variables.blocks()}
        assert sum(listed.values()) == count
        assert part.tables().keys() == listed.keys()
        for name, size in listed.items():
            counts = part.counts(name)
            assert sum(counts.values()).tolist() == [size] * 5
            for state, of_state in part.table(name)[name].value_counts().items():
                assert counts[state].sum() == of_state
        assert repr(part).startswith(f"5 samples of {count} variable")
        assert part.first(count // 2).names == sample.names[: count // 2]
        for name in sample.names[count:]:
            with pytest.raises(lg.InputError, match="expected"):
                part.column(name)
    for wrong in (-1, sample.variables.count + 1, 1.0, "Sick"):
        with pytest.raises(lg.InputError, match="expected a number of variables from 0 to"):
            sample.first(wrong)
