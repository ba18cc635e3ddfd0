"""How many bytes colour passing takes on a device of torch, and whether they are free.

Importing this module needs torch, an optional extra.
"""

from __future__ import annotations

import torch

from liftgraph.display import counted
from liftgraph.model.memory_limit import beyond_limit
from liftgraph.symmetry.colours.engines.torch_incidence import CHUNKS
from liftgraph.torch_devices import free_bytes

_BASE_BYTES = 1 << 25  # of small tensors, and of what torch keeps for sorting


def device_bytes(
    variables: int, factors: int, edges: int, rearranged: int, device: torch.device
) -> int:
    """A bound on the bytes on the device, with the arguments and the initial colours.

    ``edges``: the arguments of all factors; ``rearranged``: those of factors whose tables have
    exchanges.

    Arguments may be there twice, as given and with lanes. Beside hashes, colours and sums, either
    hashes are sorted with their places, or the words of representatives are: at most every second
    word is a representative's, since groups of one have nothing to compare.
    """
    lasting = 8 * edges + 28 * variables + 20 * factors
    sorting = max(56 * max(variables, factors), 24 * edges + 32 * variables)
    chunk = 10 * 8 * min(factors, CHUNKS[device.type])
    return _BASE_BYTES + lasting + sorting + chunk + 64 * rearranged


def check_device_memory(
    variables: int, factors: int, edges: int, rearranged: int, device: torch.device
) -> None:
    """Refuse a graph of this size, as in ``device_bytes``, if more is needed than is free."""
    needed, free = device_bytes(variables, factors, edges, rearranged, device), free_bytes(device)
    if free is not None and needed > free:
        size = f"{counted(variables, 'variable')}, {counted(factors, 'factor')} and {edges:,} edges"
        where = "on the card" if device.type == "cuda" else "with torch on the CPU"
        raise beyond_limit(f"colour passing {where} needs", needed, free, f"the graph has {size}")
