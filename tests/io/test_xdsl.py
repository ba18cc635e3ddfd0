"""XDSL files: what their nodes mean, beside brute force and pyAgrum."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import pyagrum
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pgmpy.readwrite import XDSLReader, XDSLWriter

import liftgraph as lg
from liftgraph.io.formats import format_of
from tests.adapters.graphs import content, weights
from tests.strategies import bayesian_networks

TEXT = """<?xml version="1.0" encoding="ISO-8859-1"?>
<!-- made up -->
<smile version="1.0" id="Network1" numsamples="10000" discsamples="10000">
  <nodes>
    <cpt id="C" target="true" diagtype="target">
      <state id="c0" label="" fault="true" /><state id="c1" />
      <property id="mau">caf\xe9</property>
      <parents>A
        B</parents>
      <probabilities>0.11 0.89 0.12 0.88 0.13 0.87
        0.14 0.86 1.5e-1 0.85 .16 0.84</probabilities>
    </cpt>
    <cpt id="A"><state id="a0" /><state id="caf\xe9" />
      <probabilities>0.25 0.75</probabilities></cpt>
    <cpt id="B"><state id="b0" /><state id="b1" /><state id="b2" />
      <probabilities>0.2 0.3 0.5</probabilities></cpt>
    <deterministic id="D"><state id="lo" /><state id="mid" /><state id="hi" />
      <parents>A B</parents><resultingstates>lo mid hi hi hi lo</resultingstates></deterministic>
  </nodes>
  <extensions><genie version="1.0" app="G" name="n"><submodel id="s"><name>s</name>
    <node id="A"><name>Not A</name><position>1 2 3 4</position></node></submodel></genie>
  </extensions>
</smile>
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("xdsl") / "model.xdsl"


def test_the_syntax(path: Path) -> None:
    path.write_bytes(TEXT.encode("latin-1"))
    builder = lg.FactorGraphBuilder()
    builder.add_variable("C", ["c0", "c1"])
    builder.add_variable("A", ["a0", "café"])
    builder.add_variable("B", ["b0", "b1", "b2"])
    builder.add_variable("D", ["lo", "mid", "hi"])
    first = [[Fraction(11 + b + 3 * a, 100) for b in range(3)] for a in range(2)]
    builder.add_factor(["C", "A", "B"], [first, [[1 - p for p in row] for row in first]])
    builder.add_factor(["A"], ["0.25", "0.75"])
    builder.add_factor(["B"], ["0.2", "0.3", "0.5"])
    results = [[0, 1, 2], [2, 2, 0]]
    builder.add_factor(
        ["D", "A", "B"], [[[int(s == state) for s in row] for row in results] for state in range(3)]
    )
    assert lg.read(path) == builder.build()


def noisy_max_text(
    sizes: list[int], size: int, orders: list[list[int]], rows: list[list[Fraction]]
) -> str:
    nodes = [_roots(f"P{index}", parent) for index, parent in enumerate(sizes)]
    states = "".join(f'<state id="s{state}" />' for state in range(size))
    parents = " ".join(f"P{index}" for index in range(len(sizes)))
    strengths = " ".join(str(state) for order in orders for state in order)
    parameters = " ".join(str(value) for row in rows for value in row)
    nodes.append(
        f'<noisymax id="N">{states}<parents>{parents}</parents><strengths>{strengths}</strengths>'
        f"<parameters>{parameters}</parameters></noisymax>"
    )
    return f"<smile><nodes>{''.join(nodes)}</nodes></smile>"


def _roots(name: str, size: int) -> str:
    states = "".join(f'<state id="s{state}" />' for state in range(size))
    numbers = " ".join([f"1/{size}"] * size)
    return f'<cpt id="{name}">{states}<probabilities>{numbers}</probabilities></cpt>'


@st.composite
def distributions(draw: st.DrawFn, size: int) -> list[Fraction]:
    parts = draw(st.lists(st.integers(0, 4), min_size=size, max_size=size))
    parts[-1] += sum(parts) == 0
    return [Fraction(part, sum(parts)) for part in parts]


@given(st.data())
def test_noisy_max_is_the_strongest_of_independent_effects(path: Path, data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.integers(1, 3), max_size=3))
    size = data.draw(st.integers(1, 3))
    orders = [data.draw(st.permutations(range(parent))) for parent in sizes]
    none = [Fraction(int(state == size - 1)) for state in range(size)]
    effects = [
        [*(data.draw(distributions(size)) for _ in range(parent - 1)), none] for parent in sizes
    ]
    leak = data.draw(distributions(size))
    rows = [row for parent in effects for row in parent]
    path.write_text(noisy_max_text(sizes, size, orders, [*rows, leak]))
    graph = lg.read_graph(path)
    scope, table = graph.factors[len(sizes)].parts
    assert scope == (*range(len(sizes)), len(sizes))
    for states in product(*map(range, sizes)):
        given_rows = [
            parent[order.index(state)]
            for parent, order, state in zip(effects, orders, states, strict=True)
        ]
        expected = [Fraction(0)] * size
        for each in product(range(size), repeat=len(sizes) + 1):
            chances = [row[effect] for row, effect in zip([*given_rows, leak], each, strict=True)]
            expected[min(each)] += prod(chances, start=Fraction(1))
        assert [table.potential((*states, effect)) for effect in range(size)] == expected


def test_a_noisy_max_of_many_parents_has_no_table(path: Path) -> None:
    count = 100
    rows = [[Fraction(1, 100), Fraction(99, 100)], [Fraction(0), Fraction(1)]] * count
    leak = [Fraction(1, 10), Fraction(9, 10)]
    path.write_text(noisy_max_text([2] * count, 2, [[0, 1]] * count, [*rows, leak]))
    graph = lg.read_graph(path)
    answer = graph.query("N", exact=True).exact["s1"]
    assert answer == Fraction(9, 10) * Fraction(199, 200) ** count
    causes = tuple(name for name in graph.variables if name != "N")
    assert graph.parents("N") == causes
    assert {graph.children(cause) for cause in causes} == {("N",)}


@given(bayesian_networks())
@settings(max_examples=60)
def test_networks_read_back_the_same(path: Path, network: tuple[lg.FactorGraph, list[int]]) -> None:
    graph, _ = network
    lg.write(graph, path)
    back = lg.read_graph(path)
    assert weights(back) == weights(graph)
    assert content(back)[0] == content(graph)[0]
    moved = any("in another order" in note for note in format_of(path).losses(graph))
    names = [[g.name(v) for v in range(g.variable_count)] for g in (graph, back)]
    assert names[0] == names[1] or moved
    again = path.with_name("again.xdsl")
    lg.write(back, again)
    assert lg.read(again) == back


@given(st.data())
def test_odd_names_are_kept_or_refused(path: Path, data: st.DataObject) -> None:
    names = st.text(st.sampled_from("aA_9 .;\"'<>&=\t\n\r\x00ä漢"), min_size=1)
    first, second, *states = data.draw(st.lists(names, min_size=4, max_size=4, unique=True))
    builder = lg.FactorGraphBuilder()
    builder.add_variables([first, second], states)
    builder.add_factor([first], ["0.5", "0.5"])
    builder.add_factor([second, first], [["0.1", "0.2"], ["0.9", "0.8"]])
    if any("\x00" in name for name in (first, second, *states)):
        with pytest.raises(lg.InputError, match="expected names that XDSL files can hold"):
            lg.write(builder.build(), path)
        return
    lg.write(builder.build(), path)
    assert lg.read(path) == builder.build()


def joint(network: Any) -> dict[frozenset[tuple[str, str]], float]:
    """The probability of each assignment, by pyAgrum."""
    names = sorted(network.names())
    labels = [network.variable(name).labels() for name in names]
    probabilities = {}
    for states in product(*labels):
        assignment = dict(zip(names, states, strict=True))
        network_weight = prod(network.cpt(name)[assignment] for name in names)
        probabilities[frozenset(assignment.items())] = network_weight
    return probabilities


def plainly_named(graph: lg.FactorGraph) -> lg.FactorGraph:
    """The same network with names that other libraries take."""
    builder = lg.FactorGraphBuilder()
    for variable in range(graph.variable_count):
        builder.add_variable(f"N{variable}", [f"s{s}" for s in range(len(graph.states(variable)))])
    for factor in range(graph.factor_count):
        builder.add_factor(*graph.factors[factor].parts)
    return builder.build()


def reversed_parents(path: Path) -> None:
    """List parents in the other order: in aGrUM's files the first one changes fastest."""

    def turned(parents: re.Match[str]) -> str:
        return f"<parents>{' '.join(reversed(parents[1].split()))}</parents>"

    text = re.sub("<parents>(.*)</parents>", turned, path.read_text())
    path.write_text(text.replace('app="aGrUM', 'app="another'))


@given(bayesian_networks())
@settings(max_examples=40)
def test_pyagrum_reads_what_we_write(path: Path, network: tuple[lg.FactorGraph, list[int]]) -> None:
    graph = plainly_named(network[0])
    lg.write(graph, path, rounded=True)
    reversed_parents(path)
    expected, found = weights(graph), joint(pyagrum.loadBN(str(path)))
    assert found.keys() == expected.keys()
    for assignment, probability in expected.items():
        assert found[assignment] == pytest.approx(float(probability), abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_we_read_what_pyagrum_writes(path: Path, seed: int) -> None:
    pyagrum.initRandom(seed)
    generated = pyagrum.BNGenerator().generate(6, 8, 3)
    pyagrum.saveBN(generated, str(path))
    theirs = pyagrum.loadBN(str(path))
    with pytest.raises(lg.ParseError, match="got a file of aGrUM, whose first parent changes"):
        lg.read(path)
    reversed_parents(path)
    ours = lg.read_graph(path)
    engine = pyagrum.LazyPropagation(theirs)
    for name in theirs.names():
        expected = engine.posterior(name).toarray()
        assert ours.query(name).probabilities == pytest.approx(expected, abs=1e-6)


def test_files_of_agrum_with_single_parents_are_read(path: Path) -> None:
    network = pyagrum.fastBN("A->B[3]->C")
    pyagrum.saveBN(network, str(path))
    assert lg.read_graph(path).variable_count == 3


@given(bayesian_networks())
@settings(max_examples=40)
def test_pgmpy_reads_what_we_write_and_we_what_it_writes(
    path: Path, network: tuple[lg.FactorGraph, list[int]]
) -> None:
    graph = plainly_named(network[0])
    lg.write(graph, path, rounded=True)
    theirs = XDSLReader(str(path)).get_model()
    expected, found = weights(graph), weights(lg.from_pgmpy(theirs, decimals=True))
    assert found.keys() == expected.keys()
    assert all(abs(found[states] - p) < Fraction(1, 10**9) for states, p in expected.items())
    again = path.with_name("theirs.xdsl")
    XDSLWriter(theirs).write(str(again))
    ours = weights(lg.read_graph(again))
    assert all(abs(ours[states] - p) < Fraction(1, 10**9) for states, p in expected.items())
