"""Rounds of colour passing until the grouping does not change, each done in the way that fits."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec

import numpy as np

from liftgraph.symmetry.colours.colouring import Change
from liftgraph.symmetry.colours.engines.arrays import factor_step, variable_step
from liftgraph.symmetry.colours.engines.engine import StableColours
from liftgraph.symmetry.colours.engines.grouping import Colours, Indices, groups_of, spans
from liftgraph.symmetry.colours.engines.worklist import small_rounds
from liftgraph.symmetry.colours.incidence import Incidence
from liftgraph.symmetry.colours.initial import Colour

SMALL = 64  # for at most this many edges, arrays cost more than they save
FEW = 4  # if more than one in this many edges is touched, all edges are
PATIENCE = 30_000  # this many small rounds take about as long as loading numba's compiled code
ARRAYS = 20  # this many small rounds take about as long as a round on arrays

COMPILED = "liftgraph.symmetry.colours.engines.compiled"

Members = Sequence[int] | Indices
Record = Callable[[Members, Members], None]


def refined(
    incidence: Incidence,
    variable_colours: Colour,
    factor_colours: Colour,
    record: bool = False,
    patience: int | None = None,
    small: int = SMALL,
) -> StableColours:
    """Refine colours until they are stable.

    A round passes colours from variables to factors and back, like a round of the paper's
    Algorithm 2, and gives the same groups: what keeps its colour sends no new message, and may
    be left out. ``small``: up to this many edges, rounds go one by one. ``patience``: after this
    many such rounds, compiled ones follow if numba is installed, nothing is recorded and no
    symmetries are exchanges; None: never. The groups depend on neither. Without
    compiled rounds, the order of the new colours depends only on that of the initial ones.
    """
    variables, factors = groups_of(variable_colours), groups_of(factor_colours)
    changes: list[Change] = []
    keep = _recorder(variables, factors, changes) if record else None
    few = len(incidence.arguments) // FEW
    left = _patience(patience, incidence, record)
    changed: Indices | None = None
    total, stable = 0, False
    while not stable:
        edges = _degree(incidence, changed)
        if left <= 0 and not installed("numba"):
            left = sys.maxsize
        if changed is not None and left <= 0 and edges <= few:
            from liftgraph.symmetry.colours.engines.compiled import compiled_rounds

            rounds, changed, stable = compiled_rounds(incidence, variables, factors, changed, few)
        elif edges <= small:
            rounds, changed, stable = small_rounds(
                incidence, variables, factors, changed, small, max(left, 1), keep
            )
            left -= rounds
        else:
            rounds, changed, stable = _array_round(incidence, variables, factors, changed, keep)
            left -= ARRAYS
        total += rounds
    return StableColours(variables.of, factors.of, total, tuple(changes) if record else None)


def _recorder(variables: Colours, factors: Colours, changes: list[Change]) -> Record:
    """A function that records, now and after each round, what has a new colour."""

    def keep(changed_factors: Members, changed_variables: Members) -> None:
        ours = np.asarray(changed_variables, dtype=np.intp)
        theirs = np.asarray(changed_factors, dtype=np.intp)
        colours = variables.of[ours], theirs, factors.of[theirs]
        changes.append(Change(ours, *colours, variables.groups, factors.groups))

    keep(range(len(factors.of)), range(len(variables.of)))
    return keep


def installed(module: str) -> bool:
    """Whether a module is loaded or can be loaded."""
    return sys.modules.get(module) is not None or find_spec(module) is not None


def _patience(patience: int | None, incidence: Incidence, record: bool) -> int:
    """After how many small rounds the compiled ones take over: at once if they are loaded."""
    exchanges = any(kind.symmetries.exchanges for kind in incidence.kinds)
    if patience is None or record or exchanges:
        return sys.maxsize
    return 0 if COMPILED in sys.modules else patience


def _array_round(
    incidence: Incidence,
    variables: Colours,
    factors: Colours,
    changed: Indices | None,
    record: Record | None,
) -> tuple[int, Indices, bool]:
    """One round on arrays; in the first one (None) every factor sends messages.

    Returns 1, the variables with new colours, and whether the grouping stayed the same.
    """
    groups, first = variables.groups + factors.groups, changed is None
    if groups == len(variables.of) + len(factors.of):  # all are alone: nothing can change
        speakers, changed = [], np.empty(0, dtype=np.intp)
    else:
        base = 0 if first else factors.used
        touched = None if changed is None else _neighbours(incidence, changed)
        speakers = factor_step(incidence, variables, factors, touched, all_speak=first)
        changed = variable_step(incidence, variables, factors, speakers, base)
    if record:
        record(np.concatenate([changed[:0], *(group.factors for group in speakers)]), changed)
    return 1, changed, variables.groups + factors.groups == groups


def _degree(incidence: Incidence, variables: Indices | None) -> int:
    """How many edges these variables have; None: all."""
    if variables is None:
        return len(incidence.arguments)
    start = incidence.factor_start
    return int((start[variables + 1] - start[variables]).sum())


def _neighbours(incidence: Incidence, variables: Indices) -> Indices | None:
    """The factors of these variables, or None, meaning all, if that is about as much work."""
    if _degree(incidence, variables) > len(incidence.arguments) // FEW:
        return None
    first = incidence.factor_start[variables]
    lengths = incidence.factor_start[variables + 1] - first
    return np.unique(incidence.factors[spans(first, lengths)]).astype(np.intp)
