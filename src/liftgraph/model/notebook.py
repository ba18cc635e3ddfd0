"""Objects that show themselves in notebooks.

This is the one place where models know of pictures, which are loaded when one is first shown.
"""

from __future__ import annotations


class Pictured:
    """Whatever notebooks show as a picture, if it can be drawn."""

    __slots__ = ()

    def _repr_svg_(self) -> str | None:
        from liftgraph.plot.draw import notebook_svg

        return notebook_svg(self)
