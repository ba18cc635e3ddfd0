"""Objects that show themselves in notebooks.

Models do not know how to draw themselves. The packages that draw them register here, and are
loaded when a notebook first shows something.
"""

from __future__ import annotations

from collections.abc import Callable

Drawing = Callable[[object], str | None]
_DRAWINGS: list[Drawing] = []
_LOADERS: list[Callable[[], object]] = []


def drawn_by(load: Callable[[], object]) -> None:
    """Name the module that draws objects; it is loaded when the first one is shown."""
    _LOADERS.append(load)


def register(drawing: Drawing) -> None:
    """Draw objects with this function: it returns SVG, or None for objects it does not draw."""
    _DRAWINGS.append(drawing)


class Pictured:
    """An object that notebooks show as a picture, if it can be drawn."""

    __slots__ = ()

    def _repr_svg_(self) -> str | None:
        for load in _LOADERS:  # importing again does nothing
            load()
        pictures = (drawing(self) for drawing in _DRAWINGS)
        return next((picture for picture in pictures if picture is not None), None)
