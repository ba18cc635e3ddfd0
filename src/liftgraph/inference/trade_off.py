"""What a tolerance buys and what it costs: fewer groups against answers that may be off."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, astuple, dataclass, fields
from fractions import Fraction
from functools import partial
from typing import Any, overload

import numpy as np

from liftgraph.display import counted
from liftgraph.errors import InputError, quoted
from liftgraph.exact import checked_tolerance, numeral
from liftgraph.inference.answer import query
from liftgraph.model.answers.marginal import Marginal
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.memory_limit import MEMORY_LIMIT
from liftgraph.model.notebook import Pictured
from liftgraph.model.questions import Given
from liftgraph.symmetry.lifting.lift import lift

TOLERANCES = ("0", "0.001", "0.002", "0.005", "0.01", "0.02", "0.05", "0.1", "0.2", "0.5")


@dataclass(frozen=True)
class Choice:
    """A tolerance, how small the lifted model gets with it, and how far off log odds may be.

    ``error``: how far off they are for the asked variables; None if no variables were asked for.
    """

    tolerance: Fraction
    prvs: int
    parfactors: int
    log_odds_bound: float
    error: float | None


@dataclass(frozen=True, repr=False)
class TradeOff(Pictured, Sequence[Choice]):
    """Choices in the order of their tolerances; printing them gives a table.

    Each has its ``tolerance``, how many ``prvs`` and ``parfactors`` the lifted model then has, its
    ``log_odds_bound``, and the measured ``error`` in log odds, if you asked for variables.
    """

    variables: int
    factors: int
    choices: tuple[Choice, ...]

    @overload
    def __getitem__(self, place: int) -> Choice: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Choice, ...]: ...
    def __getitem__(self, place: int | slice) -> Choice | tuple[Choice, ...]:
        return self.choices[place]

    def __len__(self) -> int:
        return len(self.choices)

    def columns(self) -> dict[str, list[Any]]:
        """The same as columns, for a data frame."""
        rows = [asdict(choice) for choice in self.choices]
        names = [attribute.name for attribute in fields(Choice)]
        return {name: [row[name] for row in rows] for name in names}

    def __repr__(self) -> str:
        head = f"{counted(self.variables, 'variable')} and {counted(self.factors, 'factor')}"
        return "\n".join([head, *_lines(self.choices)])


def _lines(choices: Sequence[Choice]) -> Iterator[str]:
    measured = "measured" if any(choice.error is not None for choice in choices) else ""
    head = f"{'tolerance':>10} {'PRVs':>9} {'parfactors':>11} {'log odds within':>16} {measured:>9}"
    yield head.rstrip()
    for tolerance, prvs, parfactors, bound, error in map(astuple, choices):
        measured = "" if error is None else f"{error:.3g}"
        line = f"{numeral(tolerance):>10} {prvs:>9,} {parfactors:>11,} {bound:>16.3g} {measured:>9}"
        yield line.rstrip()


def trade_off(
    graph: FactorGraph,
    tolerances: Sequence[object] = TOLERANCES,
    *,
    variables: Sequence[str | int] = (),
    given: Given | None = None,
    memory_limit: int = MEMORY_LIMIT,
) -> TradeOff:
    """How small lifted models get with each tolerance, and how far off answers may then be.

    ``variables``: those whose distributions, given the evidence, are compared with those of the
    given model. For all others the bound holds: no event's log odds are off by more.
    ``memory_limit``: in bytes; a comparison which needs more is refused.

    >>> from liftgraph import datasets
    >>> graph = datasets.perturbed(datasets.epid(8).ground(), "0.01")
    >>> [(str(each.tolerance), each.prvs) for each in trade_off(graph, ["0", "0.05"])]
    [('0', 41), ('1/20', 4)]
    """
    if not isinstance(graph, FactorGraph):
        raise InputError(f"expected a factor graph to lift with tolerances, got {quoted(graph)}")
    ask = partial(query, memory_limit=memory_limit)
    exact = [ask(graph, variable, given=given) for variable in variables]
    increasing = sorted({checked_tolerance(epsilon) or Fraction(0) for epsilon in tolerances})
    choices = tuple(_choice(graph, epsilon, exact, given, ask) for epsilon in increasing)
    return TradeOff(graph.variable_count, graph.factor_count, choices)


def _choice(
    graph: FactorGraph,
    tolerance: Fraction,
    exact: Sequence[Marginal],
    given: Given | None,
    ask: Callable[..., Marginal],
) -> Choice:
    model = lift(graph.observing({}), tolerance=tolerance)
    evidence = {graph.name(v): graph.states(v)[s] for v, s in graph.evidence.items()}
    evidence |= given or {}
    near = [ask(model, *right.variables, given=evidence, method="lifted") for right in exact]
    errors = [log_odds_error(*pair) for pair in zip(near, exact, strict=True)]
    counts = len(model.prvs), len(model.parfactors)
    return Choice(tolerance, *counts, model.log_odds_bound, max(errors, default=None))


def log_odds_error(near: Marginal, exact: Marginal) -> float:
    """By how much the log odds of two states differ between two distributions, at most.

    Precondition: the same states are possible.
    """
    possible = exact.probabilities > 0
    ratios = np.log(near.probabilities[possible]) - np.log(exact.probabilities[possible])
    return float(ratios.max() - ratios.min())
