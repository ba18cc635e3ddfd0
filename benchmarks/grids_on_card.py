"""Ground contraction of wide grids by torch on a graphics card, beside NumPy on the host.

python benchmarks/grids_on_card.py [WIDTH ...] [--host WIDTH ...]

Grids of Boolean variables with random potentials, square. The answer of the card is compared with
the host's up to the widths given behind --host.
"""

from __future__ import annotations

import random
import sys
import time

import numpy as np
import torch

import liftgraph as lg
from liftgraph.inference.ground.plan import GroundPlan

LIMIT = 2**40  # the card's own memory is what limits it
CARD = "cuda" if torch.cuda.is_available() else "cpu"


def grid(side: int) -> lg.FactorGraph:
    """A square grid with a random table for each variable and each pair of neighbours."""
    source = random.Random(side)
    builder = lg.FactorGraphBuilder()
    builder.add_variables(side * side)

    def numbers(count: int) -> list[int]:
        return [source.randint(1, 9) for _ in range(count)]

    for place in range(side * side):
        builder.add_factor([place], numbers(2))
        for step, present in ((1, (place + 1) % side), (side, place + side < side * side)):
            if present:
                builder.add_factor([place, place + step], [numbers(2), numbers(2)])
    return builder.build()


def line(side: int, on_host: bool) -> str:
    graph, asked = grid(side), side * side // 2 + side // 2
    start = time.perf_counter()
    plan = graph.explain(asked, method="torch", device=CARD, memory_limit=LIMIT)
    planned = time.perf_counter()
    assert isinstance(plan, GroundPlan)
    if CARD == "cuda":
        torch.cuda.reset_peak_memory_stats()
    answer = plan.run()
    assert isinstance(answer, lg.Marginal)
    done = time.perf_counter()
    peak = torch.cuda.max_memory_allocated() if CARD == "cuda" else 0
    text = (
        f"{side:>3} × {side}: largest table 2^{plan.section.largest.bit_length() - 1}, on {CARD}"
        f" {done - planned:.2f} s, planned in {planned - start:.2f} s,"
        f" peak {peak / 2**30:.1f} GiB, predicted {plan.peak_bytes / 2**30:.1f} GiB"
    )
    if on_host:
        start = time.perf_counter()
        expected = graph.query(asked, method="ground", memory_limit=LIMIT)
        host = time.perf_counter() - start
        assert np.allclose(answer.probabilities, expected.probabilities, rtol=1e-9, atol=0)
        text += f"; NumPy on the host {host:.2f} s = {host / (done - planned):.0f}×"
    return text


def main() -> None:
    words = sys.argv[1:]
    split = words.index("--host") if "--host" in words else None
    hosts = [20, 22] if split is None else list(map(int, words[split + 1 :]))
    sides = list(map(int, words[:split])) or [20, 22, 24, 26, 28, 30]
    grid(6).query(0, method="torch", device=CARD)  # loads what is needed
    for side in sides:
        try:
            print(line(side, side in hosts), flush=True)
        except lg.MemoryLimitError as refused:
            print(f"{side:>3} × {side}: {refused}", flush=True)


if __name__ == "__main__":
    main()
