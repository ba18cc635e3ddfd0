"""Questions for what is most probable, as methods of models."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast, overload

from liftgraph.errors import short_traceback
from liftgraph.model.answering import answer_to
from liftgraph.model.questions import Questions, with_options

if TYPE_CHECKING:
    from typing import Unpack

    from liftgraph.model.answers.explanations import Explanations
    from liftgraph.model.answers.joint_states import JointState
    from liftgraph.model.answers.weights import Assignment
    from liftgraph.model.questions import Given, Options


class Explaining(Questions):
    """What every model can be asked about its most probable states.

    The options are those of the other questions.
    """

    __slots__ = ()

    @overload
    def mpe(
        self,
        *,
        given: Given | None = None,
        exact: bool = False,
        best: None = None,
        **options: Unpack[Options],
    ) -> Assignment: ...
    @overload
    def mpe(
        self,
        *,
        given: Given | None = None,
        exact: bool = False,
        best: int,
        **options: Unpack[Options],
    ) -> Explanations: ...
    @short_traceback
    @with_options
    def mpe(
        self,
        *,
        given: Given | None = None,
        exact: bool = False,
        best: int | None = None,
        **options: Unpack[Options],
    ) -> Assignment | Explanations:
        """A most probable assignment of all variables given evidence, or the ``best`` few.

        Of a lifted model, each of the best few stands for all assignments that exchanging
        individuals makes of it, and says how many these are (``method="ground"`` lists single
        ones). Without ``exact``, weights that floats cannot tell apart count as equal.

        >>> from liftgraph import FactorGraphBuilder
        >>> builder = FactorGraphBuilder()
        >>> _ = builder.add_variables(["Epid", "Sick"])
        >>> _ = builder.add_factor(("Sick", "Epid"), [[3, 1], [1, 5]])
        >>> builder.build().mpe(best=3, exact=True)
        3 most probable assignments; further ones are as probable as the last
                      1        2        3
          Epid        false    true     true
          Sick        false    true     false
          log weight  1.60944  1.09861  0
          weight      5        3        1
        """
        chosen = {} if best is None else {"best": best}
        return answer_to("mpe")(self, given=given, exact=exact, **chosen, **options)  # type: ignore[no-any-return]

    @short_traceback
    @with_options
    def map(
        self,
        *variables: str | int,
        given: Given | None = None,
        exact: bool = False,
        **options: Unpack[Options],
    ) -> JointState:
        """A most probable joint state of some variables, all others summed out (marginal MAP).

        Of a lifted model, the name of a PRV stands for all of its variables. The answer also has
        the state's probability given the evidence. Without ``exact``, weights that floats cannot
        tell apart count as equal.

        >>> from liftgraph import FactorGraphBuilder
        >>> builder = FactorGraphBuilder()
        >>> _ = builder.add_variables(["Epid", "Sick"])
        >>> _ = builder.add_factor(("Sick", "Epid"), [[3, 2], [0, 4]])
        >>> builder.build().map("Sick", exact=True)
        most probable joint state, probability = 0.555556 = 5/9
          Sick  true
        """
        answer = answer_to("map")(self, *variables, given=given, exact=exact, **options)
        return cast("JointState", answer)
