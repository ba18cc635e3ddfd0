"""Lifting says how much memory it takes, and refuses to take more than allowed."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given

import liftgraph as lg
from liftgraph import datasets
from liftgraph.cli import main
from liftgraph.symmetry.lifting.memory import colour_passing_bytes, lifting_bytes
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


def test_lifting_beyond_the_limit_is_refused_before_it_starts() -> None:
    graph = datasets.epid(1000).ground()
    needed = lifting_bytes(graph)
    message = (
        r"lifting needs [78]\.\d MiB, the limit is 1\.0 MiB: the graph has 12,001 variables and"
    )

    def refused() -> None:
        with pytest.raises(lg.MemoryLimitError, match=message):
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
    lg.write(datasets.clique(200), name)  # grounding it takes less
    assert main(["lift", name, "--memory", "6MB"]) == 1
    assert "lifting needs" in capsys.readouterr().err
    assert main(["lift", name, "--memory", "1GB"]) == 0
