"""Which seeds were tried in each area, kept in a file, so that a later run goes on from there."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

FILE = "journal.json"


@dataclass(slots=True)
class Record:
    """What was done in an area. ``ranges``: seeds, from first to before last, in order.

    ``causes``: those of the failures, with the first seed of each.
    """

    ranges: list[list[int]] = field(default_factory=list)
    tried: int = 0
    failed: int = 0
    seconds: float = 0.0
    causes: dict[str, int] = field(default_factory=dict)

    def add(self, seed: int) -> None:
        """Note that a seed was tried.

        >>> record = Record([[0, 3], [4, 6]])
        >>> record.add(3); record.ranges
        [[0, 6]]
        """
        merged: list[list[int]] = []
        for first, last in sorted([*self.ranges, [seed, seed + 1]]):
            if merged and first <= merged[-1][1]:
                merged[-1][1] = max(last, merged[-1][1])
            else:
                merged.append([first, last])
        self.ranges = merged

    def next_seed(self, start: int, running: set[int]) -> int:
        """The first seed from ``start`` on that was not tried and is not being tried."""
        while start in running or self._tried_up_to(start) > start:
            start = start + 1 if start in running else self._tried_up_to(start)
        return start

    def _tried_up_to(self, seed: int) -> int:
        """The end of the range that a seed is in; the seed itself if it was not tried."""
        return next((last for first, last in self.ranges if first <= seed < last), seed)


def load(folder: Path) -> dict[str, Record]:
    """The records of earlier runs, by area."""
    try:
        document = json.loads((folder / FILE).read_text())
    except (FileNotFoundError, ValueError):  # none yet, or only half of one
        return {}
    return {name: Record(**record) for name, record in document.items()}


def save(records: dict[str, Record], folder: Path) -> None:
    """Write the records; whoever reads them meanwhile sees the old ones or the new ones."""
    folder.mkdir(parents=True, exist_ok=True)
    names = Record.__slots__
    document = {
        area: {name: getattr(record, name) for name in names} for area, record in records.items()
    }
    partial = folder / f"{FILE}.new"
    partial.write_text(json.dumps(document, indent=1))
    partial.replace(folder / FILE)
