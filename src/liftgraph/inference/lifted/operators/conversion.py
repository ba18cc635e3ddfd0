"""Counting conversion: many individuals become a histogram of their joint states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from math import prod

from liftgraph.inference.lifted.operators.algebra import (
    ALIGN,
    each_in_one_slot,
    merge,
    slots_counted,
)
from liftgraph.inference.lifted.terms import Axis, Slot, Term, World
from liftgraph.inference.tensor.counting import Permutation, TupleExponents
from liftgraph.inference.tensor.lookups import AxisLookup
from liftgraph.inference.tensor.tensors import Tensor, powers_of, take_from

COUNT = "count-convert"
COUNT_JOINTLY = "count-convert jointly"

Unit = tuple[int, ...]  # logvars that are counted as one; mostly a single one


@dataclass(frozen=True)
class _Subject:
    """What is counted in a term: the slots, the logvars of their context, and what is left out.

    ``units``: the logvars that are counted; ``excluded``: others that must be different from them.
    """

    slots: tuple[Slot, ...]
    context: tuple[int, ...]
    units: tuple[Unit, ...]
    excluded: tuple[int, ...]
    swaps: tuple[Permutation, ...]
    times: int = 1


def count(world: World, term: Term, units: Sequence[Unit]) -> Term | None:
    """Count over logvars: the product over their substitutions is a function of a histogram.

    ``units``: logvars of one clique, counted jointly if there are several (Apsel and Brafman
    2011): individuals in cells (a, b, …) fill the places in n_a · (n_b - [a = b]) · … ways; once
    per orbit, if the term's swaps permute them. An individual that must be different, and is not
    counted, is taken out of the histogram by its own cell. None if the axes do not allow it: every
    axis with a counted logvar must have only one unit, and all these axes the same other logvars.
    """
    subject = _subject(world, term, units)
    if subject is None:
        return None
    slots = _joined(world, term, subject.slots)
    if not each_in_one_slot(slots):
        return None
    whole = world.counting(slots)
    if any(_is_part(world, axis, subject, slots) for axis in term.axes):
        term = merge(world, term, whole)
        return _counted(world, term, subject, whole, along=True)
    counted = _counted(world, term, subject, world.counting(subject.slots), along=False)
    return merge(world, counted, whole)


def _subject(world: World, term: Term, units: Sequence[Unit]) -> _Subject | None:
    """What is counted, or None if counting is impossible."""
    counted = set(chain(*units))
    slots: dict[Slot, None] = {}
    contexts = set()
    for shard, logvars in term.axes:
        if counted.isdisjoint(logvars):
            continue
        unit = next((unit for unit in units if not set(unit).isdisjoint(logvars)), ())
        if set(unit) != counted & set(logvars) or not _countable(world, shard, unit):
            return None
        slots[Slot(shard, tuple([logvars.index(logvar) for logvar in unit]))] = None
        contexts.add(tuple([logvar for logvar in logvars if logvar not in counted]))
    if len(contexts) != 1 or not _consistent(world, list(slots)):
        return None
    context = contexts.pop()
    cliques = {term.cliques[logvar] for logvar in counted}
    others = [v for v in range(len(term.parts)) if v not in counted]
    mates = tuple([v for v in others if term.cliques[v] in cliques and v not in context])
    if any({swap[logvar] for logvar in counted} != counted for swap in term.swaps):
        return None
    kernel = [swap for swap in term.swaps if all(swap[logvar] == logvar for logvar in others)]
    ordered = tuple(sorted(slots, key=lambda slot: slot.shard))
    if len(units[0]) == 1:
        place = {unit[0]: unit_index for unit_index, unit in enumerate(units)}
        swaps = tuple(tuple([place[swap[unit[0]]] for unit in units]) for swap in kernel)
        return _Subject(ordered, context, tuple(units), mates, swaps)
    same = len(world.shards[ordered[0].shard].swaps)
    if mates or len(units) > 1 or len(ordered) > 1 or same % len(kernel):
        return None
    return _Subject(ordered, context, tuple(units), (), ((0,),), same // len(kernel))


def _countable(world: World, index: int, unit: Unit) -> bool:
    shard = world.shards[index]
    return shard.counting is None and (len(shard.swaps) == 1 or len(unit) == len(shard.parts))


def _consistent(world: World, slots: Sequence[Slot]) -> bool:
    """Whether each shard is in one slot only, and in the same one as in a counting variable."""
    for slot in slots:
        counting = world.joint(slot.shard)
        if counting is not None and slot not in counting.slots:
            return False
    return len({slot.shard for slot in slots}) == len(slots)


def _joined(world: World, term: Term, slots: Sequence[Slot]) -> tuple[Slot, ...]:
    """These slots together with all that are counted jointly with one of them, also in the term."""
    joined = dict.fromkeys(slots)
    for slot in slots:
        counting = world.joint(slot.shard)
        joined.update(dict.fromkeys(counting.slots if counting else ()))
    shards = {slot.shard for slot in joined}
    for counted in slots_counted(world, [term]):
        if not shards.isdisjoint([slot.shard for slot in counted]):
            joined.update(dict.fromkeys(counted))
    return tuple(sorted(joined, key=lambda slot: slot.shard))


def _is_part(world: World, axis: Axis, subject: _Subject, slots: tuple[Slot, ...]) -> bool:
    """Whether an axis is a counting variable of the same context with one of the slots."""
    counting = world.shards[axis[0]].counting
    return (
        counting is not None
        and axis[1] == subject.context
        and not set(counting.slots).isdisjoint(slots)
    )


def _counted(world: World, term: Term, subject: _Subject, target: int, along: bool) -> Term:
    """Raise the entries to the powers that histograms give them.

    ``along``: whether the term already depends on the histogram; its axis is then kept.
    """
    counting = world.shards[target].counting
    assert counting is not None
    histogram: Axis = (target, subject.context)
    taken = [axis for z in subject.excluded for axis in _cell(subject, (z,))]
    places = [axis for unit in subject.units for axis in _cell(subject, unit)]
    batch = [*taken, histogram] if along else taken
    rest = [axis for axis in term.axes if axis not in batch and axis not in places]
    tensor = _spread_out(world, term, rest, [*batch, *places])
    sizes = [_size(world, axes) for axes in (rest, batch, places)]
    exponents = TupleExponents(
        counting.individuals,
        counting.shape,
        tuple(counting.slots.index(slot) for slot in subject.slots),
        len(subject.units),
        len(subject.excluded),
        along,
        subject.swaps,
        subject.times,
    )
    axes = [*rest, *batch] if along else [*rest, *batch, histogram]
    shape = tuple(world.shards[shard].values for shard, _ in axes)
    order = tuple(range(len(tensor.shape)))
    operator = COUNT if len(subject.units) == 1 else COUNT_JOINTLY
    grouped = (sizes[0], sizes[1], sizes[2])
    powers = powers_of(operator, tensor, order, grouped, exponents, shape)
    return _without(term, set(chain(*subject.units)), axes, powers)


def _cell(subject: _Subject, unit: Unit) -> list[Axis]:
    """The axes of an individual's slots."""
    axes = []
    for slot in subject.slots:
        fixed = iter(subject.context)
        at_place = dict(zip(slot.places, unit, strict=True))
        size = len(subject.context) + len(unit)
        logvars = tuple([at_place[p] if p in at_place else next(fixed) for p in range(size)])
        axes.append((slot.shard, logvars))
    return axes


def _size(world: World, axes: Sequence[Axis]) -> int:
    return prod(world.shards[shard].values for shard, _ in axes)


def _spread_out(world: World, term: Term, rest: Sequence[Axis], wanted: Sequence[Axis]) -> Tensor:
    """The term's tensor with axes in this order; it is constant along axes the term lacks."""
    present = [axis for axis in wanted if axis in term.axes]
    order = tuple(term.axes.index(axis) for axis in (*rest, *present))
    shape = tuple(world.shards[shard].values for shard, _ in wanted)
    if present == list(wanted) and order == tuple(range(len(order))):
        return term.tensor
    grouped = (_size(world, rest), _size(world, present))
    source = tuple(wanted.index(axis) for axis in present)
    full = (*[world.shards[shard].values for shard, _ in rest], *shape)
    rows = AxisLookup(shape, source)
    return take_from(ALIGN, term.tensor, order, grouped, rows, full)


def _without(term: Term, counted: set[int], axes: Sequence[Axis], tensor: Tensor) -> Term:
    """The term after its logvars were counted."""
    left = [logvar for logvar in range(len(term.parts)) if logvar not in counted]
    place = {old: new for new, old in enumerate(left)}
    swaps = dict.fromkeys(tuple([place[swap[old]] for old in left]) for swap in term.swaps)
    return Term(
        tuple([(shard, tuple([place[v] for v in logvars])) for shard, logvars in axes]),
        tensor,
        tuple([term.parts[old] for old in left]),
        tuple([term.cliques[old] for old in left]),
        tuple(swaps),
    )
