"""How many bytes the search for an order takes, and the contractions that are then written down.

The numbers are measured (``benchmarks/memory.py``), and hold whatever the tables are.
"""

from __future__ import annotations

from collections.abc import Collection

from liftgraph.inference.tensor.contraction_tree import ContractionTree
from liftgraph.inference.tensor.tensors import Scope

# While an order is looked for: for each variable and each place in a scope; and neighbours as bits,
# for each of the variables that are left when a large graph was thinned.
_VARIABLE_BYTES, _PLACE_BYTES = 350, 80
_FEW, _BITS_BYTES = 4096, 1500
_DRAFT_BYTES = 300  # a contraction in a tree
_STEP_BYTES = 1050  # a contraction in a tree, and the product that it becomes
_WIDTH_BYTES = 80  # a variable of the scope of such a product
_LEAF_BYTES = 130  # a table that is contracted


def ordering_bytes(scopes: Collection[Scope]) -> tuple[int, int]:
    """Bytes of planning the elimination of tables: those that stay, at least; and of the search and
    the draft, at most."""
    places = sum(map(len, scopes))
    variables = min(places, len({variable for scope in scopes for variable in scope}))
    passing = _VARIABLE_BYTES * variables + _PLACE_BYTES * places
    passing += _BITS_BYTES * min(variables, _FEW)
    draft = _DRAFT_BYTES * (len(scopes) + variables) + _LEAF_BYTES * len(scopes)
    return _STEP_BYTES * max(len(scopes) - 1, 0), max(passing, draft)


def contracting_bytes(tree: ContractionTree) -> int:
    """A bound on the bytes of a tree, and of the products that are made of it."""
    widths = sum(map(len, tree.scopes[tree.leaves :]))
    return _STEP_BYTES * len(tree.steps) + _WIDTH_BYTES * widths + _LEAF_BYTES * tree.leaves


def steps_bytes(count: int) -> int:
    """Bytes of narrow products, and of the contractions that they are made of."""
    return (_STEP_BYTES + _WIDTH_BYTES) * count
