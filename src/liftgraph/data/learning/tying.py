"""Factors that share a parameter: one table, learnt from the observations of all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.data.learning.skeletons import Skeleton
from liftgraph.errors import InputError, quoted
from liftgraph.model.ground.names import States


def tied_factors(
    skeleton: Skeleton,
    states_of: Mapping[str, States],
    added: Sequence[NDArray[Any]],
    tied: Mapping[str, str],
) -> tuple[int, ...]:
    """For each factor, the first one that has the same parameter.

    ``tied``: for some variables of a network, what the parameters of their factors are called.
    ``added``: pseudo-counts of each factor; those of factors that are tied must agree.
    """
    children = skeleton.children or ()
    owner = {skeleton.scopes[factor][at]: factor for factor, at in enumerate(children)}
    for variable, name in tied.items():
        if variable not in owner:
            raise InputError(f"tied: expected a variable of the network, got {quoted(variable)}")
        if not isinstance(name, str):
            raise InputError(f"tied: expected a name for {variable}, got {quoted(name)}")
    first: dict[str, int] = {}
    parameters: list[int] = list(range(len(skeleton.scopes)))
    for variable, factor in owner.items():
        if variable in tied:
            parameters[factor] = first.setdefault(tied[variable], factor)
            _check_alike(skeleton, states_of, added, parameters[factor], factor)
    return tuple(parameters)


def _check_alike(
    skeleton: Skeleton,
    states_of: Mapping[str, States],
    added: Sequence[NDArray[Any]],
    first: int,
    second: int,
) -> None:
    """Refuse factors whose arguments have different states, or whose priors differ."""
    scopes = skeleton.scopes[first], skeleton.scopes[second]
    one, other = ([states_of[variable] for variable in scope] for scope in scopes)
    children = skeleton.children or ()
    names = " and ".join(f"({', '.join(scope)})" for scope in scopes)
    if one != other or children[first] != children[second]:
        raise InputError(f"tied: expected the same states of the arguments of {names}")
    if not np.array_equal(added[first], added[second]):
        raise InputError(f"tied: expected the same prior for {names}")


def pooled(totals: Sequence[NDArray[Any]], parameters: Sequence[int]) -> dict[int, NDArray[Any]]:
    """The counts of all factors that share a parameter, added up."""
    sums: dict[int, NDArray[Any]] = {}
    for total, parameter in zip(totals, parameters, strict=True):
        known = sums.get(parameter)
        sums[parameter] = total if known is None else np.asarray(known + total)
    return sums
