"""How a part of a pattern is eliminated, once for all rows, and the memory that a row takes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from liftgraph.inference.ground.pieces import graph_pieces
from liftgraph.inference.rows.parts import Part, RowTable
from liftgraph.inference.tensor.contraction import shape_of
from liftgraph.inference.tensor.contraction_tree import BeyondMemoryError, contraction_tree
from liftgraph.inference.tensor.elimination_order import Search
from liftgraph.inference.tensor.sections import Section, section
from liftgraph.inference.tensor.tensors import Tensor
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.semiring.rows import SAFE

_TABLE_BYTES = 1500  # the objects around a table and its values
_PLAIN_BYTES = 8
_WIDE_BYTES = 16  # a float and its exponent
# How many arrays of the size of the operands, and of the result, a product takes beside them.
_PLAIN_COPIES, _WIDE_COPIES = (0, 1), (4, 10)


@dataclass(frozen=True)
class RowPlan:
    """The elimination of a part, for any rows.

    ``section``: its products, over free variables. ``tables``: what each given tensor is in each
    row. ``observed``: the variables whose states matter, in the order of the columns that
    ``run`` reads. ``asked``: the variable that is asked for. ``piece_entries``: those of
    the whole pieces that are looked up.
    """

    section: Section
    tables: dict[Tensor, RowTable]
    observed: tuple[int, ...]
    asked: int | None
    piece_entries: int

    @property
    def work(self) -> int:
        """Multiplications for each row."""
        return self.section.tree.operations

    @cached_property
    def row_bytes(self) -> int:
        """A bound on the bytes that a row takes, when many are computed at a time."""
        width, peak, live = self._width, 0, 0
        for product in self.section.products:  # each tensor is used once
            peak = max(peak, live + self._working(product))
            used = [tensor.entries for tensor in product.operands if tensor not in self.tables]
            live += width * (product.entries - sum(used))
        looked_up = 8 * (2 + len(self.observed))  # its states, and its place in a table
        result = 4 * width * self.section.result.entries
        return max(peak, live + result) + looked_up

    @property
    def fixed_bytes(self) -> int:
        """A bound on the bytes that are needed however few rows there are."""
        objects = _TABLE_BYTES * len(self.section.tensors)
        return 3 * self._width * self.piece_entries + objects

    @property
    def _width(self) -> int:
        return _PLAIN_BYTES if self._is_plain else _WIDE_BYTES

    @cached_property
    def _is_plain(self) -> bool:
        """Whether all numbers are certainly plain floats: they are sums of products of integers."""
        return max([tensor.bits for tensor in self.section.tensors]) < SAFE // 2

    def _working(self, product: Tensor) -> int:
        of_operands, of_result = _PLAIN_COPIES if self._is_plain else _WIDE_COPIES
        operands = sum([tensor.entries for tensor in product.operands])
        gathered = sum([tensor.entries for tensor in product.operands if tensor in self.tables])
        arrays = of_operands * operands + (1 + of_result) * product.entries
        return self._width * (arrays + gathered)


def plan_rows(graph: FactorGraph, part: Part, fitting: float) -> RowPlan:
    """Plan the elimination of all free variables of a part, except for the one that is asked for.

    ``fitting``: the entries of the largest table that memory can hold. Raises
    ``BeyondMemoryError`` where no order was found that needs none far larger.
    """
    free = sorted({variable for table in part.tables for variable in table.scope})
    label = {variable: place for place, variable in enumerate(free)}
    scopes = [tuple([label[variable] for variable in table.scope]) for table in part.tables]
    pieces = graph_pieces(graph)
    sizes = [pieces.sizes[variable] for variable in free]
    kept = () if part.asked is None else (label[part.asked],)
    try:
        tree = contraction_tree(scopes, sizes, kept, Search(fitting))
    except BeyondMemoryError as beyond:
        raise BeyondMemoryError(free[beyond.variable]) from None
    leaves = [
        Tensor(shape_of(scope, sizes), table.piece.bits, "given")
        for table, scope in zip(part.tables, scopes, strict=True)
    ]
    sources = {table.piece.source for table in part.tables}
    whole = [pieces.listed[s[0]].integers[s[1]].size for s in sources if s is not None]
    tables = dict(zip(leaves, part.tables, strict=True))
    return RowPlan(section(tree, free, leaves), tables, part.observed, part.asked, sum(whole))
