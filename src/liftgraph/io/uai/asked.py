"""UAI query files: the variables whose most probable joint state is asked for."""

from __future__ import annotations

from pathlib import Path

from liftgraph.io.allowance import Allowance
from liftgraph.io.files import END
from liftgraph.io.number_file import read_number_file
from liftgraph.model.memory_limit import MEMORY_LIMIT

_INDEX_COST = 40


def read_query(path: Path | str, variables: int, *, memory_limit: int = MEMORY_LIMIT) -> list[int]:
    """The indices of the variables that a file lists, after their number. ``variables``: how many
    there are in the model."""
    allowance = Allowance(str(path), memory_limit)
    numbers = read_number_file(path, allowance)
    count = numbers.integer(0, "the number of variables that are asked for")
    if numbers.count < 1 + count:
        raise numbers.unexpected(numbers.count, f"{count} variables")
    if numbers.count > 1 + count:
        raise numbers.unexpected(1 + count, END)
    allowance.take(_INDEX_COST * count, f"it asks for {count:,} variables")
    expected = f"a variable below {variables}"
    return [numbers.integer(place, expected, variables) for place in range(1, 1 + count)]
