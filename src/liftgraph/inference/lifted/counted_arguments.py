"""Counting variables of parfactors, split by the parts of what they count."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from liftgraph.inference.lifted.nesting import outer_logvars, outermost_first
from liftgraph.inference.lifted.placements import Placement
from liftgraph.inference.lifted.shards import ShardIndex
from liftgraph.inference.lifted.terms import Axis, Slot, UnliftableError
from liftgraph.inference.tensor.counting import falling
from liftgraph.inference.tensor.lookups import Addend
from liftgraph.model.lifted.logvars import LogVar, constrained
from liftgraph.model.lifted.parfactor import CRV, Parfactor

_NEW = 1 << 20  # blocks from this number on are those of counted logvars


@dataclass(frozen=True)
class CountedArgument:
    """A counting variable as a sum: histograms over parts, plus states of single variables, minus
    those of variables left out, plus the number of variables observed in each state.

    ``individuals``: how many are counted. ``summands``: for each, an axis, how many individuals it
    counts (0 for a single variable), and a sign.
    """

    individuals: int
    states: int
    summands: tuple[tuple[Axis, int, int], ...]
    observed: tuple[int, ...]

    @property
    def axes(self) -> list[Axis]:
        """The axes of the summands."""
        return [axis for axis, _, _ in self.summands]

    def addends(self, axes: Sequence[Axis]) -> tuple[Addend, ...]:
        """The summands, with places in a list of axes."""
        return tuple(Addend(axes.index(axis), size, sign) for axis, size, sign in self.summands)


@dataclass(frozen=True)
class _Counted:
    """Blocks of the counted logvars; new ones, from ``_NEW``, are in ``parts``.

    ``excluded``: blocks that new ones must be different from, and that are not in the argument.
    """

    blocks: dict[LogVar, int]
    parts: dict[int, int]
    excluded: tuple[int, ...]


def counted_argument(
    shards: ShardIndex, parfactor: Parfactor, argument: CRV, placement: Placement
) -> CountedArgument:
    """A counting variable of a parfactor whose other logvars are placed."""
    observed = [0] * len(argument.atom.prv.states)
    summands: list[tuple[Axis, int, int]] = []
    for chosen in _choices(shards, parfactor, argument, placement):
        blocks = [{**placement.block, **chosen.blocks}[v] for v in argument.atom.logvars]
        parts = [chosen.parts[b] if b in chosen.parts else placement.part_of(b) for b in blocks]
        axis = shards.axis(argument.atom.prv, parts, blocks)
        new = [place for place, block in enumerate(axis[1]) if block >= _NEW]
        if chosen.excluded and len(new) > 1:
            reason = f"{_name(argument)} counts over {len(new)} logvars but leaves individuals out"
            raise UnliftableError(shards.world.shards[axis[0]].parts[new[0]], reason)
        if axis[0] in shards.observed:
            size = _observed_count(shards, axis[0], new, len(chosen.excluded))
            observed[shards.observed[axis[0]]] += size
        elif not new:
            summands.append((axis, 0, 1))
        else:
            summands.extend(_summands(shards, argument, axis, new, chosen.excluded))
    states = len(argument.atom.prv.states)
    return CountedArgument(argument.number, states, tuple(summands), tuple(observed))


def _name(argument: CRV) -> str:
    """A counting variable in the usual notation."""
    counted = ",".join(logvar.name for logvar in argument.counted)
    logvars = ", ".join(logvar.name for logvar in argument.atom.logvars)
    return f"#{counted}[{argument.atom.prv.name}({logvars})]"


def _observed_count(shards: ShardIndex, shard: int, new: Sequence[int], excluded: int) -> int:
    """How many variables of an observed shard are counted."""
    sizes, parts = shards.world.sizes, shards.world.shards[shard].parts
    total = 1
    for part in dict.fromkeys(parts[place] for place in new):
        counted = sum(parts[place] == part for place in new)
        context = parts.count(part) - counted
        total *= falling(sizes[part] - context - excluded, counted)
    return total


def _summands(
    shards: ShardIndex, argument: CRV, axis: Axis, new: Sequence[int], excluded: Sequence[int]
) -> Iterator[tuple[Axis, int, int]]:
    """The histogram of a shard, less the variables of excluded individuals."""
    world = shards.world
    shard, logvars = axis
    if len(world.shards[shard].swaps) > 1:
        part = world.shards[shard].parts[0]
        reason = f"{_name(argument)} counts an unordered set once for each of its members"
        raise UnliftableError(part, reason)
    slot = Slot(shard, tuple(new))
    context = tuple(logvar for place, logvar in enumerate(logvars) if place not in new)
    yield (world.counting((slot,)), context), world.individuals(slot), 1
    for block in excluded:
        yield (shard, tuple(block if p in new else v for p, v in enumerate(logvars))), 0, -1


@dataclass(frozen=True)
class _CountingRules:
    """What determines the blocks of counted logvars.

    ``apart``: pairs of logvars that must differ; ``context``: blocks of the argument's others;
    ``outer``: the logvar that each one is nested in.
    """

    shards: ShardIndex
    placement: Placement
    apart: set[frozenset[LogVar]]
    context: tuple[int, ...]
    outer: Mapping[LogVar, LogVar]


def _choices(
    shards: ShardIndex, parfactor: Parfactor, argument: CRV, placement: Placement
) -> Iterator[_Counted]:
    """All blocks that the counted logvars may be in."""
    sets = [constrained(constraint) for constraint in parfactor.constraints]
    pairs = [pair for logvars in sets for pair in combinations(logvars, 2)]
    others = [logvar for logvar in argument.atom.logvars if logvar in placement.block]
    context = tuple(dict.fromkeys(placement.block[logvar] for logvar in others))
    outer = outer_logvars(parfactor, shards.parts.nesting, shards.domain)
    rules = _CountingRules(shards, placement, {frozenset(pair) for pair in pairs}, context, outer)
    yield from _extended(rules, _Counted({}, {}, ()), outermost_first(argument.counted, outer))


def _extended(
    rules: _CountingRules, chosen: _Counted, left: Sequence[LogVar]
) -> Iterator[_Counted]:
    """Blocks for counted logvars one after the other: of another logvar, or new ones."""
    if not left:
        yield chosen
        return
    logvar, *others = left
    blocks = {**rules.placement.block, **chosen.blocks}
    differing = {block for v, block in blocks.items() if frozenset((logvar, v)) in rules.apart}
    around = None
    if logvar in rules.outer:
        outer = blocks[rules.outer[logvar]]
        around = chosen.parts[outer] if outer >= _NEW else rules.placement.part_of(outer)
    for part in rules.shards.parts.inside[rules.shards.domain[logvar.domain], around]:
        present = _blocks_in(rules, chosen, part)
        size = rules.shards.world.sizes[part]
        new = -1 - part if size == 1 else _NEW + len(chosen.parts)
        for block in [*present, new] if size == 1 or size > len(present) else present:
            if block in differing:
                continue
            parts, excluded = chosen.parts, chosen.excluded
            if block == new >= _NEW:
                parts = {**parts, new: part}
                outside = [b for b in sorted(differing) if 0 <= b < _NEW and b not in present]
                excluded += tuple(b for b in outside if rules.placement.part_of(b) == part)
            extended = _Counted({**chosen.blocks, logvar: block}, parts, excluded)
            yield from _extended(rules, extended, others)


def _blocks_in(rules: _CountingRules, chosen: _Counted, part: int) -> list[int]:
    """The blocks of a part that the argument has so far."""
    so_far = dict.fromkeys([*rules.context, *chosen.blocks.values()])
    parts = {b: chosen.parts[b] if b >= _NEW else rules.placement.part_of(b) for b in so_far}
    return [block for block in so_far if block >= 0 and parts[block] == part]
