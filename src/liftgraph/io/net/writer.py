"""Writing NET files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from liftgraph.io.files import write_bytes
from liftgraph.io.net.tokens import IDENTIFIER, KEYWORDS, NAME, SYNTAX
from liftgraph.io.network_writer import (
    Conditional,
    conditionals,
    losses_of_network,
    rows,
    unfit,
)
from liftgraph.io.spelling import Spelling, spelling
from liftgraph.model.ground.factor_graph import FactorGraph


def write(graph: FactorGraph, path: Path | str, *, rounded: bool = False) -> None:
    """Write a Bayesian network; the format has no evidence, so that is left out.

    A value without a finite decimal form is written as a fraction such as 1/3, which this
    library reads exactly and others may refuse; ``rounded`` writes 17 significant digits instead.
    Names that are no identifiers are kept as attributes; line breaks have no place in them.
    """
    found = conditionals(graph, path)
    identifiers = _identifiers(graph)
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
    for each in found:
        lines += _potential(each, identifiers, spelling(rounded))
    write_bytes(path, "\n".join([*lines, ""]).encode())


def _identifiers(graph: FactorGraph) -> list[str]:
    """The name of each variable if it is an identifier, else a new one."""
    names = [graph.name(variable) for variable in range(graph.variable_count)]
    taken = set(names)
    new = (name for number in count() if (name := f"V{number}") not in taken)
    return [name if _is_identifier(name) else next(new) for name in names]


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
    listed = [f"({' '.join(row)})" for row in rows(conditional, spell)]
    shape = conditional.table.shape[:-1]
    for depth, size in reversed([*enumerate(shape, 1)]):
        apart = "\n" + " " * (9 + depth)
        chunks = (listed[start : start + size] for start in range(0, len(listed), size))
        listed = [f"({apart.join(chunk)})" for chunk in chunks]
    return [f"potential ( {head} )", "{", f"  data = {listed[0]};", "}"]


def losses(graph: FactorGraph, *, rounded: bool = False) -> Iterator[str]:
    """What a NET file cannot keep of a Bayesian network, or others may not read."""
    for variable, identifier in enumerate(_identifiers(graph)):
        if identifier != graph.name(variable):
            example = f"{identifier} for {graph.name(variable)}"
            yield f"names that are no identifiers are kept as {NAME} only: {example}, …"
            break
    yield from losses_of_network(graph, "NET", rounded)
