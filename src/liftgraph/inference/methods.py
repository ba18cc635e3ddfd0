"""Which method answers a question, and its plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal, TypedDict, get_args

from liftgraph.cache import Memo
from liftgraph.errors import InputError, MemoryLimitError
from liftgraph.inference.ground.plan import GroundPlan, plan_ground
from liftgraph.inference.lifted.plan import LiftedPlan, plan_lifted
from liftgraph.inference.query import Kind, Query
from liftgraph.model.ground.checks import check_evidence
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.names import is_count
from liftgraph.model.lifted.evidence import evidence_on
from liftgraph.model.lifted.grounding import as_graph
from liftgraph.model.lifted.instances import arity
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph, Place
from liftgraph.symmetry.lifting.lift import lift
from liftgraph.symmetry.tables.near import checked_tolerance

Model = FactorGraph | ParfactorGraph
Plan = GroundPlan | LiftedPlan
Given = Mapping[Any, Any]
Method = Literal["auto", "lifted", "ground"]
METHODS: tuple[Method, ...] = ("auto", "lifted", "ground")
MEMORY_LIMIT = 4 * 2**30
# A lifted plan that looks at no more entries is carried out without a look at the ground one.
_CHEAP = 10**6
_COMPRESSED = 2  # variables for each PRV: what lifting compresses less is done ground, if possible
# Planning to eliminate ground takes as long as looking at so many entries for each argument of a
# factor, and is not tried for more of them than this if lifting needs too much memory.
_PLANNING = 1000
# The lifted model of a graph, by the tolerance.
LIFTED: Memo[Fraction, ParfactorGraph] = Memo("lifted models", most=4)
_MANY_EDGES = 200_000


class Options(TypedDict, total=False):
    """How a question is to be answered.

    ``method``: "lifted", "ground", or whichever is cheaper: "auto". ``memory_limit``: in bytes;
    plans beyond it are refused. ``tolerance``: what a factor graph may be lifted with.
    """

    method: Method
    memory_limit: int
    tolerance: object


def plan(
    model: Model,
    query: Query,
    *,
    given: Given | None = None,
    method: Method = "auto",
    memory_limit: int = MEMORY_LIMIT,
    tolerance: object = None,
) -> Plan:
    """How a query will be answered; printing it tells the steps and their cost.

    A factor graph is lifted when it is first asked, and remembers its lifted model. Tables are
    taken for proportional only if they are exactly, and answers are those of the given model,
    unless a ``tolerance`` is given: then lifting may use it, and answers say by how much their
    log odds may be off. With ``auto``, what lifting does not compress, or ground elimination does
    at a lower cost, is done ground, which needs no tolerance.
    """
    _check_options(model, given, method, memory_limit)
    _check_query(model, query)
    epsilon = _checked_tolerance(model, tolerance)
    evidence = given or {}
    if method == "ground":
        return _plan_ground(model, query, evidence, memory_limit)
    found, places = lifted(model, evidence, epsilon)
    if method == "lifted":
        return plan_lifted(found, query, places, memory_limit)
    if _COMPRESSED * len(found.prvs) >= found.variable_count:
        try:
            return _plan_ground(model, query, evidence, memory_limit)
        except MemoryLimitError:
            if len(found.prvs) == found.variable_count:
                raise
    return _cheaper(model, query, evidence, memory_limit, found, places)


def _cheaper(
    model: Model,
    query: Query,
    given: Given,
    memory_limit: int,
    found: ParfactorGraph,
    places: dict[Place, int],
) -> Plan:
    """The lifted plan, unless it is dear and the ground one is cheaper."""
    try:
        planned = plan_lifted(found, query, places, memory_limit)
    except MemoryLimitError as refused:
        if _edges(model) > _MANY_EDGES:
            raise
        try:
            return _plan_ground(model, query, given, memory_limit)
        except MemoryLimitError:
            raise refused from None
    if planned.work <= max(_CHEAP, _PLANNING * _edges(model)):
        return planned
    try:
        ground = _plan_ground(model, query, given, memory_limit)
    except MemoryLimitError:
        return planned
    return ground if ground.work < planned.work else planned


def _edges(model: Model) -> int:
    """How many arguments the factors of the ground model have in all."""
    if isinstance(model, ParfactorGraph):
        return sum(each.size * arity(each) for each in model.parfactors)
    return len(model.scope)


def _plan_ground(model: Model, query: Query, given: Given, memory_limit: int) -> GroundPlan:
    graph = as_graph(model)
    return plan_ground(graph.given(given) if given else graph, query, memory_limit)


def lifted(
    model: Model, given: Given, tolerance: Fraction = Fraction(0)
) -> tuple[ParfactorGraph, dict[Place, int]]:
    """The lifted model to ask, kept with the graph it comes from, and the evidence on it."""
    if isinstance(model, ParfactorGraph):
        return model, evidence_on(model, given)
    graph = model.given(given) if given else model
    found = LIFTED.get(
        graph.cache, tolerance, lambda: lift(graph.observing({}), tolerance=tolerance)
    )
    return found, {found.locate(index): state for index, state in graph.evidence.items()}


def _check_options(model: object, given: object, method: object, memory_limit: object) -> None:
    if not isinstance(model, FactorGraph | ParfactorGraph):
        raise InputError(f"expected a factor graph or a lifted model to ask, got {model!r}")
    check_evidence({} if given is None else given)
    if method not in METHODS:
        raise InputError(f"expected a method ({', '.join(METHODS)}), got {method}")
    if not is_count(memory_limit):
        raise InputError(f"expected a memory limit in bytes, got {memory_limit!r}")


def _checked_tolerance(model: Model, tolerance: object) -> Fraction:
    if tolerance is not None and isinstance(model, ParfactorGraph):
        raise InputError(
            "expected a factor graph to lift with a tolerance, got a lifted model: it has its own"
        )
    return checked_tolerance(tolerance) or Fraction(0)


def _check_query(model: Model, query: Query) -> None:
    kinds = get_args(Kind)
    if not isinstance(query, Query):
        raise InputError(f"expected a Query, got {query!r}")
    if query.kind not in kinds:
        raise InputError(f"expected a kind of query ({', '.join(kinds)}), got {query.kind}")
    if query.kind == "marginal" and not query.variables:
        raise InputError("expected at least one variable to ask for, got none")
    if query.kind != "marginal" and query.variables:
        raise InputError(f"expected variables for a marginal only, got {query}")
    for each in query.variables:
        if isinstance(each, list | Mapping):
            expected = "variables one by one, and evidence as given={variable: state}"
            raise InputError(f"expected {expected}, got {each!r}")
    check_distinct(model, query.variables)


def check_distinct(model: Model, variables: Sequence[str | int]) -> None:
    """Refuse unknown variables, and the same one twice."""
    find = model.locate if isinstance(model, ParfactorGraph) else model.variable
    if len({find(variable) for variable in variables}) < len(variables):
        raise InputError(f"expected distinct variables, got {', '.join(map(str, variables))}")
