"""Results as the UAI competitions expect them: MAR, PR, MPE and MMAP."""

from __future__ import annotations

import math
from collections.abc import Sequence


def mar_text(marginals: Sequence[Sequence[float]]) -> str:
    """All marginals: the number of variables, then for each its number of states and probabilities.

    >>> print(mar_text([[0.25, 0.75], [1.0]]), end="")
    MAR
    2 2 0.25 0.75 1 1.0
    """
    cells = [str(len(marginals))]
    for marginal in marginals:
        cells += [str(len(marginal)), *map(repr, map(float, marginal))]
    return f"MAR\n{' '.join(cells)}\n"


def pr_text(log_z: float) -> str:
    """The partition function, as its decimal logarithm.

    >>> print(pr_text(math.log(1)), end="")
    PR
    0.0
    """
    return f"PR\n{log_z / math.log(10)!r}\n"


def mpe_text(states: Sequence[int]) -> str:
    """The most probable explanation: the number of variables, then the state of each.

    >>> print(mpe_text([0, 1, 1]), end="")
    MPE
    3 0 1 1
    """
    return f"MPE\n{' '.join(map(str, [len(states), *states]))}\n"


def mmap_text(variables: Sequence[int], states: Sequence[int]) -> str:
    """A most probable joint state of some variables: how many there are, then each one's index and
    state.

    >>> print(mmap_text([2, 3, 4], [0, 1, 0]), end="")
    MMAP
    3 2 0 3 1 4 0
    """
    pairs = [f"{variable} {state}" for variable, state in zip(variables, states, strict=True)]
    return f"MMAP\n{' '.join([str(len(pairs)), *pairs])}\n"
