"""The front door: colour passing on Spark, which is loaded when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from liftgraph.distributed.session import check_installed, session
from liftgraph.distributed.storage import folder
from liftgraph.errors import InputError, quoted, short_traceback
from liftgraph.exact import checked_tolerance
from liftgraph.model.ground.names import is_count
from liftgraph.model.memory_limit import MEMORY_LIMIT, Bytes, checked_memory_limit
from liftgraph.symmetry.colours.colouring import ALGORITHMS, Algorithm
from liftgraph.symmetry.colours.quotient import Quotient


@short_traceback
def colour_on_spark(
    graph: Path | str,
    output: Path | str,
    *,
    algorithm: Algorithm = "alpha-acp",
    tolerance: object = None,
    spark: Any = None,
    master: str | None = None,
    settings: Mapping[str, str] | None = None,
    partitions: int | None = None,
    memory_limit: Bytes = MEMORY_LIMIT,
    report: Callable[[str], None] | None = None,
) -> Quotient:
    """The quotient of a graph on disk, and in the folder ``output`` the colours of its members.

    The colours are those which ``colour_passing`` finds, with the same numbers:
    ``variables.parquet`` has ``variable`` and ``colour``, ``factors.parquet`` has ``factor`` and
    ``colour``. Paths are those of this machine, or of anything else which all workers of Spark can
    read and write. A run which was interrupted goes on where it was: call it again.

    ``spark``: a session; by default the active one or, if there is none, one which starts and ends.
    ``master``: where that one runs, as Spark writes it; ``settings``: Spark's own.
    ``partitions``: into how many the edges are divided; by default one for two million edges, and
    at least one for each core. ``memory_limit``: what tables and the quotient may take on the
    driver, in bytes. ``report``: called with a line for each step.
    """
    epsilon, limit = checked_tolerance(tolerance), checked_memory_limit(memory_limit)
    if algorithm not in ALGORITHMS:
        raise InputError(f"expected an algorithm among {', '.join(ALGORITHMS)}, got {algorithm}")
    if partitions is not None and not (is_count(partitions) and partitions > 0):
        raise InputError(f"expected a positive number of partitions, got {quoted(partitions)}")
    check_installed()
    from liftgraph.distributed.run import coloured

    tell = report or (lambda line: None)
    with session(spark, master, settings) as started:
        source, target = folder(started, graph), folder(started, output)
        return coloured(source, target, algorithm, epsilon, partitions, limit, tell)
