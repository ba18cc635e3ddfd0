"""Limits of memory: numbers of bytes, or text as on the command line, wherever one is taken."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import liftgraph as lg
from liftgraph.model.memory_limit import Bytes, checked_memory_limit

GRAPH = lg.datasets.epidemic()
LEARNT = {"A": ["x", "y", None], "B": ["u", "v", "u"]}
UNTIL = {"GiB": 2**30, "GB": 10**9, "g": 10**9, "MiB": 2**20, "kB": 1000, " ki": 1024, "B": 1}


def read_file(folder: Path, limit: Bytes) -> object:
    path = folder / "graph.json"
    lg.write(GRAPH, path)
    return lg.read(path, memory_limit=limit)


TAKERS: dict[str, Callable[[Path, Bytes], object]] = {
    "read": read_file,
    "query": lambda folder, limit: GRAPH.query("Epid", memory_limit=limit).probabilities,
    "probability": lambda folder, limit: GRAPH.probability({"Epid": "true"}, memory_limit=limit),
    "probability of a count": lambda folder, limit: GRAPH.probability(
        lg.count("Sick", "true") >= 1, memory_limit=limit
    ),
    "mpe": lambda folder, limit: GRAPH.mpe(memory_limit=limit).states,
    "sample": lambda folder, limit: GRAPH.sample(5, seed=1, memory_limit=limit).counts("Epid"),
    "predict": lambda folder, limit: GRAPH.predict(
        {"Sick.alice": ["true"]}, "Epid", memory_limit=limit
    ),
    "lift": lambda folder, limit: GRAPH.lift(memory_limit=limit),
    "ground": lambda folder, limit: lg.lift(GRAPH).ground(limit),
    "EM": lambda folder, limit: lg.learn_bayesian_network(
        [("A", "B")], LEARNT, missing=lg.EM(memory_limit=limit)
    ),
    "trade-off": lambda folder, limit: GRAPH.trade_off(
        ["0"], variables=["Epid"], memory_limit=limit
    ),
}


@pytest.mark.parametrize("unit", UNTIL)
def test_text_is_a_number_of_bytes(unit: str) -> None:
    for number in ("1", "8", "1.5"):
        assert checked_memory_limit(f"{number}{unit}") == int(float(number) * UNTIL[unit])


@pytest.mark.parametrize("taker", TAKERS)
def test_text_is_taken_wherever_bytes_are(tmp_path: Path, taker: str) -> None:
    act = TAKERS[taker]
    assert repr(act(tmp_path, "1.5GiB")) == repr(act(tmp_path, 3 * 2**29))
    for nonsense in ("much", "", "-5", "8 GiB of memory", "1e9", "i", "1ib", "9" * 5000, "٣GB"):
        with pytest.raises(lg.InputError, match="expected a memory limit such as 500MB or 8GiB"):
            act(tmp_path, nonsense)
