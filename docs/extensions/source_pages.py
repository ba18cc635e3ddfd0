"""The source code as pages of the site, and a role that links to them.

``{source}`symmetry/tables/near.py``` in a page links to that file of ``src/liftgraph``; if there is
no such file, Sphinx warns. Documented names link to their lines.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst.states import Inliner
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.osutil import relative_uri

import liftgraph

SOURCE = Path(liftgraph.__file__).parent
FOLDER = "source"


def source_role(
    name: str,
    rawtext: str,
    text: str,
    lineno: int,
    inliner: Inliner,
    options: dict[str, Any] | None = None,
    content: list[str] | None = None,
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """A link to the page of a file; its text is the path within ``src/liftgraph``."""
    if not (SOURCE / text).is_file():
        return [], [
            inliner.reporter.error(f"expected a file of the source, got {text!r}", line=lineno)
        ]
    return [nodes.reference("", "", nodes.literal("", text), source_file=text)], []


def add_links(app: Sphinx, tree: nodes.document, page: str) -> None:
    """Give each link to the source its address, and each documented name such a link."""
    for link in tree.findall(nodes.reference):
        if "source_file" in link:
            link["refuri"] = address(app, page, link["source_file"])
    for signature in list(tree.findall(addnodes.desc_signature)):
        place = place_of(signature.get("module"), signature.get("fullname"))
        if place:
            marker = nodes.inline("", "[source]", classes=["viewcode-link"])
            signature += nodes.reference("", "", marker, refuri=address(app, page, *place))


def address(app: Sphinx, page: str, path: str, line: int | None = None) -> str:
    """The address of a file's page, relative to another page."""
    builder = app.builder
    target = builder.get_target_uri(f"{FOLDER}/{path.removesuffix('.py')}")
    return relative_uri(builder.get_target_uri(page), target) + (f"#line-{line}" if line else "")


def place_of(module: str | None, name: str | None) -> tuple[str, int] | None:
    """The file and line where a documented name is defined; None for data."""
    documented: Any = sys.modules.get(module or "")
    for part in (name or "").split("."):
        documented = getattr(documented, part, None)
    function = getattr(documented, "fget", None) or getattr(documented, "func", documented)
    function = inspect.unwrap(function)
    try:
        path = Path(inspect.getsourcefile(function) or "").resolve()
        return path.relative_to(SOURCE.resolve()).as_posix(), inspect.getsourcelines(function)[1]
    except (TypeError, ValueError, OSError):
        return None


def source_pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """A page for each file, with numbered lines as link targets."""
    formatter = HtmlFormatter(linenos="inline", lineanchors="line", anchorlinenos=True)
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        code = highlight(path.read_text(encoding="utf-8"), PythonLexer(), formatter)
        context = {"title": name, "body": f"<h1><code>{name}</code></h1>{code}"}
        yield f"{FOLDER}/{name.removesuffix('.py')}", context, "page.html"


def setup(app: Sphinx) -> dict[str, Any]:
    """Sphinx calls this."""
    app.add_role("source", source_role)
    app.connect("doctree-resolved", add_links)
    app.connect("html-collect-pages", source_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
