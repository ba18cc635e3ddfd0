"""What lifted elimination will do for a query, and the memory it needs, before it runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

from liftgraph.cache import Memo
from liftgraph.display import format_bytes, format_count
from liftgraph.errors import ComputationError, InputError, MemoryLimitError
from liftgraph.inference.lifted.compile import Compiled, compile_model, told_apart
from liftgraph.inference.lifted.operators import OPERATORS
from liftgraph.inference.lifted.outline import domain_rows, lifted_outline, step_rows
from liftgraph.inference.lifted.parts import Evidence
from liftgraph.inference.lifted.readings import readings
from liftgraph.inference.lifted.shards import short_term_name
from liftgraph.inference.tensor.memory import (
    ANSWER_COPIES,
    FLOAT_BYTES,
    INTEGER_BYTES,
    digit_bytes,
    peak_bytes,
    rough_peak_bytes,
)
from liftgraph.inference.tensor.tensors import Powers, Root, Tensor, in_order
from liftgraph.model.answers.answer import Answer
from liftgraph.model.ground.table import MAX_ARGUMENTS
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.model.lifted.variables import Place
from liftgraph.model.notebook import Pictured
from liftgraph.model.plans import Operation, Progress
from liftgraph.model.query import KINDS, Query

_VARIABLE_BYTES = 250  # its name, its place and its state or distribution
_HIGHEST_POWER = 2**49  # floats tell logarithms of powers apart up to this one

# Evidence, what is kept, and the operators there are.
Question = tuple[frozenset[tuple[Place, int]], tuple[Place, ...], tuple[str, ...]]
_COMPILED: Memo[Question, Compiled | MemoryLimitError] = Memo("compiled models", most=8)


@dataclass(frozen=True, repr=False)
class LiftedPlan(Pictured):
    """How lifted elimination will answer a query; ``str`` describes it.

    ``places``: the asked variables, by PRV and individuals. ``kept``: whether they are kept to
    the end; a single variable is read off its table instead, by a backward pass. ``asked``: the
    roots that the answer depends on; only logarithms are computed of the other roots. ``order``:
    the tensors of the asked roots, operands first. ``carry_out``: the function that does it.
    """

    model: ParfactorGraph
    query: Query
    places: tuple[Place, ...]
    kept: bool
    compiled: Compiled
    asked: tuple[Root, ...]
    order: list[Tensor]
    carry_out: Callable[[LiftedPlan, Progress], Answer]

    @property
    def method(self) -> str:
        """The name of the method."""
        return "lifted"

    @property
    def names(self) -> list[str]:
        """The names of the variables that are asked for."""
        return [self.model.name(place) for place in self.places]

    @cached_property
    def peak_bytes(self) -> int:
        """A bound on the bytes that answering takes beyond the model."""
        keeping = self.backwards or KINDS[self.query.kind].maximises
        working = peak_bytes(
            self.order, exact=self.query.exact, keeping=keeping, backwards=self.backwards
        )
        return working + _answer_bytes(self)

    @property
    def outline(self) -> list[Operation]:
        """The tables that the elimination starts from, and its steps."""
        return lifted_outline(self.compiled)

    def run(self, progress: Progress = lambda share: None) -> Answer:
        """The answer."""
        return self.carry_out(self, progress)

    @property
    def backwards(self) -> bool:
        """Whether the total weight is traced back to the tables it comes from."""
        kind = KINDS[self.query.kind]
        return not kind.maximises and (kind.of_all or (kind.takes_variables and not self.kept))

    @property
    def how(self) -> tuple[str, float]:
        """The method, and how far off the log odds of its answer may be: 0 unless tables are equal
        only up to a tolerance."""
        return "lifted", self.model.log_odds_bound

    @property
    def operators(self) -> list[str]:
        """The operators that will be applied, in their order."""
        return [tensor.operator for tensor in self.order if tensor.operands]

    @property
    def work(self) -> int:
        """How many entries are read."""
        return sum(tensor.work for tensor in self.order)

    @property
    def bits(self) -> int:
        """How many bits an operation reads, on average, in exact arithmetic."""
        return sum(t.bits * t.entries for t in self.order) // max(len(self.order), 1)

    def __repr__(self) -> str:
        return self.text

    @property
    def text(self) -> str:
        """What will be done, in a few lines."""
        largest = max((tensor.entries for tensor in self.order), default=1)
        rows = {
            "numbers": "exact integers" if self.query.exact else "log-scaled floats",
            "model": f"{self.model.variable_count:,} variables in {len(self.model.prvs):,} PRVs, "
            f"{self.model.factor_count:,} factors in {len(self.model.parfactors):,} parfactors",
            **_accuracy(self.model),
            **domain_rows(self.compiled),
            **step_rows(self.compiled),
            "largest": f"{format_count(largest)} entries",
            "work": f"{format_count(self.work)} entries in {len(self.operators):,} operations",
            "memory": f"at most {format_bytes(self.peak_bytes)}",
        }
        return "\n".join(
            ["lifted variable elimination", *(f"  {key:<10} {row}" for key, row in rows.items())]
        )


def _accuracy(model: ParfactorGraph) -> dict[str, str]:
    if not model.log_odds_bound or model.origin is None:
        return {}
    bound = f"log odds off by up to {model.log_odds_bound:.3g}"
    return {"tolerance": f"{float(model.origin.tolerance):g}: {bound}"}


def plan_lifted(
    model: ParfactorGraph,
    query: Query,
    evidence: Evidence,
    memory_limit: int,
    carry_out: Callable[[LiftedPlan, Progress], Answer],
) -> LiftedPlan:
    """Plan the answer to a query; it is refused if it needs more bytes than the limit."""
    places = tuple(model.locate(variable) for variable in query.variables)
    if len(places) > MAX_ARGUMENTS:
        raise InputError(
            f"expected at most {MAX_ARGUMENTS} variables in a joint query, got {len(places)}"
        )
    kept = len(places) > 1 or any(not individuals for _, individuals in places)
    compiled = _compiled(model, evidence, places if kept else ())
    asked = _asked(compiled, query, places, kept)
    order = in_order([root.tensor for root in asked])
    _check_powers(compiled)
    plan = LiftedPlan(model, query, places, kept, compiled, asked, order, carry_out)
    answer = _answer_bytes(plan)
    if answer > memory_limit:
        raise MemoryLimitError(
            f"the answer alone needs {format_bytes(answer)}, the limit is"
            f" {format_bytes(memory_limit)}: ask for single variables{' in floats' * query.exact}"
        )
    rough = rough_peak_bytes(order, query.exact)
    if answer + rough > memory_limit and plan.peak_bytes > memory_limit:
        raise _over_the_limit(plan, memory_limit)
    return plan


def _asked(
    compiled: Compiled, query: Query, places: Sequence[Place], kept: bool
) -> tuple[Root, ...]:
    """The roots that an answer depends on."""
    if not KINDS[query.kind].takes_variables:
        return tuple(compiled.roots)
    shards = compiled.shattered.shards
    if kept:
        free = any(shards.shard(place) not in shards.observed for place in places)
        return tuple(compiled.roots[:1]) if free else ()
    tables = readings(compiled, {shards.shard(places[0])}).values()
    return tuple(compiled.owner[reading.term.tensor] for reading in tables)


def _check_powers(compiled: Compiled) -> None:
    """Refuse powers that floats cannot tell apart."""
    for root in compiled.roots:
        for tensor in in_order([root.tensor]):
            if isinstance(tensor, Powers) and tensor.exponents.total >= _HIGHEST_POWER:
                raise ComputationError(
                    f"a table would have to be raised to the power of {tensor.exponents.total:,},"
                    f" expected less than {_HIGHEST_POWER:,}"
                )


def _compiled(model: ParfactorGraph, evidence: Evidence, kept: tuple[Place, ...]) -> Compiled:
    """The compiled model, remembered for further questions with the same evidence."""

    def compiled() -> Compiled | MemoryLimitError:
        try:
            return compile_model(model, evidence, kept)
        except MemoryLimitError as refused:
            return refused

    operators = tuple([operator.name for operator in OPERATORS])
    question = frozenset(evidence.items()), kept, operators
    result = _COMPILED.get(model.cache, question, compiled)
    if isinstance(result, MemoryLimitError):
        raise MemoryLimitError(str(result))
    return result


def _answer_bytes(plan: LiftedPlan) -> int:
    """The bytes of the asked distribution, or of the answers for all variables."""
    query, model = plan.query, plan.model
    exactly = query.exact and query.kind in ("partition", "explanation")
    weight = _weight_bytes(plan.compiled) if exactly else 0
    if KINDS[query.kind].of_all:
        return weight + _VARIABLE_BYTES * model.variable_count
    width = 2 * INTEGER_BYTES if query.exact else FLOAT_BYTES
    entries = prod(len(model.prvs[prv].states) for prv, _ in plan.places)
    return weight + ANSWER_COPIES * width * entries


def _weight_bytes(compiled: Compiled) -> int:
    """Bytes of the total weight as a fraction."""
    constants = [*compiled.shattered.constants, *compiled.shattered.free]
    bits = sum(root.tensor.bits * root.times for root in compiled.roots)
    for value, times in constants:
        bits += times * (value.numerator.bit_length() + value.denominator.bit_length())
    return ANSWER_COPIES * digit_bytes(bits)


def _over_the_limit(plan: LiftedPlan, limit: int) -> MemoryLimitError:
    """Say how much is needed, and which table needs it."""
    compiled, shards = plan.compiled, plan.compiled.shattered.shards
    largest = max(plan.order, key=lambda tensor: tensor.entries, default=None)
    step = next((s for s in compiled.steps if largest in in_order([s.result.tensor])), None)
    entries = 0 if largest is None else largest.entries
    what = "" if step is None else f" over {short_term_name(shards, step.result)}"
    told = told_apart(shards, compiled.ground)
    return MemoryLimitError(
        f"needs {format_bytes(plan.peak_bytes)}, the limit is {format_bytes(limit)}: the largest"
        f" table has {format_count(entries)} entries{what}; {told}"
    )
