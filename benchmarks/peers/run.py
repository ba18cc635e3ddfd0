"""The same models and queries through liftgraph and other packages that answer exactly.

    python benchmarks/peers/run.py [--quick] [--peers pgmpy …] [--families epid …]

Needs liftgraph in the environment it runs in; every peer gets one of its own. Sizes double until
a package fails. Results are written to benchmarks/RESULTS.md (those of --quick beside the
environments); an interrupted run continues where it was: remove the journal to measure anew.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from itertools import takewhile
from pathlib import Path
from typing import NoReturn

from environments import HERE, OWN, command, folder, peers
from families import FAMILIES, Instance, reference, write_plain
from journal import Journal
from measuring import Limits, Record, measure
from report import written

from liftgraph.io.writing import write_bytes

MOST_EDGES = 5_000_000
SIZES = [2**exponent for exponent in range(1, 31)]
QUICK_SECONDS, QUICK_SIZE = 10, 8


def main() -> None:
    """Measure what is not in the journal yet, then write the results."""
    options = _options()
    limits = Limits(options.seconds, options.memory)
    journal = Journal(options.journal or folder() / "journal.jsonl", limits)
    commands = {package: command(package) for package in [OWN, *options.peers]}
    sizes = [size for size in SIZES if not options.quick or size <= QUICK_SIZE]
    for family in options.families:
        _measure_family(family, sizes, commands, journal)
    results = (folder() if options.quick else HERE.parent) / "RESULTS.md"
    page = written(journal, sizes[-1], MOST_EDGES) + _ordinary_section(results)
    write_bytes(results, page.encode())
    print(f"results: {results.relative_to(HERE.parent.parent)}")


def _ordinary_section(results: Path) -> str:
    """The end of the page as it is, which ``ordinary.py`` writes."""
    page = results.read_text() if results.exists() else ""
    _, heading, rest = page.partition("\n## Ordinary models")
    return heading + rest


def _measure_family(
    family: str, sizes: list[int], commands: dict[str, list[str]], journal: Journal
) -> None:
    """All sizes of a family: a package that failed at one is not asked the next."""
    left = list(commands)
    for size in sizes:
        left = [package for package in left if _goes_on(journal, family, package, size)]
        missing = [package for package in left if (family, package, size) not in journal.records]
        if not missing:
            continue
        instance = FAMILIES[family].make(size)
        if instance.graph.edge_count > MOST_EDGES:
            return
        _measure_size(family, size, instance, {name: commands[name] for name in missing}, journal)


def _goes_on(journal: Journal, family: str, package: str, size: int) -> bool:
    earlier = (journal.records.get((family, package, smaller), {}) for smaller in _below(size))
    return not any("failure" in record for record in earlier)


def _below(size: int) -> list[int]:
    return list(takewhile(lambda other: other < size, SIZES))


def _measure_size(
    family: str, size: int, instance: Instance, commands: dict[str, list[str]], journal: Journal
) -> None:
    graph, asked = instance.graph, FAMILIES[family].asked
    expected = reference(family, instance, asked[0])
    counts = {
        "variables": graph.variable_count,
        "factors": graph.factor_count,
        "edges": graph.edge_count,
    }
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary) / "model.json"
        write_plain(graph, asked, path)
        for package, words in commands.items():
            record = counts | measure(words, path, journal.limits, expected)
            journal.add((family, package, size), record)
            print(f"{family:10}{size:8,}  {package:10} {_summary(record)}", flush=True)


def _summary(record: Record) -> str:
    if "failure" in record:
        return str(record["failure"])
    memory = record["peak"] - record["baseline"]
    return f"build {record['build']:.4f} s, query {record['query']:.4f} s, {memory:.0f} MiB"


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints are one line."""

    def error(self, message: str) -> NoReturn:
        """End with what was wrong."""
        self.exit(2, f"{self.prog}: {message}\n")


def _options() -> argparse.Namespace:
    parser = _Parser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, help="limit of a run (60; 10 if quick)")
    parser.add_argument("--memory", type=_bytes, default="8GiB", help="limit of a run (8GiB)")
    parser.add_argument("--peers", nargs="+", choices=peers(), default=peers())
    parser.add_argument("--families", nargs="+", choices=FAMILIES, default=list(FAMILIES))
    parser.add_argument("--quick", action="store_true", help="sizes up to 8, 10 s each")
    parser.add_argument("--journal", type=Path, help="where results are kept")
    options = parser.parse_args()
    if options.seconds is None:
        options.seconds = float(QUICK_SECONDS if options.quick else 60)
    if not options.seconds > 0:
        parser.error("--seconds: expected more than 0")
    return options


def _bytes(text: str) -> int:
    match = re.fullmatch(r"(\d+) ?([KMGT]iB)", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"expected a size such as 8GiB, got {text}")
    return int(match[1]) << 10 * " KMGT".index(match[2][0])


if __name__ == "__main__":
    main()
