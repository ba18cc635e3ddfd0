"""Writing BIF files."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice, product
from pathlib import Path

from liftgraph.io.bif.tokens import SYNTAX
from liftgraph.io.files import write_bytes
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
    Names are in quotes where they have to be; quotes and line breaks have no place in them.
    """
    found = conditionals(graph, path)
    variables = [_quoted(path, graph.name(v)) for v in range(graph.variable_count)]
    states = [[_quoted(path, state) for state in states] for states in graph.state_sets]
    named = [states[kind] for kind in graph.state_set_id.tolist()]
    lines = ["network unknown {", "}"]
    for variable, listed in zip(variables, named, strict=True):
        kind = f"type discrete [ {len(listed)} ] {{ {', '.join(listed)} }};"
        lines += [f"variable {variable} {{", f"  {kind}", "}"]
    for each in found:
        lines += _block(each, variables, named, spelling(rounded))
    write_bytes(path, "\n".join([*lines, ""]).encode())


def _is_plain(name: str) -> bool:
    word = SYNTAX.word.fullmatch(name.encode()) is not None
    return word and not any(mark in name for mark in SYNTAX.marks)


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
    given = f" | {', '.join(variables[parent] for parent in conditional.parents)}"
    return [
        f"probability ( {variables[conditional.variable]}{given if parents else ''} ) {{",
        *(
            f"  {head if parents else 'table'} {', '.join(row)};"
            for head, row in zip(heads, rows(conditional, spell), strict=True)
        ),
        "}",
    ]


def losses(graph: FactorGraph, *, rounded: bool = False) -> Iterator[str]:
    """What a BIF file cannot keep of a Bayesian network, or others may not read."""
    variables = map(graph.name, range(graph.variable_count))
    odd = (name for name in chain(variables, *graph.state_sets) if not _is_plain(name))
    for name in islice(odd, 1):
        yield f'names that are no words are in quotes, which others may not read: "{name}", …'
    yield from losses_of_network(graph, "BIF", rounded)
