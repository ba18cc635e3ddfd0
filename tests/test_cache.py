"""Caches are not part of a model, hold few values of a kind, and stay behind when it is copied."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial
from typing import Any

import pytest

import liftgraph as lg
from liftgraph import datasets
from liftgraph.cache import Cache, Memo

COPIES: list[Callable[[Any], Any]] = [
    copy.copy,
    copy.deepcopy,
    lambda model: pickle.loads(pickle.dumps(model)),
    replace,
]


def test_a_new_kind_of_value_is_kept_beside_any_model() -> None:
    lengths: Memo[str, int] = Memo("lengths of names", most=2)
    graph = datasets.epid(4).ground()
    computed: list[str] = []

    def length(name: str) -> int:
        computed.append(name)
        return len(name)

    for name in ("Epid", "Sick.1", "Epid", "Sick.2", "Epid", "Sick.1"):
        assert lengths.get(graph.cache, name, partial(length, name)) == len(name)
    assert computed == ["Epid", "Sick.1", "Sick.2", "Sick.1"]  # the one used longest ago went


def test_no_kind_of_value_keeps_more_than_it_says() -> None:
    squares: Memo[int, int] = Memo("squares", most=3)
    cache = Cache()
    for n in range(10):
        assert squares.get(cache, n, lambda n=n: n * n) == n * n  # type: ignore[misc]
    assert len(cache) == 3
    assert [squares.has(cache, n) for n in (6, 7, 8, 9)] == [False, True, True, True]


def test_values_with_a_size_are_kept_by_it() -> None:
    texts: Memo[str, str] = Memo("texts", most=10, size=len)
    cache = Cache()
    for text in ("aaaa", "bbbb", "cccc", "a text that is too long", "d"):
        assert texts.get(cache, text, lambda text=text: text) == text  # type: ignore[misc]
    assert not texts.has(cache, "aaaa")
    assert all(texts.has(cache, text) for text in ("bbbb", "cccc", "d"))
    assert len(cache) == 3


def test_many_tolerances_leave_few_values_behind() -> None:
    graph = datasets.epid(2).ground()
    sizes = set()
    for n in range(30):
        graph.query("Epid", method="lifted", tolerance=f"0.{n:03}")
        sizes.add(len(graph.cache))
    assert max(sizes) == len(graph.cache) < 20


def test_two_kinds_with_the_same_title_do_not_mix() -> None:
    first: Memo[int, str] = Memo("values", most=1)
    second: Memo[int, str] = Memo("values", most=1)
    cache = Cache()
    assert first.get(cache, 0, lambda: "first") == "first"
    assert second.get(cache, 0, lambda: "second") == "second"


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("lifted", [True, False])
def test_copies_of_a_model_that_was_asked_answer_the_same(
    copied: Callable[[Any], Any], lifted: bool
) -> None:
    model: Any = datasets.epid(5) if lifted else datasets.epid(5).ground()
    given = {"Sick.2": "true"}
    before = model.query("Epid", given=given, exact=True).exact
    assert len(model.cache)
    again = copied(model)
    assert not len(again.cache)
    assert again == model
    assert again.query("Epid", given=given, exact=True).exact == before


def test_a_cache_is_not_a_field() -> None:
    for model in (lg.FactorGraph, lg.ParfactorGraph):
        assert "cache" not in {attribute.name for attribute in fields(model)}


def test_another_table_gives_another_answer() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variable("A")
    builder.add_factor(["A"], [1, 3])
    graph = builder.build()
    for method in ("ground", "lifted", "auto"):
        assert graph.query("A", method=method, exact=True).exact["true"] * 4 == 1
        other = replace(graph, potentials=(lg.Table.of([1, 1]),))
        assert other.query("A", method=method, exact=True).exact["true"] * 2 == 1
