"""Groups of equal entries on a device of torch: their numbers and their members.

Importing this module needs torch, an optional extra.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from liftgraph.symmetry.colours.engines.torch_incidence import chunks


def group_count(colours: Tensor) -> int:
    """How many groups there are, numbered from 0 without gaps."""
    return int(colours.max()) + 1 if len(colours) else 0


def representatives(colours: Tensor) -> Tensor:
    """A member of each group, int32; ``colours``: int32, numbered from 0 without gaps."""
    members = torch.empty(group_count(colours), dtype=torch.int32, device=colours.device)
    for some in chunks(len(colours), colours.device):
        listed = torch.arange(some.start, some.stop, dtype=torch.int32, device=colours.device)
        members.scatter_(0, colours[some].to(torch.int64), listed)
    return members


def numbered(entries: Tensor) -> Tensor:
    """Equal numbers for equal entries, int32, from 0 without gaps. On the CPU, NumPy sorts several
    times faster than torch.

    >>> numbered(torch.tensor([7, -2, 7])).tolist()
    [1, 0, 1]
    """
    if entries.is_cuda:
        numbers: Tensor = torch.unique(entries, return_inverse=True)[1]
    else:
        numbers = torch.from_numpy(np.unique(entries.numpy(), return_inverse=True)[1])
    return numbers.to(torch.int32)


def numbered_pairs(first: Tensor, second: Tensor) -> Tensor:
    """Equal numbers for equal pairs, int32, from 0 without gaps; those of both entries are such
    numbers."""
    return numbered(first.to(torch.int64) * group_count(second) + second)


def numbered_rows(places: Tensor, columns: tuple[Tensor, ...]) -> Tensor:
    """Equal numbers for equal rows of entries, int32, from 0 without gaps.

    ``columns``: int32, where the entries of a column are among all, ``places``. Rows are compared
    exactly, an entry at a time.
    """
    numbers = numbered(places)
    rows = numbered(numbers.index_select(0, columns[0]))
    for column in columns[1:]:
        rows = numbered_pairs(rows, numbers.index_select(0, column))
    return rows
