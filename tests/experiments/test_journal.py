"""Journals: nothing measured is lost, and nothing else is believed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import liftgraph as lg
from liftgraph.experiments.journal import opened

HEADER: dict[str, object] = {"study": "paper"}
COLUMNS = ("family", "d", "t")


def test_a_journal_keeps_cells_and_drops_a_torn_line(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    rows = [{"family": "epid", "d": 2, "t": 0.1}]
    with opened(path, HEADER, COLUMNS) as journal:
        journal.add(("epid", 2), rows)
    whole = path.read_bytes()
    header, line = whole.splitlines(keepends=True)
    for length in range(len(line)):  # stopped in the middle of the next cell
        path.write_bytes(whole + line[:length])
        with opened(path, HEADER, COLUMNS) as journal:
            assert journal.cells == {("epid", 2): rows}
        assert path.read_bytes() == whole
    for length in range(len(header)):  # stopped before the header was whole
        path.write_bytes(header[:length])
        with opened(path, HEADER, COLUMNS) as journal:
            assert journal.cells == {}
            journal.add(("epid", 2), rows)
        assert path.read_bytes() == whole


def test_a_journal_of_something_else_is_not_continued(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    with opened(path, {"study": "paper", "seed": 1}, COLUMNS):
        pass
    with (
        pytest.raises(lg.InputError, match=r"has seed 1, this run 2; choose another folder"),
        opened(path, {"study": "paper", "seed": 2}, COLUMNS),
    ):
        pass


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("[1]\n", ":1: expected the study and its settings"),
        ("nonsense\n", ":1: expected a line of JSON"),
        ("a text without an end", ":1: expected a line of a journal"),
        ("header\nsomething", ":2: expected a line of a journal"),
        ("header\n\x00\n", ":2: expected a line of JSON"),
        ("header\n" + "[" * 10**5 + "\n", ":2: expected a line of JSON"),
        *[
            (f"header\n{line}\n", ":2: expected a cell and its rows")
            for line in (
                '{"cell": 3}',
                '{"cell": "epid", "rows": []}',
                '{"cell": ["epid", 2], "rows": []}',
                '{"cell": ["epid", 2], "rows": "rows"}',
                '{"cell": ["epid", 2], "rows": [1]}',
                '{"cell": ["epid", 2], "rows": [{"family": "epid", "d": 2}]}',
                '{"cell": ["epid", 2], "rows": [{"family": "epid", "d": 2, "t": 1, "u": 1}]}',
                '{"cell": ["epid", 2], "rows": [{"family": "epid", "d": 4, "t": 1}]}',
                '{"cell": ["epid", [2]], "rows": [{"family": "epid", "d": [2], "t": 1}]}',
            )
        ],
    ],
)
def test_a_file_that_is_no_journal_is_refused(tmp_path: Path, content: str, problem: str) -> None:
    path = tmp_path / "journal.jsonl"
    content = content.replace("header", json.dumps(HEADER))
    path.write_text(content)
    with pytest.raises(lg.ParseError) as raised, opened(path, HEADER, COLUMNS):
        pass
    assert str(raised.value) == f"{path}{problem}"
    assert path.read_text() == content


def test_two_runs_do_not_write_one_journal(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    with (
        opened(path, HEADER, COLUMNS),
        pytest.raises(lg.InputError, match="is being written by another run"),
        opened(path, HEADER, COLUMNS),
    ):
        pass


def test_a_journal_with_more_or_less_in_its_header_is_not_continued(tmp_path: Path) -> None:
    headers = [HEADER, {"study": "paper", "seed": 1}]
    for index, (first, second) in enumerate([headers, headers[::-1]]):
        path = tmp_path / str(index)
        with opened(path, first, COLUMNS):
            pass
        with pytest.raises(lg.InputError, match="seed"), opened(path, second, COLUMNS):
            pass
