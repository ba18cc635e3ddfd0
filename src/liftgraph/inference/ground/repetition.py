"""Equal components are answered once.

Evidence cuts sparse relational data into many small components, most of which occur again and
again. Colours tell which are equal: if two components have a colour in common, they have the same
universal cover (Angluin 1980). A tree is its own universal cover; and if no two variables of a
component have the same colour, colours say which variable and factor is which. So two components
of one of these kinds that have a colour in common are isomorphic, and variables of the same colour
correspond. All other components count as different.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liftgraph.model.ground.factor_graph import FactorGraph, pointers
from liftgraph.symmetry.colours.colour_passing import colour_passing
from liftgraph.symmetry.structure.components import components

Integers = NDArray[np.int64]


class Repetition(NamedTuple):
    """Which components of a graph are equal.

    ``component``: int64 (n,), that of each variable, numbered from 0. ``times``: int64, for each
    component, how many are equal to it if it represents them, else 0. ``stands_for``: int64 (n,),
    the variable of the representative that corresponds to each variable.
    """

    component: Integers
    times: Integers
    stands_for: Integers


def repetition(graph: FactorGraph) -> Repetition:
    """Find equal components. Precondition: nothing is observed, and potentials are tables."""
    first = np.repeat(graph.scope[graph.scope_ptr[:-1]], np.diff(graph.scope_ptr))
    roots = components(first.astype(np.int64), graph.scope.astype(np.int64), graph.variable_count)
    component = np.unique(roots, return_inverse=True)[1].astype(np.int64)
    colours = colour_passing(graph, tolerance=0).variable_colours.astype(np.int64)
    count = int(component.max(initial=-1)) + 1
    least = np.full(count, graph.variable_count)
    np.minimum.at(least, component, colours)
    identified = _identified(graph, component, colours, count)
    key = np.where(identified, least, graph.variable_count + np.arange(count))
    _, representative, equal = np.unique(key, return_index=True, return_counts=True)
    times = np.zeros(count, dtype=np.int64)
    times[representative] = equal
    return Repetition(component, times, _corresponding(component, colours, times, identified))


def _identified(
    graph: FactorGraph, component: Integers, colours: Integers, count: int
) -> NDArray[np.bool_]:
    """Which components are trees or have no two variables of the same colour."""
    variables = np.bincount(component, minlength=count)
    factors = np.bincount(component[graph.scope[graph.scope_ptr[:-1]]], minlength=count)
    edges = np.bincount(component[graph.scope], minlength=count)
    pairs = np.unique(component * (int(colours.max(initial=0)) + 1) + colours)
    distinct = np.bincount(pairs // (int(colours.max(initial=0)) + 1), minlength=count)
    identified: NDArray[np.bool_] = (edges == variables + factors - 1) | (distinct == variables)
    return identified


def _corresponding(
    component: Integers, colours: Integers, times: Integers, identified: NDArray[np.bool_]
) -> Integers:
    stands_for = np.arange(len(component))
    same = identified[component]
    representing = np.flatnonzero(same & (times[component] > 0))
    variable_of_colour = np.zeros(int(colours.max(initial=0)) + 1, dtype=np.int64)
    variable_of_colour[colours[representing]] = representing
    stands_for[same] = variable_of_colour[colours[same]]
    return stands_for


def representatives(
    graph: FactorGraph, repeated: Repetition
) -> Iterator[tuple[FactorGraph, Integers, int]]:
    """The components that represent equally many, as a graph; its variables, and how many."""
    for times in np.unique(repeated.times[repeated.times > 0]).tolist():
        chosen = repeated.times[repeated.component] == times
        yield _induced(graph, chosen), np.flatnonzero(chosen), times


def _induced(graph: FactorGraph, chosen: NDArray[np.bool_]) -> FactorGraph:
    """The chosen variables, bool (n,), with their factors. Precondition: whole components."""
    part = with_factors(graph, chosen[graph.scope[graph.scope_ptr[:-1]]])
    index = np.cumsum(chosen) - 1
    scope = index[part.scope].astype(np.int32)
    return replace(part, state_set_id=graph.state_set_id[chosen], scope=scope)


def with_factors(graph: FactorGraph, chosen: NDArray[np.bool_]) -> FactorGraph:
    """The same variables and evidence with the chosen factors, bool (m,)."""
    arity = np.diff(graph.scope_ptr)
    return replace(
        graph,
        scope_ptr=pointers(arity[chosen]),
        scope=graph.scope[np.repeat(chosen, arity)],
        table_id=graph.table_id[chosen],
        likelihood_count=0,
    )
