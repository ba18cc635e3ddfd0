"""All marginals of a graph in which components repeat: each is eliminated once."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

import numpy as np

from liftgraph.display import counted, format_bytes
from liftgraph.inference.answer_memory import DISTRIBUTION_BYTES
from liftgraph.inference.ground.absorption import absorbed
from liftgraph.inference.ground.conditioning import Conditioned, conditioned
from liftgraph.inference.ground.plan import GroundPlan, plan_ground
from liftgraph.inference.ground.repetition import Integers, repetition, representatives
from liftgraph.inference.ground.run import run_distributions, run_ground
from liftgraph.inference.tensor.elimination_order import NO_SEARCH, Deadline
from liftgraph.model.answers.marginals import Distribution, Marginals
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.table import Table
from liftgraph.model.notebook import Pictured
from liftgraph.model.plans import Operation, Progress
from liftgraph.model.query import Query
from liftgraph.semiring.pairs import log_of_product
from liftgraph.symmetry.lifting.memory import colour_passing_bytes

_MANY = 1000  # factors of a graph in which equal components are looked for
_WORTH_WHILE = 2  # how many variables each represented one must stand for, on average
_NAME_BYTES = 80  # a name that is an index as text, and what refers to it


@dataclass(frozen=True, eq=False, repr=False)
class RepeatedPlan(Pictured):
    """How the marginals of all variables are found if components repeat.

    ``left``: what the evidence leaves; ``stands_for``: int64, for each variable of it, the variable
    of the representative that corresponds to it. ``parts``: the plans for the representatives,
    with their variables and how often each of their components occurs.
    """

    graph: FactorGraph
    query: Query
    left: Conditioned
    stands_for: Integers
    parts: tuple[tuple[GroundPlan, Integers, int], ...]

    @property
    def method(self) -> str:
        """The name of the method."""
        return "ground"

    @property
    def names(self) -> list[str]:
        """No variables are asked for by name."""
        return []

    @property
    def work(self) -> int:
        """The number of multiplications."""
        return sum(plan.work for plan, _, _ in self.parts)

    @property
    def peak_bytes(self) -> int:
        """A bound on the bytes that answering takes beyond the model."""
        listed = (DISTRIBUTION_BYTES + _NAME_BYTES) * self.graph.variable_count
        return sum(plan.peak_bytes for plan, _, _ in self.parts) + listed

    @property
    def outline(self) -> list[Operation]:
        """The tables that the eliminations start from, and their steps."""
        operations: list[Operation] = []
        for plan, _, _ in self.parts:
            before = len(operations)
            for operation in plan.outline:
                operands = tuple([before + operand for operand in operation.operands])
                operations.append(
                    Operation(
                        operation.operators,
                        operation.eliminated,
                        operation.axes,
                        operation.entries,
                        operands,
                    )
                )
        return operations

    def __repr__(self) -> str:
        return self.text

    @property
    def text(self) -> str:
        """What will be done, in a few lines."""
        distinct = sum(len(variables) for _, variables, _ in self.parts)
        free = len(self.left.free)
        steps = sum(len(plan.section.tree.steps) for plan, _, _ in self.parts)
        rows = {
            "numbers": "exact integers" if self.query.exact else "log-scaled floats",
            "variables": f"{self.graph.variable_count:,}, {free:,} left by evidence",
            "components": f"equal ones once, with {counted(distinct, 'variable')}",
            "work": f"{counted(self.work, 'multiplication')} in {counted(steps, 'step')}",
            "memory": f"at most {format_bytes(self.peak_bytes)}",
        }
        return "\n".join(
            ["ground variable elimination", *(f"  {key:<10} {row}" for key, row in rows.items())]
        )

    def run(self, progress: Progress = lambda share: None) -> Marginals:
        """The answer."""
        return _run(self, progress)


def plan_repeated(
    graph: FactorGraph,
    query: Query,
    memory_limit: int,
    deadline: Deadline = NO_SEARCH,
    taken: int = 0,
) -> RepeatedPlan | None:
    """The plan for all marginals of a graph with its evidence, if components repeat so much that
    it is worth while, and it fits into the memory limit."""
    if graph.factor_count < _MANY or not all(isinstance(p, Table) for p in graph.potentials):
        return None
    if 2 * colour_passing_bytes(graph) > memory_limit:  # with what the evidence leaves
        return None
    left = conditioned(graph)
    repeated = repetition(left.graph)
    represented = repeated.times[repeated.component] > 0
    if _WORTH_WHILE * np.count_nonzero(represented) > graph.variable_count:
        return None
    constants = list(left.constants)
    parts = []
    for component_graph, variables, times in representatives(left.graph, repeated):
        part, divisors = absorbed(component_graph)
        constants += [(divisor, count * times) for divisor, count in divisors]
        plan = plan_ground(part, query, {}, memory_limit, run_ground, deadline, taken)
        parts.append((plan, variables, times))
    left = left._replace(constants=constants)
    whole = RepeatedPlan(graph, query, left, repeated.stands_for, tuple(parts))
    return whole if whole.peak_bytes <= memory_limit else None


def _run(plan: RepeatedPlan, progress: Progress) -> Marginals:
    done = [*accumulate([part.work for part, _, _ in plan.parts], initial=0)]
    total = max(done[-1], 1)
    distributions: list[Distribution] = []
    place = np.empty(len(plan.left.free), dtype=np.int64)  # of the distributions
    logs = []
    for (part, variables, times), before in zip(plan.parts, done, strict=False):
        share = part.work / total
        listed, log = run_distributions(
            part,
            lambda part_done, b=before, s=share: progress(b / total + s * part_done),  # type: ignore[misc]
        )
        place[variables] = len(distributions) + np.arange(len(variables))
        distributions += listed
        logs.append((log, times))
    group = np.empty(plan.graph.variable_count, dtype=np.int64)
    group[plan.left.free] = place[plan.stands_for]
    _add_certain(plan, distributions, group)
    names = tuple(plan.graph.variables)
    log_z = log_of_product(plan.left.constants, logs)
    return Marginals(names, group, tuple(distributions), log_z, plan.method)


def _add_certain(plan: RepeatedPlan, distributions: list[Distribution], group: Integers) -> None:
    """The distributions of variables that are observed or have one state only."""
    graph = plan.graph
    state = np.zeros(graph.variable_count, dtype=np.int64)
    state[graph.evidence.variables] = graph.evidence.states
    fixed = np.ones(graph.variable_count, dtype=np.bool_)
    fixed[plan.left.free] = False
    variables = np.flatnonzero(fixed)
    width = int(graph.cardinalities.max(initial=1))
    codes = graph.state_set_id[variables].astype(np.int64) * width + state[variables]
    kinds, place = np.unique(codes, return_inverse=True)
    group[variables] = len(distributions) + place
    for kind in kinds.tolist():
        states = graph.state_sets[kind // width]
        shares = np.zeros(len(states))
        shares[kind % width] = 1
        exact = np.array([Fraction(int(share)) for share in shares]) if plan.query.exact else None
        distributions.append(Distribution(states, shares, exact))
