"""What the plan of an elimination consists of, ground or lifted, in one form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from liftgraph.inference.ground.plan import GroundPlan
from liftgraph.inference.lifted.operators import ALIGN, MULTIPLY, SUM_OUT
from liftgraph.inference.lifted.plan import LiftedPlan
from liftgraph.inference.lifted.shard_names import shard_name, term_name
from liftgraph.inference.lifted.shards import ShardIndex
from liftgraph.inference.lifted.terms import Term
from liftgraph.inference.tensor.contraction_tree import ContractionTree
from liftgraph.inference.tensor.sections import Section
from liftgraph.inference.tensor.tensors import Multinomials, Tensor
from liftgraph.plot.scenes.scene import Kind
from liftgraph.plot.text import shortened

_LISTED = 3  # variables of a table that are named
_USUAL = {MULTIPLY, SUM_OUT, ALIGN}  # operators that go without saying


@dataclass(frozen=True, slots=True)
class Operation:
    """Something that is made from other things, given by their numbers, or was there before.

    ``what``: how it is made; ``scope``: the table with its variables; ``entries``: of the same.
    ``taken``: operands that are told in words.
    """

    kind: Kind
    what: str
    scope: str = ""
    entries: int = 1
    operands: tuple[int, ...] = ()
    taken: str = ""


def operations(plan: GroundPlan | LiftedPlan) -> list[Operation]:
    """The tables a plan starts from, its steps and the answer, operands first.

    Multiplications that nothing is summed out of belong to the step they are for.
    """
    listed = _ground(plan) if isinstance(plan, GroundPlan) else _lifted(plan)
    used = {operand for each in listed for operand in each.operands}
    results = tuple(number for number in range(len(listed)) if number not in used)
    return [*listed, Operation("answer", answer(plan), operands=results)]


def sizes(plan: GroundPlan | LiftedPlan) -> tuple[int, list[int]]:
    """How many tables a plan starts from, and the entries of the result of each step."""
    if isinstance(plan, GroundPlan):
        return plan.section.tree.leaves, list(plan.section.tree.entries[plan.section.tree.leaves :])
    results = [step.result.tensor.entries for step in plan.compiled.steps]
    for section in plan.compiled.sections:
        results += section.tree.entries[section.tree.leaves :]
    return len(plan.compiled.shattered.terms), results


def without_tables(listed: Sequence[Operation]) -> list[Operation]:
    """The same with the given tables told in words where they are used."""
    kept = [number for number, each in enumerate(listed) if each.kind != "table"]
    place = {number: n for n, number in enumerate(kept)}
    made = []
    for number in kept:
        tables = [listed[o].scope or "a number" for o in listed[number].operands if o not in place]
        operands = tuple(place[o] for o in listed[number].operands if o in place)
        taken = f"with {_listed(tables)}" if tables else ""
        made.append(replace(listed[number], operands=operands, taken=taken))
    return made


def answer(plan: GroundPlan | LiftedPlan) -> str:
    """What a plan is for."""
    asked = ", ".join(map(shortened, _asked(plan)))
    told = {
        "marginal": f"P({asked})",
        "marginals": "all marginals",
        "partition": "the partition function",
        "explanation": "a most probable explanation",
    }
    return told[plan.query.kind]


def _asked(plan: GroundPlan | LiftedPlan) -> list[str]:
    """The names of the variables asked for, which may have been given by their numbers."""
    if isinstance(plan, GroundPlan):
        return [plan.graph.name(variable) for variable in plan.variables]
    return [plan.model.name(place) for place in plan.places]


def _ground(plan: GroundPlan) -> list[Operation]:
    def name(variable: int) -> str:
        return shortened(plan.name(variable), 16)

    listed: list[Operation] = []
    made: dict[int, tuple[int, ...]] = {}
    for number in range(plan.section.tree.leaves):
        scope = _table([name(variable) for variable in plan.section.tree.scopes[number]])
        made[number] = (len(listed),)
        listed.append(Operation("table", "", scope, plan.section.tree.entries[number]))
    _add_steps(listed, plan.section.tree, name, made)
    return listed


def _add_steps(
    listed: list[Operation],
    steps: ContractionTree,
    name: Callable[[int], str],
    made: dict[int, tuple[int, ...]],
) -> None:
    """Steps of plain elimination. ``made``: the operations that a given tensor is made by."""
    for number, step in enumerate(steps.steps, steps.leaves):
        operands = tuple(dict.fromkeys(each for one in step.operands for each in made[one]))
        if not step.eliminated and number != steps.root:
            made[number] = operands
            continue
        gone = _listed([name(variable) for variable in step.eliminated])
        scope = _table([name(variable) for variable in steps.scopes[number]])
        what = f"sum out {gone}" if gone else "multiply"
        made[number] = (len(listed),)
        listed.append(Operation("step", what, scope, steps.entries[number], operands))


def _lifted(plan: LiftedPlan) -> list[Operation]:
    shards = plan.compiled.shattered.shards
    listed: list[Operation] = []
    made: dict[int, int] = {}
    for term in plan.compiled.shattered.terms:
        scope = _term(shards, term)
        made.setdefault(id(term.tensor), len(listed))
        listed.append(Operation("table", "", scope, term.tensor.entries))
    for step in plan.compiled.steps:
        operands, extras = _traced(step.result.tensor, listed, made)
        gone = _listed([_cut(shard_name(shards, shard)) for shard in step.shards])
        what = ", ".join([*extras, f"sum out {gone}"] if gone else extras) or step.kind
        made[id(step.result.tensor)] = len(listed)
        entries = step.result.tensor.entries
        listed.append(Operation("step", what, _term(shards, step.result), entries, operands))
    for section in plan.compiled.sections:
        _add_section(listed, section, lambda shard: _cut(shard_name(shards, shard)), made)
    return listed


def _add_section(
    listed: list[Operation], section: Section, name: Callable[[int], str], made: dict[int, int]
) -> None:
    given = {}
    for number in range(section.tree.leaves):
        tensor = section.tensors[number]
        given[number], _ = _traced(tensor, listed, made, own=True)
    _add_steps(listed, section.tree, lambda label: name(section.variables[label]), given)


def _traced(
    tensor: Tensor, listed: list[Operation], made: dict[int, int], own: bool = False
) -> tuple[tuple[int, ...], list[str]]:
    """The operations that a tensor is made from, and the operators in between, last ones last.

    ``own``: the tensor may be the result of an operation itself. What was there before, such as
    multinomial coefficients, is listed when it is first met.
    """
    operands: dict[int, None] = {}
    operators: dict[str, None] = {}
    stack, seen = [tensor], set[int]()
    while stack:
        each = stack.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        if id(each) in made and (own or each is not tensor):
            operands[made[id(each)]] = None
        elif each.operands:
            operators[each.operator] = None
            stack.extend(each.operands)
        else:
            scope = "multinomials" if isinstance(each, Multinomials) else "1"
            made[id(each)] = len(listed)
            operands[len(listed)] = None
            listed.append(Operation("table", "", scope, each.entries))
    return tuple(sorted(operands)), [each for each in operators if each not in _USUAL][::-1]


def _listed(names: Sequence[str]) -> str:
    dots = [f"… ({len(names)})"] if len(names) > _LISTED else []
    return ", ".join([*names[:_LISTED], *dots])


def _table(names: Sequence[str]) -> str:
    return f"φ({_listed(names)})" if names else ""


def _term(shards: ShardIndex, term: Term) -> str:
    return f"φ({_cut(term_name(shards, term))})" if term.axes else ""


def _cut(name: str) -> str:
    return shortened(name, 34)
