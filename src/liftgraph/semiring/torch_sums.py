"""Sums and products of float64 on a device of torch, for the contraction of very large tables.

Importing this module needs torch, an optional extra.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from liftgraph.errors import ComputationError
from liftgraph.semiring.pairs import plus, times_log_2
from liftgraph.semiring.protocol import Arrangement, Contracting, Index, Normalised
from liftgraph.semiring.scaled import SAFE

_FEW = 8  # products are added up one by one, without a product of matrices
_PART = 1 << 26  # entries that are compared at a time


class OnDevice(NamedTuple):
    """Floats times 2**exponent, so that nothing overflows or underflows.

    ``values``: float64, on a device; every one that is not zero lies between 2**low and 2**high.
    """

    values: Tensor
    low: float
    high: float
    exponent: int = 0


@dataclass(frozen=True)
class TorchSemiring(Contracting[OnDevice]):
    """What contracting tables needs of a semiring, on a device of torch.

    Entries are plain floats, and bounds prove this safe. Where they cannot, since the entries of
    one table differ by factors near 2**1000, the answer is refused: logarithms are left to NumPy.
    """

    device: str

    def evaluate(self, integers: NDArray[Any], bits: int | None = None) -> OnDevice:
        longest = int(integers.max(initial=0)).bit_length() if bits is None else bits
        if longest > SAFE // 2:
            raise _too_wide()
        values = np.ascontiguousarray(integers, dtype=np.float64)
        return OnDevice(torch.tensor(values, device=self.device), 0.0, longest)

    def unit(self, shape: tuple[int, ...]) -> OnDevice:
        return OnDevice(torch.ones(shape, dtype=torch.float64, device=self.device), 0.0, 0.0)

    def before(self, power: int) -> TorchSemiring:
        return self

    def part(self, tensor: OnDevice, index: Index) -> OnDevice:
        return tensor._replace(values=tensor.values[index])

    def arrange(
        self, tensor: OnDevice, axes: tuple[int, ...] | None, shape: tuple[int, ...]
    ) -> OnDevice:
        values = tensor.values if axes is None else tensor.values.permute(axes)
        return tensor._replace(values=values.reshape(shape))

    def combine(self, a: OnDevice, b: OnDevice) -> OnDevice:
        growth = (a.values.shape[-1] - 1).bit_length()
        if not _safe(a, b, growth):
            a, b = tightened(a), tightened(b)
            if not _safe(a, b, growth):
                raise _too_wide()
        values = _matrix_product(a.values, b.values)
        exponent = a.exponent + b.exponent
        return OnDevice(values, a.low + b.low, a.high + b.high + growth, exponent)

    def contract(self, a: OnDevice, b: OnDevice, how: Arrangement) -> OnDevice:
        return super().contract(a, b, how)

    def possible(self, tensor: OnDevice) -> bool:
        return bool(tensor.values.any())

    def normalise(self, tensor: OnDevice) -> Normalised | None:
        """The entries divided by their sum, on the host; None if that is zero."""
        entries = tightened(tensor)
        values = entries.values.cpu().numpy()
        total = float(values.sum())
        if total == 0:
            return None
        log_sum = plus((math.log(total), 0.0), times_log_2(entries.exponent))
        return Normalised(values / total, None, log_sum, None)


def tightened(tensor: OnDevice) -> OnDevice:
    """The same tensor with its largest entry between ½ and 1, and its true bounds."""
    entries = tensor.values.reshape(-1)
    parts = [entries[start : start + _PART] for start in range(0, len(entries), _PART)]
    largest = max([float(part.max()) for part in parts], default=0.0)
    if largest == 0:
        return OnDevice(tensor.values, 0.0, 0.0)
    smallest = min([_smallest(part) for part in parts])
    peak = math.frexp(largest)[1]
    low = math.frexp(smallest)[1] - 1 - peak
    if low <= -SAFE:
        raise _too_wide()
    return OnDevice(tensor.values * 2.0**-peak, low, 0.0, tensor.exponent + peak)


def _smallest(values: Tensor) -> float:
    """The smallest of some values which is not zero; infinity if there is none."""
    return float(torch.where(values > 0, values, math.inf).min())


def _too_wide() -> ComputationError:
    return ComputationError(
        "the entries of a table differ by too much for floats on a device: expected a factor below"
        f" 2**{SAFE}; the method ground goes on with logarithms"
    )


def _safe(a: OnDevice, b: OnDevice, growth: int) -> bool:
    return a.low + b.low > -SAFE and a.high + b.high + growth < SAFE


def _matrix_product(a: Tensor, b: Tensor) -> Tensor:
    """From shapes (…, i, k) and (…, k, j) to (…, i, j), leading axes broadcast."""
    if a.shape[-1] > _FEW:
        return torch.matmul(a, b)
    total = a[..., :1] * b[..., :1, :]
    for term in range(1, a.shape[-1]):
        total.addcmul_(a[..., term : term + 1], b[..., term : term + 1, :])
    return total
