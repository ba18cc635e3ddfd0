"""Questions as methods of models.

Models do not know inference. The packages that answer questions register here (``register``), and
are loaded when a question is first asked (``answered_by``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypedDict, cast

from liftgraph.errors import InputError, quoted

if TYPE_CHECKING:
    from fractions import Fraction
    from typing import Unpack

    from liftgraph.model.answers.marginal import Marginal
    from liftgraph.model.answers.marginals import Marginals
    from liftgraph.model.answers.weights import Explanation, Partition
    from liftgraph.model.counts import Count, CountEvent
    from liftgraph.model.plans import CompiledQuery, Plan

    Asked = str | int | Count

Given = Mapping[Any, Any]


class Options(TypedDict, total=False):
    """How to answer a question. A method may declare further options.

    ``method``: "lifted", "ground", or "auto", which takes the cheaper one. ``memory_limit``: in
    bytes; plans beyond it are refused. ``tolerance``: the one to lift a factor graph with.
    ``search_seconds``: how long to look for a better order before a plan is refused, at most.
    """

    method: str
    memory_limit: int
    tolerance: object
    search_seconds: float


_ANSWERS: dict[str, Callable[..., Any]] = {}
_LOADERS: list[tuple[Callable[[], object], tuple[str, ...]]] = []


def answered_by(load: Callable[[], object], *only: str) -> None:
    """Name the module that answers questions; it is loaded when the first one is asked.

    ``only``: the questions that it answers, if it need not be loaded for others.
    """
    _LOADERS.append((load, only))


def register(**answers: Callable[..., Any]) -> None:
    """Register functions that answer questions, by name; the model is their first argument."""
    _ANSWERS.update(answers)


def answer_to(question: str) -> Callable[..., Any]:
    """The function that answers a question; the model is its first argument."""
    if not isinstance(question, str):
        raise InputError(f"expected the name of a question, got {quoted(question)}")
    for load, only in _LOADERS:
        if question not in _ANSWERS and (not only or question in only):
            load()  # importing again does nothing, and waits for another thread's import
    if question not in _ANSWERS:
        raise InputError(f"expected a question ({', '.join(sorted(_ANSWERS))}), got {question}")
    return _ANSWERS[question]


class Questions:
    """What every model can be asked.

    ``given``: observed variables and their states, or counts (``liftgraph.count``) and their
    numbers; ``exact``: in fractions, not in floats.
    ``options``: ``method`` ("auto", "lifted", "ground"), ``memory_limit`` in bytes, and (except for
    ``probability``) a ``tolerance`` with which a graph may be lifted: answers then say how far off
    they may be.
    """

    __slots__ = ()

    def ask(self, question: str, *arguments: Any, **options: Any) -> Any:
        """The answer to any registered question, by its name: those below, and others."""
        return answer_to(question)(self, *arguments, **options)

    def query(
        self,
        *variables: Asked,
        given: Given | None = None,
        exact: bool = False,
        **options: Unpack[Options],
    ) -> Marginal:
        """The distribution of a variable, or the joint one of several."""
        answer = answer_to("query")(self, *variables, given=given, exact=exact, **options)
        return cast("Marginal", answer)

    def compile(
        self,
        *variables: str | int,
        given: Iterable[str | int] = (),
        exact: bool = False,
        **options: Unpack[Options],
    ) -> CompiledQuery:
        """The same query for many states of the ``given`` variables: call it with them.

        It is planned once, and each call only computes what the states change. This works for
        factor graphs, by ground elimination.
        """
        compiled = answer_to("compile")(self, *variables, given=given, exact=exact, **options)
        return cast("CompiledQuery", compiled)

    def probability(
        self,
        event: Given | CountEvent,
        *,
        given: Given | None = None,
        exact: bool = False,
        **options: Unpack[Options],
    ) -> float | Fraction:
        """The probability that variables are in given states, and counts in given ranges."""
        answer = answer_to("probability")(self, event, given=given, exact=exact, **options)
        return cast("float | Fraction", answer)

    def marginals(
        self, *, given: Given | None = None, exact: bool = False, **options: Unpack[Options]
    ) -> Marginals:
        """The distribution of every variable."""
        answer = answer_to("marginals")(self, given=given, exact=exact, **options)
        return cast("Marginals", answer)

    def partition(
        self, *, given: Given | None = None, exact: bool = False, **options: Unpack[Options]
    ) -> Partition:
        """The total weight of all assignments that agree with the evidence."""
        answer = answer_to("partition")(self, given=given, exact=exact, **options)
        return cast("Partition", answer)

    def mpe(
        self, *, given: Given | None = None, exact: bool = False, **options: Unpack[Options]
    ) -> Explanation:
        """A most probable assignment of all variables."""
        answer = answer_to("mpe")(self, given=given, exact=exact, **options)
        return cast("Explanation", answer)

    def predict(self, table: Any, *variables: str | int, **options: Any) -> Any:
        """The distributions of variables in each row of a table, given the values in the row.

        ``liftgraph.predict`` describes the tables and the options.
        """
        return answer_to("predict")(self, table, *variables, **options)

    def explain(
        self,
        *variables: Asked,
        given: Given | None = None,
        exact: bool = False,
        **options: Unpack[Options],
    ) -> Plan:
        """What a query will do and what it will cost; print the result to read it."""
        plan = answer_to("explain")(self, *variables, given=given, exact=exact, **options)
        return cast("Plan", plan)
