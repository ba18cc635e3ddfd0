"""A question whose observed variables are known before their states: planned once, then called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack, cast

from liftgraph.errors import InputError, quoted
from liftgraph.inference.ground.plan import GroundPlan, pattern_of
from liftgraph.inference.methods import Model, check_distinct, check_model, plan
from liftgraph.inference.tensor.elimination_order import checked_deadline
from liftgraph.model.answers.marginal import Marginal
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.memory_limit import MEMORY_LIMIT, Planning, checked_memory_limit
from liftgraph.model.query import MARGINAL, Query, title_of
from liftgraph.model.questions import SEARCH_SECONDS, Options


@dataclass(frozen=True, repr=False)
class GroundQuery:
    """The distribution of some variables given others, in states that each call says.

    Calling it costs what these states change: everything else was planned and computed before.
    ``planned``: how it is answered; ``given``: the indices of the observed variables.

    >>> from liftgraph import FactorGraphBuilder
    >>> builder = FactorGraphBuilder()
    >>> _ = builder.add_variables(["Epid", "Sick"])
    >>> _ = builder.add_factor(("Sick", "Epid"), [[3, 1], [1, 5]])
    >>> sick = builder.build().compile("Sick", given=["Epid"], exact=True)
    >>> sick({"Epid": "true"}).exact["true"], sick("false").exact["true"]
    (Fraction(3, 4), Fraction(1, 6))
    """

    planned: GroundPlan
    given: tuple[int, ...]

    def __call__(self, *states: Any) -> Marginal:
        """The distribution in these states: a mapping by variable, or one by one as in ``given``.

        States are those of ``query``: text, integers and truth values.
        """
        by_name = len(states) == 1 and isinstance(states[0], Mapping)
        observed = self._by_name(states[0]) if by_name else self._in_order(states)
        return cast(Marginal, replace(self.planned, states=observed).run())

    def _by_name(self, states: Mapping[Any, Any]) -> dict[int, int]:
        graph = self.planned.graph
        observed: dict[int, int] = {}
        for name, state in states.items():
            variable = graph.variable(name)
            if variable not in self.given:
                raise InputError(f"expected states of {self._given_text}, got one of {name}")
            if variable in observed:
                raise InputError(f"expected one state for {graph.name(variable)}, got two")
            observed[variable] = graph.state(variable, state)
        if missing := [graph.name(v) for v in self.given if v not in observed]:
            raise InputError(
                f"expected states of {self._given_text}, got none of {', '.join(missing)}"
            )
        return observed

    def _in_order(self, states: Sequence[Any]) -> dict[int, int]:
        if len(states) != len(self.given):
            raise InputError(f"expected states of {self._given_text}, got {len(states)} states")
        graph, pairs = self.planned.graph, zip(self.given, states, strict=True)
        return {variable: graph.state(variable, state) for variable, state in pairs}

    @property
    def names(self) -> list[str]:
        """The names of the variables that are asked for."""
        return self.planned.names

    @property
    def _given_text(self) -> str:
        return ", ".join(map(self.planned.graph.name, self.given)) or "no variable"

    @property
    def work(self) -> int:
        """How many multiplications the first call takes; later ones take no more."""
        return self.planned.work

    @property
    def peak_bytes(self) -> int:
        """A bound on the memory that a call takes beyond the model, in bytes."""
        return self.planned.peak_bytes

    @property
    def text(self) -> str:
        """What a call does, in a few lines."""
        asked = title_of(self.planned.query, self.names).removesuffix(")")
        given = f" | {self._given_text}" if self.given else ""
        return f"{asked}{given}) by {self.planned.text}"

    def __repr__(self) -> str:
        return self.text


def compile_query(
    model: Model,
    *variables: str | int,
    given: Iterable[str | int] = (),
    exact: bool = False,
    **options: Unpack[Options],
) -> GroundQuery:
    """A query to be called with the states of the ``given`` variables, by ground elimination.

    The options are those of ``query``, except for methods other than ground elimination.
    """
    check_model(model, None)
    if not isinstance(model, FactorGraph):
        raise InputError("expected a factor graph to compile a query, got a lifted model")
    if (method := options.get("method", "ground")) not in ("auto", "ground"):
        raise InputError(f"expected ground as the method of a compiled query, got {method}")
    observed = _observed(model, given)
    states = {variable: model.states(variable)[0] for variable in observed}  # any will do
    query = Query(MARGINAL.name, variables, exact)
    options["method"] = "ground"
    deadline = checked_deadline(options.pop("search_seconds", SEARCH_SECONDS))
    options["search_seconds"] = deadline  # type: ignore[typeddict-item]
    planned = cast(GroundPlan, plan(model, query, given=states, **options))
    planning = Planning(checked_memory_limit(options.get("memory_limit", MEMORY_LIMIT)))
    observed_variables = tuple(sorted(observed))
    pattern = pattern_of(model, query, observed_variables, planning, deadline)  # trusts no state
    return GroundQuery(replace(planned, pattern=pattern), observed)


def _observed(graph: FactorGraph, given: object) -> tuple[int, ...]:
    if not isinstance(given, Iterable) or isinstance(given, str | bytes | Mapping):
        raise InputError(f"expected the observed variables as a list, got {quoted(given)}")
    names = list(given)
    check_distinct(graph, names)
    observed = tuple(map(graph.variable, names))
    if known := [graph.name(variable) for variable in observed if variable in graph.evidence]:
        raise InputError(
            f"expected variables that the graph does not observe, got {', '.join(known)}"
        )
    return observed
