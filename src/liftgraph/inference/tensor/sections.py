"""Plain elimination, as tensors: tables over labelled variables, contracted along a tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from liftgraph.inference.tensor.contraction import shape_of
from liftgraph.inference.tensor.contraction_tree import ContractionTree
from liftgraph.inference.tensor.tensors import Product, Tensor, product_bits

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
        return tuple([self.variables[label] for label in self.tree.scopes[-1]])

    @property
    def result(self) -> Tensor:
        """What is left in the end."""
        return self.tensors[-1]


def section(tree: ContractionTree, variables: Sequence[int], tables: Sequence[Tensor]) -> Section:
    """The tensors of an elimination. ``tables``: those that the tree starts from."""
    tensors, products = list(tables), list[Product]()
    scopes, sizes = tree.scopes, tree.sizes
    for out, step in zip(scopes[tree.leaves :], tree.steps, strict=True):
        left_index, right_index, summed = step
        left = tensors[left_index]
        right = None if right_index is None else tensors[right_index]
        product = Product(
            shape=shape_of(out, sizes),
            bits=product_bits(left, right, summed, sizes),
            operator=SUM_OUT if summed else MULTIPLY,
            left=left,
            left_scope=scopes[left_index],
            right=right,
            right_scope=summed if right_index is None else scopes[right_index],
            out=out,
            summed=summed,
            sizes=sizes,
        )
        tensors.append(product)
        products.append(product)
    return Section(tree, variables, tensors, products)
