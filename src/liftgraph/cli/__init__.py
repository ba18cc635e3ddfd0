"""The command ``liftgraph``.

``main`` reads the command line with ``parser`` and turns errors into one line and an exit status.
Each command has a file with its options, its actions and its output: ``info``, ``questions``,
``lifting``, ``converting``, ``learning``, ``pictures``, ``trade_off``, ``experiments``. They share
``options``, ``evidence`` (what was observed), ``answers`` and ``output`` (how it is printed) and
``progress`` (a bar in the terminal).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress

from liftgraph.errors import ComputationError, LiftgraphError

BAD_INPUT, NOT_COMPUTABLE, INTERRUPTED = 2, 1, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status. Errors go to stderr in one line."""
    sys.set_int_max_str_digits(0)  # exact answers may have very many digits
    _prepare_streams()
    try:
        from liftgraph.cli.parser import make_parser, one_event_each  # loading can be interrupted

        spelt = one_event_each(sys.argv[1:] if arguments is None else arguments)
        options = make_parser().parse_args(spelt)
        options.run(options)
        sys.stdout.flush()
    except LiftgraphError as error:
        status = NOT_COMPUTABLE if isinstance(error, ComputationError) else BAD_INPUT
        return _failed(str(error).replace("\n", "\\n"), status)  # names may have line breaks
    except MemoryError:
        return _failed("out of memory; --memory sets a lower limit", NOT_COMPUTABLE)
    except KeyboardInterrupt as hint:
        return _failed(": ".join(["interrupted", *map(str, hint.args)]), INTERRUPTED)
    except BrokenPipeError:  # the reader of the output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _failed(f"cannot write the answer: {error.strerror}", NOT_COMPUTABLE)
    return 0


def _prepare_streams() -> None:
    """Make streams safe: closed ones swallow text, and unknown characters become question marks."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w"))
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _failed(problem: str, status: int) -> int:
    with suppress(OSError):
        print(f"liftgraph: {problem}", file=sys.stderr, flush=True)
    return status
