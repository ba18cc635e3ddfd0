"""The tokens of NET files."""

from __future__ import annotations

import re

from liftgraph.io.scanner import Syntax

SYNTAX = Syntax(
    comment=re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\Z)|%[^\n]*', re.DOTALL),
    marks=("%",),
    space=re.compile(rb"\s*"),
    sign=re.compile(rb"[{}();|=]"),
    word=re.compile(rb'[^{}();|="\s\x00-\x1f]+'),
    quoted=re.compile(rb'"(?:[^"\\\n\r\x00]++|\\[^\n\r\x00])*+"'),
    escaped=True,
)
NAME = "liftgraph_name"  # the attribute for names that are not identifiers
IDENTIFIER = re.compile(r"[A-Za-z_]\w*", re.ASCII)
NODES = ("node", "discrete")  # what a declaration may start with
REFUSED = ("continuous", "decision", "utility", "function", "instance")
KEYWORDS = {"net", "class", "potential", "states", "data", *NODES, *REFUSED}
