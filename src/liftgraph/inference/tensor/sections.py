"""Plain elimination, as tensors: tables over labelled variables, contracted along a tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from liftgraph.inference.tensor.contraction import natural_arrangement
from liftgraph.inference.tensor.contraction_tree import ContractionTree
from liftgraph.inference.tensor.convolution import convolution, put_off
from liftgraph.inference.tensor.tensors import (
    Adding,
    Convolution,
    Product,
    Scope,
    Tensor,
    entries,
    product_of,
)

MULTIPLY, SUM_OUT = "multiply", "sum out"


@dataclass(frozen=True)
class Section:
    """Connected tables, and the products that eliminate their variables.

    ``tree``: the contractions, over labels; ``variables``: what each label stands for. ``tensors``:
    those of the tables, then of each contraction; ``products``: only the latter, without those that
    convolutions take the place of.
    """

    tree: ContractionTree
    variables: Sequence[int]
    tensors: list[Tensor]
    products: list[Product | Convolution]

    @property
    def work(self) -> int:
        """Multiplications in all."""
        convolved = any(isinstance(product, Convolution) for product in self.products)
        if convolved:
            return sum([product.work for product in self.products])
        return self.tree.operations

    @property
    def largest(self) -> int:
        """Entries of the largest table."""
        made = [tensor.entries for tensor in self.tensors if not isinstance(tensor, Adding)]
        return max(made, default=1)

    @property
    def kept(self) -> tuple[int, ...]:
        """The variables of the axes of the result."""
        scope = self.products[-1].out if self.products else self.tree.scopes[-1]
        return tuple([self.variables[label] for label in scope])

    @property
    def result(self) -> Tensor:
        """What is left in the end."""
        return self.tensors[-1]


def section(tree: ContractionTree, variables: Sequence[int], tables: Sequence[Tensor]) -> Section:
    """The tensors of an elimination. ``tables``: those that the tree starts from.

    The axes of a product have an order that suits the steps that make and use it.
    """
    waiting = put_off(tree, tables)
    added = {adding for _, adding in waiting.values()}
    tensors = [_evaluated(table, index in added) for index, table in enumerate(tables)]
    products = list[Product | Convolution]()
    scopes, sizes, lengths = list(tree.scopes[: tree.leaves]), tree.sizes, tree.entries
    gone = _steps_of_elimination(tree)
    for index, ((left_index, right_index, summed), cost) in enumerate(
        zip(tree.steps, tree.costs, strict=True), tree.leaves
    ):
        if index in waiting:
            tensors.append(tensors[waiting[index][1]])
            scopes.append(tree.scopes[index])
            continue
        if right_index is not None and waiting.keys() & {left_index, right_index}:
            step, other = sorted((left_index, right_index), key=lambda i: i not in waiting)
            first, adding = waiting[step]
            terms = (tensors[first], scopes[first]), (tensors[other], scopes[other])
            added_up = convolution(*terms, tree.scopes[adding], sizes)
            products += _rest_summed(added_up, summed)
            tensors.append(products[-1])
            scopes.append(products[-1].out)
            continue
        if right_index is None:
            right, right_scope, right_length = None, summed, entries(summed, sizes)
        else:
            right, right_scope = tensors[right_index], scopes[right_index]
            right_length = lengths[right_index]
        left, left_scope = tensors[left_index], scopes[left_index]
        forward, out = natural_arrangement(
            (left_scope, right_scope), (lengths[left_index], right_length), summed, sizes, gone
        )
        product = Product(
            forward.shape,
            left.bits + forward.growth + (right.bits if right is not None else 0),
            SUM_OUT if summed else MULTIPLY,
            left,
            left_scope,
            right,
            right_scope,
            out,
            summed,
            sizes,
            cost,
            {"forward": forward},
        )
        tensors.append(product)
        products.append(product)
        scopes.append(out)
    return Section(tree, variables, tensors, products)


def _steps_of_elimination(tree: ContractionTree) -> list[int]:
    """The step after which each variable is gone, by label; kept ones are never."""
    steps = [len(tree.steps)] * len(tree.sizes)
    for step, contraction in enumerate(tree.steps):
        for label in contraction.eliminated:
            steps[label] = step
    return steps


def _evaluated(table: Tensor, added: bool) -> Tensor:
    """A table that is evaluated, unless it only adds, and convolutions do that."""
    if added or not isinstance(table, Adding):
        return table
    return Tensor(table.shape, table.bits, table.operator)


def _rest_summed(tensor: Convolution, summed: Scope) -> list[Product | Convolution]:
    """A convolution, and the sum over what else is summed out with it."""
    rest = tuple([label for label in summed if label not in tensor.summed])
    if not rest:
        return [tensor]
    kept = tuple([label for label in tensor.out if label not in rest])
    return [tensor, product_of(SUM_OUT, tensor, tensor.out, None, rest, kept)]
