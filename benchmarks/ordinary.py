"""Ordinary models beside the libraries that people use today: networks, grids, relational data.

Everything runs in one process on one core. Times are CPU time. Each section ends with the
geometric mean and the worst of its ratios, and says whether what is asked for is reached.

    python benchmarks/ordinary.py [--slow] [--write] [SECTION ...]

``--write`` puts all sections into RESULTS.md. Needs the extras ``peers`` and ``flint``.
"""

from __future__ import annotations

import argparse
import os
import re

for library in ("OMP", "OPENBLAS", "MKL", "NUMBA"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

from collections.abc import Callable, Iterator, Sequence  # noqa: E402
from pathlib import Path  # noqa: E402

import ordinary_data  # noqa: E402
import ordinary_grids  # noqa: E402
import ordinary_lifted  # noqa: E402
import ordinary_limits  # noqa: E402
import ordinary_networks  # noqa: E402
from ordinary_rows import Section, written  # noqa: E402

RESULTS = Path(__file__).parent / "RESULTS.md"
_HEADING = "## Ordinary models"  # the last one on the page; peers/run.py keeps what it begins
_INTRODUCTION = """\
Networks, grids and relational data, beside the library that is best at them, in one process on one
core, in CPU time (`benchmarks/ordinary.py`). Where a ratio is below 1, liftgraph is faster."""


def _grids(slow: bool) -> Iterator[Section]:
    yield ordinary_grids.grids(ordinary_grids.SMALL, 1.5)
    yield ordinary_grids.grids(ordinary_grids.LARGE, 1.0)


def _networks(slow: bool) -> Iterator[Section]:
    yield ordinary_networks.first_queries(known=True)
    yield ordinary_networks.first_queries(known=False)
    yield ordinary_networks.repeated_questions()
    yield ordinary_networks.all_marginals(slow)


def _lifted(slow: bool) -> Iterator[Section]:
    yield from ordinary_lifted.first_queries()
    yield ordinary_lifted.named_first_queries()
    yield from ordinary_lifted.lifting()


def _limits(slow: bool) -> Iterator[Section]:
    yield ordinary_limits.hopeless()
    yield ordinary_limits.cold_start()
    yield ordinary_limits.first_of_a_process()


def _data(slow: bool) -> Iterator[Section]:
    yield from ordinary_data.predictions()
    yield ordinary_data.relations()
    yield ordinary_data.observed_blocks()
    yield ordinary_data.exactly()


SECTIONS: dict[str, Callable[[bool], Iterator[Section]]] = {
    "grids": _grids,
    "networks": _networks,
    "lifted": _lifted,
    "data": _data,
    "limits": _limits,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--slow", action="store_true", help="also what takes a peer a minute")
    parser.add_argument("--write", action="store_true", help="put the sections into RESULTS.md")
    options = parser.parse_args()
    texts = []
    for name, make in SECTIONS.items():
        if not options.sections or name in options.sections:
            for section in make(options.slow):
                texts.append(written(section))
                print(texts[-1], end="\n\n", flush=True)
    if options.write:
        RESULTS.write_text(with_section(RESULTS.read_text(), texts))


def with_section(page: str, texts: Sequence[str]) -> str:
    """A page that ends with the section about ordinary models."""
    parts = [_HEADING, _INTRODUCTION, _behind(texts), *texts]
    return page.partition(_HEADING)[0] + "\n\n".join(parts) + "\n"


def _behind(texts: Sequence[str]) -> str:
    """What is asked for and not reached."""
    missed = [
        f"- {text.splitlines()[0].removeprefix('### ')}: {verdict}"
        for text in texts
        for verdict in re.findall(
            r"((?:geometric mean|worst) \S+ \(at most \S+): not reached\)", text
        )
    ]
    return "\n".join(["Still behind what was asked for:", "", *[f"{line})" for line in missed]])


if __name__ == "__main__":
    main()
