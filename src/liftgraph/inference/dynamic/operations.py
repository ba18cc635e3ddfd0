"""Linear operations on the weights of a day, an array with labelled axes, and their transposes.

Each has the labels of its argument (``before``) and of its result (``after``), and the ``sizes`` of
all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np

from liftgraph.inference.dynamic.arithmetic import Arithmetic, Weights
from liftgraph.inference.dynamic.factors import Label
from liftgraph.inference.dynamic.stages import Stage, backwards, forwards

Labels = tuple[Label, ...]
Sizes = Mapping[Label, int]


@dataclass(frozen=True, eq=False)
class Weigh:
    """Multiply with weights, which may have further axes. ``weights``: an axis for each label of
    the result, of length one where they do not depend on it."""

    before: Labels
    after: Labels
    sizes: Sizes
    weights: Weights


@dataclass(frozen=True, eq=False)
class SumOut:
    """Sum over some axes."""

    before: Labels
    after: Labels
    sizes: Sizes


@dataclass(frozen=True, eq=False)
class Send:
    """Send some axes through stages, which depend on the values of others, ``context``.

    ``sent``: the axes that go; ``new``: those that come in their place, at the end.
    """

    before: Labels
    after: Labels
    sizes: Sizes
    sent: Labels
    new: Labels
    context: Labels
    stages: Mapping[tuple[int, ...], Sequence[Stage]]


@dataclass(frozen=True, eq=False)
class Arrange:
    """Put the axes in another order, under other names. ``axes``: where each comes from."""

    before: Labels
    after: Labels
    sizes: Sizes
    axes: tuple[int, ...]


Operation = Weigh | SumOut | Send | Arrange


def send(
    before: Labels,
    sizes: Sizes,
    sent: Labels,
    new: Labels,
    context: Labels,
    stages: Mapping[tuple[int, ...], Sequence[Stage]],
) -> Send:
    """Send axes through stages."""
    others = [label for label in before if label not in (*sent, *context)]
    return Send(before, (*context, *others, *new), sizes, sent, new, context, stages)


def apply(arithmetic: Arithmetic, operation: Operation, weights: Weights) -> Weights:
    """The result of an operation."""
    if isinstance(operation, Weigh):
        further = len(operation.after) - len(operation.before)
        widened = weights.reshape(weights.shape + (1,) * further)
        return arithmetic.times(widened, operation.weights)
    if isinstance(operation, SumOut):
        return arithmetic.sum(weights, _axes(operation))
    if isinstance(operation, Arrange):
        return weights.transpose(operation.axes)
    after = (*operation.context, *_others(operation), *operation.sent)
    arranged = weights.transpose([operation.before.index(label) for label in after])
    return _sent(arithmetic, operation, arranged, back=False)


def transposed(arithmetic: Arithmetic, operation: Operation, weights: Weights) -> Weights:
    """For each entry of the argument, what it contributes to the result times the weights of
    this."""
    if isinstance(operation, Weigh):
        products = arithmetic.times(weights, operation.weights)
        further = tuple(range(len(operation.before), len(operation.after)))
        return arithmetic.sum(products, further) if further else products
    if isinstance(operation, SumOut):
        shape = [operation.sizes[label] for label in operation.before]
        return np.broadcast_to(np.expand_dims(weights, _axes(operation)), shape)
    if isinstance(operation, Arrange):
        return weights.transpose(np.argsort(operation.axes))
    arranged = _sent(arithmetic, operation, weights, back=True)
    after = (*operation.context, *_others(operation), *operation.sent)
    return arranged.transpose([after.index(label) for label in operation.before])


def _axes(operation: SumOut) -> tuple[int, ...]:
    pairs = enumerate(operation.before)
    return tuple([axis for axis, label in pairs if label not in operation.after])


def _others(operation: Send) -> Labels:
    gone = (*operation.sent, *operation.context)
    return tuple([label for label in operation.before if label not in gone])


def _sent(arithmetic: Arithmetic, operation: Send, weights: Weights, back: bool) -> Weights:
    """Rows for all values of the other axes, sent through the stages of their context."""
    context = _shape(operation, operation.context)
    others = _shape(operation, _others(operation))
    ends = operation.sent if back else operation.new
    rows = weights.reshape(*context, prod(others), -1)
    through = backwards if back else forwards
    results = [
        through(arithmetic, operation.stages[values], rows[values])
        for values in product(*map(range, context))
    ]
    shape = (*context, *others, *_shape(operation, ends))
    return np.concatenate([result.ravel() for result in results]).reshape(shape)


def _shape(operation: Send, labels: Labels) -> tuple[int, ...]:
    return tuple([operation.sizes[label] for label in labels])
