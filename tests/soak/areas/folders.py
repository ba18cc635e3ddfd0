"""Folders of Parquet files: damaged, replaced while they are read, writers killed, limited."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

import liftgraph as lg
from tests.soak.area import Area, Case, expect
from tests.soak.areas.damage import is_one_line
from tests.soak.children import Lines, in_child, kill_self
from tests.soak.damaging import damaged_bytes
from tests.soak.files import temporary_folder
from tests.soak.models import graph_of, smaller_graphs, symmetric_graph

NAMES = ["edges", "evidence", "factors", "states", "tables", "variables"]
LIMIT = 2**24
BEYOND = 2**25  # bytes of address space that reading may take beyond its limit: buffers, threads


def _graph(random: Random) -> Case:
    return {**symmetric_graph(random), "evidence": {"0": 0}}


def _draw_damage(random: Random) -> Case:
    """Some bytes of a file, or of its footer, are others. ``seed``: what happens to them."""
    name = random.choice([*(f"{name}.parquet" for name in NAMES), "graph.json"])
    return {"graph": _graph(random), "name": name, "seed": random.randrange(10**6)}


def _check_damage(case: Case) -> None:
    """The graph, or an error in one line: checksums and counts leave no other graph."""
    graph = graph_of(case["graph"])
    with temporary_folder() as folder:
        path = folder / "m.parquet"
        lg.write(graph, path)
        file = path / case["name"]
        file.write_bytes(_damaged(Random(case["seed"]), file.read_bytes()))
        again = _read(path, LIMIT)
        if again is not None and case["name"] != "graph.json":
            expect(again == graph, f"a damaged {case['name']} is read as another graph")


def _damaged(random: Random, content: bytes) -> bytes:
    """One bit of the file is another, or some bytes of its footer are."""
    if random.random() < 0.5 or not content.endswith(b"PAR1"):
        place = random.randrange(len(content))
        flipped = content[place] ^ 1 << random.randrange(8)
        return content[:place] + bytes([flipped]) + content[place + 1 :]
    start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    footer = damaged_bytes(random, content[start:-8])
    return content[:start] + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def _read(path: Path, limit: int) -> Any:
    try:
        return lg.read(path, memory_limit=limit)
    except lg.LiftgraphError as error:
        expect(is_one_line(str(error)), f"a message that is not one line: {error!r}")
        return None


def _draw_writers(random: Random) -> Case:
    """Two graphs. ``moment``: when a writer is killed, as a share of what it does."""
    moment = random.choice([random.random(), random.uniform(0.9, 1)])  # exchanging comes last
    return {"graph": _graph(random), "other": _graph(random), "moment": moment}


def _check_kill(case: Case) -> None:
    old, new = graph_of(case["graph"]), graph_of(case["other"])
    with temporary_folder() as folder:
        path = folder / "m.parquet"
        lg.write(old, path)
        path.chmod(0o700)
        with Lines() as lines:
            lg.write(old, path)
        moment = 1 + int(case["moment"] * lines.count)

        def write() -> str:
            with Lines(moment, kill_self):
                lg.write(new, path)
            return "written"

        ended = in_child(write)
        found = lg.read(path)
        expect(found in (old, new), f"neither the old nor the new graph after {ended}")
        expect(ended.text != "written" or found == new, "written, but not there")
        lg.write(old, path)
        expect(lg.read(path) == old, "the next writer writes another graph")
        expect(path.stat().st_mode & 0o777 == 0o700, "another mode")
        left = sorted(os.listdir(folder))
        expect(left == [path.name], f"left behind after the next write: {left}")


def _check_replacing(case: Case) -> None:
    """A child replaces the folder again and again; whatever is read is one of its graphs."""
    graphs = [graph_of(case["graph"]), graph_of(case["other"])]
    graphs.append(graphs[0].observing({}))
    with temporary_folder() as folder:
        path = folder / "m.parquet"
        lg.write(graphs[0], path)

        def write() -> str:
            for turn in range(12):
                lg.write(graphs[turn % 3], path)
            return "written"

        child = os.fork()
        if child == 0:
            try:
                write()
                os._exit(0)
            finally:
                os._exit(1)
        while (ended := os.waitpid(child, os.WNOHANG))[0] == 0:
            expect(lg.read(path) in graphs, "a graph that nobody wrote")
        expect(os.waitstatus_to_exitcode(ended[1]) == 0, "the writer failed")
        expect(os.listdir(folder) == [path.name], "something is left behind")


def _draw_large(random: Random) -> Case:
    """A file whose few bytes stand for many: equal texts, numbers or gaps, in rows or a list."""
    return {
        "kind": random.choice(["text", "number", "gap"]),
        "in_list": random.random() < 0.5,
        "length": 2 ** random.randint(0, 16),
        "count": 2 ** random.randint(0, 20),
        "dictionary": random.random() < 0.5,
        "encoding": random.choice(["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"]),
        "page": 2 ** random.randint(10, 28),
        "limit": 2 ** random.randint(18, 26),
    }


def _check_large(case: Case) -> None:
    """Refused, or read within the limit: what the child may reserve is little more than that."""
    count = min(case["count"], 2**27 // case["length"] if case["kind"] == "text" else 2**20)
    with temporary_folder() as folder:
        path = folder / "m.parquet"
        lg.write(lg.datasets.epidemic(), path)
        lg.read(path)  # modules are loaded
        parquet.write_table(_table(case, count), path / "states.parquet", **_options(case))

        def read() -> str:
            before = _peak()
            _read(path, case["limit"])
            return str(_peak() - before)

        ended = in_child(read)
        expect(ended.status == 0, f"a child that died: {ended}")
        problem = f"{int(ended.text or 0):,} bytes, the limit is {case['limit']:,}"
        expect(int(ended.text or 0) < case["limit"] + BEYOND, problem)


def _peak() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def _table(case: Case, count: int) -> pa.Table:
    if case["kind"] == "text":
        values = pa.array(["a" * case["length"]]).take(pa.array(np.zeros(count, np.int32)))
    elif case["kind"] == "number":
        values = pa.array(np.zeros(count, np.int64))
    else:
        values = pa.nulls(count, pa.string())
    if case["in_list"]:
        names = pa.ListArray.from_arrays(pa.array([0, count], pa.int32()), values)
        return pa.table({"states": [0], "names": names})
    return pa.table({"states": np.arange(count), "names": values})


def _options(case: Case) -> Case:
    options: Case = {"compression": "zstd", "data_page_size": case["page"]}
    if case["dictionary"] or case["kind"] != "text":
        return options
    leaf = "names.list.element" if case["in_list"] else "names"
    return {**options, "use_dictionary": False, "column_encoding": {leaf: case["encoding"]}}


def _smaller(case: Case) -> Iterator[Case]:
    for name in ("graph", "other"):
        for graph in smaller_graphs(case[name]) if name in case else ():
            yield {**case, name: graph}


AREAS = (
    Area("folder-damage", _draw_damage, _check_damage, _smaller),
    Area("folder-kill", _draw_writers, _check_kill, _smaller, seconds=60),
    Area("folder-replace", _draw_writers, _check_replacing, _smaller, seconds=60),
    Area("folder-memory", _draw_large, _check_large, seconds=60, memory=2**31),
)
