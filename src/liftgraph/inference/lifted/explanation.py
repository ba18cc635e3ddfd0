"""The most probable explanation by lifted elimination: maximise forwards, then decide backwards.

Maximising out a shard decides, for each state of its surroundings, on the state of one variable;
all variables in such surroundings get that state. A counting variable decides how many
individuals are in each cell; which individuals these are makes no difference.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from liftgraph.inference.ground.reduction import impossible
from liftgraph.inference.lifted.compile import Compiled
from liftgraph.inference.lifted.operators.protocol import Step
from liftgraph.inference.lifted.plan import LiftedPlan
from liftgraph.inference.lifted.shards import members
from liftgraph.inference.lifted.terms import Axis, Slot, Term, World
from liftgraph.inference.tensor.backtracking import backtrack
from liftgraph.inference.tensor.contraction import contract
from liftgraph.inference.tensor.counting import cell_counts, rank
from liftgraph.inference.tensor.evaluation import Values, forward
from liftgraph.inference.tensor.tensors import Given, Take
from liftgraph.inference.weight import product_of_powers
from liftgraph.model.answers.weights import Explanation
from liftgraph.model.lifted.substitutions import (
    cliques,
    codes,
    orbit_representatives,
    substitutions,
)
from liftgraph.model.lifted.variables import variable_names
from liftgraph.model.plans import Progress
from liftgraph.semiring import MaxSemiring, choose_semiring
from liftgraph.semiring.pairs import log_of_product

States = NDArray[np.int64]
Index = tuple[NDArray[np.int64], ...]  # of variables of a shard: an individual for each place
T = TypeVar("T")


@dataclass
class _Decisions:
    """The states of shards decided so far, int64 with an axis for each place of the shard."""

    compiled: Compiled
    states: dict[int, States] = field(default_factory=dict)


def explanation(plan: LiftedPlan, progress: Progress) -> Explanation:
    """A most probable assignment of all variables of a model."""
    semiring = choose_semiring("maximum", plan.query.exact)
    values = forward(semiring, plan.order, plan.asked, keeping=True, progress=progress)
    if not all(semiring.possible(values[root.tensor]) for root in plan.asked):
        raise impossible()
    decisions = _decided(semiring, plan.compiled, values)
    by_variable = _by_variable(decisions)
    if plan.model.origin is not None:
        by_variable = by_variable[plan.model.origin.variables]
    states = tuple(by_variable.tolist())
    named = dict(zip(variable_names(plan.model.variables), _state_names(plan, states), strict=True))
    powers = [*plan.compiled.shattered.constants, *_potentials(decisions)]
    weight = product_of_powers(powers) if plan.query.exact else None
    return Explanation(states, named, log_of_product(powers), weight, *plan.how)


def _potentials(decisions: _Decisions) -> Iterator[tuple[Fraction, int]]:
    """The chosen entries of all tables, and how many factors have each of them."""
    for term in decisions.compiled.shattered.terms:
        chosen = _term_substitutions(decisions.compiled.world, term)
        code = _entries(decisions, term.axes, chosen)
        tensor, counts = term.tensor, np.bincount(code, minlength=term.tensor.entries)
        if isinstance(tensor, Take):
            rows = tensor.lookup.array()
            counts = np.bincount(rows, counts, tensor.operand.entries).astype(np.int64)
            tensor = tensor.operand
        assert isinstance(tensor, Given)
        entries = tensor.integers.ravel().tolist()
        yield from [(Fraction(e), n) for e, n in zip(entries, counts.tolist(), strict=True) if n]


def _state_names(plan: LiftedPlan, states: Sequence[int]) -> list[str]:
    """The names of the states of all variables, in the order of the explanation."""
    model = plan.model
    sizes = np.diff(model.variable_start)
    prv = np.repeat(np.arange(len(model.prvs)), sizes)
    if model.origin is not None:
        prv = prv[model.origin.variables]
    return [model.prvs[p].states[s] for p, s in zip(prv.tolist(), states, strict=True)]


def _decided(semiring: MaxSemiring[T], compiled: Compiled, values: Values[T]) -> _Decisions:
    """Decide on shards in the reverse order of their elimination."""
    decisions = _Decisions(compiled)
    for shard, state in compiled.shattered.shards.observed.items():
        decisions.states[shard] = _filled(compiled.world, shard, state)
    for section in compiled.sections:
        for label, state in backtrack(semiring, section.products, values).items():
            _decide(decisions, section.variables[label], np.array(state))
    for step in reversed(compiled.steps):
        if step.shards:
            _decide_step(semiring, decisions, step, values)
    return decisions


def _filled(world: World, shard: int, state: int) -> States:
    """The same state for all variables of a shard."""
    shape = [world.sizes[part] for part in world.shards[shard].parts]
    return np.full(shape, state, dtype=np.int64)


def _decide_step(
    semiring: MaxSemiring[T], decisions: _Decisions, step: Step, values: Values[T]
) -> None:
    """Decide on shards that were maximised out of a product of terms."""
    world = decisions.compiled.world
    axes = dict.fromkeys(axis for term in step.factors for axis in term.axes)
    gone = [axis for axis in axes if axis[0] in step.shards]
    rest = [axis for axis in axes if axis[0] not in step.shards]
    table = _product(semiring, step.factors, values, [*rest, *gone])
    shapes = [[world.shards[shard].values for shard, _ in axes] for axes in (rest, gone)]
    flat = semiring.arrange(table, tuple(range(len(axes))), tuple(map(math.prod, shapes)))
    best = semiring.best_rows(flat)
    chosen = _term_substitutions(world, step.factors[0])
    states = np.unravel_index(best[_entries(decisions, rest, chosen)], shapes[1])
    for shard in step.shards:
        decided = _filled(world, shard, 0)
        for (index, logvars), state in zip(gone, states, strict=True):
            for swap in world.shards[shard].swaps if index == shard else ():
                decided[tuple(chosen[logvars[place]] for place in swap)] = state
        _decide(decisions, shard, decided)


def _product(
    semiring: MaxSemiring[T], terms: Sequence[Term], values: Values[T], axes: Sequence[Axis]
) -> T:
    """The product of terms over all of their axes, in this order."""
    label = {axis: place for place, axis in enumerate(axes)}
    sizes = {
        label[axis]: size
        for term in terms
        for axis, size in zip(term.axes, term.tensor.shape, strict=True)
    }
    table = semiring.unit(())
    scope: tuple[int, ...] = ()
    for term in terms:
        term_scope = tuple(label[axis] for axis in term.axes)
        out = tuple(sorted({*scope, *term_scope}))
        table = contract(semiring, table, scope, values[term.tensor], term_scope, out, sizes)
        scope = out
    return table


def _term_substitutions(world: World, term: Term) -> list[States]:
    """The substitutions of a term's logvars, one from each orbit of its swaps."""
    sizes = [world.sizes[part] for part in term.parts]
    columns = substitutions(cliques(sizes, term.cliques))
    return orbit_representatives(columns, sizes, term.swaps)


def _entries(decisions: _Decisions, axes: Sequence[Axis], chosen: Sequence[States]) -> States:
    """The chosen entry of a table over these axes, for each substitution."""
    rows = len(chosen[0]) if chosen else 1
    columns = [np.broadcast_to(_state_of(decisions, axis, chosen), rows) for axis in axes]
    sizes = [decisions.compiled.world.shards[shard].values for shard, _ in axes]
    return np.broadcast_to(codes(columns, sizes), rows)


def _state_of(decisions: _Decisions, axis: Axis, chosen: Sequence[States]) -> States:
    """The states of an axis for all substitutions."""
    shard, logvars = axis
    if shard not in decisions.states:
        decisions.states[shard] = _counted_state(decisions, shard)
    return np.asarray(decisions.states[shard][tuple(chosen[logvar] for logvar in logvars)])


def _decide(decisions: _Decisions, shard: int, states: States) -> None:
    """Set the states of a shard; those of a counting variable decide the variables it counts."""
    decisions.states[shard] = states
    world = decisions.compiled.world
    counting = world.shards[shard].counting
    if counting is None:
        return
    counts = cell_counts(counting.individuals, math.prod(counting.shape))
    for slot_index, slot in enumerate(counting.slots):
        variables, contexts = _counted_variables(world, slot)
        histograms = counts[states[contexts]].reshape(-1, counts.shape[1])
        cells = np.repeat(np.indices(histograms.shape)[1], histograms.ravel())
        decisions.states[slot.shard] = _filled(world, slot.shard, 0)
        decisions.states[slot.shard][variables] = np.unravel_index(cells, counting.shape)[
            slot_index
        ]


def _counted_state(decisions: _Decisions, shard: int) -> States:
    """The histograms of a counting variable, once the variables it counts are decided."""
    world = decisions.compiled.world
    counting = world.shards[shard].counting
    assert counting is not None
    index = [_counted_variables(world, slot) for slot in counting.slots]
    slots = zip(counting.slots, index, strict=True)
    columns = [decisions.states[slot.shard][variables] for slot, (variables, _) in slots]
    cells = codes(columns, counting.shape).reshape(-1, counting.individuals)
    cell_count = math.prod(counting.shape)
    counts = np.stack([np.bincount(row, minlength=cell_count) for row in cells])
    states, contexts = _filled(world, shard, 0), index[0][1]
    states[contexts] = rank(counts, counting.individuals).reshape(states[contexts].shape)
    return states


def _counted_variables(world: World, slot: Slot) -> tuple[Index, Index]:
    """All variables that a slot counts, context after context, and the contexts, as indices."""
    parts = world.shards[slot.shard].parts
    context = [place for place in range(len(parts)) if place not in slot.places]
    order = [*context, *slot.places]
    ordered_parts = [parts[place] for place in order]
    sizes = [world.sizes[part] for part in ordered_parts]
    columns = substitutions(cliques(sizes, ordered_parts))
    variables = tuple(columns[order.index(place)] for place in range(len(parts)))
    return variables, tuple(c[:: world.individuals(slot)] for c in columns[: len(context)])


def _by_variable(decisions: _Decisions) -> States:
    """The state of each variable of the model, by index; arbitrary where nothing was decided."""
    shards = decisions.compiled.shattered.shards
    states = np.zeros(shards.model.variable_count, dtype=np.int64)
    for shard_members in members(shards):
        shard = shard_members.shard
        if shard in decisions.states:
            states[shard_members.variables] = decisions.states[shard][shard_members.index]
        elif shard in shards.observed:
            states[shard_members.variables] = shards.observed[shard]
    return states
