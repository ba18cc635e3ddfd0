"""Other libraries are loaded on demand; if one is missing, the error says what to install."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

import liftgraph as lg
from liftgraph import InputError
from tests.test_public import loaded_after

GRAPH = lg.datasets.epidemic()


@pytest.mark.parametrize(
    ("library", "use"),
    [
        ("pgmpy", lambda: lg.to_pgmpy(GRAPH)),
        ("pgmpy", lambda: lg.from_pgmpy(7)),
        ("pyagrum", lambda: lg.to_pyagrum(GRAPH)),
        ("pyagrum", lambda: lg.from_pyagrum(7)),
        ("networkx", lambda: lg.to_networkx(GRAPH)),
        ("networkx", lambda: lg.from_networkx(7)),
    ],
)
def test_a_missing_library_is_named(
    library: str, use: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in [name for name in sys.modules if name.split(".")[0] == library]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(InputError, match=rf"this needs {library}: pip install 'liftgraph\["):
        use()


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_missing_backend_is_named(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = GRAPH.query("Epid")
    monkeypatch.setitem(sys.modules, backend, None)
    with pytest.raises(InputError, match=f"this needs {backend}: pip install {backend}"):
        answer.to_frame(backend)


def test_a_series_needs_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = lg.datasets.epidemic().query("Epid")
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match="this needs pandas: pip install pandas"):
        answer.to_pandas()


def test_nothing_is_loaded_before_it_is_used() -> None:
    names = "lg.from_pgmpy, lg.to_pyagrum, lg.to_networkx, lg.from_frames, lg.draw"
    loaded = loaded_after(f"import liftgraph as lg; {names}")
    assert not loaded & {"pgmpy", "pyagrum", "networkx", "pandas", "polars", "narwhals"}
