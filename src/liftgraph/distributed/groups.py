"""The quotient of a graph on disk, fetched from Spark, and its canonical numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import functions as sql

from liftgraph.distributed.dictionary import Dictionary, table_rows
from liftgraph.distributed.preparation import prepared, small_table
from liftgraph.distributed.storage import Folder
from liftgraph.io.parquet.layout import EDGES, FACTORS, VARIABLES
from liftgraph.model.ground.factor_graph import pointers
from liftgraph.model.ground.table import Potential, PotentialPool, shared
from liftgraph.symmetry.colours.colouring import Algorithm
from liftgraph.symmetry.colours.incidence import distinct_kinds, incidence_of
from liftgraph.symmetry.colours.initial import combined
from liftgraph.symmetry.colours.numbering import canonical_numbers
from liftgraph.symmetry.colours.quotient import Quotient, Scales, scale_counts
from liftgraph.symmetry.tables.orbits import smallest_images

Column = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of variables or of factors as Spark numbers them: int64 (g,) each.

    ``colours``: the hashes; ``sizes``; ``members``: the first member; ``sorts``: the number of its
    initial colour or the class of its table. Groups are in the order of the hashes.
    """

    colours: Column
    sizes: Column
    members: Column
    sorts: Column


def groups_of(colours: Any, member: str, sort: str) -> Groups:
    """The groups of these colours."""
    listed = colours.groupBy("colour").agg(
        sql.count("*").alias("size"), sql.min(member).alias("member"), sql.min(sort).alias("sort")
    )
    columns = _columns(listed.orderBy("colour"))
    return Groups(*(columns[name] for name in ("colour", "size", "member", "sort")))


def _columns(rows: Any) -> dict[str, Column]:
    """Columns of integers, fetched."""
    table = rows.toArrow()
    return {name: table[name].to_numpy().astype(np.int64) for name in table.column_names}


@dataclass(frozen=True, eq=False)
class Numbered:
    """A quotient, and the number of each group of variables and of factors by its hash."""

    quotient: Quotient
    variable_numbers: Mapping[str, list[int]]
    factor_numbers: Mapping[str, list[int]]


def numbered_groups(
    graph: Folder,
    small: Dictionary,
    run: Folder,
    algorithm: Algorithm,
    colours: Any,
    factors: Any,
) -> Numbered:
    """The quotient of verified colours of variables and of factors, and its numbers."""
    variables = groups_of(colours, "variable", "initial")
    others = groups_of(factors, "factor", "class")
    start, arguments = _rows(run, variables, others, colours)
    kinds, kind_of_class = distinct_kinds(small.symmetries)
    incidence = incidence_of(
        len(variables.sizes), start, arguments.astype(np.int32), kinds, kind_of_class[others.sorts]
    )
    numbers, factor_numbers = canonical_numbers(
        incidence,
        (combined(_ranks(variables.sorts)), variables.sizes.astype(np.intp)),
        (combined(_ranks(others.sorts)), others.sizes.astype(np.intp)),
    )
    order, factor_order = np.argsort(numbers), np.argsort(factor_numbers)
    states, observed, names = _members(graph, run, variables.members[order])
    state_sets = shared([small.state_sets[index] for index in states])
    potentials, potential_id, rows = _represented(
        small,
        others.sorts[factor_order].tolist(),
        [numbers[arguments[start[k] : start[k + 1]]] for k in factor_order.tolist()],
    )
    scales = _scales(small, run, factors, others)
    quotient = Quotient(
        algorithm,
        small.classes.tolerance,
        state_sets.distinct,
        state_sets.index.astype(np.int32),
        observed,
        names,
        variables.sizes[order],
        potentials,
        potential_id,
        pointers(np.array([len(row) for row in rows], dtype=np.int64)),
        np.concatenate([np.empty(0, np.int32), *rows]).astype(np.int32),
        others.sizes[factor_order],
        tuple(scales[k] for k in factor_order.tolist()),
    )
    return Numbered(
        quotient, _by_hash(variables.colours, numbers), _by_hash(others.colours, factor_numbers)
    )


def _represented(
    small: Dictionary, classes: Sequence[int], rows: Sequence[NDArray[np.int32]]
) -> tuple[tuple[Potential, ...], NDArray[np.int32], list[NDArray[np.int32]]]:
    """The distinct potentials that represent groups, which one each has, and its arguments in an
    order that depends on nothing but the groups.

    ``classes``: of the table of each group; ``rows``: the groups of its arguments.
    """
    pool = PotentialPool()
    potential_id = [pool.add(small.classes.representatives[index]) for index in classes]
    images = [
        smallest_images(row[None], small.symmetries[index])[0][0]
        for row, index in zip(rows, classes, strict=True)
    ]
    return tuple(pool), np.array(potential_id, dtype=np.int32), images


def _ranks(sorts: Column) -> NDArray[np.int64]:
    """The rank of each number among the distinct ones: combining colours takes 31 bits."""
    return np.unique(sorts, return_inverse=True)[1]


def _by_hash(colours: Column, numbers: NDArray[np.int32]) -> dict[str, list[int]]:
    return {"colour": colours.tolist(), "number": numbers.tolist()}


def _rows(
    run: Folder, variables: Groups, factors: Groups, colours: Any
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The groups of the arguments of each group's first factor: where they start, and which."""
    chosen = small_table(run.spark, {"factor": factors.members.tolist()})
    edges = prepared(run, EDGES.name).select("factor", "place", "variable").join(chosen, "factor")
    edges = edges.join(colours.select("variable", "colour"), "variable")
    columns = _columns(edges.select("factor", "place", "colour"))
    by_member = np.argsort(factors.members)
    group = by_member[np.searchsorted(factors.members, columns["factor"], sorter=by_member)]
    order = np.lexsort((columns["place"], group))
    arities = np.bincount(group, minlength=len(factors.members))
    return pointers(arities), np.searchsorted(variables.colours, columns["colour"][order])


def _members(
    graph: Folder, run: Folder, members: Column
) -> tuple[list[int], NDArray[np.int32], tuple[str, ...]]:
    """The lists of states of some variables, their observed states, and their names."""
    chosen = small_table(run.spark, {"variable": members.tolist()})
    rows = prepared(run, VARIABLES.name).select("variable", "states", "state")
    columns = _columns(rows.join(chosen, "variable").orderBy("variable"))
    place = np.searchsorted(columns["variable"], members)
    names = {int(index): str(index) for index in members}
    named = table_rows(graph, VARIABLES).where("name is not null")
    found = named.select("variable", "name").join(chosen, "variable")
    names |= {int(row["variable"]): row["name"] for row in found.collect()}
    observed = columns["state"][place].astype(np.int32)
    return (
        columns["states"][place].tolist(),
        observed,
        tuple(names[int(index)] for index in members),
    )


def _scales(small: Dictionary, run: Folder, factors: Any, groups: Groups) -> list[Scales]:
    """By what the members of each group of factors multiply its potential."""
    tables = prepared(run, FACTORS.name).select("factor", "table")
    pairs = factors.select("factor", "colour").join(tables, "factor")
    columns = _columns(pairs.groupBy("colour", "table").count())
    scale_of = dict(zip(small.used, small.classes.alignments, strict=True))
    listed: list[list[Any]] = [[] for _ in groups.colours]
    places = np.searchsorted(groups.colours, columns["colour"]).tolist()
    for place, table, count in zip(
        places, columns["table"].tolist(), columns["count"].tolist(), strict=True
    ):
        listed[place].append((scale_of[table].scale, count))
    return [scale_counts(scales) for scales in listed]
