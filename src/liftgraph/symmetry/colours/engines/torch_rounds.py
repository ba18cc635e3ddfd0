"""Rounds of colour passing on a device of torch, with hashes for colours.

Importing this module needs torch, an optional extra.

Colours are 64-bit hashes, and sums wrap around. In a round, a factor's new hash mixes its old one
and the sum of its arguments' hashes, each times the multiplier of its position; a variable's new
hash mixes its old one and the sum of its factors' new hashes, each times the multiplier of the
position. Positions that commute share a multiplier, and sums commute: nothing is sorted.

Theorem: members with equal colours after a round have equal hashes, whatever the mixing function
and the multipliers are, since hashes are computed from nothing but what the colours are. So groups
of equal hashes may be too large by chance, but they never separate what belongs together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from liftgraph.symmetry.colours.engines.arrays import smallest_rows
from liftgraph.symmetry.colours.engines.grouping import run_bounds
from liftgraph.symmetry.colours.engines.torch_groups import numbered_rows, representatives
from liftgraph.symmetry.colours.engines.torch_incidence import (
    DeviceIncidence,
    DeviceKind,
    add_up_lanes,
    chunks,
    of_lanes,
    with_lanes,
)


@dataclass(frozen=True, slots=True)
class Hashes:
    """Colours as hashes, int64 (n,) and (m,), after some rounds; whether the last round left the
    numbers of groups as they were."""

    variables: Tensor
    factors: Tensor
    rounds: int
    are_stable: bool


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The colours of the arguments of a kind's factors, up to exchanges.

    ``which``: int32 (m,), the row of each factor. ``images``: (d, k), the smallest image of each
    row; ``labels``: int64 (d, k), of its positions, the same for those it does not tell apart.
    """

    which: Tensor
    images: Tensor
    labels: Tensor


def hashed_rounds(
    incidence: DeviceIncidence,
    variables: Tensor,
    factors: Tensor,
    groups: int,
    seed: int,
    most: int | None,
) -> Hashes:
    """Pass colours until the numbers of hashes do not grow, or for this many rounds.

    ``variables``, ``factors``: colours, integers (n,) and (m,), that are left as they are.
    ``groups``: how many there are of both. ``seed``: of the mixing and the multipliers.
    """
    random = np.random.default_rng(seed)
    offset, *multipliers = (random.integers(-(2**63), 2**63, 1 + incidence.width) | 1).tolist()
    ours = with_lanes(incidence, mixed(variables.to(torch.int64) + offset))
    theirs = mixed(factors.to(torch.int64) + offset)
    rounds, before = 0, -1
    while before < groups and (most is None or rounds < most):
        _pass_colours(incidence, ours, theirs, multipliers)
        rounds, before = rounds + 1, groups
        groups = _distinct_count(ours[: incidence.variable_count]) + _distinct_count(theirs)
    return Hashes(ours[: incidence.variable_count], theirs, rounds, groups <= before)


def mixed(numbers: Tensor) -> Tensor:
    """A bijection of 64-bit numbers that spreads them well: multiply and shift, twice.

    >>> len(set(mixed(torch.arange(1000)).tolist()))
    1000
    """
    result = numbers - 0x61C8864680B583EB
    for factor, shift in ((-0x40A7B892E31B1A47, 29), (-0x6B2FB644ECCEEE15, 32)):
        result *= factor
        # Torch has signed integers only, so copies of the sign come in from the left.
        result ^= (result >> shift) & ((1 << (64 - shift)) - 1)
    return result


def arranged(kind: DeviceKind, places: Tensor) -> Arrangement:
    """The rows of colours of a kind's arguments, up to exchanges; ``places``: colours of places.

    Distinct rows are found exactly, not by hashing them: two rows that were taken for one would
    get wrong labels, and these could separate what belongs together.
    """
    which = numbered_rows(places, kind.columns)
    of_row = representatives(which)
    entries = [places.index_select(0, column.index_select(0, of_row)) for column in kind.columns]
    rows = torch.stack(entries, dim=1).cpu().numpy()
    images, labels = smallest_rows(rows, kind.symmetries)
    told = images, labels.astype(np.int64)  # torch takes no indices of 8 bits
    return Arrangement(which, *(torch.tensor(part, device=places.device) for part in told))


def _pass_colours(
    incidence: DeviceIncidence, places: Tensor, factors: Tensor, multipliers: list[int]
) -> None:
    """One round, in place. ``places``: the hashes of all places."""
    heard = torch.zeros_like(places)
    for kind in incidence.kinds:
        rearranging = bool(kind.symmetries.exchanges)
        visit = _visit_rearranging if rearranging else _visit
        visit(kind, places, factors[kind.span], heard, multipliers)
    sums, ours = add_up_lanes(incidence, heard), places[: incidence.variable_count]
    for some in chunks(len(ours), ours.device):
        ours[some] = mixed(ours[some] + sums[some])
    places[len(ours) :] = of_lanes(incidence, ours)


def _visit(
    kind: DeviceKind, places: Tensor, factors: Tensor, heard: Tensor, multipliers: list[int]
) -> None:
    """Hash the factors of a kind, in place, and add their messages to what places hear."""
    for some in chunks(len(factors), factors.device):
        hashes = factors[some]
        for column, label in zip(kind.columns, kind.labels, strict=True):
            hashes.add_(places.index_select(0, column[some]), alpha=multipliers[label])
        hashes.copy_(mixed(hashes))
        for column, label in zip(kind.columns, kind.labels, strict=True):
            heard.index_add_(0, column[some], hashes, alpha=multipliers[label])


def _visit_rearranging(
    kind: DeviceKind, places: Tensor, factors: Tensor, heard: Tensor, multipliers: list[int]
) -> None:
    """The same for factors with exchanges, whose labels depend on the colours of arguments."""
    rows = arranged(kind, places)
    by_label = torch.tensor(multipliers, device=factors.device)
    sums = (rows.images * by_label[: len(kind.columns)]).sum(dim=1)
    factors.copy_(mixed(factors + sums.index_select(0, rows.which)))
    for column, labels in zip(kind.columns, rows.labels.unbind(1), strict=True):
        heard.index_add_(0, column, factors * by_label[labels].index_select(0, rows.which))


def _distinct_count(hashes: Tensor) -> int:
    """How many there are. On the CPU, NumPy sorts several times faster than torch."""
    if hashes.is_cuda:
        return len(torch.unique(hashes))
    return len(run_bounds(np.sort(hashes.numpy()))) - 1
