"""Numbers far outside the range of floats, in models of many factors."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import accumulate, pairwise
from operator import mul
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

import liftgraph as lg
from liftgraph.semiring import EXACT, LOG, FlintSemiring, Scaled, exact_semiring
from liftgraph.semiring.exact import reduced


def chain(factors: int, values: list[int]) -> lg.FactorGraph:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(factors + 1)
    first = np.arange(factors)
    builder.add_factors(np.stack([first, first + 1], axis=1), values)
    return builder.build()


def chain_weight(factors: int) -> int:
    """The sum of the entries of [[1, 2], [3, 4]] to the given power."""
    a, b, c, d = 1, 0, 0, 1
    for _ in range(factors):
        a, b, c, d = a + 3 * b, 2 * a + 4 * b, c + 3 * d, 2 * c + 4 * d
    return a + b + c + d


def test_a_chain_of_600_counts_has_its_exact_weight() -> None:
    graph = chain(600, [1, 2, 3, 4])
    assert graph.partition(exact=True).z == chain_weight(600)
    assert graph.partition().log_z == pytest.approx(math.log(chain_weight(600)), rel=1e-12)
    ends = graph.query(0, 600, exact=True)
    assert sum(ends.exact.values()) == 1
    assert np.allclose(graph.query(0, 600).probabilities, ends.probabilities, rtol=1e-9)


@pytest.mark.long
def test_a_hundred_thousand_factors_stay_finite() -> None:
    graph = chain(100_000, [1, 2, 3, 4])
    growth = math.log((5 + math.sqrt(33)) / 2)  # the larger eigenvalue of [[1, 2], [3, 4]]
    assert graph.partition().log_z == pytest.approx(100_000 * growth, rel=1e-5)
    middle = graph.query(50_000, given={0: "true", 100_000: "false"})
    left = np.array([3.0, (3 + math.sqrt(33)) / 2]) / 1.0  # eigenvectors for that eigenvalue
    right = np.array([2.0, (3 + math.sqrt(33)) / 2])
    expected = left * right / (left @ right)
    assert np.allclose(middle.probabilities, expected, rtol=1e-9)


def hub(weights: list[tuple[int, int]]) -> lg.FactorGraph:
    """A variable with so many neighbours, each of which prefers one of its states."""
    builder = lg.FactorGraphBuilder()
    builder.add_variables(1 + len(weights))
    for leaf, (one, other) in enumerate(weights, 1):
        builder.add_factor([0, leaf], [one, one, other, other])
    return builder.build()


@pytest.mark.parametrize("swapped", [False, True])
def test_preferences_beyond_the_range_of_floats_cancel_out(swapped: bool) -> None:
    strong = [(1, 1000)] * 300 + [(1000, 1)] * 300
    graph = hub(strong[::-1] if swapped else strong)
    assert np.allclose(graph.query(0).probabilities, [0.5, 0.5], rtol=1e-9)
    assert np.allclose(graph.query(1).probabilities, [0.5, 0.5], rtol=1e-9)
    assert graph.query(0, exact=True)["true"] == 0.5
    assert np.allclose(graph.marginals()["0"].probabilities, [0.5, 0.5], rtol=1e-9)


def test_a_probability_below_all_floats_is_zero_and_its_complement_one() -> None:
    graph = hub([(1, 1000)] * 300)
    assert graph.query(0).probabilities.tolist() == [0.0, 1.0]
    assert graph.partition().log_z == pytest.approx(300 * math.log(2000))


@st.composite
def scaled_pairs(draw: st.DrawFn) -> tuple[list[list[list[Fraction]]], list[list[list[Fraction]]]]:
    k, b, i, j = (draw(st.integers(1, 3)) for _ in range(4))
    entry = st.one_of(st.just(Fraction(0)), st.integers(-900, 900).map(lambda e: Fraction(2) ** e))

    def tensor(last: int) -> list[list[list[Fraction]]]:
        return [[[draw(entry) for _ in range(last)] for _ in range(k)] for _ in range(b)]

    return tensor(i), tensor(j)


def as_scaled(tensor: NDArray[Any]) -> Scaled:
    """Through integers, as tables come."""
    return LOG.evaluate(np.vectorize(int, otypes=[object])(tensor * 2**900))


@given(scaled_pairs(), st.integers(0, 2))
def test_no_entry_is_lost_in_log_space(
    pair: tuple[list[list[list[Fraction]]], list[list[list[Fraction]]]], repeats: int
) -> None:
    a, b = (np.array(tensor, dtype=object) for tensor in pair)
    expected = (a[..., None] * b[:, :, None, :]).sum(axis=1)
    result = LOG.combine(as_scaled(a.transpose(0, 2, 1)), as_scaled(b))
    for _ in range(repeats):  # squaring the entries drives them further apart
        flat = LOG.arrange(result, None, (expected.size, 1, 1))
        result = LOG.arrange(LOG.combine(flat, flat), None, expected.shape)
        expected = expected * expected
    logs = result.values if result.logarithmic else np.log(np.maximum(result.values, 1e-320))
    offset = sum(result.log_scale) - 2**repeats * 1800 * math.log(2)
    for place in np.ndindex(expected.shape):
        exact = expected[place]
        zero = result.values[place] == (-math.inf if result.logarithmic else 0.0)
        assert zero == (exact == 0)
        if exact:
            size = math.log(exact.numerator) - math.log(exact.denominator)
            assert logs[place] + offset == pytest.approx(size, rel=1e-9, abs=1e-6)


@given(st.lists(st.integers(0, 10**60), min_size=8, max_size=8))
def test_flint_gives_the_same_integers(entries: list[int]) -> None:
    pytest.importorskip("flint")
    array = np.array(entries, dtype=object).reshape(2, 2, 2)
    fast = FlintSemiring()
    quick = fast.combine(fast.evaluate(array), fast.evaluate(array))
    plain = EXACT.combine(EXACT.evaluate(array), EXACT.evaluate(array))
    assert [int(entry) for entry in quick.ravel()] == plain.ravel().tolist()


def test_long_integers_give_the_same_answer_with_and_without_flint(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("flint")
    graph = chain(300, [10**30, 3, 7, 10**29])
    plain = graph.partition(exact=True, method="ground").z
    monkeypatch.setattr("liftgraph.semiring.exact._LONG", 0)
    assert isinstance(exact_semiring(1), FlintSemiring)
    assert graph.partition(exact=True, method="ground").z == plain
    assert graph.partition(exact=True, method="lifted").z == plain


@given(st.integers(0, 10**40), st.integers(1, 10**40), st.integers(1, 10**9))
def test_flint_reduces_fractions_as_python_does(above: int, below: int, common: int) -> None:
    pytest.importorskip("flint")
    expected = Fraction(above, below)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("liftgraph.semiring.exact._LONG", 0)
        fraction = reduced(above * common, below * common)
    assert type(fraction) is Fraction
    assert type(fraction.numerator) is type(fraction.denominator) is int
    assert (fraction.numerator, fraction.denominator) == expected.as_integer_ratio()


@pytest.mark.parametrize("method", ["lifted", "ground", "auto"])
def test_fractions_that_python_cannot_reduce_in_time_need_flint(
    monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    graph = chain(300, [10**30, 3, 7, 10**29])
    z = graph.partition(exact=True, method=method).z
    plain = graph.query(0, method=method).probabilities
    monkeypatch.setattr("liftgraph.inference.tensor.fraction_length._LONGEST", 1000)
    monkeypatch.setattr("liftgraph.semiring.exact.importlib.util.find_spec", lambda name: None)
    assert graph.partition(exact=True, method=method).z == z
    assert graph.mpe(exact=True, method=method).weight == 10**9000
    assert graph.query(0, method=method).probabilities.tolist() == plain.tolist()
    for ask in (
        lambda: graph.query(0, exact=True, method=method),
        lambda: graph.marginals(exact=True, method=method),
    ):
        with pytest.raises(lg.ComputationError, match="at most 1,000 without python-flint"):
            ask()
    individuals = lg.prv("S", lg.LogVar("X", 2**23))
    crowd = lg.ParfactorGraph.of([lg.parfactor([lg.prv("E"), individuals], [1, 2, 3, 4])])
    with pytest.raises(lg.ComputationError, match="install it, or ask in floats"):
        crowd.query("E", exact=True, method="lifted")


def voted(*votes: tuple[int, int]) -> lg.FactorGraph:
    """One variable with tables [10**x, 10**y]."""
    builder = lg.FactorGraphBuilder()
    builder.add_variable("H")
    for x, y in votes:
        builder.add_factor(["H"], [10**x + (3 if x > 1 else 0), 10**y])
    return builder.build()


@given(st.lists(st.tuples(st.integers(0, 160), st.integers(0, 160)), min_size=2, max_size=9))
@example([(160, 40), (80, 0), (140, 160), (80, 80), (0, 140), (0, 160), (120, 0)])
@example([(0, 145), (80, 160), (40, 0), (149, 0), (0, 0), (145, 0), (0, 109)])
def test_tables_spread_over_the_whole_range_of_floats(votes: list[tuple[int, int]]) -> None:
    graph = voted(*votes)
    exact = graph.query("H", exact=True).probabilities
    assert np.allclose(graph.query("H").probabilities, exact, rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ([[10**400, 10**400], [1, 2]], [1 / 3, 2 / 3]),
        ([[1e300, 1e300], [1e-100, 3e-100]], [1 / 4, 3 / 4]),
        ([[10**324, 10**324 + 1], [3, 4]], [3 / 7, 4 / 7]),
        ([["1e-3999", "3e-3999"], ["2e3999", "2e3999"]], [1 / 2, 1 / 2]),
    ],
)
def test_a_small_part_of_a_table_keeps_its_digits(table: object, expected: list[float]) -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(["A", "B"])
    builder.add_factor(["A", "B"], table)
    graph = builder.build().given({"A": "false"})
    assert np.allclose(graph.query("B").probabilities, expected, rtol=1e-9)
    assert np.allclose(graph.marginals()["B"].probabilities, expected, rtol=1e-9)


@pytest.mark.parametrize("entries", [[1, 10**100, 10**149], [0, 1, 10**149]])
@pytest.mark.parametrize("shape", ["star", "tree", "grid"])
def test_large_structures_with_extreme_tables_equal_exact_arithmetic(
    shape: str, entries: list[int]
) -> None:
    generator = np.random.default_rng(1)
    edges = {
        "star": [(0, leaf) for leaf in range(1, 200)],
        "tree": [(int(generator.integers(0, node)), node) for node in range(1, 200)],
        "grid": [(i, i + 1) for i in range(35) if i % 6 < 5] + [(i, i + 6) for i in range(30)],
    }[shape]
    builder = lg.FactorGraphBuilder()
    builder.add_variables(1 + max(node for edge in edges for node in edge))
    for edge in edges:
        diagonal = [entries[1], *[entries[place] for place in generator.integers(0, 3, 2)], 1]
        builder.add_factor(edge, diagonal)
    graph = builder.build()
    exact = graph.marginals(exact=True)
    for name, marginal in graph.marginals().items():
        assert np.allclose(
            marginal.probabilities, exact[name].probabilities, rtol=1e-9, atol=1e-300
        )
    z = graph.partition(exact=True)
    assert graph.partition().log_z == pytest.approx(z.log_z, rel=1e-12)


def log_sum(logs: list[Decimal]) -> Decimal:
    largest = max(logs)
    return largest + sum(((log - largest).exp() for log in logs), Decimal(0)).ln()


def stacked_powers(tables: list[list[list[int]]], *sizes: int) -> list[list[Decimal]]:
    """The distributions of a variable of each PRV of ``stack``, and log Z, in long decimals."""
    in_logs = [[[Decimal(entry).ln() for entry in row] for row in table] for table in tables]
    below, conditionals = [Decimal(0)] * 2, []
    for table, size in zip(reversed(in_logs), (*reversed(sizes), 1), strict=False):
        joint = [[log + rest for log, rest in zip(row, below, strict=True)] for row in table]
        totals = [log_sum(row) for row in joint]
        conditionals.append(
            [[(log - t).exp() for log in row] for row, t in zip(joint, totals, strict=True)]
        )
        below = [size * total for total in totals]
    log_z = log_sum(below)
    marginals = [[(log - log_z).exp() for log in below]]
    for rows in reversed(conditionals):
        shares = zip(*rows, strict=True)
        marginals.append([sum(map(mul, marginals[-1], share), Decimal(0)) for share in shares])
    return [*marginals, [log_z]]


def stack(tables: list[list[list[int]]], *sizes: int) -> lg.ParfactorGraph:
    """E above A(X) above B(X, Y) above C(X, Y, Z): each is summed out before a power is taken."""
    logvars = [lg.LogVar(name, size) for name, size in zip("XYZ", sizes, strict=True)]
    prvs = [lg.prv(name, *logvars[:count]) for count, name in enumerate("EABC")]
    pairs = zip(pairwise(prvs), tables, strict=True)
    return lg.ParfactorGraph.of([lg.parfactor(list(pair), table) for pair, table in pairs])


STACKS = [(50, 10**3, 10**3), (50, 10**6, 10**6), (50, 10**9, 10**7), (30, 2**40, 10**7)]


@pytest.mark.parametrize("sizes", STACKS)
def test_powers_of_sums_of_powers_keep_their_digits(sizes: tuple[int, int, int]) -> None:
    """Tables that favour a state so little that only the power decides."""
    rng, most = Random(math.prod(sizes)), accumulate(sizes, mul)
    tables = [
        [[2 * individuals + rng.randint(-2, 2) for _ in range(2)] for _ in range(2)]
        for individuals in most
    ]
    with localcontext() as context:
        context.prec = 120
        *marginals, (log_z,) = stacked_powers(tables, *sizes)
    model = stack(tables, *sizes)
    for prv, expected in enumerate(marginals):
        answer = model.query(model.name((prv, (0,) * prv)), method="lifted")
        assert np.allclose(answer.probabilities, np.array(expected, dtype=float), atol=1e-11)
    assert model.partition(method="lifted").log_z == pytest.approx(float(log_z), rel=1e-15)


@pytest.mark.parametrize("sizes", [(50, 2**45, 2**45), (2**20, 2**48, 2**48), (9, 2**64, 2)])
def test_weights_that_floats_cannot_tell_apart_are_refused(sizes: tuple[int, int, int]) -> None:
    model = stack([[[1, 2], [3, 4]]] * 3, *sizes)
    for ask in (lg.ParfactorGraph.partition, lambda model, **how: model.query("E", **how)):
        with pytest.raises(lg.ComputationError, match=r"bits, expected|power of|needs"):
            ask(model, method="lifted", memory_limit=2**62)


@pytest.mark.parametrize("digits", [6, 12, 18, 40, 320])
def test_distributions_of_many_individuals_have_weight_one(digits: int) -> None:
    X = lg.LogVar("X", 10**digits)
    S, T = lg.prv("S", X), lg.prv("T", X)
    model = lg.ParfactorGraph.of(
        [lg.parfactor([S], ["0.1", "0.9"]), lg.parfactor([S, T], ["1/3", "2/3", "1/7", "6/7"])]
    )
    assert model.partition(method="lifted").log_z == 0


def test_a_log_weight_beyond_floats_is_refused() -> None:
    model = lg.ParfactorGraph.of([lg.parfactor([lg.prv("S", lg.LogVar("X", 10**320))], [1, 9])])
    with pytest.raises(lg.ComputationError, match=r"a weight is 2\.3e\+320: beyond float64"):
        model.partition(method="lifted")


def test_entries_beside_a_tiny_one_keep_their_rests() -> None:
    """Two entries of 10**12 factors, and a third that is far below them."""
    times, few = 10**12, 3
    E = lg.prv("E", states=["a", "b", "c"])
    X = lg.prv("S", lg.LogVar("X", times))
    table = [[few * times, few * times], [few * times + 1, few * times], [1, 1]]
    model = lg.ParfactorGraph.of([lg.parfactor([E, X], table)])
    odds = math.exp(times * math.log1p(1 / (2 * few * times)))
    answer = model.query("E", method="lifted").probabilities
    assert answer[1] / answer[0] == pytest.approx(odds, rel=1e-11)
