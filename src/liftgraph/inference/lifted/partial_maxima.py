"""Noisy-MAX of counted causes, in a lifted model, as a chain of partial maxima.

Each cause that is counted gets a hidden variable: its own effect. The largest of these depends only
on how many of them have which effect, so that the chain has a counting parfactor for each argument
instead of a piece for each cause. Hidden variables have to be summed out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from liftgraph.cache import Memo
from liftgraph.model.ground.counted import new_names
from liftgraph.model.ground.noisy_max import largest_effects
from liftgraph.model.ground.table import MAX_ARGUMENTS, Table
from liftgraph.model.lifted.counting_noisy_max import CountingNoisyMax
from liftgraph.model.lifted.histograms import histogram_count, histograms
from liftgraph.model.lifted.logvars import LogVar, constrained
from liftgraph.model.lifted.parfactor import CRV, PRV, Atom, Parfactor, atom_of
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph

_FEW_BITS = 1 << 24  # of a table that is made instead of a chain
_MOST_ENTRIES = 1 << 22  # of a table of a chain
_DECOMPOSED: Memo[None, ParfactorGraph] = Memo("models with hidden variables", most=1)


def with_partial_maxima(model: ParfactorGraph) -> ParfactorGraph:
    """A model whose parfactors are tables: its own variables come first, with the same numbers.

    A noisy-MAX with too many histograms of effects is refused, as a table.
    """
    if not any(isinstance(parfactor.potential, CountingNoisyMax) for parfactor in model.parfactors):
        return model
    return _DECOMPOSED.get(model.cache, None, lambda: _decomposed(model))


def _decomposed(model: ParfactorGraph) -> ParfactorGraph:
    draft = _Draft([prv.name for prv in model.prvs])
    parfactors: list[Parfactor] = []
    for parfactor in model.parfactors:
        potential = parfactor.potential
        if isinstance(potential, CountingNoisyMax) and _is_long(potential):
            parfactors += draft.chain(parfactor, potential)
        else:
            parfactors.append(replace(parfactor, potential=potential.table()))
    prvs = *model.prvs, *draft.hidden
    return ParfactorGraph(prvs, tuple(parfactors), evidence=model.evidence)


def _is_long(potential: CountingNoisyMax) -> bool:
    """Whether a chain takes less than a table, which needs no hidden variables."""
    if potential.bits <= _FEW_BITS and len(potential.shape) <= MAX_ARGUMENTS:
        return False
    effects = len(potential.ranks)
    entries = [effects**2 * histogram_count(number, effects) for number in potential.numbers]
    return max(entries) <= _MOST_ENTRIES


@dataclass
class _Draft:
    """The hidden PRVs that are added to a model. ``names``: those of all PRVs."""

    names: list[str]
    hidden: list[PRV] = field(default_factory=list)

    def chain(self, parfactor: Parfactor, potential: CountingNoisyMax) -> Iterator[Parfactor]:
        """Parfactors whose product, summed over hidden variables, is a noisy-MAX."""
        *arguments, last = parfactor.arguments
        effect = atom_of(last)
        so_far = self._hidden(parfactor, effect.prv, ())
        yield _with(parfactor, [so_far], potential.leak)
        for place, argument in enumerate(arguments):
            cause = potential.causes[place]
            final = place == len(arguments) - 1
            following = effect if final else self._hidden(parfactor, effect.prv, ())
            if isinstance(argument, CRV):
                own = self._hidden(parfactor, effect.prv, argument.counted)
                yield _with(parfactor, [argument.atom, own], cause, argument.counted)
                counting = CRV(own, argument.counted, argument.number)
                largest = _largest(potential.ranks, argument.number)
                yield _with(parfactor, [so_far, counting, following], largest)
            else:
                largest = Table(largest_effects(potential.ranks, cause), cause.scale)
                yield _with(parfactor, [so_far, argument, following], largest)
            so_far = following

    def _hidden(self, parfactor: Parfactor, effect: PRV, counted: tuple[LogVar, ...]) -> Atom:
        """A hidden PRV for all substitutions of a parfactor's logvars, and of counted ones."""
        (name,) = new_names(self.names, [f"part of {effect.name}"])
        self.names.append(name)
        logvars = (*parfactor.logvars, *counted)
        about = [c for c in parfactor.constraints if set(constrained(c)) <= set(logvars)]
        self.hidden.append(PRV(name, logvars, tuple(about), effect.states))
        return Atom(self.hidden[-1], logvars)


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
