"""Colour passing by torch beside the rounds on arrays: groups, numbers, rounds and order."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import liftgraph as lg
from liftgraph import datasets
from liftgraph.symmetry.colours.colour_passing import colour_passing
from liftgraph.symmetry.colours.colouring import ALGORITHMS, Algorithm, Colouring
from liftgraph.symmetry.colours.engines.registry import engine_named
from liftgraph.symmetry.colours.incidence import aligned_incidence
from liftgraph.symmetry.colours.initial import graph_colours
from liftgraph.symmetry.tables.exchangeable import classes
from liftgraph.symmetry.tables.labelling import symmetries
from liftgraph.symmetry.tables.symmetries import Symmetries
from tests.strategies import factor_graphs, symmetric_graphs
from tests.symmetry.test_colour_passing import ORDINARY, SYMMETRIC, is_right, linked, mixed_tree

torch = pytest.importorskip("torch")

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

ENGINES = "liftgraph.symmetry.colours.engines"
algorithms = st.sampled_from(ALGORITHMS)
graphs = st.one_of(symmetric_graphs(), factor_graphs())


def same_as_arrays(graph: lg.FactorGraph, algorithm: Algorithm = "alpha-acp") -> Colouring:
    """The colouring by torch, on a card if there is one, after comparing it with that by arrays."""
    ours = same_groups(graph, algorithm)
    assert ours.rounds == colour_passing(graph, algorithm, engine="arrays").rounds
    return ours


def same_groups(graph: lg.FactorGraph, algorithm: Algorithm = "alpha-acp") -> Colouring:
    """The same, where rounds may differ."""
    ours = colour_passing(graph, algorithm, engine="torch", device=DEVICE)
    expected = colour_passing(graph, algorithm, engine="arrays")
    for array in ("variable_colours", "factor_colours", "argument_order"):
        assert np.array_equal(getattr(ours, array), getattr(expected, array))
        assert getattr(ours, array).dtype == getattr(expected, array).dtype
    return ours


@given(graphs, algorithms)
def test_groups_numbers_and_rounds_are_those_of_arrays(
    graph: lg.FactorGraph, algorithm: Algorithm
) -> None:
    same_as_arrays(graph, algorithm)


@pytest.fixture
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks of three factors, and variables with five of them at one position are hubs."""
    monkeypatch.setattr(f"{ENGINES}.torch_incidence.HUB", 5)
    monkeypatch.setattr(f"{ENGINES}.torch_incidence.LANES", 4)
    monkeypatch.setattr(f"{ENGINES}.torch_incidence.SHARE", 3)
    monkeypatch.setitem(sys.modules[f"{ENGINES}.torch_incidence"].__dict__["CHUNKS"], "cpu", 3)


@pytest.fixture(scope="module", autouse=True)
def _loaded() -> None:
    """The engine's modules are loaded before they are changed."""
    same_as_arrays(linked([(0, 1)], SYMMETRIC))


class TestSmallParts:
    @pytest.mark.usefixtures("_small_parts")
    @given(graphs, algorithms)
    def test_chunks_and_lanes_change_nothing(
        self, graph: lg.FactorGraph, algorithm: Algorithm
    ) -> None:
        same_as_arrays(graph, algorithm)

    @pytest.mark.usefixtures("_small_parts")
    @pytest.mark.parametrize("exchanges", [False, True])
    @pytest.mark.parametrize("seed", range(4))
    def test_trees(self, exchanges: bool, seed: int) -> None:
        for algorithm in ALGORITHMS:
            same_as_arrays(mixed_tree(150, seed, exchanges), algorithm)

    @pytest.mark.usefixtures("_small_parts")
    @pytest.mark.parametrize("table", [SYMMETRIC, ORDINARY])
    @pytest.mark.parametrize(
        ("observed", "groups"),
        [([], 2), ([3], 5), ([3, 4, 5], 6), ([3, 70], 3), ([3, 4, 70, 71], 3)],
    )
    def test_hubs_which_evidence_splits(
        self, table: object, observed: list[int], groups: int
    ) -> None:
        graph = linked([(leaf % 2, leaf) for leaf in range(2, 102)], table)
        colouring = same_as_arrays(graph.observing(dict.fromkeys(observed, 0)))
        assert colouring.variable_group_count == groups

    @pytest.mark.usefixtures("_small_parts")
    def test_arguments_that_are_hubs_go_to_lanes(self) -> None:
        from liftgraph.symmetry.colours.engines.torch_incidence import device_incidence

        hubs = torch.tensor([5, 1, 5, 1, 5, 5, 2], dtype=torch.int32)
        leaves = torch.arange(6, 13, dtype=torch.int32)
        kinds = [((hubs, leaves), Symmetries(((0,), (1,))))]
        incidence = device_incidence(13, kinds, [7], hubs.device)
        assert incidence.hubs.tolist() == [5]
        assert incidence.kinds[0].columns[0].tolist() == [13, 1, 15, 1, 13, 14, 2]
        assert incidence.kinds[0].columns[1] is leaves
        assert hubs.tolist() == [5, 1, 5, 1, 5, 5, 2]


@pytest.mark.parametrize("exchanges", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_trees(exchanges: bool, seed: int) -> None:
    for algorithm in ALGORITHMS:
        same_as_arrays(mixed_tree(150, seed, exchanges), algorithm)


def families() -> dict[str, Callable[[], lg.FactorGraph]]:
    """All families of models, small."""
    lifted: dict[str, Callable[[], lg.FactorGraph | lg.ParfactorGraph]] = {
        "clique": lambda: datasets.clique(7),
        "ds": lambda: datasets.ds(6),
        "employee": lambda: datasets.employee(6),
        "epid": lambda: datasets.epid(16),
        "grid": lambda: datasets.grid(5, 6),
        "plates": lambda: datasets.plates(datasets.asia(), 4),
        "smokers": lambda: datasets.smokers(5),
        "workshops": lambda: datasets.workshops(4, 5),
    }
    return {
        "asia": datasets.asia,
        "epidemic": datasets.epidemic,
        **{name: partial(as_ground, make) for name, make in lifted.items()},
    }


def as_ground(make: Callable[[], lg.FactorGraph | lg.ParfactorGraph]) -> lg.FactorGraph:
    """The factor graph of a model, which may be one."""
    model = make()
    return model.ground() if isinstance(model, lg.ParfactorGraph) else model


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("family", families())
def test_families(family: str, algorithm: Algorithm) -> None:
    graph = families()[family]()
    same_as_arrays(graph, algorithm)
    same_as_arrays(datasets.scaled(graph, p=0.3), algorithm)
    same_as_arrays(datasets.permuted(graph), algorithm)
    same_as_arrays(graph.observing({0: 0, graph.variable_count - 1: 1}), algorithm)


def test_factors_of_a_kind_need_not_be_consecutive() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(30)
    random = np.random.default_rng(0)
    for k in range(29):
        builder.add_factor([k, k + 1], SYMMETRIC if random.integers(2) else ORDINARY)
        builder.add_factor([k], [1, 1 + int(random.integers(1, 3))])
        builder.add_factor([], 1 + k % 2)
    same_as_arrays(builder.build())
    same_as_arrays(builder.build(), "acp")


@pytest.mark.parametrize("size", [2, 3, 62, 63, 64, 65, 66, 67, 301])
def test_long_tails_are_handed_over(size: int) -> None:
    path = linked([(i, i + 1) for i in range(size - 1)], SYMMETRIC)
    assert same_as_arrays(path).rounds == (size // 2 + 1 if size > 2 else 1)


def test_wherever_the_host_takes_over(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = mixed_tree(60, 2, True)
    for most in range(1, 12):
        monkeypatch.setattr(f"{ENGINES}.torch_engine.ROUNDS", most)
        same_as_arrays(graph)


def test_nothing_to_colour() -> None:
    builder = lg.FactorGraphBuilder()
    assert same_as_arrays(builder.build()).rounds == 1
    builder.add_factor([], 3)
    builder.add_factor([], 5)
    builder.add_factor([], 0)
    assert same_as_arrays(builder.build()).factor_group_count == 2
    builder.add_variables(3)
    assert same_as_arrays(builder.build()).variable_group_count == 1


def weakly_mixed(bits: int) -> Callable[[Any], Any]:
    """A mixing function that keeps only this many bits."""
    from liftgraph.symmetry.colours.engines.torch_rounds import mixed

    return lambda numbers: mixed(numbers) & ((1 << bits) - 1)


@pytest.fixture(params=[2, 4])
def _weak_hash(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Most hashes collide, and nothing is handed over to the host."""
    monkeypatch.setattr(f"{ENGINES}.torch_rounds.mixed", weakly_mixed(request.param))
    monkeypatch.setattr(f"{ENGINES}.torch_engine.ROUNDS", 10**6)


class TestWeakHash:
    @pytest.mark.usefixtures("_weak_hash")
    @given(graphs, algorithms)
    def test_collisions_never_change_groups(
        self, graph: lg.FactorGraph, algorithm: Algorithm
    ) -> None:
        same_groups(graph, algorithm)

    @pytest.mark.usefixtures("_weak_hash")
    @pytest.mark.parametrize("exchanges", [False, True])
    def test_trees(self, exchanges: bool) -> None:
        same_groups(mixed_tree(60, 3, exchanges))


@pytest.mark.parametrize("most", [1, 2, 3, 8])
@given(graph=graphs)
def test_what_collided_may_be_handed_over(most: int, graph: lg.FactorGraph) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(f"{ENGINES}.torch_rounds.mixed", weakly_mixed(1))
        patch.setattr(f"{ENGINES}.torch_engine.ROUNDS", most)
        same_groups(graph)


def test_a_hash_that_tells_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{ENGINES}.torch_rounds.mixed", weakly_mixed(0))
    monkeypatch.setattr(f"{ENGINES}.torch_engine.ROUNDS", 10**6)
    with pytest.raises(lg.ComputationError, match=r"20 hashes found no stable .* 5 variables and"):
        colour_passing(linked([(0, 1), (1, 2)], SYMMETRIC), engine="torch", device=DEVICE)


@given(symmetric_graphs(), algorithms)
def test_recorded_rounds_are_right(graph: lg.FactorGraph, algorithm: Algorithm) -> None:
    is_right(graph, algorithm, "torch")


@given(symmetric_graphs())
def test_torch_lifts(graph: lg.FactorGraph) -> None:
    model = lg.lift(graph, engine="torch", tolerance=0, device=DEVICE)
    assert model == lg.lift(graph, engine="arrays", tolerance=0)
    assert model.ground() == graph


@pytest.mark.parametrize("exchanges", [False, True])
def test_engines_change_nothing_they_are_given(exchanges: bool) -> None:
    graph = mixed_tree(60, 1, exchanges)
    tables = classes(graph.tables)
    own = [symmetries(table.integers) for table in tables.representatives]
    incidence, _ = aligned_incidence(graph, graph.table_id, tables, own)
    variables, factors = graph_colours(graph), tables.class_of[graph.table_id]
    arrays: list[NDArray[Any]]
    arrays = [incidence.arguments, incidence.start, incidence.kind_of, variables, factors]
    copies = [array.copy() for array in arrays]
    for array in arrays:
        array.flags.writeable = False
    engine_named("torch", "cpu").refine(incidence, variables, factors, False)
    for array, copy in zip(arrays, copies, strict=True):
        assert np.array_equal(array, copy)


@pytest.mark.parametrize("most", [None, 1, 40])
def test_graphs_which_are_on_the_device_already(most: int | None) -> None:
    from liftgraph.symmetry.colours.engines.torch_incidence import device_incidence
    from liftgraph.symmetry.colours.engines.torch_refinement import stable_on_device

    rows = torch.arange(49, dtype=torch.int32)[:, None] + torch.arange(2, dtype=torch.int32)
    given_rows = rows.clone()
    kinds = [(rows.unbind(1), Symmetries(((0, 1),)))]
    path = device_incidence(50, kinds, [49], rows.device)
    initial = tuple(torch.zeros(count, dtype=torch.int32) for count in (50, 49))
    colours = stable_on_device(path, initial[0], initial[1], most)
    assert torch.equal(rows, given_rows)
    assert not any(colours.any() for colours in initial)
    expected = colour_passing(linked(rows.tolist(), SYMMETRIC), engine="arrays")
    assert (colours.are_stable, colours.rounds) == (most != 1, expected.rounds if most != 1 else 1)
    assert torch.equal(colours.variables, colours.variables.flip(0))
    groups = len(torch.unique(colours.variables)), len(torch.unique(colours.factors))
    stable = expected.variable_group_count, expected.factor_group_count
    assert groups == (stable if most != 1 else (2, 1))
    assert colours.variables.dtype == colours.factors.dtype == torch.int32


def test_what_the_device_has_no_memory_for_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{ENGINES}.torch_memory.free_bytes", lambda device: 2**20)
    monkeypatch.setattr(f"{ENGINES}.torch_engine._tensor", None)
    graph = linked([(0, 1), (1, 2)], SYMMETRIC)
    expected = r"on the CPU needs 32.0 MiB, the limit is 1.0 MiB: .* 3 variables, 2 factors and 4"
    with pytest.raises(lg.MemoryLimitError, match=expected):
        colour_passing(graph, engine="torch", device="cpu")


def test_a_missing_card_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    graph = linked([(0, 1), (1, 2)], SYMMETRIC)
    for record in (False, True):
        with pytest.raises(lg.InputError, match=r"expected a card .* got none"):
            colour_passing(graph, engine="torch", device="cuda", record=record)
    assert colour_passing(graph, engine="torch").variable_group_count == 2


def test_devices_that_there_are_not_are_refused() -> None:
    graph = linked([(0, 1), (1, 2)], SYMMETRIC)
    for device in ("tpu", "cuda:1", "", 0, ["cpu"]):
        with pytest.raises(lg.InputError, match="expected a device among cuda, cpu, got"):
            lg.lift(graph, engine="torch", device=device)  # type: ignore[arg-type]


def test_torch_is_loaded_only_when_it_is_asked_for() -> None:
    code = (
        "import sys; from liftgraph_command import main; sys.argv[1:] = ['lift', 'example:epidemic'"
        ", *{}]; main(); sys.exit('torch' in sys.modules)"
    )
    for options, is_loaded in (([], 0), (["--engine", "torch", "--device", "cpu"], 1)):
        command = [sys.executable, "-c", code.format(options)]
        assert subprocess.run(command, capture_output=True).returncode == is_loaded


def test_memory_is_bounded_by_what_a_graph_has() -> None:
    from liftgraph.symmetry.colours.engines.torch_memory import device_bytes

    card, third = torch.device("cuda"), 10**9 // 3
    assert device_bytes(third, third, 10**9, 0, card) < 110 * 10**9
    sizes = [(0, 0, 0, 0), (9, 0, 0, 0), (9, 7, 0, 0), (9, 7, 21, 0), (9, 7, 21, 12)]
    bounds = [device_bytes(*size, card) for size in sizes]
    assert bounds == sorted(set(bounds))
