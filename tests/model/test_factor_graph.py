"""Factor graphs: building in bulk against one at a time, names, states, evidence, equality."""

from __future__ import annotations

import pickle
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from liftgraph import FactorGraph, FactorGraphBuilder, InputError, Table
from liftgraph.model.ground.summary import info
from tests.strategies import factor_graphs


def rebuilt(graph: FactorGraph, bulk: bool) -> FactorGraph:
    """The same graph built again, one by one or in arrays."""
    builder = FactorGraphBuilder()
    for variable in range(graph.variable_count):
        states = graph.states(variable)
        if bulk:
            builder.add_variables([graph.name(variable)], states)
        else:
            builder.add_variable(graph.name(variable), states)
    for factor in range(graph.factor_count):
        scope, table = graph.factors[factor].parts
        if bulk:
            number = builder.add_table(table)
            builder.add_factors(np.array([scope], dtype=np.int64), table_ids=[number])
        else:
            builder.add_factor([graph.name(variable) for variable in scope], table)
    evidence = {graph.name(v): graph.states(v)[state] for v, state in graph.evidence.items()}
    return builder.build().given(evidence)


@given(factor_graphs(), st.booleans())
def test_building_again_gives_an_equal_graph(graph: FactorGraph, bulk: bool) -> None:
    assert rebuilt(graph, bulk) == graph


@given(factor_graphs())
def test_graphs_survive_pickling_and_stay_frozen(graph: FactorGraph) -> None:
    copy = pickle.loads(pickle.dumps(graph))
    assert copy == graph
    assert repr(copy) == repr(graph)
    assert not copy.scope.flags.writeable
    assert not copy.evidence.variables.flags.writeable


@st.composite
def scopes_and_tables(draw: st.DrawFn) -> tuple[list[int], list[list[int]], list[list[int]]]:
    """Numbers of states, scopes of equal length, and the values of a table for each."""
    sizes = draw(st.lists(st.integers(1, 3), min_size=4, max_size=7))
    arity = draw(st.integers(0, 4))
    scope = st.permutations(range(len(sizes))).map(lambda order: list(order[:arity]))
    scopes = draw(st.lists(scope, max_size=8))
    lengths = [prod(sizes[variable] for variable in each) for each in scopes]
    values = [draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)) for n in lengths]
    return sizes, scopes, values


@given(scopes_and_tables())
def test_arrays_of_scopes_equal_single_factors(
    case: tuple[list[int], list[list[int]], list[list[int]]],
) -> None:
    sizes, scopes, values = case
    single, bulk = FactorGraphBuilder(), FactorGraphBuilder()
    for builder in (single, bulk):
        for size in sizes:
            builder.add_variable(states=size)
    shapes = [tuple(sizes[variable] for variable in scope) for scope in scopes]
    for scope, flat in zip(scopes, values, strict=True):
        single.add_factor(scope, flat)
    numbers = [bulk.add_table(v, shape) for v, shape in zip(values, shapes, strict=True)]
    rows = np.array(scopes, dtype=np.int64).reshape(len(scopes), len(scopes[0]) if scopes else 2)
    bulk.add_factors(rows, table_ids=np.array(numbers, dtype=np.int64))
    assert single.build() == bulk.build()


@given(scopes_and_tables(), st.data())
def test_a_table_that_fits_only_elsewhere_is_refused(
    case: tuple[list[int], list[list[int]], list[list[int]]], data: st.DataObject
) -> None:
    sizes, scopes, values = case
    builder = FactorGraphBuilder()
    for size in sizes:
        builder.add_variable(states=size)
    shapes = [tuple(sizes[variable] for variable in scope) for scope in scopes]
    numbers = [builder.add_table(v, shape) for v, shape in zip(values, shapes, strict=True)]
    mixed = data.draw(st.permutations(range(len(scopes))))
    rows = np.array(scopes, dtype=np.int64).reshape(len(scopes), len(scopes[0]) if scopes else 2)
    misfits = [row for row, other in enumerate(mixed) if shapes[row] != shapes[other]]
    chosen = [numbers[other] for other in mixed]
    if not misfits:
        builder.add_factors(rows, table_ids=np.array(chosen, dtype=np.int64))
        return
    with pytest.raises(InputError, match=f"factor {misfits[0]}: expected a table of shape"):
        builder.add_factors(rows, table_ids=chosen)


def test_the_builder_may_go_on_after_building() -> None:
    builder = FactorGraphBuilder()
    builder.add_variables(["A", "B"])
    builder.add_factor(["A"], [1, 2])
    before = builder.build()
    builder.add_variable("C")
    builder.add_factors([[0, 2], [1, 2]], [1, 2, 3, 4])
    builder.add_factor(["B"], [1, 2])
    assert (before.variable_count, before.factor_count) == (2, 1)
    assert [builder.build().factors[factor].scope for factor in range(4)] == [
        (0,),
        (0, 2),
        (1, 2),
        (1,),
    ]


def test_default_names_and_states() -> None:
    builder = FactorGraphBuilder()
    assert list(builder.add_variables(2)) == [0, 1]
    builder.add_variable(states=3)
    graph = builder.build()
    assert [graph.name(variable) for variable in range(3)] == ["0", "1", "2"]
    assert graph.states(0) == ("true", "false")
    assert graph.states(2) == ("0", "1", "2")
    assert graph.variable("2") == graph.variable(2) == 2
    builder.add_variable("Named")
    assert builder.build().names == ("0", "1", "2", "Named")


def test_a_repeated_list_of_values_is_one_table() -> None:
    builder = FactorGraphBuilder()
    builder.add_variables(100)
    for variable in range(0, 98, 2):
        builder.add_factor([variable, variable + 1], [[1, 2], ["3", "0.4"]])
        builder.add_factor([variable, variable + 1], [1, 2, 3, "2/5"])
    assert len(builder.build().tables) == 1


def test_values_that_only_look_equal_are_told_apart() -> None:
    builder = FactorGraphBuilder()
    builder.add_variables(2)
    lookalikes: list[object] = [
        [1, 2, 3, 4],
        [1.0, 2, 3, 4],
        [np.float64(1), 2, 3, 4],
        [np.int64(1), 2, 3, 4],
        np.array([1, 2, 3, 4]),
        np.array([1, 2, 3, 4]).view(np.float64),
        [True, 2, 3, 4],
    ]
    for values in lookalikes:
        builder.add_factor([0, 1], values)
    graph = builder.build()
    measured = [graph.factors[factor].table.measured for factor in range(7)]
    assert measured == [False, True, True, False, False, True, False]
    assert graph.factors[5].table != graph.factors[4].table


def test_wrong_nesting_is_refused_even_if_the_values_are_known() -> None:
    builder = FactorGraphBuilder()
    builder.add_variables(3)
    builder.add_factor([0, 1, 2], [[[1, 2], [3, 4]], [[5, 6], [7, 8]]])
    for values in (
        [[1, 2], [3, 4], [5, 6], [7, 8]],
        [[1, 2, 3, 4], [5, 6, 7, 8]],
        [[1, 2, 3, 4, 5, 6, 7, 8]],
    ):
        with pytest.raises(InputError, match="expected a table of shape"):
            builder.add_factor([0, 1, 2], values)


@pytest.mark.parametrize(
    ("scope", "values", "problem"),
    [
        (["A", "A"], [1, 2, 3, 4], "factor 0.*twice"),
        (["A", "X"], [1, 2, 3, 4], "factor 0: expected a variable, got 'X'"),
        (["A", 7], [1, 2, 3, 4], "factor 0: expected a variable, got 7"),
        (
            ["A", "B"],
            [1, 2, 3],
            r"factor 0 \(A, B\): expected a table of shape \(2, 2\), got \(3,\)",
        ),
        (["A"], Table.of([1, 2, 3]), r"expected a table of shape \(2,\), got \(3,\)"),
        (["A"], [1, -2], "factor 0 .*non-negative"),
    ],
)
def test_a_wrong_factor_is_refused(scope: list[str | int], values: object, problem: str) -> None:
    builder = FactorGraphBuilder()
    builder.add_variables(["A", "B"])
    with pytest.raises(InputError, match=problem):
        builder.add_factor(scope, values)
    assert builder.build().factor_count == 0


@pytest.mark.parametrize(
    ("scopes", "table", "table_ids", "problem"),
    [
        (
            [[0, 1], [1, 1]],
            [1, 2, 3, 4],
            None,
            "factor 1: expected distinct variables, got 1 twice",
        ),
        ([[0, 1], [1, 3]], [1, 2, 3, 4], None, "factor 1: expected a variable below 3, got 3"),
        ([[0, 1], [-1, 1]], [1, 2, 3, 4], None, "factor 1: expected a variable below 3, got -1"),
        ([[0.0, 1.0]], [1, 2, 3, 4], None, "expected scopes as integers"),
        ([0, 1], [1, 2, 3, 4], None, "expected scopes as integers"),
        ([[0, 1], [0, 2]], [1, 2, 3, 4], None, r"factor 1: .*shape \(2, 3\), got \(2, 2\)"),
        ([[0, 1]], None, [5], "factor 0: expected a table below 1, got 5"),
        ([[0, 1]], None, [0, 0], r"expected table ids as integers of shape \(1,\)"),
        ([[0, 1]], None, [0], r"factor 0: expected a table of shape \(2, 2\), got \(3,\)"),
        ([[]], None, [0], r"factor 0: expected a table of shape \(\), got \(3,\)"),
    ],
)
def test_wrong_arrays_are_refused(scopes: Any, table: object, table_ids: Any, problem: str) -> None:
    builder = FactorGraphBuilder()
    builder.add_table([1, 2, 3])
    builder.add_variables(2)
    builder.add_variable(states=3)
    with pytest.raises(InputError, match=problem):
        builder.add_factors(
            np.array(scopes, dtype=int if scopes == [[]] else None), table, table_ids=table_ids
        )
    assert builder.build().factor_count == 0


WRONG_STATES = [[], ["a", "a"], 0, -1, [1, 2], {"a", "b"}, "true", True, None, 2.5, [["a"]], 10**12]


@pytest.mark.parametrize("states", WRONG_STATES)
def test_wrong_states_are_refused(states: Any) -> None:
    with pytest.raises(InputError, match="expected"):
        FactorGraphBuilder().add_variable("A", states)


@pytest.mark.parametrize(
    "names", [["A", "A"], ["A", ""], ["A", "B"], -1, "abc", {"A": 0}, ["\ud800"], [None], 2.0]
)
def test_wrong_names_are_refused_and_leave_nothing_behind(names: Any) -> None:
    builder = FactorGraphBuilder()
    builder.add_variable("B")
    with pytest.raises(InputError, match="expected"):
        builder.add_variables(names)
    builder.add_variables(["A", "C"])
    assert builder.build().names == ("B", "A", "C")


def test_numpy_integers_count_as_integers() -> None:
    builder = FactorGraphBuilder()
    builder.add_variables(np.int64(2), np.int64(3))  # type: ignore[arg-type]
    builder.add_factor([np.int32(1)], [1, 2, 3])  # type: ignore[list-item]
    graph = builder.build()
    assert graph.given({np.int64(1): 2}).evidence == {1: 2}
    assert graph.states(1) == ("0", "1", "2")


@pytest.mark.parametrize("scope", [[0.0], [None], [[0]], [np.True_], ["0" * 5000], [b"0"]])
def test_a_scope_is_made_of_names_and_indices(scope: Any) -> None:
    builder = FactorGraphBuilder()
    builder.add_variables(2)
    with pytest.raises(InputError, match="expected a variable"):
        builder.add_factor(scope, [1, 2])


def test_arrays_must_be_regular_and_tables_given_once() -> None:
    builder = FactorGraphBuilder()
    builder.add_variables(3)
    with pytest.raises(InputError, match="rows of equal lengths"):
        builder.add_factors([[0, 1], [2]], [1, 2, 3, 4])
    with pytest.raises(InputError, match="either a table or table ids"):
        builder.add_factors([[0, 1]], [1, 2, 3, 4], table_ids=[0])
    with pytest.raises(InputError, match="either a table or table ids"):
        builder.add_factors([[0, 1]])


def test_evidence_shares_the_model() -> None:
    builder = FactorGraphBuilder()
    builder.add_variables(["A", "B"])
    builder.add_factor(["A", "B"], [1, 2, 3, 4])
    graph = builder.build()
    observed = graph.given({"A": "true"}).given({1: False})
    assert observed.evidence == {0: 0, 1: 1}
    assert graph.evidence == {}
    assert observed.scope is graph.scope
    assert observed != graph
    with pytest.raises(InputError, match="expected one state for A, got both true and false"):
        observed.given({"A": "false"})
    with pytest.raises(InputError, match=r"expected a state of A \(true, false\), got yes"):
        graph.given({"A": "yes"})
    with pytest.raises(InputError, match="did you mean A"):
        graph.given({"AA": "true"})


def test_text_is_no_list_of_its_letters() -> None:
    builder = FactorGraphBuilder()
    builder.add_variables(["A", "B", "AB"])
    for scope in ("A", "AB"):
        with pytest.raises(InputError, match="factor 0: expected a list of variables such as"):
            builder.add_factor(scope, [1] * 2 ** len(scope))


def test_unknown_variables_are_told_which_there_are() -> None:
    for count, known in ((5, "0, 1, 2, 3, 4"), (6, "0, 1, 2, 3, 4, …")):
        builder = FactorGraphBuilder()
        builder.add_variables(count)
        with pytest.raises(InputError) as error:
            builder.build().variable("x")
        assert str(error.value).endswith(f"(the model has {count} variables: {known})")


def test_info_counts_what_is_used() -> None:
    builder = FactorGraphBuilder()
    builder.add_table([9, 9])
    builder.add_variables(3)
    builder.add_variable(states=3)
    builder.add_factors([[0, 1], [1, 2]], [0, 1, 1, 1])
    builder.add_factor([3], [0.5, 0.25, 0.25])
    counted = info(builder.build())
    assert (counted.variables, counted.factors, counted.edges, counted.tables) == (4, 3, 5, 2)
    assert counted.states == {2: 3, 3: 1}
    assert counted.arguments == {1: 1, 2: 2}
    assert (counted.largest_table, counted.zeros, counted.measured) == (4, 1, 1)
