"""Whatever is written can be read: equal up to what the format says is lost. The rest is refused.

Names, numbers and sizes are as odd as models allow.
"""

from __future__ import annotations

import shutil
from fractions import Fraction
from math import prod
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.io.formats import FORMATS, Format
from liftgraph.model.ground.table import Table

NAMES = st.one_of(
    st.sampled_from(
        ["a", "0", "1", "01", "1e5", "-1", "1/2", " ", "a b", " a", "a ", '"', "'", "\\", "a\nb"]
        + [
            "\r",
            "\t",
            "\x00",
            "\x1f",
            "\x7f",
            "\x85",
            "\u2028",
            "\ufeff",
            "\ufffe",
            "ä",
            "名",
            "😀",
        ]
        + ["//", "/*", "*/", "%", "#", "{", "}", "(", ")", "[", "]", "|", ",", ";", "=", "<", "&"]
        + ["&amp;", "<!--", "]]>", "network", "variable", "probability", "table", "default"]
        + ["property", "net", "node", "potential", "states", "data", "discrete", "type", "random"]
        + ["Boolean", "true", "guaranteed", "factor", "parfactor", "obs", "MultiArrayPotential"]
        + ["NAME", "FOR", "X", "N", "V0", "V1", "Range1", "Scale1", "null", "NaN", "a" * 5000]
    ),
    st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=3),
)
NETWORKS = (".bif", ".xmlbif", ".net", ".xdsl")
HUGE = 10**3999
VALUES = st.one_of(
    st.integers(0, 5),
    st.sampled_from([10**18, 2**63 - 1, 2**63, 2**64, HUGE, HUGE * 10 - 1]),
    st.sampled_from([Fraction(1, 3), Fraction(1, HUGE), Fraction(7, 3 * 10**3990)]),
    st.sampled_from([Fraction(HUGE, 7), Fraction(1, 2**13000), Fraction(1, 10**20)]),
    st.floats(0, 1e300, allow_subnormal=True),
)
SCALES = st.sampled_from([Fraction(1), Fraction(1, 3), Fraction(HUGE), Fraction(1, HUGE)])


@st.composite
def tables(draw: st.DrawFn, shape: tuple[int, ...]) -> Table:
    table = Table.of(draw(st.lists(VALUES, min_size=prod(shape), max_size=prod(shape))), shape)
    scale = table.scale * draw(SCALES) if table.integers.any() else table.scale
    return Table(table.integers, scale, table.measured)


@st.composite
def graphs(draw: st.DrawFn) -> lg.FactorGraph:
    builder = lg.FactorGraphBuilder()
    names = draw(st.lists(NAMES, max_size=3, unique=True))
    sizes = []
    for name in names:
        states = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True) | st.integers(1, 3))
        sizes.append(states if isinstance(states, int) else len(states))
        builder.add_variable(name, states)
    for _ in range(draw(st.integers(0, 2))):
        scope = draw(st.permutations(range(len(sizes))))[: draw(st.integers(0, 2))]
        builder.add_factor(scope, draw(tables(tuple(sizes[variable] for variable in scope))))
    graph = builder.build()
    events = draw(st.sets(st.sampled_from(range(len(sizes))))) if sizes else set()
    return graph.observing({variable: sizes[variable] - 1 for variable in events})


@st.composite
def networks(draw: st.DrawFn) -> lg.FactorGraph:
    """Bayesian networks: sums are one, exactly or as floats have it."""
    builder = lg.FactorGraphBuilder()
    sizes: list[int] = []
    for name in draw(st.lists(NAMES, min_size=1, max_size=3, unique=True)):
        states = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
        builder.add_variable(name, states)
        parents = range(len(sizes))[: draw(st.integers(0, 2))]
        rows = [draw(_row(len(states))) for _ in range(prod(sizes[p] for p in parents))]
        sizes.append(len(states))
        flat = [value for row in rows for value in row]
        builder.add_factor([*parents, len(sizes) - 1], flat)
    return builder.build()


@st.composite
def _row(draw: st.DrawFn, size: int) -> list[Fraction]:
    small = st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(1, HUGE), Fraction(3, 10**3980)])
    rest = [draw(small) for _ in range(size - 1)]
    return [1 - sum(rest, Fraction(0)), *rest]


@st.composite
def lifted(draw: st.DrawFn) -> lg.ParfactorGraph:
    logvars: list[lg.LogVar] = []
    for name in draw(st.lists(NAMES, max_size=2, unique=True)):
        people = st.lists(NAMES, min_size=1, max_size=3, unique=True)
        sizes = st.sampled_from([1, 2, 2**63, 2**64, 10**30])
        logvars.append(lg.LogVar(name, draw(people | sizes)))
    prvs = [
        lg.prv(
            name,
            *draw(st.permutations(logvars))[: draw(st.integers(0, 2))],
            states=draw(st.lists(NAMES, min_size=1, max_size=2, unique=True)),
        )
        for name in draw(st.lists(NAMES, min_size=1, max_size=2, unique=True))
    ]
    parfactors = []
    for _ in range(draw(st.integers(0, 2))):
        arguments = prvs[: draw(st.integers(0, 2))]
        shape = tuple(len(prv.states) for prv in arguments)
        parfactors.append(lg.parfactor(arguments, draw(tables(shape)), logvars=logvars))
    if draw(st.booleans()):
        prvs[0] = observed(prvs[0])
        return lg.ParfactorGraph.of([], prvs)
    return lg.ParfactorGraph.of(parfactors, prvs)


def observed(prv: lg.PRV) -> lg.PRV:
    """A PRV all of whose variables were observed in its last state."""
    return lg.PRV(prv.name, prv.logvars, prv.constraints, prv.states, len(prv.states) - 1)


def written(model: lg.FactorGraph | lg.ParfactorGraph, path: Path, rounded: bool) -> bool:
    """Whether a model was written; if it was refused, in one line, there is no file."""
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    try:
        lg.write(model, path, rounded=rounded)
    except lg.InputError as error:
        assert not path.exists()
        assert "\n" not in str(error)
        return False
    return True


def potentials(graph: lg.FactorGraph) -> list[tuple[tuple[int, ...], Table]]:
    return [factor.parts for factor in graph.factors]


def equal_up_to_losses(again: lg.FactorGraph, graph: lg.FactorGraph, losses: str) -> bool:
    """Whether only what the notes name has changed."""
    if "in another order" in losses:
        return sorted(map(again.name, range(again.variable_count))) == sorted(
            map(graph.name, range(graph.variable_count))
        )
    same = (again.cardinalities == graph.cardinalities).all()
    if "names:" not in losses and "index" not in losses:
        same &= [again.name(v) for v in range(graph.variable_count)] == [
            graph.name(v) for v in range(graph.variable_count)
        ]
    if "rounded" in losses or "floats" in losses:
        return bool(same)
    missing = again.factor_count - graph.factor_count
    same &= missing == 0 or "factor of ones" in losses
    factors = zip(potentials(graph), potentials(again), strict=False)
    return bool(same and all(_same_factor(*pair) for pair in factors))


def _same_factor(
    factor: tuple[tuple[int, ...], Table], again: tuple[tuple[int, ...], Table]
) -> bool:
    """Whether two factors are equal; networks list the variable itself first."""
    (scope, table), (scope_again, table_again) = factor, again
    order = [scope.index(variable) for variable in scope_again]
    moved = Table(np.transpose(table.integers, order).copy(), table.scale)
    return len(scope) == len(scope_again) and moved == table_again


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.title)
@given(model=st.one_of(graphs(), networks(), lifted()), rounded=st.booleans())
def test_what_is_written_can_be_read(
    tmp_path_factory: pytest.TempPathFactory,
    form: Format,
    model: lg.FactorGraph | lg.ParfactorGraph,
    rounded: bool,
) -> None:
    path = tmp_path_factory.getbasetemp() / f"model{form.suffixes[0]}"
    if isinstance(model, lg.FactorGraph) and not form.holds_evidence:
        model = model.observing({})
    if not written(model, path, rounded):
        return
    again = lg.read(path)
    losses = "; ".join(form.losses(model, rounded=rounded))
    if isinstance(model, lg.FactorGraph):
        assert isinstance(again, lg.FactorGraph)
        assert equal_up_to_losses(again, model, losses)
        assert again == model or losses or form.title in ("BIF", "XMLBIF", "NET", "XDSL")
    else:
        assert isinstance(again, lg.ParfactorGraph)
        assert again.prvs == model.prvs
        assert [p.table for p in again.parfactors] == [p.table for p in model.parfactors]
        assert again == model


READ_ONLY = {"OOBN", "DSL", "DNE", "DSC", "Ergo"}


@pytest.mark.parametrize(
    "suffix", [form.suffixes[0] for form in FORMATS if form.title not in READ_ONLY]
)
def test_numbers_that_cannot_be_read_are_not_written(tmp_path: Path, suffix: str) -> None:
    table = Table(np.array([1, 2]), Fraction(1, 10**5000))
    if suffix == ".blog":
        model: lg.FactorGraph | lg.ParfactorGraph = lg.ParfactorGraph.of(
            [lg.parfactor([lg.prv("A")], table)]
        )
    else:
        builder = lg.FactorGraphBuilder()
        builder.add_variable("A")
        distribution = Table(np.array([1, 10**5000 - 1], dtype=object), Fraction(1, 10**5000))
        builder.add_factor(["A"], distribution if suffix in NETWORKS else table)
        model = builder.build()
    for rounded in (False, True):
        with pytest.raises(lg.InputError, match=r"expected numbers of at most 4,000 digits"):
            lg.write(model, tmp_path / f"model{suffix}", rounded=rounded)


def test_huge_domains_are_written_and_read(tmp_path: Path) -> None:
    model = lg.ParfactorGraph.of([lg.parfactor([lg.prv("A", lg.LogVar("X", 2**64))], [1, 2])])
    for suffix in (".blog", ".json"):
        lg.write(model, tmp_path / f"model{suffix}")
        assert lg.read(tmp_path / f"model{suffix}") == model


def test_domains_have_as_many_digits_as_files_can_hold(tmp_path: Path) -> None:
    with pytest.raises(lg.InputError, match=r"expected a number of at most 4000 digits"):
        lg.LogVar("X", 10**4000)
    model = lg.ParfactorGraph.of([], [lg.prv("A", lg.LogVar("X", 10**4000 - 1))])
    for suffix in (".blog", ".json"):
        lg.write(model, tmp_path / f"model{suffix}")
        assert lg.read(tmp_path / f"model{suffix}") == model


def test_observed_prvs_may_have_logvars_named_like_individuals(tmp_path: Path) -> None:
    for name, domain in (("bob", ["bob", "X1"]), ("1", 3)):
        model = lg.ParfactorGraph.of([], [observed(lg.prv("A", lg.LogVar(name, domain)))])
        lg.write(model, tmp_path / "model.blog")
        assert lg.read(tmp_path / "model.blog") == model
