"""The results as Markdown: one table of all packages, one of liftgraph's largest models."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from textwrap import fill, shorten

from environments import HERE, OWN
from families import FAMILIES
from journal import Journal
from measuring import TOLERANCE, Record

from liftgraph.experiments.running import machine

_SIZE_HEADER = ["Build", "Query", "MiB"]
_HEADER = ["Model", "Package", "n", *_SIZE_HEADER, "Largest n", *_SIZE_HEADER, "At 2n", "Differs"]
_OWN_HEADER = ["Model", "n", "Variables", "Factors", "Arguments", "Build", "Query", "Next query"]

_LARGEST = 2**30  # n that no run gets to
_SHORT = 28  # characters of a cell
Runs = dict[int, Record]  # by size


def written(journal: Journal, largest_size: int, most_edges: int) -> str:
    """The whole document."""
    runs = _runs(journal, largest_size)
    parts = [
        "# The same queries through other packages",
        _introduction(journal, largest_size, most_edges),
        _table(_HEADER, list(_rows(runs))),
        _reading(),
        "## liftgraph's largest models",
        "The first query finds the symmetries; the next one asks for another variable.",
        _table(_OWN_HEADER, list(_own_rows(runs))),
        "## Versions and machine",
        _versions(journal),
        _machine(),
        (HERE / "left_out.md").read_text().strip(),
    ]
    return "\n\n".join(parts) + "\n"


def _runs(journal: Journal, largest_size: int) -> dict[tuple[str, str], Runs]:
    runs: dict[tuple[str, str], Runs] = {}
    for (family, package, size), record in sorted(journal.records.items()):
        if size <= largest_size:
            runs.setdefault((family, package), {})[size] = record
    return runs


def _packages(runs: dict[tuple[str, str], Runs], family: str) -> list[str]:
    """The packages with a run of a family, liftgraph first."""
    return sorted((p for f, p in runs if f == family), key=lambda p: (p != OWN, p))


def _rows(runs: dict[tuple[str, str], Runs]) -> Iterator[list[str]]:
    for family in FAMILIES:
        packages = _packages(runs, family)
        common = _common_size([runs[family, package] for package in packages])
        for package in packages:
            sizes = runs[family, package]
            answered = _answered(sizes)
            largest = answered[-1] if answered else 0
            name = FAMILIES[family].title if package == packages[0] else ""
            at_largest = _cells(sizes, largest)
            if answered and not _failures(sizes):
                at_largest[0] = f"≥ {at_largest[0]}"
            yield [name, package, *_cells(sizes, common), *at_largest, *_ending(sizes)]


def _common_size(packages: list[Runs]) -> int:
    """The largest size that all packages with any answer did answer; 0 if there is none."""
    answered = [set(_answered(runs)) for runs in packages]
    return max(set.intersection(*filter(None, answered)), default=0) if any(answered) else 0


def _answered(runs: Runs) -> list[int]:
    return sorted(size for size, record in runs.items() if "failure" not in record)


def _cells(runs: Runs, size: int) -> list[str]:
    if size not in runs or "failure" in runs[size]:
        return ["–", "", "", ""]
    record = runs[size]
    memory = record["peak"] - record["baseline"]
    return [f"{size:,}", _time(record["build"]), _time(record["query"]), f"{memory:,.0f}"]


def _ending(runs: Runs) -> list[str]:
    """What happened at the next size, and the largest difference of the answers."""
    differences = [runs[size]["difference"] for size in _answered(runs)]
    most = f"{max(differences):.0e}" if any(differences) else "0" if differences else "–"
    return [*(_failures(runs) or ["not run"])[:1], most]


def _failures(runs: Runs) -> list[str]:
    """What went wrong, in a few words."""
    return [
        shorten(record["failure"], _SHORT, placeholder=" …")
        for record in runs.values()
        if "failure" in record
    ]


def _own_rows(runs: dict[tuple[str, str], Runs]) -> Iterator[list[str]]:
    for family in FAMILIES:
        sizes = runs.get((family, OWN), {})
        if answered := _answered(sizes):
            record = sizes[answered[-1]]
            counts = [f"{record[what]:,}" for what in ("variables", "factors", "edges")]
            times = [_time(record[what]) for what in ("build", "query", "again")]
            yield [FAMILIES[family].title, f"{answered[-1]:,}", *counts, *times]


def _time(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            value = seconds / size
            return f"{value:.0f} {unit}" if value >= 10 else f"{value:.1f} {unit}"
    return f"{seconds * 1e3:.2f} ms"


def _table(header: list[str], rows: list[list[str]]) -> str:
    """Columns as wide as their widest cell; numbers to the right."""
    widths = [max(3, *map(len, column)) for column in zip(header, *rows, strict=True)]
    right = [all(_is_number(row[place]) for row in rows) for place in range(len(header))]
    rules = ["-" * (w - 1) + ":" if r else "-" * w for w, r in zip(widths, right, strict=True)]
    lines = []
    for row in (header, rules, *rows):
        cells = zip(row, widths, right, strict=True)
        lines.append("| " + " | ".join(c.rjust(w) if r else c.ljust(w) for c, w, r in cells) + " |")
    return "\n".join(lines)


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"–?|(≥ )?[\d,.]+(e[+-]\d+)?( m?s)?", cell) is not None


def _introduction(journal: Journal, largest_size: int, most_edges: int) -> str:
    seconds, memory = journal.limits
    smaller = f", or with n above {largest_size:,}" if largest_size < _LARGEST else ""
    return _paragraph(
        f"""
        Each model is given to each package as the same plain lists of scopes and tables, and each
        is asked for the distribution of one variable. Sizes n double from 2 on until a package
        needs more than {seconds:g} s for building and asking together, needs more than
        {memory / 2**30:g} GiB of address space, answers wrongly or fails. No package is asked for
        a model with more than {most_edges:,} arguments of factors in all{smaller}. Every run is a
        process of its own, and a first one: nothing is repeated. In the first four families each
        factor is multiplied, with probability 0.1, by a number from 1 to 10.
        """
    )


def _reading() -> str:
    return _paragraph(
        f"""
        n, first: the largest size that every package with any answer did answer. Largest n: the
        largest one this package answered. Build: from lists to a model that can be asked. Query:
        the first answer; whatever a package works out for that (symmetries, a path, a tree) is in
        it. MiB: the peak of resident memory above what importing the package and reading the
        lists had taken. At 2n: what became of the next size. Differs: the largest relative
        difference from a formula with 60 digits (grid: from liftgraph's ground elimination); above
        {TOLERANCE:.0e} an answer is wrong. `wrong: nan`: weights left the range of float64,
        although the tables of all packages but liftgraph were divided by their mean beforehand.
        `not run`: the next size has more arguments than that.
        """
    )


def _paragraph(text: str) -> str:
    return fill(" ".join(text.split()), width=100, break_on_hyphens=False)


def _versions(journal: Journal) -> str:
    version_of = {p: r["version"] for (_, p, _), r in journal.records.items() if "version" in r}
    packages = sorted(version_of, key=lambda package: package != OWN)
    lines = [f"- {package} {version_of[package]}" for package in packages]
    extras = ", ".join(_installed(["numpy", "numba", "python-flint"]))
    return "\n".join([f"{lines[0]} with {extras}", *lines[1:]]) if lines else ""


def _installed(packages: list[str]) -> Iterator[str]:
    for package in packages:
        try:
            yield f"{package} {version(package)}"
        except PackageNotFoundError:
            yield f"no {package}"


def _machine() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    used = len(os.sched_getaffinity(0))
    return (
        f"{machine()}, {memory:.0f} GiB, Python {platform.python_version()},"
        f" {datetime.now(UTC):%d %B %Y}; all packages on {used} core{'s' * (used > 1)}."
    )
