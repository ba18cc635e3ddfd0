"""Devices of torch, and how much memory is free on them.

Importing this module needs torch, an optional extra.
"""

from __future__ import annotations

import os
from pathlib import Path

import torch

from liftgraph.errors import InputError

_AVAILABLE = Path("/proc/meminfo")


def device_named(name: str | None) -> torch.device:
    """The device of this name, or the card if torch sees one, and otherwise the CPU."""
    has_card = torch.cuda.is_available()
    if name == "cuda" and not has_card:
        raise InputError("expected a card which torch can use for the device 'cuda', got none")
    return torch.device(name or ("cuda" if has_card else "cpu"))


def free_bytes(device: torch.device) -> int | None:
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
