"""What cannot be done, and how soon that is said; what nearly cannot; the start of the command."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
from ordinary_rows import Row, Section, once

import liftgraph as lg
from liftgraph.io import uai

INSTANCES = Path(__file__).parents[2] / "shared" / "data" / "uai2014"
EXAMPLE = Path(__file__).parents[1] / "src/liftgraph/datasets/epidemic.json"
GIB = 2**30
STARTS = 15


def hopeless() -> Section:
    """Irregular graphs that no order makes feasible, refused."""
    rows = []
    for factors in (50_000, 100_000, 200_000):
        graph = irregular(factors)
        took, refused = once(partial(_refused, graph))
        assert refused, "expected a refusal"
        rows.append(Row(f"{factors:,} pairs of {factors // 2:,} variables", took, "a limit", 2.0))
    return Section("Hopeless plans, until refused", rows, worst=1.0)


def irregular(factors: int) -> lg.FactorGraph:
    """Random pairs of variables, each with a table of its own."""
    random = np.random.default_rng(factors)
    builder = lg.FactorGraphBuilder()
    builder.add_variables(factors // 2)
    pairs = random.integers(0, factors // 2, (factors, 2))
    for first, second in pairs[pairs[:, 0] != pairs[:, 1]].tolist():
        builder.add_factor((first, second), random.integers(1, 100, (2, 2)).tolist())
    return builder.build()


def _refused(graph: lg.FactorGraph) -> bool:
    try:
        graph.query(0)
    except lg.MemoryLimitError:
        return True
    return False


def linkage() -> list[str]:
    """Which instances of the UAI 2014 competition fit into 8 GiB, a line each."""
    return [
        _instance_line(path)
        for path in sorted(INSTANCES.glob("*.uai.gz"))
        if path.name.startswith(("linkage", "log-"))
    ]


def _instance_line(path: Path) -> str:
    name = path.name.removesuffix(".uai.gz")
    graph = uai.read_evidence(lg.read_graph(path), path.with_suffix("").with_suffix(".uai.evid"))
    took, outcome = once(partial(_outcome, graph))
    return f"| {name} | {took:.1f} s | {outcome} |"


def _outcome(graph: lg.FactorGraph) -> str:
    try:
        planned = graph.explain(memory_limit=8 * GIB)
    except lg.MemoryLimitError as refused:
        return str(refused)
    return f"{planned.peak_bytes / GIB:.2f} GiB"


def cold_start() -> Section:
    """The command on the example beside the import of NumPy alone."""
    script = Path(sys.executable).parent / "liftgraph"
    query = [str(script), "query", str(EXAMPLE), "Sick.alice"]
    numpy = [sys.executable, "-c", "import numpy"]
    ours, theirs = (
        min(_process_seconds(command) for _ in range(STARTS)) for command in (query, numpy)
    )
    row = Row("liftgraph query, the example", ours, "import numpy, and 100 ms", theirs + 0.1)
    return Section("Cold start", [row], worst=1.0)


def _process_seconds(command: list[str]) -> float:
    """The CPU time of a process, which keeps and finds compiled modules as an installation does."""
    environment = {
        name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    }
    before = os.times()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    after = os.times()
    return sum(after[2:4]) - sum(before[2:4])


def first_of_a_process() -> Section:
    """The first query of a process beside the second, when what it needs is loaded."""
    program = f"""
import time, liftgraph as lg
import liftgraph.inference.answer
graph, other = (lg.read({str(EXAMPLE)!r}) for _ in range(2))
for model, name in ((graph, "Sick.alice"), (graph, "Sick.bob"), (other, "Sick.bob")):
    start = time.process_time()
    model.query(name, given={{"Epid": "true"}})
    print(time.process_time() - start)
"""
    times = [
        [float(word) for word in subprocess.check_output([sys.executable, "-c", program]).split()]
        for _ in range(STARTS)
    ]
    first, second, elsewhere = np.min(times, axis=0).tolist()
    rows = [
        Row("query, the example", first, "the second query, about the same graph", second),
        Row("query, the example", first, "a later one, about an equal graph", elsewhere),
    ]
    note = """\
The modules of inference are loaded before; otherwise the first question does it. The second query
profits from what is known of its graph by then; the last one does not."""
    return Section("The first query of a process", rows, worst=2.0, note=note)
