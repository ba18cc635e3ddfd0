"""Plain elimination, as tensors: tables over labelled variables, contracted along a tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from liftgraph.inference.tensor.added_up import added_up
from liftgraph.inference.tensor.contraction import contracted
from liftgraph.inference.tensor.contraction_tree import ContractionTree
from liftgraph.inference.tensor.tensors import Adding, Convolution, Product, Tensor


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
    gone = _steps_of_elimination(tree)
    if any(isinstance(table, Adding) for table in tables):
        return Section(tree, variables, *added_up(tree, tables, gone))
    tensors, products = list(tables), list[Product | Convolution]()
    scopes, sizes, lengths = list(tree.scopes[: tree.leaves]), tree.sizes, tree.entries
    for (left_index, right_index, summed), cost in zip(tree.steps, tree.costs, strict=True):
        left = tensors[left_index], scopes[left_index], lengths[left_index]
        right = None
        if right_index is not None:
            right = tensors[right_index], scopes[right_index], lengths[right_index]
        product = contracted(left, right, summed, sizes, gone, cost)
        tensors.append(product)
        products.append(product)
        scopes.append(product.out)
    return Section(tree, variables, tensors, products)


def _steps_of_elimination(tree: ContractionTree) -> list[int]:
    """The step after which each variable is gone, by label; kept ones are never."""
    steps = [len(tree.steps)] * len(tree.sizes)
    for step, contraction in enumerate(tree.steps):
        for label in contraction.eliminated:
            steps[label] = step
    return steps
