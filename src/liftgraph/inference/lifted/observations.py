"""What was observed of individuals, as one integer for each variable: observations that are alike
have the same one. States are their own; likelihoods that are proportional share the next ones.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from numpy.typing import NDArray

from liftgraph.inference.ground.reduction import impossible
from liftgraph.inference.lifted.facts import Evidence
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph


@dataclass(frozen=True)
class Observations:
    """Observations by variable: below the number of its states, a state; else a likelihood.

    ``likelihoods``: the integers of each; the first one is numbered by the number of states.
    ``constants``: weights that do not depend on what is unknown, and how often each occurs.
    """

    by_place: Evidence
    likelihoods: tuple[NDArray[Any], ...] = ()
    constants: tuple[tuple[Fraction, int], ...] = ()


def observations(model: ParfactorGraph, states: Evidence) -> Observations:
    """The observed states of variables, and the likelihoods that the model's evidence has.

    The likelihood of a variable whose state is known is a constant, and so are the scales. One
    that says the same of all states tells nobody apart.
    """
    if not model.evidence.likelihoods:
        return Observations(states)
    by_place, constants = dict(states.items()), Counter[Fraction]()
    kinds: dict[tuple[int, ...], int] = {}
    arrays: list[NDArray[Any]] = []
    for place, table in model.evidence.likelihoods.items():
        prv = model.prvs[place[0]]
        state = states.get(place, prv.observed)
        if state is not None:
            constants[table.potential((state,))] += 1
            continue
        constants[table.scale] += 1
        integers = tuple(table.integers.tolist())
        if integers == (1,) * len(integers):
            continue
        if integers not in kinds:
            kinds[integers] = len(kinds)
            arrays.append(table.integers)
        by_place[place] = len(prv.states) + kinds[integers]
    if 0 in constants or not all(array.any() for array in arrays):
        raise impossible()
    return Observations(by_place, tuple(arrays), tuple(constants.items()))
