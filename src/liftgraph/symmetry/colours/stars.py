"""Graphs without wide factors: each is a star around a variable of its own.

The centre of a star stands for the factor, and a factor of two arguments joins it with each
argument, with a table that only says what the argument contributes. Colours of the centre, of its
edges and of the arguments tell each other what those of the factor and its arguments would: the
coarsest stable colouring is the same, in time linear in the arguments, whatever the engine.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from liftgraph.cache import Memo
from liftgraph.model.ground.factor_graph import FactorGraph, pointers
from liftgraph.model.ground.table import Table
from liftgraph.symmetry.colours.colouring import Algorithm
from liftgraph.symmetry.colours.contributions import Contributions, contributions, is_wide

_STARS: Memo[Algorithm, Stars | None] = Memo("stars", most=3)


@dataclass(frozen=True, eq=False)
class Stars:
    """A graph with stars for its wide factors, and what they stand for.

    ``graph``: the given variables, then the centres; the given narrow factors, then the edges of
    the stars, star after star, in the order of the scopes. ``narrow`` and ``wide``: intp, the given
    factors that are none and those that are stars. ``contributions``: of each wide potential, by
    its index.
    """

    graph: FactorGraph
    narrow: NDArray[np.intp]
    wide: NDArray[np.intp]
    contributions: dict[int, Contributions]


def with_stars(graph: FactorGraph, algorithm: Algorithm = "alpha-acp") -> Stars | None:
    """The graph with stars for its wide factors; None if it has no such factors."""
    stars = _STARS.get(graph.cache, algorithm, lambda: _stars(graph.observing({}), algorithm))
    if stars is None or not len(graph.evidence):
        return stars
    return replace(stars, graph=stars.graph.observing(dict(graph.evidence.items())))


def narrow_graph(graph: FactorGraph, algorithm: Algorithm = "alpha-acp") -> FactorGraph:
    """The graph with stars for its wide factors, if it has such factors; otherwise itself."""
    stars = with_stars(graph, algorithm)
    return graph if stars is None else stars.graph


def _stars(graph: FactorGraph, algorithm: Algorithm) -> Stars | None:
    used = np.flatnonzero(np.bincount(graph.table_id, minlength=len(graph.potentials)))
    chosen = [kind for kind in used.tolist() if is_wide(graph.potentials[kind])]
    if not chosen:
        return None
    kinds = {
        kind: contributions(graph.potentials[kind], algorithm == "cp", algorithm == "alpha-acp")
        for kind in chosen
    }
    is_star = np.isin(graph.table_id, chosen)
    narrow, wide = np.flatnonzero(~is_star), np.flatnonzero(is_star)
    return Stars(_starred(graph, narrow, wide, kinds), narrow, wide, kinds)


def _starred(
    graph: FactorGraph,
    narrow: NDArray[np.intp],
    wide: NDArray[np.intp],
    kinds: dict[int, Contributions],
) -> FactorGraph:
    """The graph with a star for each wide factor."""
    arity = np.diff(graph.scope_ptr)
    in_star = np.repeat(np.isin(np.arange(graph.factor_count), wide), arity)
    leaves = graph.scope[in_star]
    centres = graph.variable_count + np.repeat(np.arange(len(wide)), arity[wide])
    labels = np.concatenate([kinds[kind].labels for kind in graph.table_id[wide].tolist()])
    tables, edge_tables = _edge_tables(labels, graph.cardinalities[leaves])
    keys = sorted({listed.key for listed in kinds.values()})
    rank = {key: place for place, key in enumerate(keys)}
    ranks = np.array([rank[kinds[kind].key] for kind in graph.table_id[wide].tolist()])
    edges = np.stack([centres, leaves], axis=1).ravel().astype(np.int32)
    # States without a name and names that are not Unicode are refused elsewhere: none is equal.
    names = None if graph.names is None else [f"\udfff{place}" for place in range(len(wide))]
    return FactorGraph(
        (*graph.state_sets, *[("", f"{place:09}") for place in range(len(keys))]),
        np.append(graph.state_set_id, len(graph.state_sets) + ranks).astype(np.int32),
        None if names is None else (*(graph.names or ()), *names),
        pointers(np.append(arity[narrow], np.full(len(leaves), 2))),
        np.append(graph.scope[~in_star], edges),
        np.append(graph.table_id[narrow], len(graph.potentials) + edge_tables).astype(np.int32),
        (*graph.potentials, *tables),
    )


def _edge_tables(
    labels: NDArray[np.int64], sizes: NDArray[np.int64]
) -> tuple[list[Table], NDArray[np.int64]]:
    """A table for each label and number of states of an argument, and which one each edge has.

    No two are proportional in any order of their arguments, and neither is one to its transpose.
    """
    span = int(labels.max()) + 1
    codes, index = np.unique(sizes * span + labels, return_inverse=True)
    tables = []
    for size, label in zip(*map(np.ndarray.tolist, np.divmod(codes, span)), strict=True):
        integers = np.zeros((2, size), dtype=np.int64)
        integers[:, 0] = 1, label + 2
        tables.append(Table(integers, Fraction(1)))
    return tables, index
