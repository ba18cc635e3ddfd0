"""The command ``liftgraph`` starts here, before anything of the library is loaded.

Loading takes a moment, in which Ctrl-C is answered by a line, too. That is why this module stands
beside the library: importing any part of ``liftgraph`` loads some of it. What comes before this
module is Python's own start.
"""

import os
import sys

_INTERRUPTED = 130


def main() -> int:
    """Run the command; returns its exit status."""
    try:
        import signal

        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else it is ignored
            signal.signal(signal.SIGINT, _leave)
        _open_standard_descriptors()
        from liftgraph.cli.process import run
    except KeyboardInterrupt:
        _leave()
    return run()


def _leave(*_: object) -> None:
    """Nothing was begun that would have to be ended."""
    try:
        os.write(2, b"liftgraph: interrupted\n")
    finally:
        os._exit(_INTERRUPTED)


def _open_standard_descriptors() -> None:
    """Let nothing that is opened later take the place of closed output, and get what we print."""
    descriptor = os.open(os.devnull, os.O_RDWR)
    while descriptor <= 2:
        descriptor = os.open(os.devnull, os.O_RDWR)
    os.close(descriptor)


if __name__ == "__main__":
    sys.exit(main())
