"""The operators of lifted variable elimination, each a function from terms to terms.

The names follow de Salvo Braz et al. (2005), Milch et al. (2008), Apsel and Brafman (2011) and
Taghipour et al. (2013). All are exact, without fractional powers: extra logvars are counted
before factors are multiplied. What they return says what is to be computed; nothing is yet.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from math import prod

from liftgraph.inference.lifted.terms import Axis, Term, World, canonical, instances
from liftgraph.inference.tensor.counting import Permutation, Repeated
from liftgraph.inference.tensor.lookups import AxisLookup, MarginalLookup
from liftgraph.inference.tensor.tensors import Tensor, powers_of, product_of, take_from

MULTIPLY = "multiply"
SUM_OUT = "sum out"
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
    """The same term with its logvars listed in another order (old numbers, all of them)."""
    if list(order) == list(range(len(order))):
        return term
    place = {old: new for new, old in enumerate(order)}
    group = tuple(tuple([place[swap[old]] for old in order]) for swap in term.group)
    renaming = [place[old] for old in range(len(order))]
    return replace(
        term,
        axes=tuple(renamed(world, term.axes, renaming)),
        parts=tuple([term.parts[old] for old in order]),
        cliques=tuple([term.cliques[old] for old in order]),
        group=group,
    )


def repeat(world: World, term: Term) -> Term:
    """Drop logvars that are in no axis: each factor is there as often as they have substitutions.

    The factors for one substitution of the others are equal, so their product is a power.
    """
    used = sorted({logvar for _, logvars in term.axes for logvar in logvars})
    if len(used) == len(term.parts):
        return term
    place = {old: new for new, old in enumerate(used)}
    axes = tuple((shard, tuple([place[v] for v in logvars])) for shard, logvars in term.axes)
    images = dict.fromkeys(tuple([place[swap[old]] for old in used]) for swap in term.group)
    parts, cliques = (tuple([each[old] for old in used]) for each in (term.parts, term.cliques))
    rest = Term(axes, term.tensor, parts, cliques, tuple(images))
    times = instances(world, term) // instances(world, rest)
    if times == 1:
        return rest
    every = term.tensor.entries
    order = tuple(range(len(axes)))
    tensor = powers_of(
        REPEAT, term.tensor, order, (every, 1, 1), Repeated(times), term.tensor.shape
    )
    return replace(rest, tensor=tensor)


def fold(world: World, term: Term, group: Sequence[Permutation]) -> Term:
    """Multiply the factors of substitutions that a larger group takes to each other.

    Precondition: the term's own group is contained in it. The product runs over the cosets.
    """
    reached: set[Permutation] = set()
    folded: Term | None = None
    for swap in group:
        if swap in reached:
            continue
        reached.update(tuple([swap[own[v]] for v in range(len(swap))]) for own in term.group)
        image = over(world, term, renamed(world, term.axes, swap))
        folded = image if folded is None else multiply([folded, image], operator=FOLD)
    assert folded is not None
    return replace(folded, group=tuple(group))


def over(world: World, term: Term, axes: Sequence[Axis]) -> Term:
    """A term with other axes for its own, of which several may be the same."""
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
    """The product of terms with the same logvars and group: equal axes become one."""
    first, *others = sorted(terms, key=lambda term: term.tensor.entries)
    for each in others:
        first = _product(first, each, (), operator)
    return first


def sum_out(world: World, terms: Sequence[Term], shards: Collection[int]) -> Term:
    """Sum shards out of the product of all terms that have them (group inversion).

    Precondition: the terms have the same logvars and group, and all of these logvars are in each
    of their axes of the shards, whose variables for different substitutions are different
    (lifted elimination; inversion elimination). Logvars left without an axis turn to a power.
    """
    first, *others = sorted(terms, key=lambda term: term.tensor.entries)
    gone = tuple(dict.fromkeys(axis for term in terms for axis in term.axes if axis[0] in shards))
    for number, each in enumerate(others):
        first = _product(first, each, gone if number == len(others) - 1 else (), SUM_OUT)
    if not others:
        first = _product(first, None, gone, SUM_OUT)
    return repeat(world, first)


def _product(left: Term, right: Term | None, gone: Sequence[Axis], operator: str) -> Term:
    """The product of two terms, summed over axes that are gone and, here, in both of them."""
    others = right.axes if right is not None else gone
    axes = tuple(dict.fromkeys((*left.axes, *others)))
    label = {axis: number for number, axis in enumerate(axes)}
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
    product = replace(left, axes=out, tensor=tensor)
    return _product(product, None, missing, operator) if missing else product


def merge(world: World, term: Term, counting: int) -> Term:
    """Express counting variables by the one that counts their slots jointly.

    Precondition: the slots of each are among those of the joint one, or they have none of them.
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
    slots = [slot for place in same for slot in [world.shards[term.axes[place][0]].counting]]
    parts = tuple(
        tuple(joint.slots.index(slot) for slot in each.slots) for each in slots if each is not None
    )
    shape = tuple(term.tensor.shape[place] for place in rest)
    size = prod(term.tensor.shape[place] for place in same)
    tensor = take_from(
        MERGE,
        term.tensor,
        (*rest, *same),
        (prod(shape), size),
        MarginalLookup(joint.number, joint.shape, parts),
        (*shape, world.shards[counting].values),
    )
    axes = (*[term.axes[place] for place in rest], (counting, context))
    return merge(world, replace(term, axes=axes, tensor=tensor), counting)


def _within(world: World, shard: int, counting: int) -> bool:
    inner, outer = world.shards[shard].counting, world.shards[counting].counting
    return inner is not None and outer is not None and set(inner.slots) <= set(outer.slots)
