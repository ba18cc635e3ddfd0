"""Refusing graphs on disk that are damaged or make no sense: queries for what is wrong."""

from __future__ import annotations

from typing import Any

from pyspark.sql import functions as sql

from liftgraph.distributed.dictionary import Dictionary, table_rows
from liftgraph.distributed.storage import Folder
from liftgraph.errors import InputError, ParseError, quoted
from liftgraph.exact import shortened
from liftgraph.io.parquet.layout import EDGES, EVIDENCE, FACTORS, SUFFIX, VARIABLES, Listing


def refuse(graph: Folder, listing: Listing, problem: str) -> InputError:
    """The error about a table of a graph."""
    return ParseError(graph.file(listing.name + SUFFIX), None, problem)


def check_numbered(graph: Folder, listing: Listing, numbers: Any, count: int) -> None:
    """Refuse rows unless they have each number from 0 to below the count once."""
    name = numbers.columns[0]
    found = numbers.agg(
        sql.count("*").alias("rows"),
        sql.count_distinct(name).alias("distinct"),
        sql.min(name).alias("least"),
        sql.max(name).alias("most"),
    ).first()
    right = (count, count, 0, count - 1) if count else (0, 0, None, None)
    if tuple(found) != right:
        came = f"{found['rows']:,} rows about {found['distinct']:,}"
        bounds = f" from {found['least']} to {found['most']}"
        problem = f"expected {count:,} rows, one for each {name} from 0 on, got {came}{bounds}"
        raise refuse(graph, listing, problem)


def check_variables(graph: Folder, small: Dictionary, variables: Any) -> None:
    """Refuse variables without states, and observations that there cannot be."""
    check_numbered(graph, VARIABLES, variables.select("variable"), small.counts.variables)
    if wrong := variables.where("size is null").first():
        problem = f"expected a number of states of variable {wrong['variable']} that is listed"
        came = "none" if wrong["states"] is None else wrong["states"]
        raise refuse(graph, VARIABLES, f"{problem}, got {came}")
    if wrong := variables.where("state < -1 or state >= size").first():
        problem = f"expected a state of variable {wrong['variable']}, got {wrong['state']}"
        raise refuse(graph, EVIDENCE, problem)
    observed = variables.where("state >= 0").count()
    if observed != small.counts.observed:
        problem = f"expected {small.counts.observed:,} variables that exist, got {observed:,}"
        raise refuse(graph, EVIDENCE, problem)


def check_names(graph: Folder) -> None:
    """Refuse names of variables that are empty, or not distinct; one that is missing is the
    number."""
    rows = table_rows(graph, VARIABLES)
    if "name" not in rows.columns:
        return
    number = sql.col("variable").cast("string")
    names = rows.select("variable", sql.coalesce("name", number).alias("name"))
    if wrong := names.where("name = ''").first():
        problem = f"variable {wrong['variable']}: expected a name, got an empty one"
        raise refuse(graph, VARIABLES, problem)
    if wrong := names.groupBy("name").count().where("count > 1").first():
        came = shortened(quoted(wrong["name"]))
        raise refuse(graph, VARIABLES, f"expected distinct names, got {came} twice")


def check_factors(graph: Folder, small: Dictionary, factors: Any) -> None:
    """Refuse factors unless there is one of each number."""
    check_numbered(graph, FACTORS, factors.select("factor"), small.counts.factors)


def check_edges(graph: Folder, small: Dictionary, factors: Any, edges: Any) -> None:
    """Refuse edges unless each factor has a variable of its own at each position."""
    listed = table_rows(graph, EDGES).count()
    if listed != small.counts.edges:
        problem = f"expected {small.counts.edges:,} rows, got {listed:,}"
        raise refuse(graph, EDGES, problem)
    per_factor = edges.groupBy("factor").agg(
        sql.count("*").alias("arguments"),
        sql.count_distinct("place").alias("places"),
        sql.count_distinct("variable").alias("variables"),
        sql.min("fits").alias("fits"),
    )
    compared = factors.join(per_factor, "factor", "left").fillna(0, ["arguments", "places"])
    right = "arguments = arity and places = arity and (arity = 0 or variables = arity and fits)"
    if wrong := compared.where(f"not ({right})").orderBy("factor").first():
        raise refuse(graph, EDGES, _problem(wrong))
    total = factors.agg(sql.sum("arity")).first()[0] or 0
    if total != listed:
        problem = f"expected {total:,} edges of factors and variables that exist, got {listed:,}"
        raise refuse(graph, EDGES, problem)


def _problem(row: Any) -> str:
    name = f"factor {row['factor']}"
    if row["arguments"] != row["arity"] or row["places"] != row["arity"]:
        came = f"{row['arguments']:,} at {row['places']:,} positions"
        return f"{name}: expected a variable at each of {row['arity']:,} positions, got {came}"
    if row["variables"] != row["arity"]:
        return f"{name}: expected distinct variables, got one twice"
    return f"{name}: expected variables with as many states as its table has, got others"
