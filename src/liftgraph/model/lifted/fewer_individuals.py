"""A lifted model with fewer individuals: those that are mentioned, and few others like them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from liftgraph.model.lifted.checks import counted_number
from liftgraph.model.lifted.logvars import (
    Constraint,
    Different,
    Domain,
    LogVar,
    Unordered,
    constrained,
)
from liftgraph.model.lifted.parfactor import CRV, PRV, Argument, Atom, Parfactor, domains_of
from liftgraph.model.lifted.variables import Place


@dataclass(frozen=True)
class Fewer:
    """The individuals of each domain that stay, increasing, by number."""

    kept: Mapping[Domain, Sequence[int]]

    def place(self, prv: PRV, place: Place) -> Place:
        """Where a variable is among fewer individuals. Precondition: its individuals stay."""
        pairs = zip(prv.logvars, place[1], strict=True)
        return place[0], tuple(self.kept[logvar.domain].index(number) for logvar, number in pairs)

    def prv(self, prv: PRV) -> PRV:
        """A PRV with fewer individuals."""
        logvars, constraints = self._logvars(prv.logvars), self._constraints(prv.constraints)
        return replace(prv, logvars=logvars, constraints=constraints)

    def parfactor(self, parfactor: Parfactor) -> Parfactor:
        """A parfactor with fewer individuals; its potential, which may no longer fit, stays."""
        constraints = self._constraints(parfactor.constraints)
        return replace(
            parfactor,
            arguments=tuple(
                self._argument(argument, constraints) for argument in parfactor.arguments
            ),
            logvars=self._logvars(parfactor.logvars),
            constraints=constraints,
        )

    def _logvars(self, logvars: Iterable[LogVar]) -> tuple[LogVar, ...]:
        return tuple(map(self._logvar, logvars))

    def _logvar(self, logvar: LogVar) -> LogVar:
        domain = logvar.domain
        return LogVar(logvar.name, Domain(domain.name, len(self.kept[domain])))

    def _constraints(self, constraints: Iterable[Constraint]) -> tuple[Constraint, ...]:
        return tuple(
            Unordered(self._logvars(constraint.logvars))
            if isinstance(constraint, Unordered)
            else Different(*self._logvars(constrained(constraint)))
            for constraint in constraints
        )

    def _argument(self, argument: Argument, constraints: Sequence[Constraint]) -> Argument:
        if isinstance(argument, Atom):
            return Atom(self.prv(argument.prv), self._logvars(argument.logvars))
        counted = self._logvars(argument.counted)
        about = [c for c in constraints if not {*counted}.isdisjoint(constrained(c))]
        atom = Atom(self.prv(argument.atom.prv), self._logvars(argument.atom.logvars))
        return CRV(atom, counted, counted_number(counted, about))


def fewer_individuals(
    prvs: Sequence[PRV], parfactors: Sequence[Parfactor], mentioned: Iterable[Place]
) -> Fewer:
    """The individuals of some variables, and as many others as a parfactor has logvars for them."""
    kept: dict[Domain, dict[int, None]] = {domain: {} for domain in domains_of(prvs, parfactors)}
    for prv_index, numbers in mentioned:
        for logvar, number in zip(prvs[prv_index].logvars, numbers, strict=True):
            kept[logvar.domain][number] = None
    most = Counter[Domain]()
    for scope in (*(p.logvars for p in prvs), *((*p.logvars, *p.counted) for p in parfactors)):
        most |= Counter(logvar.domain for logvar in scope)
    for domain, members in kept.items():
        wanted = min(len(members) + most[domain], domain.size)
        number = 0
        while len(members) < wanted:
            members[number] = None
            number += 1
    return Fewer({domain: sorted(members) for domain, members in kept.items()})
