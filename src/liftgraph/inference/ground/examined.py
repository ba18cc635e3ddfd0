"""What is seen in the entries of potentials: zeros, and sums that are constant.

Each is looked for when it is first asked for, in all small tables of the same shape at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.inference.ground.pieces import sum_if_constant
from liftgraph.model.ground.count_potential import CountPotential
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.noisy_max import NoisyMax
from liftgraph.model.ground.table import MAX_ARGUMENTS, Table

_SMALL = 1 << 10  # entries of tables that are examined together with others of their shape,
_TOGETHER = 1 << 16  # this many entries at once
_LONG = 1 << 52  # the sum of at most 2^10 integers below this does not overflow


class Examined:
    """The potentials of a graph; those of several pieces are taken to have zeros and no sums."""

    def __init__(self, graph: FactorGraph) -> None:
        self._potentials = graph.potentials
        self._shapes = [potential.shape for potential in graph.potentials]
        self._alike: dict[tuple[int, ...], list[int]] = {}
        for potential, shape in enumerate(self._shapes):
            self._alike.setdefault(shape, []).append(potential)
        self._constant: dict[tuple[int, int], bool] = {}
        self._zeros: dict[int, bool] = {}
        self._done: set[tuple[tuple[int, ...], int | None]] = set()

    def has_zero(self, potential: int) -> bool:
        """Whether some entry is zero."""
        if potential not in self._zeros:
            for batch, stacked in self._batches(potential, None):
                flat = stacked.reshape(len(batch), -1)
                self._zeros |= zip(batch, (flat == 0).any(axis=1).tolist(), strict=True)
        if potential not in self._zeros:
            integers = self._whole(potential)
            self._zeros[potential] = integers is None or not integers.all()
        return self._zeros[potential]

    def sums_to_constant(self, potential: int, axis: int) -> bool:
        """Whether the sum over an axis is the same everywhere, and positive."""
        place = potential, axis
        if place not in self._constant:
            for batch, stacked in self._batches(potential, axis):
                short = stacked.reshape(len(batch), -1).max(axis=1) < _LONG
                sums = stacked.sum(axis=axis + 1).reshape(len(batch), -1)
                constant = (sums == sums[:, :1]).all(axis=1) & (sums[:, 0] > 0)
                found = zip(batch, constant.tolist(), short.tolist(), strict=True)
                self._constant |= {(other, axis): is_so for other, is_so, sure in found if sure}
        if place not in self._constant:
            integers = self._whole(potential)
            self._constant[place] = integers is not None and bool(sum_if_constant(integers, axis))
        return self._constant[place]

    def _whole(self, potential: int) -> NDArray[Any] | None:
        """The integers of a potential that is one piece."""
        given = self._potentials[potential]
        if isinstance(given, Table):
            return given.integers
        if isinstance(given, CountPotential | NoisyMax):  # they have many pieces
            return None
        pieces, arity = given.pieces(), len(given.shape)
        is_whole = len(pieces) == 1 and pieces[0].axes == tuple(range(arity))
        return pieces[0].integers if is_whole else None

    def _batches(
        self, potential: int, axis: int | None
    ) -> Iterator[tuple[list[int], NDArray[np.int64]]]:
        """The potentials of the same shape, and their integers stacked, not too many at once.

        ``axis``: what they are examined for; only the first time, since long integers stay out.
        """
        shape = self._shapes[potential]
        size = prod(shape[:MAX_ARGUMENTS])
        if size > _SMALL or len(shape) > MAX_ARGUMENTS or (shape, axis) in self._done:
            return
        self._done.add((shape, axis))
        step = _TOGETHER // size
        alike = [(other, self._whole(other)) for other in self._alike[shape]]
        narrow = [pair for pair in alike if pair[1] is not None and pair[1].dtype == np.int64]
        for first in range(0, len(narrow), step):
            batch, arrays = zip(*narrow[first : first + step], strict=True)
            yield [*batch], np.stack(arrays)
