"""A picture: shown by notebooks, stored as SVG, PNG, PDF or TikZ."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from liftgraph.errors import InputError
from liftgraph.io.writing import write_bytes
from liftgraph.plot.render import rendered
from liftgraph.plot.scene import Scene
from liftgraph.plot.tikz import tikz

_FORMS = {"svg": "svg", "png": "png", "pdf": "pdf", "tex": "tikz", "tikz": "tikz"}  # by suffixes


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

    @cached_property
    def pdf(self) -> bytes:
        """The picture as PDF; labels are text in it."""
        return rendered(self.scene, "pdf")

    @cached_property
    def tikz(self) -> str:
        """The picture as a ``tikzpicture`` of LaTeX, which needs the package tikz only.

        The caption is a comment in it.
        """
        return tikz(self.scene)

    def save(self, path: Path | str) -> Path:
        """Store it by the suffix of the path: .svg, .png, .pdf, or .tex or .tikz for TikZ."""
        form = _FORMS[checked_suffix(path)]
        content = getattr(self, form)
        write_bytes(path, content.encode() if isinstance(content, str) else content)
        return Path(path)

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        words = self.caption or next((text.text for text in self.scene.texts), "")
        return f"Picture({words})"


def checked_suffix(path: object) -> str:
    """The suffix of a picture's path, if it is one of a format: svg, png, pdf, tex or tikz."""
    suffix = Path(path).suffix.lower().removeprefix(".") if isinstance(path, str | Path) else ""
    if suffix not in _FORMS:
        *suffixes, last = (f".{name}" for name in _FORMS)
        expected = f"{', '.join(suffixes)} or {last}"
        raise InputError(f"{path}: expected a picture's name to end in {expected}")
    return suffix
