"""Bayesian networks are recognised in one way only; rounded distributions are normalised."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations, product
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph import FactorGraph, FactorGraphBuilder, InputError, Table
from liftgraph.model.ground.bayesian_network import (
    is_conditional,
    normalised,
    own_factors,
    wrong_sums,
)
from liftgraph.model.ground.summary import info
from tests.strategies import bayesian_networks


def is_network(graph: FactorGraph, own: tuple[int, ...]) -> bool:
    """The naive twin: each sum is one, and some order has parents before children."""
    parents: dict[int, set[int]] = {}
    for variable, factor in enumerate(own):
        scope, table = graph.factors[factor].parts
        if variable not in scope:
            return False
        axis = scope.index(variable)
        if any(total != 1 for total in sums(table, axis)):
            return False
        parents[variable] = set(scope) - {variable}
    for order in permutations(range(len(own))):
        if all(parents[variable] <= set(order[:place]) for place, variable in enumerate(order)):
            return True
    return False


def sums(table: Table, axis: int) -> list[Fraction]:
    others = [range(size) for place, size in enumerate(table.shape) if place != axis]
    return [
        sum(
            (
                table.potential((*states[:axis], state, *states[axis:]))
                for state in range(table.shape[axis])
            ),
            Fraction(0),
        )
        for states in product(*others)
    ]


@given(bayesian_networks())
def test_the_own_factors_of_a_network_are_found(network: tuple[FactorGraph, list[int]]) -> None:
    graph, own = network
    assert own_factors(graph).tolist() == own


@given(st.data())
def test_there_is_at_most_one_way_and_it_is_found(data: st.DataObject) -> None:
    builder = FactorGraphBuilder()
    count = data.draw(st.integers(1, 4))
    builder.add_variables(count)
    tables = [["1/2", "1/2"], [["1/2", "1/2"], ["1/2", "1/2"]], [[1, 0], [0, 1]], [1, 0], [1, 1]]
    for _ in range(count):
        table = Table.of(data.draw(st.sampled_from(tables[: 5 if count > 1 else 1])))
        if len(table.shape) > count:
            continue
        scope = data.draw(st.permutations(range(count)))[: len(table.shape)]
        builder.add_factor(scope, table)
    graph = builder.build()
    numbers = range(graph.factor_count)
    ways = [own for own in permutations(numbers, count) if is_network(graph, own)]
    if graph.factor_count == count and ways:
        assert [tuple(own_factors(graph).tolist())] == ways
    else:
        with pytest.raises(InputError, match="this is not a Bayesian network: expected"):
            own_factors(graph)


@given(st.data())
def test_distributions_are_normalised(data: st.DataObject) -> None:
    shape = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    axis = data.draw(st.integers(0, len(shape) - 1))
    decimals = data.draw(st.integers(2, 20))
    weights = data.draw(
        st.lists(st.integers(0, 50), min_size=int(np.prod(shape)), max_size=int(np.prod(shape)))
    )
    rows = np.moveaxis(np.array(weights, dtype=object).reshape(shape), axis, -1)
    rows[rows.sum(axis=-1) == 0, 0] = 1
    exact = np.array([[Fraction(int(w), int(sum(row))) for w in row] for row in _flat(rows)])
    rounded = np.array([[round(value, decimals) for value in row] for row in exact], dtype=object)
    given_values = np.moveaxis(rounded.reshape(rows.shape), -1, axis)
    table = normalised(Table.of(given_values), axis, Fraction(1, 2))
    assert set(sums(table, axis)) == {Fraction(1)}
    for row, came in zip(_flat(np.moveaxis(_values(table), axis, -1)), rounded, strict=True):
        total = sum(came, Fraction(0))
        for value, was in zip(row, came, strict=True):
            assert (value == was) if total == 1 else abs(value - was / total) <= Fraction(1, 10**29)
            assert (value == 0) == (was == 0)


def _flat(rows: np.ndarray) -> np.ndarray:
    return rows.reshape(-1, rows.shape[-1])


def _values(table: Table) -> np.ndarray:
    values = np.empty(table.shape, dtype=object)
    for states in np.ndindex(table.shape):
        values[states] = table.potential(states)
    return values


def test_small_probabilities_do_not_vanish() -> None:
    table = normalised(Table.of(["1e-40", "0.5", "0.4999"]), 0)
    assert float(table.potential((0,))) == pytest.approx(1e-40 / 0.9999)


@pytest.mark.parametrize("values", [["0.5", "0.4"], [0, 0], [1, 1]])
def test_sums_that_are_no_rounding_are_refused(values: list[object]) -> None:
    with pytest.raises(InputError, match="expected probabilities that sum to 1, got a sum of"):
        normalised(Table.of(values), 0)


def test_floats_are_as_normalised_as_floats_can_be() -> None:
    table = Table.of([0.1, 0.2, 0.7])
    assert sum(table.potential((state,)) for state in range(3)) != 1
    assert is_conditional(table, 0)
    assert normalised(table, 0) is table
    assert not is_conditional(Table.of(["0.1", "0.2", "0.6999999999999"]), 0)


def test_floats_are_distributions_up_to_rounding_in_both_directions() -> None:
    assert is_conditional(Table.of(np.full(10, 0.1)), 0)
    for off in (-0.5, -1e-11, 1e-11, 0.005, 0.5):
        assert not is_conditional(Table.of(np.array([0.5, 0.5 + off])), 0)


def test_sums_may_be_off_by_a_hundredth_and_no_more() -> None:
    for last in ("0.49", "0.51"):
        assert is_conditional(normalised(Table.of(["0.5", last]), 0), 0)
    for last in ("0.4899", "0.5101"):
        with pytest.raises(InputError, match="expected probabilities that sum to 1, got a sum of"):
            normalised(Table.of(["0.5", last]), 0)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_any_argument_of_several_may_be_normalised(axis: int) -> None:
    shares = np.arange(1, 25).reshape(2, 3, 4).astype(object)
    exact = shares / shares.sum(axis=axis, keepdims=True)
    given = Table.of([f"{value * 0.999:.6f}" for value in exact.ravel()], exact.shape)
    assert not is_conditional(given, axis)
    found = normalised(given, axis)
    assert found.shape == exact.shape
    assert is_conditional(found, axis)
    for states in np.ndindex(exact.shape):
        assert float(found.potential(states)) == pytest.approx(exact[states], abs=1e-5)


def test_only_what_is_off_is_divided_and_nothing_vanishes() -> None:
    found = normalised(Table.of([["1/3", "2/3"], ["1e-40", "0.999"]]), 1)
    assert [found.potential((0, state)) for state in range(2)] == [Fraction(1, 3), Fraction(2, 3)]
    small = Fraction(1, 10**40)
    expected = small / (small + Fraction(999, 1000))
    assert abs(found.potential((1, 0)) / expected - 1) < Fraction(1, 10**25)


def test_what_was_measured_is_still_measured_when_it_is_normalised() -> None:
    assert normalised(Table.of(np.array([0.3333, 0.6666])), 0).measured
    assert not normalised(Table.of(["0.3333", "0.6666"]), 0).measured


def test_wrong_sums_are_the_smallest_first() -> None:
    found = wrong_sums(Table.of([["0.1", "0.9", "0.3", "0.5", "0.7"], ["0.1"] * 5]), 0)
    assert found == [Fraction(n, 10) for n in (2, 4, 6, 8)]


@given(bayesian_networks(), st.data())
def test_a_network_is_built_of_its_distributions_however_they_are_written(
    network: tuple[FactorGraph, list[int]], data: st.DataObject
) -> None:
    graph = network[0]
    builder = FactorGraphBuilder()
    for name in graph.variables:
        builder.add_variable(name, graph.states(name))
    for name in data.draw(st.permutations([*graph.variables])):
        cpd = graph.cpd(name)
        numbers = cpd.table.integers.astype(object) * cpd.table.scale
        in_rows = numbers.reshape(-1, len(cpd.states)).tolist()
        rows = dict(zip(product(*cpd.parent_states), in_rows, strict=True))
        by_state = {
            (states if len(states) > 1 else states[0]): dict(zip(cpd.states, row, strict=True))
            for states, row in rows.items()
            if states
        } or dict(zip(cpd.states, rows.get((), []), strict=True))
        listed = [number for row in rows.values() for number in row]
        nested = np.array(listed, dtype=object).reshape(cpd.table.shape).tolist()
        table = data.draw(st.sampled_from([cpd.table, by_state, listed, nested]))
        builder.add_distribution(name, cpd.parents, table)
    built = builder.build()
    own_factors(built)
    assert [built.cpd(name) for name in graph.variables] == [
        graph.cpd(name) for name in graph.variables
    ]


@given(bayesian_networks(), st.data())
def test_rows_that_do_not_sum_to_one_are_refused_and_named(
    network: tuple[FactorGraph, list[int]], data: st.DataObject
) -> None:
    """One entry of one row is off: exactly, or by more than floats of 32 bits are."""
    cpd = network[0].cpd(data.draw(st.sampled_from([*network[0].variables])))
    place = tuple(data.draw(st.integers(0, size - 1)) for size in cpd.table.shape)
    values = cpd.table.integers.astype(object) * cpd.table.scale
    values[place] += Fraction(1, 10**5)
    row = ", ".join(
        f"{parent} = {states[state]}"
        for parent, states, state in zip(cpd.parents, cpd.parent_states, place, strict=False)
    )
    for table in (values, values.astype(float)):
        builder = FactorGraphBuilder()
        for name in network[0].variables:
            builder.add_variable(name, network[0].states(name))
        with pytest.raises(InputError, match=f"distribution of {cpd.variable}.*sum to 1") as error:
            builder.add_distribution(cpd.variable, cpd.parents, table)
        assert (f" for {row}, got a sum of" in str(error.value)) == bool(row)
        assert builder.build().factor_count == 0


def test_floats_of_32_bits_are_distributions_and_then_sum_to_one() -> None:
    builder = FactorGraphBuilder()
    builder.add_variables(["A", "B"], 3)
    builder.add_distribution("A", [], np.full(3, 1 / 3, dtype=np.float32))
    builder.add_distribution("B", ["A"], np.full((3, 3), 1 / 3))
    graph = builder.build()
    assert sum(graph.query("A", exact=True).exact.values()) == 1
    assert graph.parents("B") == ("A",)
    assert graph.partition().log_z == pytest.approx(0, abs=1e-15)


def of_three() -> FactorGraphBuilder:
    builder = FactorGraphBuilder()
    builder.add_variables(["A", "B"], ["yes", "no"])
    builder.add_variable("C", ["a", "b", "c"])
    return builder


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (
            ("A", [], [0.01, 0.9]),
            r"distribution of A: .* sum to 1, got a sum of 0\.91",
        ),
        (
            ("A", [], ["0.01", "0.9"]),
            r"got a sum of 91/100; add_factor takes any numbers",
        ),
        (("A", ["B"], [[1, 0], [1, 1]]), "of A given B: expected .* for B = no, got a sum of 2"),
        (("C", ["A", "B"], np.ones((3, 2, 2))), r"expected a table of shape \(2, 2, 3\), got \(3"),
        (("C", ["A"], {"yes": [1, 0, 0]}), "expected numbers for A = no, got none"),
        (("C", ["A"], {"yes": [1, 0, 0], "no": [1, 0]}), "3 numbers for A = no, got 2"),
        (("C", ["A"], {"yes": [1, 0, 0], "no": {"a": 1, "b": 0}}), "numbers for C = c, got none"),
        (("C", ["A", "B"], {"yes": [1, 0, 0]}), "expected states of A, B, got 'yes'"),
        (("C", ["A"], {"yes": [1, 0, 0], "YES": [1, 0, 0]}), "A = yes once, got it twice"),
        (("C", ["A"], {"maybe": [1, 0, 0]}), r"a state of A \(yes, no\), got maybe"),
        (("A", "B", [1, 0]), "expected a list of parents, got 'B'"),
        (("A", [0.01, 0.99]), "expected a variable, got 0.01"),
        (("A", ["A"], [[1, 0], [1, 0]]), "lists a variable twice"),
    ],
)
def test_distributions_that_make_no_sense_are_refused(arguments: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        of_three().add_distribution(*arguments)


def test_a_variable_has_one_distribution_and_parents_make_no_cycle() -> None:
    builder = of_three()
    builder.add_distribution("A", ["B"], [1, 0, 0, 1])
    with pytest.raises(InputError, match="expected one distribution of A, got another"):
        builder.add_distribution("A", [], [1, 0])
    builder.add_distribution("B", ["A"], [1, 0, 0, 1])
    with pytest.raises(InputError, match=r"no cycle of parents, got (A → B → A|B → A → B)"):
        builder.build()


def stripped(graph: FactorGraph) -> FactorGraph:
    """The same network without its tables."""
    builder = FactorGraphBuilder()
    for name in graph.variables:
        builder.add_variable(name, graph.states(name))
    for name in graph.variables:
        builder.add_distribution(name, graph.parents(name))
    return builder.build()


@given(bayesian_networks(max_variables=7), st.data())
def test_arrows_say_the_same_without_tables(
    network: tuple[FactorGraph, list[int]], data: st.DataObject
) -> None:
    graph, bare = network[0], stripped(network[0])
    names = [*graph.variables]
    some = st.lists(st.sampled_from(names), unique=True, max_size=3)
    known = data.draw(some)
    done = {name: graph.states(name)[0] for name in data.draw(some)}
    structure = networkx.DiGraph((up, name) for name in names for up in graph.parents(name))
    structure.add_nodes_from(names)
    for first, second in product(names, names):
        separated = bare.d_separated(first, second, known)
        assert separated == graph.d_separated(first, second, known)
        if len({first, second, *known}) == len(known) + 2:
            assert separated == networkx.is_d_separator(structure, {first}, {second}, {*known})
        after = [one.do(done).d_separated(first, second, known) for one in (bare, graph)]
        assert after[0] == after[1]
    for name in names:
        for asked in ("parents", "children", "ancestors", "descendants", "markov_blanket"):
            assert getattr(bare, asked)(name) == getattr(graph, asked)(name)
    again = lg.from_networkx(structure)
    assert {v: {*again.parents(v)} for v in names} == {v: {*bare.parents(v)} for v in names}


QUESTIONS: dict[str, Callable[[FactorGraph], object]] = {
    "query": lambda graph: graph.query("B"),
    "query ground": lambda graph: graph.query("B", method="ground"),
    "query lifted": lambda graph: graph.query("B", method="lifted"),
    "after an intervention": lambda graph: graph.query("B", do={"A": "yes"}),
    "partition": lambda graph: graph.partition(),
    "marginals": lambda graph: graph.marginals(),
    "probability": lambda graph: graph.probability({"B": "yes"}),
    "map": lambda graph: graph.map("A"),
    "mpe": lambda graph: graph.mpe(),
    "sample": lambda graph: graph.sample(2),
    "predict": lambda graph: graph.predict({"A": ["yes"]}, "B"),
    "log_likelihood": lambda graph: graph.log_likelihood({"A": ["yes"]}),
    "count": lambda graph: graph.query(lg.count(["A", "B"], "yes")),
    "lift": lambda graph: graph.lift(),
    "colours": lambda graph: graph.colours(),
    "cpd": lambda graph: graph.cpd("B"),
    "table": lambda graph: graph.factors[1].table,
    "pgmpy": lg.to_pgmpy,
    "frames": lg.to_frames,
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_needs_tables_is_refused_with_the_way_out(question: str) -> None:
    builder = FactorGraphBuilder()
    builder.add_variables(["A", "B"], ["yes", "no"])
    builder.add_distribution("A", [])
    builder.add_distribution("B", ["A"])
    graph = builder.build()
    with pytest.raises(InputError, match=r"arrows without tables; lg\.learn_bayesian_network"):
        QUESTIONS[question](graph)
    learnt = lg.learn_bayesian_network(graph, {"A": ["yes", "no"], "B": ["yes", "yes"]}).graph
    QUESTIONS[question](learnt)


@pytest.mark.parametrize("suffix", [".uai", ".json", ".bif", ".net", ".xdsl", ".xmlbif"])
def test_files_of_models_have_tables(suffix: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="got arrows without tables"):
        lg.write(stripped(lg.datasets.asia()), tmp_path / f"arrows{suffix}")
    assert [*tmp_path.iterdir()] == []


def test_networks_without_tables_are_printed_and_drawn() -> None:
    bare = stripped(lg.datasets.asia())
    assert "φ3(smoke), unknown" in str(bare)
    assert str(bare.factors[2]) == "φ3(smoke), unknown"
    assert "A Bayesian network of 8 variables and 8 arrows." in lg.draw(bare).caption
    assert lg.draw(bare, arrows=True).svg == lg.draw(bare).svg
    assert pickle.loads(pickle.dumps(bare)) == bare
    assert info(bare).tables == 0


FILES = {
    ".bif": """network bare {}
        variable A { type discrete [2] { yes, no }; }
        variable B { type discrete [3] { 0, 1, 2 }; }
        probability ( A ) { }
        probability ( B | A ) { property "drawn"; }""",
    ".xmlbif": """<BIF><NETWORK><NAME>bare</NAME>
        <VARIABLE><NAME>A</NAME><OUTCOME>yes</OUTCOME><OUTCOME>no</OUTCOME></VARIABLE>
        <VARIABLE><NAME>B</NAME><OUTCOME>0</OUTCOME><OUTCOME>1</OUTCOME><OUTCOME>2</OUTCOME>
        </VARIABLE><DEFINITION><FOR>A</FOR></DEFINITION>
        <DEFINITION><FOR>B</FOR><GIVEN>A</GIVEN></DEFINITION></NETWORK></BIF>""",
    ".xdsl": """<smile version="1.0" id="bare"><nodes>
        <cpt id="A"><state id="yes"/><state id="no"/></cpt>
        <cpt id="B"><state id="0"/><state id="1"/><state id="2"/><parents>A</parents></cpt>
        </nodes></smile>""",
}


@pytest.mark.parametrize("suffix", FILES)
def test_files_without_any_table_are_networks_of_arrows(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"bare{suffix}"
    path.write_text(FILES[suffix])
    graph = lg.read_graph(path)
    assert graph.parents("B") == ("A",)
    assert (graph.states("A"), graph.states("B")) == (("yes", "no"), ("0", "1", "2"))
    with pytest.raises(InputError, match="expected the distribution of B, got arrows without"):
        graph.query("B")
