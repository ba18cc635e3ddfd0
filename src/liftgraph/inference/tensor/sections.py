"""Plain elimination, as tensors: tables over labelled variables, contracted along a tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from liftgraph.inference.tensor.contraction import natural_arrangement
from liftgraph.inference.tensor.contraction_tree import ContractionTree
from liftgraph.inference.tensor.tensors import Product, Tensor, entries

MULTIPLY, SUM_OUT = "multiply", "sum out"


@dataclass(frozen=True)
class Section:
    """Connected tables, and the products that eliminate their variables.

    ``tree``: the contractions, over labels; ``variables``: what each label stands for. ``tensors``:
    those of the tables, then of each contraction; ``products``: only the latter.
    """

    tree: ContractionTree
    variables: Sequence[int]
    tensors: list[Tensor]
    products: list[Product]

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
    tensors, products = list(tables), list[Product]()
    scopes, sizes, lengths = list(tree.scopes[: tree.leaves]), tree.sizes, tree.entries
    gone = _steps_of_elimination(tree)
    for (left_index, right_index, summed), cost in zip(tree.steps, tree.costs, strict=True):
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
