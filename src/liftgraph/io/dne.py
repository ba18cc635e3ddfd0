"""Reading Bayesian networks of Netica: ``.dne`` and ``.dnet``.

::

    // ~->[DNET-1]->~
    bnet Alarm {
      node Fire { kind = NATURE; discrete = TRUE; chance = CHANCE; states = (yes, no);
        parents = (); probs = (0.01, 0.99); visual V1 { center = (3, 4); }; };
      node Bell { kind = NATURE; chance = DETERMIN; states = (on, off);
        parents = (Fire); functable = (on, off); evidence = on; };
    };

The first parent is outermost, and the variable itself changes fastest; parentheses inside the
outermost ones may be left out. A state may also be given by its index, as ``#0``. A continuous node
with a table is one over the intervals between its ``levels``. Findings (``evidence``) are evidence.
Constants, which have no distribution, are skipped; decisions, utilities, nodes that are
disconnected from a parent, and nodes that only have an equation are refused.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
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
from liftgraph.io.nodes import ListedNode, NodeNumbers, NumberList, graph_of_nodes
from liftgraph.io.scanner import Scanner, Word, scan
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.names import MAX_STATES
from liftgraph.model.memory_limit import MEMORY_LIMIT

_WORDS = ("kind", "discrete", "chance", "evidence", "numstates", "EqnDirty")
_LISTS = ("states", "statetitles", "levels", "parents", "functable")
_REFUSED = {  # the kinds of nodes that are none of a Bayesian network
    "DECISION": "a decision",
    "UTILITY": "a utility",
    "DISCONNECTED": "a node whose distribution is in another file",
}


@dataclass(slots=True)
class _Node:
    """A node of a file: the words, lists of words and numbers in its fields."""

    name: Word
    words: dict[str, Word] = field(default_factory=dict)
    lists: dict[str, list[Word]] = field(default_factory=dict)
    probabilities: NumberList | None = None
    equation: Word | None = None

    def word(self, name: str, default: str) -> str:
        """The text of a field."""
        return self.words[name].text if name in self.words else default


def read(
    path: Path | str, *, memory_limit: int = MEMORY_LIMIT, repair: bool = False
) -> FactorGraph:
    """Read a network; ``network.py`` explains the order of its variables and factors."""
    allowance = Allowance(str(path), memory_limit)
    scanner = scan(path, SYNTAX, allowance)
    scanner.keyword("bnet")
    scanner.name("the name of the network")
    nodes: list[ListedNode] = []
    findings: dict[str, str] = {}
    for entry in fields(scanner):
        if entry.text not in ("node", "param"):
            pass_field(scanner)
            continue
        node = _node(scanner)
        if node.word("kind", "NATURE") == "CONSTANT":
            continue
        nodes.append(_listed(scanner, node))
        if "evidence" in node.words:
            finding = _state(scanner, nodes[-1], node.words["evidence"])
            findings[node.name.text] = finding.text
    scanner.accept(b";")
    if not scanner.at_end():
        raise scanner.unexpected(END)
    numbers = NodeNumbers(scanner.data, scanner.spans, SEPARATORS)
    return graph_of_nodes(nodes, numbers, scanner.error, allowance, repair).given(findings)


def _node(scanner: Scanner) -> _Node:
    node = _Node(scanner.name("the name of a node"))
    for entry in fields(scanner):
        name = entry.text
        if name in node.words or name in node.lists or (name == "probs" and node.probabilities):
            raise scanner.error(entry.place, f"expected one {name}, got another")
        if name in _WORDS:
            scanner.expect(b"=")
            node.words[name] = scanner.name(f"a value of {name}")
        elif name in _LISTS:
            node.lists[name] = _list(scanner, name)
        elif name == "probs":
            node.probabilities = listed_numbers(scanner)
        else:
            node.equation = entry if name == "equation" else node.equation
            pass_field(scanner)
    return node


def _list(scanner: Scanner, name: str) -> list[Word]:
    """The words in a field; titles may be missing or empty, so these are passed."""
    if name != "statetitles":
        return listed_names(scanner, f"one of the {name}")
    pass_field(scanner)
    return []


def _listed(scanner: Scanner, node: _Node) -> ListedNode:
    """The node with its states and what its distribution is; others are refused by name."""
    scanner.allowance.take(DECLARATION_COST, "its nodes")
    name, place = shortened(node.name.text), node.name.place
    kind = node.word("kind", "NATURE")
    if kind != "NATURE":
        came = _REFUSED.get(kind, shortened(kind))
        raise scanner.error(place, f"expected {name} to be a nature node, got {came}")
    listed = ListedNode("cpt", node.name, _states(scanner, node))
    listed.words["parents"] = node.lists.get("parents", [])
    if node.probabilities is not None:
        if node.equation is not None and node.word("EqnDirty", "FALSE") == "TRUE":
            problem = f"expected probs of {name} that its equation gives, got older ones"
            raise scanner.error(node.equation.place, problem)
        listed.numbers["probabilities"] = node.probabilities
    elif "functable" in node.lists:
        listed.kind = "deterministic"
        results = [_state(scanner, listed, state) for state in node.lists["functable"]]
        listed.words["resultingstates"] = results
    elif node.equation is not None:
        problem = f"expected probs or a functable of {name}, got an equation only"
        raise scanner.error(node.equation.place, problem)
    else:
        raise scanner.error(place, f"expected probs of {name}, got none")
    return listed


def _states(scanner: Scanner, node: _Node) -> list[str]:
    """The names of the states, or the values or intervals that stand for them, or their numbers."""
    levels = [level.text for level in node.lists.get("levels", [])]
    is_discrete = node.word("discrete", "TRUE") == "TRUE"
    name, place = shortened(node.name.text), node.name.place
    if not is_discrete and len(levels) < 2:
        problem = f"expected {name} to be discrete or to have levels, got a continuous node"
        raise scanner.error(place, problem)
    if "states" in node.lists:
        return [state.text for state in node.lists["states"]]
    if levels:
        return levels if is_discrete else [f"{low} to {high}" for low, high in pairwise(levels)]
    if "numstates" not in node.words:
        raise scanner.error(place, f"expected states of {name}, got none")
    number, at = node.words["numstates"]
    if not (number.isascii() and number.isdigit() and len(number) < 10):
        raise scanner.error(at, f"expected the number of states of {name}, got {shortened(number)}")
    if not 0 < int(number) <= MAX_STATES:
        raise scanner.error(at, f"expected at most {MAX_STATES:,} states of {name}, got {number}")
    scanner.allowance.take(100 * int(number), f"{name} has {number} states")
    return [str(state) for state in range(int(number))]


def _state(scanner: Scanner, node: ListedNode, word: Word) -> Word:
    """A state of a node, given by its name or by its index, as ``#0``."""
    text = word.text
    index = int(text[1:]) if len(text) < 10 and text[1:].isdigit() and text.isascii() else -1
    if text.startswith("#") and 0 <= index < len(node.states):
        return Word(node.states[index], word.place)
    if text not in node.states:
        name = shortened(node.identifier.text)
        raise scanner.error(word.place, f"expected a state of {name}, got {shortened(text)}")
    return word
