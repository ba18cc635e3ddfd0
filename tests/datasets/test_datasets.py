"""Generated models: sizes by formula, the same for the same seed, and what variations change."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import comb, factorial, floor, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph import datasets
from liftgraph.datasets.random_numbers import Draws
from tests.strategies import factor_graphs

Family = Callable[..., lg.ParfactorGraph]
SIZES = [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]
FAMILIES: dict[str, Family] = {
    "epid": datasets.epid,
    "employee": datasets.employee,
    "ds4": lambda d, seed=0, **options: datasets.ds(d, 4, seed, **options),
    "ds6": lambda d, seed=0, **options: datasets.ds(d, 6, seed, **options),
}


def counts(graph: lg.FactorGraph) -> tuple[int, int, int]:
    return graph.variable_count, graph.factor_count, graph.edge_count


@pytest.mark.parametrize("d", SIZES)
def test_the_paper_s_families_have_the_sizes_of_the_formulas(d: int) -> None:
    m = floor(log2(d))
    treatments = d * m
    sizes = 2 * d + 1 + treatments, treatments + d + 1, 3 * d + 3 * treatments + 1
    assert counts(datasets.epid(d).ground()) == sizes
    assert counts(datasets.employee(d).ground()) == (2 * d + 1, 3 * d, 6 * d)
    for n in (4, 6):
        assert counts(datasets.ds(d, n).ground()) == ((n + 1) * d + 1, 2 * d, (n + 3) * d)


def test_medications_are_rounded_logarithms() -> None:
    assert [datasets.epid(d).domains[1].size for d in (2, 3, 5, 6, 11, 12)] == [1, 2, 2, 3, 3, 4]


@pytest.mark.parametrize("n", [2, 3, 10])
def test_the_textbook_models_have_the_sizes_of_the_formulas(n: int) -> None:
    pairs = n * (n - 1)
    assert counts(datasets.smokers(n).ground()) == (n + pairs, n + pairs, n + 3 * pairs)
    assert counts(datasets.clique(n).ground()) == (n, n + comb(n, 2), n + pairs)
    assert counts(datasets.workshops(n, 4).ground()) == (n + 5, 5 * n, 10 * n)
    edges = n * 4 + 5 * (n - 1)
    assert counts(datasets.grid(n, 5)) == (5 * n, edges, 2 * edges)


@pytest.mark.parametrize("name", FAMILIES)
def test_scopes_are_the_paper_s(name: str) -> None:
    graph = FAMILIES[name](2).ground()
    given_scopes = (factor.scope for factor in graph.factors)
    scopes = [tuple(graph.name(v) for v in scope) for scope in given_scopes]
    expected = {
        "epid": [
            ("Epid",),
            ("Travel.1", "Sick.1", "Epid"),
            ("Travel.2", "Sick.2", "Epid"),
            ("Sick.1", "Epid", "Treat.1.1"),
            ("Sick.2", "Epid", "Treat.2.1"),
        ],
        "employee": [
            *[("Com.1",), ("Com.2",), ("Com.1", "Rev"), ("Com.2", "Rev")],
            *[("Com.1", "Rev", "Sal.1"), ("Com.2", "Rev", "Sal.2")],
        ],
        "ds4": [
            *[("R0", "R1.1"), ("R0", "R1.2")],
            *[tuple(f"R{k}.{i}" for k in range(1, 6)) for i in (1, 2)],
        ],
        "ds6": [
            *[("R0", "R1.1"), ("R0", "R1.2")],
            *[tuple(f"R{k}.{i}" for k in range(1, 8)) for i in (1, 2)],
        ],
    }
    assert scopes == expected[name]


@pytest.mark.parametrize("name", FAMILIES)
def test_potentials_are_uniform_and_given_by_the_seed_alone(name: str) -> None:
    make = FAMILIES[name]
    assert make(16, seed=3) == make(16, seed=3)
    tables = [[parfactor.table for parfactor in make(d, seed=3).parfactors] for d in (2, 16)]
    assert tables[0] == tables[1]
    assert tables[0] != [parfactor.table for parfactor in make(2, seed=4).parfactors]
    entries = [
        _entries(parfactor.table) for seed in range(200) for parfactor in make(2, seed).parfactors
    ]
    _check_uniform(np.concatenate(entries))


def _entries(table: lg.Table) -> list[int]:
    return [int(value * table.scale) for value in table.integers.flat]


def _check_uniform(numbers: np.ndarray[tuple[int], np.dtype[np.int64]]) -> None:
    """Each of 1 … 10 about equally often: within five standard deviations."""
    count, share = len(numbers), 0.1
    assert set(numbers.tolist()) == set(range(1, 11))
    spread = 5 * (count * share * (1 - share)) ** 0.5
    assert all(abs(np.bincount(numbers)[1:] - count * share) < spread)


@pytest.mark.parametrize("name", FAMILIES)
def test_commutative_factors_commute_in_all_arguments(name: str) -> None:
    for parfactor in FAMILIES[name](4, seed=1, commutative=True).parfactors:
        if len(parfactor.arguments) > 1:
            assert lg.commutative_sets(parfactor.table) == (tuple(range(len(parfactor.arguments))),)


def test_scales_are_uniform_and_as_many_as_asked_for() -> None:
    graph, p = datasets.employee(10_000).ground(), 0.15
    model = datasets.scaled(graph, p, seed=5)
    pairs = zip(model.table_id.tolist(), graph.table_id.tolist(), strict=True)
    ratios = [model.tables[new].scale / graph.tables[old].scale for new, old in pairs]
    assert all(ratio.denominator == 1 for ratio in ratios)
    other = np.array([int(ratio) for ratio in ratios if ratio > 1])
    assert set(other.tolist()) == set(range(2, 11))
    expected = graph.factor_count * p * 0.9  # α = 1 leaves a factor as it is
    assert abs(len(other) - expected) < 5 * expected**0.5
    assert all(abs(np.bincount(other)[2:] - expected / 9) < 5 * (expected / 9) ** 0.5)


@given(factor_graphs(), st.sampled_from([0.0, 0.3, 1.0]), st.integers(0, 99))
def test_scaled_graphs_differ_by_scales_alone(graph: lg.FactorGraph, p: float, seed: int) -> None:
    scaled = datasets.scaled(graph, p, seed, unit="1/7")
    assert scaled == datasets.scaled(graph, p, seed, unit="1/7")
    assert scaled.evidence == graph.evidence
    allowed = {Fraction(1), *(Fraction(alpha, 7) for alpha in range(1, 11))}
    for factor in range(graph.factor_count):
        scope, table = scaled.factors[factor].parts
        given_scope, given_table = graph.factors[factor].parts
        assert scope == given_scope
        assert np.array_equal(table.integers, given_table.integers)
        zero = not given_table.integers.any()
        assert table.scale / given_table.scale in ({1} if zero or not p else allowed)
        assert table.measured == given_table.measured


@given(factor_graphs(), st.integers(0, 99))
def test_permuted_graphs_are_the_same_functions(graph: lg.FactorGraph, seed: int) -> None:
    permuted = datasets.permuted(graph, seed)
    assert permuted == datasets.permuted(graph, seed)
    for factor in range(graph.factor_count):
        scope, table = permuted.factors[factor].parts
        given_scope, given_table = graph.factors[factor].parts
        assert sorted(scope) == sorted(given_scope)
        axes = [scope.index(variable) for variable in given_scope]
        assert lg.Table(table.integers.transpose(axes), table.scale) == given_table


def test_arguments_are_permuted_in_every_way() -> None:
    graph = datasets.epid(64).ground()
    permuted = datasets.permuted(graph)
    rows = [
        tuple(graph.factors[factor].scope.index(v) for v in permuted.factors[factor].scope)
        for factor in range(graph.factor_count)
    ]
    assert len({row for row in rows if len(row) == 3}) == factorial(3)


@given(factor_graphs(), st.sampled_from(["0.01", "1/3"]))
def test_perturbed_potentials_stay_within_the_noise(graph: lg.FactorGraph, noise: str) -> None:
    perturbed = datasets.perturbed(graph, noise, seed=2)
    for factor in range(graph.factor_count):
        scope, table = perturbed.factors[factor].parts
        given_scope, given_table = graph.factors[factor].parts
        assert scope == given_scope
        for states in np.ndindex(table.shape):
            potential = given_table.potential(states)
            assert abs(table.potential(states) - potential) <= Fraction(noise) * potential
        assert table.measured == given_table.measured


VARIATIONS: list[Callable[[lg.FactorGraph, int], lg.FactorGraph]] = [
    lambda graph, seed: datasets.scaled(graph, 0.5, seed),
    lambda graph, seed: datasets.permuted(graph, seed),
    lambda graph, seed: datasets.perturbed(graph, "0.01", seed),
]


@pytest.mark.parametrize("vary", VARIATIONS)
def test_a_seed_chooses_the_variation(
    vary: Callable[[lg.FactorGraph, int], lg.FactorGraph],
) -> None:
    graph = datasets.epid(8).ground()
    variations = [vary(graph, seed) for seed in range(4)]
    assert all(variations[a] != variations[b] for a in range(4) for b in range(a))


@pytest.mark.parametrize("vary", VARIATIONS)
def test_nothing_worked_out_of_a_graph_stays_with_its_variation(
    vary: Callable[[lg.FactorGraph, int], lg.FactorGraph],
) -> None:
    graph = datasets.employee(8).ground()
    graph.query("Rev")
    assert len(graph.cache)
    assert not len(vary(graph, 1).cache)


def test_noise_is_uniform_between_its_bounds() -> None:
    graph = datasets.employee(300).ground()
    perturbed = datasets.perturbed(graph, "0.1")
    shares = [
        float(new.potential(states) / old.potential(states) - 1) / 0.1
        for factor in range(graph.factor_count)
        for new, old in [(perturbed.factors[factor].table, graph.factors[factor].table)]
        for states in np.ndindex(new.shape)
    ]
    assert abs(np.mean(shares)) < 5 * 3**-0.5 / len(shares) ** 0.5
    assert min(shares) < -0.99
    assert max(shares) > 0.99


def test_neighbours_in_a_grid_are_one_step_apart() -> None:
    graph, columns = datasets.grid(3, 4), 4
    pairs = {factor.scope for factor in graph.factors}
    places = [(divmod(a, columns), divmod(b, columns)) for a, b in pairs]
    assert all(abs(r - s) + abs(c - t) == 1 for (r, c), (s, t) in places)
    assert len(pairs) == 17


def test_friends_agree_on_smoking() -> None:
    alike = [
        datasets.smokers(10).query("Smokes.1", given={"Friends.1.2": state, "Smokes.2": "true"})[
            "true"
        ]
        for state in ("true", "false")
    ]
    assert alike[0] > alike[1]


def test_commutative_potentials_tell_every_number_apart() -> None:
    tables = [datasets.ds(2, seed=seed, commutative=True).parfactors[1].table for seed in range(20)]
    by_count = [[t.potential((1,) * k + (0,) * (5 - k)) for k in range(6)] for t in tables]
    assert max(len(set(potentials)) for potentials in by_count) > 3


def test_plates_keep_states_and_variables_without_factors() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variable("A", states=["low", "middle", "high"])
    builder.add_variable("B")
    builder.add_factor(["A"], [1, 2, 3])
    model = datasets.plates(builder.build(), 4)
    assert [prv.states for prv in model.prvs] == [("low", "middle", "high"), ("true", "false")]
    assert model.variable_count == 8


@pytest.mark.parametrize("name", FAMILIES)
def test_scales_and_orders_hide_nothing_from_alpha_acp(name: str) -> None:
    model = FAMILIES[name](16, seed=2)
    graph = datasets.permuted(datasets.scaled(model.ground(), 0.5, seed=2), seed=2)
    assert len(lg.lift(graph).parfactors) == len(model.parfactors)
    assert len(lg.lift(graph, "acp").parfactors) > len(model.parfactors)


def test_sizes_may_be_numbers_of_numpy() -> None:
    assert datasets.smokers(np.uint8(255)) == datasets.smokers(255)  # type: ignore[arg-type]
    assert datasets.grid(np.int8(20), np.int8(20)) == datasets.grid(20, 20)  # type: ignore[arg-type]


@pytest.mark.parametrize("n", [2, 30, 1000])
def test_textbook_answers_stay_away_from_certainty(n: int) -> None:
    models = datasets.smokers(n), datasets.workshops(n, 20), datasets.clique(n)
    for model in (*models, datasets.workshops(20, n)):
        for prv_index, prv in enumerate(model.prvs):
            name = model.name((prv_index, tuple(range(len(prv.logvars)))))
            assert 0.1 < model.query(name).probabilities[0] < 0.9


def test_plates_are_copies_joined_at_what_they_share() -> None:
    network = datasets.employee(1).ground()
    model = datasets.plates(network, 3, shared=["Rev"])
    assert model.prvs[model.locate("Sal.1.2")[0]].size == 3
    assert counts(model.ground()) == (7, 9, 18)
    expected = datasets.employee(3).ground()
    answer, wanted = model.query("Rev", exact=True), expected.query("Rev", exact=True)
    assert answer.exact == wanted.exact
    alone = datasets.plates(network, 3)
    assert counts(alone.ground()) == (9, 9, 18)
    assert alone.query("Sal.1.3", exact=True).exact == network.query("Sal.1", exact=True).exact


def test_what_stands_outside_of_the_plate_stands_there_once() -> None:
    network = datasets.epid(2).ground()
    model = datasets.plates(network, 5, shared=["Epid"])
    assert [parfactor.size for parfactor in model.parfactors] == [1, 5, 5, 5, 5]


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: datasets.epid(1), "epid: expected a number of at least 2, got 1"),
        (lambda: datasets.employee(0), "employee: expected a number of at least 1, got 0"),
        (lambda: datasets.ds(4, 0), "ds: n: expected a number from 1 to 19, got 0"),
        (lambda: datasets.ds(4, 70), "ds: n: expected a number from 1 to 19, got 70"),
        (lambda: datasets.ds(0), "ds: expected a number of at least 1, got 0"),
        (lambda: datasets.ds(4, seed=-1), "expected a seed of 0 or more, got -1"),
        (lambda: datasets.epid(2.5), "epid: expected a number of at least 2, got 2.5"),  # type: ignore[arg-type]
        (lambda: datasets.clique(1), "variables: expected a number of at least 2, got 1"),
        (lambda: datasets.smokers(1), "people: expected a number of at least 2, got 1"),
        (lambda: datasets.workshops(3, 0), "workshops: expected a number of at least 1, got 0"),
        (lambda: datasets.grid(0, 3), "rows: expected a number of at least 1, got 0"),
        (lambda: datasets.grid(3, 0), "columns: expected a number of at least 1, got 0"),
        (lambda: datasets.scaled(datasets.grid(2, 2), 1.5), "from 0 to 1, got 1.5"),
        (lambda: datasets.scaled(datasets.grid(2, 2), 1, unit=0), "expected a positive unit"),
        (lambda: datasets.perturbed(datasets.grid(2, 2), 1), "expected noise below 1, got 1"),
        (lambda: datasets.plates(datasets.grid(2, 2), 0), "copies: expected a number of at least"),
        (lambda: datasets.plates(datasets.grid(2, 2), 2, ["x"]), "expected a variable, got 'x'"),
        (
            lambda: datasets.plates(datasets.grid(2, 2).given({0: "true"}), 2),
            "plates: expected no evidence, got 1 observed variable",
        ),
    ],
)
def test_senseless_sizes_are_refused(make: Callable[[], object], problem: str) -> None:
    with pytest.raises(lg.InputError) as raised:
        make()
    assert problem in str(raised.value)


def test_random_numbers_are_those_of_the_raw_bits() -> None:
    """Whatever NumPy's distributions become, seeds keep their meaning."""
    bits = np.random.PCG64(np.random.SeedSequence([7, *b"tables"]))
    expected = [1 + (int(bits.random_raw()) >> 11) * 10 // 2**53 for _ in range(100)]
    assert Draws(7, "tables").integers(100, 1, 10).tolist() == expected
