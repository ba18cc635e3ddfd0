"""Failing cases as files that become tests."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from tests.soak.area import Case
from tests.soak.attempt import Problem

REGRESSIONS = Path(__file__).parents[1] / "regressions"


@dataclass(frozen=True, slots=True)
class Regression:
    """A case that failed once. ``problem``: what was wrong then."""

    area: str
    seed: int
    problem: str
    case: Case


def store(regression: Regression, folder: Path = REGRESSIONS) -> Path:
    """Write a regression into a file named after its area and seed."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{regression.area}-{regression.seed}.json"
    document = {
        "area": regression.area,
        "seed": regression.seed,
        "problem": regression.problem,
        "case": regression.case,
    }
    path.write_text(json.dumps(document, indent=1) + "\n")
    return path


def stored(path: Path) -> Regression:
    """Read a regression."""
    document = json.loads(path.read_text())
    return Regression(document["area"], document["seed"], document["problem"], document["case"])


def regression_of(area: str, seed: int, problem: Problem, case: Case) -> Regression:
    """A case and what was wrong with it."""
    return Regression(area, seed, problem.text, case)
