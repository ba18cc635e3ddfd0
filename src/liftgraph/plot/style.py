"""How all pictures look: colours that everybody can tell apart, and files that do not change
unless what they show does."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from liftgraph.errors import InputError

BLUE, ORANGE, GREEN, GREY, PURPLE = "#0072b2", "#d55e00", "#009e73", "#777777", "#a05195"
AMBER, PINK, SKY, INK, PAPER = "#f0b400", "#cc79a7", "#56b4e9", "#22272e", "#ffffff"
PALETTE = (BLUE, ORANGE, GREEN, AMBER, PINK, SKY)  # of groups; more of them have numbers, too
FORMATS = ("svg", "png")
STYLE: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "figure.facecolor": "white",
    "savefig.dpi": 144,
    "svg.hashsalt": "liftgraph",  # ids in the file depend on it
}
_SETTINGS = Lock()  # matplotlib has one set of them for all threads


def check_installed(what: str) -> None:
    """Refuse before anything else is done if this could not be drawn."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise InputError(f"{what} need matplotlib: pip install 'liftgraph[plot]'") from None
    except ValueError as error:  # what its environment variables say makes no sense
        raise InputError(f"matplotlib cannot be loaded: {error}") from None


@contextmanager
def settings(style: Any) -> Iterator[None]:
    """Draw with these settings, whatever taste the user's own have, which come back afterwards."""
    import matplotlib

    with _SETTINGS, matplotlib.rc_context(), warnings.catch_warnings():
        # Letters that the font lacks are boxes in PNG; viewers of SVG take them from other fonts.
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(style)
        yield


def metadata(suffix: str) -> dict[str, Any]:
    """What files say of themselves: not when they were made."""
    return {"Date": None} if suffix == "svg" else {"Software": None}


def tint(colour: str, share: float) -> str:
    """A colour mixed with white: so much of it.

    >>> tint("#000000", 0.5), tint("#0072b2", 1.0)
    ('#808080', '#0072b2')
    """
    parts = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return "#" + "".join(f"{round(255 - share * (255 - part)):02x}" for part in parts)


def ink_on(colour: str) -> str:
    """Black or white, whichever is easier to read on a colour (relative luminance, WCAG 2)."""
    parts = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return INK if luminance > 0.2 else PAPER
