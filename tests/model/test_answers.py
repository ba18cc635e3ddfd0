"""Answers about all variables: mappings by name and by index, printed and as data frames."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import liftgraph as lg
from tests.strategies import factor_graphs


@given(factor_graphs())
def test_variables_are_found_by_name_and_index(graph: lg.FactorGraph) -> None:
    try:
        every, best = graph.marginals(), graph.mpe()
    except lg.ZeroWeightError:
        return
    names = [graph.name(variable) for variable in range(graph.variable_count)]
    assert [*every] == [*best] == names
    for variable, name in enumerate(names):
        for key in (variable, np.int64(variable), name):
            assert every[key].variables == (name,)  # type: ignore[index]
            assert dict(every[key]) == pytest.approx(dict(graph.query(variable)))  # type: ignore[index]
            assert best[key] == graph.states(variable)[best.states[variable]]  # type: ignore[index]
    for answer in (every, best):
        for missing in (graph.variable_count, -1, True, None, "nonsense"):
            assert missing not in answer
            with pytest.raises(KeyError):
                answer[missing]  # type: ignore[index]


@given(factor_graphs())
def test_lifted_models_answer_about_the_same_variables(graph: lg.FactorGraph) -> None:
    try:
        best = lg.lift(graph).mpe(exact=True)
    except lg.ZeroWeightError:
        return
    states = [graph.state(variable, best[variable]) for variable in range(graph.variable_count)]
    assert best.weight == graph.mpe(exact=True).weight
    assert tuple(states) == best.states
    assert best == {graph.name(variable): best[variable] for variable in range(len(states))}


class Rows(HTMLParser):
    """The texts in the cells of a table."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.feed(html)

    def handle_data(self, data: str) -> None:
        self.cells.append(data)


def many(count: int, name: str = "X<{}>") -> lg.FactorGraph:
    builder = lg.FactorGraphBuilder()
    builder.add_variables([name.format(number) for number in range(count)], ["low", "high"])
    for number in range(count):
        builder.add_factor([number], [1, 2 + number])
    return builder.build()


def test_an_assignment_prints_a_line_for_each_variable() -> None:
    best = many(3).mpe(exact=True)
    head, *lines = str(best).splitlines()
    assert head.endswith("weight = 24")
    assert [line.split() for line in lines] == [
        ["X<0>", "high"],
        ["X<1>", "high"],
        ["X<2>", "high"],
    ]
    assert Rows(best._repr_html_()).cells == [head, *" ".join(lines).split()]


def test_a_long_assignment_is_shortened_and_says_so() -> None:
    best = many(1000).mpe()
    lines = str(best).splitlines()
    assert len(lines) < 40
    assert lines[-1].split() == ["…", f"{1000 - len(lines) + 2}", "more"]
    rows = Rows(best._repr_html_()).cells
    assert len(rows) < 200
    assert rows[-1].endswith("more")


@given(st.integers(1, 10), st.integers(0, 3), st.booleans())
def test_a_large_distribution_lists_the_most_likely_states_and_sums_up_the_others(
    arguments: int, seed: int, exact: bool
) -> None:
    weights = np.random.default_rng(seed).integers(1, 1000, 2**arguments).tolist()
    builder = lg.FactorGraphBuilder()
    builder.add_variables([f"V{number}" for number in range(arguments)], ["low", "high"])
    builder.add_factor([*range(arguments)], weights)
    joint = builder.build().query(*range(arguments), exact=exact)
    _, *lines = str(joint).splitlines()
    listed = {
        line[: line.index("0.")].strip(): float(line[line.index("0.") :].split()[0])
        for line in lines
    }
    assert len(listed) == min(len(joint), 40)
    assert sum(listed.values()) == pytest.approx(1.0, abs=1e-4)
    others = f"{len(joint) - 39:,} others"
    assert (others in listed) == (len(joint) > 40)
    least = min(share for name, share in listed.items() if name != others)
    left_out = [
        state
        for state in joint
        if (state if isinstance(state, str) else ", ".join(state)) not in listed
    ]
    assert max((joint[state] for state in left_out), default=0.0) <= least + 1e-6
    rest = sum(joint[state] for state in left_out)
    assert rest == pytest.approx(listed.get(others, 0.0), abs=1e-5)
    if exact and left_out:
        fractions = joint.exact
        assert lines[-1].split()[-1] == str(sum(fractions[state] for state in left_out))
    assert set(listed) <= {*Rows(joint._repr_html_()).cells}


def test_an_assignment_is_a_data_frame_of_variables_and_states() -> None:
    pandas = pytest.importorskip("pandas")
    best = many(3, "V{}").mpe()
    frame = best.to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert dict(zip(frame["variable"], frame["state"], strict=True)) == best


def test_an_empty_model_lists_no_variables() -> None:
    with pytest.raises(lg.InputError, match=r"\(the model has 0 variables\)$"):
        lg.FactorGraphBuilder().build().query("A")


def test_a_misspelt_variable_is_suggested() -> None:
    best = many(3, "Sick.{}").mpe()
    with pytest.raises(KeyError, match="did you mean Sick"):
        best["sick.1"]
