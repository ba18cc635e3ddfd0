"""Hypothesis draws the same examples every time in CI, and new ones elsewhere.

``LIFTGRAPH_EXAMPLES``: how many for each test; ``make test-long`` tries more of them. Tests that
need an optional library are left out where it is missing. Commands print without colours.
"""

from __future__ import annotations

import os
import re
from importlib.util import find_spec
from pathlib import Path

from hypothesis import HealthCheck, settings

OPTIONAL = [
    "duckdb",
    "flint",
    "matplotlib",
    "narwhals",
    "networkx",
    "numba",
    "pandas",
    "pgmpy",
    "polars",
    "pyagrum",
    "pyarrow",
    "pyspark",
]
MISSING = [name for name in OPTIONAL if find_spec(name) is None]

os.environ.setdefault("LIFTGRAPH_TRACEBACK", "full")  # who debugs a test wants all frames
os.environ.pop("FORCE_COLOR", None)

settings.register_profile(
    "liftgraph",
    derandomize=bool(os.environ.get("CI")),
    deadline=None,
    max_examples=int(os.environ.get("LIFTGRAPH_EXAMPLES", "40")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("liftgraph")


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out modules that import a missing library when they are loaded."""
    if not MISSING or collection_path.suffix != ".py":
        return None
    needs = re.compile(rf"^(?:import|from) (?:{'|'.join(MISSING)})\b", re.MULTILINE)
    return True if needs.search(collection_path.read_text(encoding="utf-8")) else None
