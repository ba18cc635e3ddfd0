"""The logvars behind a colouring: coordinates for its groups that describe all its factors."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.lifted.substitutions import Pattern
from liftgraph.symmetry.structure.aspects import copied, own_aspects
from liftgraph.symmetry.structure.coordinates import Coordinate, Coordinates, Rank, coordinates
from liftgraph.symmetry.structure.factor_rows import FactorRows, Groups
from liftgraph.symmetry.structure.fitting import Occurrence, fit
from liftgraph.symmetry.structure.further_aspects import add_components, add_sets
from liftgraph.symmetry.structure.parfactor_fit import FittedRows, fit_rows
from liftgraph.symmetry.structure.relations import add_relations


@dataclass(frozen=True, slots=True)
class Structure:
    """Coordinates, and the groups that they describe.

    ``patterns``: by group of variables, which substitutions of its coordinates are its members.
    ``fitted``: by group of factors, its parfactor. Groups that are missing there are not described.
    """

    groups: Groups
    coordinates: Coordinates
    patterns: dict[int, Pattern]
    fitted: dict[int, FittedRows]

    @property
    def failing_groups(self) -> list[int]:
        """Groups of variables that are not all substitutions of their coordinates."""
        return [group for group in self.coordinates.of if group not in self.patterns]

    @property
    def failing_rows(self) -> list[FactorRows]:
        """Groups of factors that are not parfactors."""
        return [rows for group, rows in self.groups.rows.items() if group not in self.fitted]

    @property
    def failures(self) -> int:
        """How many groups are not described."""
        return len(self.failing_groups) + len(self.failing_rows)

    @property
    def complete(self) -> bool:
        """Whether everything is described."""
        return not self.failures


def structure(graph: FactorGraph, groups: Groups, rank: Rank) -> Structure:
    """Coordinates for all groups of more than one variable that describe as much as possible.

    ``rank``: the order in which members of a group are numbered off.
    """
    aspects = own_aspects(groups.sizes)
    for rows in groups.rows.values():
        add_relations(aspects, rows)
    best = _best_described(groups, coordinates(aspects, rank))
    trial = copied(aspects)
    while not best.complete and add_sets(trial, groups, best.coordinates, best.failing_rows, rank):
        described = _best_described(groups, coordinates(trial, rank))
        if described.failures >= best.failures:
            break
        aspects, best, trial = trial, described, copied(trial)
    trial = copied(aspects)
    while not best.complete and add_components(trial, graph, groups):
        described = _best_described(groups, coordinates(trial, rank))
        if described.failures > best.failures:
            break
        best, trial = described, copied(trial)
    return best


def _best_described(groups: Groups, candidates: Coordinates) -> Structure:
    """Fit with as few coordinates as suffice; if that fails, with all of them."""
    few = _described(groups, candidates, fewest=True)
    if few.complete:
        return few
    many = _described(groups, candidates, fewest=False)
    return many if many.failures < few.failures else few


def _described(groups: Groups, candidates: Coordinates, fewest: bool) -> Structure:
    """What the coordinates, or those among them that are needed, make of each group."""
    patterns: dict[int, Pattern] = {}
    chosen: dict[int, tuple[Coordinate, ...]] = {}
    uses = Counter(coordinate.domain for listed in candidates.of.values() for coordinate in listed)
    for group, listed in candidates.of.items():
        size = len(groups.variables[group])
        chosen[group], pattern = _needed(listed, size, candidates.sizes, uses, fewest)
        if pattern is not None:
            patterns[group] = pattern
    chosen_coordinates = Coordinates(chosen, candidates.sizes)
    fitted = {}
    for factor_group, rows in groups.rows.items():
        if all(group in patterns for group in rows.groups if group in chosen):
            fitted_rows = fit_rows(rows, chosen_coordinates, patterns)
            if fitted_rows is not None:
                fitted[factor_group] = fitted_rows
    return Structure(groups, chosen_coordinates, patterns, fitted)


def _needed(
    own: tuple[Coordinate, ...],
    size: int,
    domain_sizes: dict[int, int],
    uses: Counter[int],
    fewest: bool,
) -> tuple[tuple[Coordinate, ...], Pattern | None]:
    """Those coordinates of a group whose substitutions are its members, and their pattern.

    If there are too many, those whose domain is used least, is largest, and came last are left
    out first: given X and Y, that Friends(X, Y) and Friends(Y, X) are about the same pair adds
    nothing. ``size``: of the group; ``uses``: how many coordinates are over each domain.
    """
    left = own
    best: tuple[tuple[Coordinate, ...], Pattern | None] = own, None
    while left:
        occurrences = [Occurrence(c.domain, c.individuals) for c in left]
        described = fit(occurrences, size, domain_sizes)
        if described is not None and described.copies == 1 and len(described.domains) == len(left):
            best = left, described.pattern
            if not fewest:
                break
        least = min(left, key=lambda c: (uses[c.domain], -domain_sizes[c.domain], -c.aspect))
        left = tuple(coordinate for coordinate in left if coordinate is not least)
    return best
