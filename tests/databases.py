"""Rows that come as the cursor of an SQL query; their database is closed when tests end."""

from __future__ import annotations

import atexit
import sqlite3
from collections.abc import Mapping, Sequence
from itertools import count

DATABASE = sqlite3.connect(":memory:")
atexit.register(DATABASE.close)
_table_indices = count()


def cursor_of(columns: Mapping[str, Sequence[object]]) -> sqlite3.Cursor:
    """The cursor of a query that returns these columns, in the order of their rows."""
    table = f"table_{next(_table_indices)}"
    DATABASE.execute(f"create table {table} ({', '.join(columns)})")
    places = ", ".join("?" for _ in columns)
    rows = zip(*columns.values(), strict=True)
    DATABASE.executemany(f"insert into {table} values ({places})", rows)
    return DATABASE.execute(f"select * from {table} order by rowid")
