"""The algebra of terms: rename, repeat, fold, multiply, merge; functions from terms to terms.

The names follow de Salvo Braz et al. (2005), Milch et al. (2008), Apsel and Brafman (2011) and
Taghipour et al. (2013a). All are exact, without fractional powers: extra logvars are counted
before factors are multiplied. Nothing is computed here: the results say what to compute.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from math import prod

from liftgraph.inference.lifted.terms import Axis, Slot, Term, World, canonical, instances
from liftgraph.inference.tensor.contraction import MULTIPLY
from liftgraph.inference.tensor.counting import Permutation, Repeated
from liftgraph.inference.tensor.lookups import AxisLookup, MarginalLookup
from liftgraph.inference.tensor.tensors import Tensor, powers_of, product_of, take_from

REPEAT = "raise to a power"
MERGE = "merge counting variables"
FOLD = "multiply with swapped logvars"
ALIGN = "rename logvars"


def renamed(world: World, axes: Iterable[Axis], renaming: Sequence[int]) -> list[Axis]:
    """Axes with their logvars renamed."""
    return [
        canonical(world, (shard, tuple([renaming[logvar] for logvar in logvars])))
        for shard, logvars in axes
    ]


def rename(world: World, term: Term, order: Sequence[int]) -> Term:
    """The same term with its logvars in another order, a permutation of their old numbers."""
    if list(order) == list(range(len(order))):
        return term
    place = {old: new for new, old in enumerate(order)}
    swaps = tuple(tuple([place[swap[old]] for old in order]) for swap in term.swaps)
    renaming = [place[old] for old in range(len(order))]
    return replace(
        term,
        axes=tuple(renamed(world, term.axes, renaming)),
        parts=tuple([term.parts[old] for old in order]),
        cliques=tuple([term.cliques[old] for old in order]),
        swaps=swaps,
    )


def repeat(world: World, term: Term) -> Term:
    """Drop logvars that are in no axis: each factor occurs as often as they have substitutions.

    The factors for one substitution of the others are equal, so their product is a power.
    """
    used = sorted({logvar for _, logvars in term.axes for logvar in logvars})
    if len(used) == len(term.parts):
        return term
    place = {old: new for new, old in enumerate(used)}
    axes = tuple((shard, tuple([place[v] for v in logvars])) for shard, logvars in term.axes)
    swaps = dict.fromkeys(tuple([place[swap[old]] for old in used]) for swap in term.swaps)
    parts = tuple([term.parts[old] for old in used])
    cliques = tuple([term.cliques[old] for old in used])
    rest = Term(axes, term.tensor, parts, cliques, tuple(swaps))
    times = instances(world, term) // instances(world, rest)
    if times == 1:
        return rest
    order, grouped = tuple(range(len(axes))), (term.tensor.entries, 1, 1)
    tensor = powers_of(REPEAT, term.tensor, order, grouped, Repeated(times), term.tensor.shape)
    return Term(axes, tensor, parts, cliques, rest.swaps)


def fold(world: World, term: Term, swaps: Sequence[Permutation]) -> Term:
    """Multiply the factors of substitutions that a larger group of swaps takes to each other.

    Precondition: the term's own swaps are among them. The product runs over the cosets.
    """
    reached: set[Permutation] = set()
    folded: Term | None = None
    for swap in swaps:
        if swap in reached:
            continue
        reached.update(tuple([swap[own[v]] for v in range(len(swap))]) for own in term.swaps)
        image = over(world, term, renamed(world, term.axes, swap))
        folded = image if folded is None else multiply([folded, image], operator=FOLD)
    assert folded is not None
    return replace(folded, swaps=tuple(swaps))


def over(world: World, term: Term, axes: Sequence[Axis]) -> Term:
    """A term with its axes replaced by others, some of which may be equal."""
    distinct = tuple(dict.fromkeys(axes))
    if len(distinct) == len(axes):
        return replace(term, axes=tuple(axes))
    shape = tuple(world.shards[shard].values for shard, _ in distinct)
    source = tuple(distinct.index(axis) for axis in axes)
    order = tuple(range(len(axes)))
    rows = AxisLookup(shape, source)
    tensor = take_from(ALIGN, term.tensor, order, (1, term.tensor.entries), rows, shape)
    return replace(term, axes=distinct, tensor=tensor)


def multiply(terms: Sequence[Term], operator: str = MULTIPLY) -> Term:
    """The product of terms with the same logvars and swaps: equal axes become one."""
    first, *others = sorted(terms, key=lambda term: term.tensor.entries)
    for term in others:
        first = product(first, term, (), operator)
    return first


def product(left: Term, right: Term | None, gone: Sequence[Axis], operator: str) -> Term:
    """The product of two terms, summed over the ``gone`` axes that both of them have."""
    others = right.axes if right is not None else gone
    axes = tuple(dict.fromkeys((*left.axes, *others)))
    label = {axis: place for place, axis in enumerate(axes)}
    missing = [axis for axis in gone if axis not in left.axes or axis not in others]
    out = tuple(axis for axis in axes if axis not in gone or axis in missing)
    scope = tuple([label[axis] for axis in out])
    tensor: Tensor = product_of(
        operator,
        left.tensor,
        tuple([label[axis] for axis in left.axes]),
        None if right is None else right.tensor,
        tuple([label[axis] for axis in others]),
        scope,
    )
    result = Term(out, tensor, left.parts, left.cliques, left.swaps)
    return product(result, None, missing, operator) if missing else result


def merge(world: World, term: Term, counting: int) -> Term:
    """Express counting variables by the one that counts their slots jointly.

    Precondition: of the slots of each, either all or none are among those of the joint one.
    """
    joint = world.shards[counting].counting
    assert joint is not None
    merged = [
        place
        for place, (shard, _) in enumerate(term.axes)
        if shard != counting and _within(world, shard, counting)
    ]
    if not merged:
        return term
    context = term.axes[merged[0]][1]
    same = [
        place
        for place, (shard, logvars) in enumerate(term.axes)
        if logvars == context and (place in merged or shard == counting)
    ]
    rest = [place for place in range(len(term.axes)) if place not in same]
    countings = [world.shards[term.axes[place][0]].counting for place in same]
    parts = tuple(
        tuple(joint.slots.index(slot) for slot in counting_here.slots)
        for counting_here in countings
        if counting_here is not None
    )
    shape = tuple(term.tensor.shape[place] for place in rest)
    size = prod(term.tensor.shape[place] for place in same)
    tensor = take_from(
        MERGE,
        term.tensor,
        (*rest, *same),
        (prod(shape), size),
        MarginalLookup(joint.individuals, joint.shape, parts),
        (*shape, world.shards[counting].values),
    )
    axes = (*[term.axes[place] for place in rest], (counting, context))
    return merge(world, replace(term, axes=axes, tensor=tensor), counting)


def counted_jointly(world: World, terms: Sequence[Term]) -> list[Term] | None:
    """Terms whose counting variables share no variable: those that did are one, which counts all.

    Two histograms of the same variables are not independent, so a product of such terms, or a sum
    over one of the two, would be wrong. None if variables are counted over one logvar here and over
    another one there.
    """
    jointly: list[tuple[Slot, ...]] = []
    for slots in slots_counted(world, terms):
        shared = [others for others in jointly if not set(slots).isdisjoint(others)]
        jointly = [others for others in jointly if others not in shared]
        jointly.append(tuple(dict.fromkeys((*slots, *chain(*shared)))))
    if not each_in_one_slot(chain(*jointly)):
        return None
    for counting in [world.counting(slots) for slots in jointly]:
        terms = [merge(world, term, counting) for term in terms]
    return list(terms)


def slots_counted(world: World, terms: Iterable[Term]) -> list[tuple[Slot, ...]]:
    """What the counting variables of terms count, each once."""
    countings = [world.shards[shard].counting for term in terms for shard, _ in term.axes]
    return list(dict.fromkeys(counting.slots for counting in countings if counting is not None))


def each_in_one_slot(slots: Iterable[Slot]) -> bool:
    """Whether no shard is counted over different places.

    >>> first, second = Slot(1, (0,)), Slot(1, (1,))
    >>> each_in_one_slot([first, first]), each_in_one_slot([first, second])
    (True, False)
    """
    different = set(slots)
    return len({slot.shard for slot in different}) == len(different)


def _within(world: World, shard: int, counting: int) -> bool:
    inner, outer = world.shards[shard].counting, world.shards[counting].counting
    return inner is not None and outer is not None and set(inner.slots) <= set(outer.slots)
