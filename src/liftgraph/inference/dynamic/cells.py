"""What is counted on a day: in how many individuals of a population the PRVs are in which states.

The PRVs of one domain are counted together. Their joint state is an individual's *cell*, a number
in mixed radix. PRVs that only observations mention are left out: they are summed out each day.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from liftgraph.errors import ComputationError
from liftgraph.inference.dynamic.arithmetic import Indices
from liftgraph.model.dynamic.dynamic import AFTER, Dynamic, of_a_day
from liftgraph.model.lifted.logvars import Different, Domain, LogVar
from liftgraph.model.lifted.parfactor import (
    CRV,
    PRV,
    Argument,
    Parfactor,
    argument_names,
    atom_of,
)


@dataclass(frozen=True)
class Population:
    """The individuals of a domain. ``prvs``: what is counted; ``local``: PRVs that only
    observations mention."""

    domain: Domain
    prvs: tuple[PRV, ...]
    local: tuple[PRV, ...]

    @property
    def cells(self) -> int:
        return cell_count(self.prvs)


@dataclass(frozen=True)
class Structure:
    """A dynamic model by what is counted. ``single``: PRVs without logvars that a day is about;
    ``local``: those that only one parfactor of the observations mentions."""

    model: Dynamic
    single: tuple[PRV, ...]
    local: tuple[PRV, ...]
    populations: tuple[Population, ...]

    def population(self, domain: Domain) -> int:
        return [population.domain for population in self.populations].index(domain)


def cell_count(prvs: Sequence[PRV]) -> int:
    """How many joint states PRVs have."""
    return prod([len(prv.states) for prv in prvs])


def states_in_cells(prvs: Sequence[PRV], prv: PRV) -> Indices:
    """The state of a PRV in each joint state, int64 (cells,)."""
    states = np.indices([len(other.states) for other in prvs]).reshape(len(prvs), -1)
    return np.asarray(states[prvs.index(prv)], dtype=np.int64)


def structure_of(model: Dynamic, visible: Collection[str]) -> Structure:
    """What is counted. ``visible``: the names of PRVs that are asked for, or counted if observed
    jointly with others."""
    for name in ("start", "step", "observe"):
        for parfactor in getattr(model, name):
            _check(name, parfactor)
    observed = {prv for parfactor in model.observe for prv in map(_prv, parfactor.arguments)}
    central = {
        of_a_day(prv)
        for parfactor in (*model.start, *model.step)
        for prv in map(_prv, parfactor.arguments)
    }
    counted = {
        _prv(argument)
        for parfactor in model.observe
        for argument in parfactor.arguments
        if isinstance(argument, CRV) or len(parfactor.logvars) > 1
    }
    mentioned = [
        name for parfactor in model.observe for name in argument_names(parfactor.arguments)
    ]
    with_logvars = {n for p in model.observe if p.logvars for n in argument_names(p.arguments)}
    local = {
        prv
        for prv in observed - central - counted
        if prv.name not in visible
        and (prv.logvars or (mentioned.count(prv.name) == 1 and prv.name not in with_logvars))
    }
    return _structure(model, local)


def _structure(model: Dynamic, local: Collection[PRV]) -> Structure:
    domains = dict.fromkeys(prv.logvars[0].domain for prv in model.prvs if prv.logvars)
    populations = []
    for domain in domains:
        own = [prv for prv in model.prvs if prv.logvars and prv.logvars[0].domain == domain]
        kept = tuple([prv for prv in own if prv not in local])
        populations.append(Population(domain, kept, tuple([p for p in own if p in local])))
    single = [prv for prv in model.prvs if not prv.logvars]
    return Structure(
        model,
        tuple([prv for prv in single if prv not in local]),
        tuple([prv for prv in single if prv in local]),
        tuple(populations),
    )


def is_after(prv: PRV) -> bool:
    """Whether a PRV is one of tomorrow."""
    return prv.name.endswith(AFTER)


def _prv(argument: Argument) -> PRV:
    return atom_of(argument).prv


def title(where: str, parfactor: Parfactor) -> str:
    """How errors name a parfactor."""
    return f"{where}: parfactor on {', '.join(argument_names(parfactor.arguments)) or 'nothing'}"


def refused(where: str, parfactor: Parfactor, reason: str) -> ComputationError:
    """The error for a parfactor that days cannot be counted with."""
    return ComputationError(f"{title(where, parfactor)}: {reason}; unrolled(days) can be asked")


def _check(where: str, parfactor: Parfactor) -> None:
    """Refuse what individuals who meet only through counts do not have."""
    for argument in parfactor.arguments:
        prv = _prv(argument)
        if len(prv.logvars) > 1:
            raise refused(where, parfactor, f"{prv.name} has several logvars")
        if prv.observed is not None:
            raise refused(where, parfactor, f"{prv.name} is observed by itself")
        if isinstance(argument, CRV) and parfactor.logvars and is_after(prv):
            reason = f"individuals of {prv.name} are counted together with single ones"
            raise refused(where, parfactor, reason)
    owners = {logvar for argument in parfactor.arguments for logvar in _logvars(argument)}
    if not set(parfactor.logvars) <= owners:
        raise refused(where, parfactor, "a logvar is in none of its arguments")
    if any(not isinstance(constraint, Different) for constraint in parfactor.constraints):
        raise refused(where, parfactor, "its individuals are an unordered set")
    _check_logvars(where, parfactor)


def _check_logvars(where: str, parfactor: Parfactor) -> None:
    """Refuse more than one individual, and one that it meets."""
    for argument in parfactor.arguments:
        if isinstance(argument, CRV):
            missing = argument.counted[0].size - argument.number
            alone = {logvar.domain for logvar in parfactor.logvars} == {argument.counted[0].domain}
            if missing > 1 or (missing and not alone):
                raise refused(where, parfactor, "it counts neither all individuals nor all others")
    if len(parfactor.logvars) > 2:
        raise refused(where, parfactor, "it is about more than two individuals")
    if len(parfactor.logvars) == 2:
        meeting_logvars(where, parfactor)


def meeting_logvars(where: str, parfactor: Parfactor) -> tuple[LogVar, LogVar]:
    """The logvar of the individual that a parfactor of two is about, and that of those it meets.

    Only one of them may have PRVs of tomorrow. On a single day, either may be the one.
    """
    ahead = {v for a in parfactor.arguments if is_after(_prv(a)) for v in _logvars(a)}
    counted = any(isinstance(argument, CRV) for argument in parfactor.arguments)
    if len(ahead) > 1:
        raise refused(where, parfactor, "two individuals of tomorrow meet")
    if counted:
        raise refused(where, parfactor, "it is about two individuals and counts others")
    one = next(iter(ahead)) if ahead else parfactor.logvars[0]
    other = next(logvar for logvar in parfactor.logvars if logvar != one)
    return one, other


def _logvars(argument: Argument) -> tuple[LogVar, ...]:
    """The logvars of an argument that are not counted."""
    return () if isinstance(argument, CRV) else argument.logvars
