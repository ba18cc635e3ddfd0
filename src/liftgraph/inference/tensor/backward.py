"""Backwards: tracing the total weight back to the entries it came from.

The *adjoint* of a tensor is the derivative of the result by its entries (Darwiche 2003): the
product of all others, summed down to its variables. An entry times its adjoint is the *flow*
through it. Products hand adjoints on; powers, lookups and tensors with several uses need flows,
which can be added up.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

import numpy as np

from liftgraph.inference.tensor.contraction import arrangement
from liftgraph.inference.tensor.convolution import adjoints
from liftgraph.inference.tensor.evaluation import Values, right_side
from liftgraph.inference.tensor.tensors import Convolution, Powers, Product, Take, Tensor
from liftgraph.model.plans import Progress
from liftgraph.semiring import Arrangement, Flow, FlowSemiring

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class Trace(Generic[T]):
    """What came back to a tensor with this value: its adjoint, or the flow through it."""

    semiring: FlowSemiring[T]
    value: T
    known_adjoint: T | None = None
    known_flow: Flow | None = None

    @property
    def adjoint(self) -> T:
        """The derivative of the result by each entry, zero where nothing flows."""
        if self.known_adjoint is not None:
            return self.known_adjoint
        assert self.known_flow is not None
        return self.semiring.share(self.known_flow, self.value)

    @property
    def flow(self) -> Flow:
        """How much of the total weight passes through each entry.

        Divided by the total weight, it is the expected number of a parfactor's factors that are in
        this entry.
        """
        if self.known_flow is not None:
            return self.known_flow
        assert self.known_adjoint is not None
        return self.semiring.times(self.value, self.known_adjoint)


def backward(
    semiring: FlowSemiring[T],
    order: Sequence[Tensor],
    roots: Iterable[Tensor],
    values: Values[T],
    wanted: Collection[Tensor],
    progress: Progress = lambda done: None,
) -> Iterator[tuple[Tensor, Trace[T]]]:
    """The traces of the wanted tensors, each as soon as it is complete.

    Precondition: ``values`` are all those of a forward pass; they are dropped on the way.
    ``roots``: the results, which are independent of each other. ``order`` may leave out tensors
    without operands that are used once.
    """
    uses = _uses(order, wanted)
    traces: dict[Tensor, Trace[T]] = {}
    for root in roots:
        flow = semiring.total(values[root])
        traces[root] = Trace(semiring, values[root], semiring.share(flow, values[root]), flow)
        if root in wanted and not root.operands:
            yield root, traces.pop(root)
    for count, tensor in enumerate(reversed(order), 1):
        trace = traces.pop(tensor, None)
        if trace is not None:
            if tensor in wanted:
                yield tensor, trace
            for operand, sent in _sent_back(semiring, tensor, values, trace, uses):
                if uses[operand] == 1 and not operand.operands:
                    yield operand, sent
                else:
                    traces[operand] = _joined(traces.get(operand), sent)
        values.forget(tensor)
        progress(count / len(order))


def flows(trace: Trace[T], scope: Sequence[int], variables: Sequence[int]) -> list[Flow]:
    """The flow through each state of some variables of a tensor's scope."""
    flow, axes = trace.flow, range(len(scope))
    if len(scope) == 1:
        return [flow]
    places = map(scope.index, variables)
    return [np.add.reduce(flow, axis=(*axes[:place], *axes[place + 1 :])) for place in places]


def _uses(order: Sequence[Tensor], wanted: Collection[Tensor]) -> dict[Tensor, int]:
    """How often each tensor is used that is wanted or is made from wanted ones."""
    reaching = set(wanted)
    uses: dict[Tensor, int] = {}
    for tensor in order:
        for operand in tensor.operands:
            if operand in reaching:
                reaching.add(tensor)
                uses[operand] = uses.get(operand, 0) + 1
    return uses


def _joined(earlier: Trace[T] | None, sent: Trace[T]) -> Trace[T]:
    """What came back to a tensor from two of its uses: flows add up."""
    if earlier is None:
        return sent
    return Trace(sent.semiring, sent.value, None, earlier.flow + sent.flow)


def _sent_back(
    semiring: FlowSemiring[T],
    tensor: Tensor,
    values: Values[T],
    trace: Trace[T],
    uses: Collection[Tensor],
) -> list[tuple[Tensor, Trace[T]]]:
    """What a tensor sends back to each of its operands that matters."""
    match tensor:
        case Product():
            return _product_back(semiring, tensor, values, trace, uses)
        case Convolution():
            around = adjoints(semiring, tensor, values, trace.adjoint)
            sent = zip(tensor.operands, around, strict=True)
            return [(t, Trace(semiring, values[t], adjoint)) for t, adjoint in sent if t in uses]
        case Powers(operand=operand) if operand in uses:
            shape = (tensor.grouped[0], tensor.grouped[1], -1)
            flow = semiring.weighed(trace.flow.reshape(shape), tensor.exponents.array())
            return [(operand, _rearranged(semiring, tensor, values, flow))]
        case Take(operand=operand) if operand in uses:
            rows = trace.flow.reshape((tensor.grouped[0], -1))
            flow = semiring.spread(rows, tensor.lookup.array(), tensor.grouped[1])
            return [(operand, _rearranged(semiring, tensor, values, flow))]
    return []


def _product_back(
    semiring: FlowSemiring[T],
    tensor: Product,
    values: Values[T],
    trace: Trace[T],
    uses: Collection[Tensor],
) -> list[tuple[Tensor, Trace[T]]]:
    """The adjoint of an operand is the product's, times what the operand was multiplied with."""
    adjoint, sent = trace.adjoint, []
    right, left = right_side(semiring, tensor, values), values[tensor.left]
    if tensor.left in uses:
        around = semiring.contract(adjoint, right, _back_to(tensor, "left"))
        sent.append((tensor.left, Trace(semiring, left, around)))
    if tensor.right is not None and tensor.right in uses:
        around = semiring.contract(adjoint, left, _back_to(tensor, "right"))
        sent.append((tensor.right, Trace(semiring, right, around)))
    return sent


def _back_to(tensor: Product, side: Literal["left", "right"]) -> Arrangement:
    """How the adjoint of an operand is computed from that of the product and the other operand."""
    how = tensor.arrangements.get(side)
    if how is None:
        scopes = tensor.right_scope, tensor.left_scope
        other, operand = scopes if side == "left" else scopes[::-1]
        how = tensor.arrangements[side] = arrangement(tensor.out, other, operand, tensor.sizes)
    return how


def _rearranged(
    semiring: FlowSemiring[T], tensor: Powers | Take, values: Values[T], flow: Flow
) -> Trace[T]:
    """A flow in groups of axes, with the axes as the operand has them."""
    axes, shape = tensor.axes, tensor.operand.shape
    grouped = flow.reshape([shape[axis] for axis in axes])
    ungrouped = grouped.transpose(np.argsort(axes)) if axes else grouped
    return Trace(semiring, values[tensor.operand], None, ungrouped)
