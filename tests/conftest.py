"""Hypothesis draws the same examples every time in CI, and new ones elsewhere."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "liftgraph",
    derandomize=bool(os.environ.get("CI")),
    deadline=None,
    max_examples=200,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("liftgraph")
