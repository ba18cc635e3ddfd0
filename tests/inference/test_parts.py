"""Individuals that facts do not tell apart: found by colour passing, and in dictionaries."""

from __future__ import annotations

from itertools import permutations
from typing import NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.inference.lifted import fact_colours as module
from liftgraph.inference.lifted.fact_colours import fact_colours
from liftgraph.inference.lifted.facts import facts_of
from liftgraph.inference.lifted.nesting import Individual, nesting

X = lg.LogVar("X", 5)
Y, Z = lg.LogVar("Y", X), lg.LogVar("Z", X)
D = lg.LogVar("D", 3)
PRVS = [
    lg.prv("S", X),
    lg.prv("R", X, Y),
    lg.prv("U", X, Y, where=lg.unordered(X, Y)),
    lg.prv("T", X, Y, Z, where=lg.unordered(Y, Z)),
    lg.prv("M", X, D),
]
MODEL = lg.ParfactorGraph.of([], PRVS)
FLAT = nesting(MODEL, ground=range(2))


class Fact(NamedTuple):
    """A variable that was observed: its PRV, its individuals and the observed state."""

    prv: int
    individuals: tuple[Individual, ...]
    state: int


@st.composite
def facts(draw: st.DrawFn) -> list[Fact]:
    """Facts about different variables; in unordered sets, individuals increase."""
    listed: dict[tuple[int, tuple[Individual, ...]], int] = {}
    for _ in range(draw(st.integers(0, 8))):
        prv = draw(st.integers(0, len(PRVS) - 1))
        sizes = PRVS[prv].pattern.sizes
        individuals = [draw(st.integers(0, size - 1)) for size in sizes]
        for places in PRVS[prv].pattern.unordered:
            chosen = draw(st.permutations(range(5)))[: len(places)]
            for place, individual in zip(places, sorted(chosen), strict=True):
                individuals[place] = individual
        domains = [int(size == 3) for size in sizes]
        listed[prv, tuple(zip(domains, individuals, strict=True))] = draw(st.integers(0, 1))
    return [Fact(prv, individuals, state) for (prv, individuals), state in listed.items()]


ONE_IN_BOTH_ORDERS = [
    Fact(3, ((0, 2), (0, 1), (0, 2)), 0),  # the individual at place 0 is the last of the set,
    Fact(3, ((0, 2), (0, 2), (0, 3)), 0),  # and here the first
]
singles = st.sets(st.tuples(st.just(0), st.integers(0, 4)), max_size=2)


def colours_with(few: int, listed: list[Fact], single: set[Individual]) -> dict[Individual, int]:
    evidence = {(f.prv, tuple(number for _, number in f.individuals)): f.state for f in listed}
    apart = {individual: individual for individual in single}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "FEW", few)
        return fact_colours(PRVS, FLAT, facts_of(FLAT, evidence), apart)


@given(facts(), singles)
@example(ONE_IN_BOTH_ORDERS, set())
def test_dictionaries_and_colour_passing_find_the_same(
    listed: list[Fact], single: set[Individual]
) -> None:
    colours = colours_with(10**9, listed, single)
    assert not listed or colours == colours_with(0, listed, single)
    assert set(colours) == single | {i for fact in listed for i in fact.individuals}


@given(facts(), singles)
@example(ONE_IN_BOTH_ORDERS, set())
def test_individuals_that_can_be_swapped_have_the_same_colour(
    listed: list[Fact], single: set[Individual]
) -> None:
    colours = colours_with(0 if listed else 1, listed, single)
    observed = {_variable(fact.prv, fact.individuals): fact.state for fact in listed}
    for image in permutations(range(5)):
        moved = {
            _variable(fact.prv, tuple((d, i if d else image[i]) for d, i in fact.individuals)): (
                fact.state
            )
            for fact in listed
        }
        if moved == observed and all(image[i] == i for _, i in single):
            for domain, individual in colours:
                other = individual if domain else image[individual]
                assert colours[domain, individual] == colours[domain, other]


def _variable(prv: int, individuals: tuple[Individual, ...]) -> tuple[int, tuple[Individual, ...]]:
    """The variable, with the individuals of unordered sets in increasing order."""
    ordered = list(individuals)
    for places in PRVS[prv].pattern.unordered:
        for place, individual in zip(
            places, sorted(individuals[place] for place in places), strict=True
        ):
            ordered[place] = individual
    return prv, tuple(ordered)
