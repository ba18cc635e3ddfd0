"""Questions as methods of models; ``answering`` finds the functions that answer them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import Parameter, cleandoc, signature
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypedDict, TypeVar, cast, overload

from liftgraph.errors import short_traceback
from liftgraph.model.answering import answer_to
from liftgraph.model.memory_limit import MEMORY_LIMIT

if TYPE_CHECKING:
    from fractions import Fraction
    from typing import Unpack

    from liftgraph.model.answers.marginal import Marginal
    from liftgraph.model.answers.marginals import Marginals
    from liftgraph.model.answers.relational import PRVMarginals
    from liftgraph.model.answers.sample import Sample
    from liftgraph.model.answers.trade_off import TradeOff
    from liftgraph.model.answers.weights import Partition
    from liftgraph.model.counts import Count, CountEvent, CountEvents
    from liftgraph.model.memory_limit import Bytes
    from liftgraph.model.plans import CompiledQuery, Plan

    Asked = str | int | Count | CountEvent

Given = Mapping[Any, Any]
SEARCH_SECONDS = 10.0  # of the longer search before a question is refused, at most


class Options(TypedDict, total=False):
    """How to answer a question. A method may declare further options.

    ``method``: "lifted", "ground", or "auto", which takes the cheaper one; or "torch", ground
    elimination on a ``device``, "cuda" or "cpu". ``memory_limit``: in bytes, or text such as
    "8GiB"; plans beyond it are refused, and so is planning that takes 16 MiB more. ``tolerance``:
    the one to lift a factor graph with. ``search_seconds``: after how long the search for a better
    order ends, counted from the question, before a plan is refused.
    ``do``: interventions, which the question comes after: variables and the states they are set to.
    """

    method: str
    memory_limit: Bytes
    tolerance: object
    search_seconds: float
    device: str
    do: Given | None


class PredictOptions(TypedDict, total=False):
    """How to predict the rows of a table; ``Questions.predict`` says what each means."""

    given: Given | None
    ignore: Sequence[str]
    impossible: Literal["refuse", "missing"]
    method: str
    memory_limit: Bytes
    progress: Callable[[float], None]


class LikelihoodOptions(TypedDict, total=False):
    """How to weigh the rows of a table; ``Questions.log_likelihood`` says what each means."""

    given: Given | None
    counts: str | None
    ignore: Sequence[str]
    by_row: bool
    memory_limit: Bytes
    progress: Callable[[float], None]


class TradeOffOptions(TypedDict, total=False):
    """What to compare tolerances on; ``Questions.trade_off`` says what each means."""

    variables: Sequence[str | int]
    given: Given | None
    memory_limit: Bytes


Frame = TypeVar("Frame")
Collected = TypeVar("Collected", covariant=True)


class Cursor(Protocol):
    """The rows of an SQL query, as DB-API 2.0 has them."""

    def fetchall(self) -> Any:
        """All rows."""


class Lazy(Protocol[Collected]):
    """A data frame that is not computed yet."""

    def collect(self) -> Collected:
        """The data frame."""


Question = TypeVar("Question", bound=Callable[..., Any])
_DEFAULTS = {"method": "auto", "memory_limit": MEMORY_LIMIT, "search_seconds": SEARCH_SECONDS}
_MEANINGS = """

Further options. ``do``: interventions that come before everything else, ``{variable: state}``.
``method``: "auto", "lifted", "ground" or "torch". ``tolerance``: the one to lift a graph with.
``memory_limit``: in bytes; a plan that needs more is refused. ``search_seconds``: how long to look
for a better plan before it is refused. ``device``: where the method torch computes.
"""


def with_options(question: Question) -> Question:
    """A question whose signature and docstring name its ``Options``, for ``help`` and editors."""
    own = signature(question)
    kept = [p for p in own.parameters.values() if p.kind is not Parameter.VAR_KEYWORD]
    options = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=_DEFAULTS.get(name), annotation=kind)
        for name, kind in ((n, kind.__forward_arg__) for n, kind in Options.__annotations__.items())
    ]
    question.__signature__ = own.replace(parameters=[*kept, *options])  # type: ignore[attr-defined]
    question.__doc__ = cleandoc(question.__doc__ or "") + _MEANINGS
    return question


class Questions:
    """What every model can be asked; each question is a method.

    ``given``: observed variables and their states, or counts (``liftgraph.count``) and their
    numbers, ranges or events. Variables are named, or given by their index. States are named; truth
    values and integers stand for their text. Numbers for all states, in a list or by state, are a
    likelihood: a factor of the variable. ``exact``: in fractions, not in floats.
    ``options``: ``method`` ("lifted", "ground", or "auto", which lifts unless that compresses
    nothing or costs more), ``memory_limit`` in bytes (a plan that needs more is refused
    beforehand), ``search_seconds`` (how long to look for a better plan before it is refused), and
    a ``tolerance``: how far, relatively, tables may be from those of their group when a factor
    graph is lifted. Answers then say how far off they may be. ``do``: interventions, in models with
    directions: variables and the states they are set to, before anything is given (``model.do``).
    """

    __slots__ = ()

    if not TYPE_CHECKING:  # type checkers know the names below, and no others

        def __getattr__(self, name: str) -> Any:
            from liftgraph.model.elsewhere import missing

            raise missing(self, name)

    @short_traceback
    def ask(self, question: str, *arguments: Any, **options: Any) -> Any:
        """The answer to any registered question, by its name: the ones below, and others."""
        from liftgraph.model.options import check_options  # which loads more than a start should

        answer = answer_to(question)
        check_options(answer, options)
        return answer(self, *arguments, **options)

    @short_traceback
    @with_options
    def query(
        self,
        *variables: Asked,
        given: Given | None = None,
        exact: bool = False,
        **options: Unpack[Options],
    ) -> Marginal:
        """The distribution of a variable, or the joint one of several, given evidence.

        >>> from liftgraph import FactorGraphBuilder
        >>> builder = FactorGraphBuilder()
        >>> _ = builder.add_variables(["Epid", "Sick"])
        >>> _ = builder.add_factor(("Sick", "Epid"), [[3, 1], [1, 5]])
        >>> builder.build().query("Sick", given={"Epid": True}, exact=True)
        P(Sick)
          true   0.75       ██████████████████████  3/4
          false  0.25       ████████  1/4
        """
        answer = answer_to("query")(self, *variables, given=given, exact=exact, **options)
        return cast("Marginal", answer)

    @short_traceback
    @with_options
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

    @short_traceback
    @with_options
    def probability(
        self,
        event: Given | CountEvent | CountEvents,
        *,
        given: Given | None = None,
        exact: bool = False,
        **options: Unpack[Options],
    ) -> float | Fraction:
        """The probability that variables are in given states, and counts in given ranges.

        Of a model lifted within a tolerance it is an ``Inexact`` number, which has ``bounds``;
        ``exact`` is then refused.

        >>> from liftgraph import LogVar, ParfactorGraph, parfactor, prv
        >>> coin = prv("Coin", LogVar("X", 3), states=["heads", "tails"])
        >>> fair = ParfactorGraph.of([parfactor([coin], [1, 1])])
        >>> fair.probability({"Coin.1": "heads", "Coin.2": "tails"}, exact=True)
        Fraction(1, 4)
        """
        answer = answer_to("probability")(self, event, given=given, exact=exact, **options)
        return cast("float | Fraction", answer)

    @overload
    def marginals(
        self, *, given: Given | None = None, exact: bool = False, **options: Unpack[Options]
    ) -> Marginals: ...
    @overload
    def marginals(
        self, prv: str, *, given: Given | None = ..., exact: bool = ..., **options: Unpack[Options]
    ) -> PRVMarginals: ...
    @short_traceback
    @with_options
    def marginals(
        self,
        prv: str | None = None,
        *,
        given: Given | None = None,
        exact: bool = False,
        **options: Any,
    ) -> Marginals | PRVMarginals:
        """The distribution of every variable given evidence, at the cost of a few queries.

        ``prv``: a PRV; then only its variables, in a table with a column for each logvar.
        """
        options |= {"given": given, "exact": exact}
        if prv is None:
            return cast("Marginals", answer_to("marginals")(self, **options))
        return cast("PRVMarginals", answer_to("marginals_of_prv")(self, prv, **options))

    @short_traceback
    @with_options
    def partition(
        self, *, given: Given | None = None, exact: bool = False, **options: Unpack[Options]
    ) -> Partition:
        """The total weight of all assignments that agree with the evidence: Z and its logarithm."""
        answer = answer_to("partition")(self, given=given, exact=exact, **options)
        return cast("Partition", answer)

    @short_traceback
    @with_options
    def sample(
        self,
        count: int = 1,
        *,
        seed: int | None = None,
        given: Given | None = None,
        exact: bool = False,
        **options: Unpack[Options],
    ) -> Sample:
        """Independent assignments of all variables, each drawn with its probability given evidence.

        ``seed``: a non-negative integer that determines the sample, with the model, the evidence
        and the method; without one it is new, and the sample names it. ``exact``: probabilities
        are compared with random integers, exactly, and not rounded to floats.

        >>> from liftgraph import LogVar, ParfactorGraph, parfactor, prv
        >>> coin = prv("Coin", LogVar("X", 1000), states=["heads", "tails"])
        >>> fair = ParfactorGraph.of([parfactor([coin], [1, 1])])
        >>> counts = fair.sample(10, seed=1).counts("Coin")
        >>> (counts["heads"] + counts["tails"]).tolist() == [1000] * 10
        True
        """
        answer = answer_to("sample")(self, count, seed=seed, given=given, exact=exact, **options)
        return cast("Sample", answer)

    @overload
    def predict(
        self,
        table: Mapping[str, Any] | Cursor,
        *variables: str | int,
        **options: Unpack[PredictOptions],
    ) -> dict[str, list[Any]]: ...
    @overload
    def predict(
        self,
        table: Sequence[Mapping[str, Any]],
        *variables: str | int,
        **options: Unpack[PredictOptions],
    ) -> list[dict[str, Any]]: ...
    @overload
    def predict(
        self, table: Lazy[Frame], *variables: str | int, **options: Unpack[PredictOptions]
    ) -> Frame: ...
    @overload
    def predict(
        self, table: Frame, *variables: str | int, **options: Unpack[PredictOptions]
    ) -> Frame: ...
    @short_traceback
    def predict(self, table: Any, *variables: str | int, **options: Unpack[PredictOptions]) -> Any:
        """The distributions of variables in each row of a table, given the values in the row.

        ``table``: a data frame of any library, a mapping of columns, rows as mappings, or an SQL
        cursor. A column observes the variable of its name; None and NaN mean that a row does not
        observe it. Values of a variable that is asked for are no evidence: predictions are
        compared with them.

        The answer is a table of the same kind with the same rows (and the same index, in pandas).
        For each variable it has a column with its name, the most probable state, and for each state
        a column with its probability, such as ``P(Sick=true)``; then, if the table has values of
        the variable, a column with these, such as ``Sick observed``. Several variables are
        predicted each for itself: these are not joint distributions.

        ``options``: ``given``, evidence that all rows share; ``ignore``, columns that are no
        evidence (all others must be variables); ``impossible``, what to do with rows that no
        assignment agrees with: "refuse" the table, naming the first such row, or leave their
        answers "missing"; ``method``, an exact one; ``memory_limit`` in bytes; and ``progress``,
        which is called with the share of the work done so far.

        >>> from liftgraph import FactorGraphBuilder
        >>> builder = FactorGraphBuilder()
        >>> _ = builder.add_variables(["Epid", "Sick"])
        >>> _ = builder.add_factor(("Sick", "Epid"), [[3, 1], [1, 5]])
        >>> builder.build().predict({"Epid": ["true", None]}, "Sick")
        {'Sick': ['true', 'false'], 'P(Sick=true)': [0.75, 0.4], 'P(Sick=false)': [0.25, 0.6]}
        """
        return self.ask("predict", table, *variables, **options)

    @short_traceback
    def log_likelihood(self, table: Any, **options: Unpack[LikelihoodOptions]) -> Any:
        """The natural logarithm of the probability of a table's rows; what they lack is summed out.

        ``table``: as for ``predict``: a column observes the variable of its name. A row that is not
        possible has -inf, and so has a table with such a row.

        ``options``: ``given``, evidence that all rows share: probabilities are given this evidence,
        and that of the model; ``counts``, a column that says how often each row was observed;
        ``ignore``, columns that observe nothing; ``by_row``, an array with the logarithm of each
        row, float64 (rows,), in place of their sum; ``memory_limit`` in bytes; and ``progress``,
        which is called with the share of the work done so far.

        >>> from liftgraph import FactorGraphBuilder
        >>> builder = FactorGraphBuilder()
        >>> _ = builder.add_variables(["Epid", "Sick"])
        >>> _ = builder.add_factor(("Sick", "Epid"), [[3, 1], [1, 5]])
        >>> rows = {"Epid": ["true", None], "Sick": ["true", "true"]}
        >>> round(builder.build().log_likelihood(rows), 6)  # log 3/10 + log 4/10
        -2.120264
        """
        return self.ask("log_likelihood", table, **options)

    @short_traceback
    def trade_off(
        self, tolerances: Sequence[object] | None = None, **options: Unpack[TradeOffOptions]
    ) -> TradeOff:
        """How small lifted models get with each tolerance, and how far off answers may then be.

        Only factor graphs can be asked this. ``options``: ``variables``, those whose distributions
        are compared with those of this graph; for all others the bound holds: no event's log odds
        are off by more. ``given`` and ``memory_limit``: as in ``query``.

        >>> from liftgraph import datasets
        >>> graph = datasets.perturbed(datasets.epid(8).ground(), "0.01")
        >>> [(str(choice.tolerance), choice.prvs) for choice in graph.trade_off(["0", "0.05"])]
        [('0', 41), ('1/20', 4)]
        """
        tried = () if tolerances is None else (tolerances,)
        return cast("TradeOff", self.ask("trade_off", *tried, **options))

    @short_traceback
    @with_options
    def explain(
        self,
        *variables: Asked,
        question: str | None = None,
        given: Given | None = None,
        exact: bool = False,
        best: int | None = None,
        **options: Unpack[Options],
    ) -> Plan:
        """The plan of a question: print it to read what it will do and cost, ``run()`` it to ask.

        ``question``: the name of the method that asks it: "query" (the default if there are
        variables), "partition" (otherwise), "marginals", "map" or "mpe", which also takes ``best``.
        """
        asked = {"question": question, "given": given, "exact": exact, "best": best}
        return cast("Plan", answer_to("explain")(self, *variables, **asked, **options))
