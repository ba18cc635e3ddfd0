"""Exact answers to all questions, as values that can be compared and pickled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import liftgraph as lg

QUESTIONS = ("first", "last", "partition", "marginals", "mpe")
METHODS = ("auto", "lifted", "ground")


def answer_of(model: Any, question: str, method: str) -> Any:
    """An exact answer as values that can be compared, or the name of an error."""
    options: Any = {"method": method, "exact": True}
    try:
        if question in ("first", "last"):  # of the variables
            number = 0 if question == "first" else model.variable_count - 1
            return model.query(number, **options).exact if model.variable_count else {}
        return values_of(model.ask(question, **options))
    except lg.ZeroWeightError as error:
        return type(error).__name__


def values_of(answer: Any) -> Any:
    """What an exact answer says."""
    if isinstance(answer, lg.Marginals):
        return {name: answer[name].exact for name in answer}
    return answer.z if isinstance(answer, lg.Partition) else answer.weight


def answers(model: Any, methods: Sequence[str] = METHODS) -> dict[tuple[str, str], Any]:
    """The answers to all questions by some methods."""
    return {(q, m): answer_of(model, q, m) for q in QUESTIONS for m in methods}
