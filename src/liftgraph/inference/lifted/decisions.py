"""Decisions, backwards after maximising: a state for each variable of each shard.

Maximising out a shard decides, for each state of its surroundings, on the state of one variable;
all variables in such surroundings get that state. A counting variable decides how many
individuals are in each cell; which individuals these are makes no difference.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from liftgraph.inference.lifted.colourings import NO_VARIABLE, States
from liftgraph.inference.lifted.compile import Compiled
from liftgraph.inference.lifted.operators.protocol import Step
from liftgraph.inference.lifted.terms import Axis, Slot, Term, World, choices, instances
from liftgraph.inference.tensor.backtracking import backtrack
from liftgraph.inference.tensor.cases import product_in_cases
from liftgraph.inference.tensor.counting import cell_counts, rank
from liftgraph.inference.tensor.evaluation import Values
from liftgraph.inference.tensor.operation_memory import integers, maxima
from liftgraph.inference.tensor.tensors import in_order, power_bits
from liftgraph.model.arrays import codes, digits
from liftgraph.model.lifted.substitutions import (
    cliques,
    orbit_representatives,
    substitutions,
)
from liftgraph.semiring import CHUNK, MaxSemiring

Index = tuple[NDArray[np.int64], ...]  # of variables of a shard: an individual for each place
T = TypeVar("T")
_INDEX_BYTES = 8
_SHARD_BYTES = 300  # of an array and what refers to it, however small
_LISTED_BYTES = 72  # of a variable among others of its shard, beside its individuals
_COLOUR_BYTES = 56  # of a choice of individuals, while its state becomes a colour
_TALLY_BYTES = 400  # of an entry whose factors are counted
_FIXED_BYTES = 1 << 15  # what even the smallest explanation takes
_COPIES = 4  # of a chunk of a product of integers, while it is computed
_FLOAT_COPIES = 7  # of a chunk of a product of floats, or of pairs of them


def decision_bytes(compiled: Compiled, exact: bool) -> int:
    """Bytes that deciding takes beyond the values, at most: states, lists of variables, tables."""
    world, states, listed = compiled.world, 0, 0
    for shard in _decided(compiled):
        parts = world.shards[shard].parts
        states += _SHARD_BYTES + _INDEX_BYTES * math.prod([world.sizes[part] for part in parts])
        listed = max(listed, _listed_bytes(world, parts))
    bits = power_bits(in_order([root.tensor for root in compiled.roots]))
    tables = [_table_bytes(world, step, exact, bits) for step in compiled.steps]
    used = [min(t.tensor.entries, instances(world, t)) for t in compiled.shattered.terms]
    tallies = _TALLY_BYTES * max(used, default=0)
    return _FIXED_BYTES + states + listed + tallies + max(tables, default=0)


def _decided(compiled: Compiled) -> set[int]:
    """The shards that get states: those of all terms on the way, and what they count."""
    terms = [*compiled.shattered.terms, *chain(*[step.factors for step in compiled.steps])]
    shards = {shard for term in terms for shard, _ in term.axes}
    shards.update(chain(*[section.variables for section in compiled.sections]))
    countings = [compiled.world.shards[shard].counting for shard in shards]
    return shards.union(slot.shard for counting in countings if counting for slot in counting.slots)


def _listed_bytes(world: World, parts: Sequence[int]) -> int:
    """Bytes of the largest lists of choices of individuals from these parts."""
    width = _LISTED_BYTES + 2 * _INDEX_BYTES * len(parts)
    grid = math.prod([world.sizes[part] for part in parts])
    return max(_COLOUR_BYTES * grid, width * choices(world.sizes, parts))


def _table_bytes(world: World, step: Step, exact: bool, bits: int) -> int:
    """Bytes of the tables of a step that are copied, and of a chunk of their product.

    ``bits``: those of the longest power.
    """
    tensors = [term.tensor for term in step.factors]
    product_bits = sum([tensor.bits for tensor in tensors])
    copied, multiplied = (integers(0), integers(product_bits)) if exact else (maxima(bits),) * 2
    largest = copied.width * max([tensor.entries for tensor in tensors], default=0)
    axes = {axis for term in step.factors for axis in term.axes}
    entries = min(math.prod([world.shards[shard].values for shard, _ in axes]), CHUNK)
    copies = _COPIES if exact else _FLOAT_COPIES
    return largest + copies * entries * multiplied.width


@dataclass
class _Decisions:
    """The states of shards decided so far, int64 with an axis for each place of the shard."""

    world: World
    states: dict[int, States] = field(default_factory=dict)


def decide(semiring: MaxSemiring[T], compiled: Compiled, values: Values[T]) -> dict[int, States]:
    """The states of all shards in terms, in the reverse order of their elimination.

    They are int64 with an axis for each place of the shard, NO_VARIABLE where an individual would
    be in two places that need different ones. ``values``: those of all tensors.
    """
    decisions = _Decisions(compiled.world)
    for section in compiled.sections:
        for label, state in backtrack(semiring, section.products, values).items():
            _decide(decisions, section.variables[label], np.array(state))
    for step in reversed(compiled.steps):
        if step.shards:
            _decide_step(semiring, decisions, step, values)
    _complete(decisions, compiled.shattered.terms)
    return decisions.states


def decided(
    world: World,
    values: Mapping[int, int],
    terms: Sequence[Term] = (),
    states: Mapping[int, States] | None = None,
) -> dict[int, States]:
    """The states of shards, of what they count, and of what counts them in terms.

    ``values``: those of some shards without logvars, by number; of a counting variable, the number
    of a histogram. ``states``: those of shards that are known already."""
    decisions = _Decisions(world, dict(states or {}))
    for shard, value in values.items():
        _decide(decisions, shard, np.array(value))
    _complete(decisions, terms)
    return decisions.states


def _complete(decisions: _Decisions, terms: Sequence[Term]) -> None:
    """Decide on counting variables of terms whose variables are decided."""
    for term in terms:
        for shard, _ in term.axes:
            _states_of(decisions, shard)


def _decide_step(
    semiring: MaxSemiring[T], decisions: _Decisions, step: Step, values: Values[T]
) -> None:
    """Decide on shards that were maximised out of a product of terms.

    The terms have no logvars but those of the shards: there is a variable for each substitution.
    """
    world = decisions.world
    axes = dict.fromkeys(axis for term in step.factors for axis in term.axes)
    gone = [axis for axis in axes if axis[0] in step.shards]
    rest = [axis for axis in axes if axis[0] not in step.shards]
    chosen = term_substitutions(world, step.factors[0])
    present, case = np.unique(_entries(decisions, rest, chosen), return_inverse=True)
    shapes = [[world.shards[shard].values for shard, _ in axes] for axes in (rest, gone)]
    chunk = max(CHUNK // math.prod(shapes[1]), 1)
    best = []
    for start in range(0, len(present), chunk):
        columns = digits(present[start : start + chunk], shapes[0])
        surroundings = dict(zip(rest, columns, strict=True))
        best.append(_best_states(semiring, step.factors, values, gone, surroundings))
    states = digits(np.concatenate(best)[case], shapes[1])
    for shard in step.shards:
        decided = undecided(world, shard)
        for (index, logvars), state in zip(gone, states, strict=True):
            for swap in world.shards[shard].swaps if index == shard else ():
                decided[tuple(chosen[logvars[place]] for place in swap)] = state
        _decide(decisions, shard, decided)


def undecided(world: World, shard: int) -> States:
    """An array for the states of a shard, filled with those of choices without a variable."""
    shape = [world.sizes[part] for part in world.shards[shard].parts]
    return np.full(shape, NO_VARIABLE, dtype=np.int64)


def _best_states(
    semiring: MaxSemiring[T],
    terms: Sequence[Term],
    values: Values[T],
    gone: Sequence[Axis],
    surroundings: Mapping[Axis, States],
) -> States:
    """The place of the largest entry of a product of terms over the axes that are gone: int64 (n,).

    ``surroundings``: the states of the other axes in n cases, int64 (n,) each.
    """
    factors = [(values[term.tensor], term.axes) for term in terms]
    sizes = {a: n for t in terms for a, n in zip(t.axes, t.tensor.shape, strict=True)}
    flat = product_in_cases(semiring, factors, gone, surroundings, sizes)
    return semiring.best_rows(flat)


def term_substitutions(world: World, term: Term) -> list[States]:
    """The substitutions of a term's logvars, one from each orbit of its swaps."""
    sizes = [world.sizes[part] for part in term.parts]
    columns = substitutions(cliques(sizes, term.cliques))
    return orbit_representatives(columns, sizes, term.swaps)


def _entries(decisions: _Decisions, axes: Sequence[Axis], chosen: Sequence[States]) -> States:
    """The entry of a table over these axes, for each substitution."""
    rows = len(chosen[0]) if chosen else 1
    total = np.zeros(rows, dtype=np.int64)
    for shard, logvars in axes:
        total *= decisions.world.shards[shard].values
        total += _states_of(decisions, shard)[tuple([chosen[logvar] for logvar in logvars])]
    return total


def _states_of(decisions: _Decisions, shard: int) -> States:
    """The states of a shard; those of a counting variable are what its variables add up to."""
    if shard not in decisions.states:
        decisions.states[shard] = _counted_states(decisions, shard)
    return decisions.states[shard]


def _decide(decisions: _Decisions, shard: int, states: States) -> None:
    """Set the states of a shard; those of a counting variable decide the variables it counts."""
    decisions.states[shard] = states
    world = decisions.world
    counting = world.shards[shard].counting
    if counting is None:
        return
    counts = cell_counts(counting.individuals, math.prod(counting.shape))
    for slot_index, slot in enumerate(counting.slots):
        variables, contexts = counted_variables(world, slot)
        histograms = counts[states[contexts]].reshape(-1, counts.shape[1])
        cell_states = np.indices(counting.shape)[slot_index].ravel()
        each = np.broadcast_to(cell_states, histograms.shape)
        decided = undecided(world, slot.shard)
        decided[variables] = np.repeat(each.ravel(), histograms.ravel())
        decisions.states[slot.shard] = decided


def _counted_states(decisions: _Decisions, shard: int) -> States:
    """The histograms of a counting variable, once the variables it counts are decided."""
    world = decisions.world
    counting = world.shards[shard].counting
    assert counting is not None
    index = [counted_variables(world, slot) for slot in counting.slots]
    slots = zip(counting.slots, index, strict=True)
    columns = [decisions.states[slot.shard][variables] for slot, (variables, _) in slots]
    cells = codes(columns, counting.shape).reshape(-1, counting.individuals)
    cell_count = math.prod(counting.shape)
    counts = np.stack([np.bincount(row, minlength=cell_count) for row in cells])
    states, contexts = undecided(world, shard), index[0][1]
    states[contexts] = rank(counts, counting.individuals).reshape(states[contexts].shape)
    return states


def counted_variables(world: World, slot: Slot) -> tuple[Index, Index]:
    """All variables that a slot counts, context after context, and the contexts, as indices."""
    parts = world.shards[slot.shard].parts
    context = [place for place in range(len(parts)) if place not in slot.places]
    order = [*context, *slot.places]
    ordered_parts = [parts[place] for place in order]
    sizes = [world.sizes[part] for part in ordered_parts]
    columns = substitutions(cliques(sizes, ordered_parts))
    variables = tuple(columns[order.index(place)] for place in range(len(parts)))
    return variables, tuple(c[:: world.individuals(slot)] for c in columns[: len(context)])
