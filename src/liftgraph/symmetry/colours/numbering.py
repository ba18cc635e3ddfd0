"""Canonical numbers for the groups of colour passing, found on the quotient.

Whatever numbers an engine gives its groups, they get new ones here, which depend only on the
model: not on the engine, nor on the order of variables, factors or arguments.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from liftgraph.errors import ComputationError
from liftgraph.model.ground.factor_graph import pointers
from liftgraph.symmetry.colours.engines.engine import StableColours
from liftgraph.symmetry.colours.engines.grouping import Indices, spans
from liftgraph.symmetry.colours.engines.rounds import refined
from liftgraph.symmetry.colours.incidence import Incidence, incidence_of
from liftgraph.symmetry.colours.initial import Colour, Integers, combined, dense, in_range


def canonical_colours(
    incidence: Incidence, variable_colours: Colour, factor_colours: Colour, stable: StableColours
) -> tuple[Colour, Colour]:
    """The canonical numbers of the groups of variables and of factors: int32 (n,) and (m,).

    ``variable_colours`` and ``factor_colours``: the initial ones, in canonical order.

    """
    variables, factors = _groups(stable.variables), _groups(stable.factors)
    variable_numbers, factor_numbers = canonical_numbers(
        _quotient(incidence, variables, factors),
        (variable_colours[variables.representatives], variables.sizes),
        (factor_colours[factors.representatives], factors.sizes),
    )
    return (
        variable_numbers[variables.index].take(variables.of),
        factor_numbers[factors.index].take(factors.of),
    )


def canonical_numbers(
    quotient: Incidence,
    variable_groups: tuple[Colour, Indices],
    factor_groups: tuple[Colour, Indices],
) -> tuple[Colour, Colour]:
    """The canonical number of each group of variables and of each group of factors, int32.

    ``quotient``: one variable and one factor for each group. The groups: initial colours, in
    canonical order, and sizes.

    Refining the quotient, coloured by these, separates all groups: if a member of V meets c factors
    of G at a position, and a factor of G has k members of V there, then |V| · c = |G| · k. So
    groups that the quotient did not tell apart would be one group of a coarser stable colouring.
    """
    variables, factors = (
        combined(colours, _largest_first(sizes))
        for colours, sizes in (variable_groups, factor_groups)
    )
    numbered = refined(quotient, variables, factors)
    return _all_apart(numbered.variables), _all_apart(numbered.factors)


@dataclass(frozen=True, slots=True)
class _Groups:
    """``of``: intp, the group of each member, from 0 and perhaps with gaps. ``index``: int32, the
    index of each group without gaps. ``sizes`` and ``representatives``: intp, by index."""

    of: Indices
    index: Colour
    sizes: Indices
    representatives: Indices


def _groups(colours: Integers) -> _Groups:
    of = in_range(colours).astype(np.intp)
    counts = np.bincount(of)
    used = np.flatnonzero(counts)
    index = np.zeros(len(counts), dtype=np.int32)
    index[used] = np.arange(len(used))
    members = np.empty(len(counts), dtype=np.intp)
    members[of] = np.arange(len(of))
    return _Groups(of, index, counts[used], members[used])


def _largest_first(sizes: Indices) -> Indices:
    """Numbers that increase as the sizes decrease."""
    numbers: Indices = sizes.max(initial=0) - sizes
    return numbers


def _all_apart(colours: Integers) -> Colour:
    """The colours of groups without gaps; refused if two groups have the same one."""
    numbers = dense(colours)
    if numbers.max(initial=-1) + 1 < len(numbers):
        raise ComputationError(
            "the engine of colour passing separated too much: please report this"
        )
    return numbers


def _quotient(incidence: Incidence, variables: _Groups, factors: _Groups) -> Incidence:
    """The representatives of groups of factors, with groups of variables as arguments."""
    first = incidence.start[factors.representatives]
    arities = incidence.start[factors.representatives + 1] - first
    arguments = variables.of[incidence.arguments[spans(first, arities)]]
    return incidence_of(
        len(variables.sizes),
        pointers(arities),
        variables.index[arguments],
        [kind.symmetries for kind in incidence.kinds],
        incidence.kind_of[factors.representatives],
    )
