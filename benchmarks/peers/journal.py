"""The results so far, a JSON object a line, so that an interrupted run continues."""

from __future__ import annotations

import json
from pathlib import Path

from measuring import Limits, Record

from liftgraph.io.writing import write_bytes

Key = tuple[str, str, int]  # family, package, size


class Journal:
    """The records of runs under the same limits."""

    def __init__(self, path: Path, limits: Limits) -> None:
        self.limits = limits
        self.records: dict[Key, Record] = {}
        self._path = path
        lines = path.read_text().splitlines(keepends=True) if path.exists() else []
        whole = [line for line in lines if line.endswith("\n")]
        if len(whole) < len(lines):  # the last run was stopped in the middle of a line
            write_bytes(path, "".join(whole).encode())
        for line in whole:
            record: Record = json.loads(line)
            if record["limits"] == list(limits):
                self.records[record["family"], record["package"], record["size"]] = record

    def add(self, key: Key, record: Record) -> None:
        """Keep a record, in the file too."""
        family, package, size = key
        whole = {"family": family, "package": package, "size": size, "limits": self.limits}
        self.records[key] = whole | record
        with self._path.open("a") as file:
            file.write(json.dumps(self.records[key]) + "\n")
