"""Writing BIF files."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice, product
from pathlib import Path

from liftgraph.io.bif.tokens import SYNTAX
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


def write(graph: FactorGraph, path: Path | str, *, rounded: bool = False) -> None:
    """Write a Bayesian network. Precondition: no evidence (``graph_format`` refuses it).

    ``rounded``: see ``spelling``.
    Names are quoted where they must be; names with quotes or line breaks are refused.
    """
    distributions = conditionals(graph, path)
    variables = [_quoted(path, name) for name in graph.variables]
    states = [[_quoted(path, state) for state in states] for states in graph.state_sets]
    variable_states = [states[state_set] for state_set in graph.state_set_id.tolist()]
    lines = ["network unknown {", "}"]
    for variable, names in zip(variables, variable_states, strict=True):
        declaration = f"type discrete [ {len(names)} ] {{ {', '.join(names)} }};"
        lines += [f"variable {variable} {{", f"  {declaration}", "}"]
    for distribution in distributions:
        lines += _block(distribution, variables, variable_states, spelling(rounded, path))
    write_bytes(path, "\n".join([*lines, ""]).encode())


def _is_plain(name: str) -> bool:
    is_word = SYNTAX.word.fullmatch(name.encode()) is not None
    return is_word and not any(mark in name for mark in SYNTAX.marks)


def _quoted(path: Path | str, name: str) -> str:
    plain = _is_plain(name)
    if not plain and not SYNTAX.quoted.fullmatch(f'"{name}"'.encode()):
        raise unfit(path, "BIF", name)
    return name if plain else f'"{name}"'


def _block(
    conditional: Conditional, variables: list[str], states: list[list[str]], spell: Spelling
) -> list[str]:
    parents = [states[parent] for parent in conditional.parents]
    heads = [f"({', '.join(combination)})" for combination in product(*parents)]
    condition = f" | {', '.join(variables[parent] for parent in conditional.parents)}"
    return [
        f"probability ( {variables[conditional.variable]}{condition if parents else ''} ) {{",
        *(
            f"  {head if parents else 'table'} {', '.join(row)};"
            for head, row in zip(heads, rows(conditional, spell), strict=True)
        ),
        "}",
    ]


def losses(graph: FactorGraph, *, rounded: bool = False) -> Iterator[str]:
    """What a BIF file does not keep of a Bayesian network, or others may not read."""
    variables = graph.variables
    quoted = (name for name in chain(variables, *graph.state_sets) if not _is_plain(name))
    for name in islice(quoted, 1):
        yield f'names that are not words are in quotes, which others may not read: "{name}", …'
    yield from losses_of_network(graph, rounded)
