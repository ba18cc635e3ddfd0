"""Reading Bayesian networks of Microsoft's MSBN and of bnlearn: ``.dsc``.

::

    belief network "Dog problem"
    node out { name : "Is the family out?"; type : discrete [ 2 ] = { "yes", "no" }; }
    node light { type : discrete [ 2 ] = { "on", "off" }; position : (73, 165); }
    probability ( out ) { 0.15, 0.85; }
    probability ( light | out ) { (0) : 0.6, 0.4; (1) : 0.05, 0.95; }

The syntax is that of BIF, but rows begin with the parents' states by number, from 0 on. ``:`` and
``=`` are separators. A block behind the network's name, properties, titles, positions and other
fields of nodes are skipped. Functions and nodes that are not discrete are refused.
"""

from __future__ import annotations

import re
from pathlib import Path

from liftgraph.exact import shortened
from liftgraph.io.allowance import Allowance
from liftgraph.io.bif.reader import (
    ProbabilityBlock,
    graph_of_blocks,
    listed_states,
    pass_property,
    probability_block,
)
from liftgraph.io.network import DECLARATION_COST, Variable
from liftgraph.io.scanner import Scanner, Syntax, scan
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.memory_limit import MEMORY_LIMIT

_NUMBERED_COST = 150  # of a state that rows call by its number
_BLOCK = re.compile(rb'(?:"[^"\n]*+"|[^"{}])*+')
_SYNTAX = Syntax(
    comment=re.compile(r'"[^"\n]*"|//[^\n]*|/\*.*?\*/|/\*', re.DOTALL),
    marks=("//", "/*"),
    space=re.compile(rb"[\s,:=]*"),
    sign=re.compile(rb"[][{}();|]"),
    word=re.compile(rb'[^][{}();|,:="\s\x00-\x1f]+'),
    quoted=re.compile(rb'"[^"\n\r\x00]*"'),
    escaped=False,
)


def read(
    path: Path | str, *, memory_limit: int = MEMORY_LIMIT, repair: bool = False
) -> FactorGraph:
    """Read a network; ``network.py`` explains the order of its variables and factors."""
    allowance = Allowance(str(path), memory_limit)
    scanner = scan(path, _SYNTAX, allowance)
    if scanner.keyword("belief", "network").text == "belief":
        scanner.keyword("network")
    scanner.name("the name of the network")
    if scanner.accept(b"{"):
        _pass_block(scanner)
    variables: list[Variable] = []
    blocks: list[ProbabilityBlock] = []
    while not scanner.at_end():
        word = scanner.keyword("node", "probability", "properties").text
        if word == "node":
            variables.append(_node(scanner))
        elif word == "properties":
            scanner.expect(b"{")
            _pass_block(scanner)
        else:
            blocks.append(probability_block(scanner, table_is_bare=True))
    numbered = sum(len(variable.states) for variable in variables)
    allowance.take(_NUMBERED_COST * numbered, f"its variables have {numbered:,} states")
    states = [
        {str(index).encode(): index for index in range(len(variable.states))}
        for variable in variables
    ]
    return graph_of_blocks(scanner, variables, blocks, states, repair, b",:=")


def _pass_block(scanner: Scanner) -> None:
    """Pass a block without blocks in it, of what describes the file."""
    scanner.skip(_BLOCK)
    scanner.expect(b"}")


def _node(scanner: Scanner) -> Variable:
    scanner.allowance.take(DECLARATION_COST, "its variables")
    name = scanner.name("the name of a node")
    states: tuple[str, ...] | None = None
    scanner.expect(b"{")
    while not scanner.accept(b"}"):
        field = scanner.name("the name of a field or }")
        if field.text != "type":
            pass_property(scanner)
        elif states is None:
            states = listed_states(scanner)
            scanner.accept(b";")  # one program writes a comma
        else:
            again = f"expected one type of {shortened(name.text)}, got another"
            raise scanner.error(field.place, again)
    if states is None:
        raise scanner.error(name.place, f"expected a type of {shortened(name.text)}, got none")
    return Variable(name, states)
