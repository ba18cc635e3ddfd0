"""Evidence in JSON and CSV files: variables and their observed states, by name.

A JSON file is an object: ``{"Epid": "true", "Sick.bob": false}``. Instead of a state, it may have a
likelihood: numbers for all states, in a list or by state. A CSV file has the columns
``variable`` and ``state`` and a row for each observation, or a column for each variable and a
single row. What is missing (``null``, an empty cell of the single row) was not observed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from liftgraph.data.csv_tables import csv_lines
from liftgraph.errors import ParseError
from liftgraph.io.allowance import Allowance
from liftgraph.io.files import read_text
from liftgraph.io.json.text import BYTE_COST, decode, take_values
from liftgraph.model.memory_limit import MEMORY_LIMIT

COLUMNS = ["variable", "state"]
Written = str | list[Any] | dict[str, Any]  # a state, or numbers for all states


@dataclass(frozen=True, slots=True)
class Observation:
    """A variable, its observed state or likelihood, and its line in the file, if known."""

    variable: str
    state: Written
    line: int | None


def is_evidence_file(path: Path | str) -> bool:
    """Whether a name says JSON or CSV.

    >>> is_evidence_file("some.JSON.gz"), is_evidence_file("model.evid")
    (True, False)
    """
    return str(path).lower().removesuffix(".gz").endswith((".json", ".csv"))


def read_observations(
    path: Path | str, *, memory_limit: int = MEMORY_LIMIT
) -> Iterator[Observation]:
    """The observations in a file whose name says JSON or CSV, in their order."""
    packed_name = str(path).lower().removesuffix(".gz")
    read = _from_json if packed_name.endswith(".json") else _from_csv
    return read(path, memory_limit)


def _from_json(path: Path | str, memory_limit: int) -> Iterator[Observation]:
    allowance = Allowance(str(path), memory_limit)
    text = read_text(path, allowance, BYTE_COST)
    take_values(allowance, text)
    decoded = decode(path, text, dict[str, object])
    exact = json.loads(text, parse_float=str)  # numbers as they are written, not as floats
    for variable, value in decoded.items():
        if value is None:
            continue
        line = _line_of(variable, text)
        if isinstance(value, list | dict):
            yield Observation(variable, exact[variable], line)
            continue
        if not isinstance(value, str | bool | int):
            problem = f"expected a state of {variable}, got {json.dumps(value)}"
            raise ParseError(str(path), line, problem)
        yield Observation(variable, value if isinstance(value, str) else json.dumps(value), line)


def _line_of(key: str, text: str) -> int | None:
    """The line of a key, unless it is spelt with escapes that it does not need."""
    spellings = {
        re.escape(json.dumps(key, ensure_ascii=ascii_only)) for ascii_only in (True, False)
    }
    place = re.search(rf"(?:{'|'.join(spellings)})\s*:", text)
    return None if place is None else text.count("\n", 0, place.start()) + 1


def _from_csv(path: Path | str, memory_limit: int) -> Iterator[Observation]:
    _, header = next(lines := csv_lines(path, memory_limit))
    if header == COLUMNS:
        for line, (variable, state) in lines:
            if not variable or not state:
                came = f"{variable or 'none'} and {state or 'none'}"
                raise ParseError(str(path), line, f"expected a variable and its state, got {came}")
            yield Observation(variable, state, line)
        return
    row = next(lines, None)
    if row is None:
        raise ParseError(str(path), 2, "expected a row of states, got the end of the file")
    for variable, state in zip(header, row[1], strict=True):
        if state:
            yield Observation(variable, state, row[0])
    for line, _ in lines:
        expected = f"one row of states, or the columns {' and '.join(COLUMNS)}"
        raise ParseError(str(path), line, f"expected {expected}, got another row")
