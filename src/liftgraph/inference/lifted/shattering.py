"""Splitting and shattering: a model as terms over shards, its evidence absorbed.

Each parfactor is split by the parts its logvars range over, and by which logvars of an argument
stand for the same individual, so that arguments denote the same variables or different ones,
never some of both (de Salvo Braz et al. 2005; Kisyński and Poole 2009).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

import numpy as np

from liftgraph.inference.ground.reduction import impossible
from liftgraph.inference.lifted.counted_arguments import CountedArgument, counted_argument
from liftgraph.inference.lifted.observations import Observations
from liftgraph.inference.lifted.parts import Parts
from liftgraph.inference.lifted.placements import Placement, placements
from liftgraph.inference.lifted.shards import ShardIndex
from liftgraph.inference.lifted.terms import Axis, Term, canonical, choices
from liftgraph.inference.tensor.lookups import SumLookup
from liftgraph.inference.tensor.tensors import Tensor, given, take_from
from liftgraph.model.lifted.parfactor import CRV, Atom, Parfactor
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph


@dataclass(frozen=True)
class Shattered:
    """A model as terms over shards.

    ``constants``: weights of factors, and how often each occurs. ``free``: for variables that are
    in no factor, how many states they have, and how many such variables there are.
    """

    shards: ShardIndex
    terms: list[Term]
    constants: list[tuple[Fraction, int]]
    free: list[tuple[Fraction, int]]


def shatter(model: ParfactorGraph, parts: Parts, observed: Observations) -> Shattered:
    """A model as terms over shards, the evidence that its domains were cut by absorbed."""
    shards = ShardIndex(model, parts)
    terms: list[Term] = list(_likelihoods(shards, observed))
    constants: list[tuple[Fraction, int]] = [*observed.constants]
    for parfactor in model.parfactors:
        constants.append((parfactor.table.scale, parfactor.size))
        constants.extend(parfactor.scales)
        placed = placements(parfactor, parts, shards.domain)
        terms.extend(_term(shards, parfactor, placement) for placement in placed)
    kept = [(value, times) for value, times in constants if value != 1 and times]
    return Shattered(shards, terms, kept, list(_uncovered(shards)))


def _likelihoods(shards: ShardIndex, observed: Observations) -> Iterator[Term]:
    """A term for each shard whose variables have a likelihood, the same for all of them."""
    for key, (observation, _) in shards.parts.observed.items():
        state_count = len(shards.model.prvs[key[0]].states)
        if observation >= state_count:
            number = shards.of_key(key)
            shard = shards.world.shards[number]
            places = tuple(range(len(shard.parts)))
            tensor = given(observed.likelihoods[observation - state_count])
            cliques = tuple(map(shard.parts.index, shard.parts))
            axes = (canonical(shards.world, (number, places)),)
            yield Term(axes, tensor, shard.parts, cliques, shard.swaps)


def _term(shards: ShardIndex, parfactor: Parfactor, placement: Placement) -> Term:
    """The term of a parfactor whose logvars have this placement."""
    axes: list[Axis | CountedArgument] = []
    for argument in parfactor.arguments:
        if isinstance(argument, CRV):
            axes.append(counted_argument(shards, parfactor, argument, placement))
        else:
            axes.append(_atom_axis(shards, argument, placement))
    tensor, left = _absorbed(shards, parfactor, axes)
    return Term(tuple(left), tensor, placement.parts, placement.cliques, placement.swaps)


def _atom_axis(shards: ShardIndex, atom: Atom, placement: Placement) -> Axis:
    blocks = [placement.block[logvar] for logvar in atom.logvars]
    return shards.axis(atom.prv, [placement.part_of(block) for block in blocks], blocks)


def _absorbed(
    shards: ShardIndex, parfactor: Parfactor, axes: Sequence[Axis | CountedArgument]
) -> tuple[Tensor, list[Axis]]:
    """The table over axes that were not observed, without entries that disagree with evidence."""
    observed, world = shards.observed, shards.world
    index: list[int | slice] = [
        observed.get(axis[0], slice(None)) if isinstance(axis, tuple) else slice(None)
        for axis in axes
    ]
    integers = parfactor.table.integers
    if any(not isinstance(state, slice) for state in index):
        integers = np.asarray(integers[tuple(index)], dtype=integers.dtype)
    if not integers.any():
        raise impossible()
    left = [axis for axis in axes if not (isinstance(axis, tuple) and axis[0] in observed)]
    tensor: Tensor = given(integers)
    plain = [axis for axis in left if isinstance(axis, tuple)]
    counted = [axis for axis in left if not isinstance(axis, tuple)]
    if not counted:
        return tensor, plain
    new = list(dict.fromkeys([*plain, *[axis for argument in counted for axis in argument.axes]]))
    shape = tuple(world.shards[shard].values for shard, _ in new)
    rows = SumLookup(
        shape,
        tuple(new.index(axis) if isinstance(axis, tuple) else None for axis in left),
        tuple(argument.individuals for argument in counted),
        tuple(argument.states for argument in counted),
        tuple(argument.addends(new) for argument in counted),
        tuple(argument.observed for argument in counted),
    )
    order = tuple(range(len(left)))
    grouped = (1, prod(tensor.shape))
    return take_from("split", tensor, order, grouped, rows, shape), new


def _uncovered(shards: ShardIndex) -> Iterator[tuple[Fraction, int]]:
    """How many states the variables in no factor have; each state has weight one."""
    world = shards.world
    left = [prv.size for prv in shards.model.prvs]
    for shard in world.shards:
        if isinstance(shard.key, tuple):
            left[shard.key[0]] -= choices(world.sizes, shard.parts) // len(shard.swaps)
    for key, (_, times) in shards.parts.observed.items():
        if key not in world.known:
            left[key[0]] -= times
    for prv, times in zip(shards.model.prvs, left, strict=True):
        if prv.observed is None:
            yield Fraction(len(prv.states)), times
