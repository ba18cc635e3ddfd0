"""Lifting says how much memory it takes, and refuses to take more than allowed."""

from __future__ import annotations

import gc
import re
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given

import liftgraph as lg
from liftgraph import datasets
from liftgraph.cli import main
from liftgraph.display import format_bytes
from liftgraph.model import arrays
from liftgraph.symmetry.lifting.memory import colour_passing_bytes, lifting_bytes
from liftgraph.symmetry.structure import components, relations
from tests.relational import families, relational_models
from tests.strategies import factor_graphs, symmetric_graphs


def used_bytes(act: Callable[[], object]) -> int:
    gc.disable()
    tracemalloc.start()
    try:
        act()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        gc.enable()


@pytest.fixture(scope="module", autouse=True)
def what_is_loaded_once_is_there() -> None:
    for _, model in families(3):
        lg.lift(model.ground())


def check_promises(graph: lg.FactorGraph) -> None:
    """Colour passing and lifting take no more than predicted; nothing is left in a cache."""
    limit = 2**20
    while True:  # the least power of two that is enough
        try:
            lg.lift(graph, memory_limit=limit)
            break
        except lg.MemoryLimitError:
            limit *= 2
    anew = graph.observing(graph.evidence)
    assert used_bytes(lambda: lg.lift(anew)) <= limit
    assert used_bytes(lambda: lg.colour_passing(anew)) <= colour_passing_bytes(anew)


@given(factor_graphs() | symmetric_graphs() | relational_models().map(lg.ParfactorGraph.ground))
def test_lifting_small_graphs_takes_no_more_than_predicted(graph: lg.FactorGraph) -> None:
    check_promises(graph)


@pytest.mark.parametrize(
    "make",
    [
        lambda: datasets.epid(200).ground(),
        lambda: datasets.scaled(datasets.epid(100).ground(), 0.3),
        lambda: datasets.clique(60).ground(),
        lambda: datasets.smokers(30).ground(),
        lambda: datasets.ds(3, 9, commutative=True).ground(),
        lambda: datasets.grid(8, 8),
        lambda: datasets.perturbed(datasets.employee(100).ground(), "0.01"),
    ],
)
def test_lifting_takes_no_more_than_predicted(make: Callable[[], lg.FactorGraph]) -> None:
    check_promises(make())


def repeated(
    members: int, scopes: list[tuple[int, ...]], times: int, table: list[int]
) -> lg.FactorGraph:
    """Factors with these scopes and this table, again and again on further variables."""
    builder = lg.FactorGraphBuilder()
    builder.add_variables(times * members)
    width = len(scopes[0])
    rows = np.array(scopes) + members * np.arange(times)[:, None, None]
    builder.add_factors(rows.reshape(-1, width), table)
    return builder.build()


def rotations(width: int) -> list[int]:
    """A table which only rotations of its arguments leave as it is."""
    rows = [min(row[k:] + row[:k] for k in range(width)) for row in product((0, 1), repeat=width)]
    number = {row: 1 + index for index, row in enumerate(sorted(set(rows)))}
    return [number[row] for row in rows]


def counts(width: int) -> list[int]:
    """A table which depends on how many arguments are 1."""
    return [1 + sum(row) ** 2 for row in product((0, 1), repeat=width)]


@pytest.mark.parametrize(
    "make",
    [
        lambda: repeated(5, [*combinations(range(5), 2)], 1000, counts(2)),
        lambda: repeated(3, [*combinations(range(3), 2)], 3000, counts(2)),
        lambda: repeated(7, [*combinations(range(7), 4)], 200, counts(4)),
        lambda: repeated(13, [*combinations(range(13), 10)], 6, counts(10)),
        lambda: repeated(5, [(0, 1, 2, 3, 4)], 1500, counts(5)),
        lambda: repeated(5, [(0, 1, 2, 3, 4)], 3000, rotations(5)),
        lambda: repeated(3, [(0, 1, 2)], 3000, rotations(3)),
        lambda: repeated(2, [(0, 1)], 5000, counts(2)),
        lambda: repeated(1, [(0,)], 8192, [1, 2]),
        lambda: repeated(150, [*combinations(range(150), 2)], 1, counts(2)),
        lambda: repeated(30, [*combinations(range(30), 3)], 1, counts(3)),
    ],
)
def test_symmetric_tables_take_no_more_than_predicted(make: Callable[[], lg.FactorGraph]) -> None:
    check_promises(make())


@given(graph=symmetric_graphs() | relational_models().map(lg.ParfactorGraph.ground))
def test_small_pieces_change_nothing(graph: lg.FactorGraph) -> None:
    expected = str(lg.lift(graph))
    with (
        patch.object(components, "PIECE", 2),
        patch.object(relations, "PIECE", 2),
        patch.object(arrays.pieces, "__defaults__", (2,)),
    ):
        assert str(lg.lift(graph.observing(graph.evidence))) == expected


@pytest.mark.long
def test_lifting_an_epidemic_takes_few_bytes_an_edge() -> None:
    graph = replace(datasets.epid(20_000).ground(), names=None)
    most = 100 * graph.edge_count
    assert lifting_bytes(graph, lg.colour_passing(graph)) <= most
    assert lg.lift(graph, memory_limit=most).variable_count == graph.variable_count


def test_lifting_beyond_the_limit_is_refused_before_it_starts() -> None:
    graph = datasets.epid(1000).ground()
    needed = lifting_bytes(graph)
    message = f"lifting needs {format_bytes(needed)}, the limit is 1.0 MiB: the graph has 12,001"

    def refused() -> None:
        with pytest.raises(lg.MemoryLimitError, match=re.escape(message)):
            lg.lift(graph, memory_limit=2**20)

    assert used_bytes(refused) < needed // 10
    assert lg.lift(graph, memory_limit=2 * needed).factor_count == graph.factor_count


def test_many_groups_are_refused_once_they_are_known() -> None:
    graph = datasets.grid(12, 12)
    with pytest.raises(lg.MemoryLimitError, match=r"144 variables and 264 factors in \d+ groups"):
        lg.lift(graph, memory_limit=lifting_bytes(graph) + 1)


def test_questions_pass_their_limit_on_to_lifting() -> None:
    graph = datasets.epid(200).ground()
    with pytest.raises(lg.MemoryLimitError, match="lifting needs"):
        graph.query(0, method="lifted", memory_limit=10**5)
    assert graph.query(0, method="lifted").method == "lifted"


def test_the_command_takes_a_limit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = str(tmp_path / "model.json")
    lg.write(datasets.employee(200), name)  # grounding it takes less
    assert main(["lift", name, "--memory", "285kB"]) == 1
    assert "lifting needs" in capsys.readouterr().err
    assert main(["lift", name, "--memory", "1GB"]) == 0
