"""Parametric factor graphs: parfactors over PRVs, with evidence, and the questions they answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import Any

from liftgraph.cache import Cached
from liftgraph.display import counted, format_count
from liftgraph.errors import InputError, short_traceback
from liftgraph.model.causal import Causal, Directed
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.likelihoods import parted
from liftgraph.model.lifted.evidence import (
    NO_LIFTED_EVIDENCE,
    LiftedEvidence,
    check_states,
    evidence_on,
    observed_count,
    with_likelihoods,
)
from liftgraph.model.lifted.ground_prvs import GroundPRV
from liftgraph.model.lifted.grounding import check_ground_bytes, ground
from liftgraph.model.lifted.logvars import Domain
from liftgraph.model.lifted.looking import LookingAround
from liftgraph.model.lifted.origin import Origin
from liftgraph.model.lifted.parfactor import PRV, Parfactor, arity, atom_of, domains_of
from liftgraph.model.lifted.substitutions import Numbering
from liftgraph.model.lifted.text import shown_model, summary
from liftgraph.model.lifted.variables import Place, Variables, locate, name_of, number_of
from liftgraph.model.memory_limit import MEMORY_LIMIT, Bytes, checked_memory_limit
from liftgraph.model.notebook import Pictured
from liftgraph.model.symmetric import Symmetric


@dataclass(frozen=True, repr=False)
class ParfactorGraph(LookingAround, Causal, Symmetric, Pictured, Cached):
    """A parametric factor graph, lifted from a factor graph or written directly.

    Its variables are numbered PRV after PRV, in the order of the substitutions of its logvars.
    ``origin``: how the given graph lists variables and factors; None if it was written directly.
    ``evidence``: the observed states of variables of individuals, and likelihoods.

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
    evidence: LiftedEvidence = NO_LIFTED_EVIDENCE

    __hash__ = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        if not isinstance(self.evidence, LiftedEvidence):
            object.__setattr__(self, "evidence", LiftedEvidence(self.evidence))
        check_states(self.places, self.evidence)

    @classmethod
    @short_traceback
    def of(
        cls, parfactors: Iterable[Parfactor] | Parfactor, prvs: Sequence[PRV] = ()
    ) -> ParfactorGraph:
        """The model of some parfactors; PRVs which are in none of them must be listed.

        If all of them are distributions of a child, they must make a parametric causal factor
        graph: each PRV is the child of one, and parents come before their children.
        """
        listed = tuple(parfactors) if isinstance(parfactors, Iterable) else (parfactors,)
        if not all(isinstance(parfactor, Parfactor) for parfactor in listed):
            raise InputError("expected parfactors to make a model from")
        used = [atom_of(argument).prv for parfactor in listed for argument in parfactor.arguments]
        distinct = tuple(dict.fromkeys((*prvs, *used)))
        check_names([prv.name for prv in distinct], "PRV")
        domains = domains_of(distinct, listed)
        check_names([domain.name for domain in domains], "domain")
        if empty := sorted(domain.name for domain in domains if domain.is_open):
            raise InputError(f"domain {empty[0]}: expected individuals, got none yet")
        model = cls(distinct, listed)
        if any(prv.overridable for prv in distinct):
            model._check_settings()
        if listed and all(parfactor.child is not None for parfactor in listed):
            model._check_directions()
        return model

    @cached_property
    def domains(self) -> tuple[Domain, ...]:
        """All domains, in the order of their first use."""
        return domains_of(self.prvs, self.parfactors)

    @cached_property
    def places(self) -> Variables:
        """The variables that the PRVs stand for: their numbers, names and individuals."""
        return Variables(self.prvs, self.origin)

    @property
    def variable_start(self) -> tuple[int, ...]:
        """The number of each PRV's first variable, and of all."""
        return self.places.start

    @cached_property
    def factor_start(self) -> tuple[int, ...]:
        """The number of each parfactor's first factor, and of all."""
        return (0, *accumulate(parfactor.size for parfactor in self.parfactors))

    @property
    def log_odds_bound(self) -> float:
        """How much the log odds of any event may differ from those of the given graph: 0
        unless it was lifted with a tolerance."""
        return 0.0 if self.origin is None else self.origin.log_odds_bound

    @property
    def variable_count(self) -> int:
        """How many variables it stands for."""
        return self.places.count

    @property
    def factor_count(self) -> int:
        """How many factors it stands for."""
        return self.factor_start[-1]

    @property
    def edge_count(self) -> int:
        """How many arguments all its factors have together."""
        return sum(parfactor.size * arity(parfactor) for parfactor in self.parfactors)

    @property
    def observed_count(self) -> int:
        """How many of its variables were observed: all of a PRV, or those of some individuals."""
        return observed_count(self.places, self.evidence)

    @property
    def ground_variables(self) -> int:
        """How many variables stayed ground: PRVs without logvars."""
        return sum(not prv.logvars for prv in self.prvs)

    def numbering(self, prv: int) -> Numbering:
        """The numbers of the substitutions of a PRV's logvars."""
        return self.places.numbering(prv)

    def locate(self, name: str | int) -> Place:
        """The PRV and the individuals (by number) of a variable given by its name or index."""
        return locate(self.places, name)

    def number(self, place: Place) -> int:
        """The number of a variable here. Precondition: there is such a variable."""
        return number_of(self.places, place)

    def name(self, variable: str | int | Place) -> str:
        """The name of a variable given by its name, index or place (PRV and individuals): the one
        in the given graph, if any."""
        place = variable if isinstance(variable, tuple) else self.locate(variable)
        return name_of(self.places, place)

    @short_traceback
    def given(self, evidence: Mapping[Any, Any]) -> ParfactorGraph:
        """This model with more evidence on individuals: variables by name, their states by name.

        Numbers for the states, in a list or by name, are the likelihood of a variable.
        """
        states, likelihoods = parted(evidence, self.states)
        known = self.evidence
        if likelihoods:
            known = with_likelihoods(self.places, known, likelihoods)
        return replace(self, evidence=evidence_on(self.places, known, states))

    @short_traceback
    def ground(self, memory_limit: Bytes = MEMORY_LIMIT) -> FactorGraph:
        """The factor graph which this stands for; if it was lifted, exactly the given graph.

        It is refused beforehand if it needs more bytes than the limit.
        """
        check_ground_bytes(self.places, self.parfactors, checked_memory_limit(memory_limit))
        return self._ground

    @cached_property
    def _ground(self) -> FactorGraph:
        graph = ground(self.places, self.parfactors, self.evidence)
        return replace(graph, prvs=self.ground_prvs)

    @property
    def ground_prvs(self) -> tuple[GroundPRV, ...]:
        """Which variables stand for each PRV, if they come in its order; in a lifted graph, those
        which the graph knew."""
        if self.origin is not None:
            return self.origin.prvs
        starts = enumerate(self.variable_start[:-1])
        return tuple([GroundPRV(self.prvs[i], s, self.numbering(i)) for i, s in starts])

    def _check_directions(self) -> None:
        from liftgraph.model.lifted.mechanisms import mechanisms

        mechanisms(self)

    def _check_settings(self) -> None:
        from liftgraph.model.lifted.interventions import check_settings

        check_settings(self)

    def _after(self, interventions: Mapping[Any, Any]) -> ParfactorGraph:
        from liftgraph.model.lifted.interventions import intervened

        return intervened(self, interventions)

    def _directed_at(self, variable: str | int) -> Directed:
        from liftgraph.model.lifted.arrows import directed_at

        return directed_at(self, variable)

    def _directed_around(self, mentioned: Iterable[str | int]) -> Directed:
        from liftgraph.model.lifted.arrows import directed_around

        return directed_around(self, mentioned)

    def summary(self) -> str:
        """How far it is compressed, its logvars, and what stayed ground and why."""
        return summary(self.places, self.parfactors, self.evidence)

    def __str__(self) -> str:
        return shown_model(self.places, self.parfactors, self.evidence)

    def __repr__(self) -> str:
        observed = f", {format_count(self.observed_count)} observed" * bool(self.observed_count)
        if likelihoods := len(self.evidence.likelihoods):
            observed += f", {counted(likelihoods, 'likelihood')}"
        return (
            f"ParfactorGraph({counted(len(self.prvs), 'PRV')} for"
            f" {counted(self.variable_count, 'variable')},"
            f" {counted(len(self.parfactors), 'parfactor')} for"
            f" {counted(self.factor_count, 'factor')}{observed})"
        )


def as_graph(
    model: FactorGraph | ParfactorGraph, memory_limit: Bytes = MEMORY_LIMIT
) -> FactorGraph:
    """The factor graph of a model: a lifted one is ground, if the limit in bytes allows it."""
    return model.ground(memory_limit) if isinstance(model, ParfactorGraph) else model


def check_names(names: Sequence[str], what: str) -> None:
    """Refuse different things of the same name."""
    if len(set(names)) < len(names):
        twice = min(name for name in names if names.count(name) > 1)
        raise InputError(f"expected one {what} for each name, got different ones named {twice}")
