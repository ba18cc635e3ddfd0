"""Rounds of colour passing until the grouping does not change."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec

import numpy as np

from liftgraph.symmetry.colours.engines.grouping import Colours, Indices, spans
from liftgraph.symmetry.colours.engines.refinement import factor_step, variable_step
from liftgraph.symmetry.colours.engines.worklist import small_rounds
from liftgraph.symmetry.colours.incidence import Incidence

SMALL = 64  # edges: for so few, arrays cost more than they save
FEW = 4  # if more than this part of the edges is concerned, all are
PATIENCE = 60_000  # rounds, which take about as long as numba takes to compile

Members = Sequence[int] | Indices
Record = Callable[[Members, Members], None]


def refine(
    incidence: Incidence,
    variables: Colours,
    factors: Colours,
    record: Record | None = None,
    small: int = SMALL,
    patience: int = PATIENCE,
) -> int:
    """Refine the colours until they are stable; how many rounds that took, the last included.

    A round passes colours from variables to factors and back, like a round of the paper's
    Algorithm 2, and gives the same groups: whoever keeps its colour has nothing new to say, and
    may be left out. ``record`` is told which factors and variables got a new colour in each
    round. ``small``: up to so many edges, rounds go one by one. ``patience``: after so many
    rounds, they are compiled if numba is installed, nothing is recorded and no symmetries are
    exchanges. The colours do not depend on either.
    """
    touched: Indices | None = None
    rounds = 0
    while True:
        groups = variables.groups + factors.groups
        base = factors.used if rounds else 0
        speakers = factor_step(incidence, variables, factors, touched, everyone=not rounds)
        changed = variable_step(incidence, variables, factors, speakers, base)
        rounds += 1
        if record:
            record(np.concatenate([changed[:0], *(each.factors for each in speakers)]), changed)
        if variables.groups + factors.groups == groups:
            return rounds
        more, changed, stable = _few_at_a_time(
            incidence, variables, factors, changed, record, small, patience - rounds
        )
        rounds += more
        if stable:
            return rounds
        touched = _neighbours(incidence, changed)


def _few_at_a_time(
    incidence: Incidence,
    variables: Colours,
    factors: Colours,
    changed: Indices,
    record: Record | None,
    small: int,
    patience: int,
) -> tuple[int, Indices, bool]:
    """Rounds without arrays, while few edges are concerned: how many, who changed in the last,
    and whether its grouping was that of the round before."""
    few = len(incidence.arguments) // FEW
    exchanges = any(kind.symmetries.exchanges for kind in incidence.kinds)
    compilable = record is None and not exchanges and find_spec("numba") is not None
    most = max(patience, 0) if compilable else sys.maxsize
    rounds, stable = 0, False
    if _degree(incidence, changed) <= min(small, few):
        rounds, left, stable = small_rounds(
            incidence, variables, factors, changed.tolist(), min(small, few), most, record
        )
        changed = np.array(left, dtype=np.intp)
    if compilable and rounds >= patience and not stable:
        from liftgraph.symmetry.colours.engines.compiled import compiled_rounds

        more, changed, stable = compiled_rounds(incidence, variables, factors, changed, few)
        rounds += more
    return rounds, changed, stable


def _degree(incidence: Incidence, variables: Indices) -> int:
    """How many edges these variables have."""
    start = incidence.factor_start
    return int((start[variables + 1] - start[variables]).sum())


def _neighbours(incidence: Incidence, variables: Indices) -> Indices | None:
    """The factors of these variables, or None, meaning all, if that is about as much work."""
    if _degree(incidence, variables) > len(incidence.arguments) // FEW:
        return None
    first = incidence.factor_start[variables]
    lengths = incidence.factor_start[variables + 1] - first
    return np.unique(incidence.factors[spans(first, lengths)]).astype(np.intp)
