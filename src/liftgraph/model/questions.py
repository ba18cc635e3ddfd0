"""Questions as methods of models.

This is the one place where models know of inference, which is loaded when it is first asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fractions import Fraction
    from typing import Unpack

    from liftgraph.inference.methods import Options, Plan
    from liftgraph.inference.query import Explanation, Marginal, Marginals, Partition

Given = Mapping[Any, Any]


class Questions:
    """What every model can be asked: the functions of the same names, with the model in front.

    ``given``: observed variables and their states; ``exact``: in fractions, not in floats.
    ``options``: ``method`` ("auto", "lifted", "ground"), ``memory_limit`` in bytes, and (but for
    ``probability``) a ``tolerance``, which a graph may be lifted with: answers then say how far off
    they may be.
    """

    __slots__ = ()

    def query(
        self: Any,
        *variables: str | int,
        given: Given | None = None,
        exact: bool = False,
        **options: Unpack[Options],
    ) -> Marginal:
        """The distribution of a variable, or the joint one of several."""
        from liftgraph.inference import answer

        return answer.query(self, *variables, given=given, exact=exact, **options)

    def probability(
        self: Any,
        event: Given,
        *,
        given: Given | None = None,
        exact: bool = False,
        **options: Unpack[Options],
    ) -> float | Fraction:
        """The probability that variables are in given states."""
        from liftgraph.inference import answer

        return answer.probability(self, event, given=given, exact=exact, **options)

    def marginals(
        self: Any, *, given: Given | None = None, exact: bool = False, **options: Unpack[Options]
    ) -> Marginals:
        """The distribution of every variable."""
        from liftgraph.inference import answer

        return answer.marginals(self, given=given, exact=exact, **options)

    def partition(
        self: Any, *, given: Given | None = None, exact: bool = False, **options: Unpack[Options]
    ) -> Partition:
        """The total weight of all assignments that agree with the evidence."""
        from liftgraph.inference import answer

        return answer.partition(self, given=given, exact=exact, **options)

    def mpe(
        self: Any, *, given: Given | None = None, exact: bool = False, **options: Unpack[Options]
    ) -> Explanation:
        """A most probable assignment of all variables."""
        from liftgraph.inference import answer

        return answer.mpe(self, given=given, exact=exact, **options)

    def explain(
        self: Any,
        *variables: str | int,
        given: Given | None = None,
        exact: bool = False,
        **options: Unpack[Options],
    ) -> Plan:
        """What a query will do and what it will cost; printing it tells."""
        from liftgraph.inference import answer

        return answer.explain(self, *variables, given=given, exact=exact, **options)
