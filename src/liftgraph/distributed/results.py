"""What one does with the colours of a run where the graph fits into memory: lift it."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from liftgraph.distributed.storage import SETTINGS, SUMMARY
from liftgraph.errors import InputError, ParseError, reason, short_traceback
from liftgraph.io.allowance import Allowance
from liftgraph.io.parquet import read
from liftgraph.io.parquet.layout import Listing
from liftgraph.io.parquet.rows import check_complete, check_range, rows
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.model.memory_limit import MEMORY_LIMIT, Bytes, checked_memory_limit
from liftgraph.symmetry.colours.colour_passing import colour_passing, with_colours
from liftgraph.symmetry.colours.colouring import Algorithm, Colouring, check_colouring
from liftgraph.symmetry.colours.engines.engine import StableColours
from liftgraph.symmetry.lifting.lift import lift_colouring

Content = TypeVar("Content")
_COLOUR_BYTES = 8  # of a variable or a factor


class _Settings(msgspec.Struct):
    """What a run was asked for, as far as it matters here."""

    algorithm: Algorithm
    tolerance: str | None


class _Summary(msgspec.Struct):
    """How a run went, as far as it matters here."""

    rounds: int


@short_traceback
def read_colouring(
    graph: FactorGraph, output: Path | str, *, memory_limit: Bytes = MEMORY_LIMIT
) -> Colouring:
    """The colouring of a graph that ``colour_on_spark`` wrote; refused if it is another graph's."""
    summary, settings = _content(Path(output, SUMMARY), _Summary), _settings(output)
    allowance = Allowance(str(output), checked_memory_limit(memory_limit))
    variables, factors = (
        _colours(output, Listing(name, (member, "colour")), count, allowance)
        for name, member, count in (
            ("variables", "variable", graph.variable_count),
            ("factors", "factor", graph.factor_count),
        )
    )
    stable = StableColours(variables, factors, summary.rounds)
    colouring = with_colours(graph, settings.algorithm, settings.tolerance, stable)
    check_colouring(graph, colouring)
    return colouring


def _settings(output: Path | str) -> _Settings:
    return _content(Path(output, SETTINGS), _Settings)


def _content(path: Path, kind: type[Content]) -> Content:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except OSError as error:
        expected = "expected the folder of a completed run"
        raise InputError(f"{path}: {expected}: {reason(error)}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ParseError(str(path), None, f"expected what a run wrote, got {error}") from None


def _colours(
    output: Path | str, listing: Listing, count: int, allowance: Allowance
) -> NDArray[np.int32]:
    """The colour of each member, int32."""
    file = listing.in_folder(output)
    allowance.take(_COLOUR_BYTES * count, f"there are {count:,} colours")
    colours = np.full(count, -1, dtype=np.int32)
    total = 0
    for (members, numbers), _ in rows(output, listing, allowance):
        check_range(file, listing.columns[0], members, count)
        check_range(file, "colour", numbers, count)
        colours[members] = numbers
        total += len(members)
    check_complete(file, listing.columns[0], total, colours)
    return colours


@short_traceback
def lift_on_disk(
    graph: Path | str, output: Path | str, *, memory_limit: Bytes = MEMORY_LIMIT
) -> ParfactorGraph:
    """The parametric factor graph of a graph on disk that ``colour_on_spark`` has coloured.

    It is made, and verified, in memory: refused if that needs more than ``memory_limit`` bytes.
    """
    limit = checked_memory_limit(memory_limit)
    ground = read(graph, memory_limit=limit)
    colouring = read_colouring(ground, output, memory_limit=limit)
    again = partial(colour_passing, ground, colouring.algorithm, _settings(output).tolerance)
    return lift_colouring(ground, colouring, again, limit)
