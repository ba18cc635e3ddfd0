"""Whether the groups at the fixed point are stable: counted exactly, without hashes of multisets.

Groups are stable if all members of a group meet equally many of each colour at each label. For each
pair of groups that meet at a label, this is so if as many members meet there as the group has, and
the fewest and the most meetings of a member are equal. A colour that only collided has members that
differ, and is found out; so the groups that pass are those of the coarsest stable colouring.
"""

from __future__ import annotations

from typing import Any

from pyspark.sql import functions as sql

from liftgraph.distributed.exchanges import exchanged_rows
from liftgraph.distributed.rounds import Edges, told_to_factors, told_to_variables


def is_stable(edges: Edges, colours: Any, factors: Any) -> bool:
    """Whether these colours of variables and factors are stable and refine the initial ones."""
    return (
        _alike(colours, "initial")
        and _alike(factors, "class")
        and _rows_alike(edges, colours, factors)
        and _meet_alike(told_to_variables(edges, factors), "variable", colours)
    )


def _alike(colours: Any, column: str) -> bool:
    """Whether all members of a group have one value in a column."""
    bounds = colours.groupBy("colour").agg(sql.min(column).alias("a"), sql.max(column).alias("b"))
    return bool(bounds.where("a != b").isEmpty())


def _rows_alike(edges: Edges, colours: Any, factors: Any) -> bool:
    """Whether all factors of a group have the same row of colours, up to symmetries."""
    told = told_to_factors(edges, colours)
    if not edges.exchanging:
        return _meet_alike(told, "factor", factors)
    images = exchanged_rows(told.where("exchanging"), edges.symmetries).select("factor", "image")
    pairs = images.join(factors.select("factor", "colour"), "factor").select("colour", "image")
    one_each = pairs.distinct().groupBy("colour").count().where("count > 1").isEmpty()
    plain = factors.where(sql.col("labels").isNull())
    return bool(one_each) and _meet_alike(told.where("not exchanging"), "factor", plain)


def _meet_alike(told: Any, member: str, colours: Any) -> bool:
    """Whether all members of a group meet equally many of each colour at each label."""
    meetings = told.groupBy(member, "label", "told").agg(sql.count("*").alias("times"))
    grouped = meetings.join(colours.select(member, "colour"), member)
    pairs = grouped.groupBy("colour", "label", "told").agg(
        sql.count("*").alias("members"), sql.min("times").alias("a"), sql.max("times").alias("b")
    )
    sizes = colours.groupBy("colour").agg(sql.count("*").alias("size"))
    wrong = pairs.join(sizes, "colour").where("members != size or a != b")
    return bool(wrong.isEmpty())
