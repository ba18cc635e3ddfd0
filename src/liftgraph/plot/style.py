"""How all pictures look: colours that everybody can tell apart, and files that change only if
what they show changes."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from threading import Lock
from typing import Any

from liftgraph.errors import InputError

BLUE, ORANGE, GREEN, GREY, PURPLE = "#0072b2", "#d55e00", "#009e73", "#777777", "#a05195"
AMBER, PINK, SKY, INK, PAPER = "#f0b400", "#cc79a7", "#56b4e9", "#22272e", "#ffffff"
PALETTE = (
    BLUE,
    ORANGE,
    GREEN,
    AMBER,
    PINK,
    SKY,
)  # of groups; if there are more, groups have numbers too
FORMATS = ("svg", "png")
STYLE: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "figure.facecolor": "white",
    "savefig.dpi": 144,
    "svg.hashsalt": "liftgraph",  # ids in the file depend on it
}
# On dark pages the lightness of all colours is turned around, and hues stay (CSS Filter Effects 1):
# a picture that is a file of its own follows what its page prefers, one within a page its theme.
_DARK = "{filter: invert(0.92) hue-rotate(180deg)}"
_DARK_PAGES = (
    "body[data-theme=dark]",
    "html[data-theme=dark]",
    "body[data-jp-theme-light=false]",
    "body.vscode-dark",
)
_ADAPTIVE = "".join(
    [
        f"@media (prefers-color-scheme: dark) {{svg.liftgraph:root {_DARK}}} ",
        ", ".join(f"{page} svg.liftgraph" for page in _DARK_PAGES),
        f" {_DARK}",
    ]
)
_SETTINGS = Lock()  # matplotlib has one set of settings for all threads


def check_installed(what: str) -> None:
    """Refuse before anything else is done if matplotlib cannot be loaded.

    ``what``: what needs it, in the plural.
    """
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise InputError(f"{what} need matplotlib: pip install 'liftgraph[plot]'") from None
    except (OSError, ValueError) as error:  # it has no place for its files, or odd settings
        raise InputError(f"matplotlib cannot be loaded: {error}") from None


@contextmanager
def settings(style: Any) -> Iterator[None]:
    """Draw with these settings instead of the user's own, which are restored afterwards."""
    import matplotlib

    with _SETTINGS, matplotlib.rc_context(), warnings.catch_warnings():
        # Letters missing from the font are boxes in PNG; viewers of SVG take them from other fonts.
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(style)
        yield


def metadata(suffix: str) -> dict[str, Any]:
    """The metadata of a file, without the date, so that the same picture is the same file."""
    names = {"svg": ["Date"], "pdf": ["CreationDate", "Creator", "Producer"]}
    return dict.fromkeys(names.get(suffix, ["Software"]))


def adaptive(svg: str, words: str = "", details: str = "") -> str:
    """An SVG of matplotlib that is at most as wide as its page, dark on dark pages, and read aloud
    as these words, and as the details if a reader asks for them.

    >>> adaptive('<svg width="9pt">', "a < b").partition(" style")[0]
    '<svg width="9pt" class="liftgraph" role="img" aria-label="a &lt; b"'
    """
    start, tag, rest = svg.partition("<svg ")
    attributes, _, inside = rest.partition(">")
    spoken = f' role="img" aria-label="{escape(words)}"' if words else ""
    shrinking = 'style="max-width: 100%; height: auto"'
    opened = f'{start}{tag}{attributes} class="liftgraph"{spoken} {shrinking}>'
    described = f"\n <desc>{escape(details)}</desc>" if details else ""
    return f"{opened}\n <style>{_ADAPTIVE}</style>{described}{inside}"


def tint(colour: str, share: float) -> str:
    """A colour mixed with white; ``share`` is the share of the colour.

    >>> tint("#000000", 0.5), tint("#0072b2", 1.0)
    ('#808080', '#0072b2')
    """
    mixed = (255 - share * (255 - channel) for channel in _channels(colour))
    return "#" + "".join(f"{round(channel):02x}" for channel in mixed)


def _channels(colour: str) -> list[int]:
    """Red, green and blue, from 0 to 255."""
    return [int(colour[start : start + 2], 16) for start in (1, 3, 5)]


def ink_on(colour: str) -> str:
    """Black or white, whichever is easier to read on a colour (relative luminance, WCAG 2)."""
    red, green, blue = (_linear(channel / 255) for channel in _channels(colour))
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return INK if luminance > 0.2 else PAPER


def _linear(channel: float) -> float:
    """The linear light of a channel of sRGB, both from 0 to 1."""
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
