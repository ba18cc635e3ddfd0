"""How Sphinx builds this site: ``make docs``. Nothing is fetched while it is built."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from sphinx.application import Sphinx

import liftgraph

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

project = "liftgraph"
author = "The liftgraph developers"
project_copyright = author
version = release = liftgraph.__version__
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "public_names",
    "source_pages",
]
exclude_patterns = ["extensions"]

html_theme = "furo"
html_title = f"liftgraph {release}"
html_copy_source = False
html_show_sphinx = False
html_css_files = ["wide.css"]
# MathJax is copied from a package, so that pages load nothing from elsewhere.
_MATHJAX = import_module("sphinx-mathjax-offline").__path__[0]
html_static_path = ["static", str(Path(_MATHJAX) / "static")]
mathjax_path = "mathjax/tex-mml-chtml.js"

myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3

nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 300  # seconds for a cell, even on a busy machine
nb_merge_streams = True

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = False  # signatures name options that the source lists elsewhere
autodoc_type_aliases = {name: name for name in ("ArrayLike", "NDArray", "Given", "Model", "Plan")}
python_use_unqualified_type_names = True

# Links to files outside this folder that are also pages of the site lead to the page.
_PAGES = {"](../benchmarks/RESULTS.md)": "](peers.md)"}


def _link_to_pages(app: Sphinx, page: str, source: list[str]) -> None:
    for outside, inside in _PAGES.items():
        source[0] = source[0].replace(outside, inside)


def setup(app: Sphinx) -> None:
    """Sphinx calls this."""
    app.connect("source-read", _link_to_pages)
