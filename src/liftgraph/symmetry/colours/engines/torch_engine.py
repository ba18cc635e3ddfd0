"""Colour passing by torch, on a graphics card or on the CPU: arrays in, arrays out.

Importing this module needs torch, an optional extra.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from liftgraph.symmetry.colours.engines.engine import StableColours
from liftgraph.symmetry.colours.engines.grouping import Indices
from liftgraph.symmetry.colours.engines.rounds import PATIENCE, refined
from liftgraph.symmetry.colours.engines.torch_incidence import DeviceIncidence, device_incidence
from liftgraph.symmetry.colours.engines.torch_memory import check_device_memory
from liftgraph.symmetry.colours.engines.torch_refinement import stable_on_device
from liftgraph.symmetry.colours.incidence import Incidence, Kind
from liftgraph.symmetry.colours.initial import Colour
from liftgraph.torch_devices import device_named

ROUNDS = 32  # after this many, little changes in a round: visiting only that costs less


def refined_by_torch(
    incidence: Incidence,
    variable_colours: Colour,
    factor_colours: Colour,
    record: bool = False,
    device: str | None = None,
) -> StableColours:
    """Refine colours on a device, ``"cuda"`` or ``"cpu"``, until they are stable.

    None: the card, if torch sees one, and otherwise the CPU. What the device has no memory for is
    refused before anything is allocated there. A round on a device visits the whole graph. So what
    is not stable after some rounds is passed on to rounds on the host, which visit what changed.
    Recorded rounds are done on the host, all of them.
    """
    chosen = device_named(device)
    if record:
        return refined(incidence, variable_colours, factor_colours, record)
    check_device_memory(
        incidence.variable_count,
        incidence.factor_count,
        len(incidence.arguments),
        sum(k.arity * len(k.factors) for k in incidence.kinds if k.symmetries.exchanges),
        chosen,
    )
    spans = [_span(kind) for kind in incidence.kinds]
    colours = stable_on_device(
        _on_device(incidence, spans, chosen),
        _tensor(variable_colours, chosen),
        _tensor(np.concatenate([factor_colours[:0], *(factor_colours[s] for s in spans)]), chosen),
        ROUNDS,
    )
    variables, in_kinds = colours.variables.cpu().numpy(), colours.factors.cpu().numpy()
    factors, first = np.empty_like(in_kinds), 0
    for kind, span in zip(incidence.kinds, spans, strict=True):
        factors[span] = in_kinds[first : first + len(kind.factors)]
        first += len(kind.factors)
    if colours.are_stable:
        return StableColours(variables, factors, colours.rounds)
    rest = refined(incidence, variables, factors, patience=PATIENCE)
    return StableColours(rest.variables, rest.factors, colours.rounds + rest.rounds)


def _span(kind: Kind) -> slice | Indices:
    """The factors of a kind: a slice if they are consecutive, then views of arrays will do."""
    factors = kind.factors
    if not len(factors) or factors[-1] - factors[0] >= len(factors):
        return factors
    return slice(int(factors[0]), int(factors[-1]) + 1)


def _on_device(
    incidence: Incidence, spans: list[slice | Indices], device: torch.device
) -> DeviceIncidence:
    """The incidence on a device; ``spans``: the factors of each kind."""
    arguments = _tensor(incidence.arguments, device)
    columns = [
        _columns(incidence, kind, span, arguments)
        for kind, span in zip(incidence.kinds, spans, strict=True)
    ]
    kinds = zip(columns, (kind.symmetries for kind in incidence.kinds), strict=True)
    counts = [len(kind.factors) for kind in incidence.kinds]
    return device_incidence(incidence.variable_count, list(kinds), counts, device)


def _columns(
    incidence: Incidence, kind: Kind, span: slice | Indices, arguments: Tensor
) -> tuple[Tensor, ...]:
    """The arguments at each position, int32 (m,): views if the factors are consecutive."""
    if isinstance(span, slice):
        first, count = int(incidence.start[span.start]), len(kind.factors)
        rows = arguments[first : first + count * kind.arity].view(count, kind.arity)
        return tuple(rows.unbind(1))
    start = _tensor(incidence.start[span], arguments.device)
    return tuple(arguments.index_select(0, start + place) for place in range(kind.arity))


def _tensor(array: NDArray[Any], device: torch.device) -> Tensor:
    """A copy of an array on a device."""
    return torch.tensor(array, device=device)
