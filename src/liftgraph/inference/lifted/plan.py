"""What lifted elimination will do for a query, and the memory it needs, before it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import prod

from liftgraph.cache import Memo
from liftgraph.display import counted, format_bytes, format_count
from liftgraph.errors import ComputationError, InputError, MemoryLimitError
from liftgraph.inference.answer_memory import listing_bytes
from liftgraph.inference.lifted.compile import (
    Compiled,
    compile_model,
    compiled_bytes,
    told_apart,
)
from liftgraph.inference.lifted.facts import Evidence, take_observations
from liftgraph.inference.lifted.memory import answer_bytes
from liftgraph.inference.lifted.operators import OPERATORS
from liftgraph.inference.lifted.outline import domain_rows, lifted_outline, step_rows
from liftgraph.inference.lifted.partial_maxima import with_partial_maxima
from liftgraph.inference.lifted.readings import Reading, readings
from liftgraph.inference.lifted.shards import short_term_name
from liftgraph.inference.tensor.fraction_length import check_fraction_length
from liftgraph.inference.tensor.memory import peak_bytes, rough_peak_bytes
from liftgraph.inference.tensor.operation_memory import FLOAT_BYTES
from liftgraph.inference.tensor.tensors import Powers, Root, Tensor, in_order
from liftgraph.model.answers.answer import Answer
from liftgraph.model.ground.names import is_count
from liftgraph.model.ground.table import MAX_ARGUMENTS
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.model.lifted.text import given_up_note
from liftgraph.model.lifted.variables import Place
from liftgraph.model.memory_limit import Planning, PlanningLimitError, beyond_limit
from liftgraph.model.notebook import Pictured
from liftgraph.model.plans import Operation, Progress
from liftgraph.model.query import EXPLANATION, KINDS, MARGINALS, Query

_ADVICE = "ask for single variables"
_HIGHEST_POWER = 2**49  # products of logarithms and exponents are exact up to this one
# The logarithm of a weight of b bits, as a pair of floats, is off by a small multiple of
# b · 2**-104: by less than 1e-8, and far less on what was measured.
_LONGEST_WEIGHT = 2**76

# Evidence, what is kept, the operators there are, and whether hidden variables are summed out.
Question = tuple[frozenset[tuple[Place, int]], tuple[Place, ...], tuple[str, ...], bool]
_COMPILED: Memo[Question, Compiled | MemoryLimitError] = Memo("compiled models", most=8)


@dataclass(frozen=True, repr=False)
class LiftedPlan(Pictured):
    """How lifted elimination will answer a query; ``str`` describes it.

    ``places``: the asked variables, by PRV and individuals. ``kept``: whether they are kept to
    the end; a single variable is read off its table instead, by a backward pass. ``tables``: that
    table, by shard. ``asked``: the roots that the answer depends on; the others only have to be
    possible, or add to the total weight. ``order``: the tensors of the asked roots, operands first.
    ``carry_out``: the function that does it.
    """

    model: ParfactorGraph
    query: Query
    places: tuple[Place, ...]
    kept: bool
    compiled: Compiled
    tables: Mapping[int, Reading]
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
        variables = zip(self.query.variables, self.places, strict=True)
        return [_name(self.model, variable, place) for variable, place in variables]

    @cached_property
    def peak_bytes(self) -> int:
        """A bound on the bytes that answering takes beyond the model."""
        kind = KINDS[self.query.kind]
        working = peak_bytes(
            self.order,
            self.asked,
            exact=self.query.exact,
            maximises=kind.maximises,
            keeping=self.backwards or kind.maximises or kind.draws,
            backwards=self.backwards,
        )
        others = self.others
        tensors = in_order([root.tensor for root in others])
        logarithms = peak_bytes(tensors, others, exact=False) if others else 0
        return working + self._answer_bytes + logarithms

    @cached_property
    def _answer_bytes(self) -> int:
        return answer_bytes(self.model, self.query, self.places, self.compiled, self.asked)

    @cached_property
    def others(self) -> list[Root]:
        """The roots that are computed besides: for a distribution only those that might be zero."""
        left_out = set(self.asked)
        if KINDS[self.query.kind].takes_variables:
            left_out |= self.compiled.possible
        return [root for root in self.compiled.roots if root not in left_out]

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
        whole = kind.of_all and not (kind.maximises or kind.draws)
        return whole or (kind.takes_variables and not self.kept)

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
            "model": f"{counted(self.model.variable_count, 'variable')} in"
            f" {counted(len(self.model.prvs), 'PRV')},"
            f" {counted(self.model.factor_count, 'factor')} in"
            f" {counted(len(self.model.parfactors), 'parfactor')}",
            **_lifting(self.model),
            **domain_rows(self.compiled),
            **step_rows(self.compiled),
            "largest": counted(largest, "entry"),
            "work": f"{counted(self.work, 'entry')} in {counted(len(self.operators), 'operation')}",
            "memory": f"at most {format_bytes(self.peak_bytes)}",
        }
        return "\n".join(
            ["lifted variable elimination", *(f"  {key:<10} {row}" for key, row in rows.items())]
        )


def _lifting(model: ParfactorGraph) -> dict[str, str]:
    given_up = 0 if model.origin is None else model.origin.given_up
    return _accuracy(model) | ({"given up": given_up_note(given_up)} if given_up else {})


def _name(model: ParfactorGraph, variable: str | int, place: Place) -> str:
    """The name of a variable that is asked for by name or index; no others are looked at."""
    if model.origin is None:
        return model.name(place)
    if not is_count(variable):
        return str(variable)
    names = model.origin.names
    return str(int(variable)) if names is None else names[int(variable)]


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
    decomposed = model if KINDS[query.kind].maximises else with_partial_maxima(model)
    _check_answer(model, query, places, memory_limit)
    planning = Planning(memory_limit)
    take_observations(planning, len(evidence), model.evidence.likelihoods.values())
    compiled = _compiled(model, decomposed, evidence, places if kept else (), planning)
    planning.take(compiled_bytes(compiled), f"the model has {len(model.parfactors):,} parfactors")
    shards = compiled.shattered.shards
    single = {shards.shard(place) for place in places if not kept}
    tables = readings(compiled, single) if single else {}
    asked = _asked(compiled, query, places, kept, tables)
    order = in_order([root.tensor for root in asked])
    check_powers(chain.from_iterable(compiled.orders.values()))
    check_fraction_length(query, max([root.tensor.bits for root in asked], default=0))
    plan = LiftedPlan(model, query, places, kept, compiled, tables, asked, order, carry_out)
    answer = plan._answer_bytes
    if answer > memory_limit:
        advice = _ADVICE + " in floats" * query.exact
        raise beyond_limit("the answer alone needs", answer, memory_limit, advice)
    others = in_order([root.tensor for root in plan.others])
    rough = rough_peak_bytes(order, query.exact) + rough_peak_bytes(others, exact=False)
    if answer + rough > planning.left and plan.peak_bytes > planning.left:
        raise _over_the_limit(plan, planning)
    return plan


def _check_answer(
    model: ParfactorGraph, query: Query, places: Sequence[Place], memory_limit: int
) -> None:
    """Refuse an answer that takes more bytes than the limit, before anything is planned."""
    needed = FLOAT_BYTES * prod([len(model.prvs[prv].states) for prv, _ in places])
    if query.kind in (MARGINALS.name, EXPLANATION.name):
        needed = listing_bytes(model.places)
    if needed > memory_limit:
        raise beyond_limit("the answer alone needs at least", needed, memory_limit, _ADVICE)


def _asked(
    compiled: Compiled,
    query: Query,
    places: Sequence[Place],
    kept: bool,
    tables: Mapping[int, Reading],
) -> tuple[Root, ...]:
    """The roots that an answer depends on."""
    if not KINDS[query.kind].takes_variables:
        return tuple(compiled.roots)
    shards = compiled.shattered.shards
    if kept:
        free = any(shards.shard(place) not in shards.observed for place in places)
        return tuple(compiled.roots[:1]) if free else ()
    return tuple(compiled.owner[reading.term.tensor] for reading in tables.values())


def check_powers(tensors: Iterable[Tensor]) -> None:
    """Refuse powers, and powers of powers, that pairs of floats cannot tell apart."""
    for tensor in tensors:
        if isinstance(tensor, Powers) and tensor.exponents.total >= _HIGHEST_POWER:
            power = format_count(tensor.exponents.total)
            raise ComputationError(
                f"a table would have to be raised to the power of {power},"
                f" expected less than {format_count(_HIGHEST_POWER)}"
            )
        if tensor.bits > _LONGEST_WEIGHT:
            raise ComputationError(
                f"weights would have up to {format_count(tensor.bits)} bits, expected at most"
                f" {format_count(_LONGEST_WEIGHT)}: floats cannot distinguish longer ones"
            )


def _compiled(
    model: ParfactorGraph,
    decomposed: ParfactorGraph,
    evidence: Evidence,
    kept: tuple[Place, ...],
    planning: Planning,
) -> Compiled:
    """The compiled model, remembered for further questions with the same evidence.

    ``decomposed``: the model, or the same with hidden variables.
    """

    def compiled() -> Compiled | MemoryLimitError:
        try:
            return compile_model(decomposed, evidence, kept, planning=planning)
        except PlanningLimitError:  # with another limit, it may not be refused
            raise
        except MemoryLimitError as refused:
            return refused

    operators = tuple([operator.name for operator in OPERATORS])
    question = frozenset(evidence.items()), kept, operators, decomposed is not model
    result = _COMPILED.get(model.cache, question, compiled)
    if isinstance(result, MemoryLimitError):
        error = MemoryLimitError(*result.args)
        error.needed = result.needed
        raise error
    return result


def _over_the_limit(plan: LiftedPlan, planning: Planning) -> MemoryLimitError:
    """Say how much is needed, and which table needs it."""
    compiled, shards = plan.compiled, plan.compiled.shattered.shards
    largest = max(plan.order, key=lambda tensor: tensor.entries, default=None)
    step = next((s for s in compiled.steps if largest in in_order([s.result.tensor])), None)
    entries = 0 if largest is None else largest.entries
    what = "" if step is None else f" over {short_term_name(shards, step.result)}"
    told = told_apart(shards, compiled.ground)
    reason = f"the largest table has {format_count(entries)} entries{what}; {told}"
    error = planning.beyond(plan.peak_bytes, reason)
    error.needed = plan.peak_bytes
    return error
