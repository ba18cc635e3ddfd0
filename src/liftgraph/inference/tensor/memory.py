"""How many bytes evaluating tensors will take, forwards and backwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from liftgraph.inference.tensor.evaluation import powers_to_come
from liftgraph.inference.tensor.operation_memory import (
    FLOAT_BYTES,
    LOGARITHM_BYTES,
    LOGARITHMS,
    PAIR_BYTES,
    PLAIN,
    PRECISE,
    Numbers,
    contraction_bytes,
    convolution_bytes,
    digit_bytes,
    floats_of,
    given_floats,
    integer_bytes,
    integers,
    kept_logarithm_bytes,
    logarithm_bytes,
    maxima,
    working_bytes,
)
from liftgraph.inference.tensor.tensors import (
    Convolution,
    Given,
    Powers,
    Product,
    Root,
    Take,
    Tensor,
    last_uses,
    power_bits,
)
from liftgraph.semiring import CHUNK, choose_semiring

BASE_BYTES = 30_000  # what any answer takes, however small: logarithms to many digits alone
TENSOR_BYTES = 350  # what evaluation notes about a tensor: when it is used, and how much it reads
VALUE_BYTES = 500  # the objects around the entries of a value or of an adjoint
_PATIENT_BITS = 1 << 24  # of integers that stay exact before powers, in all
# Bytes of an entry and of all that may exist of it at a time: a quick bound.
_ROUGH_COPIES = 12
_ROUGH_FLOATS = 80 * FLOAT_BYTES + LOGARITHM_BYTES


def rough_peak_bytes(order: Sequence[Tensor], exact: bool, entries_before: int = 0) -> int:
    """A bound on the peak that is quick to compute, forwards or backwards.

    ``entries_before``: those of the tensors that exist from the start.
    """
    bits = max([tensor.bits for tensor in order], default=0)
    entries = entries_before + sum([tensor.entries for tensor in order])
    width = _ROUGH_FLOATS + (_ROUGH_COPIES * integer_bytes(bits) if exact else 0)
    raised = [t for t in order if not isinstance(t, Product | Convolution | Given)]
    extra = sum([_rough_extra_bytes(tensor, bits) for tensor in raised])
    if raised and not exact:
        extra += sum([digit_bytes(min(t.bits * t.work, _PATIENT_BITS)) for t in order])
    chunk = (integer_bytes(bits) if exact else 8 * FLOAT_BYTES) * CHUNK
    objects = (TENSOR_BYTES + 3 * VALUE_BYTES) * len(order)
    return BASE_BYTES + width * entries + chunk + objects + extra


def _rough_extra_bytes(tensor: Tensor, bits: int) -> int:
    return 2 * working_bytes(tensor, integers(bits)) + 2 * working_bytes(tensor, PRECISE)


def peak_bytes(
    order: Sequence[Tensor],
    roots: Sequence[Root] = (),
    *,
    exact: bool,
    maximises: bool = False,
    keeping: bool = False,
    backwards: bool = False,
) -> int:
    """A bound on the bytes that tensors take at a time; those not in ``order`` exist before.

    ``roots``: the results, and how often they occur; ``maximises``: whether maxima are taken
    instead of sums; ``keeping``: whether every value is kept to the end; ``backwards``: whether
    the total weight is then traced back.
    """
    numbers = _numbers(order, roots, exact, maximises)
    sizes = {t: VALUE_BYTES + t.entries * _kept_width(numbers[t], exact) for t in order}
    last_use = {} if keeping else last_uses(order)
    live = peak = 0
    for tensor, size in sizes.items():
        peak = max(peak, live + _converting_bytes(tensor, numbers) + _working(tensor, numbers))
        live += size
        for operand in tensor.operands if last_use else ():
            if last_use.get(operand) is tensor:
                live -= sizes.get(operand, 0)
                del last_use[operand]
    if backwards:
        peak = max(peak, _peak_backwards(sizes, numbers, exact))
    kept = 0 if exact else _kept_logarithm_bytes(order, numbers, backwards)
    return BASE_BYTES + max(peak, live) + TENSOR_BYTES * len(order) + kept


def _working(tensor: Tensor, numbers: Mapping[Tensor, Numbers]) -> int:
    return VALUE_BYTES + working_bytes(tensor, numbers[tensor])


def _kept_width(numbers: Numbers, exact: bool) -> int:
    """Bytes of an entry while its tensor is used; integers may get logarithms beside them."""
    converted = numbers.kind == "integers" and not exact
    return numbers.width + PAIR_BYTES * converted


def _numbers(
    order: Sequence[Tensor], roots: Sequence[Root], exact: bool, maximises: bool
) -> dict[Tensor, Numbers]:
    """What the entries of each tensor are."""
    if exact:
        return {tensor: integers(tensor.bits) for tensor in order}
    if maximises:
        return dict.fromkeys(order, maxima(power_bits(order)))
    powers = powers_to_come(order, roots)
    semiring = choose_semiring("sum", exact=False)
    numbers: dict[Tensor, Numbers] = {}
    for tensor in order:
        kinds = [_of(operand, numbers).kind for operand in tensor.operands]
        in_integers = tensor in powers and all(kind == "integers" for kind in kinds)
        if in_integers and semiring.stays_exact(tensor.bits * tensor.work, powers[tensor]):
            numbers[tensor] = integers(tensor.bits)
        elif semiring.before(powers.get(tensor, 1)) is not semiring:
            numbers[tensor] = PRECISE
        else:
            numbers[tensor] = floats_of(tensor, all(kind == "plain" for kind in kinds))
    return numbers


def _of(tensor: Tensor, numbers: Mapping[Tensor, Numbers]) -> Numbers:
    """What the entries of a tensor are; one that is in no order is a given table."""
    return numbers.get(tensor) or given_floats(tensor.bits)


def _converting_bytes(tensor: Tensor, numbers: Mapping[Tensor, Numbers]) -> int:
    """Bytes of logarithms of operands that stayed integers until now."""
    if numbers[tensor].kind == "integers":
        return 0
    return _logarithms_bytes(_integer_operands(tensor, numbers))


def _logarithms_bytes(tensors: Sequence[Tensor]) -> int:
    entries = sum([tensor.entries for tensor in tensors])
    return logarithm_bytes(entries) + 12 * FLOAT_BYTES * entries


def _integer_operands(tensor: Tensor, numbers: Mapping[Tensor, Numbers]) -> list[Tensor]:
    return [t for t in tensor.operands if t in numbers and numbers[t].kind == "integers"]


def _kept_logarithm_bytes(
    order: Sequence[Tensor], numbers: Mapping[Tensor, Numbers], backwards: bool
) -> int:
    """Bytes of the logarithms of integers that are kept for later; backwards, all become ones."""
    taken = set[Tensor]()
    for tensor in order:
        if numbers[tensor].kind in ("maxima", "logarithms", "precise"):
            given = isinstance(tensor, Given)
            taken.update([tensor] if given else _integer_operands(tensor, numbers))
        elif numbers[tensor].kind == "integers" and backwards:
            taken.add(tensor)
    return kept_logarithm_bytes([tensor.entries for tensor in taken])


def _peak_backwards(sizes: dict[Tensor, int], numbers: dict[Tensor, Numbers], exact: bool) -> int:
    """The bound for the backward pass, where values are dropped and adjoints are waiting.

    An adjoint has entries as long as the total weight. What comes back to a tensor that is not in
    the order is used at once.
    """
    bits = max([tensor.bits for tensor in sizes], default=0)
    plain = all(of.kind == "plain" for of in numbers.values())
    adjoint = integers(bits) if exact else PLAIN if plain else LOGARITHMS
    used = {operand for tensor in sizes for operand in tensor.operands}
    reached = {tensor for tensor in sizes if tensor not in used}
    waiting = sum([_adjoint_bytes(tensor, adjoint) for tensor in reached])
    live, peak = sum(sizes.values()), 0
    for tensor in reversed(sizes):
        sent = [t for t in set(tensor.operands) if t not in reached and t in sizes]
        reached.update(sent)
        waiting += sum([_adjoint_bytes(operand, adjoint) for operand in sent])
        converted = [] if exact else _integer_operands(tensor, numbers)
        sending = _sending_bytes(tensor, adjoint) + _logarithms_bytes(converted)
        peak = max(peak, live + waiting + sending)
        live -= sizes[tensor]
        waiting -= _adjoint_bytes(tensor, adjoint)
    return peak


def _adjoint_bytes(tensor: Tensor, numbers: Numbers) -> int:
    return VALUE_BYTES + numbers.width * tensor.entries


def _sending_bytes(tensor: Tensor, numbers: Numbers) -> int:
    """Bytes that sending adjoints or flows back to the operands of a tensor takes.

    First its own adjoint or flow is computed, then what is sent; then distributions are read off
    it, if it is sent to a given table.
    """
    own, largest = tensor.entries, max([t.entries for t in tensor.operands], default=0)
    made = _own_bytes(largest, numbers)
    match tensor:
        case Product():
            other = max(tensor.work // max(own, 1), largest)
            made += contraction_bytes(own, other, largest, tensor.work, numbers)
        case Convolution():
            made += 2 * convolution_bytes(tensor, numbers)
        case Powers():
            exponents = tensor.work // max(tensor.grouped[0], 1)
            weighed = numbers.width * tensor.work * (numbers.kind == "integers")
            made += tensor.exponents.working_bytes + 48 * exponents + weighed
        case Take():
            made += tensor.lookup.working_bytes
    return 3 * VALUE_BYTES + numbers.width * own + max(_own_bytes(own, numbers), made)


def _own_bytes(entries: int, numbers: Numbers) -> int:
    """Bytes of the flow through a tensor or its adjoint, and what it takes to compute these."""
    if numbers.kind == "integers":
        return (2 * numbers.width + 3 * FLOAT_BYTES) * entries
    return (3 if numbers.kind == "plain" else 14) * FLOAT_BYTES * entries
