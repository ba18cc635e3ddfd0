"""Interventions in lifted models are those in their ground models, for all and for some."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph import InputError, LogVar, ParfactorGraph, crv, different, parfactor, prv
from liftgraph.model.lifted.parfactor import CRV, PRV, Argument, Atom, Parfactor
from liftgraph.model.lifted.views import find

X, M = LogVar("X", ["ann", "bob", "cid"]), LogVar("M", 2)
Y = LogVar("Y", X)


def distribution(data: st.DataObject, arguments: list[Argument], child: int) -> list[Fraction]:
    """Conditional distributions of one argument given the others, often with zeros."""
    shape = [argument.values for argument in arguments]
    weights = data.draw(st.lists(st.integers(0, 3), min_size=prod(shape), max_size=prod(shape)))
    weight = dict(zip(product(*map(range, shape)), weights, strict=True))
    flat = []
    for place in weight:
        row = [(*place[:child], state, *place[child + 1 :]) for state in range(shape[child])]
        total = sum(weight[other] for other in row)
        flat.append(Fraction(weight[place], total) if total else Fraction(int(not place[child])))
    return flat


def parents_of(data: st.DataObject, child: Atom, before: list[PRV]) -> tuple[list[Argument], Any]:
    """Parents with logvars of the child, perhaps one that counts over another logvar."""
    chosen = data.draw(st.lists(st.sampled_from(before), max_size=2, unique=True)) if before else []
    arguments: list[Argument] = []
    where: Any = child.prv.constraints
    for parent in chosen:
        missing = {*parent.logvars} - {*child.logvars}
        if not missing:
            order = parent.logvars
            both = {X, Y} <= {*child.logvars} and parent.logvars == (X,)
            arguments.append(parent(data.draw(st.sampled_from([X, Y]))) if both else parent(*order))
        elif parent.logvars == (X,) and not any(isinstance(a, CRV) for a in arguments):
            arguments.append(crv(parent(Z), Z))
    return arguments, where


Z = LogVar("Z", X)


@st.composite
def causal_models(draw: st.DrawFn) -> ParfactorGraph:
    """Parametric causal factor graphs, some of which say what the children are."""
    data: Any = type("Data", (), {"draw": staticmethod(draw)})
    shapes: list[tuple[tuple[LogVar, ...], Any]] = [
        ((), ()),
        ((X,), ()),
        ((X,), ()),
        ((X, M), ()),
        ((X, Y), different(X, Y)),
        ((X, Y), lg.unordered(X, Y)),
    ]
    before: list[PRV] = []
    parfactors: list[Parfactor] = []
    says = draw(st.booleans())
    left = 12
    for index in range(draw(st.integers(1, 4))):
        logvars, where = draw(st.sampled_from(shapes))
        states = draw(st.sampled_from([2, 2, 3, 1]))
        new = prv(f"V{index}", *logvars, states=states, where=where)
        if new.size > left:
            continue
        left -= new.size * (states - 1)
        unordered = where and len(where) == 1 and where == lg.unordered(X, Y)
        arguments, about = parents_of(data, new.atom, [] if unordered else before)
        place = draw(st.integers(0, len(arguments)))
        arguments.insert(place, new.atom)
        values = distribution(data, arguments, place)
        child = new if says or draw(st.booleans()) else None
        parfactors.append(parfactor(arguments, values, about, child=child))
        before.append(new)
    return ParfactorGraph.of(draw(st.permutations(parfactors)))


def drawn_states(data: st.DataObject, model: ParfactorGraph, whole: bool, most: int = 2) -> Any:
    names = [*model.variables, *[prv.name for prv in model.prvs] * whole]
    chosen = data.draw(st.lists(st.sampled_from(names), max_size=most, unique=True))
    return {name: data.draw(st.sampled_from(model.states(name))) for name in chosen}


def on_the_ground(model: ParfactorGraph, states: dict[str, str]) -> dict[str, str]:
    """The same for single variables, or none at all if they disagree."""
    ground = dict[str, str]()
    for name, state in states.items():
        prv_index, numbers = find(model.places, name)
        start = model.variable_start[prv_index : prv_index + 2]
        members = [name] if numbers is not None else [model.name(v) for v in range(*start)]
        for member in members:
            assume(ground.setdefault(member, state) == state)
    return ground


@given(st.data())
def test_interventions_are_those_of_the_ground_model(data: st.DataObject) -> None:
    model = data.draw(causal_models())
    graph = model.ground()
    done, seen = drawn_states(data, model, True), drawn_states(data, model, False)
    ground = on_the_ground(model, done)
    assume(all(ground.get(name, state) == state for name, state in seen.items()))
    cut, lifted = graph.do(ground), model.do(done)
    if data.draw(st.booleans()):  # one after the other
        lifted = model
        for name, state in done.items():
            lifted = lifted.do({name: state})
    total = cut.partition(given=seen, exact=True, method="ground") if possible(cut, seen) else None
    if total is None:
        with pytest.raises(lg.ZeroWeightError):
            lifted.partition(given=seen)
        return
    asked = data.draw(st.sampled_from([*model.variables]))
    expected = cut.query(asked, given=seen, exact=True, method="ground").exact
    method = data.draw(st.sampled_from(["lifted", "ground", "auto"]))
    assert lifted.query(asked, given=seen, exact=True, method=method).exact == expected
    found = model.query(asked, do=done, given=seen, exact=True, method=method)
    assert found.exact == expected
    marginals = model.marginals(do=done, given=seen, exact=True, method=method)
    assert marginals[asked].exact == expected
    assert marginals.names == tuple(model.variables)
    assert lifted.partition(given=seen, exact=True, method=method).z == total.z
    best = cut.mpe(given=seen, exact=True).weight
    explained = model.mpe(do=done, given=seen, exact=True, method=method)
    assert explained.weight == best
    assert explained.names == tuple(model.variables)


def possible(graph: lg.FactorGraph, seen: dict[str, str]) -> bool:
    try:
        graph.partition(given=seen)
    except lg.ZeroWeightError:
        return False
    return True


@given(st.data())
def test_what_was_lifted_is_cut_on_the_ground(data: st.DataObject) -> None:
    model = data.draw(causal_models())
    done = drawn_states(data, model, False)
    graph = model.ground()
    lifted = graph.lift()
    assert lifted.do(done).ground() == graph.do(done)
    for name in done:
        assert lifted.parents(name) == graph.parents(name)


def test_what_was_lifted_with_a_tolerance_keeps_it() -> None:
    builder = lg.FactorGraphBuilder()
    for name, share in (("A", "0.3"), ("B", "0.301"), ("C", "0.3"), ("D", "0.302")):
        builder.add_variable(name)
        builder.add_factor([name], [share, 1 - Fraction(share)])
    model = builder.build().lift(tolerance="0.01")
    done = model.do({"A": "true"})
    assert (len(model.prvs), len(done.prvs)) == (1, 2)
    assert 0 < done.log_odds_bound <= model.log_odds_bound
    assert done.ground() == builder.build().do({"A": "true"})


@given(st.data())
def test_arrows_are_those_of_the_ground_model(data: st.DataObject) -> None:
    before = data.draw(causal_models())
    done = drawn_states(data, before, True)
    graph = before.ground().do(on_the_ground(before, done))
    model = before.do(done)
    for name in before.variables:
        assert sorted(model.parents(name)) == sorted(graph.parents(name))
        assert model.children(name) == graph.children(name)
        assert model.ancestors(name) == graph.ancestors(name)
        assert model.descendants(name) == graph.descendants(name)
        assert model.markov_blanket(name) == graph.markov_blanket(name)
    for one in [p for p in before.prvs if p.logvars]:
        above = {u.split(".")[0] for v in members(before, [one.name]) for u in graph.parents(v)}
        assert {*model.parents(one.name)} == above


@given(st.data())
def test_separation_is_that_of_the_ground_model(data: st.DataObject) -> None:
    model = data.draw(causal_models())
    observed = drawn_states(data, model, False, most=1)
    done = drawn_states(data, model, True, most=1)
    ground = on_the_ground(model, done)
    assume(all(ground.get(name, state) == state for name, state in observed.items()))
    seen, graph = model.do(done).given(observed), model.ground().do(ground).given(observed)
    names = [*model.variables, *[prv.name for prv in model.prvs]]
    for _ in range(5):
        first, second = (data.draw(st.sampled_from(names)) for _ in range(2))
        known = data.draw(st.lists(st.sampled_from(names), max_size=2))
        sets = [members(model, some) for some in ([first], [second], known)]
        assert seen.d_separated(first, second, known) == graph.d_separated(*sets)


def test_what_is_set_has_no_parents() -> None:
    a, b, c, d = (prv(name, X) for name in "ABCD")
    any_table = ["0.1", "0.9", "0.2", "0.8", "0.3", "0.7", "0.4", "0.6"]
    model = ParfactorGraph.of(
        [
            parfactor([a], HALF, child=a),
            parfactor([b], HALF, child=b),
            parfactor([a, b, c], any_table, child=c),
            parfactor([c, d], COPY, child=d),
        ]
    )
    done = model.do({"C.ann": "true"})
    assert done.parents("C.ann") == ()
    assert done.parents("C.bob") == ("A.bob", "B.bob")
    assert done.parents("C") == ("A", "B")
    assert done.ancestors("D.ann") == ("C.ann",)
    assert done.markov_blanket("A.ann") == ()
    assert done.d_separated("A.ann", "B.ann", given="D.ann")
    assert not done.d_separated("A.bob", "B.bob", given="D.bob")
    all_done = done.do({"C.bob": "true", "C.cid": "false"})
    assert all_done.parents("C") == ()
    assert all_done.ancestors("D") == ("C",)


def members(model: ParfactorGraph, names: list[str]) -> list[str]:
    found = list[str]()
    for name in names:
        prv_index, numbers = find(model.places, name)
        start = model.variable_start[prv_index : prv_index + 2]
        found += [name] if numbers is not None else [model.name(v) for v in range(*start)]
    return found


def epidemic(people: int) -> ParfactorGraph:
    P = LogVar("P", people)
    old, vaccinated, sick, epid = prv("Old", P), prv("Vaccinated", P), prv("Sick", P), prv("Epid")
    return ParfactorGraph.of(
        [
            parfactor([epid], ["0.1", "0.9"], child=epid),
            parfactor([old], ["0.3", "0.7"], child=old),
            parfactor([old, vaccinated], [["0.8", "0.2"], ["0.1", "0.9"]], child=vaccinated),
            parfactor(
                [old, vaccinated, epid, sick],
                ["0.4", "0.6", "0.2", "0.8", "0.9", "0.1", "0.5", "0.5"]
                + ["0.1", "0.9", "0.05", "0.95", "0.6", "0.4", "0.1", "0.9"],
                child=sick,
            ),
        ]
    )


@pytest.mark.parametrize("people", [2, 1_000_000])
def test_one_of_a_million_is_set_without_the_others_being_looked_at(people: int) -> None:
    model = epidemic(people)
    answers = [
        model.query("Sick.2", do=do, given={"Sick.1": "true"}, exact=True).exact["true"]
        for do in ({"Vaccinated.2": "true"}, {"Vaccinated": "true"})
    ]
    for do, answer in zip(({"Vaccinated.2": "true"}, {"Vaccinated": "true"}), answers, strict=True):
        few = epidemic(2)
        assert (
            few.query("Sick.2", do=do, given={"Sick.1": "true"}, exact=True).exact["true"] == answer
        )
    assert not model.d_separated("Sick.1", f"Sick.{people}")
    assert model.d_separated("Sick.1", "Sick.2", ["Epid"])
    assert model.d_separated("Old", "Sick", ["Vaccinated"]) is False
    assert model.do({"Vaccinated": "true"}).d_separated("Old", "Vaccinated")
    assert model.parents("Sick") == ("Old", "Vaccinated", "Epid")


def test_models_with_interventions_are_saved(tmp_path: Path) -> None:
    model = epidemic(3)
    done = model.do({"Vaccinated.1": "true"})
    uncertain = done.given({"Sick.1": "true", "Sick.2": [3, 1]})
    for changed in (model, done, uncertain, model.do({"Vaccinated": "false"})):
        lg.write(changed, tmp_path / "model.json")
        assert lg.read(tmp_path / "model.json") == changed
    assert model.do({"Vaccinated.1": "true"}) != model
    with pytest.raises(InputError, match="expected a model without interventions for BLOG"):
        lg.write(model.do({"Vaccinated.1": "true"}), tmp_path / "model.blog")


@pytest.mark.parametrize(
    ("place", "changes", "problem"),
    [
        (("prvs", 4), {"observed": None}, "expected do Vaccinated to be observed"),
        (("prvs", 4), {"observed": "true"}, "do Vaccinated: expected it to be observed in not set"),
        (("prvs", 2), {"observed": "false", "overridable": True}, "Vaccinated: expected it to say"),
        (("prvs", 4), {"states": ["a", "b", "not set"]}, "is set to, got it in φ3"),
        (("parfactors", 2), {"child": None}, "is set to, got it in φ3"),
        (
            ("parfactors", 2, "table"),
            {"values": [*[1, 0, "0.8", 0, 1, "0.2"], *[1, "0.1", "0.1", 0, "0.9", "0.9"]]},
            "do Vaccinated: expected it to say what the child of one parfactor is set to",
        ),
    ],
)
def test_what_says_what_is_set_is_checked_in_files(
    tmp_path: Path, place: tuple[Any, ...], changes: dict[str, Any], problem: str
) -> None:
    path = tmp_path / "model.json"
    lg.write(epidemic(3).do({"Vaccinated.1": "true"}), path)
    document = entry = json.loads(path.read_text())
    for key in place:
        entry = entry[key]
    entry.update(changes)
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match=f"model.json: .*{problem}"):
        lg.read(path)


def test_one_prv_does_not_say_what_two_others_are_set_to(tmp_path: Path) -> None:
    a, b = prv("A", X), prv("B", X)
    model = ParfactorGraph.of([parfactor([a], HALF, child=a), parfactor([b], HALF, child=b)])
    path = tmp_path / "model.json"
    lg.write(model.do({"A.ann": "true", "B.bob": "true"}), path)
    document = json.loads(path.read_text())
    document["parfactors"][1]["arguments"][1]["prv"] = "do A"
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match=r"do A: .* of one parfactor is set to, got it in φ1, φ2"):
        lg.read(path)


S, E = prv("S", X), prv("E")
HALF, COPY = ["0.5", "0.5"], [1, 0, 0, 1]


@pytest.mark.parametrize(
    ("parfactors", "missing"),
    [
        ([parfactor([S, E], COPY), parfactor([E], HALF)], None),
        ([parfactor([S], HALF), parfactor([S], HALF)], "expected one distribution of S .* φ1, φ2"),
        ([parfactor([S, E], COPY)], "expected a distribution of E given its parents"),
        ([parfactor([S, E], [1, 1, 0, 1]), parfactor([E], HALF)], "expected a distribution of S"),
        ([parfactor([S, E], COPY), parfactor([S], HALF)], "expected a distribution of E"),
        (
            [parfactor([S, S(Y)], [*COPY], different(X, Y))],
            "expected a distribution of S given its parents",
        ),
        (
            [
                parfactor(
                    [S, crv(S(Y), Y, where=different(X, Y))], [1, 0, 1, 0, 1, 0], different(X, Y)
                ),
            ],
            "got a cycle at S",
        ),
        (
            [
                parfactor([prv("A", X), crv(S(Y), Y)], ["0.5"] * 8),
                parfactor([S, prv("A", X)], COPY),
            ],
            "got a cycle at",
        ),
        (
            [parfactor([S], HALF), parfactor([], [3])],
            "expected parfactors that are distributions of PRVs, got φ2",
        ),
    ],
)
def test_lifted_models_without_directions_say_what_is_missing(
    parfactors: list[Parfactor], missing: str | None
) -> None:
    model = ParfactorGraph.of(parfactors)
    if missing is None:
        assert model.parents("S") == ("E",)
        assert model.do({"S.bob": "true"}).query("E", exact=True).exact["true"] == Fraction(1, 2)
        return
    for ask in (lambda: model.do({"S.bob": True}), lambda: model.d_separated("S.ann", "S.bob")):
        with pytest.raises(InputError, match=f"expected a model with directions; .*{missing}"):
            ask()


def test_children_are_checked_when_they_are_written() -> None:
    with pytest.raises(InputError, match=r"expected potentials that sum to 1 over S\(X\), got 2"):
        parfactor([S, E], [1, 1, 1, 1], child=S)
    with pytest.raises(InputError, match="expected one of its arguments as the child, got E"):
        parfactor([S], HALF, child=E)
    with pytest.raises(InputError, match="not a parametric causal factor graph: expected a distr"):
        ParfactorGraph.of([parfactor([S, E], COPY, child=S)])
    other = parfactor([S, E], ["0.5"] * 4, child=E)
    assert "a distribution of E" in str(other)
    model = ParfactorGraph.of([other, parfactor([E], HALF)])
    with pytest.raises(InputError, match="expected a distribution of S"):
        model.do({"E": "true"})


@pytest.mark.parametrize(
    ("interventions", "problem"),
    [
        ({"Sik.1": "true"}, r"did you mean Sick.1\?"),
        ({"Sick.1": "yes"}, r"expected a state of Sick.1 \(true, false\), got yes"),
        ({"Sick": "true", "Sick.1": "false"}, "expected one state for Sick.1, got both"),
        ({"Old.1": "false"}, "got observed Old.1 = true and do Old.1 = false"),
        ({"Old": "false"}, "got observed Old.1 = true and do Old.1 = false"),
    ],
)
def test_interventions_that_make_no_sense(interventions: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        epidemic(2).given({"Old.1": "true"}).do(interventions)


def test_what_is_set_is_not_set_or_given_otherwise() -> None:
    model = epidemic(3).do({"Vaccinated.1": "true"})
    for name in ("do Vaccinated", "do Vaccinated.2"):
        with pytest.raises(InputError, match="which says what is set"):
            model.do({name: "true"})
    with pytest.raises(InputError, match=r"expected one state for do Vaccinated\.2, got"):
        model.given({"do Vaccinated.2": "true"})
    with pytest.raises(InputError, match=r"expected one state for Vaccinated\.1, got"):
        model.query("Sick.1", given={"Vaccinated.1": "false"})
    assert model["do Vaccinated.1"].observed == "true"
    assert model["do Vaccinated.2"].observed == "not set"


def test_templates_keep_directions() -> None:
    person = lg.Domain("person")
    P = LogVar("P", person)
    smokes, sick = prv("Smokes", P), prv("Sick", P)
    rules = [lg.rule([smokes], HALF, child=smokes), lg.rule([smokes, sick], COPY, child=sick)]
    template = lg.Template(rules)
    model = template.instantiate({"person": ["ann", "bob"]})
    assert isinstance(model, ParfactorGraph)
    assert [parfactor.child for parfactor in model.parfactors] == [0, 1]
    assert model.query("Smokes.ann", do={"Sick.ann": "true"}, exact=True).exact["true"] == Fraction(
        1, 2
    )
    over = lg.rule([smokes, sick], COPY, over="people", child=sick)
    related = lg.Template([lg.rule([smokes], HALF, child=smokes), over])
    rows = {"people": [{"P": "ann"}, {"P": "bob"}]}
    same = related.instantiate(relations=rows)
    assert isinstance(same, ParfactorGraph)
    assert [parfactor.child for parfactor in same.parfactors] == [0, 1]
    some = related.instantiate({"person": ["ann", "bob"]}, {"people": rows["people"][:1]})
    with pytest.raises(InputError, match="expected a model with directions"):
        some.do({"Sick.ann": "true"})


@given(st.data())
def test_likelihoods_of_the_model_remain(data: st.DataObject) -> None:
    model = data.draw(causal_models())
    done = drawn_states(data, model, True)
    name = data.draw(st.sampled_from([*model.variables]))
    size = len(model.states(name))
    numbers = data.draw(st.lists(st.integers(1, 5), min_size=size, max_size=size))
    cut = model.ground().do(on_the_ground(model, done))
    asked = data.draw(st.sampled_from([*model.variables]))
    expected = cut.query(asked, given={name: numbers}, exact=True).exact
    before, after = model.given({name: numbers}).do(done), model.do(done).given({name: numbers})
    for changed in (before, after):
        assert changed.query(asked, exact=True).exact == expected
    ground = model.ground().given({name: numbers}).do(on_the_ground(model, done))
    for other in model.variables:
        assert before.d_separated(asked, other) == ground.d_separated(asked, other)


def test_answers_are_about_the_variables_of_the_model() -> None:
    model = epidemic(3)
    do = {"Vaccinated.1": "true"}
    names = tuple(model.variables)
    sample = model.sample(20, seed=7, do=do)
    assert sample.names == names
    assert {*sample.column("Vaccinated.1")} == {"true"}
    assert sample.states.shape == (20, 10)
    assert "do Vaccinated" not in str(sample)
    for best in model.mpe(do=do, best=3):
        assert best.names == names
        assert best["Vaccinated.1"] == "true"
    assert model.mpe(do=do).names == model.marginals(do=do).names == names
    assert model.map("Sick.1", do=do)["Sick.1"] == "false"
