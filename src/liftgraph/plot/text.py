"""Text in pictures: which characters a file can hold, and how much room text takes."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

FONT_SIZE, SMALL_FONT = 9.0, 7.5  # points
LINE_SPACING = 1.3  # from line to line, in font sizes
_LONGEST_NAME = 26  # characters
_NARROW, _WIDE = set("iljtfrI.,:;'|!()[]/ "), set("mwMW@%&—…")
_OVERRIDES = {*range(0x202A, 0x202F), *range(0x2066, 0x206A)}  # change the direction of writing


def plain(text: str) -> str:
    """A text on one line that any file can hold: control characters become visible.

    >>> plain("a\\nb\\x00")
    'a↵b\ufffd'
    """
    return text if text.isprintable() else "".join(map(_visible, text))


def _visible(character: str) -> str:
    if character == "\n":
        return "↵"
    hidden = unicodedata.category(character) in ("Cc", "Cs", "Cn", "Co", "Zl", "Zp")
    return "\ufffd" if hidden or ord(character) in _OVERRIDES else character


def abbreviated(name: str, longest: int = _LONGEST_NAME) -> str:
    """A name as it is shown; a long one loses its middle, since the ends tell names apart.

    >>> abbreviated("Treat.alice.m1"), abbreviated("x" * 40 + "17", 10)
    ('Treat.alice.m1', 'xxxxx…xx17')
    """
    shown = plain(name[: 4 * longest] + name[-longest:] if len(name) > 5 * longest else name)
    if len(shown) <= longest:
        return shown
    tail = longest // 2 - 1
    return f"{shown[: longest - tail - 1]}…{shown[-tail:]}"


def text_width(text: str, size: float = FONT_SIZE) -> float:
    """The approximate width of a line in points; hardly ever too small.

    >>> text_width("W") > text_width("n") > text_width("i") > 0
    True
    """
    return size * sum(map(_relative_width, text))


def _relative_width(character: str) -> float:
    if character in _NARROW:
        return 0.42
    if character in _WIDE or unicodedata.east_asian_width(character) in "WF":
        return 1.05
    if unicodedata.combining(character):
        return 0.0
    return 0.76 if character.isupper() else 0.64


def wrapped(text: str, width: float, size: float = SMALL_FONT) -> Iterator[str]:
    """The lines of a text, broken at spaces so that they are at most ``width`` points wide.

    >>> list(wrapped("one two three", 45.0))
    ['one two', 'three']
    """
    line = ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line else word
        if line and text_width(longer, size) > width:
            yield line
            longer = word
        line = longer
    yield line
