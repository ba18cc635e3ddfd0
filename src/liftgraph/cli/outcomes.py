"""How a command ends: its exit status, and the line that says why it failed."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from signal import SIGINT, Signals

from liftgraph.cli.colours import ERROR
from liftgraph.cli.output import show_problem
from liftgraph.errors import ComputationError, LiftgraphError, reason

BAD_INPUT, NOT_COMPUTABLE, SIGNALLED = 2, 1, 128
_STOPPED = {"SIGINT": "interrupted", "SIGTERM": "terminated", "SIGHUP": "hung up"}


class Stopped(KeyboardInterrupt):
    """A signal that asks the command to stop; the arguments are hints for the user."""

    def __init__(self, signal: int) -> None:
        super().__init__()
        self.signal = signal


@dataclass(frozen=True, slots=True)
class Outcome:
    """``status``: as shells understand it. ``problem``: empty if there is nothing to say."""

    status: int = 0
    problem: str = ""


def outcome_of(error: BaseException) -> Outcome:
    """What an error means to the user. One that should not have happened is raised again.

    >>> outcome_of(KeyboardInterrupt("the same command continues"))
    Outcome(status=130, problem='interrupted: the same command continues')
    """
    match error:
        case SystemExit():
            return Outcome(error.code if isinstance(error.code, int) else 0)
        case KeyboardInterrupt():
            signal = error.signal if isinstance(error, Stopped) else int(SIGINT)
            words = [_STOPPED[Signals(signal).name], *map(str, error.args)]
            return Outcome(SIGNALLED + signal, ": ".join(words))
        case ComputationError():
            return Outcome(NOT_COMPUTABLE, str(error))
        case LiftgraphError():
            return Outcome(BAD_INPUT, str(error))
        case MemoryError():
            return Outcome(NOT_COMPUTABLE, "out of memory; --memory sets a lower limit")
        case BrokenPipeError():
            return Outcome()  # the reader of the output has seen enough
        case OSError():
            what = error.filename or "cannot write the answer"
            return Outcome(NOT_COMPUTABLE, f"{what}: {reason(error)}")
    raise error


def tell(outcome: Outcome) -> int:
    """Say on stderr, in one line, what went wrong; returns the exit status."""
    if outcome.problem:
        with suppress(OSError):  # then nobody can be told
            show_problem(outcome.problem, ERROR)
    return outcome.status
