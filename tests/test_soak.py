"""The campaign itself: it finds what is planted, keeps it, goes on where it ended, and survives."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

import liftgraph as lg
from liftgraph.inference.ground.plan import GroundPlan
from tests.soak.area import Area, Case
from tests.soak.areas import AREAS
from tests.soak.attempt import attempt
from tests.soak.damaging import damaged, tokens_of
from tests.soak.journal import Record, load, save
from tests.soak.storing import store, stored
from tests.soak.worker import Task, tried

SLOW = {"pickles", "full-output", "interrupt", "kill", "copies", "threads", "memory"}
SLOW |= {"folder-kill", "folder-replace"}
LONG = [pytest.param(area, marks=pytest.mark.long, id=area) for area in AREAS if area in SLOW]


def expect_that_it_holds(area: Area, seed: int) -> None:
    case = area.draw(Random(seed))
    assert case == area.draw(Random(seed))
    assert attempt(area, case) is None


@pytest.mark.parametrize("name", [*sorted(AREAS.keys() - SLOW), *LONG])
def test_areas_hold_for_a_seed(name: str) -> None:
    expect_that_it_holds(AREAS[name], 1)


@pytest.mark.long
@pytest.mark.parametrize("name", AREAS)
def test_areas_hold_for_more_seeds(name: str) -> None:
    for seed in (2, 3):
        expect_that_it_holds(AREAS[name], seed)


@pytest.fixture
def twice_the_weight(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ground elimination that is wrong wherever there are at least two factors."""
    right = GroundPlan.run

    def wrong(plan: GroundPlan, *arguments: Any) -> Any:
        answer = right(plan, *arguments)
        if not isinstance(answer, lg.Partition) or plan.graph.factor_count < 2:
            return answer
        return replace(answer, log_z=answer.log_z + 1)

    monkeypatch.setattr(GroundPlan, "run", wrong)


def first_failure(area: Area) -> Any:
    reports = (tried(area, Task(area.name, seed)) for seed in range(100))
    return next(report.found for report in reports if report.found is not None)


def test_a_planted_bug_is_found_made_small_stored_and_replayed(
    tmp_path: Path, twice_the_weight: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    area = AREAS["irregular"]
    found = first_failure(area)
    assert "partition, ground" in found.problem or "partition, auto" in found.problem
    assert len(found.case["graph"]["factors"]) == 2
    again = stored(store(found, tmp_path))
    assert again == found
    assert attempt(area, again.case) is not None
    monkeypatch.undo()
    assert attempt(area, again.case) is None


def test_time_and_memory_are_limited() -> None:
    def endless(case: Case) -> None:
        while True:
            pass

    def large(case: Case) -> None:
        bytes(2**34)

    slow = attempt(Area("slow", lambda random: {}, endless, seconds=0.1), {})
    assert slow is not None
    assert slow.cause == "no answer within 0.1 s"
    full = attempt(Area("large", lambda random: {}, large), {})
    assert full is not None
    assert full.cause.startswith("MemoryError")


CAMPAIGN = """
import os, signal, sys
from pathlib import Path
from tests.soak.area import Area, WrongError
from tests.soak.campaign import Settings, run, summary

def check(case):
    if case["number"] == 3:
        os.kill(os.getpid(), signal.SIGSEGV)
    if case["number"] % 2:
        raise WrongError(f"odd: {case['number']}")

areas = {"crash": Area("crash", lambda random: {"number": random.randrange(8)}, check)}
folder = Path(sys.argv[1])
done = run(areas, Settings(float(sys.argv[2]), 5, 2, folder, folder / "found"))
print(summary(done))
"""


def test_a_campaign_survives_crashes_and_goes_on_where_it_ended(tmp_path: Path) -> None:
    def campaign() -> str:
        command = [sys.executable, "-c", CAMPAIGN, str(tmp_path), "0.01"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return done.stdout

    said = campaign()
    assert "the process died (exit status -11) -> " in said
    assert ": WrongError: odd: " in said
    record = load(tmp_path)["crash"]
    assert record.ranges == [[5, 5 + record.tried]]
    assert set(record.causes) == {"odd", "the process died"}
    problems = {stored(path).problem.split(" (")[0] for path in (tmp_path / "found").iterdir()}
    assert len(problems) == 2
    assert said.splitlines()[-1].split()[:2] == ["crash", str(record.tried)]
    campaign()
    again = load(tmp_path)["crash"]
    assert again.ranges == [[5, 5 + again.tried]]
    assert again.tried > record.tried


def test_journals_keep_ranges_of_seeds(tmp_path: Path) -> None:
    record = Record()
    for seed in (4, 0, 1, 5, 2):
        record.add(seed)
    assert record.ranges == [[0, 3], [4, 6]]
    assert record.next_seed(0, set()) == 3
    assert record.next_seed(0, {3}) == 6
    assert record.next_seed(2, {3, 6}) == 7
    assert record.next_seed(100, set()) == 100
    save({"area": record}, tmp_path)
    assert load(tmp_path) == {"area": record}


def test_damages_are_many_and_depend_on_the_seed_alone() -> None:
    text = 'net\n{\n  "A": [1, 2.5]\n}\n'
    assert "".join(tokens_of(text)) == text
    several = {damaged(Random(seed), text) for seed in range(50)}
    assert len(several) > 30
    assert several == {damaged(Random(seed), text) for seed in range(50)}
