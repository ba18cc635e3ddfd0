"""Faults while a file is written: kill -9, and a full disk. The old or the new file is there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import liftgraph as lg
from tests.soak.area import Area, Case, expect
from tests.soak.areas.damage import is_one_line
from tests.soak.children import Ended, Lines, in_child, kill_self, limit_files
from tests.soak.files import temporary_folder
from tests.soak.models import graph_of, smaller_graphs, symmetric_graph

SUFFIXES = [".json", ".uai", ".fg", ".json.gz", ".uai.gz"]


def _draw(random: Random) -> Case:
    """A model to write over another one. ``moment``: when, as a share of what is to be done."""
    return {
        "graph": {**symmetric_graph(random), "evidence": {}},
        "suffix": random.choice(SUFFIXES),
        "moment": random.choice([random.random(), random.uniform(0.9, 1)]),  # files come last
    }


def _written(case: Case, folder: Path) -> tuple[Path, lg.FactorGraph, bytes, bytes]:
    """A file that another model is about to replace: its name, that model, and both contents."""
    graph = graph_of(case["graph"])
    path = folder / f"m{case['suffix']}"
    lg.write(graph, path)
    new = path.read_bytes()
    lg.write(lg.FactorGraphBuilder().build(), path)
    return path, graph, path.read_bytes(), new


def _check_kill(case: Case) -> None:
    with temporary_folder() as folder:
        path, graph, old, new = _written(case, folder)
        with Lines() as lines:
            lg.write(graph, folder / f"other{case['suffix']}")
        (folder / f"other{case['suffix']}").unlink()
        moment = 1 + int(case["moment"] * lines.count)

        def write() -> str:
            with Lines(moment, kill_self):
                lg.write(graph, path)
            return "written"

        ended = in_child(write)
        content = path.read_bytes()
        expect(content in (old, new), f"neither the old nor the new content after {ended}")
        expect(ended.text != "written" or content == new, "written, but not there")
        lg.write(graph, path)
        left = sorted(os.listdir(folder))
        expect(left == [path.name], f"files left behind after the next write: {left}")


def _check_full_disk(case: Case) -> None:
    with temporary_folder() as folder:
        path, graph, old, new = _written(case, folder)

        def write() -> str:
            limit_files(int(case["moment"] * len(new)))
            try:
                lg.write(graph, path)
            except lg.LiftgraphError as error:
                return str(error)
            return "written"

        ended = in_child(write)
        _expect_refusal(ended)
        expect(path.read_bytes() == old, "the old content is gone")
        expect(os.listdir(folder) == [path.name], f"files left behind: {os.listdir(folder)}")


def _expect_refusal(ended: Ended) -> None:
    expect(ended.status == 0 and ended.text != "written", f"not refused: {ended}")
    expect(is_one_line(ended.text), f"a message that is not one line: {ended.text!r}")


def _smaller(case: Case) -> Iterator[Any]:
    for graph in smaller_graphs(case["graph"]):
        yield {**case, "graph": graph}


AREAS = (
    Area("kill", _draw, _check_kill, _smaller),
    Area("full-disk", _draw, _check_full_disk, _smaller),
)
