"""The public names: complete, each defined in one place, and cheap to import."""

from __future__ import annotations

import subprocess
import sys

import pytest

import liftgraph


def loaded_after(code: str) -> set[str]:
    """The modules that are loaded after running code in a new interpreter."""
    program = f"import sys\n{code}\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


@pytest.mark.parametrize("name", liftgraph.__all__)
def test_every_public_name_can_be_loaded(name: str) -> None:
    assert getattr(liftgraph, name).__name__.removeprefix("liftgraph.") == name
    assert name in dir(liftgraph)


def test_the_table_of_homes_is_complete_and_right() -> None:
    assert {*liftgraph._HOME, *liftgraph._PARTS} == set(liftgraph.__all__)
    for name, home in liftgraph._HOME.items():
        assert getattr(liftgraph, name).__module__.startswith(f"liftgraph.{home}")


def test_other_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        liftgraph.nonsense  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(AttributeError, match=r"'query': ask a model, as in model\.query"):
        liftgraph.query  # type: ignore[attr-defined]  # noqa: B018


def test_importing_loads_nothing_until_it_is_used() -> None:
    assert not loaded_after("import liftgraph") & {"numpy", "msgspec", "rich", "argparse"}
    used = loaded_after("import liftgraph; liftgraph.FactorGraphBuilder; liftgraph.lift")
    assert "numpy" in used
    assert not used & {"msgspec", "rich", "argparse"}
