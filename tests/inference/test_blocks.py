"""Evidence here and there: blocks that it does not tell apart stay together."""

from __future__ import annotations

from math import prod

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.inference import methods
from liftgraph.inference.lifted.nesting import nesting
from liftgraph.inference.lifted.plan import LiftedPlan
from liftgraph.inference.weight import weight
from liftgraph.model.lifted.logvars import Constraint
from liftgraph.model.lifted.parfactor import Atom
from liftgraph.model.lifted.variables import variable_names
from liftgraph.model.query import Query

MOST_VARIABLES = 24


def blocks(count: int, width: int, height: int) -> lg.ParfactorGraph:
    """Blocks of people, machines, and what people do to machines."""
    B, X, Y = lg.LogVar("B", count), lg.LogVar("X", width), lg.LogVar("Y", height)
    H, A, K, F = lg.prv("H", B), lg.prv("A", B, X), lg.prv("K", B, Y), lg.prv("F", B, X, Y)
    return lg.ParfactorGraph.of(
        [lg.parfactor([F, A, K], range(1, 9)), lg.parfactor([H, A], [1, 2, 3, 5])]
    )


def schools(count: int, classes: int, pupils: int) -> lg.ParfactorGraph:
    """Three levels: schools, their classes, their pupils."""
    S, C, P = lg.LogVar("S", count), lg.LogVar("C", classes), lg.LogVar("P", pupils)
    good, loud, learns = lg.prv("Good", S), lg.prv("Loud", S, C), lg.prv("Learns", S, C, P)
    return lg.ParfactorGraph.of(
        [lg.parfactor([good, loud], [1, 2, 3, 5]), lg.parfactor([good, loud, learns], range(1, 9))]
    )


@st.composite
def models_of_blocks(draw: st.DrawFn) -> lg.ParfactorGraph:
    """Random models in which some domains are nested in others, with constraints and counts."""
    B, Y = (lg.LogVar(name, draw(st.integers(1, 3))) for name in "BY")
    X = lg.LogVar("X", draw(st.integers(2, 3)))
    D, Z = lg.LogVar("D", B), lg.LogVar("Z", X)
    E, H, A, K = lg.prv("E"), lg.prv("H", B), lg.prv("A", B, X), lg.prv("K", B, Y)
    T = lg.prv("T", B, X, Y)
    F = lg.prv("F", B, X, Z, where=draw(st.sampled_from([lg.different(X, Z), lg.unordered(X, Z)])))
    inside, outside = lg.different(X, Z), lg.different(B, D)
    templates: list[tuple[list[lg.PRV | Atom | lg.CRV], tuple[Constraint, ...]]] = [
        ([E, H], ()),
        ([H, A], ()),
        ([A, K], ()),
        ([T, A, K], ()),
        ([T, K], ()),
        ([F, A, A(B, Z)], inside),
        ([A, A(B, Z)], inside),
        ([A, A(D, Z)], outside),
        ([A, A(D, X)], outside),
        ([A, K(D, Y)], ()),
        ([lg.crv(A, X), H], ()),
        ([lg.crv(A, B, X), E], ()),
        ([lg.crv(A, B), E], ()),
        ([lg.crv(A(B, Z), Z, where=inside), A], inside),
        ([lg.prv("R", X), A], ()),
        ([A], ()),
    ]
    chosen = draw(st.lists(st.sampled_from(templates), min_size=1, max_size=4))
    parfactors = []
    for arguments, where in chosen:
        shape = [argument.values if isinstance(argument, lg.CRV) else 2 for argument in arguments]
        entries = draw(st.lists(st.integers(0, 4), min_size=prod(shape), max_size=prod(shape)))
        parfactors.append(lg.parfactor(arguments, entries, where))
    return lg.ParfactorGraph.of(parfactors)


@st.composite
def observed_blocks(draw: st.DrawFn) -> tuple[lg.ParfactorGraph, dict[str, str]]:
    """A model of blocks, and states of some of its variables."""
    listed = [blocks(3, 2, 2), schools(2, 2, 3)]
    model = draw(st.one_of(st.sampled_from(listed), models_of_blocks()))
    assume(model.variable_count <= MOST_VARIABLES)
    names = list(variable_names(model.places))
    observed = draw(st.lists(st.sampled_from(names), unique=True, max_size=8))
    return model, {name: draw(st.sampled_from(["true", "false"])) for name in observed}


@given(observed_blocks())
def test_answers_are_those_of_ground_elimination(
    case: tuple[lg.ParfactorGraph, dict[str, str]],
) -> None:
    model, observed = case
    graph = model.ground()
    try:
        ground = graph.marginals(given=observed, exact=True, method="ground")
    except lg.ZeroWeightError:
        with pytest.raises(lg.ZeroWeightError):
            model.partition(given=observed, exact=True, method="lifted")
        return
    lifted = model.marginals(given=observed, exact=True, method="lifted")
    assert all(lifted[name].exact == ground[name].exact for name in ground)
    both = list(ground)[:: max(len(ground) - 1, 1)]
    joint = graph.query(*both, given=observed, exact=True, method="ground")
    asked = model.query(*both, given=observed, exact=True, method="lifted")
    assert asked.exact == joint.exact
    total = graph.partition(given=observed, exact=True, method="ground").z
    assert model.partition(given=observed, exact=True, method="lifted").z == total
    best = graph.mpe(given=observed, exact=True, method="ground").weight
    explanation = model.mpe(given=observed, exact=True, method="lifted")
    assert explanation.weight == best == weight(graph.given(observed), explanation.states)


def plan_of(model: lg.ParfactorGraph, observed: dict[str, str]) -> LiftedPlan:
    planned = methods.plan(model, Query("marginals"), given=observed, method="lifted")
    assert isinstance(planned, LiftedPlan)
    return planned


def kinds(planned: LiftedPlan) -> list[list[int]]:
    """For each domain, how many parts it has, for each part of the domain around it."""
    parts = planned.compiled.shattered.shards.parts
    return [sorted(map(len, by_outer)) for by_outer in parts.by_domain]


def test_blocks_that_are_observed_alike_are_one_part() -> None:
    """Whichever member of a block it is; another state, or another position, is another kind."""
    model = blocks(40, 5, 4)
    observed = {f"A.{b}.{1 + b % 5}": "true" for b in range(1, 21)}
    observed |= {f"A.{b}.{1 + b % 4}": "false" for b in range(21, 31)}
    observed |= {f"K.{b}.{1 + b % 3}": "true" for b in range(11, 21)}
    planned = plan_of(model, observed)
    assert kinds(planned) == [[4], [1, 2, 2, 2], [1, 1, 1, 2]]
    assert not planned.compiled.ground


def test_the_cost_depends_on_the_kinds_of_blocks_alone() -> None:
    """Not on how many blocks there are of a kind, or which members were observed."""
    work = {
        plan_of(
            blocks(200, 6, 6),
            {f"A.{b}.{1 + b % members}": "true" for b in range(1, 1 + observed)},
        ).work
        for observed in (2, 10, 150)
        for members in (1, 4, 6)
    }
    assert len(work) == 1


def test_pupils_in_classes_in_schools() -> None:
    """Two schools with one noisy class of a good pupil, wherever these are, are of one kind."""
    observed = {"Loud.1.1": "true", "Learns.1.1.2": "true"}
    observed |= {"Loud.3.2": "true", "Learns.3.2.4": "true", "Learns.4.2.4": "false"}
    planned = plan_of(schools(30, 5, 6), observed)
    assert kinds(planned) == [[3], [1, 2, 2], [1, 1, 1, 2, 2]]


def test_pairs_observed_within_a_block_stay_within_it() -> None:
    """A matching inside of each block: its individuals are told apart, its blocks are not."""
    B, X = lg.LogVar("B", 50), lg.LogVar("X", 4)
    Y = lg.LogVar("Y", X)
    F = lg.prv("F", B, X, Y, where=lg.different(X, Y))
    likes = lg.parfactor([F, lg.prv("A", B, X)], [1, 2, 3, 5], lg.different(X, Y))
    model = lg.ParfactorGraph.of([likes])
    matched = {f"F.{b}.{1 + b % 2}.{3 + b % 2}": "true" for b in range(1, 41)}
    matched |= {f"F.{b}.{2 - b % 2}.{4 - b % 2}": "true" for b in range(1, 41)}
    assert kinds(plan_of(model, matched))[0] == [2]
    exact = model.partition(given=matched, exact=True, method="lifted").z
    assert exact == model.partition(given=matched, exact=True, method="ground").z


def test_what_is_shared_between_blocks_is_not_nested_in_them() -> None:
    """X is not nested in B where R(X) is beside A(B, X), nor where two blocks share an X."""
    B, X = lg.LogVar("B", 3), lg.LogVar("X", 2)
    D, A = lg.LogVar("D", B), lg.prv("A", B, X)
    alone = lg.parfactor([A, lg.prv("H", B)], [1, 2, 3, 5])
    assert nesting(lg.ParfactorGraph.of([alone])).outer == (None, 0)
    shared = [
        lg.parfactor([A, lg.prv("R", X)], [1, 2, 3, 5]),
        lg.parfactor([A, A(D, X)], [1, 2, 3, 5], lg.different(B, D)),
        lg.parfactor([lg.crv(A, B)], [1, 2, 3, 5]),
        lg.parfactor([A], [1, 2], logvars=[B, X, lg.LogVar("Z", X)]),
    ]
    for parfactor in shared:
        assert nesting(lg.ParfactorGraph.of([alone, parfactor])).outer == (None, None)
