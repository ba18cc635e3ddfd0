"""Colour passing on Spark from start to end: prepared once, a checkpoint a round, resumable."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import functions as sql

from liftgraph.display import counted
from liftgraph.distributed.checkpoints import (
    Checkpoint,
    colours_of,
    colours_path,
    first_checkpoint,
    last_checkpoint,
    shown,
    stored,
)
from liftgraph.distributed.dictionary import Dictionary, dictionary
from liftgraph.distributed.groups import numbered_groups
from liftgraph.distributed.preparation import prepare
from liftgraph.distributed.rounds import (
    Edges,
    factor_step,
    laid_out,
    let_go,
    variable_step,
)
from liftgraph.distributed.session import spark_errors
from liftgraph.distributed.storage import (
    QUOTIENT,
    SETTINGS,
    SUMMARY,
    Folder,
    exists,
    fingerprint,
    names,
    read_text,
    remove,
    write_text,
)
from liftgraph.distributed.verification import is_stable
from liftgraph.errors import ComputationError, InputError
from liftgraph.exact import checked_tolerance
from liftgraph.io.json.quotients import read_quotient, write_quotient
from liftgraph.io.parquet.layout import COUNTS
from liftgraph.model.memory_limit import beyond_limit
from liftgraph.symmetry.colours.colouring import Algorithm
from liftgraph.symmetry.colours.quotient import Quotient

_WORKING = "working"
_EDGES_A_PARTITION = 1 << 21
_GROUP_BYTES = 2000  # of a group in memory: its row from Spark, and its place in the quotient
_SALTS = 20  # hashes in a row that find no more groups and collide

Report = Callable[[str], None]


def coloured(
    source: Folder,
    target: Folder,
    algorithm: Algorithm,
    tolerance: object,
    partitions: int | None,
    limit: int,
    tell: Report,
) -> Quotient:
    """The quotient of the graph in one folder, and its colours in another; see ``on_spark``."""
    spark = source.spark
    with spark_errors(source.path):
        if not exists(spark, source.path):
            raise InputError(f"{source.path}: expected a folder with {COUNTS}, got nothing there")
        if f"{target.path}/".startswith(f"{source.path}/"):
            raise InputError(f"{target.path}: expected a folder that is not in the graph's own")
        wanted = _settings(source, algorithm, tolerance)
        with spark_errors(target.path):
            done = _finished(target, wanted, limit)
        if done is not None:
            tell(f"{target.path} has the colours of this graph already")
            return done
        small = dictionary(source, algorithm, tolerance, limit)
        parts = partitions or _partitions(spark, small.counts.edges)
        with spark_errors(target.path):
            write_text(spark, target.file(SETTINGS), wanted)
        with _shuffling(spark, parts):
            return _completed(_Task(source, target, small, algorithm, parts, limit, tell))


def _settings(graph: Folder, algorithm: Algorithm, tolerance: object) -> str:
    """What a run is about, as text: another run goes on only if it is about the same."""
    epsilon = checked_tolerance(tolerance)
    return json.dumps(
        {
            "graph": graph.path,
            "algorithm": algorithm,
            "tolerance": None if epsilon is None else str(epsilon),
            "files": fingerprint(graph.spark, graph.path),
        }
    )


def _finished(target: Folder, wanted: str, limit: int) -> Quotient | None:
    """The quotient of an earlier run if it was completed; one about something else is refused."""
    if not exists(target.spark, target.file(SETTINGS)):
        if names(target.spark, target.path):
            expected = "expected a new folder, or one of an earlier run"
            raise InputError(f"{target.path}: {expected}, got one with other files")
        return None
    completed = exists(target.spark, target.file(SUMMARY))
    if read_text(target.spark, target.file(SETTINGS)) != wanted:
        if not completed and last_checkpoint(_working(target)) is None:
            return None  # the other run found nothing
        problem = "expected the run of the same graph with the same options, got another one"
        raise InputError(f"{target.path}: {problem}: remove it, or name another folder")
    if not completed:
        return None
    with tempfile.TemporaryDirectory() as local:
        file = Path(local, QUOTIENT)
        file.write_text(read_text(target.spark, target.file(QUOTIENT)))
        return read_quotient(file, memory_limit=limit)


def _text(quotient: Quotient) -> str:
    """The quotient as it is written into a file."""
    with tempfile.TemporaryDirectory() as local:
        file = Path(local, QUOTIENT)
        write_quotient(quotient, file)
        return file.read_text()


def _partitions(spark: Any, edge_count: int) -> int:
    cores = int(spark.sparkContext.defaultParallelism)
    return max(cores, -(-edge_count // _EDGES_A_PARTITION))


@contextmanager
def _shuffling(spark: Any, partitions: int) -> Iterator[None]:
    """Shuffles of the session make as many partitions, for as long as this takes."""
    name = "spark.sql.shuffle.partitions"
    before = spark.conf.get(name)
    spark.conf.set(name, str(partitions))
    try:
        yield
    finally:
        spark.conf.set(name, before)


@dataclass(frozen=True, eq=False)
class _Task:
    """What a run is to do. ``limit``: bytes that the quotient may take."""

    graph: Folder
    target: Folder
    small: Dictionary
    algorithm: Algorithm
    partitions: int
    limit: int
    tell: Report

    @property
    def run(self) -> Folder:
        """Where the run has what it needs as long as it is not completed."""
        return _working(self.target)


def _working(target: Folder) -> Folder:
    return Folder(target.spark, target.file(_WORKING))


def _completed(task: _Task) -> Quotient:
    """Go on from the last checkpoint to the end: the colours, the quotient, and a summary."""
    start = time.monotonic()
    spark, target = task.target.spark, task.target
    checkpoint = _started(task)
    edges = laid_out(task.run, task.partitions, task.small.symmetries)
    try:
        checkpoint, found = _numbered(task, edges, checkpoint)
    finally:
        let_go(edges)
    write_text(spark, target.file(QUOTIENT), _text(found))
    summary = {"rounds": checkpoint.round, "seconds": round(time.monotonic() - start, 3)}
    write_text(spark, target.file(SUMMARY), json.dumps(summary))
    remove(spark, task.run.path)
    return found


def _started(task: _Task) -> Checkpoint:
    """The last checkpoint of an earlier run; without one, the first of this run."""
    checkpoint = last_checkpoint(task.run)
    if checkpoint is not None:
        task.tell(f"going on after {shown(checkpoint)}")
        return checkpoint
    edges = counted(task.small.counts.edges, "edge")
    task.tell(f"reading {edges}, in {counted(task.partitions, 'partition')}")
    prepare(task.graph, task.small, task.run)
    checkpoint = first_checkpoint(task.run, task.small)
    task.tell(shown(checkpoint))
    return checkpoint


def _numbered(task: _Task, edges: Edges, checkpoint: Checkpoint) -> tuple[Checkpoint, Quotient]:
    """The coarsest stable colours, written with their canonical numbers, and their quotient.

    If members of a group differ although their hashes are equal, other hashes go on from there.
    """
    in_vain = 0
    while in_vain < _SALTS:
        groups = checkpoint.variable_groups + checkpoint.factor_groups
        while checkpoint.grew:
            checkpoint = _next(task, edges, checkpoint)
        _check_groups(task, checkpoint)
        task.tell("verifying every member of every group")
        colours = colours_of(task.run, checkpoint)
        factors = factor_step(task.run, edges, colours, checkpoint.salt).persist()
        try:
            if is_stable(edges, colours, factors):
                return checkpoint, _written(task, colours, factors)
        finally:
            factors.unpersist()
        task.tell("hashes collided: other ones go on from these groups")
        more = checkpoint.variable_groups + checkpoint.factor_groups > groups
        in_vain = 0 if more else in_vain + 1
        checkpoint = replace(checkpoint, salt=checkpoint.salt + 1, grew=True)
    raise ComputationError("the engine spark found no stable colours: please report this")


def _next(task: _Task, edges: Edges, checkpoint: Checkpoint) -> Checkpoint:
    """A round, and its checkpoint."""
    start = time.monotonic()
    colours, following = colours_of(task.run, checkpoint), checkpoint.round + 1
    factors = factor_step(task.run, edges, colours, checkpoint.salt).persist()
    try:
        new = variable_step(edges, colours, factors, checkpoint.salt)
        new.write.mode("overwrite").parquet(colours_path(task.run, following))
        factor_groups = factors.select("colour").distinct().count()
    finally:
        factors.unpersist()
    after = replace(checkpoint, round=following, factor_groups=factor_groups)
    variable_groups = colours_of(task.run, after).select("colour").distinct().count()
    before = checkpoint.variable_groups + checkpoint.factor_groups
    grew = variable_groups + factor_groups > before
    after = stored(task.run, replace(after, variable_groups=variable_groups, grew=grew))
    task.tell(f"{shown(after)} ({time.monotonic() - start:.1f} s)")
    return after


def _check_groups(task: _Task, checkpoint: Checkpoint) -> None:
    """Refuse to fetch a quotient that is larger than the limit."""
    groups = checkpoint.variable_groups + checkpoint.factor_groups
    needed = _GROUP_BYTES * groups
    if needed > task.limit:
        size = f"there are {counted(groups, 'group')}"
        raise beyond_limit(f"{task.graph.path}: its quotient needs", needed, task.limit, size)


def _written(task: _Task, colours: Any, factors: Any) -> Quotient:
    """The quotient; the number of each member's group is written."""
    found = numbered_groups(task.graph, task.small, task.run, task.algorithm, colours, factors)
    task.tell("writing the colours")
    for member, rows, numbers in (
        ("variable", colours, found.variable_numbers),
        ("factor", factors, found.factor_numbers),
    ):
        groups = rows.sparkSession.createDataFrame(pa.table(numbers))
        listed = rows.select(member, "colour").join(groups, "colour")
        listed = listed.select(member, sql.col("number").cast("int").alias("colour"))
        listed.write.mode("overwrite").parquet(task.target.file(f"{member}s.parquet"))
    return found.quotient
