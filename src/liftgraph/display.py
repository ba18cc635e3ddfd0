"""Counts of things and of bytes, as people read them, and what they may have meant."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction


def format_bytes(count: int) -> str:
    """A number of bytes, in the unit that suits it.

    >>> format_bytes(512), format_bytes(3 * 2**30 // 2), format_bytes(2**100)
    ('512 bytes', '1.5 GiB', '1.2e+18 TiB')
    """
    if count < 1024:
        return f"{count} bytes"
    power = min((count.bit_length() - 1) // 10, 4)
    size = Fraction(count, 1024**power)
    shown = f"{float(size):.1f}" if size < 10_000 else format_count(int(size))
    return f"{shown} {('KiB', 'MiB', 'GiB', 'TiB')[power - 1]}"


def format_count(count: int) -> str:
    """A whole number with separators, or its magnitude if it is very large.

    >>> format_count(1234567), format_count(2**4000)
    ('1,234,567', '1.3e+1204')
    """
    return f"{count:,}" if count <= 10**12 else f"{Decimal(count):.1e}"


def counted(count: int, noun: str) -> str:
    """A number of things.

    >>> counted(1, "variable"), counted(2000, "factor"), counted(0, "entry")
    ('1 variable', '2,000 factors', '0 entries')
    """
    plural = f"{noun[:-1]}ies" if noun.endswith("ry") else f"{noun}s"
    return f"{format_count(count)} {noun if count == 1 else plural}"


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """A question that suggests the closest of these names, ignoring case and the dashes or dots
    that all begin with; empty if none is close.

    >>> did_you_mean("Qurey", ["query", "info"]), did_you_mean("nonsense", ["query", "info"])
    (' (did you mean query?)', '')
    """
    import difflib  # only errors need it

    spelt = {other.casefold().lstrip("-."): other for other in names}
    close = difflib.get_close_matches(name.casefold().lstrip("-."), spelt, n=1)
    return f" (did you mean {spelt[close[0]]}?)" if close else ""
