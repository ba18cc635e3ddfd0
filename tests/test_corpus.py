"""Exact answers are those that were frozen (``corpus``); a sample of the models, or all of them."""

from __future__ import annotations

import pytest

from tests.corpus import COUNTS, FILE, QUESTIONS, REFUSED, digests

FROZEN = [line.split() for line in FILE.read_text().splitlines()]
SAMPLE = 20  # one model in so many is asked by the short tests


def check(first: int, step: int) -> None:
    for kind, seed, *frozen in FROZEN[first::step]:
        for question, before, now in zip(QUESTIONS, frozen, digests(kind, int(seed)), strict=True):
            assert before in (now, REFUSED), f"{question} of {kind} {seed}"


def test_the_corpus_is_complete() -> None:
    assert [(kind, int(seed)) for kind, seed, *_ in FROZEN] == [
        (kind, seed) for kind, count in COUNTS.items() for seed in range(count)
    ]
    for place, question in enumerate(QUESTIONS, 2):
        answered = [line[place] for line in FROZEN if line[place] != REFUSED]
        assert len(set(answered)) > 50, question


def test_a_sample_of_answers_is_as_frozen() -> None:
    check(0, SAMPLE)


@pytest.mark.long
@pytest.mark.parametrize("first", range(1, SAMPLE))
def test_answers_are_as_frozen(first: int) -> None:
    check(first, SAMPLE)
