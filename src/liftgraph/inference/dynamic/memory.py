"""How many bytes the days of a model take, known before their weights are computed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod

from liftgraph.display import format_count
from liftgraph.inference.dynamic.arithmetic import INTEGERS
from liftgraph.inference.dynamic.cells import Structure
from liftgraph.inference.dynamic.course import Course, parts_after
from liftgraph.inference.dynamic.days import DayWeights
from liftgraph.inference.dynamic.factors import (
    LATER,
    LOCAL_SINGLE,
    PART,
    SINGLE,
    Label,
    Parts,
    context_of,
)
from liftgraph.inference.dynamic.kernels import Kernel
from liftgraph.inference.dynamic.observed import DAY_BYTES, Counted
from liftgraph.inference.dynamic.parts import Layout, sizes_of
from liftgraph.inference.dynamic.slices import Slices
from liftgraph.inference.dynamic.transitions import transition_entries
from liftgraph.inference.tensor.counting import histograms_at_most
from liftgraph.model.memory_limit import beyond_limit

_BASE_BYTES = 300_000  # objects around arrays, and small arrays
_KERNEL_BYTES = 500  # an integer of a kernel, while its rows are compared
_FACTOR_BYTES = 150  # an integer of a parfactor, while what is met is multiplied
_CONTEXT_BYTES = 12_000  # objects around the stages of a step for one context
_COPIES = 8  # of the weights of a day, while they are computed
_INDEX_BYTES = 40  # where an entry of a stage comes from and goes to, while that is found out
_STATE_BYTES = 90  # the name of a number, and its probability


@dataclass(frozen=True)
class Cost:
    """What the days take. ``peak_bytes``: bytes beyond the model; ``work``: how many entries are
    read; ``entries``: those of the largest day; ``stages``: those of the constants of steps."""

    peak_bytes: int
    work: int
    entries: int
    stages: int


def cost_of(
    course: Course,
    keep: bool,
    answers: Sequence[int],
    limit: int,
    local: Sequence[Counted] = (),
) -> Cost:
    """What a pass over the days takes. ``answers``: how many states are asked for each day;
    ``keep``: whether the weights of all days are kept; ``local``: the counts of local variables
    that are asked for. Refused if it is beyond the limit."""
    structure = course.structure
    days = [sizes_of(plan.layout) for plan in course.plans]
    steps = [sizes_of(parts_after(plan)) for plan in course.plans[:-1]]
    entries = max([day_entries(structure, parts) for parts in days], default=1)
    constants = _constant_bytes(structure, days, steps)
    rough = _COPIES * 8 * entries + constants
    if rough > limit:
        raise _refused(rough, limit, entries)
    distinct = {parts: course.slices(_layout(course, parts)) for parts in dict.fromkeys(steps)}
    number = 8 if course.arithmetic is not INTEGERS else _integer_bytes(course, distinct.values())
    sizes = {parts: step_entries(slices) for parts, slices in distinct.items()}
    stages = sum([made for made, _ in sizes.values()])
    between = max([largest for _, largest in sizes.values()], default=0)
    moves = [move for slices in distinct.values() for move in slices.moves]
    peak = (
        _BASE_BYTES
        + constants
        + _CONTEXT_BYTES * sum([len(move.kernels) for move in moves])
        + (2 * number + _INDEX_BYTES) * (stages + _observing_entries(course, local))
        + _COPIES * number * max(entries, between)
        + keep * number * sum([day_entries(structure, parts) for parts in days])
        + len(days) * (DAY_BYTES + (number + 24) * prod(answers))
        + _STATE_BYTES * sum(answers)
    )
    if peak > limit:
        raise _refused(peak, limit, max(entries, stages))
    work = sum([sizes[parts][0] for parts in steps]) + entries * len(days)
    return Cost(peak, work, entries, stages)


def _constant_bytes(structure: Structure, days: Sequence[Parts], steps: Sequence[Parts]) -> int:
    """Bytes for kernels, for parfactors as tables over counts, and for splitting parts."""
    kernels = sum([kernel_entries(structure, parts) for parts in dict.fromkeys(steps)])
    places = [("step", steps), ("observe", days), ("start", days[:1])]
    factors = sum(
        [factor_entries(structure, p, where) for where, some in places for p in dict.fromkeys(some)]
    )
    splits = sum([splitting_bytes(structure, parts) for parts in dict.fromkeys(days)])
    return _KERNEL_BYTES * kernels + _FACTOR_BYTES * factors + splits


def _refused(needed: int, limit: int, entries: int) -> Exception:
    reason = f"the days have tables of {format_count(entries)} entries"
    return beyond_limit("the days need", needed, limit, reason)


def day_entries(structure: Structure, parts: Parts) -> int:
    """How many entries the weights of a day have."""
    singles = prod([len(prv.states) for prv in structure.single])
    return singles * prod([_histograms(structure, parts, n) for n in range(len(parts))])


def _histograms(structure: Structure, parts: Parts, place: int) -> int:
    population, size = parts[place]
    return histograms_at_most(size, structure.populations[population].cells)


def kernel_entries(structure: Structure, parts: Parts) -> int:
    """How many entries the kernels of a step have together."""
    total = 0
    for population, cells in enumerate([p.cells for p in structure.populations]):
        labels: set[Label] = set()
        for parfactor in structure.model.step:
            own, context = context_of(structure, parts, parfactor)
            if own == population:
                labels |= context
        sizes = [_size(structure, parts, label) for label in labels]
        total += cells * cells * prod(sizes) * [p for p, _ in parts].count(population)
    return total


def factor_entries(structure: Structure, parts: Parts, where: str) -> int:
    """How many entries parfactors have as tables over counts, before what is met is multiplied."""
    total = 0
    for parfactor in getattr(structure.model, where):
        own, context = context_of(structure, parts, parfactor)
        entries = prod([_size(structure, parts, label) for label in context])
        if own >= 0:
            population = structure.populations[own]
            entries *= population.cells * prod([len(prv.states) for prv in population.local])
            entries *= population.cells if where == "step" else 1
        if len(parfactor.logvars) == 2:
            entries *= max([population.cells for population in structure.populations])
        total += entries
    return total


def _size(structure: Structure, parts: Parts, label: Label) -> int:
    kind, place = label
    if kind in (SINGLE, LATER):
        return len(structure.single[place].states)
    if kind == LOCAL_SINGLE:
        return len(structure.local[place].states)
    return _histograms(structure, parts, place)


def splitting_bytes(structure: Structure, parts: Parts) -> int:
    """Bytes for splitting populations into parts, and for merging these."""
    total = 0
    for population, cells in enumerate([p.cells for p in structure.populations]):
        places = [place for place, part in enumerate(parts) if part[0] == population]
        if len(places) > 1:
            combinations = prod([_histograms(structure, parts, place) for place in places])
            total += 8 * combinations * (cells * (len(places) + 3) + 8)
    return total


def step_entries(slices: Slices) -> tuple[int, int]:
    """How many entries the stages of a step have together, and how many the largest table has
    that is made between them."""
    sizes = slices.sizes
    singles = prod([len(prv.states) for prv in slices.structure.single])
    current, largest, total = prod(slices.shape) * singles, 0, 0
    for move in slices.moves:
        own = sizes[PART, move.place]
        for kernel in move.kernels.values():
            entries, widest = (own * own, own * own) if move.keep else transition_entries(kernel)
            total += entries
            largest = max(largest, current // own * max(own, widest if _moves(kernel) else own))
        current = current * own if move.keep else current
        largest = max(largest, current)
    return total, largest


def _moves(kernel: Kernel) -> bool:
    """Whether tables between stages are larger than those at both ends."""
    return (kernel.states, kernel.rows.shape[1]) != (2, 2)


def _observing_entries(course: Course, asked: Sequence[Counted]) -> int:
    """How many entries the stages have that lead to what is observed of individuals."""
    kernels: dict[object, int] = {}
    for day, plan in enumerate(course.plans):
        if not course.days[day].counts and not asked:
            continue
        slices = course.slices(plan.layout)
        weights = DayWeights(slices, plan.layout, course.days[day], False)
        for kernel in weights.local_kernels(asked):
            rows, labels = kernel.rows.tolist(), kernel.label.tolist()
            key = kernel.individuals, tuple(map(tuple, rows)), tuple(map(tuple, labels))
            if key not in kernels:
                kernels[key] = transition_entries(kernel)[0]
    return sum(kernels.values())


def _layout(course: Course, parts: Parts) -> Layout:
    return next(parts_after(plan) for plan in course.plans if sizes_of(parts_after(plan)) == parts)


def _integer_bytes(course: Course, steps: Iterable[Slices]) -> int:
    """Bytes of an integer of the last day, at most: weights are products over all days."""
    bits = 0
    for slices in steps:
        moved = sum([_bits(move.kernels.values()) for move in slices.moves])
        others = [*slices.factors("step"), *slices.factors("observe")]
        weighed = sum([int(f.integers.max()).bit_length() for f in others if f.population < 0])
        single = [f for f in slices.factors("observe") if f.population >= 0]
        sizes = sum([size for _, size in slices.parts])
        observed = sum([int(f.integers.sum()).bit_length() for f in single]) * sizes
        bits = max(bits, moved + weighed + observed)
    return 100 + bits * len(course.days) // 4


def _bits(kernels: Iterable[Kernel]) -> int:
    listed = list(kernels)
    sums = [int(kernel.rows.sum(axis=1).max()).bit_length() for kernel in listed]
    return max(sums, default=0) * (listed[0].individuals if listed else 0)
