"""The parametric factor graph: PRVs, parfactors, and which given variable is which of theirs."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.cache import Cached
from liftgraph.errors import InputError
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.names import default_index, is_count
from liftgraph.model.lifted.logvars import Domain, LogVar
from liftgraph.model.lifted.origin import Origin
from liftgraph.model.lifted.parfactor import PRV, Parfactor, atom_of
from liftgraph.model.lifted.substitutions import Numbering, numbering
from liftgraph.model.notebook import Pictured
from liftgraph.model.questions import Questions

Place = tuple[int, tuple[int, ...]]  # a PRV and its individuals, by number


@dataclass(frozen=True, repr=False)
class ParfactorGraph(Questions, Pictured, Cached):
    """A parametric factor graph, lifted from a factor graph or written directly.

    Its variables are numbered PRV after PRV, in the order of the substitutions of its logvars.
    ``origin``: how the given graph lists variables and factors; None if there was none.
    ``evidence``: the index of the state that variables of individuals were observed in.

    >>> from liftgraph import LogVar, prv, parfactor
    >>> P = LogVar("P", ["alice", "bob"])
    >>> epidemic, sick = prv("Epid"), prv("Sick", P)
    >>> model = ParfactorGraph.of([parfactor([sick, epidemic], [3, 1, 1, 5])])
    >>> model.locate("Sick.bob"), model.name(model.locate("Sick.bob"))
    ((0, (1,)), 'Sick.bob')
    """

    prvs: tuple[PRV, ...]
    parfactors: tuple[Parfactor, ...]
    origin: Origin | None = None
    evidence: Mapping[Place, int] = field(default_factory=dict)

    __hash__ = None  # type: ignore[assignment]

    @classmethod
    def of(
        cls, parfactors: Iterable[Parfactor] | Parfactor, prvs: Sequence[PRV] = ()
    ) -> ParfactorGraph:
        """The model of some parfactors; PRVs in none of them are to be named."""
        given = (parfactors,) if isinstance(parfactors, Parfactor) else tuple(parfactors)
        if not all(isinstance(each, Parfactor) for each in given):
            raise InputError("expected parfactors to make a model of")
        used = [atom_of(argument).prv for each in given for argument in each.arguments]
        found = tuple(dict.fromkeys((*prvs, *used)))
        check_names([each.name for each in found], "PRV")
        domains = {v.domain for p in found for v in p.logvars} | {
            v.domain for p in given for v in (*p.logvars, *p.counted)
        }
        check_names([domain.name for domain in domains], "domain")
        if empty := sorted(domain.name for domain in domains if domain.is_open):
            raise InputError(f"domain {empty[0]}: expected individuals, got none yet")
        return cls(found, given)

    @cached_property
    def domains(self) -> tuple[Domain, ...]:
        """All domains, in the order of their first use."""
        own = (logvar.domain for each in self.prvs for logvar in each.logvars)
        more = (v.domain for each in self.parfactors for v in (*each.logvars, *each.counted))
        return tuple(dict.fromkeys((*own, *more)))

    @cached_property
    def variable_start(self) -> tuple[int, ...]:
        """The number of each PRV's first variable, and of all."""
        return (0, *accumulate(each.size for each in self.prvs))

    @cached_property
    def factor_start(self) -> tuple[int, ...]:
        """The number of each parfactor's first factor, and of all."""
        return (0, *accumulate(each.size for each in self.parfactors))

    @property
    def log_odds_bound(self) -> float:
        """By how much the log odds of any event may differ from those of the given graph: 0
        unless it was lifted with a tolerance."""
        return 0.0 if self.origin is None else self.origin.log_odds_bound

    @property
    def variable_count(self) -> int:
        """How many variables it stands for."""
        return self.variable_start[-1]

    @property
    def factor_count(self) -> int:
        """How many factors it stands for."""
        return self.factor_start[-1]

    @property
    def observed_count(self) -> int:
        """How many of its variables were observed: all of a PRV, or those of some individuals."""
        single = sum(self.prvs[prv].observed is None for prv, _ in self.evidence)
        return single + sum(each.size for each in self.prvs if each.observed is not None)

    @property
    def ground_variables(self) -> int:
        """How many variables stayed single: PRVs without logvars."""
        return sum(not each.logvars for each in self.prvs)

    @cached_property
    def _numberings(self) -> dict[int, Numbering]:
        return {}

    def numbering(self, prv: int) -> Numbering:
        """The numbers of the substitutions of a PRV's logvars."""
        if prv not in self._numberings:
            self._numberings[prv] = numbering(self.prvs[prv].pattern)
        return self._numberings[prv]

    @cached_property
    def _named(self) -> dict[str, int]:
        names = () if self.origin is None else self.origin.names or ()
        return {name: index for index, name in enumerate(names)}

    @cached_property
    def _by_number(self) -> NDArray[np.int64]:
        """The given index of each variable of the lifted model. Precondition: an origin."""
        index = np.empty(self.variable_count, dtype=np.int64)
        if self.origin is not None:
            index[self.origin.variables] = np.arange(self.variable_count)
        return index

    def locate(self, name: str | int) -> Place:
        """The PRV and the individuals (by number) of a variable given by its name or index."""
        if self.origin is None:
            return self._numbered(int(name)) if is_count(name) else self._parsed(name)
        if is_count(name):
            index = int(name)
        elif self.origin.names is None:
            index = default_index(name) if isinstance(name, str) else -1
        else:
            index = self._named.get(str(name), -1)
        if not 0 <= index < self.variable_count:
            raise InputError(f"expected a variable, got {name!r}")
        return self._numbered(int(self.origin.variables[index]))

    def _numbered(self, number: int) -> Place:
        """The PRV and the individuals of a variable by its number here."""
        if not 0 <= number < self.variable_count:
            raise InputError(f"expected a variable, got {number}")
        prv = bisect_right(self.variable_start, number) - 1
        return prv, self.numbering(prv).substitution(number - self.variable_start[prv])

    def number(self, place: Place) -> int:
        """The number of a variable here. Precondition: there is such a variable."""
        columns = [np.array([number]) for number in place[1]]
        return self.variable_start[place[0]] + int(self.numbering(place[0]).numbers(columns)[0])

    def name(self, place: Place) -> str:
        """What the variable of a PRV and individuals is called; as in the given graph, if any."""
        if not isinstance(place, tuple) or len(place) != 2:
            raise InputError(f"expected a PRV and its individuals by number, got {place}")
        prv, individuals = place
        if not (0 <= prv < len(self.prvs) and self._exists(prv, individuals)):
            raise InputError(f"expected a PRV and its individuals by number, got {place}")
        if self.origin is None:
            called = zip(self.prvs[prv].logvars, individuals, strict=True)
            parts = (logvar.domain.individual(number) for logvar, number in called)
            return ".".join((self.prvs[prv].name, *parts))
        index = int(self._by_number[self.number(place)])
        return str(index) if self.origin.names is None else self.origin.names[index]

    def _parsed(self, name: str | int) -> Place:
        if not isinstance(name, str):
            raise InputError(f"expected the name of a variable, got {name!r}")
        found = [place for prv in range(len(self.prvs)) for place in self._readings(prv, name)]
        if len(found) > 1:
            raise InputError(f"expected a variable, got {name!r}, which is the name of several")
        if not found:
            raise InputError(f"expected a variable, got {name!r}")
        return found[0]

    def _readings(self, prv: int, name: str) -> Iterator[Place]:
        """The variables of a PRV with this name; individuals may have dots in theirs."""
        logvars, stem = self.prvs[prv].logvars, self.prvs[prv].name
        if not logvars and name == stem:
            yield prv, ()
        if not logvars or not name.startswith(f"{stem}."):
            return
        for individuals in _individuals(logvars, name[len(stem) + 1 :].split(".")):
            if self._exists(prv, individuals):
                yield prv, individuals

    def _exists(self, prv: int, individuals: tuple[int, ...]) -> bool:
        """Whether there is such a variable: known individuals that satisfy the constraints."""
        given = self.prvs[prv].pattern
        if len(individuals) != len(given.sizes):
            return False
        rising = all(
            individuals[a] < individuals[b] for each in given.unordered for a, b in pairwise(each)
        )
        apart = all(individuals[a] != individuals[b] for a, b in given.apart)
        known = all(0 <= n < size for n, size in zip(individuals, given.sizes, strict=True))
        return known and rising and apart

    def given(self, evidence: Mapping[Any, Any]) -> ParfactorGraph:
        """This model with more evidence on individuals: variables by name, their states by name."""
        from liftgraph.model.lifted.evidence import evidence_on

        return replace(self, evidence=evidence_on(self, evidence))

    def ground(self) -> FactorGraph:
        """The factor graph this stands for; exactly the given one if it was lifted from one."""
        return self._ground

    @cached_property
    def _ground(self) -> FactorGraph:
        from liftgraph.model.lifted.grounding import ground

        return ground(self)

    def summary(self) -> str:
        """How far it is compressed, its logvars, and what stayed ground and why."""
        from liftgraph.model.lifted.text import summary

        return summary(self)

    def __str__(self) -> str:
        from liftgraph.model.lifted.text import shown_model

        return shown_model(self)

    def __repr__(self) -> str:
        observed = f", {self.observed_count:,} observed" * bool(self.observed_count)
        return (
            f"ParfactorGraph({len(self.prvs):,} PRVs for {self.variable_count:,} variables, "
            f"{len(self.parfactors):,} parfactors for {self.factor_count:,} factors{observed})"
        )


def _individuals(logvars: Sequence[LogVar], parts: Sequence[str]) -> Iterator[tuple[int, ...]]:
    """One individual for each logvar, by number, whose names joined by dots have these parts."""
    if not logvars:
        yield from [()] * (not parts)
        return
    for end in range(1, len(parts) - len(logvars) + 2):
        first = logvars[0].domain.find(".".join(parts[:end]))
        if first >= 0:
            yield from ((first, *rest) for rest in _individuals(logvars[1:], parts[end:]))


def check_names(names: Sequence[str], what: str) -> None:
    """Refuse different things of the same name."""
    if len(set(names)) < len(names):
        twice = min(name for name in names if names.count(name) > 1)
        raise InputError(f"expected one {what} of a name, got different ones named {twice}")
