"""Text in pictures: what may stand in a file, and how much room it takes."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

SIZE, SMALL = 9.0, 7.5  # of letters, in points
LINE = 1.3  # from line to line, in sizes of letters
_LONGEST = 26  # letters of a name; the middle of longer ones is left out
_NARROW, _BROAD = set("iljtfrI.,:;'|!()[]/ "), set("mwMW@%&—…")
_OVERRIDES = {*range(0x202A, 0x202F), *range(0x2066, 0x206A)}  # they turn what follows around


def plain(text: str) -> str:
    """A text on one line that any file can keep: control characters become visible.

    >>> plain("a\\nb\\x00")
    'a↵b\ufffd'
    """
    return text if text.isprintable() else "".join(map(_visible, text))


def _visible(letter: str) -> str:
    if letter == "\n":
        return "↵"
    hidden = unicodedata.category(letter) in ("Cc", "Cs", "Cn", "Co", "Zl", "Zp")
    return "\ufffd" if hidden or ord(letter) in _OVERRIDES else letter


def shortened(name: str, longest: int = _LONGEST) -> str:
    """A name as it is shown; the middle of a long one is left out, since ends tell names apart.

    >>> shortened("Treat.alice.m1"), shortened("x" * 40 + "17", 10)
    ('Treat.alice.m1', 'xxxxx…xx17')
    """
    shown = plain(name[: 4 * longest] + name[-longest:] if len(name) > 5 * longest else name)
    if len(shown) <= longest:
        return shown
    tail = longest // 2 - 1
    return f"{shown[: longest - tail - 1]}…{shown[-tail:]}"


def width(text: str, size: float = SIZE) -> float:
    """About how broad a line is, in points; never much less than it is.

    >>> width("W") > width("n") > width("i") > 0
    True
    """
    return size * sum(map(_share, text))


def _share(letter: str) -> float:
    if letter in _NARROW:
        return 0.42
    if letter in _BROAD or unicodedata.east_asian_width(letter) in "WF":
        return 1.05
    if unicodedata.combining(letter):
        return 0.0
    return 0.76 if letter.isupper() else 0.64


def lines(text: str, broad: float, size: float = SMALL) -> Iterator[str]:
    """A text in lines that are no broader than so many points, broken at spaces.

    >>> list(lines("one two three", 45.0))
    ['one two', 'three']
    """
    line = ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line else word
        if line and width(longer, size) > broad:
            yield line
            longer = word
        line = longer
    yield line
