"""Hypothesis draws the same examples every time in CI, and new ones elsewhere.

``LIFTGRAPH_EXAMPLES``: how many for each test; ``make test-all`` tries more of them.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "liftgraph",
    derandomize=bool(os.environ.get("CI")),
    deadline=None,
    max_examples=int(os.environ.get("LIFTGRAPH_EXAMPLES", "40")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("liftgraph")
