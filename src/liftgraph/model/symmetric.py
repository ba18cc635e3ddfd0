"""Lifting and colour passing as methods of models.

Models know nothing of symmetry: what lifts and colours them registers as answers to questions do
(``questions``). Only for the types of its methods, this module names what is above it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from liftgraph.errors import short_traceback
from liftgraph.model.answering import answer_to
from liftgraph.model.explaining import Explaining
from liftgraph.model.memory_limit import MEMORY_LIMIT, Bytes

if TYPE_CHECKING:
    from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
    from liftgraph.symmetry.colours.colouring import Algorithm, Colouring
    from liftgraph.symmetry.colours.initial import Integers


class Symmetric(Explaining):
    """A model that can be asked, and whose interchangeable variables and factors can be found.

    A lifted model is ground first.
    """

    __slots__ = ()

    @short_traceback
    def lift(
        self,
        algorithm: Algorithm = "alpha-acp",
        tolerance: object = None,
        engine: str = "auto",
        memory_limit: Bytes = MEMORY_LIMIT,
        device: str | None = None,
    ) -> ParfactorGraph:
        """The parametric factor graph of this model; ``liftgraph.lift`` explains the options."""
        model = answer_to("lift")(self, algorithm, tolerance, engine, memory_limit, device)
        return cast("ParfactorGraph", model)

    @short_traceback
    def colours(
        self,
        algorithm: Algorithm = "alpha-acp",
        tolerance: object = None,
        record: bool = False,
        initial: Integers | None = None,
        engine: str = "auto",
        device: str | None = None,
    ) -> Colouring:
        """Groups of variables and factors that colour passing does not tell apart.

        ``liftgraph.colour_passing`` explains the options.
        """
        options = algorithm, tolerance, record, initial, engine, device
        return cast("Colouring", answer_to("colours")(self, *options))
