"""The plans of questions: what they will do and cost, before they are asked."""

from __future__ import annotations

from typing import Unpack

from liftgraph.errors import InputError, quoted
from liftgraph.inference.counts import plan_question
from liftgraph.inference.joint_states.explanations import checked_best
from liftgraph.inference.methods import Model
from liftgraph.model import answering
from liftgraph.model.causal import after_interventions
from liftgraph.model.plans import Plan
from liftgraph.model.query import (
    EXPLANATION,
    EXPLANATIONS,
    MAP,
    MARGINAL,
    MARGINALS,
    PARTITION,
    Query,
)
from liftgraph.model.questions import Given, Options

_KINDS = {
    "query": MARGINAL,
    "marginals": MARGINALS,
    "partition": PARTITION,
    "mpe": EXPLANATION,
    "map": MAP,
}


def explain(
    model: Model,
    *variables: str | int,
    question: str | None = None,
    given: Given | None = None,
    exact: bool = False,
    best: int | None = None,
    **options: Unpack[Options],
) -> Plan:
    """What a question will do and cost, before it is run.

    ``question``: the name of the method that asks it; without one it is a query, or Z if there are
    no variables. ``best`` is that of ``mpe``. The options are those of ``query``.

    >>> from liftgraph import datasets
    >>> explain(datasets.asia(), question="mpe", best=2).query
    Query(kind='explanations', variables=(), exact=False, best=2)
    """
    asked = question or ("query" if variables else "partition")
    if not isinstance(asked, str) or asked not in _KINDS:
        raise InputError(f"expected a question ({', '.join(_KINDS)}), got {quoted(question)}")
    if best is not None and asked != "mpe":
        raise InputError(f"expected best= only for mpe, got it for {asked}")
    if best is not None:
        query = Query(EXPLANATIONS.name, variables, exact, checked_best(best))
    else:
        query = Query(_KINDS[asked].name, variables, exact)
    return plan_question(model, query, given, **options)


answering.register(explain=after_interventions(explain))
