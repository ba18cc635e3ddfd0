"""Writing XMLBIF files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape

from liftgraph.io.network_writer import (
    Conditional,
    conditionals,
    losses_of_network,
    rows,
    unfit,
)
from liftgraph.io.spelling import Spelling, spelling
from liftgraph.io.writing import write_bytes
from liftgraph.model.ground.factor_graph import FactorGraph

_LEGAL = re.compile("[\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]+")


def write(graph: FactorGraph, path: Path | str, *, rounded: bool = False) -> None:
    """Write a Bayesian network. Precondition: no evidence (``graph_format`` refuses it).

    ``rounded``: see ``spelling``.
    Names with characters that XML cannot hold, or with white space around them, are refused.
    """
    distributions = conditionals(graph, path)
    names = [_escaped(path, name) for name in graph.variables]
    outcomes = [
        [f"<OUTCOME>{_escaped(path, state)}</OUTCOME>" for state in states]
        for states in graph.state_sets
    ]
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<BIF VERSION="0.3">', "<NETWORK>"]
    lines += ["<NAME>unknown</NAME>"]
    for variable, name in enumerate(names):
        listed = outcomes[graph.state_set_id[variable]]
        lines += ['<VARIABLE TYPE="nature">', f"<NAME>{name}</NAME>", *listed, "</VARIABLE>"]
    for distribution in distributions:
        lines += _definition(distribution, names, spelling(rounded, path))
    lines += ["</NETWORK>", "</BIF>", ""]
    write_bytes(path, "\n".join(lines).encode())


def _escaped(path: Path | str, name: str) -> str:
    if name != name.strip() or not _LEGAL.fullmatch(name):
        raise unfit(path, "XMLBIF", name)
    return escape(name, {"\r": "&#13;"})  # a plain \r would be read as a line feed


def _definition(conditional: Conditional, names: list[str], spell: Spelling) -> list[str]:
    return [
        "<DEFINITION>",
        f"<FOR>{names[conditional.variable]}</FOR>",
        *(f"<GIVEN>{names[parent]}</GIVEN>" for parent in conditional.parents),
        "<TABLE>",
        *(" ".join(row) for row in rows(conditional, spell)),
        "</TABLE>",
        "</DEFINITION>",
    ]


def losses(graph: FactorGraph, *, rounded: bool = False) -> Iterator[str]:
    """What an XMLBIF file does not keep of a Bayesian network, or others may not read."""
    yield from losses_of_network(graph, rounded)
