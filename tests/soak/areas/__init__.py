"""The areas of the campaign, a file for each subject; ``AREAS`` is the table of them."""

from __future__ import annotations

from tests.soak.area import Area
from tests.soak.areas import (
    again,
    budgets,
    commands,
    copies,
    counts,
    damage,
    days,
    explanations,
    faults,
    folders,
    lifting,
    memory,
    powers,
    questions,
    round_trips,
    samples,
    together,
    tolerances,
)

_MODULES = (
    questions,
    again,
    tolerances,
    lifting,
    budgets,
    powers,
    explanations,
    counts,
    samples,
    days,
    together,
    damage,
    round_trips,
    faults,
    folders,
    commands,
    memory,
    copies,
)
AREAS: dict[str, Area] = {area.name: area for module in _MODULES for area in module.AREAS}
