"""What an engine of colour passing is: a seam, with nothing but data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from liftgraph.symmetry.colours.colouring import Change
from liftgraph.symmetry.colours.incidence import Incidence
from liftgraph.symmetry.colours.initial import Colour, Integers


@dataclass(frozen=True, slots=True)
class StableColours:
    """The coarsest stable colours that refine the initial ones, numbered in any way.

    ``variables``: integers (n,), ``factors``: integers (m,). ``rounds``: the number of
    rounds, including the last one, which changed nothing. ``changes``: the initial colours and what
    changed in each round, if recorded.
    """

    variables: Integers
    factors: Integers
    rounds: int
    changes: tuple[Change, ...] | None = None


Refine = Callable[[Incidence, Colour, Colour, bool], StableColours]


@dataclass(frozen=True, slots=True)
class Engine:
    """A named way to refine colours.

    ``refine(incidence, variable_colours, factor_colours, record)`` changes none of its arguments.
    In a round, factors get colours by their colours and those of their arguments, where a symmetry
    of the table may permute these; then variables get colours by their colours and how many
    factors of each colour they meet at each position, where symmetries that keep the factor's
    colours make positions the same. ``module`` and ``extra``: what it needs to be installed.
    ``devices``: the same on one device, by its name, if the engine can be told which to use.
    """

    name: str
    refine: Refine
    module: str | None = None
    extra: str | None = None
    devices: Mapping[str, Refine] = field(default_factory=dict)
