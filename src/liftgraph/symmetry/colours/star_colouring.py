"""The colouring of a graph from that of its narrow graph: centres of stars are factors again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.model.arrays import places_type
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.symmetry.colours.colouring import Change, Colouring
from liftgraph.symmetry.colours.initial import Colour, dense
from liftgraph.symmetry.colours.stars import Stars, with_stars


def without_stars(graph: FactorGraph, colouring: Colouring) -> Colouring:
    """The colouring of a graph. ``colouring``: that of its narrow graph."""
    stars = with_stars(graph, colouring.algorithm)
    if stars is None:
        return colouring
    variables, centres = np.split(colouring.variable_colours, [graph.variable_count])
    factors = _beside(graph, stars, colouring.factor_colours, centres)
    table_id = np.full(graph.factor_count, -1, dtype=np.int32)
    table_id[stars.narrow] = colouring.table_id[: len(stars.narrow)]
    kinds = zip(stars.wide.tolist(), graph.table_id[stars.wide].tolist(), strict=True)
    changes = colouring.changes
    return replace(
        colouring,
        variable_colours=dense(variables),
        factor_colours=dense(factors),
        argument_order=_argument_order(graph, stars, colouring),
        table_id=table_id,
        changes=None if changes is None else tuple(_changes(graph, stars, changes)),
        wide={factor: stars.contributions[kind].scale for factor, kind in kinds},
        graph=graph,
    )


def _beside(graph: FactorGraph, stars: Stars, factors: Colour, centres: Colour) -> Colour:
    """The colours of all factors: those of narrow factors are even, those of centres odd."""
    colours = np.empty(graph.factor_count, dtype=np.int32)
    colours[stars.narrow] = 2 * factors[: len(stars.narrow)]
    colours[stars.wide] = 2 * centres + 1
    return colours


def _argument_order(
    graph: FactorGraph, stars: Stars, colouring: Colouring
) -> NDArray[np.integer[Any]]:
    """Arguments of stars by what they contribute, then by their colours."""
    arity = np.diff(graph.scope_ptr)
    is_star = np.zeros(graph.factor_count, dtype=np.bool_)
    is_star[stars.wide] = True
    in_star = np.repeat(is_star, arity)
    order = np.empty(len(graph.scope), dtype=places_type(int(arity.max())))
    order[~in_star] = colouring.argument_order[: len(graph.scope) - int(in_star.sum())]
    kinds = graph.table_id[stars.wide].tolist()
    labels = np.concatenate([stars.contributions[kind].labels for kind in kinds])
    star = np.repeat(np.arange(len(kinds)), arity[stars.wide])
    start = np.cumsum(arity[stars.wide]) - arity[stars.wide]
    colours = colouring.variable_colours[graph.scope[in_star]]
    order[in_star] = np.lexsort((colours, labels, star)) - start[star]
    return order


def _changes(graph: FactorGraph, stars: Stars, changes: Sequence[Change]) -> list[Change]:
    """What got a new colour in each round, without edges of stars."""
    variables = np.zeros(graph.variable_count, dtype=np.int32)
    factors = np.zeros(graph.factor_count, dtype=np.int32)
    listed = []
    for change in changes:
        given, edges = change.variables < len(variables), change.factors >= len(stars.narrow)
        ours, colours = change.variables[given], change.variable_colours[given]
        narrow = stars.narrow[change.factors[~edges]]
        wide = stars.wide[change.variables[~given] - len(variables)]
        theirs = np.append(narrow, wide)
        even, odd = change.factor_colours[~edges], change.variable_colours[~given]
        factor_colours = np.append(2 * even, 2 * odd + 1).astype(np.int32)
        variables[ours], factors[theirs] = colours, factor_colours
        groups = len(np.unique(variables)), len(np.unique(factors))
        listed.append(Change(ours, colours, theirs, factor_colours, *groups))
    return listed
