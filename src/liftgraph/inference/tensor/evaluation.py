"""Computing tensors from their operands, and tracing the total weight back to its sources."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.inference.tensor.contraction import contract, unit
from liftgraph.inference.tensor.counting import cell_counts
from liftgraph.inference.tensor.tensors import (
    Given,
    Multinomials,
    Powers,
    Product,
    Root,
    Take,
    Tensor,
)
from liftgraph.semiring import EXACT, LOG, FlowSemiring, Scaled, Semiring

Value = Any  # a tensor of the semiring, or in log space integers that are still short
Values = dict[int, Value]
Flow = NDArray[Any]
Progress = Callable[[float], None]

# Integers of so many bits in all stay integers in log space too: so they have no rounding errors
# yet that high powers could multiply. Before high powers, this is worth some time.
_IMPATIENT = 1 << 16
_PATIENT = 1 << 24
_HIGH_POWER = 64


def forward(
    semiring: Semiring[Any],
    order: Sequence[Tensor],
    roots: Iterable[Root],
    *,
    keeping: bool = False,
    progress: Progress = lambda done: None,
) -> Values:
    """The values of tensors by their id: of all if ``keeping``, else only those of the roots.

    Precondition: ``order`` lists operands before what is made from them.
    """
    last_use = {id(operand): tensor for tensor in order for operand in tensor.operands}
    for root in roots:
        last_use.pop(id(root.tensor), None)
    powered = _powers_to_come(order) if semiring is LOG else {}
    values: Values = {}
    done, total = 0, max(sum(tensor.work for tensor in order), 1)
    for tensor in order:
        values[id(tensor)] = value_of(semiring, tensor, values, powered.get(id(tensor), 1))
        for operand in tensor.operands:
            if not keeping and last_use.get(id(operand)) is tensor:
                values.pop(id(operand), None)
        done += tensor.work
        progress(done / total)
    return values


def _powers_to_come(order: Sequence[Tensor]) -> dict[int, int]:
    """To which power, at most, each tensor's entries are raised later on, by id."""
    powered: dict[int, int] = {}
    for tensor in reversed(order):
        own = powered.get(id(tensor), 1)
        times = tensor.exponents.total if isinstance(tensor, Powers) else 1
        for operand in tensor.operands:
            powered[id(operand)] = max(powered.get(id(operand), 1), own * times)
    return powered


def value_of(semiring: Semiring[Any], tensor: Tensor, values: Values, powered: int = 1) -> Value:
    """The value of a tensor, from those of its operands; ``powered``: how high powers follow."""
    own = EXACT if semiring is LOG and _stays_exact(tensor, values, powered) else semiring
    match tensor:
        case Given():
            return own.evaluate(tensor.integers)
        case Multinomials():
            return own.multinomials(cell_counts(tensor.number, tensor.cells))
        case Product():
            left = converted(own, values[id(tensor.left)])
            right, scope = _right(own, tensor, values)
            sizes = tensor.sizes
            return contract(own, left, tensor.left_scope, right, scope, tensor.out, sizes)
        case Powers():
            high = tensor.exponents.total > _HIGH_POWER
            value = converted(own, values[id(tensor.operand)], precisely=high)
            grouped = own.arrange(value, tensor.axes, tensor.grouped)
            return _shaped(own, own.powers(grouped, tensor.exponents.array()), tensor.shape)
        case Take():
            value = converted(own, values[id(tensor.operand)])
            grouped = own.arrange(value, tensor.axes, tensor.grouped)
            return _shaped(own, own.take(grouped, tensor.rows.array()), tensor.shape)
    raise TypeError(tensor)


def _stays_exact(tensor: Tensor, values: Values, powered: int) -> bool:
    size = tensor.bits * tensor.work
    return size <= (_PATIENT if powered > _HIGH_POWER else _IMPATIENT) and not any(
        isinstance(values[id(each)], Scaled) for each in tensor.operands
    )


def converted(semiring: Semiring[Any], value: Value, precisely: bool = False) -> Value:
    """A value as one of the semiring: integers become floats where they have to."""
    if semiring is not LOG or isinstance(value, Scaled):
        return value
    return LOG.precise(value) if precisely else LOG.evaluate(value)


def _right(semiring: Semiring[Any], tensor: Product, values: Values) -> tuple[Value, Any]:
    if tensor.right is not None:
        return converted(semiring, values[id(tensor.right)]), tensor.right_scope
    summed = tuple([label for label in tensor.left_scope if label not in tensor.out])
    return unit(semiring, tuple([tensor.sizes[label] for label in summed])), summed


def _shaped(semiring: Semiring[Any], value: Value, shape: tuple[int, ...]) -> Value:
    grouped = value.values.ndim if isinstance(value, Scaled) else value.ndim
    return semiring.arrange(value, tuple(range(grouped)), shape)


def flows(
    semiring: FlowSemiring[Any],
    order: Sequence[Tensor],
    roots: Iterable[Tensor],
    values: Values,
    wanted: Collection[int],
) -> dict[int, Flow]:
    """How much of the total weight passes through the entries of the wanted tensors, by id.

    The flow through an entry is what it contributes to the result: the entry times the derivative
    of the result by it (Darwiche 2003). Divided by the total weight it is how often, on average,
    the factors of a parfactor are in this entry. Precondition: ``values`` of a forward pass, all
    kept; ``roots``: the results, which have nothing to do with each other.
    """
    reaching: set[int] = set()
    for tensor in order:
        if id(tensor) in wanted or any(id(each) in reaching for each in tensor.operands):
            reaching.add(id(tensor))
    found: dict[int, Flow] = {}
    for root in roots:
        found[id(root)] = semiring.total(converted(semiring, values[id(root)]))
    for tensor in reversed(order):
        if id(tensor) not in found or id(tensor) not in reaching:
            continue
        flow = found[id(tensor)] if id(tensor) in wanted else found.pop(id(tensor))
        for operand, part in _sent_back(semiring, tensor, values, flow, reaching):
            known = found.get(id(operand))
            found[id(operand)] = part if known is None else known + part
    return found


def _sent_back(
    semiring: FlowSemiring[Any],
    tensor: Tensor,
    values: Values,
    flow: Flow,
    reaching: set[int],
) -> list[tuple[Tensor, Flow]]:
    """The flow that a tensor sends back to each of its operands that matters."""
    match tensor:
        case Product():
            return _product_flow(semiring, tensor, values, flow, reaching)
        case Powers():
            shape = (tensor.grouped[0], tensor.grouped[1], -1)
            part = semiring.weighed(flow.reshape(shape), tensor.exponents.array())
            return [(tensor.operand, _unarranged(part, tensor.axes, tensor.operand.shape))]
        case Take():
            rows = flow.reshape(tensor.grouped[0], -1)
            part = semiring.spread(rows, tensor.rows.array(), tensor.grouped[1])
            return [(tensor.operand, _unarranged(part, tensor.axes, tensor.operand.shape))]
    return []


def _product_flow(
    semiring: FlowSemiring[Any],
    tensor: Product,
    values: Values,
    flow: Flow,
    reaching: set[int],
) -> list[tuple[Tensor, Flow]]:
    """Each operand's entries times what they were multiplied with, as far as it had an effect."""
    share = semiring.share(flow, converted(semiring, values[id(tensor)]))
    left = converted(semiring, values[id(tensor.left)])
    right, right_scope = _right(semiring, tensor, values)
    sides = [(left, tensor.left_scope, right, right_scope)]
    if tensor.right is not None:
        sides.append((right, right_scope, left, tensor.left_scope))
    parts = []
    for operand, (own, scope, other, other_scope) in zip(tensor.operands, sides, strict=True):
        if id(operand) in reaching:
            around = contract(semiring, share, tensor.out, other, other_scope, scope, tensor.sizes)
            parts.append((operand, semiring.times(own, around)))
    return parts


def _unarranged(flow: Flow, axes: tuple[int, ...], shape: tuple[int, ...]) -> Flow:
    """A flow in groups of axes, with the axes as they were before."""
    grouped = flow.reshape([shape[axis] for axis in axes])
    return grouped.transpose(np.argsort(axes)) if axes else grouped
