"""What ground elimination will do for a query, and the memory it needs, before it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from liftgraph.cache import Memo
from liftgraph.display import counted, format_bytes
from liftgraph.errors import MemoryLimitError
from liftgraph.inference.ground.known_orders import remember
from liftgraph.inference.ground.memory import exceeds, kept_bytes, predicted_bytes
from liftgraph.inference.ground.pattern import (
    Pattern,
    better_patterns,
    name_of,
    new_pattern,
    state_of,
)
from liftgraph.inference.ground.refusal import too_dense
from liftgraph.inference.ground.relevance import is_proven
from liftgraph.inference.ground.witness import is_witnessed
from liftgraph.inference.tensor.elimination_order import MAX_ROUNDS, NO_SEARCH, Deadline
from liftgraph.inference.tensor.operation_memory import FLOAT_BYTES
from liftgraph.inference.tensor.outline import elimination_outline
from liftgraph.inference.tensor.sections import Section
from liftgraph.model.answers.answer import Answer
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.memory_limit import Planning
from liftgraph.model.notebook import Pictured
from liftgraph.model.plans import Operation, Progress
from liftgraph.model.query import KINDS, Query

_FAR = 2**8  # times the limit: what needs more is improved once, but not searched for long
# The question, the variables observed by the graph and by the question, and the limit; whether
# the graph's own evidence is known to be possible, as it may be in some states only; and whether
# the question trusts what it observes.
_Key = tuple[Query, bytes, tuple[int, ...], int, bool, bool]
_PATTERNS: Memo[_Key, Pattern] = Memo("patterns", most=1 << 26, size=kept_bytes)


@dataclass(frozen=True, repr=False)
class GroundPlan(Pictured):
    """How ground elimination will answer a query.

    ``pattern``: what it does, whatever the states are; ``states``: those that the question
    observes beside the graph's own evidence. ``carry_out``: the function that answers.
    """

    graph: FactorGraph
    pattern: Pattern
    states: Mapping[int, int]
    carry_out: Callable[[GroundPlan, Progress], Answer]

    @property
    def query(self) -> Query:
        """What is asked."""
        return self.pattern.query

    @property
    def variables(self) -> tuple[int, ...]:
        """The variables that are asked for, by index."""
        return self.pattern.variables

    @property
    def section(self) -> Section:
        """The contractions."""
        return self.pattern.section

    @property
    def method(self) -> str:
        """The name of the method."""
        return "ground"

    @property
    def numbers(self) -> str:
        """What it computes in."""
        return "exact integers" if self.query.exact else "log-scaled floats"

    @property
    def names(self) -> list[str]:
        """The names of the variables that are asked for."""
        return [self.graph.name(variable) for variable in self.variables]

    @cached_property
    def peak_bytes(self) -> int:
        """A bound on the bytes that answering takes beyond the model."""
        return predicted_bytes(self.graph, self.pattern)

    @property
    def work(self) -> int:
        """The number of multiplications."""
        return self.pattern.work

    def name(self, variable: int) -> str:
        """The name of a variable of the elimination, which may be hidden inside a potential."""
        return name_of(self.graph, variable)

    def state(self, variable: int) -> int:
        """The state of a variable that is not free."""
        return state_of(self.graph, self.states, variable)

    @property
    def outline(self) -> list[Operation]:
        """The tables that the elimination starts from, and its steps."""
        return elimination_outline(self.section.tree, self.name)

    def run(self, progress: Progress = lambda share: None) -> Answer:
        """The answer."""
        return self.carry_out(self, progress)

    def __repr__(self) -> str:
        return self.text

    @property
    def text(self) -> str:
        """What will be done, in a few lines."""
        tree, scopes = self.section.tree, self.pattern.reduction.scopes
        count = self.graph.variable_count
        free = {v for scope in scopes for v in scope if v < count}
        order = [self.name(variable) for variable in tree.order]
        shown = ", ".join(order[:8]) + (f", … ({len(order) - 8:,} more)" if len(order) > 8 else "")
        rows = {
            "numbers": self.numbers,
            "variables": f"{count:,}, {len(free):,} left by evidence and pruning",
            "tables": f"{self.graph.factor_count:,}, {len(scopes):,} left",
            "order": shown or "nothing to eliminate",
            "largest": counted(self.section.largest, "entry"),
            "work": f"{counted(self.work, 'multiplication')} in {counted(len(tree.steps), 'step')}",
            "memory": f"at most {format_bytes(self.peak_bytes)}",
        }
        return "\n".join(
            ["ground variable elimination", *(f"  {key:<10} {row}" for key, row in rows.items())]
        )


def plan_ground(
    graph: FactorGraph,
    query: Query,
    states: Mapping[int, int],
    memory_limit: int,
    carry_out: Callable[[GroundPlan, Progress], Answer],
    deadline: Deadline = NO_SEARCH,
    taken: int = 0,
) -> GroundPlan:
    """Plan the answer to a query; it is refused if it needs more bytes than the limit.

    ``states``: those that the question observes beside the graph's own evidence. ``deadline``: when
    the search for better orders ends. ``taken``: bytes that planning has taken before.
    """
    observed = tuple(sorted(states))
    planning = Planning(memory_limit, taken)
    pattern = pattern_of(graph, query, observed, planning, deadline, trusting=True)
    if not is_witnessed(graph, pattern, states):
        pattern = pattern_of(graph, query, observed, planning, deadline)
    return GroundPlan(graph, pattern, states, carry_out)


def pattern_of(
    graph: FactorGraph,
    query: Query,
    observed: tuple[int, ...],
    planning: Planning,
    deadline: Deadline = NO_SEARCH,
    trusting: bool = False,
) -> Pattern:
    """What a question does, whatever the states of the observed variables are; kept.

    ``observed``: the variables that the question observes beside the graph's own evidence,
    increasing. ``planning``: what planning takes is charged there. ``deadline``: when to stop
    looking for better orders, before it is refused. ``trusting``: whether tables that only decide
    on whether anything is possible are left out, as the ``doubts`` of the pattern.
    """

    def searched(first: Pattern) -> Iterator[Pattern]:
        """Better and better patterns; fewer if the first one is far beyond the limit."""
        rounds = 1 if exceeds(graph, first, _FAR * planning.limit) else MAX_ROUNDS
        yield from better_patterns(first, observed, planning, deadline, rounds)

    def fitting() -> Pattern:
        """A pattern within the limit; if the first one is not, others are searched for."""
        first = new_pattern(graph, query, observed, planning, trusting)
        smallest = first
        for pattern in chain([first], searched(first)):
            if not exceeds(graph, pattern, planning.left):
                remember(graph.cache, pattern.section.tree)
                return pattern
            smallest = min(smallest, pattern, key=lambda pattern: predicted_bytes(graph, pattern))
        remember(graph.cache, smallest.section.tree)
        raise _over_the_limit(graph, smallest, planning)

    variables = graph.evidence.variables.tobytes()
    key = (query, variables, observed, planning.limit, is_proven(graph), trusting)
    return _PATTERNS.get(graph.cache, key, fitting)


def _over_the_limit(graph: FactorGraph, pattern: Pattern, planning: Planning) -> MemoryLimitError:
    """The error for the best order that was found."""
    tree = pattern.section.tree
    where = "" if tree.forcing is None else f", eliminating {name_of(graph, tree.forcing)}"
    needed, largest = predicted_bytes(graph, pattern), pattern.section.largest
    has = f"has {counted(largest, 'entry')}{where}"
    if FLOAT_BYTES * largest <= planning.limit:
        return planning.beyond(needed, f"the largest table {has}")
    width = max([len(t.shape) for t in pattern.section.tensors if t.entries == largest])
    kind = KINDS[pattern.query.kind]
    whole = kind.of_all and not (kind.maximises or kind.draws)
    advice = ", ask for single variables" if whole else ""
    reason = f"a table over {width} variables {has}"
    return too_dense("needs", needed, planning.limit, reason, advice)
