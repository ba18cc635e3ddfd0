"""Steps of individuals on histograms, against all ways that individuals can go."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from liftgraph.inference.dynamic.arithmetic import FLOATS, INTEGERS, LOGARITHMS, MAXIMA
from liftgraph.inference.dynamic.kernels import Kernel, order_of_moves
from liftgraph.inference.dynamic.moves import moves
from liftgraph.inference.dynamic.stages import backwards, forwards
from liftgraph.inference.dynamic.transitions import transition, transition_matrix
from liftgraph.model.lifted.histograms import histograms

DIVISOR = 7
# Of one who is left, the labels (1, 2) of none and one leaving; of two, always the label 1.
SMALL = Kernel(
    2,
    np.array([[1, 1, 2], [1, 1, 0], [1, 1, 1], [2, 1, 0], [2, 1, 1], [1, 1, 1]]),
    np.array([[0, 0], [0, 3], [3, 0]], dtype=object),
    DIVISOR,
)


def random_kernel(random: Random) -> Kernel:
    """A kernel that depends on nothing, on one count for each state, or on everything."""
    size, states, later = random.randint(1, 4), random.randint(1, 4), random.randint(1, 4)
    counts = histograms(size, states)
    entries = [[random.choice([0, 0, 1, 2, 3]) for _ in range(later)] for _ in range(3)]
    depends = random.choice(["nothing", "one", "everything"])
    by_count = [[random.randrange(3) for _ in range(size + 1)] for _ in range(states)]
    decisive = [random.randrange(states) for _ in range(states)]
    labels = {
        "nothing": [[random.randrange(3) for _ in range(states)]],
        "one": [[by_count[a][row[decisive[a]]] for a in range(states)] for row in counts],
        "everything": [[random.randrange(3) for _ in range(states)] for _ in counts],
    }[depends]
    return Kernel(size, np.array(labels), np.array(entries, dtype=object), DIVISOR)


def all_ways(kernel: Kernel, join: Any) -> Any:
    """The naive twin: for each histogram, all ways that the individuals can go."""
    before = histograms(kernel.individuals, kernel.states)
    width = kernel.rows.shape[1]
    place = {tuple(row): n for n, row in enumerate(histograms(kernel.individuals, width).tolist())}
    matrix = np.zeros((len(before), len(place)), dtype=object)
    for row, (counts, labels) in enumerate(
        zip(before, np.broadcast_to(kernel.label, before.shape), strict=True)
    ):
        states = np.repeat(np.arange(kernel.states), counts)
        for targets in product(range(width), repeat=kernel.individuals):
            weight = 1
            for state, target in zip(states, targets, strict=True):
                weight *= kernel.rows[labels[state], target]
            column = place[tuple([targets.count(target) for target in range(width)])]
            matrix[row, column] = join(matrix[row, column], weight)
    return matrix


KERNELS = st.randoms(use_true_random=False).map(random_kernel)


@given(KERNELS)
@example(SMALL)
def test_stages_and_matrices_weigh_all_ways(kernel: Kernel) -> None:
    expected = all_ways(kernel, lambda a, b: a + b)
    assert (transition_matrix(INTEGERS, kernel) == expected).all()
    order = order_of_moves(kernel)
    listed = [transition(INTEGERS, kernel)]
    listed += [] if order is None else [moves(INTEGERS, kernel, order)]
    for stages in listed:
        each, later = (np.eye(n, dtype=np.int64).astype(object) for n in expected.shape)
        assert (forwards(INTEGERS, stages, each) == expected).all()
        assert (expected == backwards(INTEGERS, stages, later).T).all()


@given(KERNELS)
@example(SMALL)
def test_floats_logarithms_and_maxima_agree(kernel: Kernel) -> None:
    order = order_of_moves(kernel)
    sums = (all_ways(kernel, lambda a, b: a + b) / DIVISOR**kernel.individuals).astype(float)
    largest = all_ways(kernel, max).astype(float)
    each = np.eye(len(sums))
    with np.errstate(divide="ignore"):
        logs = np.log(each)
    tries = [(FLOATS, each, sums), (LOGARITHMS, logs, sums)]
    plain = Kernel(kernel.individuals, kernel.label, kernel.rows, 1)
    for arithmetic, start, expected in [*tries, (MAXIMA, logs, largest)]:
        used = plain if arithmetic is MAXIMA else kernel
        found = [transition_matrix(arithmetic, used)]
        if order is not None:
            found.append(forwards(arithmetic, moves(arithmetic, used, order), start))
        for weights in found:
            result = weights if arithmetic is FLOATS else np.exp(weights)
            np.testing.assert_allclose(result, expected, rtol=1e-12)
