"""The most probable explanation by lifted elimination: maximise forwards, then decide backwards.

Maximising out a shard is deciding, for each state of its surroundings, on the state of one
variable; all variables in such surroundings get it. A counting variable decides how many
individuals are in which cell; which ones makes no difference.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, product
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from liftgraph.inference.ground.reduction import impossible
from liftgraph.inference.lifted.compile import Compiled
from liftgraph.inference.lifted.ground_variables import members
from liftgraph.inference.lifted.plan import LiftedPlan
from liftgraph.inference.lifted.steps import Step
from liftgraph.inference.lifted.terms import Axis, Term
from liftgraph.inference.query import Explanation
from liftgraph.inference.tensor.backtracking import backtrack
from liftgraph.inference.tensor.contraction import contract
from liftgraph.inference.tensor.counting import cell_counts, rank
from liftgraph.inference.tensor.evaluation import Progress, Values, forward
from liftgraph.inference.tensor.tensors import Given, Take
from liftgraph.inference.weight import product_of_powers
from liftgraph.model.lifted.grounding import variable_names
from liftgraph.semiring import MaxSemiring, choose_semiring
from liftgraph.semiring.pairs import log_of_product

States = NDArray[np.int64]
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
    numbers = _by_variable(decisions)
    if plan.model.origin is not None:
        numbers = numbers[plan.model.origin.variables]
    states = tuple(numbers.tolist())
    named = dict(zip(variable_names(plan.model), _state_names(plan, states), strict=True))
    powers = [*plan.compiled.shattered.constants, *_potentials(decisions)]
    weight = product_of_powers(powers) if plan.query.exact else None
    return Explanation(states, named, log_of_product(powers), weight, *plan.how)


def _potentials(decisions: _Decisions) -> Iterator[tuple[Fraction, int]]:
    """The entries of all tables that were decided for, and how many factors are there."""
    world = decisions.compiled.world
    for term in decisions.compiled.shattered.terms:
        chosen = _substitutions([world.sizes[part] for part in term.parts], term)
        code = np.zeros(len(chosen[0]) if chosen else 1, dtype=np.int64)
        for axis in term.axes:
            code = code * world.shards[axis[0]].values + _state_of(decisions, axis, chosen)
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
    """Decide on shards in the opposite order of their elimination."""
    decisions = _Decisions(compiled)
    for shard, state in compiled.shattered.shards.observed.items():
        _set_all(decisions, shard, state)
    for section in compiled.sections:
        for label, state in backtrack(semiring, section.products, values).items():
            _decide(decisions, section.variables[label], np.array(state))
    for step in reversed(compiled.steps):
        if step.shards:
            _decide_step(semiring, decisions, step, values)
    return decisions


def _set_all(decisions: _Decisions, shard: int, state: int) -> None:
    world = decisions.compiled.world
    shape = [world.sizes[part] for part in world.shards[shard].parts]
    decisions.states[shard] = np.full(shape, state, dtype=np.int64)


def _decide_step(
    semiring: MaxSemiring[T], decisions: _Decisions, step: Step, values: Values[T]
) -> None:
    """Decide on shards that were maximised out of a product of terms."""
    world = decisions.compiled.world
    axes = dict.fromkeys(_axes(step.factors))
    gone = [axis for axis in axes if axis[0] in step.shards]
    rest = [axis for axis in axes if axis[0] not in step.shards]
    table = _product(semiring, step.factors, values, [*rest, *gone])
    sizes = [math.prod(world.shards[a[0]].values for a in each) for each in (rest, gone)]
    flat = semiring.arrange(table, tuple(range(len(axes))), tuple(sizes))
    best = semiring.best_rows(flat)
    first = step.factors[0]
    chosen = _substitutions([world.sizes[part] for part in first.parts], first)
    code = np.zeros(len(chosen[0]) if chosen else 1, dtype=np.int64)
    for axis in rest:
        code = code * world.shards[axis[0]].values + _state_of(decisions, axis, chosen)
    found = np.unravel_index(best[code], [world.shards[a[0]].values for a in gone])
    for shard in step.shards:
        own = [(axis[1], s) for axis, s in zip(gone, found, strict=True) if axis[0] == shard]
        _decide(decisions, shard, _scattered(decisions, shard, own, chosen))


def _scattered(
    decisions: _Decisions,
    shard: int,
    found: Sequence[tuple[tuple[int, ...], States]],
    chosen: Sequence[States],
) -> States:
    """The states of a shard's variables, from those of its axes for all substitutions."""
    world = decisions.compiled.world
    given = world.shards[shard]
    states = np.zeros([world.sizes[part] for part in given.parts], dtype=np.int64)
    for logvars, state in found:
        for swap in given.swaps:
            states[tuple(chosen[logvars[place]] for place in swap)] = state
    return states


def _axes(terms: Sequence[Term]) -> list[Axis]:
    return [axis for term in terms for axis in term.axes]


def _product(
    semiring: MaxSemiring[T], terms: Sequence[Term], values: Values[T], axes: Sequence[Axis]
) -> T:
    """The product of terms over all of their axes, in this order."""
    label = {axis: number for number, axis in enumerate(axes)}
    sizes = {
        label[axis]: size
        for term in terms
        for axis, size in zip(term.axes, term.tensor.shape, strict=True)
    }
    table = semiring.unit(())
    scope: tuple[int, ...] = ()
    for term in terms:
        own = tuple(label[axis] for axis in term.axes)
        out = tuple(sorted({*scope, *own}))
        table = contract(semiring, table, scope, values[term.tensor], own, out, sizes)
        scope = out
    return table


def _substitutions(sizes: Sequence[int], term: Term) -> list[States]:
    """All substitutions of a term's logvars, one of those that its group takes to each other."""
    columns = [each.ravel() for each in np.indices(tuple(sizes), dtype=np.int64)]
    if not columns:
        return []
    kept = np.ones(len(columns[0]), dtype=np.bool_)
    for one, other in product(range(len(sizes)), repeat=2):
        if one < other and term.cliques[one] == term.cliques[other]:
            kept &= columns[one] != columns[other]
    codes = [_code([columns[image] for image in swap], sizes) for swap in term.group]
    for code in codes[1:]:
        kept &= codes[0] <= code
    return [column[kept] for column in columns]


def _code(columns: Sequence[States], sizes: Sequence[int]) -> States:
    found = np.zeros(len(columns[0]), dtype=np.int64)
    for column, size in zip(columns, sizes, strict=True):
        found = found * size + column
    return found


def _state_of(decisions: _Decisions, axis: Axis, chosen: Sequence[States]) -> States:
    """The states of an axis for all substitutions."""
    shard, logvars = axis
    if shard not in decisions.states:
        decisions.states[shard] = _counted_state(decisions, shard)
    return np.asarray(decisions.states[shard][tuple(chosen[logvar] for logvar in logvars)])


def _decide(decisions: _Decisions, shard: int, states: States) -> None:
    """Set the states of a shard; those of a counting variable decide on what it counts."""
    decisions.states[shard] = states
    counting = decisions.compiled.world.shards[shard].counting
    if counting is None:
        return
    world = decisions.compiled.world
    counts = cell_counts(counting.number, math.prod(counting.shape))
    for slot in counting.slots:
        _set_all(decisions, slot.shard, 0)
    for context in _contexts(decisions, shard):
        cells = np.repeat(np.arange(counts.shape[1]), counts[int(states[context])])
        parts = np.unravel_index(cells, counting.shape)
        for slot, own in zip(counting.slots, parts, strict=True):
            inner = world.shards[slot.shard]
            index = _counted_index(
                [world.sizes[part] for part in inner.parts], inner.parts, slot.places, context
            )
            decisions.states[slot.shard][tuple(index)] = own


def _contexts(decisions: _Decisions, shard: int) -> Iterator[tuple[int, ...]]:
    """All choices of individuals for the places of a counting variable."""
    world = decisions.compiled.world
    parts = world.shards[shard].parts
    pairs = [(a, b) for a, b in combinations(range(len(parts)), 2) if parts[a] == parts[b]]
    for context in np.ndindex(*[world.sizes[part] for part in parts]):
        if all(context[a] != context[b] for a, b in pairs):
            yield context


def _counted_index(
    sizes: Sequence[int], parts: Sequence[int], places: Sequence[int], context: Sequence[int]
) -> list[Any]:
    """The index of all variables that a counting variable counts in a context."""
    fixed = iter(context)
    given = {place: next(fixed) for place in range(len(parts)) if place not in places}
    grid = np.indices([sizes[place] for place in places]).reshape(len(places), -1)
    column: dict[int, Any] = dict(zip(places, grid, strict=True)) | given
    kept = np.ones(grid.shape[1], dtype=np.bool_)
    for one, other in product(range(len(parts)), repeat=2):
        if one < other and parts[one] == parts[other]:
            kept &= column[one] != column[other]
    return [column[p][kept] if p in places else column[p] for p in range(len(parts))]


def _counted_state(decisions: _Decisions, shard: int) -> States:
    """The histograms of what a counting variable counts, once that is decided."""
    world = decisions.compiled.world
    given = world.shards[shard]
    counting = given.counting
    assert counting is not None
    found = np.empty([world.sizes[part] for part in given.parts], dtype=np.int64)
    cells = math.prod(counting.shape)
    for context in _contexts(decisions, shard):
        code: Any = 0
        for slot, states in zip(counting.slots, counting.shape, strict=True):
            inner = world.shards[slot.shard]
            index = _counted_index(
                [world.sizes[part] for part in inner.parts], inner.parts, slot.places, context
            )
            code = code * states + decisions.states[slot.shard][tuple(index)]
        counts = np.bincount(np.atleast_1d(code), minlength=cells)
        found[context] = rank(counts, counting.number)
    return found


def _by_variable(decisions: _Decisions) -> States:
    """The state of each variable of the model, by its number; any where nothing was decided."""
    shards = decisions.compiled.shattered.shards
    states = np.zeros(shards.model.variable_count, dtype=np.int64)
    for each in members(shards):
        if each.shard in decisions.states:
            states[each.variables] = decisions.states[each.shard][each.index]
        elif each.shard in shards.observed:
            states[each.variables] = shards.observed[each.shard]
    return states
