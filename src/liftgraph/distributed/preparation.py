"""What rounds start from: a checked graph, its arguments aligned, with initial colours.

Each table of the run is written once. Variables: ``variable``, ``states``, ``state``, ``size`` and
``initial``, a number in the order of the canonical initial colours. Factors: ``factor``, ``table``,
``class`` and ``arity``. Edges: ``factor``, ``variable``, ``place``, ``label``, ``exchanging``,
``class`` and ``fits``, as in ``dictionary.Place``.
"""

from __future__ import annotations

from dataclasses import astuple, fields
from typing import Any

import pyarrow as pa
from pyspark.sql import functions as sql

from liftgraph.distributed.checks import (
    check_edges,
    check_factors,
    check_names,
    check_variables,
    refuse,
)
from liftgraph.distributed.dictionary import Dictionary, Place, places, table_rows
from liftgraph.distributed.session import spark_errors
from liftgraph.distributed.storage import Folder, exists, stored_rows
from liftgraph.io.parquet.layout import EDGES, EVIDENCE, FACTORS, SUFFIX, VARIABLES

_STATES = 1 << 20  # the most states that a variable has


def prepare(graph: Folder, small: Dictionary, run: Folder) -> None:
    """Write what the rounds read, and refuse a graph that is damaged or makes no sense."""
    with spark_errors(graph.path):
        variables = _written(run, VARIABLES.name, _variables(graph, small))
        check_variables(graph, small, variables)
        check_names(graph)
        factors = _written(run, FACTORS.name, _factors(graph, small))
        check_factors(graph, small, factors)
        edges = _written(run, EDGES.name, _edges(graph, small, variables, factors))
        check_edges(graph, small, factors, edges)


def prepared(run: Folder, name: str) -> Any:
    """A table that was prepared."""
    return stored_rows(run.spark, run.file(name + SUFFIX))


def _written(run: Folder, name: str, rows: Any) -> Any:
    rows.write.mode("overwrite").parquet(run.file(name + SUFFIX))
    return prepared(run, name)


def small_table(spark: Any, columns: dict[str, list[Any]]) -> Any:
    """A small table of integers and truth values, which every worker gets whole."""
    empty = {
        name: pa.array(values, None if values else pa.int64()) for name, values in columns.items()
    }
    return sql.broadcast(spark.createDataFrame(pa.table(empty)))


def _variables(graph: Folder, small: Dictionary) -> Any:
    rank = {states: place for place, states in enumerate(sorted(set(small.state_sets)))}
    sorts = {
        "states": [*range(len(small.state_sets))],
        "rank": [rank[states] for states in small.state_sets],
        "size": [len(states) for states in small.state_sets],
    }
    rows = table_rows(graph, VARIABLES).select("variable", "states")
    rows = rows.join(small_table(graph.spark, sorts), "states", "left")
    if small.counts.observed or exists(graph.spark, graph.file(EVIDENCE.name + SUFFIX)):
        rows = rows.join(_evidence(graph, small), "variable", "left").fillna(-1, ["state"])
    else:
        rows = rows.withColumn("state", sql.lit(-1).cast("bigint"))
    initial = sql.col("rank") * (_STATES + 1) + sql.col("state") + 1
    return rows.select("variable", "states", "state", "size", initial.alias("initial"))


def _evidence(graph: Folder, small: Dictionary) -> Any:
    """The observed variables and their states."""
    rows = table_rows(graph, EVIDENCE).select("variable", "state")
    total, different = rows.count(), rows.select("variable").distinct().count()
    if total != small.counts.observed or different != total:
        expected = f"{small.counts.observed:,} observed variables, each once"
        came = f"{total:,} rows about {different:,} variables"
        raise refuse(graph, EVIDENCE, f"expected {expected}, got {came}")
    return rows


def _factors(graph: Folder, small: Dictionary) -> Any:
    class_of = small.classes.class_of.tolist()
    tables = {
        "table": [*small.used],
        "class": class_of,
        "arity": [len(small.classes.representatives[index].shape) for index in class_of],
    }
    rows = table_rows(graph, FACTORS).select("factor", "table")
    return rows.join(small_table(graph.spark, tables), "table")


def _edges(graph: Folder, small: Dictionary, variables: Any, factors: Any) -> Any:
    listed = [astuple(place) for place in places(small)]
    columns = {
        field.name: [row[column] for row in listed] for column, field in enumerate(fields(Place))
    }
    rows = table_rows(graph, EDGES).select("factor", "position", "variable")
    rows = rows.join(factors.drop("arity"), "factor")
    rows = rows.join(small_table(graph.spark, columns), ["table", "position"])
    rows = rows.join(variables.select("variable", "size"), "variable")
    kept = "factor", "variable", "place", "label", "exchanging", "class"
    return rows.select(*kept, (sql.col("states") == sql.col("size")).alias("fits"))
