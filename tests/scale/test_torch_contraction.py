"""Ground elimination by torch: distributions and Z, beside enumeration and the method ground."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.model.query import Query
from tests.brute_force import brute_force
from tests.strategies import factor_graphs

torch = pytest.importorskip("torch")

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CLOSE = 1e-12


def grid(side: int, potentials: list[list[object]]) -> lg.FactorGraph:
    """A grid of Boolean variables, with one table for all neighbours."""
    builder = lg.FactorGraphBuilder()
    builder.add_variables(side * side)
    for place in range(side * side):
        if (place + 1) % side:
            builder.add_factor([place, place + 1], potentials)
        if place + side < side * side:
            builder.add_factor([place, place + side], potentials)
    return builder.build()


def ordinary(graph: lg.FactorGraph) -> bool:
    """Whether there are variables, and products of potentials in the range of floats."""
    if not graph.variable_count:
        return False
    integers = [int(table.integers.max(initial=0)) for table in graph.tables]
    return math.prod(map(max, zip(integers, [1] * len(integers), strict=True))) < 2**300


GRAPHS = factor_graphs().filter(ordinary)


@given(GRAPHS, st.data())
def test_distributions_and_z_equal_enumeration(graph: lg.FactorGraph, data: st.DataObject) -> None:
    variables = range(graph.variable_count)
    asked = tuple(data.draw(st.lists(st.sampled_from(variables), unique=True, max_size=3)))
    query = Query("marginal" if asked else "partition", asked)
    try:
        expected = brute_force(graph, query)
    except lg.ZeroWeightError:
        with pytest.raises(lg.ZeroWeightError):
            graph.explain(*asked, method="torch", device=DEVICE).run()
        return
    planned = graph.explain(*asked, method="torch", device=DEVICE)
    answer = planned.run()
    assert answer.method == planned.method == "torch"
    if isinstance(expected, lg.Marginal):
        assert isinstance(answer, lg.Marginal)
        assert answer.probabilities == pytest.approx(expected.probabilities, rel=CLOSE, abs=CLOSE)
    else:
        assert isinstance(expected, lg.Partition)
        assert isinstance(answer, lg.Partition)
        assert answer.log_z == pytest.approx(expected.log_z, rel=CLOSE, abs=CLOSE)


@given(GRAPHS, st.data())
def test_evidence_of_a_question_counts(graph: lg.FactorGraph, data: st.DataObject) -> None:
    variable = data.draw(st.sampled_from(range(graph.variable_count)))
    assume(variable not in graph.evidence)
    observed = {graph.name(variable): data.draw(st.sampled_from(graph.states(variable)))}
    try:
        expected = graph.partition(given=observed)
    except lg.ZeroWeightError:
        assume(False)
    answer = graph.partition(given=observed, method="torch", device=DEVICE)
    assert answer.log_z == pytest.approx(expected.log_z, rel=CLOSE, abs=CLOSE)


@pytest.mark.parametrize("huge", [10**9, 10**12])
def test_weights_far_beyond_floats_are_computed(huge: int) -> None:
    graph = grid(8, [[huge, 1], [3, huge - 1]])
    expected, answer = (graph.partition(method=method) for method in ("ground", "torch"))
    assert answer.log_z == pytest.approx(expected.log_z, rel=CLOSE)
    assert answer.log_z > math.log(huge) * 100
    ours, theirs = (graph.query(9, method=method) for method in ("torch", "ground"))
    assert np.allclose(ours.probabilities, theirs.probabilities, rtol=CLOSE, atol=0)


def test_tables_that_floats_cannot_hold_are_refused() -> None:
    graph = grid(4, [[10**150, 1], [3, 10**149]])
    with pytest.raises(lg.ComputationError, match=r"expected a factor below 2\*\*1000"):
        graph.partition(method="torch")
    assert graph.partition(method="ground").log_z > 0


def test_what_has_no_memory_is_refused_beforehand(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = grid(16, [["0.3", "0.7"], ["0.6", "0.4"]])
    planned = graph.explain(0, method="torch", device=DEVICE)
    assert planned.peak_bytes < 2**25
    assert f"with torch on {DEVICE}" in planned.text
    with pytest.raises(lg.MemoryLimitError, match=rf"needs on {DEVICE} .* limit is 4\.0 MiB"):
        graph.query(0, method="torch", device=DEVICE, memory_limit=2**22)
    monkeypatch.setattr("liftgraph.torch_devices.free_bytes", lambda device: 2**22)
    with pytest.raises(lg.MemoryLimitError, match=rf"needs on {DEVICE} .* limit is 4\.0 MiB"):
        graph.query(0, method="torch", device=DEVICE)


def test_what_it_cannot_answer_is_refused_by_name() -> None:
    graph = grid(3, [[1, 2], [3, 4]])
    with pytest.raises(lg.InputError, match="expected floats for the method torch"):
        graph.query(0, method="torch", exact=True)
    with pytest.raises(lg.InputError, match="expected a kind which torch answers"):
        graph.mpe(method="torch")
    with pytest.raises(lg.InputError, match="expected a device among cuda, cpu, got 'tpu'"):
        graph.query(0, method="torch", device="tpu")
    builder = lg.FactorGraphBuilder()
    people = builder.add_variables(30)
    builder.add_count_factor(people, list(range(1, 32)))
    with pytest.raises(lg.ComputationError, match="no convolutions"):
        builder.build().query(0, method="torch")
