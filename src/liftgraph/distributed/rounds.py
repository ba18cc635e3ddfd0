"""A round of colour passing on Spark: two group-bys, and colours that are 64-bit hashes.

A factor's colour is a hash of its class and of the multiset of (label, colour) of its arguments;
as places that commute share a label, that is its signature. A variable's colour is a hash of its
earlier colours and of the multiset of (label, colour) of its factors. A multiset is hashed by
adding up hashes of its members, so that sums are made before anything is sent to another machine.

Equal signatures have equal hashes. So the groups are never smaller than those of the coarsest
stable colouring, whatever collides; ``verification`` sees whether they are larger.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pyspark import StorageLevel
from pyspark.sql import functions as sql

from liftgraph.distributed.exchanges import exchanged_rows
from liftgraph.distributed.preparation import prepared
from liftgraph.distributed.storage import Folder
from liftgraph.io.parquet.layout import EDGES, FACTORS, VARIABLES
from liftgraph.symmetry.tables.symmetries import Symmetries

_LOWER = 0xFFFFFFFF  # the lower half of a hash; sums of halves do not overflow below 2³¹ edges


@dataclass(frozen=True, eq=False)
class Edges:
    """The arguments of all factors, laid out for both steps of a round.

    ``by_variable`` and ``by_factor``: the same rows, in as many ``partitions`` by hash. Edges of
    ``hubs``, variables that have more edges than a partition should have, are in ``at_hubs``
    instead of ``by_variable``. ``symmetries``: of each class of tables.
    """

    by_variable: Any
    by_factor: Any
    at_hubs: Any
    hubs: tuple[int, ...]
    partitions: int
    symmetries: tuple[Symmetries, ...]

    @property
    def exchanging(self) -> bool:
        """Whether some table has symmetries that are not swaps."""
        return any(symmetries.exchanges for symmetries in self.symmetries)


def laid_out(run: Folder, partitions: int, symmetries: Sequence[Symmetries]) -> Edges:
    """The prepared edges, kept on the disks of the workers; lost ones are read again."""
    rows = prepared(run, EDGES.name).drop("fits")
    most = max(rows.count() // partitions, 1)
    degrees = rows.groupBy("variable").count()
    hubs = tuple(row["variable"] for row in degrees.where(sql.col("count") > most).collect())
    at_hub = sql.col("variable").isin(*hubs) if hubs else sql.lit(False)
    by_variable = rows.where(~at_hub).repartition(partitions, "variable")
    by_factor = rows.repartition(partitions, "factor")
    return Edges(
        by_variable.persist(StorageLevel.DISK_ONLY),
        by_factor.persist(StorageLevel.DISK_ONLY),
        rows.where(at_hub),
        hubs,
        partitions,
        tuple(symmetries),
    )


def let_go(edges: Edges) -> None:
    """Free the disks of the workers."""
    edges.by_variable.unpersist()
    edges.by_factor.unpersist()


def word(salt: int, *columns: Any) -> Any:
    """The hash of a member of a multiset."""
    return sql.xxhash64(sql.lit(salt), *columns)


def multiset_hash(salt: int, *columns: Any) -> tuple[Any, Any]:
    """The hash of the multiset of all rows of a group: the sums of both halves of their hashes."""
    hashes = word(salt, *columns)
    lower = sql.sum(hashes.bitwiseAND(sql.lit(_LOWER)))
    return lower.alias("lower"), sql.sum(sql.shiftrightunsigned(hashes, 32)).alias("upper")


def told_to_factors(edges: Edges, colours: Any) -> Any:
    """The edges with the colours of their variables: ``told``."""
    told = colours.select("variable", sql.col("colour").alias("told"))
    if not edges.hubs:
        return edges.by_variable.join(told.repartition(edges.partitions, "variable"), "variable")
    is_hub = sql.col("variable").isin(*edges.hubs)
    others = told.where(~is_hub).repartition(edges.partitions, "variable")
    at_hubs = edges.at_hubs.join(sql.broadcast(told.where(is_hub)), "variable")
    return edges.by_variable.join(others, "variable").unionByName(at_hubs)


def factor_step(run: Folder, edges: Edges, colours: Any, salt: int) -> Any:
    """The colours of factors: ``factor``, ``class``, ``colour``.

    Where exchanges are symmetries, the signature is the smallest image of the row of colours, and
    ``labels`` says which places the factor names alike.
    """
    constants = prepared(run, FACTORS.name).where("arity = 0").select("factor", "class")
    constants = constants.withColumn("colour", sql.xxhash64(sql.lit(salt), "class"))
    spoken = _with_arguments(edges, colours, salt)
    return spoken.unionByName(constants, allowMissingColumns=True)


def _with_arguments(edges: Edges, colours: Any, salt: int) -> Any:
    """The colours of the factors that have arguments."""
    told = told_to_factors(edges, colours)
    of_class = sql.max("class").alias("class")
    plain = told.where("not exchanging") if edges.exchanging else told
    hashed = plain.groupBy("factor").agg(of_class, *multiset_hash(salt, "label", "told"))
    colour = sql.xxhash64(sql.lit(salt), "class", "lower", "upper").alias("colour")
    result = hashed.select("factor", "class", colour)
    if not edges.exchanging:
        return result
    images = exchanged_rows(told.where("exchanging"), edges.symmetries)
    colour = sql.xxhash64(sql.lit(salt), "class", "image").alias("colour")
    exchanged = images.select("factor", "class", colour, "labels")
    return result.withColumn("labels", sql.lit(None).cast("array<bigint>")).unionByName(exchanged)


def told_to_variables(edges: Edges, factors: Any) -> Any:
    """The edges with the colours of their factors, ``told``, and the labels that these name."""
    told = factors.withColumnRenamed("colour", "told").drop("class")
    rows = edges.by_factor.join(told, "factor")
    if not edges.exchanging:
        return rows
    named = sql.get("labels", sql.col("place").cast("int"))
    return rows.withColumn(
        "label", sql.when(sql.col("exchanging"), named).otherwise(sql.col("label"))
    )


def variable_step(edges: Edges, colours: Any, factors: Any, salt: int) -> Any:
    """The new colours of variables: ``variable``, ``initial``, ``colour``."""
    told = told_to_variables(edges, factors)
    heard = told.groupBy("variable").agg(*multiset_hash(salt, "label", "told"))
    rows = colours.join(heard, "variable", "left").fillna(0, ["lower", "upper"])
    colour = sql.xxhash64(sql.lit(salt), "initial", "colour", "lower", "upper").alias("colour")
    return rows.select("variable", "initial", colour)


def first_colours(run: Folder) -> Any:
    """The colours of variables before the first round."""
    variables = prepared(run, VARIABLES.name)
    return variables.select("variable", "initial", sql.xxhash64("initial").alias("colour"))
