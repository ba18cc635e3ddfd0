"""Parametric causal factor graphs: the parfactor that is the distribution of each PRV.

A parfactor is the mechanism of a PRV if each of its factors is the distribution of another variable
of the PRV given its parents, and all of the PRV's variables have one (Luttermann et al. 2024d).
Then each of these variables has a parent of each PRV that is a parent. So along a cycle of PRVs,
one can walk from variable to parent for ever; the ground model is finite, so it has a cycle, too.
Hence the ground model is a Bayesian network if and only if the PRVs have no cycle. The mechanisms
are found as in a Bayesian network (``model/ground/bayesian_network.py``), in one way only.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple, Protocol

from liftgraph.errors import InputError
from liftgraph.model.ground.bayesian_network import is_conditional
from liftgraph.model.ground.table import Table
from liftgraph.model.lifted.logvars import Constraint, LogVar, constrained
from liftgraph.model.lifted.parfactor import PRV, Atom, Parfactor, atom_of
from liftgraph.model.lifted.substitutions import pattern


class Mechanism(NamedTuple):
    """The distribution of a PRV: a parfactor, and the place of the PRV among its arguments."""

    parfactor: int
    place: int


class Parfactors(Protocol):
    """What the mechanisms of a model depend on; ``ParfactorGraph`` has it."""

    @property
    def prvs(self) -> tuple[PRV, ...]:
        """The PRVs."""

    @property
    def parfactors(self) -> tuple[Parfactor, ...]:
        """The parfactors."""


def mechanisms(model: Parfactors) -> dict[str, Mechanism]:
    """The mechanism of each PRV, by name. Refused, saying what is missing, if there is none.

    A PRV that says which individuals are set by interventions has none.

    >>> from liftgraph import LogVar, ParfactorGraph, parfactor, prv
    >>> epidemic, sick = prv("Epid"), prv("Sick", LogVar("P", 1000))
    >>> spread = parfactor([sick, epidemic], ["0.6", "0.1", "0.4", "0.9"])
    >>> mechanisms(ParfactorGraph.of([spread, parfactor([epidemic], ["0.1", "0.9"])]))
    {'Sick': Mechanism(parfactor=0, place=0), 'Epid': Mechanism(parfactor=1, place=0)}
    """
    uses = _uses(model)
    found: dict[str, Mechanism] = {}
    leaves = [name for name in uses if len(uses[name]) <= 1]
    while leaves:
        name = leaves.pop()
        if name in found:
            continue
        if not uses[name] or not _is_mechanism(model.parfactors, *uses[name]):
            raise _no_distribution(name)
        found[name] = own = uses[name][0]
        for other in _names(model.parfactors[own.parfactor]):
            if other in uses:
                uses[other] = [use for use in uses[other] if use.parfactor != own.parfactor]
                if len(uses[other]) <= 1:
                    leaves.append(other)
    unowned = {*range(len(model.parfactors))} - {own.parfactor for own in found.values()}
    if left := [name for name in uses if name not in found]:
        fitting = [use for use in uses[left[0]] if _is_mechanism(model.parfactors, use)]
        raise _left_over(left[0], fitting, several=len(unowned) > len(left))
    if unowned:
        came = f"got φ{min(unowned) + 1}, which is none"
        raise _not_causal(f"expected parfactors that are distributions of PRVs, {came}")
    return found


def parent_places(parfactor: Parfactor, child: int) -> list[int]:
    """Which arguments of a mechanism are parents; PRVs of interventions are none."""
    listed = enumerate(parfactor.arguments)
    return [place for place, a in listed if place != child and not atom_of(a).prv.overridable]


def _uses(model: Parfactors) -> dict[str, list[Mechanism]]:
    """Where each PRV is an argument, by its name; PRVs of interventions are left out."""
    uses: dict[str, list[Mechanism]] = {p.name: [] for p in model.prvs if not p.overridable}
    for index, parfactor in enumerate(model.parfactors):
        for place, name in enumerate(_names(parfactor)):
            if name in uses:
                uses[name].append(Mechanism(index, place))
    return uses


def _names(parfactor: Parfactor) -> list[str]:
    return [atom_of(argument).prv.name for argument in parfactor.arguments]


def _is_mechanism(parfactors: Sequence[Parfactor], use: Mechanism) -> bool:
    """Whether a parfactor is a distribution of one of its arguments, for all its individuals."""
    parfactor = parfactors[use.parfactor]
    child = parfactor.arguments[use.place]
    if parfactor.child not in (None, use.place) or not isinstance(child, Atom):
        return False
    if {*parfactor.logvars} != {*child.logvars} or len({*child.logvars}) < len(child.logvars):
        return False
    about = [c for c in parfactor.constraints if not _counts(parfactor, c)]
    if _substitutions(child.logvars, about) != _substitutions(
        child.prv.logvars, child.prv.constraints
    ):
        return False
    scales = {scale for scale, _ in parfactor.scales} or {Fraction(1)}
    table = parfactor.table
    scaled = (Table(table.integers, table.scale * scale, table.measured) for scale in scales)
    return all(is_conditional(table, use.place) for table in scaled)


def _counts(parfactor: Parfactor, constraint: Constraint) -> bool:
    return not {*constrained(constraint)}.isdisjoint(parfactor.counted)


def _substitutions(logvars: Sequence[LogVar], constraints: Sequence[Constraint]) -> object:
    """Which substitutions there are: equal values for the same sets of them."""
    of = pattern(logvars, constraints)
    return of.sizes, of.apart, {frozenset(places) for places in of.unordered}


def _no_distribution(name: str) -> InputError:
    came = "got no parfactor that sums to 1 over it, once for each of its variables"
    return _not_causal(f"expected a distribution of {name} given its parents, {came}")


def _left_over(name: str, own: Sequence[Mechanism], several: bool) -> InputError:
    """The error for a PRV whose mechanism is not found, as each PRV is in more than one parfactor.

    ``own``: what could be its mechanism. ``several``: whether there are more parfactors than PRVs.
    """
    if not own:
        return _no_distribution(name)
    if several and len(own) > 1:
        listed = ", ".join(f"φ{use.parfactor + 1}" for use in own)
        return _not_causal(f"expected one distribution of {name} given its parents, got {listed}")
    return _not_causal(f"expected parents to come before their children, got a cycle at {name}")


def _not_causal(problem: str) -> InputError:
    return InputError(f"this is not a parametric causal factor graph: {problem}")
