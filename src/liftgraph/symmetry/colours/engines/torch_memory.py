"""How many bytes colour passing takes on a device of torch, and whether they are free.

Importing this module needs torch, an optional extra.
"""

from __future__ import annotations

import os
from pathlib import Path

import torch

from liftgraph.display import counted
from liftgraph.model.memory_limit import beyond_limit
from liftgraph.symmetry.colours.engines.torch_incidence import CHUNKS

_BASE_BYTES = 1 << 25  # of small tensors, and of what torch keeps for sorting
_AVAILABLE = Path("/proc/meminfo")


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
    needed, free = device_bytes(variables, factors, edges, rearranged, device), _free_bytes(device)
    if free is not None and needed > free:
        size = f"{counted(variables, 'variable')}, {counted(factors, 'factor')} and {edges:,} edges"
        where = "on the card" if device.type == "cuda" else "with torch on the CPU"
        raise beyond_limit(f"colour passing {where} needs", needed, free, f"the graph has {size}")


def _free_bytes(device: torch.device) -> int | None:
    """The bytes that can be had on a device; None where the system does not tell."""
    if device.type == "cuda":
        kept = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
        return int(torch.cuda.mem_get_info(device)[0] + kept)
    if _AVAILABLE.exists():  # what the system would give up counts, unlike in sysconf
        lines = (line.split() for line in _AVAILABLE.read_text().splitlines())
        listed = {words[0]: int(words[1]) * 1024 for words in lines if words[2:] == ["kB"]}
        return listed.get("MemAvailable:")
    if "SC_AVPHYS_PAGES" in getattr(os, "sysconf_names", {}):
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return None
