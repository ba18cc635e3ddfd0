"""Reading Bayesian networks in the old format of GeNIe and SMILE: ``.dsl``.

::

    net Alarm {
      HEADER = { ID = Alarm; NAME = "Alarm"; };
      node Fire { TYPE = CPT; HEADER = { ID = Fire; NAME = "Fire"; }; PARENTS = ();
        DEFINITION = { NAMESTATES = (yes, no); PROBABILITIES = (0.01, 0.99); }; };
      node Bell { TYPE = TRUTHTABLE; PARENTS = (Fire);
        DEFINITION = { NAMESTATES = (on, off); RESULTINGSTATES = (on, off); }; };
    };

The first parent is outermost, and the variable itself changes fastest. ``CPT``, ``TRUTHTABLE`` and
``NOISY_MAX`` are the nodes ``cpt``, ``deterministic`` and ``noisymax`` of XDSL files; others
(decisions, utilities, equations) are refused. Other fields are skipped.

Files of aGrUM begin without a header. Their parents are in one order or another, so these files are
refused if a node has several parents.
"""

from __future__ import annotations

from pathlib import Path

from liftgraph.exact import shortened
from liftgraph.io.allowance import Allowance
from liftgraph.io.blocks import (
    SEPARATORS,
    SYNTAX,
    fields,
    listed_names,
    listed_numbers,
    pass_field,
)
from liftgraph.io.files import END
from liftgraph.io.network import DECLARATION_COST
from liftgraph.io.nodes import ListedNode, NodeNumbers, graph_of_nodes
from liftgraph.io.scanner import Scanner, scan
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.memory_limit import MEMORY_LIMIT

_KINDS = {"CPT": "cpt", "TRUTHTABLE": "deterministic", "NOISY_MAX": "noisymax"}
_TAGS = {"PROBABILITIES": "probabilities", "STRENGTHS": "strengths"}  # of numbers


def read(
    path: Path | str, *, memory_limit: int = MEMORY_LIMIT, repair: bool = False
) -> FactorGraph:
    """Read a network; ``network.py`` explains the order of its variables and factors."""
    allowance = Allowance(str(path), memory_limit)
    scanner = scan(path, SYNTAX, allowance)
    scanner.keyword("net")
    scanner.name("the name of the network")
    nodes: list[ListedNode] = []
    has_header = False
    for field in fields(scanner):
        if field.text == "node":
            nodes.append(_node(scanner))
        else:
            has_header |= field.text == "HEADER"
            pass_field(scanner)
    scanner.accept(b";")
    if not scanner.at_end():
        raise scanner.unexpected(END)
    if not has_header:
        _refuse_another_order(scanner, nodes)
    numbers = NodeNumbers(scanner.data, scanner.spans, SEPARATORS)
    return graph_of_nodes(nodes, numbers, scanner.error, allowance, repair)


def _refuse_another_order(scanner: Scanner, nodes: list[ListedNode]) -> None:
    """Refuse several parents in a file that GeNIe and SMILE did not write."""
    for node in nodes:
        if len(node.parents) > 1:
            came = "none, as in files of aGrUM, whose parents may be in another order"
            problem = f"expected a HEADER of the network before its nodes, got {came}"
            raise scanner.error(node.identifier.place, problem)


def _node(scanner: Scanner) -> ListedNode:
    scanner.allowance.take(DECLARATION_COST, "its nodes")
    node = ListedNode("", scanner.name("the name of a node"))
    for field in fields(scanner):
        if field.text == "TYPE":
            scanner.expect(b"=")
            node.kind = _kind(scanner, node)
        elif field.text == "PARENTS":
            node.words["parents"] = listed_names(scanner, "a parent")
        elif field.text == "DEFINITION":
            scanner.expect(b"=")
            _definition(scanner, node)
        else:
            pass_field(scanner)
    name = shortened(node.identifier.text)
    if not node.kind:
        raise scanner.error(node.identifier.place, f"expected a TYPE of {name}, got none")
    if not node.states:
        raise scanner.error(node.identifier.place, f"expected NAMESTATES of {name}, got none")
    if node.kind == "noisymax" and "probabilities" in node.numbers:
        node.numbers["parameters"] = node.numbers["probabilities"]
    return node


def _kind(scanner: Scanner, node: ListedNode) -> str:
    kind = scanner.name("the type of a node")
    if kind.text not in _KINDS:
        name = shortened(node.identifier.text)
        expected = f"expected {name} to be a CPT, a TRUTHTABLE or a NOISY_MAX"
        raise scanner.error(kind.place, f"{expected}, got {shortened(kind.text)}")
    return _KINDS[kind.text]


def _definition(scanner: Scanner, node: ListedNode) -> None:
    for field in fields(scanner):
        if field.text == "NAMESTATES":
            node.states = [state.text for state in listed_names(scanner, "a state")]
        elif field.text == "RESULTINGSTATES":
            node.words["resultingstates"] = listed_names(scanner, "a state")
        elif field.text in _TAGS:
            node.numbers[_TAGS[field.text]] = listed_numbers(scanner)
        else:
            pass_field(scanner)
