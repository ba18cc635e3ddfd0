"""CSV files are read as they are written, or refused with the line."""

from __future__ import annotations

import csv
import gzip
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from liftgraph import InputError, Source, learn
from liftgraph.data.csv_tables import read_csv

CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=4)


@given(st.lists(st.tuples(CELLS, CELLS), max_size=4))
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
) -> None:
    path = tmp_path_factory.mktemp("csv") / "table.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows([("a b", "Ä,."), *rows])
    expected = {"a b": [a or None for a, _ in rows], "Ä,.": [b or None for _, b in rows]}
    assert read_csv(path) == expected


def test_a_packed_file_teaches_exactly(tmp_path: Path) -> None:
    path = tmp_path / "table.csv.gz"
    path.write_bytes(gzip.compress("A,n\r\nx,0.1\n\ny,1e30\nx,0.2\n,7\n".encode("utf-8-sig")))
    learnt = learn([["A"]], Source(path, counts="n"))
    table = learnt.graph.factors[0].table
    assert [table.potential((state,)) for state in (0, 1)] == [Fraction(3, 10), 10**30]
    assert learnt.sources == {str(path): 4}
    assert learnt.factors[0].rows[0].skipped == 1


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "table.csv:1: expected the names of columns"),
        (b"a,a\n", "table.csv:1: expected different names for columns, got a, a"),
        (b"a,,\n", "table.csv:1: expected a name for column 2, got none"),
        (b",a\n0,x\n", r"table.csv:1: expected a name for column 1, .*index=False"),
        (b"\n", "table.csv:1: expected different names for columns"),
        (b"\x1f\x8b\x08", "table.csv:1: expected text, got gzipped data without .gz"),
        (b"a,b\n1,2\n\n1\n", "table.csv:4: expected 2 values, got 1"),
        (b"a,b\n1,2,3\n", "table.csv:2: expected 2 values, got 3"),
        (b'a\n"x', "table.csv:2: expected CSV, got unexpected end of data"),
        (b"a\n\xff\n", "table.csv:2:1: expected UTF-8"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path: Path, content: bytes, problem: str) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=problem) as error:
        learn([["a"]], Source(path))
    assert str(error.value).count("table.csv") == 1


def test_a_file_that_is_not_there_is_told() -> None:
    with pytest.raises(InputError, match=r"^nowhere\.csv: cannot be read"):
        learn([["a"]], Source("nowhere.csv"))
