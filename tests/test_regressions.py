"""What once failed in the campaign (``make soak``) holds now."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.soak.areas import AREAS
from tests.soak.attempt import attempt
from tests.soak.storing import REGRESSIONS, stored

PATHS = sorted(REGRESSIONS.glob("*.json"))


@pytest.mark.parametrize("path", PATHS, ids=[path.stem for path in PATHS])
def test_what_failed_once_holds_now(path: Path) -> None:
    regression = stored(path)
    assert attempt(AREAS[regression.area], regression.case) is None
