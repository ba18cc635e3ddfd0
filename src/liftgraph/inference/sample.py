"""Independent samples of all variables: plan, sum forwards, and walk the plan backwards."""

from __future__ import annotations

import secrets
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import InputError, quoted
from liftgraph.inference.contradiction import naming_contradictions
from liftgraph.inference.counts import plan_question
from liftgraph.inference.ground.plan import GroundPlan
from liftgraph.inference.ground.sampling import ground_draw_bytes
from liftgraph.inference.methods import Model, method_named
from liftgraph.model import answering
from liftgraph.model.answers.draws import ListedDraws
from liftgraph.model.answers.sample import Sample, Variables
from liftgraph.model.answers.sampled import GraphVariables, LiftedVariables
from liftgraph.model.causal import after_interventions
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.names import is_count
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.model.memory_limit import MEMORY_LIMIT, beyond_limit, checked_memory_limit
from liftgraph.model.options import unknown_option
from liftgraph.model.plans import Plan, Progress
from liftgraph.model.query import SAMPLE, Query
from liftgraph.model.questions import Given, Options
from liftgraph.semiring import CHUNK

_WRITTEN_BYTES = 120  # of a state while a batch of samples of a lifted model is written out
_SAMPLE_BYTES = 1 << 15  # what even the smallest sample takes
_SEED_BITS = 64


def sample(
    model: Model,
    count: int = 1,
    *,
    seed: int | None = None,
    given: Given | None = None,
    exact: bool = False,
    **options: Unpack[Options],
) -> Sample:
    """Independent assignments of all variables, each drawn with its probability given evidence.

    ``seed``: a sample with the same seed is the same. The options are those of ``query``.

    >>> from liftgraph import FactorGraphBuilder
    >>> builder = FactorGraphBuilder()
    >>> _ = builder.add_variable("Epid"), builder.add_variable("Sick")
    >>> _ = builder.add_factor(("Sick", "Epid"), [[3, 1], [1, 5]])
    >>> sample(builder.build(), 2, seed=1, given={"Epid": "true"}).column("Epid")
    ('true', 'true')
    """
    count, seed = _checked_count(count), checked_seed(seed)
    known = [
        "seed",
        "do",
        "given",
        "exact",
        "method",
        *method_named(options.get("method", "auto")).options,
    ]
    for option in options:
        if option not in known:
            raise unknown_option(option, known)
    planned = plan_samples(model, given, exact, options)
    limit = checked_memory_limit(options.get("memory_limit", MEMORY_LIMIT))
    return draw(model, planned, count, seed, limit)


def plan_samples(model: Model, given: Given | None, exact: bool, options: Options) -> Plan:
    """How samples will be drawn. What the plan answers is not a sample but what draws them."""
    return plan_question(model, Query(SAMPLE.name, (), exact), given, **options)


def draw(
    model: Model,
    planned: Plan,
    count: int,
    seed: int,
    memory_limit: int,
    progress: Progress = lambda share: None,
) -> Sample:
    """Carry out a plan of samples; it is refused if the samples need more bytes than the limit."""
    needed = sample_bytes(model, planned, count)
    if needed > memory_limit:
        reason = "ask for fewer samples" if count > 1 else "its states do not fit"
        raise beyond_limit("needs", needed, memory_limit, reason)
    sampler: Any = planned.run(progress)
    how = sampler.method, sampler.log_odds_bound, sampler.approximate
    about = seed, planned.query.exact
    draws = sampler.draw(count, seed, memory_limit)
    if isinstance(draws, ListedDraws):
        draws = _numbered(model, draws.listed)
    elif isinstance(model, FactorGraph):
        listed = LiftedVariables(planned.model)  # type: ignore[attr-defined]
        on_lifted = Sample(count, listed, *about, draws, memory_limit, *how)
        draws = ListedDraws(on_lifted.states[:, : model.variable_count])
    return Sample(count, _variables(model), *about, draws, memory_limit, *how)


def sample_bytes(model: Model, planned: Plan, count: int) -> int:
    """A bound on the bytes that samples take beyond the model: tables, drawing, and the draws."""
    needed = planned.peak_bytes + _SAMPLE_BYTES
    if isinstance(planned, GroundPlan):
        return needed + ground_draw_bytes(planned, count)
    from liftgraph.inference.lifted.plan import LiftedPlan
    from liftgraph.inference.lifted.sampling.sampler import lifted_draw_bytes

    if isinstance(planned, LiftedPlan):
        needed += lifted_draw_bytes(planned, count)
    if isinstance(model, FactorGraph):
        written = min(CHUNK, count * model.variable_count) + model.variable_count
        needed += _WRITTEN_BYTES * written + 2 * count * model.variable_count
    return needed


def _variables(model: Model) -> Variables:
    return LiftedVariables(model) if isinstance(model, ParfactorGraph) else GraphVariables(model)


def _numbered(model: Model, listed: NDArray[np.integer[Any]]) -> ListedDraws:
    """The states of a model's own variables, by number: those of counts are left out."""
    listed = listed[:, : model.variable_count]
    if isinstance(model, ParfactorGraph) and model.origin is not None:
        listed = listed[:, model.origin.index_by_number]
    return ListedDraws(listed)


def _checked_count(count: object) -> int:
    if not is_count(count) or count < 0:
        raise InputError(f"expected a number of samples, got {quoted(count)}")
    return int(count)


def checked_seed(seed: object) -> int:
    """A seed; a new one if there is none."""
    if seed is None:
        return secrets.randbits(_SEED_BITS)
    if not is_count(seed) or seed < 0:
        raise InputError(f"expected a seed (a non-negative integer), got {quoted(seed)}")
    return int(seed)


answering.register(sample=after_interventions(naming_contradictions(sample)))
