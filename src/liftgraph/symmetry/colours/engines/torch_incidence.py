"""Factors and their arguments on a device of torch.

Importing this module needs torch, an optional extra.

Messages are added up where they arrive, and a card does one addition after the other where they
arrive at one place. So a variable with a large share of the edges, a hub, has lanes: places of its
own at which its messages arrive by turns. Arrays of all places have one entry for each variable,
then those of the lanes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from liftgraph.symmetry.tables.symmetries import Symmetries

HUB = 1 << 16  # a hub is the argument of at least this many factors at one position
LANES = 1 << 10  # of each hub
SHARE = 64  # a hub is the argument of more than one in this many factors at one position
SAMPLE = 1 << 12  # the factors at which hubs are looked for: which there are matters only for speed
CHUNKS = {"cuda": 1 << 24, "cpu": 1 << 20}  # factors at a time: threads wait for each other


@dataclass(frozen=True, slots=True)
class DeviceKind:
    """Factors whose tables have equally many arguments and the same symmetries, on a device.

    ``columns``: for each position, the place of each factor's argument, int32 (m,).
    ``span``: which of all factors these are. ``labels``: of the positions, the same for those that
    commute.
    """

    columns: tuple[Tensor, ...]
    span: slice
    symmetries: Symmetries
    labels: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DeviceIncidence:
    """Which variable is which argument of which factor, on a device; factors are numbered kind
    after kind. ``hubs``: int64, the variables that have lanes."""

    variable_count: int
    kinds: tuple[DeviceKind, ...]
    hubs: Tensor

    @property
    def factor_count(self) -> int:
        """How many factors there are."""
        return self.kinds[-1].span.stop if self.kinds else 0

    @property
    def edge_count(self) -> int:
        """How many arguments all factors have."""
        return sum(len(column) for kind in self.kinds for column in kind.columns)

    @property
    def width(self) -> int:
        """The largest number of arguments of a factor."""
        return max((len(kind.columns) for kind in self.kinds), default=0)


def device_incidence(
    variable_count: int,
    kinds: Sequence[tuple[Sequence[Tensor], Symmetries]],
    counts: Sequence[int],
    device: torch.device,
) -> DeviceIncidence:
    """The incidence of factors whose arguments are on a device already; they are not copied, except
    at positions that have a hub.

    ``kinds``: for each kind the arguments at each position, int32 (m,), views of larger tensors if
    that suits, and the symmetries. ``counts``: the number of factors of each kind.

    >>> rows = torch.tensor([[0, 1], [1, 2]], dtype=torch.int32)
    >>> swap = Symmetries(((0, 1),))
    >>> path = device_incidence(3, [(rows.unbind(1), swap)], [2], rows.device)
    >>> path.factor_count, path.edge_count, path.kinds[0].labels
    (2, 4, (0, 0))
    """
    hubs = sorted({hub for columns, _ in kinds for column in columns for hub in _frequent(column)})
    if variable_count + len(hubs) * LANES >= 2**31:
        hubs = []
    lanes = {hub: variable_count + index * LANES for index, hub in enumerate(hubs)}
    listed, first = [], 0
    for (columns, symmetries), count in zip(kinds, counts, strict=True):
        placed = tuple(_placed(column, lanes) for column in columns)
        span = slice(first, first + count)
        listed.append(DeviceKind(placed, span, symmetries, _labels(symmetries)))
        first += count
    with_lanes = torch.tensor(hubs, dtype=torch.int64, device=device)
    return DeviceIncidence(variable_count, tuple(listed), with_lanes)


def with_lanes(incidence: DeviceIncidence, values: Tensor) -> Tensor:
    """The value of each place: those of the variables (n,), then those of hubs for their lanes."""
    return torch.cat([values, of_lanes(incidence, values)]) if len(incidence.hubs) else values


def of_lanes(incidence: DeviceIncidence, values: Tensor) -> Tensor:
    """The value of each lane, from those of the variables (n,)."""
    return values[incidence.hubs].repeat_interleave(LANES)


def add_up_lanes(incidence: DeviceIncidence, sums: Tensor) -> Tensor:
    """The sum of each variable (n,), from those of all places, in the same memory."""
    ours, lanes = sums[: incidence.variable_count], sums[incidence.variable_count :]
    if len(incidence.hubs):
        ours[incidence.hubs] += lanes.view(-1, LANES).sum(dim=1)
    return ours


def chunks(count: int, device: torch.device) -> Iterator[slice]:
    """Slices of an array, a chunk at a time, so that what is computed between takes little room."""
    step = CHUNKS[device.type]
    return (slice(first, min(first + step, count)) for first in range(0, count, step))


def _labels(symmetries: Symmetries) -> tuple[int, ...]:
    label = {place: k for k, places in enumerate(symmetries.commuting) for place in places}
    return tuple(label[place] for place in range(len(label)))


def _frequent(column: Tensor) -> list[int]:
    """The variables that are arguments of many factors at one position, as a sample shows them."""
    if len(column) < HUB:
        return []
    sample = column[:: max(len(column) // SAMPLE, 1)]
    entries, counts = torch.unique(sample, return_counts=True)
    hubs: list[int] = entries[counts * SHARE > len(sample)].tolist()
    return hubs


def _placed(column: Tensor, lanes: dict[int, int]) -> Tensor:
    """The places of arguments at one position: a hub's lanes by turns where it is frequent.

    ``lanes``: the first lane of each hub.
    """
    for hub in _frequent(column):
        if hub in lanes:
            turns = torch.arange(len(column), dtype=torch.int32, device=column.device) % LANES
            column = torch.where(column == hub, turns + lanes[hub], column)
    return column
