"""How far a run has come: the colours of variables after a round, noted once they are complete.

Colours are written as Parquet after each round. This ends Spark's plan for them, which would double
otherwise, survives lost workers, and is where a run goes on that was interrupted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from liftgraph.display import counted
from liftgraph.distributed.dictionary import Dictionary
from liftgraph.distributed.preparation import prepared
from liftgraph.distributed.rounds import first_colours
from liftgraph.distributed.storage import (
    Folder,
    names,
    read_text,
    remove,
    stored_rows,
    write_text,
)
from liftgraph.errors import ParseError
from liftgraph.io.parquet.layout import VARIABLES


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A round after which the colours of variables are on disk; round 0 has the initial ones.

    ``salt``: of the hashes; ``grew``: whether there are more groups than a round before.
    """

    round: int
    salt: int
    variable_groups: int
    factor_groups: int
    grew: bool = True


def last_checkpoint(run: Folder) -> Checkpoint | None:
    """The latest round whose colours were written completely."""
    listed = [name for name in names(run.spark, run.file("rounds")) if name.endswith(".json")]
    if not listed:
        return None
    path = run.file("rounds", listed[-1])
    try:
        return msgspec.json.decode(read_text(run.spark, path), type=Checkpoint)
    except msgspec.DecodeError as error:
        raise ParseError(path, None, f"expected a checkpoint, got {error}") from None


def first_checkpoint(run: Folder, small: Dictionary) -> Checkpoint:
    """The checkpoint before the first round. Precondition: the graph is prepared."""
    groups = prepared(run, VARIABLES.name).select("initial").distinct().count()
    checkpoint = Checkpoint(0, 0, groups, len(small.classes.representatives))
    first_colours(run).write.mode("overwrite").parquet(colours_path(run, 0))
    return stored(run, checkpoint)


def stored(run: Folder, checkpoint: Checkpoint) -> Checkpoint:
    """The checkpoint, noted. Precondition: the colours of its round are written.

    Those of the round before stay, since the next one may still read them.
    """
    name = f"{checkpoint.round:06}.json"
    write_text(run.spark, run.file("rounds", name), msgspec.json.encode(checkpoint).decode())
    if checkpoint.round > 1:
        remove(run.spark, colours_path(run, checkpoint.round - 2))
    return checkpoint


def colours_path(run: Folder, round_number: int) -> str:
    """Where the colours of variables after a round are."""
    return run.file("rounds", f"{round_number:06}.parquet")


def colours_of(run: Folder, checkpoint: Checkpoint) -> Any:
    """The colours of variables after a round: ``variable``, ``initial``, ``colour``."""
    return stored_rows(run.spark, colours_path(run, checkpoint.round))


def shown(checkpoint: Checkpoint) -> str:
    """How many groups there are after a round, in a line."""
    groups = counted(checkpoint.variable_groups, "group")
    return (
        f"round {checkpoint.round}: {groups} of variables, {checkpoint.factor_groups:,} of factors"
    )
