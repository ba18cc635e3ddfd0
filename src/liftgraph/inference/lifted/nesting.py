"""Nested domains: the pupils of one school can be renamed without those of another.

A domain is *nested* in another one if, wherever an individual of it occurs, the same individual of
the other one occurs beside it: its individuals may then be permuted for each outer individual
separately, and nothing changes. What is meant by an individual of a nested domain is therefore a
pair of an outer individual and an individual: evidence on the third pupil of one school does not
set third pupils of other schools apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from liftgraph.cache import Memo
from liftgraph.model.lifted.logvars import Domain, LogVar, constrained
from liftgraph.model.lifted.parfactor import PRV, Parfactor, atom_of, logvars_of
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph

_MOST_CODES = 2**62  # numbers of individuals fit into 64 bits
Number = TypeVar("Number", int, NDArray[np.int64])
Individual = tuple[int, int]  # a domain and a number; see ``Nesting.individuals``


@dataclass(frozen=True)
class Nesting:
    """Which domain each domain is nested in, by index, if any; a forest.

    ``outermost_first``: all domains, each after the one that it is nested in. ``domains``: those of
    the places of each PRV. ``strides``: for each of these places, which places make up the number
    of its individual, and what each of them is multiplied with.
    """

    outer: tuple[int | None, ...]
    outermost_first: tuple[int, ...]
    domains: tuple[tuple[int, ...], ...]
    strides: tuple[tuple[tuple[tuple[int, int], ...], ...], ...]

    @cached_property
    def around(self) -> tuple[tuple[int | None, ...], ...]:
        """For each place of each PRV, the place of the individual that its own is nested in."""
        return tuple(
            tuple(form[1][0] if len(form) > 1 else None for form in forms) for forms in self.strides
        )

    def individuals(self, prv: int, chosen: Sequence[int]) -> tuple[Individual, ...]:
        """The individuals of a variable, each numbered together with its outer ones."""
        return tuple(zip(self.domains[prv], self.numbers(prv, chosen), strict=True))

    def numbers(self, prv: int, chosen: Sequence[Number]) -> list[Number]:
        """The numbers of individuals at the places of a PRV, or of columns of individuals."""
        numbers = []
        for (place, _), *outer in self.strides[prv]:
            number = chosen[place]
            for outer_place, stride in outer:
                number = number + chosen[outer_place] * stride
            numbers.append(number)
        return numbers


# The domains that each domain could be nested in, and the nesting without some ground domains.
_NESTINGS: Memo[frozenset[int], Nesting] = Memo("nestings", most=8)
_CANDIDATES: Memo[None, dict[Domain, set[Domain]]] = Memo("domains to be nested in", most=1)


def nesting(model: ParfactorGraph, ground: Collection[int] = ()) -> Nesting:
    """The nesting of a model's domains; those that are ground are nested in no other."""
    key = frozenset(ground)
    return _NESTINGS.get(model.cache, key, lambda: _nesting(model, key))


def _nesting(model: ParfactorGraph, ground: Collection[int]) -> Nesting:
    index = {domain: number for number, domain in enumerate(model.domains)}
    around: dict[Domain, set[Domain]] = {domain: set() for domain in model.domains}
    if len(ground) < len(index):
        around = _CANDIDATES.get(model.cache, None, lambda: _nested_in(model))
    chains = _chains(model.domains, around, {model.domains[number] for number in ground})
    outer = tuple(index[chains[d][-2]] if len(chains[d]) > 1 else None for d in model.domains)
    domains = tuple(tuple(index[logvar.domain] for logvar in prv.logvars) for prv in model.prvs)
    strides = tuple(tuple(_strides(prv, chains)) for prv in model.prvs)
    outermost_first = tuple(sorted(range(len(outer)), key=lambda d: len(chains[model.domains[d]])))
    return Nesting(outer, outermost_first, domains, strides)


def _chains(
    domains: Sequence[Domain], around: dict[Domain, set[Domain]], ground: Collection[Domain]
) -> dict[Domain, tuple[Domain, ...]]:
    """For each domain, those that it is nested in, the outermost first, and itself.

    Being nested is transitive. Of two domains that are nested in each other, the larger one is
    taken as the outer one: it then has few kinds of individuals.
    """
    chains: dict[Domain, tuple[Domain, ...]] = {}
    for domain in sorted(domains, key=lambda domain: (len(around[domain]), -domain.size)):
        inside = () if domain in ground else around[domain]
        outer = [chains[other] for other in domains if other in inside and other in chains]
        chain = (*max(outer, key=len, default=()), domain)
        small = prod(other.size for other in chain) < _MOST_CODES
        chains[domain] = chain if small else (domain,)
    return chains


def _strides(
    prv: PRV, chains: dict[Domain, tuple[Domain, ...]]
) -> Iterator[tuple[tuple[int, int], ...]]:
    """For each place, the places that its number is made of, and what they are multiplied with."""
    place_of = {logvar.domain: place for place, logvar in enumerate(prv.logvars)}
    for place, logvar in enumerate(prv.logvars):
        form, stride = [(place, 1)], logvar.domain.size
        for domain in reversed(chains[logvar.domain][:-1]):
            form.append((place_of[domain], stride))
            stride *= domain.size
        yield tuple(form)


def _nested_in(model: ParfactorGraph) -> dict[Domain, set[Domain]]:
    """For each domain, all others that it is nested in."""
    around: dict[Domain, set[Domain]] = {}
    for prv in model.prvs:
        places = Counter(logvar.domain for logvar in prv.logvars)
        once = {domain for domain, times in places.items() if times == 1}
        for domain in places:
            around[domain] = around.get(domain, once) & once - {domain}
    for parfactor in model.parfactors:
        for logvar in (*parfactor.logvars, *parfactor.counted):
            around.setdefault(logvar.domain, set())
            around[logvar.domain] &= _fixed_beside(parfactor, logvar)
    return around


def _fixed_beside(parfactor: Parfactor, logvar: LogVar) -> set[Domain]:
    """The domains of which each logvar beside a given one is always the same.

    It must be so for logvars that must differ from it, too. If only the one beside it is
    counted, they are not.
    """
    apart = [constrained(constraint) for constraint in parfactor.constraints]
    together = {logvar}.union(*[logvars for logvars in apart if logvar in logvars])
    scopes = [set(logvars_of(argument)) for argument in parfactor.arguments]
    if not any(logvar in scope for scope in scopes):
        return set()
    fixed = set.intersection(*[scope for scope in scopes if not scope.isdisjoint(together)])
    if logvar not in parfactor.counted:
        fixed -= set(parfactor.counted)
    return {other.domain for other in fixed}


def outer_logvars(
    parfactor: Parfactor, nested: Nesting, index: Mapping[Domain, int]
) -> dict[LogVar, LogVar]:
    """The logvar that each nested logvar of a parfactor is nested in.

    ``index``: that of each domain. An argument with a nested logvar has the outer one, too.
    """
    outer: dict[LogVar, LogVar] = {}
    for argument in parfactor.arguments if any(o is not None for o in nested.outer) else ():
        logvars = atom_of(argument).logvars
        by_domain = {index[logvar.domain]: logvar for logvar in logvars}
        for logvar in logvars:
            around = nested.outer[index[logvar.domain]]
            if around is not None:
                outer[logvar] = by_domain[around]
    return outer


def outermost_first(
    logvars: Sequence[LogVar], outer: Mapping[LogVar, LogVar]
) -> tuple[LogVar, ...]:
    """Logvars in an order in which each comes after the one that it is nested in."""

    def depth(logvar: LogVar) -> int:
        return 1 + depth(outer[logvar]) if logvar in outer else 0

    return tuple(sorted(logvars, key=depth)) if outer else tuple(logvars)
