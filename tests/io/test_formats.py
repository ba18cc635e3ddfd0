"""A format from outside: registered once, it is read, written and converted like all others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import pytest

import liftgraph as lg
from liftgraph.cli import main
from liftgraph.io import formats
from liftgraph.io.allowance import Allowance
from liftgraph.io.formats import FORMATS, Format, format_of, graph_format, register, suffixes
from liftgraph.model.memory_limit import MEMORY_LIMIT


def read_weights(path: Path | str, *, memory_limit: int = MEMORY_LIMIT) -> lg.FactorGraph:
    """A file of lines ``name weight weight …``: independent variables without names of states."""
    builder = lg.FactorGraphBuilder()
    allowance = Allowance(str(path), memory_limit)
    for line in Path(path).read_text().splitlines():
        allowance.take(100 * len(line), "the weights")
        name, *weights = line.split()
        builder.add_variable(name, len(weights))
        builder.add_factor([name], weights)
    return builder.build()


def write_weights(graph: lg.FactorGraph, path: Path | str, *, rounded: bool = False) -> None:
    lines = []
    for (variable,), table in [factor.parts for factor in graph.factors]:
        weights = [str(table.potential((state,))) for state in range(table.shape[0])]
        lines.append(" ".join([graph.name(variable), *weights]))
    Path(path).write_text("\n".join(lines))


def losses_of_weights(graph: lg.FactorGraph, *, rounded: bool = False) -> Iterator[str]:
    if graph.has_state_names:
        yield "files of weights have no names of states"


WEIGHTS = graph_format(
    "weights", (".weights", ".w"), read_weights, write_weights, losses_of_weights
)


@pytest.fixture
def weights(monkeypatch: pytest.MonkeyPatch) -> Format:
    monkeypatch.setattr(formats, "_registered", {})
    register(WEIGHTS)
    return WEIGHTS


@pytest.fixture
def graph() -> lg.FactorGraph:
    builder = lg.FactorGraphBuilder()
    for name, weights in (("A", [1, 2, 3]), ("B", ["1/3", "0.5"])):
        builder.add_variable(name, len(weights))
        builder.add_factor([name], weights)
    return builder.build()


@pytest.mark.usefixtures("weights")
def test_a_format_from_outside_is_read_and_written(tmp_path: Path, graph: lg.FactorGraph) -> None:
    for name in ("model.weights", "model.W"):
        lg.write(graph, tmp_path / name)
        assert (tmp_path / name).read_text() == "A 1 2 3\nB 1/3 1/2"
        assert lg.read(tmp_path / name) == graph
        with pytest.raises(lg.MemoryLimitError, match=r"needs 700 bytes, the limit is 600 bytes"):
            lg.read(tmp_path / name, memory_limit=600)


@pytest.mark.usefixtures("weights")
def test_a_format_from_outside_is_converted(
    tmp_path: Path, graph: lg.FactorGraph, capsys: pytest.CaptureFixture[str]
) -> None:
    source, between, target = (str(tmp_path / name) for name in ("a.json", "b.w", "c.json"))
    lg.write(graph.given({"A": "0"}), source)
    note = "liftgraph: note: weights models have no evidence: it was left out\n"
    assert main(["convert", source, between]) == 0
    assert capsys.readouterr().err == note
    assert main(["convert", between, target]) == 0
    assert lg.read(target) == graph


def test_what_a_graph_format_cannot_hold_is_refused(
    tmp_path: Path, weights: Format, graph: lg.FactorGraph
) -> None:
    path = tmp_path / "model.w"
    with pytest.raises(lg.InputError, match="weights files have no evidence"):
        lg.write(graph.given({"A": "0"}), path)
    with pytest.raises(lg.InputError, match="weights files have no logvars"):
        lg.write(lg.datasets.epid(2), path)
    assert not path.exists()
    assert not weights.takes_lifted
    assert "the model was ground" in next(weights.losses(lg.lift(graph)))


@pytest.mark.usefixtures("weights")
def test_registered_suffixes_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert suffixes()[-2:] == (".weights", ".w")
    with pytest.raises(lg.InputError, match=r"\.parquet, \.weights, \.w \(or these and \.gz\)"):
        lg.read("model.txt")
    assert main(["convert", "--help"]) == 0
    assert ".weights, .w, or one" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("suffix", ["w", ".W", ".gz", ".w.x", ".", ".a b", ".uai", ".bifxml"])
def test_suffixes_that_cannot_be_told_apart_are_refused(suffix: str) -> None:
    with pytest.raises(lg.InputError, match=r"weights: expected a (new )?suffix"):
        register(replace(WEIGHTS, suffixes=(".new", suffix)))
    with pytest.raises(lg.InputError, match="expected a name ending in"):
        format_of("model.new")


def test_registering_again_replaces(weights: Format) -> None:
    better = replace(weights, title="better weights")
    register(better)
    assert format_of("model.w") is better


def test_formats_are_frozen_and_say_what_they_hold() -> None:
    with pytest.raises(FrozenInstanceError):
        FORMATS[0].title = "mine"  # type: ignore[misc]
    assert [form.title for form in FORMATS if form.takes_lifted] == ["JSON", "BLOG"]
    assert [form.title for form in FORMATS if form.holds_evidence] == ["JSON", "BLOG", "Parquet"]
    assert suffixes(lifted=True) == (".json", ".blog")
    assert all(format_of(f"x{suffix}.gz") is form for form in FORMATS for suffix in form.suffixes)
