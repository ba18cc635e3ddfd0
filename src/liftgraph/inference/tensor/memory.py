"""How many bytes evaluating tensors will take."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from liftgraph.inference.tensor.tensors import (
    Multinomials,
    Powers,
    Product,
    Take,
    Tensor,
    last_uses,
)
from liftgraph.semiring import CHUNK

FLOAT_BYTES = 8
INTEGER_BYTES = 48  # a pointer and an integer without its digits
OBJECT_BYTES = 1500  # what Python needs for a tensor or a variable's answer, however small
ANSWER_COPIES = 5  # of the asked distribution: weights, probabilities, fractions
_PAIR_BYTES = 16  # a logarithm and its rounding error
_COPIES = 6  # of a result and its operands, at most, while it is computed
_EXACT_COPIES = 3  # of a product in integers: a sum so far, another part, and both together


def digit_bytes(bits: int) -> int:
    """Bytes of the digits of an integer: Python keeps 30 bits in 4 bytes."""
    return bits // 7 + 4


def entry_bytes(order: Sequence[Tensor], exact: bool) -> Callable[[int], int]:
    """Bytes of an entry of this many bits; without powers, logarithms have no rests."""
    if exact:
        return lambda bits: INTEGER_BYTES + digit_bytes(bits)
    raised = any(isinstance(tensor, Powers | Multinomials) for tensor in order)
    width = _PAIR_BYTES if raised else FLOAT_BYTES
    return lambda bits: width


def rough_peak_bytes(order: Sequence[Tensor], exact: bool, entries_before: int = 0) -> int:
    """A bound on the peak that is quick to compute, forwards or backwards.

    An entry never takes more than its value, its adjoint and its copies as an operand and as a
    result. ``entries_before``: those of the tensors that exist from the start.
    """
    bits = max([tensor.bits for tensor in order], default=0)
    entries = entries_before + sum([tensor.entries for tensor in order])
    width = INTEGER_BYTES + digit_bytes(bits) if exact else _PAIR_BYTES
    copied = _COPIES * FLOAT_BYTES + 2 * (1 + _COPIES) * width
    extra = sum([_extra_bytes(tensor) for tensor in order if not isinstance(tensor, Product)])
    return copied * entries + width * CHUNK + OBJECT_BYTES * len(order) + extra


def peak_bytes(
    order: Sequence[Tensor], *, exact: bool, keeping: bool = False, backwards: bool = False
) -> int:
    """A bound on the bytes that tensors take at a time; those not in ``order`` exist before.

    ``keeping``: whether every value is kept to the end; ``backwards``: whether the total weight
    is then traced back.
    """
    width = entry_bytes(order, exact)
    sizes = {tensor: tensor.entries * width(tensor.bits) for tensor in order}
    extra = {tensor: _extra_bytes(tensor) for tensor in order}
    last_use = {} if keeping else last_uses(order)
    live = peak = 0
    for tensor, size in sizes.items():
        working = _working_bytes(tensor, width(tensor.bits), exact) + extra[tensor]
        peak = max(peak, live + working)
        live += size
        for operand in tensor.operands if last_use else ():
            if last_use.get(operand) is tensor:
                live -= sizes.get(operand, 0)
                del last_use[operand]
    if backwards:
        peak = max(peak, _peak_backwards(sizes, extra, width, exact))
    return max(peak, live) + OBJECT_BYTES * len(order)


def _peak_backwards(
    sizes: dict[Tensor, int], extra: dict[Tensor, int], width: Callable[[int], int], exact: bool
) -> int:
    """The bound for the backward pass, where values are dropped and adjoints are waiting.

    An adjoint has entries as long as the total weight.
    """
    long = width(max([tensor.bits for tensor in sizes], default=0))
    copies = _EXACT_COPIES if exact else _COPIES
    used = {operand for tensor in sizes for operand in tensor.operands}
    reached = {tensor for tensor in sizes if tensor not in used}
    waiting = long * sum([tensor.entries for tensor in reached])
    live, peak = sum(sizes.values()), 0
    for tensor in reversed(sizes):
        sent = [operand for operand in set(tensor.operands) if operand not in reached]
        reached.update(sent)
        waiting += long * sum([operand.entries for operand in sent])
        working = _working_bytes(tensor, long, exact) + extra[tensor]
        largest = max([operand.entries for operand in tensor.operands], default=0)
        peak = max(peak, live + waiting + working + copies * long * largest)
        live -= sizes[tensor]
        waiting -= long * tensor.entries
    return peak


def _working_bytes(tensor: Tensor, width: int, exact: bool) -> int:
    """Bytes that computing a tensor takes, with its value but without its operands."""
    result_bytes = tensor.entries * width
    operands = sum([operand.entries for operand in tensor.operands])
    if isinstance(tensor, Product):
        # Long integers are not copied with the arrays that point to them.
        chunk = width * min(CHUNK, tensor.work)
        copies = _EXACT_COPIES if exact else _COPIES
        return _COPIES * FLOAT_BYTES * operands + copies * result_bytes + chunk
    return _COPIES * result_bytes + width * operands


def _extra_bytes(tensor: Tensor) -> int:
    """Bytes of exponents, places or counts that exist while a tensor is computed."""
    match tensor:
        case Powers():
            return tensor.exponents.working_bytes
        case Take():
            return tensor.lookup.working_bytes
        case Multinomials():
            return 16 * tensor.work
    return 0
