"""Questions as methods of models.

Models know no inference. Whatever answers a question registers itself here (``register``), and is
loaded when a question is first asked (``answered_by``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypedDict, cast

from liftgraph.errors import InputError

if TYPE_CHECKING:
    from fractions import Fraction
    from typing import Unpack

    from liftgraph.model.answers.marginal import Marginal
    from liftgraph.model.answers.marginals import Marginals
    from liftgraph.model.answers.weights import Explanation, Partition
    from liftgraph.model.plans import Plan

Given = Mapping[Any, Any]


class Options(TypedDict, total=False):
    """How a question is to be answered. A method may declare further options.

    ``method``: "lifted", "ground", or whichever is cheaper: "auto". ``memory_limit``: in bytes;
    plans beyond it are refused. ``tolerance``: what a factor graph may be lifted with.
    """

    method: str
    memory_limit: int
    tolerance: object


_ANSWERS: dict[str, Callable[..., Any]] = {}
_LOADERS: list[Callable[[], object]] = []


def answered_by(load: Callable[[], object]) -> None:
    """Load what answers questions when the first one is asked."""
    _LOADERS.append(load)


def register(**answers: Callable[..., Any]) -> None:
    """Answer questions, by their names, with functions that take the model first."""
    _ANSWERS.update(answers)


def _answer(question: str) -> Callable[..., Any]:
    while question not in _ANSWERS and _LOADERS:
        _LOADERS.pop(0)()
    if question not in _ANSWERS:
        raise InputError(f"expected a question ({', '.join(sorted(_ANSWERS))}), got {question}")
    return _ANSWERS[question]


class Questions:
    """What every model can be asked.

    ``given``: observed variables and their states; ``exact``: in fractions, not in floats.
    ``options``: ``method`` ("auto", "lifted", "ground"), ``memory_limit`` in bytes, and (but for
    ``probability``) a ``tolerance``, which a graph may be lifted with: answers then say how far off
    they may be.
    """

    __slots__ = ()

    def ask(self, question: str, *arguments: Any, **options: Any) -> Any:
        """The answer to any registered question, by its name: those below, and others."""
        return _answer(question)(self, *arguments, **options)

    def query(
        self,
        *variables: str | int,
        given: Given | None = None,
        exact: bool = False,
        **options: Unpack[Options],
    ) -> Marginal:
        """The distribution of a variable, or the joint one of several."""
        answer = _answer("query")(self, *variables, given=given, exact=exact, **options)
        return cast("Marginal", answer)

    def probability(
        self,
        event: Given,
        *,
        given: Given | None = None,
        exact: bool = False,
        **options: Unpack[Options],
    ) -> float | Fraction:
        """The probability that variables are in given states."""
        answer = _answer("probability")(self, event, given=given, exact=exact, **options)
        return cast("float | Fraction", answer)

    def marginals(
        self, *, given: Given | None = None, exact: bool = False, **options: Unpack[Options]
    ) -> Marginals:
        """The distribution of every variable."""
        answer = _answer("marginals")(self, given=given, exact=exact, **options)
        return cast("Marginals", answer)

    def partition(
        self, *, given: Given | None = None, exact: bool = False, **options: Unpack[Options]
    ) -> Partition:
        """The total weight of all assignments that agree with the evidence."""
        answer = _answer("partition")(self, given=given, exact=exact, **options)
        return cast("Partition", answer)

    def mpe(
        self, *, given: Given | None = None, exact: bool = False, **options: Unpack[Options]
    ) -> Explanation:
        """A most probable assignment of all variables."""
        answer = _answer("mpe")(self, given=given, exact=exact, **options)
        return cast("Explanation", answer)

    def explain(
        self,
        *variables: str | int,
        given: Given | None = None,
        exact: bool = False,
        **options: Unpack[Options],
    ) -> Plan:
        """What a query will do and what it will cost; printing it tells."""
        plan = _answer("explain")(self, *variables, given=given, exact=exact, **options)
        return cast("Plan", plan)
