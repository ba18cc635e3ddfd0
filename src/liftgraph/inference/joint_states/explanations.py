"""The most probable assignments of all variables: the plan, and the answer read off it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from liftgraph.display import counted, format_bytes
from liftgraph.errors import InputError, quoted
from liftgraph.inference.ground.reduction import impossible
from liftgraph.inference.ground.refusal import beyond_every_order
from liftgraph.inference.joint_states.best_few import BestFew, best_few
from liftgraph.inference.tensor.contraction_tree import BeyondMemoryError
from liftgraph.inference.tensor.elimination_order import Search
from liftgraph.inference.tensor.operation_memory import FLOAT_BYTES
from liftgraph.inference.tensor.tensors import Scope
from liftgraph.model.answers.explanations import Explanations, alike
from liftgraph.model.answers.weights import Assignment
from liftgraph.model.ground.names import is_count
from liftgraph.model.memory_limit import beyond_limit
from liftgraph.model.notebook import Pictured
from liftgraph.model.plans import Operation, Progress
from liftgraph.model.query import Query

_SHOWN = 3  # variables that a refusal names


class Ranking(Protocol):
    """How the largest products are found: in how many steps, how many are kept for the largest
    table, and how many are looked at."""

    @property
    def steps(self) -> int: ...

    @property
    def largest(self) -> int: ...

    @property
    def work(self) -> int: ...


@dataclass(frozen=True, repr=False)
class ExplanationsPlan(Pictured):
    """How the most probable assignments will be found.

    ``how``: the method, and how far off the log odds of its answer may be. ``rankings``: what is
    done, one after the other; ``peak_bytes``: a bound on the bytes that it takes beyond the model.
    ``carry_out``: the function that does it.
    """

    query: Query
    how: tuple[str, float]
    rankings: Sequence[Ranking]
    peak_bytes: int
    carry_out: Callable[[Progress], Explanations]

    @property
    def names(self) -> Sequence[str]:
        """No variables are asked for: the answer is about all of them."""
        return ()

    @property
    def method(self) -> str:
        """The name of the method."""
        return self.how[0]

    @property
    def work(self) -> int:
        """How many products are looked at."""
        return sum([ranking.work for ranking in self.rankings])

    @property
    def outline(self) -> list[Operation]:
        """No steps are listed."""
        return []

    def run(self, progress: Progress = lambda share: None) -> Explanations:
        """The answer."""
        return self.carry_out(progress)

    def __repr__(self) -> str:
        return self.text

    @property
    def text(self) -> str:
        """What will be done, in a few lines."""
        steps = counted(sum([ranking.steps for ranking in self.rankings]), "step")
        rows = {
            "numbers": "exact integers" if self.query.exact else "logarithms in floats",
            "kept": f"the {counted(self.query.best + 1, 'largest product')} of each entry",
            "largest": counted(max([ranking.largest for ranking in self.rankings]), "product"),
            "work": f"{counted(self.work, 'product')} in {steps}",
            "memory": f"at most {format_bytes(self.peak_bytes)}",
        }
        title = f"{counted(self.query.best, 'most probable assignment')}, {self.method}"
        return "\n".join([title, *(f"  {key:<10} {row}" for key, row in rows.items())])


def checked_best(best: object) -> int:
    """How many assignments are asked for; anything but a positive integer is refused."""
    if not is_count(best) or best < 1:
        raise InputError(f"expected how many of the best assignments to find, got {quoted(best)}")
    return int(best)


def fitting(
    scopes: Sequence[Scope],
    sizes: Sequence[int],
    bits: Sequence[int],
    query: Query,
    memory_limit: int,
    besides: int,
    name: Callable[[int], str],
    ranks: Sequence[int] = (),
) -> BestFew:
    """The plan for one assignment more than is asked for, which shows whether the last one is tied;
    refused if it needs more bytes than the limit, with those that it takes ``besides``.

    ``ranks``: how many each entry of a table has, if they are ranked already."""
    search = Search(memory_limit // FLOAT_BYTES)
    try:
        planned = best_few(scopes, sizes, bits, query.best + 1, search, ranks=ranks)
    except BeyondMemoryError as beyond:
        raise beyond_every_order(memory_limit, name(beyond.variable)) from None
    needed = planned.peak_bytes(query.exact) + besides
    if needed > memory_limit:
        scope = planned.tree.scopes[planned.largest_tensor]
        shown = [*map(name, scope[:_SHOWN]), *["…"] * (len(scope) > _SHOWN)]
        kept = counted(planned.largest, "product")
        reason = f"{kept} would be kept for the states of {', '.join(shown)}"
        raise beyond_limit("needs", needed, memory_limit, reason)
    return planned


def explanations(
    found: Iterable[tuple[Assignment, int]], best: int, how: tuple[str, float]
) -> Explanations:
    """The answer: the best of the assignments, each with the number of those that it stands for."""
    listed = sorted(found, key=lambda pair: pair[0].log_weight, reverse=True)
    if listed and listed[0][0].weight is not None:
        listed.sort(key=lambda pair: pair[0].weight or 0, reverse=True)
    if not listed:
        raise impossible()
    more_alike = len(listed) > best and alike(listed[best - 1][0], listed[best][0])
    assignments, counts = zip(*listed[:best], strict=True)
    return Explanations(assignments, counts, more_alike, *how)
