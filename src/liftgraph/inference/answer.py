"""The front door of inference: ask a model, get an answer, whichever method computes it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Unpack, cast

import numpy as np

from liftgraph.errors import InputError, MemoryLimitError, ZeroWeightError, quoted
from liftgraph.inference.asked_before import answer_again, keep, key_of
from liftgraph.inference.compiled import compile_query
from liftgraph.inference.contradiction import naming_contradictions
from liftgraph.inference.counts import mentions_counts, plan_question, without_counts
from liftgraph.inference.joint_states.explanations import checked_best
from liftgraph.inference.likelihoods import absorbed
from liftgraph.inference.methods import Model, check_model, find_variable, plan
from liftgraph.inference.named_states import named_states, observed_state
from liftgraph.inference.relational import check_prv, kind_for, of_prv
from liftgraph.model import answering
from liftgraph.model.answers.answer import Answer
from liftgraph.model.answers.explanations import Explanations
from liftgraph.model.answers.inexact import Inexact
from liftgraph.model.answers.joint_states import JointState
from liftgraph.model.answers.marginal import Marginal, odds_bounds
from liftgraph.model.answers.marginals import Marginals
from liftgraph.model.answers.relational import PRVMarginals
from liftgraph.model.answers.weights import Assignment, Partition
from liftgraph.model.causal import after_interventions
from liftgraph.model.counts import Count, CountEvent, CountEvents, event_of
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.model.memory_limit import MEMORY_LIMIT
from liftgraph.model.plans import Plan, Progress
from liftgraph.model.query import (
    EXPLANATION,
    EXPLANATIONS,
    MAP,
    MARGINAL,
    MARGINALS,
    PARTITION,
    Kind,
    Query,
)
from liftgraph.model.questions import Given, Options

_WAY_OUT = "ask without exact, or ask the given graph: model.ground()"
_FEW = 8  # events of at most this many variables are answered by a joint query


def run(planned: Plan, progress: Progress = lambda share: None) -> Answer:
    """Carry out a plan; ``progress`` is called with the share of the work done so far."""
    if not callable(getattr(planned, "run", None)):
        raise InputError(f"expected a plan to carry out, got {quoted(planned)}")
    return planned.run(progress)


def _ask(
    model: Model,
    kind: Kind,
    variables: tuple[str | int, ...],
    given: Given | None,
    exact: bool,
    options: Options,
    best: int = 1,
) -> Any:
    return run(plan_question(model, Query(kind.name, variables, exact, best), given, **options))


def query(
    model: Model,
    *variables: str | int,
    given: Given | None = None,
    exact: bool = False,
    **options: Unpack[Options],
) -> Marginal:
    """The distribution of a variable, or the joint one of several, given evidence.

    ``given``: states of observed variables, or likelihoods. ``exact``: also as fractions.
    ``options``: those that ``Questions`` explains.

    >>> from liftgraph import FactorGraphBuilder
    >>> builder = FactorGraphBuilder()
    >>> _ = builder.add_variable("Epid"), builder.add_variable("Sick")
    >>> _ = builder.add_factor(("Sick", "Epid"), [[3, 1], [1, 5]])
    >>> query(builder.build(), "Sick", given={"Epid": "true"}, exact=True)
    P(Sick)
      true   0.75       ██████████████████████  3/4
      false  0.25       ████████  1/4
    """
    if mentions_counts(variables, given):
        return cast(Marginal, _ask(model, MARGINAL, variables, given, exact, options))
    check_model(model, given)
    model, given = absorbed(model, given, options.get("memory_limit", MEMORY_LIMIT))
    key = key_of(model, variables, given, exact, options)
    if key is not None:
        again = answer_again(cast(FactorGraph, model), key, given)
        if again is not None:
            return again
    planned = plan(model, Query(MARGINAL.name, variables, exact), given=given, **options)
    answer = cast(Marginal, run(planned))
    if key is not None:
        keep(key, planned, answer)
    return answer


def probability(
    model: Model,
    event: Given | CountEvent | CountEvents,
    *,
    given: Given | None = None,
    exact: bool = False,
    **options: Unpack[Options],
) -> float | Fraction:
    """The probability that any number of variables are in given states, given evidence.

    Within a tolerance it is an ``Inexact`` number, which has bounds; ``exact`` is then refused.

    For many variables it is a ratio of total weights; as a float, its relative error is about
    the absolute rounding error of their logarithms.

    >>> from liftgraph import LogVar, ParfactorGraph, parfactor, prv
    >>> coin = prv("Coin", LogVar("X", 3), states=["heads", "tails"])
    >>> fair = ParfactorGraph.of([parfactor([coin], [1, 1])])
    >>> probability(fair, {"Coin.1": "heads", "Coin.2": "tails"}, exact=True)
    Fraction(1, 4)
    """
    check_model(model, given)
    model, given = absorbed(model, given)
    if isinstance(event, bool | np.bool_):
        expected = "an event, such as count >= 3 or {variable: state}"
        raise InputError(f"expected {expected}, got {event}: comparing two counts makes no event")
    if isinstance(event, CountEvent | CountEvents) or mentions_counts((), event):
        found = _probability_of_counts(model, event, given, exact, options)
    else:
        found = _probability_of_states(model, event, given, exact, options)
    if exact and isinstance(found, Inexact):
        expected = "a model with exact answers for an exact probability"
        raise InputError(f"expected {expected}, got {found!r}; {_WAY_OUT}")
    return found


def _probability_of_states(
    model: Model, event: Given, given: Given, exact: bool, options: Options
) -> float | Fraction:
    """From the joint distribution if it is small, and otherwise from two total weights."""
    observed, wanted = named_states(model, without_counts(given)), named_states(model, event)
    contradicted = any(
        observed.get(variable, observed_state(model, variable, state)) != state
        for variable, state in wanted.items()
    )
    if 0 < len(wanted) <= _FEW and not contradicted:
        asked = {find_variable(model, name): name for name in event}
        joint = query(model, *asked.values(), given=given, exact=exact, **options)
        chosen = np.zeros(joint.probabilities.shape, dtype=np.bool_)
        chosen[tuple(wanted.values())] = True
        return joint.of_event(chosen)
    total = partition(model, given=given, exact=exact, **options)
    impossible = Fraction(0) if exact else 0.0
    if contradicted:
        return impossible
    try:
        both = {**given, **event}
        share = partition(model, given=both, exact=exact, **options)
    except ZeroWeightError:
        return impossible
    return _ratio(share, total, isinstance(model, ParfactorGraph))


def _ratio(share: Partition, total: Partition, of_one_model: bool) -> float | Fraction:
    """The probability of an event which has a share of the total weight.

    If both are weights of one model that is not quite the given one, its bound holds for the log
    odds of the event. Otherwise both logarithms may be off, each by its own bound.
    """
    ratio = math.exp(min(share.log_z - total.log_z, 0.0))
    exact = share.z / total.z if share.z is not None and total.z is not None else ratio
    approximate = share.approximate or total.approximate
    off = share.log_odds_bound + total.log_odds_bound
    if not (approximate or off):
        return exact
    if approximate:
        return Inexact(exact, (share.method, off, True), None)
    if of_one_model and share.log_odds_bound == total.log_odds_bound:
        off = total.log_odds_bound
        others = np.array(-math.expm1(min(share.log_z - total.log_z, 0.0)))
        least, most = map(float, odds_bounds(np.array(ratio), others, off))
    else:
        least, most = ratio * math.exp(-off), min(ratio * math.exp(min(off, 700.0)), 1.0)
        off = off + math.log1p(-ratio) - math.log1p(-most) if most < 1 else math.inf
    return Inexact(exact, (share.method, off, False), (least, most))


def _probability_of_counts(
    model: Model,
    event: Given | CountEvent | CountEvents,
    given: Given,
    exact: bool,
    options: Options,
) -> float | Fraction:
    """The probability that counts are in ranges, and variables in states: from the joint
    distribution of these events, so that small ones keep their digits. Many states come first, as
    evidence for the counts."""
    if isinstance(event, CountEvent):
        event = {event.count: event}
    elif isinstance(event, CountEvents):
        event = {each.count: each for each in event.events}
    states: Given = without_counts(event)
    share: float | Fraction = Fraction(1)
    if len(states) > _FEW:
        share = probability(model, states, given=given, exact=exact, **options)
        if not share:
            return share
        given, states = {**given, **states}, {}
    events = [event_of(count, value) for count, value in event.items() if isinstance(count, Count)]
    return _product(share, _joint_of_events(model, events, states, given, exact, options))


def _joint_of_events(
    model: Model,
    events: Sequence[CountEvent],
    states: Given,
    given: Given,
    exact: bool,
    options: Options,
) -> float | Fraction:
    """The probability of events and states together. Where two-valued events are too large to ask
    for, the numbers of unequal summands are, whose tables only add."""
    wanted = [[state] for state in named_states(model, states).values()]
    try:
        asked: list[Any] = [*events, *states]
        joint = query(model, *asked, given=given, exact=exact, **options)
        places = [[0]] * len(events)
    except MemoryLimitError as refused:
        try:
            asked = [*[event.count for event in events], *states]
            joint = query(model, *asked, given=given, exact=exact, **options)
        except MemoryLimitError:
            raise refused from None
        sizes = [np.arange(size) for size in joint.probabilities.shape]
        holding = zip(events, sizes, strict=False)
        places = [np.flatnonzero(event.holds(size)).tolist() for event, size in holding]
    chosen = np.zeros(joint.probabilities.shape, dtype=np.bool_)
    chosen[np.ix_(*places, *wanted)] = True
    return joint.of_event(chosen)


def _product(share: float | Fraction, rest: float | Fraction) -> float | Fraction:
    """P(A) · P(B | A), with bounds if one of them may be off.

    The log odds of a product change by no more than those of both factors together: moving those of
    P(A) changes them by a factor (1 - P(A)) / (1 - P(A) P(B | A)), which is at most 1.
    """
    inexact = [number for number in (share, rest) if isinstance(number, Inexact)]
    if not inexact:
        return share * rest
    product, off = float(share) * float(rest), sum(number.log_odds_bound for number in inexact)
    bounds = [number.bounds for number in inexact]
    if None in bounds:
        return Inexact(product, (inexact[0].method, off, True), None)
    least, most = (
        math.prod([bound[end] for bound in bounds if bound])
        * math.prod([float(number) for number in (share, rest) if not isinstance(number, Inexact)])
        for end in range(2)
    )
    return Inexact(product, (inexact[0].method, off, False), (least, most))


def marginals(
    model: Model,
    *,
    given: Given | None = None,
    exact: bool = False,
    **options: Unpack[Options],
) -> Marginals:
    """The distribution of every variable given evidence, at the cost of a few queries.

    The options are those of ``query``.
    """
    return cast(Marginals, _ask(model, MARGINALS, (), given, exact, options))


def marginals_of_prv(
    model: Model,
    prv: str,
    *,
    given: Given | None = None,
    exact: bool = False,
    **options: Unpack[Options],
) -> PRVMarginals:
    """The distributions of all variables of a PRV given evidence, by their individuals.

    The options are those of ``query``.
    """
    check_model(model, given)
    check_prv(model, prv)
    return of_prv(model, prv, _ask(model, kind_for(model), (), given, exact, options))


def partition(
    model: Model,
    *,
    given: Given | None = None,
    exact: bool = False,
    **options: Unpack[Options],
) -> Partition:
    """The total weight of all assignments that agree with the evidence: Z and its logarithm.

    The options are those of ``query``.
    """
    return cast(Partition, _ask(model, PARTITION, (), given, exact, options))


def mpe(
    model: Model,
    *,
    given: Given | None = None,
    exact: bool = False,
    best: int | None = None,
    **options: Unpack[Options],
) -> Assignment | Explanations:
    """A most probable explanation: an assignment of all variables given evidence.

    ``best``: how many of the most probable ones are wanted; of a lifted model, each then stands for
    all that exchanging individuals makes of it. Without ``exact``, weights which floats cannot
    distinguish count as equal. The options are those of ``query``.
    """
    if best is not None:
        wanted = checked_best(best)
        answer = _ask(model, EXPLANATIONS, (), given, exact, options, wanted)
        return cast(Explanations, answer)
    return cast(Assignment, _ask(model, EXPLANATION, (), given, exact, options))


def map_states(
    model: Model,
    *variables: str | int,
    given: Given | None = None,
    exact: bool = False,
    **options: Unpack[Options],
) -> JointState:
    """A most probable joint state of some variables, all others summed out, given evidence.

    Of a lifted model, a PRV stands for all of its variables. The options are those of ``query``.
    """
    return cast(JointState, _ask(model, MAP, variables, given, exact, options))


answering.register(
    query=after_interventions(naming_contradictions(query)),
    compile=after_interventions(compile_query),
    probability=after_interventions(naming_contradictions(probability)),
    marginals=after_interventions(naming_contradictions(marginals)),
    marginals_of_prv=after_interventions(naming_contradictions(marginals_of_prv)),
    partition=after_interventions(naming_contradictions(partition)),
    mpe=after_interventions(naming_contradictions(mpe)),
    map=after_interventions(naming_contradictions(map_states)),
)
