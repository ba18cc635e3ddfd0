"""A picture: shown by notebooks, stored as SVG or PNG."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from liftgraph.errors import InputError
from liftgraph.io.writing import write_bytes
from liftgraph.plot.render import rendered
from liftgraph.plot.scene import Scene
from liftgraph.plot.style import FORMATS


@dataclass(frozen=True, repr=False)
class Picture:
    """A scene as a picture, with a caption which says what it shows."""

    scene: Scene

    @property
    def caption(self) -> str:
        """What it shows, in words."""
        return self.scene.caption

    @cached_property
    def svg(self) -> str:
        """The picture as SVG; labels are text in it."""
        return rendered(self.scene, "svg").decode()

    @cached_property
    def png(self) -> bytes:
        """The picture as PNG, with 144 dots per inch."""
        return rendered(self.scene, "png")

    def save(self, path: Path | str) -> Path:
        """Store it as SVG or PNG, by the suffix of the path."""
        suffix = checked_suffix(path)
        write_bytes(path, self.svg.encode() if suffix == "svg" else self.png)
        return Path(path)

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        words = self.caption or next((text.text for text in self.scene.texts), "")
        return f"Picture({words})"


def checked_suffix(path: object) -> str:
    """The format of a picture, by the suffix of its path: ``svg`` or ``png``."""
    suffix = Path(path).suffix.lower().removeprefix(".") if isinstance(path, str | Path) else ""
    if suffix not in FORMATS:
        raise InputError(f"{path}: expected a picture's name to end in .svg or .png")
    return suffix
