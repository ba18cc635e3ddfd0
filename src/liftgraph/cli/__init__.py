"""The command ``liftgraph``.

``main`` reads the command line with ``parser`` and runs the command; ``outcomes`` turns errors into
one line and an exit status. ``process`` answers signals. Each command has a file with its options,
its actions and its output: ``info``, ``questions``, ``sampling``, ``prediction``, ``lifting``,
``converting``, ``learning``, ``pictures``, ``trade_off``, ``experiments``, ``completion``,
``demo``. They share ``options``, ``reading`` (models and tables), ``evidence`` (what was observed),
``answers``, ``output`` and ``colours`` (how it is printed) and ``progress`` (a bar in the
terminal).
"""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Sequence

from liftgraph.cli.outcomes import Outcome, outcome_of, tell


class _Closed(io.StringIO):
    """A stream that nobody reads."""

    def write(self, _: str) -> int:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status. Errors go to stderr in one line."""
    return tell(outcome(sys.argv[1:] if arguments is None else arguments))


def outcome(arguments: Sequence[str]) -> Outcome:
    """Run the command, without a word on how it ended."""
    try:
        sys.set_int_max_str_digits(0)  # exact answers may have very many digits
        _prepare_streams()
        from liftgraph.cli.parser import make_parser, one_event_each  # loading can be interrupted

        options = make_parser(arguments).parse_args(one_event_each(arguments))
        options.run(options)
        sys.stdout.flush()
    except BaseException as error:
        return outcome_of(error)
    return Outcome()


def _prepare_streams() -> None:
    """Make streams safe: what is printed to a closed stdout is lost, which is an error; a closed
    stderr swallows text; unknown characters become question marks."""
    if sys.stdout is None:
        sys.stdout = _Closed()
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
