"""Errors as readers see them: one line, and one frame of liftgraph before it."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

import liftgraph as lg

SOURCE = str(Path(lg.__file__).parent)


def graph() -> lg.FactorGraph:
    return lg.datasets.epid(2).ground()


MISTAKES: dict[str, Callable[[], object]] = {
    "variable": lambda: graph().query("Epidd"),
    "lifted": lambda: lg.datasets.epid(2).query("Epidd"),
    "option": lambda: graph().mpe(mehtod="ground"),  # type: ignore[call-overload]
    "state": lambda: graph().given({"Epid": "maybe"}),
    "event": lambda: graph().probability({"Epid": "maybe"}),
    "prediction": lambda: graph().predict({"Epid": ["maybe"]}, "Sick.1"),
    "trade-off": lambda: graph().trade_off(["2"]),
    "any question": lambda: graph().ask("nonsense"),
    "file": lambda: lg.read("nowhere.json"),
    "format": lambda: lg.write(graph(), "model.nonsense"),
    "lifting": lambda: lg.lift(3),  # type: ignore[arg-type]
    "colours": lambda: lg.colour_passing(graph(), "nonsense"),  # type: ignore[arg-type]
    "table": lambda: lg.Table.of([[1, 2], [3]]),
    "factor": lambda: lg.FactorGraphBuilder().add_factor(["A"], [1, 2]),
    "name": lambda: lg.FactorGraphBuilder().add_variable(""),
    "names": lambda: lg.FactorGraphBuilder().add_variables(["A", "A"]),
    "parfactor": lambda: lg.parfactor([lg.prv("A")], [1, 2, 3]),
    "model": lambda: lg.ParfactorGraph.of(3),  # type: ignore[arg-type]
}


def frames_of_ours(error: BaseException) -> int:
    """How many frames of the library a reader sees, those of errors before this one, too."""
    shown = traceback.format_exception(error)
    return sum(part.count(f'File "{SOURCE}') for part in shown)


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_a_traceback_has_one_frame_of_ours(
    mistake: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LIFTGRAPH_TRACEBACK", raising=False)
    with pytest.raises(lg.InputError) as short:
        mistake()
    assert frames_of_ours(short.value) == 1
    assert "\n" not in str(short.value)
    monkeypatch.setenv("LIFTGRAPH_TRACEBACK", "full")
    with pytest.raises(lg.InputError) as full:
        mistake()
    assert frames_of_ours(full.value) > 1
    assert (type(full.value), str(full.value)) == (type(short.value), str(short.value))


def test_a_notebook_shows_the_cell_and_the_message(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shells = pytest.importorskip("IPython.core.interactiveshell")
    monkeypatch.delenv("LIFTGRAPH_TRACEBACK", raising=False)
    shell = shells.InteractiveShell()
    shell.run_cell("import liftgraph as lg\nlg.datasets.epid(2).query('epid')")
    lines = [line for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert lines[-1].endswith("expected a variable, got 'epid' (did you mean Epid?)")
    assert sum(SOURCE in line for line in lines) == 1
    assert len(lines) < 14


def test_errors_that_are_not_ours_keep_their_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LIFTGRAPH_TRACEBACK", raising=False)

    def broken(share: float) -> None:
        raise RuntimeError("not ours")

    with pytest.raises(RuntimeError) as caught:
        graph().predict({"Epid": ["true"]}, "Sick.1", progress=broken)
    assert frames_of_ours(caught.value) > 1
