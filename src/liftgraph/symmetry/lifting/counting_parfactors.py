"""From the lifted model of a graph with stars to that of the given graph.

The edges of the stars of a group are parfactors on the centre and an argument, φ(V(Z), A(Z, X)).
Logvars that the centre does not have are counted: what the star stands for is a parfactor for all
Z with an argument #X[A(Z, X)], for each parfactor of edges.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import ComputationError, InputError
from liftgraph.model.arrays import places_type
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.table import Table
from liftgraph.model.lifted.checks import check_parfactor, counted_number
from liftgraph.model.lifted.instances import argument_rows
from liftgraph.model.lifted.logvars import Constraint, Different, LogVar, constrained
from liftgraph.model.lifted.origin import Origin
from liftgraph.model.lifted.parfactor import CRV, PRV, Argument, Atom, Parfactor, atom_of
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.symmetry.colours.stars import Stars
from liftgraph.symmetry.lifting.counting_potentials import (
    ManyGroupsError,
    argument_blocks,
    counting_potential,
)
from liftgraph.symmetry.lifting.naming import logvars_over

Number = TypeVar("Number", bound=np.generic)
_MOST_GROUPS = 1 << 9  # of arguments of a factor
_NO_TABLE = Table.of(1)


@dataclass(frozen=True, slots=True)
class _Lifting:
    """A graph, the same with stars, and the lifted model of that; ``origin``: of the model.

    ``centres``: int64 (w,), the number of each wide factor's centre. ``edges``: the parfactors of
    edges, those of arguments that contribute alike one after the other, by the PRV of their centre.
    ``kept``: how many parfactors are not of edges.
    """

    graph: FactorGraph
    stars: Stars
    model: ParfactorGraph
    origin: Origin
    centres: NDArray[np.int64]
    edges: dict[str, list[Parfactor]]
    kept: int


@dataclass(frozen=True, slots=True)
class _Group:
    """Wide factors that are one parfactor.

    ``members``: intp (m,), indices of wide factors in the order of the substitutions. ``order``:
    (m, k), the places of their arguments. ``scales``: of each.
    """

    parfactor: Parfactor
    members: NDArray[np.intp]
    order: NDArray[np.intp]
    scales: list[Fraction]


def without_centres(graph: FactorGraph, stars: Stars, model: ParfactorGraph) -> ParfactorGraph:
    """The lifted model of a graph. ``model``: that of the graph with stars.

    Wide factors whose arguments are too many groups, or which no counting variables describe, are
    refused.
    """
    lifting = _lifting(graph, stars, model)
    centres = [prv for prv in model.prvs if prv.name in lifting.edges]
    groups = [_group(lifting, prv) for prv in centres]
    prvs = tuple([prv for prv in model.prvs if prv.name not in lifting.edges])
    parfactors = *model.parfactors[: lifting.kept], *[group.parfactor for group in groups]
    return ParfactorGraph(prvs, parfactors, _origin(lifting, groups))


def _lifting(graph: FactorGraph, stars: Stars, model: ParfactorGraph) -> _Lifting:
    assert model.origin is not None
    start, narrow = np.array(model.factor_start), len(stars.narrow)
    kinds = graph.table_id[stars.wide].tolist()
    labels = np.concatenate([stars.contributions[kind].labels for kind in kinds])
    label_of = np.empty(len(labels), dtype=np.int64)
    label_of[model.origin.factors[narrow:] - narrow] = labels
    kept = int(np.searchsorted(start, narrow))
    first = start[kept:-1] - narrow  # edge of each parfactor
    edges: dict[str, list[Parfactor]] = {}
    centres = {prv.name for prv in model.prvs if "" in prv.states}
    for index in np.argsort(label_of[first], kind="stable").tolist():
        parfactor = model.parfactors[kept + index]
        (name,) = {atom_of(argument).prv.name for argument in parfactor.arguments} & centres
        edges.setdefault(name, []).append(parfactor)
    numbers = model.origin.variables[graph.variable_count :]
    return _Lifting(graph, stars, model, model.origin, numbers, edges, kept)


def _group(lifting: _Lifting, centre: PRV) -> _Group:
    """The parfactor of the wide factors with these centres."""
    model = lifting.model
    start = model.variable_start[model.prvs.index(centre)]
    inside = (lifting.centres >= start) & (lifting.centres < start + centre.size)
    chosen = np.flatnonzero(inside)
    members = chosen[np.argsort(lifting.centres[chosen])]
    scope = _counting(centre, lifting.edges[centre.name])
    order = _order(lifting, scope, members)
    kinds = lifting.graph.table_id[lifting.stars.wide[members]].tolist()
    blocks = argument_blocks(scope.arguments, order[0])
    potential = counting_potential(lifting.graph.potentials[kinds[0]], blocks)
    if potential is None:
        raise ComputationError("a count factor was lifted to another one: please report this")
    given = [lifting.stars.contributions[kind].scale for kind in kinds]
    scales = [scale / given[0] for scale in given]
    listed = tuple(Counter(scales).items()) if set(scales) != {Fraction(1)} else ()
    return _Group(replace(scope, potential=potential, scales=listed), members, order, scales)


def _counting(centre: PRV, edges: Sequence[Parfactor]) -> Parfactor:
    """The arguments, logvars and constraints of a parfactor, from those of the edges of its stars.

    Logvars that the centre does not have are counted.
    """
    if len(edges) > _MOST_GROUPS:
        raise _refused(f"its arguments are {len(edges):,} groups")
    own = [_atoms(centre, edge)[0].logvars for edge in edges]
    pairs = zip(edges, own, strict=True)
    further = [[v for v in edge.logvars if v not in shared] for edge, shared in pairs]
    fresh = logvars_over([v.domain for listed in (centre.logvars, *further) for v in listed])
    free = tuple(fresh[: len(centre.logvars)])
    ends = accumulate([len(logvars) for logvars in further], initial=len(free))
    arguments, constraints = list[Argument](), _renamed(centre.constraints, centre.logvars, free)
    for edge, shared, logvars, (start, end) in zip(
        edges, own, further, pairwise(ends), strict=True
    ):
        counted = tuple(fresh[start:end])
        renamed = _renamed(edge.constraints, (*shared, *logvars), (*free, *counted))
        about = [one for one in renamed if not set(counted).isdisjoint(constrained(one))]
        name = dict(zip((*shared, *logvars), (*free, *counted), strict=True))
        leaf = _atoms(centre, edge)[1]
        atom = Atom(leaf.prv, tuple([name[logvar] for logvar in leaf.logvars]))
        arguments.append(CRV(atom, counted, counted_number(counted, about)) if counted else atom)
        constraints += about
    return _checked(Parfactor(tuple(arguments), free, _NO_TABLE, tuple(constraints)))


def _atoms(centre: PRV, edge: Parfactor) -> tuple[Atom, Atom]:
    """The centre of an edge, and its other end."""
    first, second = map(atom_of, edge.arguments)
    return (first, second) if first.prv == centre else (second, first)


def _checked(parfactor: Parfactor) -> Parfactor:
    try:
        check_parfactor("its arguments", parfactor)
    except InputError as error:
        raise _refused(str(error)) from None
    return parfactor


def _refused(reason: str) -> ManyGroupsError:
    return ManyGroupsError(f"a count factor is not lifted, and too large for a table: {reason}")


def _renamed(
    constraints: Sequence[Constraint], before: Sequence[LogVar], after: Sequence[LogVar]
) -> list[Constraint]:
    """Constraints on other logvars; those on unordered sets are refused."""
    name = dict(zip(before, after, strict=True))
    renamed: list[Constraint] = []
    for constraint in constraints:
        if not isinstance(constraint, Different):
            raise _refused("it is about unordered sets of individuals")
        renamed.append(Different(name[constraint.first], name[constraint.second]))
    return renamed


def _order(lifting: _Lifting, parfactor: Parfactor, members: NDArray[np.intp]) -> NDArray[np.intp]:
    """The place in the given scope of each argument, intp (m, k), of these wide factors."""
    graph, variables = lifting.graph, lifting.model.places
    rows = lifting.origin.index_by_number[np.hstack([*argument_rows(variables, parfactor)])]
    start = graph.scope_ptr[lifting.stars.wide[members]]
    order = np.empty(rows.shape, dtype=np.intp)
    for places, row, first in zip(order, rows, start.tolist(), strict=True):
        scope = graph.scope[first : first + len(row)]
        sorter = np.argsort(scope, kind="stable")
        found = np.searchsorted(scope, row, sorter=sorter)
        places[:] = sorter[np.minimum(found, len(row) - 1)]
    return order


def _origin(lifting: _Lifting, groups: Sequence[_Group]) -> Origin:
    """How the given graph lists the variables, factors and arguments of the model."""
    graph, stars, before = lifting.graph, lifting.stars, lifting.origin
    factors = _beside(stars, before.factors)
    scale_id = _beside(stars, before.scale_id)
    near_id = _beside(stars, before.near_id if before.near else np.full_like(before.scale_id, -1))
    scales = {scale: index for index, scale in enumerate(before.scales)}
    start = len(stars.narrow)
    for group in groups:
        given = stars.wide[group.members]
        factors[given] = start + np.arange(len(given))
        scale_id[given] = [scales.setdefault(scale, len(scales)) for scale in group.scales]
        start += len(given)
    kinds, index = np.unique(graph.table_id[stars.wide], return_inverse=True)
    near_id[stars.wide] = len(before.near) + index
    return replace(
        before,
        names=graph.names,
        prvs=graph.prvs,
        variables=before.variables[: graph.variable_count],
        factors=factors,
        argument_order=_argument_order(lifting, groups),
        scale_id=scale_id,
        scales=tuple(scales),
        singled_out=before.singled_out[before.singled_out < graph.variable_count],
        near=(*before.near, *[graph.potentials[kind] for kind in kinds.tolist()]),
        near_id=near_id,
    )


def _beside(stars: Stars, numbers: NDArray[Number]) -> NDArray[Number]:
    """The numbers of narrow factors at their places among all factors."""
    beside = np.zeros(len(stars.narrow) + len(stars.wide), dtype=numbers.dtype)
    beside[stars.narrow] = numbers[: len(stars.narrow)]
    return beside


def _argument_order(lifting: _Lifting, groups: Sequence[_Group]) -> NDArray[np.integer[Any]]:
    """The places of all arguments in the given scopes."""
    graph, stars = lifting.graph, lifting.stars
    arity = np.diff(graph.scope_ptr)
    narrow = np.repeat(_beside(stars, np.ones(len(stars.narrow), dtype=np.bool_)), arity)
    order = np.empty(len(graph.scope), dtype=places_type(int(arity.max())))
    order[narrow] = lifting.origin.argument_order[: int(narrow.sum())]
    for group in groups:
        start = graph.scope_ptr[stars.wide[group.members], None]
        order[start + np.arange(group.order.shape[1])] = group.order
    return order
