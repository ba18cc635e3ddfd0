"""Whether colours on a device of torch are stable, exactly: without hashes.

Importing this module needs torch, an optional extra.

One member of each group represents it, and all others are compared with it: factors by the colours
of their arguments, variables by how often they are told each word. Words are not sorted: those of
the representatives are listed once, each other member has a counter for every word on its
representative's list, and the counters must end at the representative's counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import torch
from torch import Tensor

from liftgraph.errors import ComputationError
from liftgraph.symmetry.colours.engines.torch_groups import group_count, representatives
from liftgraph.symmetry.colours.engines.torch_incidence import (
    DeviceIncidence,
    DeviceKind,
    chunks,
    with_lanes,
)
from liftgraph.symmetry.colours.engines.torch_rounds import Arrangement, arranged

Arrangements = Sequence[Arrangement | None]
Words = tuple[Tensor, Tensor]  # the words told to some places: int32, int64, aligned
LARGEST = 2**63 - 1


def are_stable(incidence: DeviceIncidence, variables: Tensor, factors: Tensor) -> bool:
    """Whether members of a group have equal signatures: then another round changes no group.

    ``variables``, ``factors``: int32 (n,) and (m,), numbered from 0 without gaps.
    Precondition: factors of one colour are of one kind.
    """
    places = with_lanes(incidence, variables)
    arrangements = [
        arranged(kind, places) if kind.symmetries.exchanges else None for kind in incidence.kinds
    ]
    return _rows_agree(incidence, places, factors, arrangements) and _words_agree(
        incidence, variables, factors, arrangements
    )


def _rows_agree(
    incidence: DeviceIncidence, places: Tensor, factors: Tensor, arrangements: Arrangements
) -> bool:
    """Whether factors of a group have arguments of the same colours, up to symmetries."""
    of_group = representatives(factors)
    for kind, rows in zip(incidence.kinds, arrangements, strict=True):
        colours = factors[kind.span]
        for some in chunks(len(colours), colours.device):
            others = of_group.index_select(0, colours[some]) - kind.span.start
            sides = (_row(kind, places, rows, side) for side in (some, others))
            if not all(torch.equal(*entries) for entries in zip(*sides, strict=True)):
                return False
    return True


def _row(
    kind: DeviceKind, places: Tensor, rows: Arrangement | None, factors: slice | Tensor
) -> list[Tensor]:
    """The colours of the arguments of some factors of a kind, in canonical order: a tensor for each
    position."""
    if rows is not None:
        return list(rows.images.index_select(0, _some(rows.which, factors)).unbind(1))
    columns = [places.index_select(0, _some(column, factors)) for column in kind.columns]
    for positions in kind.symmetries.commuting:
        for end in range(len(positions), 1, -1):
            for p, q in pairwise(positions[:end]):
                first, second = columns[p], columns[q]
                columns[p], columns[q] = torch.minimum(first, second), torch.maximum(first, second)
    return columns


def _some(entries: Tensor, chosen: slice | Tensor) -> Tensor:
    """Some of the entries; ``chosen``: which, a slice or int32."""
    return entries[chosen] if isinstance(chosen, slice) else entries.index_select(0, chosen)


def _words_agree(
    incidence: DeviceIncidence, variables: Tensor, factors: Tensor, arrangements: Arrangements
) -> bool:
    """Whether variables of a group are told the same words equally often."""
    groups, bound = group_count(variables), group_count(factors) * incidence.width
    if groups * bound > LARGEST:
        raise ComputationError(f"expected at most 2**63 pairs of groups, got {groups * bound:,}")
    of_group = representatives(variables)
    members = torch.arange(len(variables), dtype=torch.int32, device=variables.device)
    others = of_group.index_select(0, variables) != members
    leaders = torch.zeros_like(others)
    leaders[of_group[torch.bincount(variables, minlength=groups) > 1].to(torch.int64)] = True
    colours = with_lanes(incidence, variables)

    def keys(chosen: Tensor) -> Iterator[Words]:
        """The words told to these variables, bool (n,), after the group of the variable."""
        chosen = with_lanes(incidence, chosen)
        for told, words in _words(incidence, factors, arrangements):
            kept = chosen.index_select(0, told)
            told = told[kept]
            group = colours.index_select(0, told).to(torch.int64)
            yield told, group * bound + words[kept]

    table, expected = _counted(keys(leaders), variables.device)
    first = torch.searchsorted(table, bound * torch.arange(groups + 1, device=table.device))
    own = torch.where(others, first.diff().index_select(0, variables), 0)
    ends = own.cumsum(0)
    base = ends - own - first.index_select(0, variables)
    if len(ends) and int(ends[-1]) > incidence.edge_count:
        return False
    counters = _told(keys(others), table, with_lanes(incidence, base), ends)
    return counters is not None and _as_expected(counters, expected, base, ends)


def _words(
    incidence: DeviceIncidence, factors: Tensor, arrangements: Arrangements
) -> Iterator[Words]:
    """Who is told what: a word says the colour of the factor and the label of the position."""
    for kind, rows in zip(incidence.kinds, arrangements, strict=True):
        colours = factors[kind.span]
        for some in chunks(len(colours), colours.device):
            said = colours[some].to(torch.int64) * incidence.width
            for position, column in enumerate(kind.columns):
                label: int | Tensor = kind.labels[position]
                if rows is not None:
                    label = rows.labels[:, position].index_select(0, rows.which[some])
                yield column[some], said + label


def _counted(keys: Iterator[Words], device: torch.device) -> tuple[Tensor, Tensor]:
    """The distinct keys, increasing, and how often each comes; the last one never comes."""
    listed = [torch.unique(part, return_counts=True) for _, part in keys]
    last = torch.tensor([LARGEST], device=device)
    table = torch.unique(torch.cat([*(part for part, _ in listed), last]))
    counts = torch.zeros_like(table)
    for part, times in listed:
        counts.index_add_(0, torch.searchsorted(table, part), times)
    return table, counts


def _told(keys: Iterator[Words], table: Tensor, base: Tensor, ends: Tensor) -> Tensor | None:
    """How often each variable is told each word on its representative's list, int64; None if one
    is told another word. ``base``: of places, where a counter is beyond its key's place."""
    counters = table.new_zeros(int(ends[-1]) if len(ends) else 0)
    for told, part in keys:
        slots = torch.searchsorted(table, part)
        if not torch.equal(table.index_select(0, slots), part):
            return None
        counters.index_add_(0, base.index_select(0, told) + slots, torch.ones_like(slots))
    return counters


def _as_expected(counters: Tensor, expected: Tensor, base: Tensor, ends: Tensor) -> bool:
    """Whether the counters of all variables are at their representatives' counts."""
    for some in chunks(len(counters), counters.device):
        places = torch.arange(some.start, some.stop, device=counters.device)
        owners = torch.searchsorted(ends, places, right=True)
        slots = places - base.index_select(0, owners)
        if not torch.equal(counters[some], expected.index_select(0, slots)):
            return False
    return True
