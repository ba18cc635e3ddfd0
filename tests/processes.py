"""Processes to test with: this Python, with the rights of an ordinary user even if we are root."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

_DROP_FROM_BOUNDING_SET = 24  # prctl(2)
_IGNORES_MODES = (0, 1, 2, 3)  # chown, dac_override, dac_read_search, fowner: capabilities(7)


def _give_up_rights() -> None:
    """Let modes of files bind root too, after the next exec."""
    for capability in _IGNORES_MODES:
        if ctypes.CDLL(None).prctl(_DROP_FROM_BOUNDING_SET, capability, 0, 0, 0):
            os._exit(77)


def run_ordinary(
    *arguments: str, cwd: Path, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run this Python as a user whom modes of files bind."""
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    done = subprocess.run(
        [sys.executable, *arguments],
        preexec_fn=_give_up_rights if root else None,
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        errors="replace",
    )
    if done.returncode == 77:
        pytest.skip("root cannot give up its rights here")
    return done
