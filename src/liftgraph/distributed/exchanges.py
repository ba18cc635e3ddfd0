"""Factors whose tables have symmetries that are not swaps: rows of colours up to these.

Only distinct rows leave the workers: their smallest images are found by the code that colour
passing in memory uses. Rows are compared as they are, not by their hashes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as sql

from liftgraph.errors import MemoryLimitError
from liftgraph.symmetry.colours.engines.arrays import smallest_rows
from liftgraph.symmetry.tables.symmetries import Symmetries

_MOST_ROWS = 1 << 21  # distinct rows that the driver takes: each is some hundred bytes there


def exchanged_rows(told: Any, symmetries: Sequence[Symmetries]) -> Any:
    """The smallest image of each factor's row and the label of each place: ``factor``, ``class``,
    ``image``, ``labels``.

    ``told``: the edges with the colours of their variables. ``symmetries``: of each class.
    """
    pairs = sql.sort_array(sql.collect_list(sql.struct("place", "told")))
    rows = told.groupBy("factor").agg(sql.max("class").alias("class"), pairs.alias("pairs"))
    rows = rows.select("factor", "class", sql.col("pairs.told").alias("row"))
    distinct = rows.select("class", "row").distinct().limit(_MOST_ROWS + 1).toArrow()
    if len(distinct) > _MOST_ROWS:
        expected = f"at most {_MOST_ROWS:,} distinct rows of colours of tables with exchanges"
        raise MemoryLimitError(f"expected {expected} on the driver, got more")
    images = told.sparkSession.createDataFrame(_images(distinct, symmetries))
    return rows.join(sql.broadcast(images), ["class", "row"]).drop("row")


def _images(distinct: Any, symmetries: Sequence[Symmetries]) -> Any:
    """The rows, their images and their labels, as an Arrow table."""
    listed: dict[str, list[Any]] = {"class": [], "row": [], "image": [], "labels": []}
    class_of, rows = np.array(distinct["class"].to_pylist()), distinct["row"].to_pylist()
    for index in np.unique(class_of).tolist():
        chosen = [rows[place] for place in np.flatnonzero(class_of == index).tolist()]
        images, labels = smallest_rows(np.array(chosen, dtype=np.int64), symmetries[index])
        listed["class"] += [index] * len(chosen)
        listed["row"] += chosen
        listed["image"] += images.tolist()
        listed["labels"] += labels.tolist()
    numbers = pa.list_(pa.int64())
    names = [("class", pa.int64()), ("row", numbers), ("image", numbers), ("labels", numbers)]
    return pa.table(listed, schema=pa.schema(names))
