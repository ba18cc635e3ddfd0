"""Reading files beside ``text.split()`` on the same text: UAI files made here, and any others.

python benchmarks/reading.py [FILE ...]
"""

from __future__ import annotations

import gzip
import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import liftgraph as lg
from liftgraph.experiments.timing import best_times

KINDS: dict[str, Callable[[random.Random], str]] = {
    "few tables, integers": lambda r: str(r.randrange(3)),
    "few tables, decimals": lambda r: r.choice(["0.25", "1.5"]),
    "all distinct, 6 decimals": lambda r: f"{r.random():.6f}",
    "all distinct, 17 digits": lambda r: repr(r.random()),
    "all distinct, exponents": lambda r: f"{r.random():.5e}",
}


def pairwise_model(numeral: Callable[[random.Random], str], factors: int = 100_000) -> str:
    """A ring of Boolean variables with a table of four random numbers on every edge."""
    generator = random.Random(0)
    scopes = "\n".join(f"2 {index} {(index + 1) % factors}" for index in range(factors))
    tables = "\n".join(
        "4\n " + " ".join(numeral(generator) for _ in range(4)) for _ in range(factors)
    )
    return f"MARKOV\n{factors}\n{'2 ' * factors}\n{factors}\n{scopes}\n{tables}\n"


def report(name: str, path: Path) -> None:
    with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as stream:
        text = stream.read().decode()
    tasks: list[Callable[[], object]] = [lambda: lg.read(path), text.split]
    (ours, split), _ = best_times(tasks, 7)
    print(
        f"{name:<28}{len(text) / 1e6:6.1f} MB{1e3 * ours:9.1f} ms"
        f"{1e3 * split:9.1f} ms{ours / split:7.1f}×"
    )


def main() -> None:
    print(f"{'model':<28}{'size':>9}{'read':>12}{'split':>12}   ratio")
    with tempfile.TemporaryDirectory() as folder:
        for name, numeral in KINDS.items():
            path = Path(folder) / "model.uai"
            path.write_text(pairwise_model(numeral))
            report(name, path)
    for file in map(Path, sys.argv[1:]):
        report(file.name, file)


if __name__ == "__main__":
    main()
