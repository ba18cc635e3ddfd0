"""Noisy-MAX of counted causes, in a lifted model, as a chain of partial maxima.

Each cause that is counted gets a hidden variable: its own effect. The largest of these depends only
on how many of them have which effect, so that the chain has a counting parfactor for each argument
instead of a piece for each cause. Hidden variables have to be summed out.

If something else counts the causes, too, these would be counted jointly with their effects. Then
the chain goes through the binary digits of how many causes are in each state: the effects of 2ⁱ
causes together have a short table of long integers, with no cancellation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import lcm

import numpy as np

from liftgraph.cache import Memo
from liftgraph.model.ground.counted import new_names
from liftgraph.model.ground.names import BOOLEAN, States
from liftgraph.model.ground.noisy_max import largest_effects
from liftgraph.model.ground.table import MAX_ARGUMENTS, Table, integer_array
from liftgraph.model.lifted.counting_noisy_max import CountingNoisyMax
from liftgraph.model.lifted.histograms import histogram_count, histograms
from liftgraph.model.lifted.logvars import LogVar, constrained
from liftgraph.model.lifted.parfactor import CRV, PRV, Atom, Parfactor, atom_of
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph

_FEW_BITS = 1 << 24  # of a table that is made instead of a chain
_MOST_ENTRIES = 1 << 22  # of a table of a chain
_MOST_BITS = 1 << 26  # of an integer in a chain of digits
_Link = tuple[Atom | CRV, Table]  # what is between two maxima, and the table of all three
_DECOMPOSED: Memo[None, ParfactorGraph] = Memo("models with hidden variables", most=1)


def with_partial_maxima(model: ParfactorGraph) -> ParfactorGraph:
    """A model whose parfactors are tables: its own variables come first, with the same numbers.

    A noisy-MAX with too many histograms of effects is refused, as a table.
    """
    if not any(isinstance(parfactor.potential, CountingNoisyMax) for parfactor in model.parfactors):
        return model
    return _DECOMPOSED.get(model.cache, None, lambda: _decomposed(model))


def _decomposed(model: ParfactorGraph) -> ParfactorGraph:
    counted = Counter(prv for parfactor in model.parfactors for prv in _counted_prvs(parfactor))
    several = frozenset([prv for prv, times in counted.items() if times > 1])
    draft = _Draft([prv.name for prv in model.prvs], several)
    for parfactor in model.parfactors:
        potential = parfactor.potential
        if isinstance(potential, CountingNoisyMax) and _is_long(potential):
            draft.add_chain(parfactor, potential)
        else:
            draft.parfactors.append(replace(parfactor, potential=potential.table()))
    prvs = *model.prvs, *draft.hidden
    return ParfactorGraph(prvs, tuple(draft.parfactors), evidence=model.evidence)


def _counted_prvs(parfactor: Parfactor) -> set[PRV]:
    return {argument.atom.prv for argument in parfactor.arguments if isinstance(argument, CRV)}


def _is_long(potential: CountingNoisyMax) -> bool:
    """Whether a chain takes less than a table, which needs no hidden variables."""
    if potential.bits <= _FEW_BITS and len(potential.shape) <= MAX_ARGUMENTS:
        return False
    effects = len(potential.ranks)
    entries = [effects**2 * histogram_count(number, effects) for number in potential.numbers]
    return max(entries) <= _MOST_ENTRIES


@dataclass
class _Draft:
    """The hidden PRVs that are added to a model, and its new parfactors.

    ``names``: those of all PRVs. ``several``: the PRVs that several parfactors count.
    """

    names: list[str]
    several: frozenset[PRV]
    hidden: list[PRV] = field(default_factory=list)
    parfactors: list[Parfactor] = field(default_factory=list)

    def add_chain(self, parfactor: Parfactor, potential: CountingNoisyMax) -> None:
        """Add parfactors whose product, summed over hidden variables, is a noisy-MAX."""
        *arguments, last = parfactor.arguments
        effect, links = atom_of(last), list[_Link]()
        for argument, cause in zip(arguments, potential.causes, strict=True):
            if not isinstance(argument, CRV):
                table = Table(largest_effects(potential.ranks, cause), cause.scale)
                links.append((argument, table))
            elif argument.atom.prv in self.several and _has_short_digits(argument, cause):
                links += self._through_digits(parfactor, potential.ranks, argument, cause)
            else:
                links.append(self._through_effects(parfactor, potential.ranks, argument, cause))
        name, states = f"part of {effect.prv.name}", effect.prv.states
        maxima = [self._hidden(parfactor, name, states) for _ in links]
        maxima.append(effect)
        self.parfactors.append(_with(parfactor, [maxima[0]], potential.leak))
        for place, (middle, table) in enumerate(links):
            scope = [maxima[place], middle, maxima[place + 1]]
            self.parfactors.append(_with(parfactor, scope, table))

    def _through_effects(
        self, parfactor: Parfactor, ranks: tuple[int, ...], argument: CRV, cause: Table
    ) -> _Link:
        """The link of counted causes, each of which gets a hidden effect of its own."""
        atom = atom_of(parfactor.arguments[-1])
        name = f"part of {atom.prv.name}"
        own = self._hidden(parfactor, name, atom.prv.states, argument.counted)
        self.parfactors.append(_with(parfactor, [argument.atom, own], cause, argument.counted))
        counting = CRV(own, argument.counted, argument.number)
        return counting, _largest(ranks, argument.number)

    def _through_digits(
        self, parfactor: Parfactor, ranks: tuple[int, ...], argument: CRV, cause: Table
    ) -> Iterator[_Link]:
        """A link for each binary digit of how many of the counted causes are in each state."""
        counts = histograms(argument.number, cause.shape[0])
        for state, effects in enumerate(cause.integers):
            at_most = [effects[np.array(ranks) <= rank].sum() for rank in range(len(ranks))]
            shares = [int(weight) * cause.scale for weight in at_most]
            for digit in range(argument.number.bit_length() * (shares[0] != 1)):
                atom = self._hidden(parfactor, f"digit of {argument.atom.prv.name}", BOOLEAN)
                is_one = counts[:, state] >> digit & 1
                table = Table(np.stack([is_one, 1 - is_one], axis=1), Fraction(1))
                self.parfactors.append(_with(parfactor, [argument, atom], table))
                yield atom, _largest_of_many(ranks, shares, 1 << digit)

    def _hidden(
        self,
        parfactor: Parfactor,
        title: str,
        states: States,
        counted: tuple[LogVar, ...] = (),
    ) -> Atom:
        """A hidden PRV for all substitutions of a parfactor's logvars, and of counted ones."""
        (name,) = new_names(self.names, [title])
        self.names.append(name)
        logvars = (*parfactor.logvars, *counted)
        about = [c for c in parfactor.constraints if set(constrained(c)) <= set(logvars)]
        self.hidden.append(PRV(name, logvars, tuple(about), states))
        return Atom(self.hidden[-1], logvars)


def _has_short_digits(argument: CRV, cause: Table) -> bool:
    """Whether tables for the digits of a count take little: they have long integers."""
    entries = 2 * histogram_count(argument.number, cause.shape[0])
    bits = argument.number * (cause.scale.denominator.bit_length() + cause.shape[1])
    return entries <= _MOST_ENTRIES and bits <= _MOST_BITS


def _largest_of_many(ranks: tuple[int, ...], shares: list[Fraction], number: int) -> Table:
    """The table of the largest effect before, a digit, and the largest effect after independent
    ones, which are there if the digit is one. ``number``: how many they are. ``shares``: for each
    rank, the probability that one of them is at most this.

    Powers of integers are as coprime as the integers, and so are their differences.
    """
    unit = lcm(*[share.denominator for share in shares])
    certain, at_most = unit**number, [int(share * unit) ** number for share in shares]
    exactly = [more - less for more, less in zip(at_most, [0, *at_most], strict=False)]
    weights: list[int] = []
    for before in ranks:
        together = [0 if r < before else at_most[r] if r == before else exactly[r] for r in ranks]
        weights += [*together, *[certain * (rank == before) for rank in ranks]]
    integers = integer_array(weights, (len(ranks), 2, len(ranks)))
    return Table(integers, Fraction(1, certain))


def _with(
    parfactor: Parfactor,
    arguments: list[Atom | CRV],
    table: Table,
    further: tuple[LogVar, ...] = (),
) -> Parfactor:
    """A parfactor for all substitutions of another one's logvars, and of further ones."""
    logvars = (*parfactor.logvars, *further)
    made = Parfactor(tuple(arguments), logvars, table)
    known = {*logvars, *made.counted}
    about = [one for one in parfactor.constraints if set(constrained(one)) <= known]
    return Parfactor(made.arguments, logvars, table, tuple(about))


def _largest(ranks: tuple[int, ...], number: int) -> Table:
    """One where the last effect is the largest of the first one and of all counted ones."""
    order = np.array(ranks)
    counted = np.where(histograms(number, len(ranks)) > 0, order, 0).max(axis=1)
    largest = np.maximum.outer(order, counted)[..., None] == order
    return Table(largest.astype(np.int64), Fraction(1))
