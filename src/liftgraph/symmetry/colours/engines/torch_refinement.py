"""Colour passing on a device of torch: hashed, then verified, until colours are stable.

Importing this module needs torch, an optional extra. ``stable_on_device`` is for graphs that are
on a device already, and never were elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from liftgraph.errors import ComputationError
from liftgraph.symmetry.colours.engines.torch_groups import (
    group_count,
    numbered,
    numbered_pairs,
    representatives,
)
from liftgraph.symmetry.colours.engines.torch_incidence import DeviceIncidence, chunks
from liftgraph.symmetry.colours.engines.torch_rounds import hashed_rounds
from liftgraph.symmetry.colours.engines.torch_verification import are_stable

ATTEMPTS = 20  # multipliers in a row that find no more groups


@dataclass(frozen=True, slots=True)
class DeviceColours:
    """Colours after some rounds, int32 (n,) and (m,), numbered from 0 without gaps; whether they
    are known to be stable."""

    variables: Tensor
    factors: Tensor
    rounds: int
    are_stable: bool


def stable_on_device(
    incidence: DeviceIncidence, variables: Tensor, factors: Tensor, most: int | None = None
) -> DeviceColours:
    """The coarsest stable colours that refine the initial ones, verified, or, after this many
    rounds, colours that refine the initial ones and are not finer than the stable ones.

    ``variables``, ``factors``: int32 (n,) and (m,), numbered from 0 without gaps; they are left as
    they are. Precondition: factors of one colour are of one kind.

    Hashes never separate what belongs together, and neither do the pairs of an earlier colour and a
    hash. So such pairs that are stable are the coarsest stable colours. If hashes collided, other
    multipliers go on from the pairs.
    """
    rounds, seed, in_vain = 0, 0, 0
    groups, members = group_count(variables) + group_count(factors), len(variables) + len(factors)
    if groups == members:
        return DeviceColours(variables, factors, 1, True)
    while in_vain < ATTEMPTS:
        left = None if most is None else most - rounds
        hashes = hashed_rounds(incidence, variables, factors, groups, seed, left)
        variables = _refining(variables, hashes.variables)
        factors = _refining(factors, hashes.factors)
        rounds, before = rounds + hashes.rounds, groups
        groups = group_count(variables) + group_count(factors)
        stable = hashes.are_stable and are_stable(incidence, variables, factors)
        if stable or rounds == most:
            return DeviceColours(variables, factors, rounds, stable)
        seed, in_vain = seed + 1, 0 if groups > before else in_vain + 1
    raise ComputationError(
        f"{ATTEMPTS} hashes found no stable colours of {members:,} variables and factors:"
        " please report this"
    )


def _refining(colours: Tensor, hashes: Tensor) -> Tensor:
    """A colour for each pair of a colour and a hash, int32, numbered from 0 without gaps."""
    numbers = numbered(hashes)
    leaders = colours.index_select(0, representatives(numbers))
    for some in chunks(len(colours), colours.device):
        if not torch.equal(leaders.index_select(0, numbers[some]), colours[some]):
            return numbered_pairs(colours, numbers)
    return numbers
