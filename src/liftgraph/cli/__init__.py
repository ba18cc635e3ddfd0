"""The command ``liftgraph``."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from liftgraph.cli.parser import make_parser
from liftgraph.errors import ComputationError, LiftgraphError

BAD_INPUT, NOT_COMPUTABLE, INTERRUPTED = 2, 1, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status. Errors go to stderr in one line."""
    sys.set_int_max_str_digits(0)  # exact answers may have very many digits
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    options = make_parser().parse_args(arguments)
    try:
        options.run(options)
        sys.stdout.flush()
    except LiftgraphError as error:
        print(f"liftgraph: {error}", file=sys.stderr)
        return NOT_COMPUTABLE if isinstance(error, ComputationError) else BAD_INPUT
    except MemoryError:
        print("liftgraph: out of memory; --memory sets a lower limit", file=sys.stderr)
        return NOT_COMPUTABLE
    except KeyboardInterrupt:
        print("liftgraph: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # whoever read the output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
