"""Writing XDSL files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

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
from liftgraph.io.xdsl.reader import NAME
from liftgraph.model.ground.factor_graph import FactorGraph

_LEGAL = re.compile("[\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]+")
_IDENTIFIER = re.compile("[A-Za-z][A-Za-z0-9_]*")
_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<smile version="1.0" id="Network" numsamples="10000">',
    "<nodes>",
)
_MIDDLE = (
    "</nodes>",
    "<extensions>",
    '<genie version="1.0" app="liftgraph" name="Network" faultnameformat="nodestate">',
)
_TAIL = ("</genie>", "</extensions>", "</smile>", "")


def write(graph: FactorGraph, path: Path | str, *, rounded: bool = False) -> None:
    """Write a Bayesian network, parents before children, as GeNIe expects them.

    Precondition: no evidence (``graph_format`` refuses it). ``rounded``: see ``spelling``.
    Names that are not identifiers are kept as properties; those that XML cannot hold are refused.
    """
    distributions = {given.variable: given for given in conditionals(graph, path)}
    identifiers = identifiers_of(graph, _is_identifier)
    names = [_escaped(path, graph.name(variable)) for variable in range(graph.variable_count)]
    states = [[f"<state id={_quoted(path, state)} />" for state in s] for s in graph.state_sets]
    nodes, titles = list[str](), list[str]()
    for variable in _parents_first(distributions):
        identifier, name = identifiers[variable], names[variable]
        nodes += [f'<cpt id="{identifier}">', *states[graph.state_set_id[variable]]]
        nodes += _distribution(distributions[variable], identifiers, spelling(rounded, path))
        if identifier != graph.name(variable):
            nodes += [f'<property id="{NAME}">{name}</property>']
        nodes += ["</cpt>"]
        titles += [f'<node id="{identifier}"><name>{name}</name></node>']
    lines = [*_HEAD, *nodes, *_MIDDLE, *titles, *_TAIL]
    write_bytes(path, "\n".join(lines).encode())


def _parents_first(distributions: Mapping[int, Conditional]) -> list[int]:
    """All variables; parents come before their children, and else the order stays."""
    listed: dict[int, None] = {}
    for variable in range(len(distributions)):
        waiting = [variable]
        while waiting:
            missing = [p for p in distributions[waiting[-1]].parents if p not in listed]
            if missing:
                waiting += missing
            else:
                listed[waiting.pop()] = None
    return [*listed]


def _is_identifier(name: str) -> bool:
    return _IDENTIFIER.fullmatch(name) is not None


def _legal(path: Path | str, name: str) -> str:
    if not _LEGAL.fullmatch(name):
        raise unfit(path, "XDSL", name)
    return name


def _escaped(path: Path | str, name: str) -> str:
    return escape(_legal(path, name), {"\r": "&#13;"})  # a plain \r would be read as a line feed


def _quoted(path: Path | str, state: str) -> str:
    return quoteattr(_legal(path, state))


def _distribution(conditional: Conditional, names: list[str], spell: Spelling) -> list[str]:
    """All in one line: other readers split it at blanks."""
    listed = " ".join(names[parent] for parent in conditional.parents)
    values = " ".join(" ".join(row) for row in rows(conditional, spell))
    parents = [f"<parents>{listed}</parents>"] if listed else []
    return [*parents, f"<probabilities>{values}</probabilities>"]


def losses(graph: FactorGraph, *, rounded: bool = False) -> Iterator[str]:
    """What an XDSL file does not keep of a Bayesian network, or others may not read."""
    for variable, identifier in enumerate(identifiers_of(graph, _is_identifier)):
        if identifier != graph.name(variable):
            example = f"{identifier} for {graph.name(variable)}"
            yield f"names that are not identifiers are kept as {NAME} only: {example}, …"
            break
    distributions = {given.variable: given for given in conditionals(graph, "XDSL")}
    if not [*range(len(distributions))] == [*distributions] == _parents_first(distributions):
        yield "nodes are listed with their distributions, parents first: in another order"
    yield from losses_of_network(graph, rounded)
