"""The README's first question with ten people, a thousand and a million.

    python benchmarks/readme.py

Each time it is the first question to a new model, the library being loaded.
"""

from __future__ import annotations

import re
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

README = Path(__file__).parents[1] / "README.md"
MODELS = 60
PEOPLE = "1_000_000"


def first_program() -> tuple[str, str]:
    """The lines that make the model, and the expression that asks."""
    (program, *_) = re.findall(r"```python\n(.*?)\n```", README.read_text(), flags=re.DOTALL)
    making, _, asking = program.rpartition("print(")
    return making, asking.removesuffix(")")


def milliseconds(making: str, asking: str) -> float:
    """How long the question takes to a new model."""
    names: dict[str, Any] = {}
    exec(making, names)
    start = perf_counter()
    eval(asking, names)
    return 1000 * (perf_counter() - start)


def main() -> None:
    """Print the median for each number of people."""
    making, asking = first_program()
    milliseconds(making, asking)  # loads what is loaded when it is first needed
    for people in ("10", "1_000", PEOPLE):
        times = [milliseconds(making.replace(PEOPLE, people), asking) for _ in range(MODELS)]
        print(f"{int(people):>9,} people  {median(times):.2f} ms, {min(times):.2f} at best")


if __name__ == "__main__":
    main()
