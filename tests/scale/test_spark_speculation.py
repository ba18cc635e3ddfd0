"""Tasks of Spark that are done twice, since a worker was slow: whichever ends first counts."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from liftgraph import datasets

pytest.importorskip("pyspark")

from tests.scale.clusters import events_in, pause_a_worker, two_hosts
from tests.scale.comparison import hub, is_right, joined

pytestmark = pytest.mark.filterwarnings("ignore")  # of pyspark, about itself and others


def test_tasks_are_done_twice_where_a_worker_is_slow(tmp_path: Path) -> None:
    graph, slow = joined([datasets.grid(20, 20), hub(5000, 300)]), list[int]()

    def report(line: str) -> None:
        if line.startswith("round 1"):
            threading.Thread(target=lambda: slow.append(pause_a_worker(4.0))).start()

    events = tmp_path / "events"
    events.mkdir()
    with two_hosts(events) as spark:
        is_right(graph, tmp_path, spark, partitions=12, report=report)
    assert slow
    started = events_in(events, "SparkListenerTaskStart")
    assert any(event["Task Info"]["Speculative"] for event in started)
