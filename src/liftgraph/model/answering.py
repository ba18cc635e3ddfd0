"""Which functions answer which questions.

Models do not know inference. The packages that answer questions register here (``register``), and
are loaded when a question is first asked (``answered_by``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from liftgraph.errors import InputError, quoted

_ANSWERS: dict[str, Callable[..., Any]] = {}
_LOADERS: list[tuple[Callable[[], object], tuple[str, ...]]] = []


def answered_by(load: Callable[[], object], *only: str) -> None:
    """Name the module that answers questions; it is loaded when the first one is asked.

    ``only``: the questions that it answers, if it need not be loaded for others.
    """
    _LOADERS.append((load, only))


def register(**answers: Callable[..., Any]) -> None:
    """Register functions that answer questions, by name; the model is their first argument."""
    _ANSWERS.update(answers)


def answer_to(question: str) -> Callable[..., Any]:
    """The function that answers a question; the model is its first argument."""
    if not isinstance(question, str):
        raise InputError(f"expected the name of a question, got {quoted(question)}")
    for load, only in _LOADERS:
        if question not in _ANSWERS and (not only or question in only):
            load()  # importing again does nothing, and waits for another thread's import
    if question not in _ANSWERS:
        raise InputError(f"expected a question ({', '.join(sorted(_ANSWERS))}), got {question}")
    return _ANSWERS[question]
