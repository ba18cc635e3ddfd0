"""What is asked of tables: where the maximum over some variables of the sum over all others is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import NamedTuple

from liftgraph.inference.tensor.memory import VALUE_BYTES
from liftgraph.inference.tensor.operation_memory import PAIR_BYTES, integer_bytes
from liftgraph.inference.tensor.tensors import Adding, Scope, Sizes, Tensor
from liftgraph.semiring import Normalised
from liftgraph.semiring.pairs import plus
from liftgraph.semiring.protocol import Number

Weight = tuple[Number, int | None]  # its natural logarithm, and the weight itself if it is exact


@dataclass(frozen=True)
class Problem:
    """Tables over variables, which are called by labels.

    ``scopes``: the variables of each table; ``sizes``: the number of values of each variable.
    ``asked``: those that are maximised; all others are summed out. ``ways``: for an asked variable
    that counts, how many joint states each of its values stands for. These all have the same
    weight: each counts in the total weight, and one of them in a maximum.
    """

    tables: Sequence[Tensor]
    scopes: Sequence[Scope]
    sizes: Sizes
    asked: frozenset[int]
    ways: Mapping[int, Tensor] = field(default_factory=dict)


class Found(NamedTuple):
    """A value for each asked variable, by label; the weight of this joint state, and of all."""

    states: dict[int, int]
    weight: Weight
    total: Weight


def total_of(parts: Iterable[Normalised]) -> Weight:
    """The product of the sums of some tables."""
    sums = [(part.log_sum, part.sum) for part in parts]
    integers = [number for _, number in sums if number is not None]
    exact = prod(integers) if len(integers) == len(sums) else None
    return plus((0.0, 0.0), *[log_sum for log_sum, _ in sums]), exact


def whole(table: Tensor) -> Tensor:
    """A table that can be evaluated: also one that only adds, whose place convolutions take."""
    return Tensor(table.shape, table.bits, table.operator) if isinstance(table, Adding) else table


def copy_bytes(tensor: Tensor, exact: bool) -> int:
    """Bytes of a table that is kept, and of its logarithms for maxima."""
    width = integer_bytes(tensor.bits) + 8 if exact else 4 * PAIR_BYTES
    return VALUE_BYTES + width * tensor.entries
