"""Counts of things and of bytes, as people read them, and what they may have meant."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from itertools import islice

_COMPARED = 20_000  # the most names that one is compared with letter by letter


def format_bytes(count: int) -> str:
    """A number of bytes, in the unit that suits it.

    >>> format_bytes(512), format_bytes(3 * 2**30 // 2), format_bytes(2**100)
    ('512 bytes', '1.5 GiB', '1.2e+18 TiB')
    """
    if count < 1024:
        return f"{count} byte{'s' * (count != 1)}"
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


def did_you_mean(text: str, names: Iterable[str], *, quote: bool = False) -> str:
    """What was probably meant, as the end of a message; nothing if no name is close.

    >>> did_you_mean("Qurey", ["query", "info"]), did_you_mean("nonsense", ["query", "info"])
    (' (did you mean query?)', '')
    """
    close = [repr(name) if quote else name for name in closest(text, names)]
    return f" (did you mean {' or '.join(close)}?)" if close else ""


def closest(text: str, names: Iterable[str]) -> list[str]:
    """The names that differ from a text only in capital letters, or else the most similar one.

    Dashes and dots at the beginning do not count: all options and suffixes have them.

    >>> closest("yes", ["Yes", "YES", "no"]), closest("Sik", ["Sick", "Epid"])
    (['Yes', 'YES'], ['Sick'])
    """
    folded: dict[str, list[str]] = {}
    for name in names:
        folded.setdefault(_folded(name), []).append(name)
    key = _folded(text)
    if key in folded:
        return folded[key]
    import difflib  # only errors need it

    similar = difflib.get_close_matches(key, [*islice(folded, _COMPARED)], n=1)
    return folded[similar[0]][:1] if similar else []


def _folded(name: str) -> str:
    return name.casefold().lstrip("-.")
