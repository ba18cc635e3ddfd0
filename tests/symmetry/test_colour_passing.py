"""Groups against written-out signatures, under every reordering, with and without hashes."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.symmetry.colours.colour_passing import colour_passing
from liftgraph.symmetry.colours.colouring import ALGORITHMS, Algorithm, Colouring
from liftgraph.symmetry.colours.engines import arrays, grouping, registry
from liftgraph.symmetry.colours.engines.engine import Engine, StableColours
from liftgraph.symmetry.colours.engines.registry import engine_named, register_engine
from liftgraph.symmetry.colours.engines.rounds import refined
from liftgraph.symmetry.colours.incidence import Incidence, aligned_incidence
from liftgraph.symmetry.colours.initial import graph_colours
from liftgraph.symmetry.tables.exchangeable import classes
from liftgraph.symmetry.tables.labelling import symmetries
from tests.strategies import factor_graphs, reordered, symmetric_graphs
from tests.symmetry import naive

algorithms = st.sampled_from(ALGORITHMS)
SYMMETRIC, ORDINARY = [[1, 2], [2, 5]], [[1, 2], [3, 5]]
ON_ARRAYS = "up to -1 edges one by one"


def is_right(graph: lg.FactorGraph, algorithm: Algorithm, engine: str = "auto") -> Colouring:
    """The colouring, after a look at every round of it."""
    colouring = colour_passing(graph, algorithm, record=True, engine=engine)
    stages = naive.refinement(graph, algorithm)
    assert colouring.rounds == len(stages) - 1
    for round_index, (variables, factors) in enumerate(stages):
        colours = colouring.after(round_index)
        assert naive.partition(colours[0].tolist()) == variables
        assert naive.partition(colours[1].tolist()) == factors
    assert naive.partition(colouring.variable_colours.tolist()) == stages[-1][0]
    assert naive.partition(colouring.factor_colours.tolist()) == stages[-1][1]
    return colouring


@given(symmetric_graphs(), algorithms)
def test_groups_are_those_of_written_out_signatures(
    graph: lg.FactorGraph, algorithm: Algorithm
) -> None:
    is_right(graph, algorithm)


@given(symmetric_graphs(), algorithms)
def test_factors_of_a_group_have_one_table_and_arguments_of_the_same_colours(
    graph: lg.FactorGraph, algorithm: Algorithm
) -> None:
    is_aligned(graph, colour_passing(graph, algorithm))


def is_aligned(graph: lg.FactorGraph, colouring: Colouring) -> None:
    """Check the aligned order of arguments and the scale of every factor."""
    for group in colouring.factor_groups:
        rows = set()
        for factor in group.tolist():
            scope, table = graph.factors[factor].parts
            start = graph.scope_ptr[factor]
            order = colouring.argument_order[start : start + len(scope)].tolist()
            rows.add(tuple(colouring.variable_colours[scope[k]].item() for k in order))
            table_class = colouring.classes.class_of[colouring.table_id[factor]]
            representative = colouring.classes.representatives[table_class]
            for states, value in naive.potentials(table).items():
                aligned = tuple(states[k] for k in order)
                assert value == colouring.scale(factor) * representative.potential(aligned)
        assert len(rows) == 1


@pytest.mark.parametrize("seed", range(5))
def test_rotations_of_one_triple_are_one_group(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y, z = np.indices((3, 3, 3))
    rotating = 1 + 1 * (x < y) + (y < z) + (z < x)
    builder = lg.FactorGraphBuilder()
    for kind in range(3):
        for _ in range(4):
            builder.add_factor([builder.add_variable(states=3)], [1, 2, 3 + kind])
    for copy in range(4):  # each has a variable of every kind, the kinds in the same sense
        turn = np.roll(np.arange(3), rng.integers(3))
        builder.add_factor([4 * int(kind) + copy for kind in turn], rotating * int(copy + 1))
    graph = builder.build()
    colouring = colour_passing(graph)
    assert (colouring.variable_group_count, colouring.factor_group_count) == (3, 4)
    is_aligned(graph, colouring)
    other = lg.FactorGraphBuilder()
    for _ in range(12):
        other.add_variable(states=3)
    for factor in range(graph.factor_count):
        scope, table = graph.factors[factor].parts
        other.add_factor(scope[::-1] if factor == 13 else scope, table)  # in the other sense
    assert colour_passing(other.build()).factor_group_count == 8


@st.composite
def shuffled(draw: st.DrawFn, graph: lg.FactorGraph) -> tuple[lg.FactorGraph, list[int], list[int]]:
    """The same graph in another order, and where its variables and factors went."""
    variables = draw(st.permutations(range(graph.variable_count)))
    factors = draw(st.permutations(range(graph.factor_count)))
    builder = lg.FactorGraphBuilder()
    for old in sorted(range(graph.variable_count), key=variables.__getitem__):
        builder.add_variable(states=graph.states(old))
    for old in sorted(range(graph.factor_count), key=factors.__getitem__):
        scope, table = graph.factors[old].parts
        other, order = draw(reordered(table))
        same_scale = lg.Table(other.integers, table.scale, table.measured)
        builder.add_factor([variables[scope[k]] for k in order], same_scale)
    evidence = {variables[old]: state for old, state in graph.evidence.items()}
    return builder.build().observing(evidence), variables, factors


@given(
    symmetric_graphs(),
    st.sampled_from(["alpha-acp", "acp"]),
    st.sampled_from([0, "0.5"]),
    st.data(),
)
def test_colours_do_not_depend_on_the_order_of_anything(
    graph: lg.FactorGraph, algorithm: Algorithm, tolerance: object, data: st.DataObject
) -> None:
    other, variables, factors = data.draw(shuffled(graph))
    first, second = (colour_passing(listed, algorithm, tolerance) for listed in (graph, other))
    assert first.variable_colours.tolist() == second.variable_colours[variables].tolist()
    assert first.factor_colours.tolist() == second.factor_colours[factors].tolist()
    assert first.rounds == second.rounds


@given(st.one_of(symmetric_graphs(), factor_graphs()))
def test_alpha_acp_is_coarser_than_acp_and_acp_than_cp(graph: lg.FactorGraph) -> None:
    finest, middle, coarsest = (
        colour_passing(graph, algorithm, tolerance=0) for algorithm in ("cp", "acp", "alpha-acp")
    )
    for finer, coarser in ((finest, middle), (middle, coarsest)):
        for colours in ("variable_colours", "factor_colours"):
            fine, coarse = getattr(finer, colours).tolist(), getattr(coarser, colours).tolist()
            assert len(set(zip(fine, coarse, strict=True))) == len(set(fine))


@given(symmetric_graphs())
def test_without_scales_acp_finds_what_alpha_acp_finds(graph: lg.FactorGraph) -> None:
    builder = lg.FactorGraphBuilder()
    for variable in range(graph.variable_count):
        builder.add_variable(states=graph.states(variable))
    for factor in range(graph.factor_count):
        scope, table = graph.factors[factor].parts
        builder.add_factor(scope, lg.Table(table.integers, Fraction(1)))
    plain = builder.build().observing(graph.evidence)
    with_scales, without = colour_passing(plain, "alpha-acp"), colour_passing(plain, "acp")
    assert np.array_equal(with_scales.variable_colours, without.variable_colours)
    assert np.array_equal(with_scales.factor_colours, without.factor_colours)
    scaled = colour_passing(graph, "alpha-acp")
    assert np.array_equal(scaled.variable_colours, without.variable_colours)


@pytest.fixture
def _broken_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every signature gets the same hash: only verification tells them apart."""

    def constant(numbers: grouping.Hashes) -> grouping.Hashes:
        return np.zeros_like(numbers)

    monkeypatch.setattr(grouping, "mixed", constant)
    monkeypatch.setattr(arrays, "mixed", constant)


class TestBrokenHash:
    @pytest.mark.usefixtures("_broken_hash")
    @given(symmetric_graphs(), algorithms)
    def test_collisions_never_merge_groups(
        self, graph: lg.FactorGraph, algorithm: Algorithm
    ) -> None:
        is_right(graph, algorithm, ON_ARRAYS)

    @pytest.mark.usefixtures("_broken_hash")
    @given(symmetric_graphs(), st.data())
    def test_collisions_do_not_make_colours_depend_on_the_order(
        self, graph: lg.FactorGraph, data: st.DataObject
    ) -> None:
        other, variables, factors = data.draw(shuffled(graph))
        first, second = (colour_passing(listed, engine=ON_ARRAYS) for listed in (graph, other))
        assert first.variable_colours.tolist() == second.variable_colours[variables].tolist()
        assert first.factor_colours.tolist() == second.factor_colours[factors].tolist()


@settings(max_examples=300)
@given(symmetric_graphs(), algorithms, st.integers(1, 4), st.integers(0, 64))
def test_small_chunks_and_weak_hashes_change_nothing(
    graph: lg.FactorGraph, algorithm: Algorithm, chunk: int, bits: int
) -> None:
    strong, kept = grouping.mixed, np.uint64(2**64 - 2 ** (64 - bits))

    def weak(numbers: grouping.Hashes) -> grouping.Hashes:
        return strong(numbers) & kept

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grouping, "CHUNK", chunk)
        patch.setattr(grouping, "mixed", weak)
        patch.setattr(arrays, "mixed", weak)
        is_right(graph, algorithm, ON_ARRAYS)


def linked(pairs: list[tuple[int, int]], table: object) -> lg.FactorGraph:
    """Boolean variables with one table on each of these pairs."""
    scopes = np.array(pairs)
    builder = lg.FactorGraphBuilder()
    builder.add_variables(int(scopes.max()) + 1)
    builder.add_factors(scopes, table)
    return builder.build()


def mixed_tree(size: int, seed: int, exchanges: bool) -> lg.FactorGraph:
    """A tree of factors with two to four arguments, some of which commute or may be exchanged."""
    rng = np.random.default_rng(seed)
    w, x, y, z = np.indices((2, 2, 2, 2))
    tables = [np.array(SYMMETRIC), np.array(ORDINARY)]
    tables += [(1 + w + a * x + b * y)[..., 0] for a, b in ((2, 2), (1, 1), (2, 4))]
    tables += [1 + w * (1 + 7 * x) + y * (1 + 7 * z)] * exchanges
    builder = lg.FactorGraphBuilder()
    builder.add_variables(2)
    builder.add_factor([0, 1], SYMMETRIC)
    known = 2
    while known < size:
        table = tables[rng.integers(len(tables))]
        builder.add_variables(table.ndim - 1)
        scope = [int(rng.integers(max(0, known - 6), known)), *range(known, known + table.ndim - 1)]
        builder.add_factor([scope[k] for k in rng.permutation(table.ndim)], table)
        known += table.ndim - 1
    return builder.build().observing({int(v): 0 for v in rng.integers(0, size, 2)})


register_engine(Engine("dictionary", naive.dictionary_engine))
for small in (-1, 6):
    register_engine(Engine(f"up to {small} edges one by one", partial(refined, small=small)))
for patience in range(0, 20, 3):
    register_engine(Engine(f"patience {patience}", partial(refined, patience=patience)))
ONE_BY_ONE = [ON_ARRAYS, "up to 6 edges one by one", "arrays", "auto"]


def same_colours(first: Colouring, second: Colouring) -> None:
    """Groups, their numbers and the rounds are the same."""
    assert first.variable_colours.tolist() == second.variable_colours.tolist()
    assert first.factor_colours.tolist() == second.factor_colours.tolist()
    assert first.rounds == second.rounds


@given(symmetric_graphs(), algorithms, st.sampled_from([0, "0.5"]), st.data())
def test_an_engine_from_outside_finds_the_same_groups_and_numbers(
    graph: lg.FactorGraph, algorithm: Algorithm, tolerance: object, data: st.DataObject
) -> None:
    expected = colour_passing(graph, algorithm, tolerance, engine="arrays")
    colouring = colour_passing(graph, algorithm, tolerance, engine="dictionary")
    same_colours(colouring, expected)
    assert colouring.argument_order.tolist() == expected.argument_order.tolist()
    if algorithm != "cp":
        other, variables, factors = data.draw(shuffled(graph))
        moved = colour_passing(other, algorithm, tolerance, engine="dictionary")
        assert moved.variable_colours[variables].tolist() == expected.variable_colours.tolist()
        assert moved.factor_colours[factors].tolist() == expected.factor_colours.tolist()


@settings(max_examples=50)
@given(symmetric_graphs())
def test_an_engine_from_outside_lifts(graph: lg.FactorGraph) -> None:
    model = lg.lift(graph, engine="dictionary", tolerance=0)
    assert model == lg.lift(graph, engine="arrays", tolerance=0)
    assert model.ground() == graph


@pytest.mark.parametrize("exchanges", [False, True], ids=["without exchanges", "with exchanges"])
@pytest.mark.parametrize("seed", range(6))
def test_rounds_on_arrays_and_one_by_one_find_the_same(exchanges: bool, seed: int) -> None:
    graph = mixed_tree(150, seed, exchanges)
    expected = colour_passing(graph, "acp", engine="dictionary")
    for engine in ONE_BY_ONE:
        colouring = is_right(graph, "acp", engine)
        is_aligned(graph, colouring)
        same_colours(colouring, expected)


@pytest.mark.parametrize("seed", range(8))
def test_compiled_rounds_find_the_same(seed: int) -> None:
    pytest.importorskip("numba")
    graph = mixed_tree(150, seed, exchanges=seed == 7)
    expected = is_right(graph, "acp", "arrays")
    for engine in ("compiled", "patience 3", "auto"):
        same_colours(colour_passing(graph, "acp", engine=engine), expected)


@pytest.mark.parametrize("size", [40, 41])
def test_wherever_compiled_rounds_take_over(size: int) -> None:
    pytest.importorskip("numba")
    graph = linked([(i, i + 1) for i in range(size - 1)], SYMMETRIC)
    expected = colour_passing(graph, engine="arrays")
    for patience in range(0, 20, 3):
        same_colours(colour_passing(graph, engine=f"patience {patience}"), expected)


@pytest.mark.parametrize("exchanges", [False, True])
def test_engines_change_nothing_they_are_given(exchanges: bool) -> None:
    graph = mixed_tree(60, 1, exchanges)
    tables = classes(graph.tables)
    own = [symmetries(table.integers) for table in tables.representatives]
    incidence, _ = aligned_incidence(graph, graph.table_id, tables, own)
    variables, factors = graph_colours(graph), tables.class_of[graph.table_id]
    for array in (incidence.arguments, incidence.start, incidence.kind_of, variables, factors):
        array.flags.writeable = False
    for engine in ("arrays", ON_ARRAYS, "dictionary"):
        engine_named(engine).refine(incidence, variables, factors, False)


@pytest.mark.long
def test_compiled_rounds_need_no_cache(tmp_path: Path) -> None:
    pytest.importorskip("numba")
    (tmp_path / "file").write_text("a file has no directories")
    program = """
import numpy as np
import liftgraph as lg
builder = lg.FactorGraphBuilder()
builder.add_variables(40)
builder.add_factors(np.stack([np.arange(39), np.arange(1, 40)], axis=1), [[1, 2], [2, 5]])
print(lg.colour_passing(builder.build(), engine="compiled"))
"""
    environment = dict(
        os.environ,
        NUMBA_CACHE_DIR=str(tmp_path / "file" / "cache"),
        NUMBA_CACHE_LOCATOR_CLASSES="UserProvidedCacheLocator",
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment
    )
    assert (run.stderr, run.returncode) == ("", 0)
    assert "20 groups of variables, 20 of factors, 21 rounds" in run.stdout


def test_engines_that_cannot_be_had_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = figure()
    with pytest.raises(lg.InputError, match="expected an engine among auto, arrays, compiled"):
        colour_passing(graph, engine="abacus")
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(lg.InputError, match=r"needs numba: pip install 'liftgraph\[compiled\]'"):
        colour_passing(graph, engine="compiled")
    register_engine(Engine("quantum", naive.dictionary_engine, "no_such_module"))
    with pytest.raises(lg.InputError, match="the engine quantum needs no_such_module: install it"):
        colour_passing(graph, engine="quantum")


def test_torch_is_an_extra_and_other_engines_have_no_devices(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    graph = figure()
    monkeypatch.setattr(registry, "installed", lambda module: module != "torch")
    for device in (None, "cpu", "cuda"):
        with pytest.raises(lg.InputError, match=r"needs torch: pip install 'liftgraph\[gpu\]'"):
            colour_passing(graph, engine="torch", device=device)
    for engine in ("auto", "arrays", "dictionary"):
        expected = rf"an engine with devices \(torch\) for the device 'cuda', got {engine}"
        with pytest.raises(lg.InputError, match=expected):
            lg.lift(graph, engine=engine, device="cuda")
    monkeypatch.setattr(registry, "installed", lambda module: True)
    with pytest.raises(lg.InputError, match="expected a device among cuda, cpu, got 'tpu'"):
        colour_passing(graph, engine="torch", device="tpu")


def test_an_engine_with_devices_is_told_which_to_use(monkeypatch: pytest.MonkeyPatch) -> None:
    used: list[str] = []

    def on_abacus(*arguments: Any) -> StableColours:
        used.append("abacus")
        return naive.dictionary_engine(*arguments)

    monkeypatch.setattr(registry, "_ENGINES", dict(registry._ENGINES))
    register_engine(Engine("manual", naive.dictionary_engine, devices={"abacus": on_abacus}))
    expected = colour_passing(figure(), engine="manual")
    assert used == []
    same_colours(colour_passing(figure(), engine="manual", device="abacus"), expected)
    assert used == ["abacus"]
    assert lg.lift(figure(), engine="manual", device="abacus").ground() == figure()


def test_without_numba_rounds_stay_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)
    graph = linked([(i, i + 1) for i in range(40)], SYMMETRIC)
    same_colours(colour_passing(graph, engine="patience 3"), colour_passing(graph))


def test_an_engine_that_tells_too_much_apart_is_noticed() -> None:
    def all_alone(incidence: Incidence, *_: object) -> StableColours:
        variables = np.arange(incidence.variable_count, dtype=np.int32)
        return StableColours(variables, np.arange(incidence.factor_count, dtype=np.int32), 1)

    register_engine(Engine("all alone", all_alone))
    with pytest.raises(lg.ComputationError, match="separated too much"):
        colour_passing(figure(), engine="all alone")


@pytest.mark.parametrize("size", [2, 3, 10, 11, 1001])
def test_a_path_needs_half_its_length_in_rounds(size: int) -> None:
    colouring = colour_passing(linked([(i, i + 1) for i in range(size - 1)], SYMMETRIC))
    assert colouring.variable_group_count == (size + 1) // 2
    assert colouring.factor_group_count == size // 2
    # The ends are told from the rest in round 1, and one step further inside in each round; an
    # even path's middle factor takes one more, and the last round finds nothing.
    assert colouring.rounds == (size // 2 + 1 if size > 2 else 1)
    assert np.array_equal(colouring.variable_colours, colouring.variable_colours[::-1])


def test_rings_look_alike_whatever_their_length() -> None:
    ring = [(i, (i + 1) % 8) for i in range(8)]
    two_rings = [(4 * r + i, 4 * r + (i + 1) % 4) for r in range(2) for i in range(4)]
    for pairs in (ring, two_rings):
        colouring = colour_passing(linked(pairs, SYMMETRIC))
        assert (colouring.variable_group_count, colouring.factor_group_count, colouring.rounds) == (
            1,
            1,
            1,
        )


def test_a_hub_counts_what_its_factors_say() -> None:
    hubs = linked(
        [(0, leaf) for leaf in range(2, 5)] + [(1, leaf) for leaf in range(5, 9)], ORDINARY
    )
    colouring = colour_passing(hubs)
    assert naive.partition(colouring.variable_colours.tolist()) == {
        frozenset({0}),
        frozenset({1}),
        frozenset({2, 3, 4}),
        frozenset({5, 6, 7, 8}),
    }


def figure(alpha: Fraction = Fraction(1), swapped: bool = False) -> lg.FactorGraph:
    """φ1(A, B) and φ2(C, B) = α · φ1, the latter with its arguments in either order."""
    builder = lg.FactorGraphBuilder()
    builder.add_variables(["A", "B", "C"])
    builder.add_factor(["A", "B"], [[1, 2], [3, 4]])
    second = [[alpha * value for value in row] for row in ([1, 2], [3, 4])]
    if swapped:
        builder.add_factor(["B", "C"], [list(column) for column in zip(*second, strict=True)])
    else:
        builder.add_factor(["C", "B"], second)
    return builder.build()


@pytest.mark.parametrize("alpha", [1, 2, 7, 9, Fraction(1, 3)])
@pytest.mark.parametrize("swapped", [False, True])
def test_the_figures_of_a_b_c(alpha: int | Fraction, swapped: bool) -> None:
    graph = figure(Fraction(alpha), swapped)
    colouring = colour_passing(graph)
    a, b, c = colouring.variable_colours.tolist()
    assert a == c != b
    assert colouring.factor_group_count == 1
    assert colouring.rounds == 2
    assert colouring.scale(1) == alpha * colouring.scale(0)
    assert colour_passing(graph, "acp").factor_group_count == (1 if alpha == 1 else 2)
    assert colour_passing(graph, "cp").factor_group_count == (
        1 if alpha == 1 and not swapped else 2
    )


def test_the_steps_of_the_figure() -> None:
    colouring = colour_passing(figure(), record=True)
    stages = [[naive.partition(side.tolist()) for side in colouring.after(n)] for n in range(3)]
    one, both = {frozenset({0, 1, 2})}, {frozenset({0, 1})}
    assert stages == [[one, both], [{frozenset({0, 2}), frozenset({1})}, both]] + stages[1:2]


def test_the_epidemic() -> None:
    graph = lg.datasets.epidemic().observing({})
    colouring = colour_passing(graph)
    kinds = [graph.name(v).split(".")[0] for v in range(graph.variable_count)]
    assert naive.partition(kinds) == naive.partition(colouring.variable_colours.tolist())
    scopes = [{kinds[v] for v in graph.factors[f].scope} for f in range(graph.factor_count)]
    assert naive.partition(map(frozenset, scopes)) == naive.partition(
        colouring.factor_colours.tolist()
    )


def test_evidence_separates_colours() -> None:
    graph = figure()
    assert colour_passing(graph.given({"A": "true"})).variable_group_count == 3
    assert colour_passing(graph.given({"A": "true", "C": "false"})).variable_group_count == 3
    assert colour_passing(graph.given({"A": "true", "C": "true"})).variable_group_count == 2
    assert colour_passing(graph.given({"B": "true"})).variable_group_count == 2


def test_states_separate_colours() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variable("A", ["yes", "no"])
    builder.add_variable("B", ["on", "off"])
    builder.add_variable("C", ["on", "off"])
    for name in "ABC":
        builder.add_factor([name], [1, 2])
    assert colour_passing(builder.build()).variable_groups[0].tolist() in ([0], [1, 2])
    assert colour_passing(builder.build()).variable_group_count == 2


def test_nothing_to_colour() -> None:
    builder = lg.FactorGraphBuilder()
    colouring = colour_passing(builder.build(), record=True)
    assert (colouring.variable_group_count, colouring.factor_group_count, colouring.rounds) == (
        0,
        0,
        1,
    )
    assert colouring.variable_groups == colouring.factor_groups == []
    builder.add_factor([], 3)
    builder.add_factor([], 5)
    builder.add_factor([], 0)
    assert colour_passing(builder.build()).factor_group_count == 2
    builder.add_variables(3)
    assert colour_passing(builder.build()).variable_group_count == 1


def test_tables_that_no_factor_has_do_not_matter() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(2)
    builder.add_table([0.5, 0.25], (2,))
    builder.add_factor([0], [1, 2])
    colouring = colour_passing(builder.build())
    assert len(colouring.classes.representatives) == 1
    assert colouring.tolerance == 0


def test_measured_tables_are_grouped_and_the_error_is_bounded() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(["Hub", "A", "B"])
    builder.add_factor(["Hub"], [1, 2])
    builder.add_factor(["A", "Hub"], np.array([[0.1, 0.2], [0.3, 0.6]]))
    builder.add_factor(["B", "Hub"], np.array([[0.1, 0.2], [0.1 * 3, 0.2 * 3]]))
    graph = builder.build()
    colouring = colour_passing(graph)
    assert colouring.variable_group_count == 2
    assert colouring.tolerance == Fraction(1, 10**12)
    assert 0 < colouring.log_odds_bound < 1e-14
    exact = colour_passing(graph, tolerance=0)
    assert exact.variable_group_count == 3
    assert exact.tolerance == exact.log_odds_bound == 0


def test_floats_of_one_argument_count_by_position_in_cp() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(2)
    builder.add_factor([0], [0.1, 0.2])
    builder.add_factor([1], [0.2, 0.1])
    colouring = colour_passing(builder.build(), "cp")
    assert (colouring.variable_group_count, colouring.factor_group_count) == (2, 2)
    assert lg.lift(builder.build(), "cp").ground() == builder.build()


def test_the_bound_for_a_tolerance_close_to_one() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(2)
    builder.add_factor([0], [1, 1])
    builder.add_factor([1], [10**25, 1])
    colouring = colour_passing(builder.build(), tolerance=1 - Fraction(1, 10**25))
    assert colouring.factor_group_count == 1
    assert colouring.log_odds_bound == pytest.approx(math.log(2 * 10**25), abs=1e-9)


@pytest.mark.parametrize("flipped", [False, True])
def test_a_symmetric_table_does_not_join_a_less_symmetric_one(flipped: bool) -> None:
    # Which argument of the symmetric table were which would depend on the order they are listed.
    builder = lg.FactorGraphBuilder()
    builder.add_variables(["x1", "y1", "x2", "y2"])
    exact, measured = [[1, 2], ["2.0000000000001", 4]], np.array([[1.0, 2.0], [2.0, 4.0]])
    for scope in (["x1", "y1"], ["x2", "y2"]):
        builder.add_factor(scope, exact)
    builder.add_factor(["x1", "y1"], measured)
    builder.add_factor(["y2", "x2"] if flipped else ["x2", "y2"], measured)
    colouring = colour_passing(builder.build())
    assert colouring.factor_group_count == 2
    assert naive.partition(colouring.variable_colours.tolist()) == {
        frozenset({0, 2}),
        frozenset({1, 3}),
    }


@given(st.lists(st.integers(90, 110), min_size=8, max_size=8))
def test_no_log_odds_change_by_more_than_the_bound(values: list[int]) -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(["Hub", "A", "B"])
    builder.add_factor(
        ["A", "Hub"],
        values[:4],
    )
    builder.add_factor(["B", "Hub"], values[4:])
    graph = builder.build()
    colouring = colour_passing(graph, tolerance="0.2")
    replaced = lg.FactorGraphBuilder()
    replaced.add_variables(["Hub", "A", "B"])
    for factor in range(graph.factor_count):
        scope = graph.scope_of(factor)
        order = colouring.argument_order[graph.scope_ptr[factor] :][: len(scope)]
        table_class = colouring.classes.class_of[colouring.table_id[factor]]
        table = colouring.classes.representatives[table_class]
        replaced.add_factor([scope[k] for k in order.tolist()], table)
    before, after = graph.marginals(), replaced.build().marginals()
    for name, marginal in before.items():
        odds = [math.log(side["true"] / side["false"]) for side in (marginal, after[name])]
        assert abs(odds[0] - odds[1]) <= colouring.log_odds_bound + 1e-12


def test_what_is_asked_wrongly_is_refused() -> None:
    graph = figure()
    with pytest.raises(lg.InputError, match="expected an algorithm among alpha-acp, acp, cp"):
        colour_passing(graph, "wl")  # type: ignore[arg-type]
    with pytest.raises(lg.InputError, match="record=True"):
        colour_passing(graph).after(1)
    with pytest.raises(lg.InputError, match="expected a round from 0 to 2, got 3"):
        colour_passing(graph, record=True).after(3)
    with pytest.raises(lg.InputError, match="expected a tolerance below 1, got 2"):
        colour_passing(graph, tolerance=2)
