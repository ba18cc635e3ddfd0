"""How much a search may cost: entries of tables that it looks at, never time."""

from __future__ import annotations

from liftgraph.errors import ComputationError

LEAST_COUNTED = 1 << 12  # entries: arrays take time however small they are
MOST_ENTRIES = 1 << 26  # what may be looked at for one table: about a second
FEWEST_STEPS = 64  # that are allowed however large the table is


def most_entries(size: int) -> int:
    """How many entries a search may look at for a table of this size."""
    return max(MOST_ENTRIES, FEWEST_STEPS * size)


class SearchGivenUpError(ComputationError):
    """A search for an order of arguments that would cost too much."""

    def __init__(
        self, message: str = "tables have too many orders of arguments: the search was given up"
    ) -> None:
        super().__init__(message)


class Budget:
    """The entries that a search may still look at.

    >>> budget = Budget(10_000)
    >>> budget.spend(9_000)
    >>> budget.spend(1)
    Traceback (most recent call last):
    liftgraph.symmetry.tables.budget.SearchGivenUpError: tables have too many orders of ...
    """

    def __init__(self, entries: int) -> None:
        self.left = entries

    def spend(self, entries: int) -> None:
        """Take from the budget what a step of the search looks at; refuse what it has not."""
        self.left -= max(entries, LEAST_COUNTED)
        if self.left < 0:
            raise SearchGivenUpError
