"""What is in the folder of a factor graph on disk: its files, their columns, and the counts.

Each table is a Parquet file, or a folder of Parquet files, which is what Spark writes. Rows may be
in any order. Integers may have any width. Files that were written together have the same
generation; those of other programs may have none.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import msgspec

from liftgraph.errors import InputError, ParseError, quoted, reason
from liftgraph.exact import shortened
from liftgraph.io.files import open_regular
from liftgraph.io.writing import write_bytes

SUFFIX = ".parquet"
COUNTS = "graph.json"
GENERATION = b"liftgraph.generation"  # the key in the footers of Parquet files
_MOST_BYTES = 1 << 16  # of graph.json, which has seven fields


@dataclass(frozen=True, slots=True)
class Listing:
    """A table of the folder: ``name``, its file; ``columns``, those with integers, which it needs;
    ``others``: those that it may have beside them."""

    name: str
    columns: tuple[str, ...]
    others: tuple[str, ...] = ()

    def in_folder(self, folder: Path | str) -> Path:
        """Where the table is."""
        return Path(folder) / (self.name + SUFFIX)


STATES = Listing("states", ("states",), ("names",))
VARIABLES = Listing("variables", ("variable", "states"), ("name",))
TABLES = Listing(
    "tables", ("table",), ("shape", "values", "measured", "addends", "causes", "ranks")
)
FACTORS = Listing("factors", ("factor", "table"))
EDGES = Listing("edges", ("factor", "position", "variable"))
EVIDENCE = Listing("evidence", ("variable", "state"))
_LISTINGS = STATES, VARIABLES, TABLES, FACTORS, EDGES, EVIDENCE
FILES = {COUNTS, *(listing.name + SUFFIX for listing in _LISTINGS)}


Generation = str | msgspec.UnsetType  # unset: of a graph that another program wrote


class Counts(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The content of ``graph.json``: how many rows the tables have together, in all their files.

    ``generation``: what all files that were written with it say, too.
    """

    TITLE: ClassVar[str] = "liftgraph factor graph on disk"
    VERSION: ClassVar[int] = 1

    format: str
    version: int
    variables: int
    factors: int
    edges: int
    observed: int = 0
    generation: Generation = msgspec.UNSET


def counts_of(
    variables: int, factors: int, edges: int, observed: int, generation: Generation = msgspec.UNSET
) -> Counts:
    """The counts of a graph, as this version writes them."""
    return Counts(Counts.TITLE, Counts.VERSION, variables, factors, edges, observed, generation)


def write_counts(folder: Path | str, counts: Counts) -> None:
    """Write the counts, after everything else: a folder without them is incomplete."""
    write_bytes(Path(folder) / COUNTS, msgspec.json.format(msgspec.json.encode(counts)) + b"\n")


def read_counts(folder: Path | str) -> Counts:
    """The counts of a graph on disk; refused if this is not one of a version that is known."""
    path = Path(folder) / COUNTS
    if not Path(folder).is_dir():
        came = "a file" if Path(folder).exists() else "nothing there"
        raise InputError(f"{folder}: expected a folder with {COUNTS}, got {came}")
    return counts_in(str(path), _content(path))


def counts_in(path: str, content: bytes) -> Counts:
    """The counts that the content of ``graph.json`` says."""
    try:
        counts = msgspec.json.decode(content, type=Counts)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ParseError(path, None, f"expected the counts of a graph, got {error}") from None
    if (counts.format, counts.version) != (Counts.TITLE, Counts.VERSION):
        came = f"{shortened(counts.format)} {shortened(quoted(counts.version))}"
        raise ParseError(path, None, f"expected {Counts.TITLE} {Counts.VERSION}, got {came}")
    numbers = counts.variables, counts.factors, counts.edges, counts.observed
    if min(numbers) < 0:
        raise ParseError(path, None, f"expected counts from 0 on, got {min(numbers)}")
    return counts


def state_of(folder: Path | str) -> object:
    """What differs, if a folder was replaced: its ``graph.json``, or None if that is missing."""
    path = Path(folder) / COUNTS
    with suppress(OSError, InputError):
        status = path.stat()
        return status.st_dev, status.st_ino, status.st_mtime_ns, _content(path)
    return None


class OneGeneration(str):
    """A generation that every file must have: those without any are refused, too."""


def check_generation(path: Path, came: bytes | None, expected: Generation) -> None:
    """Refuse a file that was not written with the others."""
    if isinstance(expected, msgspec.UnsetType):
        return
    if came != expected.encode() and (came is not None or isinstance(expected, OneGeneration)):
        problem = "expected a file that was written together with the others, got one of another"
        raise InputError(f"{path}: {problem} graph: write the graph again")


def _content(path: Path) -> bytes:
    try:
        with open_regular(path) as stream:
            content = stream.read(_MOST_BYTES + 1)
    except FileNotFoundError:
        problem = "expected the counts of a graph, got no file (was writing it interrupted?)"
        raise InputError(f"{path}: {problem}") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {reason(error)}") from None
    if len(content) > _MOST_BYTES:
        raise ParseError(str(path), None, f"expected at most {_MOST_BYTES:,} bytes, got more")
    return content
