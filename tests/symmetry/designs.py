"""Tables that are hard to compare: codes, block designs and strongly regular graphs."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray


def rotating(arity: int) -> NDArray[Any]:
    """A table of Boolean arguments on a ring that may be turned, but not reflected."""
    state = np.indices((2,) * arity)
    terms = [
        state[i] * (1 + 2 * state[(i + 1) % arity]) * (1 + state[(i + 3) % arity])
        for i in range(arity)
    ]
    return np.asarray(1 + sum(terms))


def paired(pairs: int) -> NDArray[Any]:
    """A table of Boolean arguments in pairs (x, y): whole pairs may be permuted."""
    state = np.indices((2,) * (2 * pairs))
    return np.asarray(1 + sum(state[2 * i] * (1 + 7 * state[2 * i + 1]) for i in range(pairs)))


def code(length: int, *words: int) -> NDArray[Any]:
    """Whether an assignment, read as a binary number, is a sum of these words modulo two.

    Few arguments of such a table tell nothing, whatever their states.
    """
    sums = {0}
    for word in words:
        sums |= {word ^ earlier for earlier in sums}
    values = np.ones(2**length, dtype=np.int64)
    values[list(sums)] = 2
    return values.reshape((2,) * length)


def reed_muller(bits: int) -> NDArray[Any]:
    """The first-order Reed-Muller code: all affine functions of some bits."""
    points = range(2**bits)
    masks = [sum(1 << x for x in points if x >> bit & 1) for bit in range(bits)]
    return code(2**bits, 2 ** (2**bits) - 1, *masks)


def blocks(points: int, sets: Iterable[Iterable[int]]) -> NDArray[Any]:
    """Whether the arguments in state 1 are one of these sets."""
    values = np.ones((2,) * points, dtype=np.int64)
    for members in sets:
        values[tuple(np.isin(np.arange(points), list(members)).astype(int))] = 2
    return values


def steiner_triples(points: int) -> NDArray[Any]:
    """The lines of the affine plane over three elements (9 points), or of the projective geometry
    over two (7 or 15 points)."""
    if points == 9:
        place = list(product(range(3), repeat=2))
        lines = (
            line
            for line in combinations(range(9), 3)
            if all(sum(place[x][k] for x in line) % 3 == 0 for k in (0, 1))
        )
        return blocks(points, lines)
    lines = (
        line
        for line in combinations(range(points), 3)
        if (line[0] + 1) ^ (line[1] + 1) ^ (line[2] + 1) == 0
    )
    return blocks(points, lines)


def four_by_four(shrikhande: bool) -> NDArray[Any]:
    """The edges of the Shrikhande graph or of the 4×4 rook's graph, which have the same number of
    common neighbours for every pair of vertices, but are not isomorphic."""
    steps = {(0, 1), (0, 3), (1, 0), (3, 0), (1, 1), (3, 3)}
    place = list(product(range(4), repeat=2))
    edges = []
    for x, y in combinations(range(16), 2):
        step = tuple((b - a) % 4 for a, b in zip(place[x], place[y], strict=True))
        if step in steps if shrikhande else 0 in step:
            edges.append((x, y))
    return blocks(16, edges)


# The symmetries of the first are the affine maps of three bits, 8·7·6·4 of them; those of the
# Hamming code are the invertible linear maps, 7·6·4.
REED_MULLER = reed_muller(3)
HAMMING = code(7, 0b1000011, 0b0100101, 0b0010110, 0b0001111)
