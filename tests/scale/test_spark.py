"""Colour passing on a real local cluster of Spark: always the colours that arrays find."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph import datasets
from liftgraph.symmetry.colours.colouring import ALGORITHMS, Algorithm
from tests.strategies import factor_graphs, symmetric_graphs

pytest.importorskip("pyspark")

from liftgraph.distributed import rounds
from liftgraph.distributed.on_spark import colour_on_spark
from liftgraph.distributed.results import lift_on_disk
from tests.scale.clusters import cluster, kill_a_worker, workers
from tests.scale.comparison import hub, is_right, joined, rotations

Run = Callable[..., lg.Quotient]
pytestmark = pytest.mark.filterwarnings("ignore")  # of pyspark, about itself and others


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    with cluster() as session:
        yield session


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_random_graphs_are_coloured_as_in_arrays(
    algorithm: Algorithm, spark: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    graphs = st.lists(st.one_of(symmetric_graphs(), factor_graphs()), min_size=20, max_size=40)

    @settings(max_examples=1, deadline=None, suppress_health_check=list(HealthCheck))
    @given(graphs)
    def check(listed: list[lg.FactorGraph]) -> None:
        is_right(joined(listed), tmp_path_factory.mktemp("random"), spark, algorithm)

    check()


def families() -> Iterator[lg.FactorGraph]:
    """A graph of each family, some with evidence."""
    yield datasets.epidemic().given({"Sick.alice": "true"})
    yield datasets.grid(5, 5)
    yield rotations(4)
    yield hub(200, observed=70)
    for model in (datasets.epid(5), datasets.smokers(5)):
        graph = model.ground()
        yield graph
        yield graph.given({3: graph.states(3)[0], 7: graph.states(7)[1]})


def test_families_are_coloured_as_in_arrays(spark: Any, tmp_path: Path) -> None:
    is_right(joined([*families()]), tmp_path, spark)


def test_skewed_hubs_split_by_evidence(spark: Any, tmp_path: Path) -> None:
    is_right(joined([hub(3000, 1000), hub(500, 1)]), tmp_path, spark, partitions=6)


def test_floats_have_their_tolerance(spark: Any, tmp_path: Path) -> None:
    builder = lg.FactorGraphBuilder()
    for step in (0.0, 1e-14, 0.1):
        builder.add_factor([builder.add_variable()], np.array([0.3, 0.7 + step]))
    is_right(builder.build(), tmp_path, spark)


@pytest.mark.parametrize("variables", [0, 3])
def test_graphs_without_edges(variables: int, spark: Any, tmp_path: Path) -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(variables)
    is_right(builder.build(), tmp_path, spark)


def test_names_travel_with_the_quotient_and_paths_are_no_patterns(
    spark: Any, tmp_path: Path
) -> None:
    folder = tmp_path / "a graph [ü] {x,y} *%20"
    folder.mkdir()
    is_right(datasets.epidemic(), folder, spark)


def test_weak_hashes_cost_time_and_not_correctness(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    strong, lines = rounds.word, list[str]()
    monkeypatch.setattr(rounds, "word", lambda *given: strong(*given).bitwiseAND(7))
    graph = joined([datasets.epidemic(), rotations(2), hub(3, 1), hub(4, 1)])
    is_right(graph, tmp_path, spark, report=lines.append)
    assert any("collided" in line for line in lines)


def test_a_killed_worker_changes_nothing(spark: Any, tmp_path: Path) -> None:
    killed: list[int] = []

    def report(line: str) -> None:
        if line.startswith("round 1") and not killed:  # the second round has begun when it dies
            killed.append(0)
            threading.Thread(target=lambda: killed.append(kill_a_worker(after=1.0))).start()

    graph = joined([datasets.grid(12, 12), hub(2000, 300)])
    is_right(graph, tmp_path, spark, report=report)
    assert killed[1:]
    assert killed[1] not in workers()


class StopError(Exception):
    """What stops a run in a test."""


def test_interrupted_runs_go_on_from_their_last_checkpoint(spark: Any, tmp_path: Path) -> None:
    graph, lines = datasets.grid(9, 9), list[str]()
    source, output = tmp_path / "graph.parquet", tmp_path / "colours"
    lg.write(graph, source)

    def stop(line: str) -> None:
        if line.startswith("round 2"):
            raise StopError

    with pytest.raises(StopError):
        colour_on_spark(source, output, spark=spark, report=stop)
    with pytest.raises(lg.InputError, match="another one"):
        colour_on_spark(source, output, spark=spark, algorithm="acp")
    is_right_after = colour_on_spark(source, output, spark=spark, report=lines.append)
    assert lines[0].startswith("going on after round 2")
    assert is_right_after == lg.quotient(graph, lg.colour_passing(graph))
    assert not (output / "working").exists()
    again = list[str]()
    assert colour_on_spark(source, output, spark=spark, report=again.append) == is_right_after
    assert "already" in again[0]
    lg.write(graph.given({0: "true"}), source)
    with pytest.raises(lg.InputError, match="another one"):
        colour_on_spark(source, output, spark=spark)


def test_other_folders_are_not_overwritten(spark: Any, tmp_path: Path) -> None:
    lg.write(datasets.epidemic(), tmp_path / "graph.parquet")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "important.txt").write_text("do not lose")
    with pytest.raises(lg.InputError, match="other files"):
        colour_on_spark(tmp_path / "graph.parquet", tmp_path / "notes", spark=spark)


def test_a_quotient_beyond_the_limit_is_refused(spark: Any, tmp_path: Path) -> None:
    builder = lg.FactorGraphBuilder()
    for weight in range(400):
        builder.add_factor([builder.add_variable()], [1, 2 + weight])
    lg.write(builder.build(), tmp_path / "graph.parquet")
    with pytest.raises(lg.MemoryLimitError, match="its quotient needs 1,600,000 bytes"):
        colour_on_spark(
            tmp_path / "graph.parquet", tmp_path / "colours", spark=spark, memory_limit=1_560_000
        )


def test_what_fits_into_memory_is_lifted(spark: Any, tmp_path: Path) -> None:
    graph = datasets.epid(6).ground()
    source, output = tmp_path / "graph.parquet", tmp_path / "colours"
    lg.write(graph, source)
    colour_on_spark(source, output, spark=spark)
    assert lift_on_disk(source, output) == lg.lift(graph)
    with pytest.raises(lg.MemoryLimitError):
        lift_on_disk(source, output, memory_limit=1000)
    for name in ("settings.json", "summary.json"):
        content = (output / name).read_bytes()
        for damaged in (b"", b"[]", b"{}", content[:-5], b"\xff" + content):
            (output / name).write_bytes(damaged)
            with pytest.raises(lg.ParseError, match=f"{name}: expected what a run wrote"):
                lift_on_disk(source, output)
        (output / name).write_bytes(content)
    lg.write(datasets.epid(7).ground(), source)
    with pytest.raises(lg.InputError):
        lift_on_disk(source, output)
