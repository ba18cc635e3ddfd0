"""Lifted models with counts: a PRV for each count or event that is asked for, and a parfactor for
what is asked and observed of a count.

A count of all variables of a PRV is a counting variable. A count of some of them is one of another
PRV: whether a variable is in the state and is among those that count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from math import prod

import numpy as np
from numpy.typing import NDArray

from liftgraph.display import format_count
from liftgraph.errors import ComputationError, InputError, MemoryLimitError, quoted
from liftgraph.model.counts import Count, CountEvent, check_possible, counted_in, indicators
from liftgraph.model.ground.counted import new_names
from liftgraph.model.ground.names import BOOLEAN, is_count, state_index
from liftgraph.model.ground.table import Table
from liftgraph.model.lifted.builder import crv, parfactor
from liftgraph.model.lifted.evidence import LiftedEvidence
from liftgraph.model.lifted.histograms import histogram_count, histograms
from liftgraph.model.lifted.logvars import Constraint, Different, LogVar, Unordered
from liftgraph.model.lifted.origin import Origin
from liftgraph.model.lifted.parfactor import CRV, PRV, Atom, Parfactor
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.model.lifted.substitutions import substitutions
from liftgraph.model.lifted.variables import index_of
from liftgraph.model.memory_limit import MEMORY_LIMIT, Planning

_MOST_ENTRIES = 1 << 26  # of the table of a count
_MOST_LISTED = 1 << 17  # variables of a PRV of which some count
_COUNT_BYTES = 10  # an entry of such a table: an integer, and the truth that it is made of
_NAME_ENTRIES = 8  # whose bytes the name of a number takes, too
_CHOSEN_BYTES = 700  # an individual that counts or does not, as evidence on two PRVs
_Individuals = frozenset[tuple[int, ...]]
_Groups = dict[tuple[int, int], _Individuals | None]  # by PRV and weight; None if all count


def with_counts(
    model: ParfactorGraph,
    asked: Sequence[Count | CountEvent],
    observed: Sequence[CountEvent],
    memory_limit: int = MEMORY_LIMIT,
) -> ParfactorGraph:
    """A model with a PRV for each count and event that is asked for, after its own, and a parfactor
    for what is asked and observed of each count; refused if their tables take more bytes than the
    limit."""
    draft = _Draft(model, Planning(memory_limit))
    totals: list[PRV] = []
    names = new_names([prv.name for prv in model.prvs], [*map(str, asked)])
    for target, name in zip(asked, names, strict=True):
        size = 0
        if isinstance(target, Count):
            size = _largest(model, target) + 1
            _check_entries(target, size)
            draft.take_table(target, _NAME_ENTRIES * size)
        totals.append(PRV(name, states=tuple(map(str, range(size))) or BOOLEAN))
    draft.totals += totals
    for count in dict.fromkeys(map(counted_in, [*asked, *observed])):
        arguments, constraints, sums = draft.arguments(count)
        largest = _largest(model, count)
        mine = [place for place, target in enumerate(asked) if counted_in(target) == count]
        events = [event for event in observed if event.count == count]
        for event in events:
            check_possible(event, largest)
        sizes = [len(totals[place].states) for place in mine]
        entries = prod([*sizes, sums.size])
        _check_entries(count, entries)
        draft.take_table(count, entries)
        table = indicators([asked[place] for place in mine], events, sums, largest)
        integers = Table(table, Fraction(1))
        arguments += [Atom(totals[place], ()) for place in mine]
        if arguments:
            draft.parfactors.append(parfactor(arguments, integers, constraints))
    return draft.extended()


def counts_some_only(model: ParfactorGraph, counts: Sequence[Count]) -> bool:
    """Whether a count is about some variables of a PRV and not about others."""
    groups = [_groups(model, count) for count in counts]
    return any(some for of_count in groups for some in of_count.values())


def _check_entries(count: Count, entries: int) -> None:
    if entries > _MOST_ENTRIES:
        raise MemoryLimitError(
            f"{count} would need a table of {format_count(entries)} entries,"
            f" expected {_MOST_ENTRIES:,} at most"
        )


@dataclass
class _Draft:
    """The additions to a model. ``planning``: what they take is charged there."""

    model: ParfactorGraph
    planning: Planning
    totals: list[PRV] = field(default_factory=list)
    prvs: list[PRV] = field(default_factory=list)
    parfactors: list[Parfactor] = field(default_factory=list)
    chosen: dict[PRV, tuple[int, _Individuals]] = field(default_factory=dict)

    def take_table(self, count: Count, entries: int) -> None:
        """Charge for a table of a count, or of the sums that it may have."""
        reason = f"a table of {count} has {format_count(entries)} entries"
        self.planning.take(_COUNT_BYTES * entries, reason)

    def arguments(
        self, count: Count
    ) -> tuple[list[CRV | Atom], list[Constraint], NDArray[np.int64]]:
        """The arguments that a count is the sum of, and the sums: an axis for each argument."""
        arguments, constraints = list[CRV | Atom](), list[Constraint]()
        sums = np.zeros((), dtype=np.int64)
        groups = _groups(self.model, count)
        for index, _ in groups:
            prv = self.model.prvs[index]
            state_index(prv.name, prv.states, count.state)  # or an error that names it
        for key in [key for key, some in groups.items() if self._is_nobody(key[0], some)]:
            del groups[key]
        sizes = [_values(self.model.prvs[prv], some) for (prv, _), some in groups.items()]
        widths = [len(self.model.prvs[prv].states) for prv, _ in groups]
        rows = sum([size * width for size, width in zip(sizes, widths, strict=True)])
        _check_entries(count, prod(sizes))
        self.take_table(count, prod(sizes) + 2 * rows)
        for (index, weight), some in groups.items():
            counted = self.model.prvs[index]
            state = state_index(counted.name, counted.states, count.state)
            if some is not None:
                counted, state = self._part(index, state, some, count), 0
            argument, apart, numbers = _argument(counted, state, len(arguments))
            arguments.append(argument)
            constraints += apart
            sums = sums[..., None] + weight * numbers
        return arguments, constraints, sums

    def _is_nobody(self, index: int, some: _Individuals | None) -> bool:
        return not (self.model.prvs[index].size if some is None else some)

    def _part(self, index: int, state: int, some: _Individuals, count: Count) -> PRV:
        """The PRV that says which variables among those that count are in the state."""
        whole = self.model.prvs[index]
        if whole.size > _MOST_LISTED:
            raise MemoryLimitError(
                f"{count}: expected a PRV of at most {_MOST_LISTED:,} variables, to count some of"
                f" them, got {format_count(whole.size)}"
            )
        self.planning.take(_CHOSEN_BYTES * whole.size, f"{count} counts some of {whole.size:,}")
        known = [prv.name for prv in (*self.model.prvs, *self.prvs)]
        names = new_names(known, [f"{count} counts", f"{count} holds"])
        counts, holds = (PRV(name, whole.logvars, whole.constraints, BOOLEAN) for name in names)
        table = np.zeros((len(whole.states), 2, 2), dtype=np.int64)
        table[:, :, 1] = 1
        table[state, 0] = (1, 0)
        atoms = [Atom(prv, prv.logvars) for prv in (whole, counts, holds)]
        self.parfactors.append(parfactor(atoms, Table.of(table), whole.constraints))
        self.prvs += [counts, holds]
        self.chosen[counts] = index, some
        return holds

    def extended(self) -> ParfactorGraph:
        """The model with all that was added."""
        model = self.model
        prvs = (*model.prvs, *self.totals, *self.prvs)
        evidence = dict(model.evidence.items())
        for prv, (index, some) in self.chosen.items():
            place = prvs.index(prv)
            for individuals in _individuals(model, index):
                evidence[place, individuals] = 0 if individuals in some else 1
                if individuals not in some:  # what does not count does not hold
                    evidence[place + 1, individuals] = 1
        origin = model.origin
        if origin is not None:
            before, added = model.variable_count, sum(prv.size for prv in prvs[len(model.prvs) :])
            variables = np.concatenate([origin.variables, np.arange(before, before + added)])
            names = origin.names
            if names is not None:
                listed = [prv.name for prv in self.totals]
                listed += [f"{prv.name} {n}" for prv in self.prvs for n in range(prv.size)]
                names = (*names, *new_names(names, listed))
            origin = replace(origin, variables=variables, names=names)
        parfactors = (*model.parfactors, *self.parfactors)
        both = LiftedEvidence(evidence, model.evidence.likelihoods)
        return ParfactorGraph(prvs, parfactors, origin, both)


def _values(prv: PRV, some: _Individuals | None) -> int:
    """How many values the argument has that counts variables of a PRV."""
    states = len(prv.states) if some is None else 2
    return histogram_count(prv.size, states) if prv.logvars else states


def _argument(
    prv: PRV, state: int, place: int
) -> tuple[CRV | Atom, list[Constraint], NDArray[np.int64]]:
    """The argument that counts a PRV, constraints on its logvars, and the number in the state for
    each of its values. ``place``: its logvars are named after it."""
    if not prv.logvars:
        return Atom(prv, ()), [], (np.arange(len(prv.states)) == state).astype(np.int64)
    if any(isinstance(constraint, Unordered) for constraint in prv.constraints):
        raise ComputationError(
            f"{prv.name}: unordered sets of individuals cannot be counted lifted"
        )
    fresh = {v: LogVar(f"{v.name}.{place}", v) for v in prv.logvars}
    apart: list[Constraint] = [
        Different(fresh[constraint.first], fresh[constraint.second])
        for constraint in prv.constraints
        if isinstance(constraint, Different)
    ]
    counted = crv(Atom(prv, tuple(fresh.values())), *fresh.values(), where=apart)
    return counted, apart, histograms(counted.number, len(prv.states))[:, state]


def listed(model: ParfactorGraph, count: Count) -> Count:
    """The same count with its variables listed, by their indices in the ground model."""
    variables, weights = list[int](), list[int]()
    for (prv, weight), some in _groups(model, count).items():
        individuals = _individuals(model, prv) if some is None else sorted(some)
        variables += [index_of(model.places, (prv, chosen)) for chosen in individuals]
        weights += [weight] * len(individuals)
    return Count(tuple(variables), count.state, tuple(weights))


def _groups(model: ParfactorGraph, count: Count) -> _Groups:
    """The variables that a count is about, by PRV and weight."""
    if isinstance(count.variables, str):
        if model.origin is not None:
            if count.among:
                raise InputError(
                    f"{count}: expected a model with logvars of its own, to count some"
                )
            return _named_groups(model, model.origin, count.variables)
        prv = model.places.prv_index.get(count.variables)
        if prv is None:
            known = ", ".join([prv.name for prv in model.prvs[:20]])
            raise InputError(
                f"expected the name of a PRV to count ({known}), got {count.variables}"
            )
        return {(prv, 1): _among(model, prv, count)}
    chosen: dict[tuple[int, int], set[tuple[int, ...]]] = {}
    weights = count.weights or (1,) * len(count.variables)
    for variable, weight in zip(count.variables, weights, strict=True):
        if not is_count(weight) or weight < 0:
            raise InputError(f"expected integers from 0 on as weights, got {quoted(weight)}")
        prv, individuals = model.locate(variable)
        chosen.setdefault((prv, int(weight)), set()).add(individuals)
    if sum(map(len, chosen.values())) < len(count.variables):
        raise InputError(f"expected distinct variables to count, got {quoted(count.variables)}")
    return {
        (prv, weight): None if len(some) == model.prvs[prv].size else frozenset(some)
        for (prv, weight), some in chosen.items()
    }


def _named_groups(model: ParfactorGraph, origin: Origin, stem: str) -> _Groups:
    """The variables of the given graph whose names begin with a stem."""
    names = enumerate(origin.names or ())
    indices = [index for index, name in names if name.partition(".")[0] == stem]
    if not indices:
        prv, individuals = model.locate(stem)
        return {(prv, 1): None if model.prvs[prv].size == 1 else frozenset([individuals])}
    numbers = np.sort(origin.variables[indices])
    ends = np.searchsorted(numbers, model.variable_start)
    groups: _Groups = {}
    for prv, (start, end) in enumerate(pairwise(ends.tolist())):
        if end - start == model.prvs[prv].size:
            groups[prv, 1] = None
        elif end > start:
            inside = (numbers[start:end] - model.variable_start[prv]).tolist()
            groups[prv, 1] = frozenset(map(model.numbering(prv).substitution, inside))
    return groups


def _largest(model: ParfactorGraph, count: Count) -> int:
    """The largest number that a count can be."""
    groups = _groups(model, count).items()
    sizes = [model.prvs[prv].size if some is None else len(some) for (prv, _), some in groups]
    return sum([weight * size for ((_, weight), _), size in zip(groups, sizes, strict=True)])


def _among(model: ParfactorGraph, prv: int, count: Count) -> _Individuals | None:
    """The individuals whose variables count; None if all do."""
    if not count.among:
        return None
    logvars = {logvar.name: place for place, logvar in enumerate(model.prvs[prv].logvars)}
    wanted: dict[int, set[int]] = {}
    for name, individuals in count.among:
        if name not in logvars:
            expected = f"a logvar of {model.prvs[prv].name} ({', '.join(logvars)})"
            raise InputError(f"{count}: expected {expected}, got {name}")
        domain = model.prvs[prv].logvars[logvars[name]].domain
        numbers = {domain.find(individual): individual for individual in individuals}
        if -1 in numbers:
            raise InputError(f"{count}: expected individuals of {name}, got {numbers[-1]}")
        wanted[logvars[name]] = set(numbers)
    chosen = _individuals(model, prv)
    return frozenset(
        individuals
        for individuals in chosen
        if all(individuals[place] in some for place, some in wanted.items())
    )


def _individuals(model: ParfactorGraph, prv: int) -> list[tuple[int, ...]]:
    if not model.prvs[prv].logvars:
        return [()]
    columns = substitutions(model.places.pattern(prv))
    return list(zip(*[column.tolist() for column in columns], strict=True))
