"""The same graphs on disk coloured by arrays, torch on the CPU and Spark on a local cluster, beside
DuckDB, which only reads them.

python benchmarks/scale.py [EDGES ...]      (default: 100000 1000000 10000000)

Needs the extras gpu, spark and duckdb, and Java 17. Each engine has a process of its own, which
reads the graph, colours it and tells its colours, its time and its memory. The colours must be the
same. Bytes shuffled are those of Spark's own log.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from graphs import epidemic

import liftgraph as lg

SIZES = (100_000, 1_000_000, 10_000_000)
MASTER = "local-cluster[2,1,3072]"
Report = dict[str, Any]


def digest(variables: Any, factors: Any) -> str:
    """A digest of all colours."""
    listed = (np.asarray(colours, dtype=np.int32).tobytes() for colours in (variables, factors))
    return hashlib.sha256(b"|".join(listed)).hexdigest()[:16]


def timed(task: Callable[[], Any]) -> tuple[dict[str, float], Any]:
    """The seconds that a task takes, by the clock and of this process."""
    wall, processor = time.perf_counter(), time.process_time()
    result = task()
    seconds = time.perf_counter() - wall, time.process_time() - processor
    return dict(zip(("seconds", "processor"), seconds, strict=True)), result


def in_memory(engine: str, folder: Path) -> Report:
    """Read a graph and colour it in this process; the second time counts, when all is loaded."""
    lg.colour_passing(epidemic(1000), engine=engine)
    reading, graph = timed(lambda: lg.read(folder, memory_limit=2**34))
    colouring, colours = timed(lambda: lg.colour_passing(graph, engine=engine))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "reading": reading,
        **colouring,
        "rounds": colours.rounds,
        "bytes": 1024 * peak,
        "colours": digest(colours.variable_colours, colours.factor_colours),
    }


def read_by_duckdb(folder: Path) -> Report:
    """Read the same columns into arrays with DuckDB."""
    columns = {
        "edges": "factor, position, variable",
        "factors": 'factor, "table"',
        "variables": "variable, states",
    }
    queries = [f"select {names} from '{folder}/{f}.parquet'" for f, names in columns.items()]
    runs, ours = [], []
    for _ in range(7):  # by turns
        runs.append(timed(lambda: [duckdb.execute(query).fetchnumpy() for query in queries]))
        ours.append(timed(lambda: lg.read(folder, memory_limit=2**34)))
    best = min((seconds for seconds, _ in runs), key=lambda s: s["processor"])
    reading = min((seconds for seconds, _ in ours), key=lambda s: s["processor"])
    return {**best, "reading": reading, "ratio": reading["processor"] / best["processor"]}


def on_spark(folder: Path) -> Report:
    """Colour a graph on a local cluster."""
    from liftgraph.distributed.on_spark import colour_on_spark

    lines: list[tuple[float, str]] = [(time.time(), "start")]
    with tempfile.TemporaryDirectory() as place:
        events, output = Path(place, "events"), Path(place, "colours")
        events.mkdir()
        settings = {
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.log.level": "ERROR",
            "spark.eventLog.enabled": "true",
            "spark.eventLog.dir": events.as_uri(),
            "spark.eventLog.compress": "false",
            "spark.eventLog.rolling.enabled": "false",
            "spark.local.dir": str(Path(place, "local")),
        }
        peaks: list[int] = []

        def report(line: str) -> None:
            lines.append((time.time(), line))
            peaks.append(bytes_of_all_processes())

        seconds, _ = timed(
            lambda: colour_on_spark(folder, output, master=MASTER, settings=settings, report=report)
        )
        lines.append((time.time(), "end"))
        summary = json.loads((output / "summary.json").read_text())
        shuffled = shuffled_bytes(events, [moment for moment, _ in lines])
        colours = coloured(output)
    named = [line.partition(" (")[0].partition(":")[0] for _, line in lines[1:]]
    return {
        **seconds,
        "seconds_without_start": summary["seconds"],
        "rounds": summary["rounds"],
        "bytes": max(peaks),
        "shuffled": dict(zip(named, shuffled, strict=True)),
        "phases": {
            name: round(later - earlier, 1)
            for name, (earlier, _), (later, _) in zip(named, lines[:-1], lines[1:], strict=True)
        },
        "colours": colours,
    }


def coloured(output: Path) -> str:
    listed = []
    for member in ("variable", "factor"):
        query = f"select colour from '{output}/{member}s.parquet/*.parquet' order by {member}"
        listed.append(duckdb.execute(query).fetchnumpy()["colour"])
    return digest(*listed)


def bytes_of_all_processes() -> int:
    """The most memory that each process of Spark has had so far, added up."""
    total = 0
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                status, command = (entry / "status").read_text(), (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if b"spark" in command and "VmHWM" in status:
                total += 1024 * int(status.partition("VmHWM:")[2].split()[0])
    return total


def shuffled_bytes(events: Path, moments: list[float]) -> list[int]:
    """The bytes that tasks wrote for others between these moments, in seconds since 1970."""
    totals = np.zeros(len(moments) + 1, dtype=np.int64)
    for file in events.iterdir():
        for line in file.read_text().splitlines():
            event = json.loads(line)
            if event["Event"] == "SparkListenerTaskEnd" and event.get("Task Metrics"):
                written = event["Task Metrics"]["Shuffle Write Metrics"]["Shuffle Bytes Written"]
                end = event["Task Info"]["Finish Time"] / 1000
                totals[np.searchsorted(moments, end)] += written
    listed: list[int] = totals[1:-1].tolist()
    return listed


def one(engine: str, folder: Path) -> None:
    """What a process of its own does."""
    if engine == "duckdb":
        report = read_by_duckdb(folder)
    else:
        report = on_spark(folder) if engine == "spark" else in_memory(engine, folder)
    print(json.dumps(report))


def measured(engine: str, folder: Path) -> Report:
    """The report of an engine in a process of its own."""
    command = [sys.executable, __file__, "--one", engine, str(folder)]
    environment = {**os.environ, "OMP_NUM_THREADS": "2", "PYTHONWARNINGS": "ignore"}
    output = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if output.returncode:
        raise RuntimeError(output.stderr[-2000:])
    report: Report = json.loads(output.stdout.splitlines()[-1])
    return report


def line(engine: str, edges: int, report: Report, before: tuple[int, float] | None) -> str:
    text = f"{engine:>7} {edges:>11,} edges: {report['seconds']:8.2f} s"
    if "ratio" in report:
        ours = report["reading"]["processor"]
        text += f" to read ({report['processor']:.3f} s of CPU), we {ours:.3f} s"
        return f"{text} of CPU = {report['ratio']:.2f}×"
    text += f", {report['rounds']} rounds, peak {report['bytes'] / 1e6:,.0f} MB"
    if before is not None:
        growth = report["seconds"] / before[1] / (edges / before[0])
        text += f", growth {growth:.2f}× of linear"
    for name, seconds in report.get("phases", {}).items():
        shuffled = report["shuffled"][name] / edges
        text += f"\n        until {name}: {seconds:.1f} s, {shuffled:.1f} bytes shuffled an edge"
    return text


def main() -> None:
    sizes = [int(size) for size in sys.argv[1:]] or list(SIZES)
    before: dict[str, tuple[int, float]] = {}
    for size in sizes:
        with tempfile.TemporaryDirectory() as place:
            graph, folder = epidemic(size), Path(place, "graph.parquet")
            edges = graph.edge_count
            lg.write(graph, folder)
            del graph
            colours = set()
            for engine in ("duckdb", "arrays", "torch", "spark"):
                report = measured(engine, folder)
                print(line(engine, edges, report, before.get(engine)), flush=True)
                before[engine] = edges, report["seconds"]
                colours |= {report["colours"]} if "colours" in report else set()
            if len(colours) != 1:
                raise RuntimeError(f"expected the same colours, got {len(colours)} different ones")
            print(f"        {edges:>11,} edges: the same colours", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if sys.argv[1:2] == ["--one"]:
        one(sys.argv[2], Path(sys.argv[3]))
    else:
        main()
