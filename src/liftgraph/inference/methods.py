"""Methods of inference: each plans the answer to a question; ``auto`` chooses among exact ones.

A method is registered by its name, with the options it takes. A plan says what will be done, and
how much memory that takes, before it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, cast

from liftgraph.display import did_you_mean
from liftgraph.errors import InputError, quoted
from liftgraph.exact import checked_tolerance
from liftgraph.inference.automatic import Model as Model
from liftgraph.inference.automatic import plan_auto, plan_by_ground, plan_by_lifting
from liftgraph.inference.ground.on_device import checked_device, plan_on_device
from liftgraph.inference.joint_states.asked import locate_all
from liftgraph.inference.likelihoods import absorbed
from liftgraph.inference.tensor.elimination_order import checked_deadline
from liftgraph.model.answers.answer import Answer
from liftgraph.model.ground.evidence import check_evidence
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.model.memory_limit import MEMORY_LIMIT, checked_memory_limit
from liftgraph.model.options import unknown_option
from liftgraph.model.plans import Plan, Progress
from liftgraph.model.query import KINDS, Query
from liftgraph.model.questions import SEARCH_SECONDS, Given

Planner = Callable[[Model, Query, Given, Mapping[str, Any]], Plan]


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a method: its default, and a function that checks and converts a value."""

    default: object
    check: Callable[[Model, object], object]


def _checked_tolerance(model: Model, tolerance: object) -> Fraction:
    if tolerance is not None and isinstance(model, ParfactorGraph):
        raise InputError(
            "expected a factor graph to lift with a tolerance, got a model which is already lifted"
        )
    return checked_tolerance(tolerance) or Fraction(0)


MEMORY = Option(MEMORY_LIMIT, lambda model, limit: checked_memory_limit(limit))
TOLERANCE = Option(None, _checked_tolerance)
SEARCH = Option(SEARCH_SECONDS, lambda model, seconds: checked_deadline(seconds))


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
        default_factory=lambda: {
            "memory_limit": MEMORY,
            "tolerance": TOLERANCE,
            "search_seconds": SEARCH,
        }
    )
    kinds: tuple[str, ...] = (
        "marginal",
        "marginals",
        "by PRV",
        "partition",
        "explanation",
        "explanations",
        "map",
        "sample",
    )


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

    The method gets likelihoods among the evidence as factors of the model, and states.
    A factor graph is lifted for its first query, and remembers its lifted model. Tables count as
    proportional only if they are exactly so, and answers are those of the given model, unless a
    ``tolerance`` is given: then lifting may use it, and answers say by how much their log odds may
    be off. ``auto`` chooses ground elimination, which needs no tolerance, if lifting does not
    compress the model or costs more.
    """
    check_model(model, given)
    chosen = method_named(method)
    checked = checked_options(chosen, model, options)
    _check_query(model, query, chosen)
    observed, certain = absorbed(model, given, checked.get("memory_limit", MEMORY_LIMIT))
    planned = chosen.plan(observed, query, certain, checked)
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


register_method(Method("auto", plan_auto))
register_method(Method("lifted", plan_by_lifting))
register_method(Method("ground", plan_by_ground))
register_method(
    Method(
        "torch",
        plan_on_device,
        options={
            "memory_limit": MEMORY,
            "search_seconds": SEARCH,
            "device": Option(None, checked_device),
        },
        kinds=("marginal", "partition"),
    )
)


def check_model(model: object, given: object) -> None:
    """Refuse what cannot be asked, and evidence that is not a mapping."""
    if not isinstance(model, FactorGraph | ParfactorGraph):
        raise InputError(f"expected a factor graph or a lifted model to ask, got {quoted(model)}")
    check_evidence({} if given is None else given)


def method_named(name: object) -> Method:
    if not isinstance(name, str) or name not in METHODS:
        hint = did_you_mean(str(name), METHODS)
        raise InputError(f"expected a method ({', '.join(METHODS)}), got {name}{hint}")
    return METHODS[name]


def checked_options(
    method: Method, model: Model, options: Mapping[str, object]
) -> dict[str, object]:
    """The options of a method, with defaults; unknown ones are refused, naming them."""
    for name in options:
        if name not in method.options:
            raise unknown_option(name, ["given", "do", "exact", "method", *method.options])
    return {
        name: option.check(model, options.get(name, option.default))
        for name, option in method.options.items()
    }


def _check_query(model: Model, query: Query, method: Method) -> None:
    if not isinstance(query, Query):
        raise InputError(f"expected a Query, got {quoted(query)}")
    if not isinstance(query.kind, str) or query.kind not in KINDS:
        raise InputError(f"expected a kind of query ({', '.join(KINDS)}), got {query.kind}")
    if query.kind not in method.kinds:
        kinds = ", ".join(method.kinds)
        raise InputError(f"expected a kind which {method.name} answers ({kinds}), got {query.kind}")
    kind = KINDS[query.kind]
    if kind.takes_variables and not query.variables:
        raise InputError("expected at least one variable to ask for, got none")
    if query.variables and not kind.takes_variables:
        asked = quoted(query.variables[0])
        raise InputError(f"expected no variables for {kind.title}, got {asked}")
    for variable in query.variables:
        if isinstance(variable, list | Mapping):
            expected = "variables one by one, and evidence as given={variable: state}"
            raise InputError(f"expected {expected}, got {quoted(variable)}")
    check_distinct(model, query.variables, kind.whole_prvs)


def find_variable(model: Model, name: str | int) -> Any:
    """The index of a variable in a factor graph, or its place in a lifted model."""
    return model.locate(name) if isinstance(model, ParfactorGraph) else model.variable(name)


def find_asked(model: Model, name: str | int) -> Any:
    """The same; or the number of a PRV, if it is one of a lifted model that is named."""
    if isinstance(model, ParfactorGraph):
        return locate_all(model.places, name)
    return model.variable(name)


def check_distinct(model: Model, variables: Sequence[str | int], whole_prvs: bool = False) -> None:
    """Refuse unknown variables and repeated ones. ``whole_prvs``: PRVs may be among them."""
    find = find_asked if whole_prvs else find_variable
    found = {find(model, variable) for variable in variables}
    within = [one for one in found if isinstance(one, tuple) and one[0] in found]
    if len(found) < len(variables) or within:
        raise InputError(f"expected distinct variables, got {', '.join(map(str, variables))}")
