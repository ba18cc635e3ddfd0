"""Methods of inference: each plans the answer to a question; ``auto`` chooses among exact ones.

A method is registered by its name, with the options it takes. A plan says what will be done, and
how much memory that takes, before it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import Any, cast

from liftgraph.cache import Memo
from liftgraph.errors import InputError, MemoryLimitError
from liftgraph.inference.ground.plan import GroundPlan, plan_ground
from liftgraph.inference.ground.run import run_ground
from liftgraph.inference.lifted.plan import plan_lifted
from liftgraph.inference.lifted.run import run_lifted
from liftgraph.model.answers.answer import Answer
from liftgraph.model.ground.evidence import check_evidence
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.names import is_count
from liftgraph.model.lifted.evidence import LiftedEvidence, evidence_on
from liftgraph.model.lifted.parfactor import arity
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph, as_graph
from liftgraph.model.plans import Plan, Progress
from liftgraph.model.query import KINDS, Query
from liftgraph.model.questions import Given
from liftgraph.symmetry.lifting.lift import lift
from liftgraph.symmetry.tables.near import checked_tolerance

Model = FactorGraph | ParfactorGraph
Planner = Callable[[Model, Query, Given, Mapping[str, Any]], Plan]
MEMORY_LIMIT = 4 * 2**30
# A lifted plan that reads at most this many entries runs without making the ground plan.
_CHEAP = 10**6
_COMPRESSED = 2  # variables per PRV; less compressed models are solved ground, if possible
# Planning ground elimination takes as long as reading this many entries for each argument of a
# factor. If lifting needs too much memory, it is tried only up to this many arguments.
_PLANNING = 1000
_MANY_EDGES = 200_000
# The lifted model of a graph, by the tolerance.
LIFTED: Memo[Fraction, ParfactorGraph] = Memo("lifted models", most=4)


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a method: its default, and a function that checks and converts a value."""

    default: object
    check: Callable[[Model, object], object]


def _checked_memory(model: Model, limit: object) -> int:
    if not is_count(limit) or limit < 0:
        raise InputError(f"expected a memory limit in bytes, got {limit!r}")
    return limit


def _checked_tolerance(model: Model, tolerance: object) -> Fraction:
    if tolerance is not None and isinstance(model, ParfactorGraph):
        raise InputError(
            "expected a factor graph to lift with a tolerance, got a model that is lifted already"
        )
    return checked_tolerance(tolerance) or Fraction(0)


MEMORY = Option(MEMORY_LIMIT, _checked_memory)
TOLERANCE = Option(None, _checked_tolerance)


@dataclass(frozen=True)
class Method:
    """A way to answer questions.

    ``plan``: from the model, the query, more evidence and checked options to a plan. ``exact``:
    whether its answers are exact (if not, they say that they are approximate). ``options``: those
    it takes, by name. ``kinds``: the kinds of questions that it answers.
    """

    name: str
    plan: Planner
    exact: bool = True
    options: Mapping[str, Option] = field(
        default_factory=lambda: {"memory_limit": MEMORY, "tolerance": TOLERANCE}
    )
    kinds: tuple[str, ...] = ("marginal", "marginals", "partition", "explanation")


METHODS: dict[str, Method] = {}


def register_method(method: Method) -> None:
    """Make a method available by its name."""
    METHODS[method.name] = method


def plan(
    model: Model,
    query: Query,
    *,
    given: Given | None = None,
    method: str = "auto",
    **options: object,
) -> Plan:
    """How a query will be answered; printing the plan shows the steps and their cost.

    A factor graph is lifted for its first query, and remembers its lifted model. Tables count as
    proportional only if they are exactly so, and answers are those of the given model, unless a
    ``tolerance`` is given: then lifting may use it, and answers say by how much their log odds may
    be off. ``auto`` chooses ground elimination, which needs no tolerance, where lifting does not
    compress the model or costs more.
    """
    check_model(model, given)
    chosen = _method(method)
    checked = _checked_options(chosen, model, options)
    _check_query(model, query, chosen)
    planned = chosen.plan(model, query, given or {}, checked)
    return planned if chosen.exact else cast(Plan, _Estimate(planned))


@dataclass(frozen=True)
class _Estimate:
    """The plan of a method that is not exact: whatever it answers says so."""

    planned: Plan

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "planned":  # a copy that is being made has no plan yet
            raise AttributeError(name)
        return getattr(self.planned, name)

    def __repr__(self) -> str:
        return self.planned.text

    def run(self, progress: Progress = lambda share: None) -> Answer:
        answer = self.planned.run(progress)
        return replace(answer, approximate=True)  # type: ignore[type-var]


def _plan_ground(
    model: Model, query: Query, given: Given, options: Mapping[str, Any]
) -> GroundPlan:
    graph = as_graph(model)
    observed = graph.given(given) if given else graph
    return plan_ground(observed, query, options["memory_limit"], run_ground)


def _plan_lifted(model: Model, query: Query, given: Given, options: Mapping[str, Any]) -> Plan:
    lifted_model, evidence = lifted(model, given, options["tolerance"])
    return plan_lifted(lifted_model, query, evidence, options["memory_limit"], run_lifted)


def _plan_auto(model: Model, query: Query, given: Given, options: Mapping[str, Any]) -> Plan:
    """The lifted plan, unless lifting compresses little or the ground plan is cheaper."""
    try:
        lifted_model, evidence = lifted(model, given, options["tolerance"])
    except MemoryLimitError:  # a potential with too many entries for a table
        return _plan_ground(model, query, given, options)
    if _COMPRESSED * len(lifted_model.prvs) >= lifted_model.variable_count:
        try:
            return _plan_ground(model, query, given, options)
        except MemoryLimitError:
            if len(lifted_model.prvs) == lifted_model.variable_count:
                raise
    ground = partial(_plan_ground, model, query, given, options)
    try:
        limit = options["memory_limit"]
        planned = plan_lifted(lifted_model, query, evidence, limit, run_lifted)
    except MemoryLimitError as refused:
        if _edge_count(model) > _MANY_EDGES:
            raise
        try:
            return ground()
        except MemoryLimitError:
            raise refused from None
    expensive = planned.work > max(_CHEAP, _PLANNING * _edge_count(model))
    return _cheaper(planned, ground) if expensive else planned


def _cheaper(planned: Plan, plan_other: Callable[[], Plan]) -> Plan:
    """A plan, or another one that needs less work and is not refused."""
    try:
        other = plan_other()
    except MemoryLimitError:
        return planned
    return other if other.work < planned.work else planned


register_method(Method("auto", _plan_auto))
register_method(Method("lifted", _plan_lifted))
register_method(Method("ground", _plan_ground))


def lifted(
    model: Model, given: Given, tolerance: Fraction = Fraction(0)
) -> tuple[ParfactorGraph, LiftedEvidence]:
    """The lifted model to ask, kept with the graph it comes from, and the evidence on it."""
    if isinstance(model, ParfactorGraph):
        return model, evidence_on(model.variables, model.evidence, given)
    graph = model.given(given) if given else model
    lifted_model = LIFTED.get(
        graph.cache, tolerance, lambda: lift(graph.observing({}), tolerance=tolerance)
    )
    states = {lifted_model.locate(index): state for index, state in graph.evidence.items()}
    return lifted_model, LiftedEvidence(states)


def _edge_count(model: Model) -> int:
    """The total number of arguments of the factors of the ground model."""
    if isinstance(model, ParfactorGraph):
        return sum(parfactor.size * arity(parfactor) for parfactor in model.parfactors)
    return len(model.scope)


def check_model(model: object, given: object) -> None:
    """Refuse what cannot be asked, and evidence that is not a mapping."""
    if not isinstance(model, FactorGraph | ParfactorGraph):
        raise InputError(f"expected a factor graph or a lifted model to ask, got {model!r}")
    check_evidence({} if given is None else given)


def _method(name: object) -> Method:
    if not isinstance(name, str) or name not in METHODS:
        raise InputError(f"expected a method ({', '.join(METHODS)}), got {name}")
    return METHODS[name]


def _checked_options(
    method: Method, model: Model, options: Mapping[str, object]
) -> dict[str, object]:
    """The options of a method, with defaults; unknown ones are refused, naming them."""
    if unknown := [name for name in options if name not in method.options]:
        expected = f"options among given, exact, method, {', '.join(method.options)}"
        raise InputError(f"expected {expected}, got {', '.join(unknown)}")
    return {
        name: option.check(model, options.get(name, option.default))
        for name, option in method.options.items()
    }


def _check_query(model: Model, query: Query, method: Method) -> None:
    if not isinstance(query, Query):
        raise InputError(f"expected a Query, got {query!r}")
    if not isinstance(query.kind, str) or query.kind not in KINDS:
        raise InputError(f"expected a kind of query ({', '.join(KINDS)}), got {query.kind}")
    if query.kind not in method.kinds:
        kinds = ", ".join(method.kinds)
        raise InputError(f"expected a kind that {method.name} answers ({kinds}), got {query.kind}")
    kind = KINDS[query.kind]
    if kind.takes_variables and not query.variables:
        raise InputError("expected at least one variable to ask for, got none")
    if query.variables and not kind.takes_variables:
        raise InputError(f"expected no variables for {kind.title}, got {query}")
    for variable in query.variables:
        if isinstance(variable, list | Mapping):
            expected = "variables one by one, and evidence as given={variable: state}"
            raise InputError(f"expected {expected}, got {variable!r}")
    check_distinct(model, query.variables)


def check_distinct(model: Model, variables: Sequence[str | int]) -> None:
    """Refuse unknown variables and repeated ones."""
    find = model.locate if isinstance(model, ParfactorGraph) else model.variable
    if len({find(variable) for variable in variables}) < len(variables):
        raise InputError(f"expected distinct variables, got {', '.join(map(str, variables))}")
