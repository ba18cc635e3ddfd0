"""The tokens of BIF files."""

from __future__ import annotations

import re

from liftgraph.io.scanner import Syntax

SYNTAX = Syntax(
    comment=re.compile(r'"[^"\n]*"|//[^\n]*|/\*.*?\*/|/\*', re.DOTALL),
    marks=("//", "/*"),
    space=re.compile(rb"[\s,]*"),
    sign=re.compile(rb"[][{}();|]"),
    word=re.compile(rb'[^][{}();|,"\s\x00-\x1f]+'),
    quoted=re.compile(rb'"[^"\n\r\x00]*"'),
    escaped=False,
)
