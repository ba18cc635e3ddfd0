"""Writing NET files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from liftgraph.io.net.tokens import IDENTIFIER, KEYWORDS, NAME, SYNTAX
from liftgraph.io.network_writer import (
    Conditional,
    conditionals,
    identifiers_of,
    losses_of_network,
    rows,
    unfit,
)
from liftgraph.io.spelling import Spelling, spelling
from liftgraph.io.writing import write_bytes
from liftgraph.model.ground.factor_graph import FactorGraph


def write(graph: FactorGraph, path: Path | str, *, rounded: bool = False) -> None:
    """Write a Bayesian network. Precondition: no evidence (``graph_format`` refuses it).

    ``rounded``: see ``spelling``.
    Names that are not identifiers are kept as attributes; names with line breaks are refused.
    """
    distributions = conditionals(graph, path)
    identifiers = identifiers_of(graph, _is_identifier)
    states = [
        f"states = ({' '.join(_quoted(path, state) for state in states)});"
        for states in graph.state_sets
    ]
    lines = ["net", "{", "}"]
    for variable, identifier in enumerate(identifiers):
        lines += [f"node {identifier}", "{"]
        if identifier != graph.name(variable):
            name = _quoted(path, graph.name(variable))
            lines += [f"  label = {name};", f"  {NAME} = {name};"]
        lines += [f"  {states[graph.state_set_id[variable]]}", "}"]
    for distribution in distributions:
        lines += _potential(distribution, identifiers, spelling(rounded, path))
    write_bytes(path, "\n".join([*lines, ""]).encode())


def _is_identifier(name: str) -> bool:
    return IDENTIFIER.fullmatch(name) is not None and name not in KEYWORDS


def _quoted(path: Path | str, name: str) -> str:
    quoted = '"' + re.sub(r'(["\\])', r"\\\1", name) + '"'
    if not SYNTAX.quoted.fullmatch(quoted.encode()):
        raise unfit(path, "NET", name)
    return quoted


def _potential(conditional: Conditional, names: list[str], spell: Spelling) -> list[str]:
    parents = "".join(f" {names[parent]}" for parent in conditional.parents)
    head = f"{names[conditional.variable]} |{parents}" if parents else names[conditional.variable]
    nested = [f"({' '.join(row)})" for row in rows(conditional, spell)]
    shape = conditional.table.shape[:-1]
    for depth, size in reversed([*enumerate(shape, 1)]):
        indented = "\n" + " " * (9 + depth)
        chunks = (nested[start : start + size] for start in range(0, len(nested), size))
        nested = [f"({indented.join(chunk)})" for chunk in chunks]
    return [f"potential ( {head} )", "{", f"  data = {nested[0]};", "}"]


def losses(graph: FactorGraph, *, rounded: bool = False) -> Iterator[str]:
    """What a NET file does not keep of a Bayesian network, or others may not read."""
    for variable, identifier in enumerate(identifiers_of(graph, _is_identifier)):
        if identifier != graph.name(variable):
            example = f"{identifier} for {graph.name(variable)}"
            yield f"names that are not identifiers are kept as {NAME} only: {example}, …"
            break
    yield from losses_of_network(graph, rounded)
