"""Elimination with tables that only add: they are never made, where convolutions do their work.

A table that is one where a + b = c has as many entries as its three variables have values together.
Summing a out of its product with another tensor is put off. Whatever else that product is
multiplied with, if it has neither b nor c, is multiplied with the tensor instead; and once it is
b (or c) that is summed out, both sums are one convolution. Where a tensor with a and one with b are
multiplied first, and a and b are summed out together afterwards, the convolution comes first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from liftgraph.inference.tensor.contraction import Operand, contracted
from liftgraph.inference.tensor.contraction_tree import Contraction, ContractionTree
from liftgraph.inference.tensor.convolution import convolution
from liftgraph.inference.tensor.tensors import (
    Adding,
    Convolution,
    Product,
    Scope,
    Tensor,
    entries,
)


def guide(
    scopes: Sequence[Scope], adds: Sequence[bool], sizes: Sequence[int]
) -> tuple[list[Scope], list[int]] | None:
    """Scopes and sizes to compare orders by, where tables only add: convolutions replace them.

    In a + b = c, neither a nor b is in the way of summing the other one out. Sums of many terms
    have many values, but few for their terms; so each counts as the number of its binary digits.
    """
    if not any(adds):
        return None
    compared, weighed = list[Scope](), list(sizes)
    for scope, only_adds in zip(scopes, adds, strict=True):
        if not only_adds:
            compared.append(scope)
            continue
        first, second, total = scope
        compared += [(first, total), (second, total)]
        for variable in scope:
            weighed[variable] = sizes[variable].bit_length() + 1
    return compared, weighed


class _PutOff(NamedTuple):
    """The product of a tensor and a table that adds, less the variable that both have.

    ``adding``: the index of that table.
    """

    tensor: Tensor
    scope: Scope
    adding: int


_Made = tuple[Tensor, Scope] | _PutOff


def added_up(
    tree: ContractionTree, tables: Sequence[Tensor], gone: Sequence[int]
) -> tuple[list[Tensor], list[Product | Convolution]]:
    """The tensors of the tables and of all contractions; and those that are computed."""
    draft = _Draft(tree, list(tables), gone)
    user = {tensor: step for step in tree.steps for tensor in step.operands}
    for index, step in enumerate(tree.steps, tree.leaves):
        draft.made.append(draft.contract(step, user.get(index)))
    tensor, _ = draft.whole(len(draft.made) - 1)
    others = [made[0] for made in draft.made[tree.leaves : -1]]
    return [*draft.tables, *others, tensor], draft.products


class _Draft:
    """What was made so far: the tables, and a tensor or something put off for each contraction."""

    def __init__(self, tree: ContractionTree, tables: list[Tensor], gone: Sequence[int]) -> None:
        self.tree, self.tables, self.gone = tree, tables, gone
        self.products: list[Product | Convolution] = []
        self.anticipated: set[Contraction] = set()
        scopes = tree.scopes[: tree.leaves]
        self.made: list[_Made] = list(zip(tables, scopes, strict=True))

    def contract(self, step: Contraction, use: Contraction | None) -> _Made:
        """What a contraction makes, or puts off. ``use``: the one that uses it."""
        if step in self.anticipated:
            return next(self.made[i] for i in step.operands if not self._only_adds(i))
        if use is not None and (added := self._convolved_first(step, use)) is not None:
            return added
        for first, second in (step.operands, step.operands[::-1]) if step.right is not None else ():
            if self._only_adds(first) and not self._is_put_off(second):
                tensor, scope = self.whole(second)
                common = _common(self.tree.scopes[first], scope)
                if len(common) == 1 and common == step.eliminated:
                    return _PutOff(tensor, scope, first)
        for first, second in (step.operands, step.operands[::-1]) if step.right is not None else ():
            put_off = self.made[first]
            if isinstance(put_off, _PutOff) and not self._is_put_off(second):
                made = self._continued(put_off, self.whole(second), step.eliminated)
                if made is not None:
                    return made
        left, *right = [self.whole(operand) for operand in step.operands]
        return self._multiplied(left, right[0] if right else None, step.eliminated)

    def _convolved_first(self, step: Contraction, use: Contraction) -> _Made | None:
        """Two tensors and the table that adds in the next contraction, as a convolution."""
        adding = next((index for index in use.operands if self._only_adds(index)), None)
        if adding is None or step.right is None or any(map(self._only_adds, step.operands)):
            return None
        labels = self.tree.scopes[adding]
        first, second = [_common(labels, self.tree.scopes[index]) for index in step.operands]
        pair = {*first, *second}
        if len(first) != 1 or len(second) != 1 or len(pair) != 2 or not pair <= {*use.eliminated}:
            return None
        self.anticipated.add(use)
        parts = self.whole(step.left), self.whole(step.right)
        return self._convolved(*parts, labels, (*step.eliminated, *use.eliminated))

    def _convolved(
        self,
        first: tuple[Tensor, Scope],
        second: tuple[Tensor, Scope],
        adding: Scope,
        summed: Scope,
    ) -> tuple[Tensor, Scope]:
        """The convolution of two tensors, and the sum over what else is summed out."""
        added = convolution(first, second, adding, self.tree.sizes)
        self.products.append(added)
        rest = tuple([label for label in summed if label not in added.summed])
        return self._multiplied((added, added.out), None, rest) if rest else (added, added.out)

    def _only_adds(self, index: int) -> bool:
        return index < self.tree.leaves and isinstance(self.tables[index], Adding)

    def _is_put_off(self, index: int) -> bool:
        return isinstance(self.made[index], _PutOff)

    def _continued(
        self, put_off: _PutOff, other: tuple[Tensor, Scope], summed: Scope
    ) -> _Made | None:
        """What has been put off times another tensor, unless the table has to be made for it."""
        adding = self.tree.scopes[put_off.adding]
        left = [label for label in adding if label not in put_off.scope]
        shared = _common(left, other[1])
        if not shared and not _common(left, summed):
            tensor, scope = self._multiplied(put_off[:2], other, summed)
            return _PutOff(tensor, scope, put_off.adding)
        if len(shared) != 1 or _common(left, summed) != shared:
            return None
        if _common(adding, other[1]) != shared:
            return None
        return self._convolved(put_off[:2], other, adding, summed)

    def whole(self, index: int) -> tuple[Tensor, Scope]:
        """A tensor; what has been put off is made up for, and a table that adds is evaluated."""
        if self._only_adds(index):
            table = self.tables[index]
            self.tables[index] = Tensor(table.shape, table.bits, table.operator)
            self.made[index] = self.tables[index], self.tree.scopes[index]
        made = self.made[index]
        if isinstance(made, _PutOff):
            adding = self.whole(made.adding)
            made = self._multiplied(made[:2], adding, _common(adding[1], made.scope))
            self.made[index] = made
        return made

    def _multiplied(
        self, left: tuple[Tensor, Scope], right: tuple[Tensor, Scope] | None, summed: Scope
    ) -> tuple[Tensor, Scope]:
        sizes = self.tree.sizes
        joint = {*left[1], *(() if right is None else right[1])}
        operands = [_operand(part) for part in (left, right) if part is not None]
        second = operands[1] if len(operands) == 2 else None
        cost = entries([*joint], sizes)
        product = contracted(operands[0], second, summed, sizes, self.gone, cost)
        self.products.append(product)
        return product, product.out


def _operand(part: tuple[Tensor, Scope]) -> Operand:
    return (*part, part[0].entries)


def _common(scope: Sequence[int], other: Sequence[int]) -> Scope:
    """The variables of the first scope that the second one has, too."""
    return tuple([label for label in scope if label in other])
