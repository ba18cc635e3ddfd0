"""Each lifted operator on its own, against products and sums over all individuals.

A term stands for a product of factors, one for each substitution of its logvars. What an operator
returns must stand for the same product (or, for sums, for its sum), whatever states the variables
are in: this is checked on every assignment, or on random ones, in exact arithmetic.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations, product
from math import prod

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.inference.lifted.compile import Compiled, compile_model
from liftgraph.inference.lifted.operators import OPERATORS, register_operator
from liftgraph.inference.lifted.operators.algebra import fold, merge, multiply, rename, repeat
from liftgraph.inference.lifted.operators.conversion import count
from liftgraph.inference.lifted.operators.protocol import Operator, Pool, Step
from liftgraph.inference.lifted.operators.sum_out import prepare, sum_out
from liftgraph.inference.lifted.terms import Axis, Shard, Slot, Term, World, canonical, generated
from liftgraph.inference.tensor.counting import cell_counts, rank
from liftgraph.inference.tensor.evaluation import forward
from liftgraph.inference.tensor.tensors import Root, in_order
from liftgraph.inference.tensor.tensors import given as given_tensor
from liftgraph.semiring import EXACT
from tests.relational import families

SIZES = [3, 2]
States = Mapping[int, np.ndarray]  # of each shard: an array over the individuals of its places


def small_world() -> World:
    """Parts of three and of two individuals: x and y. Shards over them, as they are named below."""
    world = World(list(SIZES))
    for key, parts, values in [
        ("E", (), 2),
        ("A", (0,), 2),
        ("B", (0,), 3),
        ("C", (1,), 2),
        ("F", (0, 0), 2),
        ("U", (0, 0), 2),
        ("T", (0, 1), 2),
    ]:
        identity = tuple(range(len(parts)))
        swaps = (identity, (1, 0)) if key == "U" else (identity,)
        world.add(Shard(parts, values, swaps, key), key)
    return world


E, A, B, C, F, U, T = range(7)  # E, A(x), B(x), C(y), F(x, x'), U{x, x'}, T(x, y)


def term(
    world: World,
    axes: Sequence[Axis],
    parts: Sequence[int],
    seed: int,
    cliques: Sequence[int] | None = None,
    swaps: Sequence[tuple[int, ...]] | None = None,
    symmetric: bool = False,
) -> Term:
    """A term with a random table, made symmetric under the swaps."""
    ordered = [canonical(world, axis) for axis in axes]
    shape = [world.shards[shard].values for shard, _ in ordered]
    integers = np.array(
        [random.Random(seed + n).choice([0, 1, 2, 3, 5]) for n in range(prod(shape))]
    )
    table = integers.reshape(shape)
    group = tuple(swaps or [tuple(range(len(parts)))])
    if symmetric:
        images = [
            [ordered.index(canonical(world, (s, tuple(swap[v] for v in lv)))) for s, lv in ordered]
            for swap in group
        ]
        table = np.sum([table.transpose(np.argsort(image)) for image in images], axis=0)
    own_cliques = tuple(parts if cliques is None else cliques)
    return Term(tuple(ordered), given_tensor(table), tuple(parts), own_cliques, group)


def entries(given: Term) -> np.ndarray:
    """The table of a term, computed exactly."""
    values = forward(EXACT, in_order([given.tensor]), [Root(given.tensor, 1)])
    return np.asarray(values[given.tensor], dtype=object)


def substitutions(world: World, given: Term) -> Iterator[tuple[int, ...]]:
    """All substitutions of a term's logvars, one for each orbit of its swaps."""
    for chosen in product(*[range(world.sizes[part]) for part in given.parts]):
        mates = [
            (a, b)
            for a in range(len(chosen))
            for b in range(a)
            if given.cliques[a] == given.cliques[b]
        ]
        images = [tuple(chosen[image] for image in swap) for swap in given.swaps]
        if all(chosen[a] != chosen[b] for a, b in mates) and chosen == min(images):
            yield chosen


def state_of(world: World, states: States, axis: Axis, chosen: Sequence[int]) -> int:
    """The state of an axis: of a variable, or the histogram of what it counts."""
    shard, logvars = axis
    counting = world.shards[shard].counting
    individuals = tuple(chosen[v] for v in logvars)
    if counting is None:
        return int(states[shard][individuals])
    cells = np.zeros(prod(counting.shape), dtype=np.int64)
    first = counting.slots[0]
    parts = world.shards[first.shard].parts
    for counted in product(*[range(world.sizes[parts[p]]) for p in first.places]):
        cell: list[int] = []
        for slot in counting.slots:
            others, own = iter(individuals), dict(zip(slot.places, counted, strict=True))
            size = len(world.shards[slot.shard].parts)
            found = tuple(own[p] if p in own else next(others) for p in range(size))
            if len({(parts[p], found[p]) for p in range(size)}) < size:
                break
            cell.append(int(states[slot.shard][found]))
        else:
            cells[np.ravel_multi_index(cell, counting.shape)] += 1
    return int(rank(cells, counting.individuals))


def weight(world: World, given: Term, states: States) -> int:
    """The product of all factors that a term stands for."""
    table = entries(given)
    total = 1
    for chosen in substitutions(world, given):
        total *= table[tuple(state_of(world, states, axis, chosen) for axis in given.axes)]
    return total


def random_states(world: World, seed: int) -> dict[int, np.ndarray]:
    """States of all variables; an unordered pair's is the same in both orders."""
    choose = random.Random(seed)
    states = {}
    for number, shard in enumerate(world.shards[:7]):
        shape = [world.sizes[part] for part in shard.parts]
        found = np.array([choose.randrange(shard.values) for _ in range(prod(shape))]).reshape(
            shape
        )
        states[number] = np.triu(found) + np.triu(found, 1).T if len(shard.swaps) > 1 else found
    return states


seeds = st.integers(0, 2**30)
SWAPPED = [(0, 1), (1, 0)]
FRIENDS: list[Axis] = [(F, (0, 1)), (A, (0,)), (A, (1,))]
BOTH: list[Axis] = [(F, (0, 1)), (F, (1, 0)), (A, (0,)), (A, (1,))]


@given(seeds)
def test_multiplying_terms_multiplies_what_they_stand_for(seed: int) -> None:
    world = small_world()
    one = term(world, [(A, (0,)), (E, ())], [0], seed)
    other = term(world, [(B, (0,)), (A, (0,))], [0], seed + 100)
    both = multiply([one, other])
    states = random_states(world, seed)
    expected = weight(world, one, states) * weight(world, other, states)
    assert weight(world, both, states) == expected


@given(seeds, st.permutations(range(2)))
def test_renaming_logvars_changes_nothing(seed: int, order: list[int]) -> None:
    world = small_world()
    friends = term(world, FRIENDS, [0, 0], seed)
    states = random_states(world, seed)
    assert weight(world, rename(world, friends, order), states) == weight(world, friends, states)


@pytest.mark.parametrize(
    ("axes", "parts", "cliques", "swaps"),
    [
        ([(A, (0,)), (E, ())], [0, 1], None, None),
        ([(A, (0,))], [0, 0], None, None),
        ([(A, (0,))], [0, 0], [0, 1], None),
        ([(E, ())], [0, 0], None, SWAPPED),
        ([(A, (2,))], [1, 1, 0], [0, 0, 1], [(0, 1, 2), (1, 0, 2)]),
        ([], [0], None, None),
    ],
)
@given(seed=seeds)
def test_logvars_without_an_axis_are_a_power(
    axes: list[Axis],
    parts: list[int],
    cliques: list[int] | None,
    swaps: list[tuple[int, ...]] | None,
    seed: int,
) -> None:
    world = small_world()
    given_term = term(world, axes, parts, seed, cliques, swaps)
    power = repeat(world, given_term)
    used = {logvar for _, logvars in axes for logvar in logvars}
    assert len(power.parts) == len(used)
    states = random_states(world, seed)
    assert weight(world, power, states) == weight(world, given_term, states)


@given(seeds)
def test_folding_multiplies_both_orders(seed: int) -> None:
    world = small_world()
    friends = term(world, FRIENDS, [0, 0], seed)
    folded = fold(world, friends, SWAPPED)
    states = random_states(world, seed)
    assert len(folded.swaps) == 2
    assert weight(world, folded, states) == weight(world, friends, states)
    pairs = term(world, [(U, (0, 1)), (A, (0,))], [0, 0], seed)
    assert len(fold(world, pairs, SWAPPED).axes) == 3  # U{x, y} is the same in both orders
    assert weight(world, fold(world, pairs, SWAPPED), states) == weight(world, pairs, states)


def assignments(world: World, shard: int) -> Iterator[np.ndarray]:
    """All states of a shard's variables; the diagonal of pairs is no variable."""
    given_shard = world.shards[shard]
    shape = tuple(world.sizes[part] for part in given_shard.parts)
    places = [
        place
        for place in np.ndindex(shape)
        if len(set(zip(given_shard.parts, place, strict=True))) == len(place)
        and (len(given_shard.swaps) == 1 or place == tuple(sorted(place)))
    ]
    for values in product(range(given_shard.values), repeat=len(places)):
        found = np.zeros(shape, dtype=np.int64)
        for place, value in zip(places, values, strict=True):
            for swap in given_shard.swaps:
                found[tuple(place[p] for p in swap)] = value
        yield found


@pytest.mark.parametrize(
    ("shard", "specs"),
    [
        (A, [([(A, (0,)), (E, ())], [0], None)]),
        (A, [([(A, (0,)), (E, ())], [0], None), ([(A, (0,)), (B, (0,))], [0], None)]),
        (A, [([(A, (0,)), (C, (1,))], [0, 1], None)]),  # C is counted first
        (A, [([(A, (0,)), (B, (1,))], [0, 0], None)]),  # B of all others is counted first
        (A, [([(A, (0,)), (B, (0,)), (B, (1,))], [0, 0], None), ([(A, (0,))], [0], None)]),
        (T, [([(T, (0, 1)), (A, (0,)), (C, (1,))], [0, 1], None), ([(T, (0, 1))], [0, 1], None)]),
        (F, [(FRIENDS, [0, 0], None)]),
        (F, [(BOTH, [0, 0], None)]),  # each pair of individuals has two variables
        (F, [(BOTH, [0, 0], SWAPPED), (FRIENDS, [0, 0], None)]),
        (U, [([(U, (0, 1)), (A, (0,)), (A, (1,))], [0, 0], None)]),
        (U, [([(U, (0, 1)), (A, (0,)), (A, (1,))], [0, 0], SWAPPED)]),
        (F, [([(F, (0, 1)), (C, (2,))], [0, 0, 1], [(0, 1, 2)])]),
    ],
)
@given(seed=seeds)
def test_summing_out_sums_over_all_variables_of_a_shard(
    shard: int,
    specs: list[tuple[list[Axis], list[int], list[tuple[int, ...]] | None]],
    seed: int,
) -> None:
    world = small_world()
    terms = [
        term(world, axes, parts, seed + 1000 * n, None, swaps, symmetric=swaps is not None)
        for n, (axes, parts, swaps) in enumerate(specs)
    ]
    factors = prepare(world, terms, shard)
    assert factors is not None
    result = sum_out(world, factors, [shard])
    states = random_states(world, seed)
    expected = 0
    for found in assignments(world, shard):
        everything = {**states, shard: found}
        expected += prod(weight(world, factor, everything) for factor in terms)
    assert all(axis[0] != shard for axis in result.axes)
    assert weight(world, result, states) == expected


@pytest.mark.parametrize(
    ("axes", "parts", "cliques", "swaps", "units"),
    [
        ([(A, (0,)), (E, ())], [0], None, None, [0]),
        ([(A, (0,)), (B, (0,))], [0], None, None, [0]),
        ([(A, (0,)), (C, (1,))], [0, 1], None, None, [1]),
        ([(A, (0,)), (A, (1,))], [0, 0], None, None, [0, 1]),  # jointly: they must differ
        ([(A, (0,)), (A, (1,))], [0, 0], [0, 1], None, [0]),  # independent ones, one by one
        ([(A, (0,)), (A, (1,))], [0, 0], None, SWAPPED, [0, 1]),
        ([(A, (0,)), (B, (1,))], [0, 0], None, None, [0, 1]),
        ([(A, (0,)), (B, (1,))], [0, 0], None, None, [1]),  # all but oneself
        ([(A, (0,)), (B, (0,)), (B, (1,))], [0, 0], None, None, [1]),
        ([(A, (0,)), (A, (1,)), (A, (2,))], [0, 0, 0], None, None, [0, 1, 2]),
        ([(A, (0,)), (A, (1,)), (B, (2,))], [0, 0, 0], None, None, [1, 2]),
        ([(T, (0, 1)), (A, (0,))], [0, 1], None, None, [1]),  # per individual
        ([(F, (0, 1)), (F, (0, 2))], [0, 0, 0], None, None, [1, 2]),
        ([(F, (0, 1)), (A, (0,))], [0, 0], None, None, [1]),
    ],
)
@given(seed=seeds)
def test_counting_depends_on_histograms_only(
    axes: list[Axis],
    parts: list[int],
    cliques: list[int] | None,
    swaps: list[tuple[int, ...]] | None,
    units: list[int],
    seed: int,
) -> None:
    world = small_world()
    given_term = term(world, axes, parts, seed, cliques, swaps, symmetric=swaps is not None)
    counted = count(world, given_term, [(unit,) for unit in units])
    assert counted is not None
    assert len(counted.parts) == len(parts) - len(units)
    states = random_states(world, seed)
    assert weight(world, counted, states) == weight(world, given_term, states)


@given(seeds)
def test_counting_twice_keeps_one_histogram(seed: int) -> None:
    world = small_world()
    pairs = term(world, [(A, (0,)), (A, (1,))], [0, 0], seed, [0, 1])
    once = count(world, pairs, [(0,)])
    assert once is not None
    twice = count(world, once, [(0,)])
    assert twice is not None
    assert len(twice.axes) == 1
    states = random_states(world, seed)
    assert weight(world, twice, states) == weight(world, pairs, states)


@pytest.mark.parametrize(
    ("axes", "parts", "units"),
    [
        ([(F, (0, 1)), (A, (0,))], [0, 0], [0]),  # A(x) is not of any y's own
        ([(F, (0, 1)), (F, (1, 2))], [0, 0, 0], [1]),
        ([(U, (0, 1)), (A, (0,))], [0, 0], [1]),  # an unordered pair is nobody's own
        ([(F, (0, 1)), (F, (1, 0))], [0, 0], [1]),
    ],
)
def test_what_cannot_be_counted_is_not(
    axes: list[Axis], parts: list[int], units: list[int]
) -> None:
    world = small_world()
    assert count(world, term(world, axes, parts, 0), [(unit,) for unit in units]) is None


def test_what_cannot_be_summed_out_is_not() -> None:
    world = small_world()
    assert prepare(world, [term(world, [(A, (0,)), (A, (1,))], [0, 0], 0)], A) is None
    chain: list[Axis] = [(F, (0, 1)), (F, (1, 2))]
    assert prepare(world, [term(world, chain, [0, 0, 0], 0)], F) is None


@given(seeds)
def test_merging_counts_jointly(seed: int) -> None:
    world = small_world()
    one = count(world, term(world, [(A, (0,)), (E, ())], [0], seed), [(0,)])
    assert one is not None
    joint = world.counting((Slot(A, (0,)), Slot(B, (0,))))
    merged = merge(world, one, joint)
    assert (joint, ()) in merged.axes
    states = random_states(world, seed)
    assert weight(world, merged, states) == weight(world, one, states)


@given(st.lists(st.permutations(range(4)), min_size=1, max_size=3))
def test_a_group_is_closed(swaps: list[list[int]]) -> None:
    group = set(generated([tuple(swap) for swap in swaps]))
    for one, other in product(group, repeat=2):
        assert tuple(one[image] for image in other) in group
    assert set(map(tuple, swaps)) <= group
    assert 24 % len(group) == 0


def test_all_permutations_are_generated() -> None:
    assert set(generated([(1, 0, 2), (0, 2, 1)])) == set(permutations(range(3)))


@given(st.integers(1, 6), st.integers(1, 4))
def test_histograms_have_their_rank(number: int, cells: int) -> None:
    assume(cells > 1)
    counts = cell_counts(number, cells)
    assert rank(counts, number).tolist() == list(range(len(counts)))


@dataclass
class Recording:
    """An operator from outside: it never applies, and remembers what it was asked."""

    name: str = "record"
    far_reaching: bool = False
    asked: list[int] = field(default_factory=list)
    asked_why_not: list[int] = field(default_factory=list)

    def candidates(self, pool: Pool, term_index: int, term: Term) -> Iterable[tuple[int, int]]:
        return [(term_index, 0)] if term_index in pool.terms else []

    def apply(self, pool: Pool, candidate: int) -> Step | None:
        self.asked.append(candidate)
        return None

    def cost(self, pool: Pool, step: Step) -> int:
        raise AssertionError("it never applies")

    def why_not(self, pool: Pool, term_index: int) -> str:
        self.asked_why_not.append(term_index)
        return "nothing can be recorded"


class Alone(Recording):
    """Sums a shard out of the only term that has it, if they have the same logvars; for nothing."""

    def candidates(self, pool: Pool, term_index: int, term: Term) -> Iterable[tuple[int, int]]:
        return [(shard, 0) for shard, logvars in term.axes if logvars]

    def apply(self, pool: Pool, candidate: int) -> Step | None:
        self.asked.append(candidate)
        alone = len(pool.holders[candidate]) == 1 and candidate not in pool.world.counted
        for term_index in pool.holders[candidate] if alone else ():
            factors = [pool.terms[term_index]]
            axes = [axis for axis in factors[0].axes if axis[0] == candidate]
            if axes == [(candidate, tuple(range(len(factors[0].parts))))]:
                result = sum_out(pool.world, factors, [candidate])
                return Step(self.name, (term_index,), result, (candidate,), tuple(factors))
        return None

    def cost(self, pool: Pool, step: Step) -> int:
        return 0


def smokers(n: int) -> lg.ParfactorGraph:
    return dict(families(n))["smokers"]


def operators_used(compiled: Compiled) -> list[str]:
    return [step.operator for step in compiled.steps]


def test_the_usual_operators_are_chosen_by_their_cost() -> None:
    assert operators_used(compile_model(smokers(9), {})) == ["sum out", "count", "count"]


def test_an_operator_from_outside_is_asked() -> None:
    recording = Recording()
    compiled = compile_model(smokers(9), {}, operators=(*OPERATORS, recording))
    assert operators_used(compiled) == operators_used(compile_model(smokers(9), {}))
    assert len(set(recording.asked)) >= 2  # both parfactors of the model, at least
    assert not recording.asked_why_not


def test_an_operator_from_outside_is_chosen_if_it_is_the_cheapest() -> None:
    alone = Alone("sum out alone")
    compiled = compile_model(smokers(9), {}, operators=(*OPERATORS, alone))
    assert operators_used(compiled) == ["sum out alone", "count", "count"]
    usual = compile_model(smokers(9), {})
    assert total(compiled) == total(usual)


def test_a_registered_operator_answers_queries() -> None:
    recording = Recording()
    model = smokers(9)
    before = model.partition(exact=True).z
    register_operator(recording)
    try:
        assert model.partition(exact=True).z == before
        assert recording.asked
    finally:
        OPERATORS.remove(recording)


def total(compiled: Compiled) -> int:
    """The product of all roots, which is Z up to constants."""
    values = forward(EXACT, in_order([r.tensor for r in compiled.roots]), compiled.roots)
    return prod(int(values[root.tensor]) ** root.times for root in compiled.roots)


def test_operators_say_why_they_do_not_apply() -> None:
    model, recording = dict(families(4))["transitivity"], Recording()
    compiled = compile_model(model, {}, operators=(*OPERATORS, recording))
    (reason,) = compiled.ground.values()
    assert len(recording.asked_why_not) == 1
    assert reason.endswith("; nothing can be recorded")


@pytest.mark.parametrize("operator", OPERATORS)
def test_one_operator_alone_gets_stuck_and_says_so(operator: Operator) -> None:
    """Smokers need both: without one of them people are told apart, and answers stay the same."""
    compiled = compile_model(smokers(3), {}, operators=[operator])
    (reason,) = compiled.ground.values()
    told = {"count": "cannot be counted, because", "sum out": "cannot be summed out, because"}
    assert told[operator.name] in reason
    assert total(compiled) == total(compile_model(smokers(3), {}))
