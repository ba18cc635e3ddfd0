"""The 24 networks that come with pgmpy: read as naively, answered as pgmpy and pyAgrum do.

pgmpy keeps rows that do not sum to one, so its distributions are normalised before it is asked.
pyAgrum reads BIF and NET in single precision, XMLBIF in double.
"""

from __future__ import annotations

import gzip
import random
import re
from collections.abc import Iterator
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import liftgraph as lg
from liftgraph.model.ground.bayesian_network import own_factors

pytestmark = [
    # what importing pyAgrum and pgmpy warns of
    pytest.mark.filterwarnings("ignore:builtin type .* has no __module__:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.pgmpy.estimators.StructureScore. is dep:FutureWarning"),
]
PGMPY = find_spec("pgmpy")
FOLDER = Path(str(PGMPY and PGMPY.origin)).parent / "utils" / "example_models"
NETWORKS = sorted(FOLDER.glob("*.bif.gz"))
SMALL = ["asia", "cancer", "earthquake", "survey", "sachs", "alarm", "insurance", "hailfinder"]
Row = tuple[str, list[str], list[str], list[Fraction]]


def network(name: str) -> Path:
    return FOLDER / f"{name}.bif.gz"


def read_text(path: Path) -> str:
    return gzip.decompress(path.read_bytes()).decode()


def naive_rows(text: str) -> Iterator[Row]:
    """A variable, its parents, their states, and the numbers: from each line that has some."""
    scope: list[str] = []
    for line in text.splitlines():
        if line.startswith("probability"):
            scope = re.findall(r"[^\s(),|{}]+", line)[1:]
        elif row := re.match(r"  (?:table|\((.*)\)) (.*);", line):
            states = row[1].split(", ") if row[1] else []
            yield scope[0], scope[1:], states, [Fraction(n) for n in row[2].split(", ")]


def test_there_are_24_networks() -> None:
    assert len(NETWORKS) == 24


@pytest.mark.parametrize("path", NETWORKS, ids=lambda path: path.name.split(".")[0])
def test_networks_are_read_like_naively(path: Path) -> None:
    graph, text = lg.read_graph(path), read_text(path)
    own = own_factors(graph)
    assert graph.names == tuple(re.findall(r"^variable (\S+) {", text, re.MULTILINE))
    places = [match.start() for match in re.finditer(r"^  (?:table|\()", text, re.MULTILINE)]
    chosen = random.Random(path.name).sample(places, min(len(places), 40))
    for place in chosen:
        head = text.rfind("probability", 0, place)
        lines = text[head : text.index("\n", head)] + "\n" + text[place : text.index("\n", place)]
        for child, parents, states, weights in naive_rows(lines):
            variable = graph.variable(child)
            scope, table = graph.factors[int(own[variable])].parts
            assert scope == (variable, *map(graph.variable, parents))
            combination = [graph.state(*pair) for pair in zip(scope[1:], states, strict=True)]
            for state, weight in enumerate(weights):
                difference = table.potential([state, *combination]) - weight / sum(weights)
                assert abs(difference) <= (Fraction(1, 10**28) if sum(weights) != 1 else 0)


def possible_evidence(graph: lg.FactorGraph, seed: str) -> dict[str, str]:
    """States of three variables that occur together."""
    generator = random.Random(seed)
    evidence: dict[str, str] = {}
    for variable in generator.sample(range(graph.variable_count), 3):
        distribution = graph.query(graph.name(variable), given=evidence)
        likely = [state for state, p in distribution.items() if p > 1e-3]
        evidence[graph.name(variable)] = str(generator.choice(likely))
    return evidence


def agrum_marginals(network: Any, evidence: dict[str, str]) -> dict[str, list[float]]:
    import pyagrum

    inference = pyagrum.LazyPropagation(network)
    inference.setEvidence(evidence)
    inference.makeInference()
    return {name: inference.posterior(name).tolist() for name in network.names()}


def assert_close(marginals: lg.Marginals, expected: dict[str, list[float]], error: float) -> None:
    assert set(marginals) == set(expected)
    for name, marginal in marginals.items():
        assert marginal.probabilities.tolist() == pytest.approx(expected[name], rel=0, abs=error)


@pytest.mark.parametrize("name", SMALL)
def test_marginals_are_those_of_pyagrum(tmp_path: Path, name: str) -> None:
    import pyagrum

    graph = lg.read_graph(network(name))
    evidence = possible_evidence(graph, name)
    ours = graph.marginals(given=evidence)
    (tmp_path / "model.bif").write_text(read_text(network(name)))
    single = pyagrum.loadBN(str(tmp_path / "model.bif"))
    assert_close(ours, agrum_marginals(single, evidence), 1e-5)
    lg.write(graph, tmp_path / "model.xml")
    (tmp_path / "model.xml").rename(tmp_path / "model.bifxml")
    double = pyagrum.loadBN(str(tmp_path / "model.bifxml"))
    assert_close(ours, agrum_marginals(double, evidence), 1e-9)
    lg.write(graph, tmp_path / "model.net")
    net = pyagrum.loadBN(str(tmp_path / "model.net"))
    assert_close(ours, agrum_marginals(net, evidence), 1e-5)


@pytest.mark.parametrize("suffix", ["bif", "bifxml", "net"])
def test_what_pyagrum_writes_is_read(tmp_path: Path, suffix: str) -> None:
    import pyagrum

    theirs = pyagrum.fastBN("A[3]->B{low|mid|high}->C;A->C<-D[4]->E")
    pyagrum.saveBN(theirs, str(tmp_path / f"model.{suffix}"))
    path = tmp_path / f"model.{suffix.replace('bifxml', 'xml')}"
    (tmp_path / f"model.{suffix}").rename(path)
    graph = lg.read_graph(path)
    assert graph.states(graph.variable("B")) == ("low", "mid", "high")
    evidence = {"C": graph.states(graph.variable("C"))[0]}
    ours = graph.marginals(given=evidence)
    assert_close(ours, agrum_marginals(theirs, evidence), 1e-5)


def normalised_by_pgmpy(path: Path) -> Any:
    from pgmpy.readwrite import BIFReader

    model = BIFReader(string=read_text(path)).get_model()
    for distribution in model.get_cpds():
        distribution.normalize()
    return model


def test_marginals_and_files_are_those_of_pgmpy(tmp_path: Path) -> None:
    from pgmpy.inference import VariableElimination
    from pgmpy.readwrite import BIFWriter, NETWriter, XMLBIFReader

    path = network("child")  # a state of which is called Asy/Patch
    graph, model = lg.read_graph(path), normalised_by_pgmpy(path)
    evidence = possible_evidence(graph, "child")
    engine = VariableElimination(model)
    others = [n for n in model.nodes() if n not in evidence]
    expected = {n: engine.query([n], evidence, show_progress=False).values.tolist() for n in others}
    expected |= {n: [float(s == state) for s in graph.states(graph.variable(n))]
                 for n, state in evidence.items()}  # fmt: skip
    assert_close(graph.marginals(given=evidence), expected, 1e-9)
    for writer, suffix in ((BIFWriter, "bif"), (NETWriter, "net")):
        path = tmp_path / f"model.{suffix}"
        writer(model).write(str(path))
        assert_close(lg.read_graph(path).marginals(given=evidence), expected, 1e-9)
    lg.write(graph, tmp_path / "ours.xmlbif")
    theirs = XMLBIFReader(str(tmp_path / "ours.xmlbif")).get_model()
    for cpd in model.get_cpds():
        assert theirs.get_cpds(cpd.variable).variables == cpd.variables
        assert abs(theirs.get_cpds(cpd.variable).values - cpd.values).max() < 1e-12
