"""What a lifted model has to remember of the factors it was lifted from."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from liftgraph.model.ground.factor_graph import NO_INDICES, FactorGraph
from liftgraph.model.ground.table import Table
from liftgraph.symmetry.colours.colouring import Colouring
from liftgraph.symmetry.structure.factor_rows import FactorRows
from liftgraph.symmetry.structure.parfactor_fit import FittedRows


@dataclass(slots=True)
class GivenFactors:
    """How given factors are those of parfactors, filled in parfactor by parfactor.

    ``place``: int64 (m,), the number within the parfactor. ``order``: int8 (e,).
    ``scale_id``: int32 (m,). ``scales``: distinct, 1 first. ``near``: bool (m,), whether the
    parfactor's table is only near to the given one. ``tables``: by class, scale and whether they
    were measured.
    """

    place: NDArray[np.int64]
    order: NDArray[np.int8]
    scale_id: NDArray[np.int32]
    scales: list[Fraction]
    near: NDArray[np.bool_]
    tables: dict[tuple[int, int, int, bool], Table] = field(default_factory=dict)


def given_factors(graph: FactorGraph, colouring: Colouring) -> GivenFactors:
    """The scales and aligned orders of all factors, with no places yet."""
    number = {Fraction(1): 0}
    ids = [number.setdefault(each.scale, len(number)) for each in colouring.classes.alignments]
    scale_id = np.array(ids, dtype=np.int32)[colouring.table_id]
    place = np.zeros(graph.factor_count, dtype=np.int64)
    deviates = np.array([each.deviation > 0 for each in colouring.classes.alignments], np.bool_)
    order, near = colouring.argument_order.copy(), deviates[colouring.table_id]
    return GivenFactors(place, order, scale_id, list(number), near)


def near_tables(
    graph: FactorGraph, known: GivenFactors
) -> tuple[tuple[Table, ...], NDArray[np.int32]]:
    """The tables that are only near those of their parfactors, and whose they are."""
    factors = np.flatnonzero(known.near)
    if not len(factors):
        return (), NO_INDICES
    used, number = np.unique(graph.table_id[factors], return_inverse=True)
    near_id = np.full(graph.factor_count, -1, dtype=np.int32)
    near_id[factors] = number
    return tuple(graph.tables[each] for each in used.tolist()), near_id


def parfactor_table(
    graph: FactorGraph, colouring: Colouring, known: GivenFactors, members: NDArray[np.intp]
) -> tuple[Table, tuple[tuple[Fraction, int], ...]]:
    """The table of a group of factors, and by what it is multiplied in how many of them."""
    own = _own_table(graph, colouring, members)
    if own is not None:
        known.near[members], known.scale_id[members] = False, 0
        return own, ()
    class_of = int(colouring.classes.class_of[colouring.table_id[members[0]]])
    scale, scales = _scales(known, members)
    measured = any(graph.tables[each].measured for each in set(graph.table_id[members].tolist()))
    key = class_of, scale.numerator, scale.denominator, measured
    if key not in known.tables:
        representative = colouring.classes.representatives[class_of]
        scaled = representative.scale * scale
        known.tables[key] = Table(representative.integers, scaled, measured)
    return known.tables[key], scales


def _own_table(graph: FactorGraph, colouring: Colouring, members: NDArray[np.intp]) -> Table | None:
    """The table that is only near to its representative, but that all these factors have.

    It can stand for itself unless it is less symmetric than the representative, whose symmetries
    arguments were ordered up to.
    """
    number = int(colouring.table_id[members[0]])
    alignment = colouring.classes.alignments[number]
    if not alignment.deviation or (colouring.table_id[members] != number).any():
        return None
    table = graph.tables[int(graph.table_id[members[0]])]
    integers = table.integers.transpose(alignment.permutation)
    symmetric = colouring.symmetries[colouring.classes.class_of[number]].generators
    if not all(np.array_equal(integers, integers.transpose(each)) for each in symmetric):
        return None
    return replace(table, integers=integers.copy())


def _scales(
    known: GivenFactors, members: NDArray[np.intp]
) -> tuple[Fraction, tuple[tuple[Fraction, int], ...]]:
    """The scale all these factors have in common, or 1 and how many have which."""
    first = known.scale_id[members[0]]
    if (known.scale_id[members] == first).all():
        known.scale_id[members] = 0
        return known.scales[first], ()
    ids, counts = np.unique(known.scale_id[members], return_counts=True)
    return Fraction(1), tuple(
        (known.scales[each], number)
        for each, number in zip(ids.tolist(), counts.tolist(), strict=True)
    )


def write_order(
    graph: FactorGraph,
    colouring: Colouring,
    known: GivenFactors,
    rows: FactorRows,
    fitted: FittedRows,
) -> None:
    """The places in the given scopes of the arguments, argument after argument."""
    listed = [column for argument in fitted.arguments for column in argument.columns]
    picked = fitted.order[:, listed]
    start = graph.scope_ptr[rows.factors][:, None]
    known.order[start + np.arange(len(listed))] = colouring.argument_order[start + picked]
