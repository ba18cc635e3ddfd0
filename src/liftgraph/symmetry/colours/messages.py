"""The messages of a round of colour passing: what is passed, and the new colours it leads to.

``spoken`` is what factors are told, and which positions they name when they answer: an engine needs
nothing else of the tables. ``messages_of`` lists both steps of a round, with names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.tabular import KEPT, Listed, Repeated, Tabular, Tabulated, Words
from liftgraph.symmetry.colours.incidence import Incidence, Kind
from liftgraph.symmetry.colours.initial import Colour, Integers
from liftgraph.symmetry.tables.orbits import orbit_labels, smallest_images

Positions = tuple[int, ...]
Row = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Spoken:
    """What variables tell factors, and which positions the factors answer with.

    ``rows``: for each factor, the colours of its arguments, in the smallest order that symmetries
    of its table allow. ``places``: for each of its aligned arguments, the positions in that order
    which it cannot be told from: by commuting, or by exchanges that keep the row.
    """

    rows: list[Row]
    places: list[list[Positions]]


def spoken(incidence: Incidence, variable_colours: Integers) -> Spoken:
    """The messages that variables send with these colours: integers (n,)."""
    rows: list[Row] = [()] * incidence.factor_count
    places: list[list[Positions]] = [[]] * incidence.factor_count
    for kind in incidence.kinds:
        at = incidence.start[kind.factors, None] + np.arange(kind.arity)
        colours = variable_colours[incidence.arguments[at]]
        images, orders = smallest_images(colours, kind.symmetries)
        places_in_images = _places(images, kind)
        listed = zip(images.tolist(), orders.tolist(), places_in_images, strict=True)
        for factor, (image, order, own) in zip(kind.factors.tolist(), listed, strict=True):
            rows[factor] = tuple(image)
            places[factor] = [positions for _, positions in sorted(zip(order, own, strict=True))]
    return Spoken(rows, places)


def _places(images: NDArray[np.integer[Any]], kind: Kind) -> list[list[Positions]]:
    """For each position of each image, the positions that it cannot be told from."""
    if kind.symmetries.exchanges:
        return [*map(_alike, orbit_labels(images, kind.symmetries).tolist())]
    return [_alike(kind.labels.tolist())] * len(images)


def _alike(labels: list[int]) -> list[Positions]:
    """For each position, those with the same label.

    >>> _alike([0, 1, 0])
    [(0, 2), (1,), (0, 2)]
    """
    positions = {
        label: tuple(np.flatnonzero(np.array(labels) == label).tolist()) for label in labels
    }
    return [positions[label] for label in labels]


@dataclass(frozen=True, slots=True)
class FactorMessages:
    """What a factor is told in a round. ``arguments``: its variables, aligned with the other
    factors of its table's class. ``colour``: its own; ``told``: the colours of its arguments,
    those of commuting arguments increasing. ``new_colour``: follows from these.
    ``commuting``: the sets of positions that may be permuted freely."""

    factor: int
    arguments: tuple[int, ...]
    colour: int
    told: Row
    new_colour: int
    commuting: tuple[Positions, ...]


@dataclass(frozen=True, slots=True)
class VariableMessages:
    """What a variable is told in a round. ``colour``: its own; ``told``: the new colours of its
    factors, each with the position of the variable, or all positions which commute with it, and
    how often it was told so. ``new_colour``: follows from these."""

    variable: int
    colour: int
    told: tuple[tuple[int, Positions, int], ...]
    new_colour: int


@dataclass(frozen=True, eq=False, repr=False)
class Messages(Tabulated):
    """The messages of a round of colour passing (the paper's Algorithm 2).

    First variables tell factors their colours, and factors get new ones. Then factors tell
    variables their new colours and at which position they stand. Those with the same own colour
    and the same messages have the same new colour; in the tables they share a row.
    Positions are indices in the data, but count from 1 where they are printed, as in the paper.

    """

    graph: FactorGraph
    factors: tuple[FactorMessages, ...]
    variables: tuple[VariableMessages, ...]

    @property
    def tabulars(self) -> tuple[Tabular, ...]:
        """The messages to factors, and those to variables."""
        return self._to_factors, self._to_variables

    @cached_property
    def _to_factors(self) -> Tabular:
        rows: dict[tuple[int, Row], tuple[FactorMessages, list[str]]] = {}
        for message in self.factors:
            names = rows.setdefault((message.colour, message.told), (message, []))[1]
            names.append(f"φ{message.factor + 1}")
        headings = ("factors", "colours of arguments", "own colour", "new colour")
        return _grouped(headings, [(names, m, _told(m)) for m, names in rows.values()])

    @cached_property
    def _to_variables(self) -> Tabular:
        rows: dict[object, tuple[VariableMessages, list[str]]] = {}
        for message in self.variables:
            names = rows.setdefault((message.colour, message.told), (message, []))[1]
            names.append(self.graph.name(message.variable))
        headings = ("variables", "colours and positions in factors", "own colour", "new colour")
        return _grouped(headings, [(names, m, _heard(m)) for m, names in rows.values()])


def _grouped(
    headings: Sequence[str],
    rows: Sequence[tuple[list[str], FactorMessages | VariableMessages, object]],
) -> Tabular:
    """A row for those with the same messages."""
    cells = [(Listed("", names), told, m.colour, m.new_colour) for names, m, told in rows[:KEPT]]
    return Tabular(tuple(map(Words, headings)), tuple(cells), len(rows))


def _told(message: FactorMessages) -> object:
    """The colours of arguments, with those of commuting arguments as multisets."""
    parts = [[message.told[position] for position in p] for p in message.commuting]
    return Listed("()", [Listed("{}", p) if len(p) > 1 else p[0] for p in parts])


def _heard(message: VariableMessages) -> object:
    """A multiset of colours with positions."""
    return Listed("{}", [Repeated(n, Listed("()", (c, _place(p)))) for c, p, n in message.told])


def _place(positions: Positions) -> object:
    """A position from 1 on; of several that commute, all."""
    if len(positions) == 1:
        return positions[0] + 1
    return Listed("{}", [position + 1 for position in positions])


def messages_of(
    graph: FactorGraph,
    incidence: Incidence,
    before: tuple[Colour, Colour],
    after: tuple[Colour, Colour],
) -> Messages:
    """The messages of a round; ``before`` and ``after``: colours of variables and of factors."""
    said = spoken(incidence, before[0])
    scopes = np.split(incidence.arguments, incidence.start[1:-1]) if said.rows else []
    heard: list[Counter[tuple[int, Positions]]] = [Counter() for _ in before[0]]
    factors = []
    colours = zip(before[1].tolist(), after[1].tolist(), incidence.kind_of.tolist(), strict=True)
    for factor, (old, new, kind) in enumerate(colours):
        arguments = tuple(scopes[factor].tolist())
        commuting = incidence.kinds[kind].symmetries.commuting
        factors.append(FactorMessages(factor, arguments, old, said.rows[factor], new, commuting))
        for variable, positions in zip(arguments, said.places[factor], strict=True):
            heard[variable][new, positions] += 1
    listed = zip(before[0].tolist(), heard, after[0].tolist(), strict=True)
    variables = [
        VariableMessages(v, old, tuple((*word, n) for word, n in sorted(words.items())), new)
        for v, (old, words, new) in enumerate(listed)
    ]
    return Messages(graph, tuple(factors), tuple(variables))
