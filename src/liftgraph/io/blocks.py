"""Blocks of fields in braces, as Netica (DNE) and GeNIe (DSL) write them.

::

    node Fire { TYPE = CPT; SCREEN = { COLOR = 3; }; PARENTS = (Smoke, Heat); visual V1 { }; };

A field is a name and what follows it, up to a semicolon: a value behind ``=``, or a block.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from liftgraph.io.nodes import NumberList
from liftgraph.io.scanner import Scanner, Syntax, Word

SYNTAX = Syntax(
    comment=re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\Z)|//[^\n]*|/\*.*?\*/|/\*', re.DOTALL),
    marks=("//", "/*"),
    space=re.compile(rb"\s*"),
    sign=re.compile(rb"[{}();,=]"),
    word=re.compile(rb'[^{}();,="\s\x00-\x1f]+'),
    quoted=re.compile(rb'"(?:[^"\\\n\r\x00]++|\\[^\n\r\x00])*+"'),
    escaped=True,
)
SEPARATORS = b"(),"  # between numbers
_VALUE = re.compile(rb'(?:"(?:[^"\\]++|\\.)*+"|[^"{};])*+', re.DOTALL)
_NUMBERS = re.compile(rb'[^{};="]*')


def fields(scanner: Scanner) -> Iterator[Word]:
    """The names of the fields between braces; the caller passes what follows each."""
    scanner.expect(b"{")
    while not scanner.accept(b"}"):
        taken = scanner.allowance.taken
        name = scanner.name("the name of a field or }")
        scanner.allowance.taken = taken  # it is compared with known ones, and not kept
        yield name
        scanner.expect(b";")


def pass_field(scanner: Scanner) -> None:
    """Pass what follows the name of a field, blocks within blocks included."""
    depth = 0
    while True:
        scanner.skip(_VALUE)
        if scanner.accept(b"{"):
            depth += 1
        elif depth and scanner.accept(b"}"):
            depth -= 1
        elif not (depth and scanner.accept(b";")):
            return


def listed_names(scanner: Scanner, what: str) -> list[Word]:
    """The names in ``= (a, "b c", …)``; parentheses inside the outermost ones mean nothing."""
    scanner.expect(b"=")
    scanner.expect(b"(")
    names: list[Word] = []
    depth = 1
    while depth:
        if scanner.accept(b"("):
            depth += 1
        elif scanner.accept(b")"):
            depth -= 1
        else:
            names.append(scanner.name(f"{what} or )"))
        scanner.accept(b",")
    return names


def listed_numbers(scanner: Scanner) -> NumberList:
    """The numbers in ``= (0.1, (0.2, …), …)``, which are read later."""
    scanner.expect(b"=")
    scanner.at_end()  # passes white space
    span = scanner.numbers(_NUMBERS)
    bounds = scanner.spans[span]
    return NumberList(bounds[0], range(span, span + 1), bounds)
