"""How many bytes computing one tensor from its operands takes, in each kind of numbers.

The factors count the arrays that exist at the same time in the functions of ``semiring``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import lgamma, log
from typing import Any, Literal

from numpy.typing import NDArray

from liftgraph.inference.tensor.tensors import (
    Convolution,
    Given,
    Multinomials,
    Powers,
    Product,
    Take,
    Tensor,
)
from liftgraph.semiring import CHUNK, MAX_PAIRS, choose_semiring
from liftgraph.semiring.multinomials import BLOCK
from liftgraph.semiring.scaled import COPIES

FLOAT_BYTES = 8
CACHED_LOGARITHMS = 4096  # kept for the next table with the same integers
LOGARITHM_BYTES = 500  # a logarithm to many digits, and its place where it is kept
FEW_LOGARITHMS = 1 << 13  # entries of a table that get logarithms to many digits
PAIR_BYTES = 16  # a logarithm and its rounding error
_ONES_BYTES = 200  # one of the ones that a tensor is summed with, while it becomes a logarithm
_POINTER_BYTES = 8
_INTEGER_BYTES = 44  # a pointer, and an integer without most of its digits, as allocated
_PLAIN_BITS = 990  # integers up to this length, and their products, are kept as plain floats
_PLAIN_GIVEN_BITS = 499  # likewise, integers of a given table

# Integers; floats that are certainly plain, or may be logarithms; logarithms of twice the digits,
# for very high powers; logarithms to be maximised.
Kind = Literal["integers", "plain", "logarithms", "precise", "maxima"]


@dataclass(frozen=True, slots=True)
class Numbers:
    """What the entries of a tensor are, and how many bytes each takes."""

    kind: Kind
    width: int


PLAIN, LOGARITHMS = Numbers("plain", FLOAT_BYTES), Numbers("logarithms", PAIR_BYTES)
PRECISE, MAXIMA = Numbers("precise", PAIR_BYTES), Numbers("maxima", FLOAT_BYTES)


def integers(bits: int) -> Numbers:
    """Integers of at most this many bits."""
    return Numbers("integers", integer_bytes(bits))


def integer_bytes(bits: int) -> int:
    """Bytes of an integer and a pointer to it: Python keeps 30 bits in 4 bytes."""
    return _INTEGER_BYTES + digit_bytes(bits)


def digit_bytes(bits: int) -> int:
    """Bytes of the digits of an integer."""
    return 4 * (bits // 30 + 1)


def maxima(bits: int) -> Numbers:
    """What entries are in log space if they are to be maximised: pairs for long powers."""
    return LOGARITHMS if choose_semiring("maximum", exact=False, bits=bits) is MAX_PAIRS else MAXIMA


def floats_of(tensor: Tensor, operands_plain: bool) -> Numbers:
    """What the entries of a tensor are in log space.

    Integers are at least 1 where they are not 0, so that their number of bits bounds the range of
    their logarithms, and of those of their products and sums.
    """
    if isinstance(tensor, Given):
        return given_floats(tensor.bits)
    kinds = Product | Convolution | Take
    plain = isinstance(tensor, kinds) and operands_plain and tensor.bits <= _PLAIN_BITS
    return PLAIN if plain else LOGARITHMS


def given_floats(bits: int) -> Numbers:
    """What the entries of a given table are in log space."""
    return PLAIN if bits <= _PLAIN_GIVEN_BITS else LOGARITHMS


def working_bytes(tensor: Tensor, numbers: Numbers) -> int:
    """Bytes that computing a tensor takes, with its value but without its operands."""
    match tensor:
        case Given():
            return given_bytes(tensor.integers, numbers)
        case Product():
            ones = tensor.work // max(tensor.entries, 1)
            right = ones if tensor.right is None else tensor.right.entries
            sizes = tensor.left.entries, right, tensor.entries
            ones_bytes = _ONES_BYTES * ones * (tensor.right is None and numbers is PRECISE)
            return contraction_bytes(*sizes, tensor.work, numbers) + ones_bytes
        case Convolution():
            return convolution_bytes(tensor, numbers)
        case Powers():
            return _powers_bytes(tensor, numbers)
        case Take():
            arrays = tensor.operand.entries + 2 * tensor.entries
            return min(numbers.width, PAIR_BYTES) * arrays + tensor.lookup.working_bytes
        case Multinomials():
            return _multinomials_bytes(tensor, numbers)
    return 0


def given_bytes(table: NDArray[Any], numbers: Numbers) -> int:
    """Bytes that evaluating a table's integers takes, with their value."""
    match numbers.kind:
        case "integers":
            return (numbers.width + 2 * _POINTER_BYTES) * table.size
        case "plain":
            return FLOAT_BYTES * table.size
        case "maxima":
            return logarithm_bytes(table.size, table.dtype == object) + 6 * FLOAT_BYTES * table.size
    return logarithm_bytes(table.size, table.dtype == object) + 12 * FLOAT_BYTES * table.size


def logarithm_bytes(entries: int, objects: bool = True) -> int:
    """Bytes that taking logarithms of integers takes, beside arrays and what is kept for later."""
    if entries <= FEW_LOGARITHMS:
        return 130 * entries
    return 48 * entries if objects else 0


def kept_logarithm_bytes(tables: Iterable[int]) -> int:
    """Bytes of logarithms that are kept for later, of tables with these numbers of entries."""
    kept = min(sum([entries for entries in tables if entries <= FEW_LOGARITHMS]), CACHED_LOGARITHMS)
    return LOGARITHM_BYTES * kept


def contraction_bytes(left: int, right: int, result: int, work: int, numbers: Numbers) -> int:
    """Bytes that a product of two tensors with sums takes, given the entries of each.

    ``work``: the entries of the product before summing. A chunk of them exists at a time.
    """
    chunk = min(work, max(CHUNK, result))
    operands = left + right
    match numbers.kind:
        case "integers":
            summed = result if work <= result else 2 * result + chunk
            return _POINTER_BYTES * (operands + 2 * result) + numbers.width * summed
        case "plain":
            return FLOAT_BYTES * (operands + 2 * result)
        case "maxima":
            # The maximum so far, the last part's, and this one's beside its sums.
            return FLOAT_BYTES * (operands + 3 * result + chunk)
    summing = max(11 * result, 2 * result + 6 * chunk)
    if numbers.kind == "precise":  # exponentials of pairs are computed from many arrays
        part = min(work, max(CHUNK // COPIES, result))
        summing = max(8 * result + 28 * part, 4 * result + 7 * chunk)
    return FLOAT_BYTES * (4 * operands + max(6 * max(left, right), summing))


def convolution_bytes(tensor: Convolution, numbers: Numbers) -> int:
    """Bytes that adding up two variables takes, forwards or back to an operand.

    One operand gets zeros at both ends, and is read at all places that it is moved to.
    """
    largest = max(tensor.entries, *[operand.entries for operand in tensor.operands])
    work = tensor.work * len(tensor.summed)
    return contraction_bytes(tensor.entries, 3 * tensor.entries, largest, work, numbers)


def _powers_bytes(tensor: Powers, numbers: Numbers) -> int:
    exponents = tensor.work // max(tensor.grouped[0], 1)
    listed = tensor.exponents.working_bytes
    operand, result = tensor.operand.entries, tensor.entries
    if numbers.kind == "integers":
        # The powers that are multiplied have as many digits as their product, together.
        raised = _INTEGER_BYTES * tensor.work + 4 * numbers.width * result
        return listed + _INTEGER_BYTES * exponents + raised + _POINTER_BYTES * operand
    return listed + logarithm_bytes(operand) + FLOAT_BYTES * (exponents + 9 * operand + 14 * result)


def _multinomials_bytes(tensor: Multinomials, numbers: Numbers) -> int:
    individuals, listed = tensor.individuals, 16 * tensor.work
    if numbers.kind != "integers":
        block = 30 * min(individuals, BLOCK) * (numbers.kind == "precise")
        steps = 3 * individuals + block, 14 * individuals, 2 * individuals + 14 * tensor.entries
        return listed + FLOAT_BYTES * max(steps)
    bits = int(lgamma(individuals + 1) / log(2)) + 1
    factorials = (individuals + 1) * (_INTEGER_BYTES + digit_bytes(bits) * 2 // 3)
    return listed + factorials + _INTEGER_BYTES * tensor.work + numbers.width * tensor.entries
