"""Questions and evidence about counts: asked of a model that has the counts as variables.

A count or an event that is asked for becomes a variable, and one that is observed becomes a factor.
Then any question is an ordinary one. Lifted models count PRVs with counting variables, factor
graphs add up their variables in a tree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

from liftgraph.cache import Memo
from liftgraph.errors import ComputationError, InputError, ZeroWeightError
from liftgraph.inference.automatic import CHEAP, PLANNING, Model, cheaper
from liftgraph.inference.compression import lifted_if_smaller
from liftgraph.inference.joint_states.asked import asked_of
from liftgraph.inference.likelihoods import absorbed
from liftgraph.inference.methods import check_model, checked_options, method_named, plan
from liftgraph.model.answers.answer import Answer
from liftgraph.model.answers.marginal import Marginal
from liftgraph.model.counts import Count, CountEvent, counted_in, event_of
from liftgraph.model.ground import counted as ground
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.lifted import counted as lifted
from liftgraph.model.lifted.counted import listed
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph, as_graph
from liftgraph.model.plans import Operation, Plan, Progress
from liftgraph.model.query import KINDS, Query
from liftgraph.model.questions import Given

_Asked = tuple[Count | CountEvent, ...]
_Counts = tuple[_Asked, tuple[CountEvent, ...]]
_Arranged = tuple[_Asked, tuple[CountEvent, ...], bool]
_COSTLY = 10**8  # entries that a plan reads, for which another one is worth its while
# Models with counts, by what is asked and observed of these; and whether variables are arranged.
_GRAPHS: Memo[_Arranged, FactorGraph] = Memo("graphs with counts", most=4)
_MODELS: Memo[_Counts, ParfactorGraph] = Memo("lifted models with counts", most=4)


def mentions_counts(variables: Sequence[object], given: object) -> bool:
    """Whether a question asks for counts or events, or observes some; anything may be given."""
    observed = given if type(given) is dict or isinstance(given, Mapping) else ()
    return any(type(variable) in (Count, CountEvent) for variable in (*variables, *observed))


def without_counts(given: Given) -> Given:
    """Evidence without what it says of counts."""
    if not mentions_counts((), given):
        return given
    return {variable: state for variable, state in given.items() if not isinstance(variable, Count)}


def observing_counts(model: Model, given: Given, memory_limit: int) -> tuple[Model, Given]:
    """A model with a factor for each observed count, and the rest of the evidence.

    A lifted model is grounded if it has the order of given factors, or counts that are not lifted.
    """
    events = tuple([event_of(v, value) for v, value in given.items() if isinstance(v, Count)])
    if not events:
        return model, given
    rest, counts = without_counts(given), ((), events)
    if isinstance(model, ParfactorGraph):
        if model.origin is None:
            with suppress(ComputationError):
                lift = partial(lifted.with_counts, model, *counts, memory_limit)
                return _MODELS.get(model.cache, counts, lift), rest
        counts = (), tuple([_listed_event(model, event) for event in events])
    graph = as_graph(model, memory_limit)
    bare = graph.observing({})  # with the cache of the graph
    extended = _GRAPHS.get(graph.cache, (*counts, True), lambda: ground.with_counts(bare, *counts))
    return extended.observing(graph.evidence), rest


@dataclass(frozen=True)
class _Question:
    """A question about counts and variables, of a model.

    ``options``: how to answer it, checked and without the method.
    """

    model: Model
    query: Query
    given: Given
    options: dict[str, Any]

    @property
    def asked(self) -> _Asked:
        """The counts and events that are asked for."""
        variables: Sequence[Any] = self.query.variables
        return tuple([one for one in variables if isinstance(one, Count | CountEvent)])

    @property
    def observed(self) -> tuple[CountEvent, ...]:
        """The counts that are observed."""
        pairs = self.given.items()
        return tuple([event_of(v, value) for v, value in pairs if isinstance(v, Count)])

    @property
    def counts(self) -> list[Count]:
        """All counts that are asked for or observed."""
        return [*map(counted_in, (*self.asked, *self.observed))]


def plan_question(
    model: Model, query: Query, given: Given | None, method: str = "auto", **options: Any
) -> Plan:
    """The plan for any question, whether or not it asks for counts or observes some."""
    if mentions_counts(query.variables, given):
        return _plan_counts(model, query, given, method, options)
    return plan(model, query, given=given, method=method, **options)


def _plan_counts(
    model: Model, query: Query, given: Given | None, method: str, options: dict[str, Any]
) -> Plan:
    """The plan for a question about counts; its answer has the names of what is asked for."""
    check_model(model, given)
    checked = checked_options(method_named(method), model, options)
    model, certain = absorbed(model, given)
    question = _Question(model, query, certain, checked)
    if len(set(question.asked)) < len(question.asked):
        raise InputError("expected distinct counts to ask for, got one twice")
    if KINDS[query.kind].whole_prvs:
        if question.asked:
            raise InputError(f"expected variables to ask for, got {question.asked[0]}")
        return _planned(question, method)
    names = tuple([_name(model, variable) for variable in query.variables])
    planned = _planned(question, method)
    return _Named(planned, names) if names else planned


@dataclass(frozen=True, repr=False)
class _Named:
    """The plan of a question whose counts are variables of another name in the model it is put to.

    ``names``: those of what was asked for.
    """

    planned: Plan
    names: tuple[str, ...]

    @property
    def query(self) -> Query:
        return self.planned.query

    @property
    def method(self) -> str:
        return self.planned.method

    @property
    def work(self) -> int:
        return self.planned.work

    @property
    def peak_bytes(self) -> int:
        return self.planned.peak_bytes

    @property
    def text(self) -> str:
        return self.planned.text

    @property
    def outline(self) -> Sequence[Operation]:
        return self.planned.outline

    def run(self, progress: Progress = lambda share: None) -> Answer:
        return replace(cast(Marginal, self.planned.run(progress)), variables=self.names)

    def __repr__(self) -> str:
        return self.text


def _name(model: Model, variable: Any) -> str:
    if isinstance(variable, Count | CountEvent):
        return str(variable)
    if isinstance(model, ParfactorGraph):
        return model.name(model.locate(variable))
    return model.name(model.variable(variable))


def _planned(question: _Question, method: str) -> Plan:
    """The plan on a lifted model, if there is one that is smaller; else on a factor graph."""
    model = question.model
    if method == "ground":
        return _on_graph(question)
    if isinstance(model, FactorGraph):
        for count in question.counts:
            ground.counted_variables(model, count)  # or an error that names it
        smaller = lifted_if_smaller(model, question.options, always=method == "lifted")
        if smaller is None:
            return _on_graph(question)
    else:
        smaller = model
    if method == "lifted":
        return _on_lifted(question, smaller)
    try:
        planned = _on_lifted(question, smaller)
    except ZeroWeightError:
        raise
    except ComputationError as refused:
        try:
            return _on_graph(question)
        except ComputationError:
            raise refused from None
    expensive = planned.work > max(CHEAP, PLANNING * smaller.edge_count)
    return cheaper(planned, partial(_on_graph, question)) if expensive else planned


def _on_graph(question: _Question) -> Plan:
    """Variables that counts share are arranged; if that takes long, they are tried as listed."""
    model = question.model
    graph = as_graph(model, question.options["memory_limit"])
    counts = question.asked, question.observed
    if isinstance(model, ParfactorGraph):
        asked, observed = counts
        counts = (
            tuple([_listed(model, target) for target in asked]),
            tuple([_listed_event(model, event) for event in observed]),
        )
    as_listed = partial(_summed, question, graph, counts, False)
    every = [*map(counted_in, (*counts[0], *counts[1]))]
    if not ground.share_variables(graph, every):
        return as_listed()
    try:
        planned = _summed(question, graph, counts, True)
    except ZeroWeightError:
        raise
    except ComputationError as refused:
        try:
            return as_listed()
        except ComputationError:
            raise refused from None
    return cheaper(planned, as_listed) if planned.work > _COSTLY else planned


def _listed(model: ParfactorGraph, target: Count | CountEvent) -> Count | CountEvent:
    """A count, or an event, with its variables listed."""
    return _listed_event(model, target) if isinstance(target, CountEvent) else listed(model, target)


def _listed_event(model: ParfactorGraph, event: CountEvent) -> CountEvent:
    return replace(event, count=listed(model, event.count))


def _summed(question: _Question, graph: FactorGraph, counts: _Counts, arranged: bool) -> Plan:
    bare = graph.observing({})  # with the cache of the graph
    key = (*counts, arranged)
    extended = _GRAPHS.get(graph.cache, key, lambda: ground.with_counts(bare, *counts, arranged))
    return _asked(question, extended.observing(graph.evidence), graph.variable_count, "ground")


def _on_lifted(question: _Question, smaller: ParfactorGraph) -> Plan:
    """``smaller``: the lifted model that is asked: the given one, or that of a given graph."""
    counts, model = (question.asked, question.observed), question.model
    if KINDS[question.query.kind].of_all and lifted.counts_some_only(smaller, question.counts):
        raise ComputationError(
            "all variables cannot be asked for at once given a count of some of a PRV"
        )
    limit = question.options["memory_limit"]
    extended = _MODELS.get(
        smaller.cache, counts, lambda: lifted.with_counts(smaller, *counts, memory_limit=limit)
    )
    if isinstance(model, FactorGraph) and len(model.evidence):
        observed = model.evidence.items()
        extended = extended.given({v: model.states(v)[state] for v, state in observed})
    without = replace(question, options={**question.options, "tolerance": None})
    return _asked(without, extended, smaller.variable_count, "lifted")


def _asked(question: _Question, extended: Model, first: int, method: str) -> Plan:
    """The plan for an ordinary question. ``first``: the index of the first count."""
    index: dict[Any, int] = {target: first + n for n, target in enumerate(question.asked)}
    variables = tuple([index.get(v, v) for v in question.query.variables])
    model, whole_prvs = question.model, KINDS[question.query.kind].whole_prvs
    if whole_prvs and isinstance(model, ParfactorGraph) and isinstance(extended, FactorGraph):
        variables = tuple(asked_of(model, variables).indices())
    query = replace(question.query, variables=variables)
    given = without_counts(question.given)
    return plan(extended, query, given=given, method=method, **question.options)
