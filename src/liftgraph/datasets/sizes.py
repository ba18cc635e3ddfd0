"""How large a generated model may be."""

from __future__ import annotations

from math import inf

from liftgraph.errors import InputError, quoted
from liftgraph.model.ground.names import is_count


def checked_size(what: str, size: int, least: int, most: float = inf) -> int:
    """A size as a plain integer. Anything else, or a size out of bounds, is refused."""
    if not is_count(size) or not least <= size <= most:
        limit = (
            f"a number of at least {least}" if most == inf else f"a number from {least} to {most}"
        )
        raise InputError(f"{what}: expected {limit}, got {quoted(size)}")
    return int(size)
