"""How many bytes lifting will take.

Colour passing mostly needs most: in a round, it sorts the messages to all variables and looks up
hashes. Where tables are symmetric, the search for coordinates may need as much; parfactors and the
final check take less, because what they need on all edges is made a piece at a time. So there are
bytes for each variable, factor, argument and table entry.

Logvars, PRVs and parfactors take more for each group of variables and of factors; how many groups
there are is known once colours have been passed. If there are nearly as many as variables and
factors, numbering the colours takes as much again as a round. ``colour_passing_bytes`` always
includes that; ``lifting_bytes`` has it among the bytes of the groups.
The numbers are measured (``benchmarks/memory.py``) and hold whatever the graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from liftgraph.cache import Memo
from liftgraph.display import counted
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.memory_limit import beyond_limit
from liftgraph.symmetry.colours.colouring import Colouring
from liftgraph.symmetry.colours.stars import narrow_graph

_BASE_BYTES = 80_000  # what lifting takes, however small the graph
# For each variable, factor and argument: of colour passing whatever the groups, and of lifting.
_COLOUR_PASSING_BYTES = 64, 128, 22
_LIFTING_BYTES = 62, 30, 24
_AGAIN_BYTES = 16  # for each variable: a colouring that is kept while colours are passed again
_MOST_SLOTS = 1 << 22  # in which hashes are looked up
_PIECE_BYTES = 80  # for each variable or factor of a piece, if pieces are made one after the other
_LARGEST_PIECE = 1 << 15
_TABLE_BYTES = 1800  # the objects around a table, its class and its symmetries
_SINGLE_BYTES = 1600  # what becomes of a group with one member: a PRV or a parfactor
_PART_BYTES = 40  # a part of a name: where it is, and what it takes to compare it
_LETTER_BYTES = 5  # of a name: as a character of any width and in UTF-8
_LETTERS: Memo[None, int] = Memo("letters of all names", most=1)
_GROUP_BYTES = 7000  # what becomes of a larger group: its coordinates and their fit, too


def colour_passing_bytes(graph: FactorGraph) -> int:
    """A bound on the bytes that colour passing takes beyond the graph."""
    graph = narrow_graph(graph)
    return _BASE_BYTES + _array_bytes(graph, _COLOUR_PASSING_BYTES) + _tables_bytes(graph)


def lifting_bytes(graph: FactorGraph, colouring: Colouring | None = None) -> int:
    """A bound on the bytes that lifting takes beyond the graph.

    ``colouring``: that of the narrow graph. Without one it counts one group of variables and of
    factors, the least there can be.
    """
    graph = narrow_graph(graph)
    return _nameless_bytes(graph, colouring) + _names_bytes(graph.names or ())


def check_memory(graph: FactorGraph, colouring: Colouring | None, limit: int) -> None:
    """Refuse lifting that needs more bytes than the limit."""
    names = graph.names or ()
    letters = _LETTERS.get(graph.cache, None, lambda: sum(map(len, names)))
    most = (_PART_BYTES + _LETTER_BYTES) * (len(names) + letters)  # quick to compute
    if _nameless_bytes(graph, colouring) + most <= limit:
        return
    needed = lifting_bytes(graph, colouring)
    if needed > limit:
        size = (
            f"{counted(graph.variable_count, 'variable')} and"
            f" {counted(graph.factor_count, 'factor')}"
        )
        groups = ""
        if colouring is not None:
            count = colouring.variable_group_count + colouring.factor_group_count
            groups = f" in {counted(count, 'group')}"
        raise beyond_limit("lifting needs", needed, limit, f"the graph has {size}{groups}")


def _names_bytes(names: Sequence[str]) -> int:
    """The bound for names in arrays: their letters, with what it takes to encode them and to find
    their parts, and the parts."""
    letters = sum(len(name.encode(errors="surrogatepass")) for name in names) + len(names)
    parts = sum(name.count(".") for name in names) + len(names)
    letter_bytes = 3 if all(map(str.isascii, names)) else _LETTER_BYTES
    return letter_bytes * letters + _PART_BYTES * parts


def _nameless_bytes(graph: FactorGraph, colouring: Colouring | None) -> int:
    """The bound for a graph whose variables have no names."""
    groups = 2 * _GROUP_BYTES if colouring is None else _groups_bytes(colouring)
    exchanges = colouring is not None and any(kind.exchanges for kind in colouring.symmetries)
    again = _AGAIN_BYTES * graph.variable_count * exchanges
    tables = _tables_bytes(graph) + _counting_bytes(graph)
    return _BASE_BYTES + _array_bytes(graph, _LIFTING_BYTES) + again + groups + tables


def _array_bytes(graph: FactorGraph, each: tuple[int, int, int]) -> int:
    """Bytes of arrays. ``each``: for each variable, factor and argument."""
    counts = graph.variable_count, graph.factor_count, len(graph.scope)
    nodes = max(counts[:2])
    slots = min(1 << (nodes.bit_length() + 1), _MOST_SLOTS)
    most = 4 * slots + _PIECE_BYTES * min(nodes, _LARGEST_PIECE)
    return most + sum(count * size for count, size in zip(counts, each, strict=True))


def _groups_bytes(colouring: Colouring) -> int:
    colours = colouring.variable_colours, colouring.factor_colours
    members = np.concatenate([np.bincount(of) for of in colours])
    singles = int((members == 1).sum())
    return _SINGLE_BYTES * singles + _GROUP_BYTES * (len(members) - singles)


def _tables_bytes(graph: FactorGraph) -> int:
    """Bytes of comparing tables, whose arguments may be in any order."""
    shapes = _used_shapes(graph)
    entries = sum([(16 + 4 * len(shape)) * prod(shape) for shape in shapes])
    return _TABLE_BYTES * len(shapes) + entries


def _counting_bytes(graph: FactorGraph) -> int:
    """Bytes of assignments of arguments that are counted, and of checking that they may be."""
    shapes = [shape for shape in _used_shapes(graph) if len(shape) > 2]
    return max([8 * len(shape) * prod(shape) for shape in shapes], default=0)


def _used_shapes(graph: FactorGraph) -> list[tuple[int, ...]]:
    """The shapes of the potentials that factors have; the pool may hold others."""
    used = np.flatnonzero(np.bincount(graph.table_id))
    return [graph.potentials[index].shape for index in used.tolist()]
