"""Checks the pages of the built site: ``python docs/check_site.py build/site``.

Every page has a title and no markup left in its text, and every link within the site leads to an
existing place on an existing page.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_VERBATIM = {"pre", "code", "script", "style"}
_MARKUP = re.compile(r"\{[\w:-]+\}`|\*\*|``|\$\$|^:::|^```|\]\(|\|--", flags=re.MULTILINE)


@dataclass
class Page(HTMLParser):
    """A page: its title, ids and links, and its text without code, formulas and signatures."""

    path: Path
    title: str = ""
    text: str = ""
    ids: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    _open: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self.ids |= {attributes[name] for name in ("id", "name") if name in attributes}
        self.links += [attributes[name] for name in ("href", "src") if name in attributes]
        classes = set(attributes.get("class", "").split())
        verbatim = tag in _VERBATIM or {"math", "sig"} & classes
        if tag == "title" or verbatim or (self._open and tag == self._open[0]):
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._open and tag == self._open[-1]:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if self._open[:1] == ["title"]:
            self.title += data
        elif not self._open:
            self.text += data


def problems(page: Page, ids: dict[Path, set[str]]) -> Iterator[str]:
    """What is wrong with a page of the site."""
    if not page.title.strip():
        yield "no title"
    for markup in _MARKUP.finditer(page.text):
        start = max(markup.start() - 20, 0)
        yield f"markup in the text: {page.text[start : markup.end() + 20]!r}"
    for link in page.links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = (page.path.parent / unquote(parts.path)).resolve() if parts.path else page.path
        if not target.exists():
            yield f"no file for the link {link}"
        elif parts.fragment and target in ids and unquote(parts.fragment) not in ids[target]:
            yield f"no such place on the page: {link}"


def main(folder: str) -> int:
    """Print what is wrong with the site, and return the exit status."""
    pages = [Page(path.resolve()) for path in sorted(Path(folder).rglob("*.html"))]
    ids = {page.path: {*page.ids, "top"} for page in pages}
    listed = [f"{page.path}: {problem}" for page in pages for problem in problems(page, ids)]
    print(*listed, f"{len(pages)} pages, {len(listed)} problems", sep="\n")
    return 1 if listed or not pages else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
