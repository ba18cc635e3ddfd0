"""Exact probabilistic inference that exploits symmetry.

The public names are loaded when they are first used, so that importing the library is fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from liftgraph.model import answering, notebook

if TYPE_CHECKING:
    from liftgraph import datasets
    from liftgraph.adapters.frames import from_frames, to_frames
    from liftgraph.adapters.networkx import from_networkx, to_networkx
    from liftgraph.adapters.pgmpy import from_pgmpy, to_pgmpy
    from liftgraph.adapters.pgmpy_dynamic import dynamic_from_pgmpy
    from liftgraph.adapters.pyagrum import from_pyagrum, to_pyagrum
    from liftgraph.data.daily import daily_observations
    from liftgraph.data.learning.em import EM
    from liftgraph.data.learning.learn import learn, learn_bayesian_network
    from liftgraph.data.learning.priors import BDeu
    from liftgraph.data.learning.sources import Source
    from liftgraph.data.templates.rules import relation, rule
    from liftgraph.data.templates.template import Template
    from liftgraph.distributed.on_spark import colour_on_spark
    from liftgraph.distributed.results import lift_on_disk
    from liftgraph.errors import (
        ComputationError,
        InputError,
        InputWarning,
        LiftgraphError,
        MemoryLimitError,
        ParseError,
        ZeroWeightError,
    )
    from liftgraph.io import read, read_graph, write
    from liftgraph.io.json.quotients import read_quotient, write_quotient
    from liftgraph.model.answers.explanations import Explanations
    from liftgraph.model.answers.inexact import Inexact
    from liftgraph.model.answers.joint_states import JointState
    from liftgraph.model.answers.marginal import Marginal
    from liftgraph.model.answers.marginals import Marginals
    from liftgraph.model.answers.sample import Sample
    from liftgraph.model.answers.weights import Assignment, Partition
    from liftgraph.model.counts import count
    from liftgraph.model.dynamic.dynamic import Dynamic, after
    from liftgraph.model.ground.builder import FactorGraphBuilder
    from liftgraph.model.ground.count_factors import at_least, at_most, exactly, exactly_one
    from liftgraph.model.ground.factor_graph import FactorGraph
    from liftgraph.model.ground.table import Table
    from liftgraph.model.latex import latex
    from liftgraph.model.lifted.builder import crv, parfactor, prv
    from liftgraph.model.lifted.logvars import Domain, LogVar, different, unordered
    from liftgraph.model.lifted.parfactor import CRV, PRV, Parfactor
    from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
    from liftgraph.plot.draw import draw, draw_rounds
    from liftgraph.plot.picture import Picture
    from liftgraph.symmetry.colours.colour_passing import colour_passing
    from liftgraph.symmetry.colours.colouring import Colouring
    from liftgraph.symmetry.colours.quotient import Quotient, quotient
    from liftgraph.symmetry.lifting.dynamic import lift_dynamic
    from liftgraph.symmetry.lifting.lift import lift
    from liftgraph.symmetry.tables.buckets import buckets
    from liftgraph.symmetry.tables.commutative import commutative_sets
    from liftgraph.symmetry.tables.exchangeable import cosine_distance, find_alignment

__version__ = "0.1.0"

__all__ = [
    "CRV",
    "EM",
    "PRV",
    "Assignment",
    "BDeu",
    "Colouring",
    "ComputationError",
    "Domain",
    "Dynamic",
    "Explanations",
    "FactorGraph",
    "FactorGraphBuilder",
    "Inexact",
    "InputError",
    "InputWarning",
    "JointState",
    "LiftgraphError",
    "LogVar",
    "Marginal",
    "Marginals",
    "MemoryLimitError",
    "Parfactor",
    "ParfactorGraph",
    "ParseError",
    "Partition",
    "Picture",
    "Quotient",
    "Sample",
    "Source",
    "Table",
    "Template",
    "ZeroWeightError",
    "after",
    "at_least",
    "at_most",
    "buckets",
    "colour_on_spark",
    "colour_passing",
    "commutative_sets",
    "cosine_distance",
    "count",
    "crv",
    "daily_observations",
    "datasets",
    "different",
    "draw",
    "draw_rounds",
    "dynamic_from_pgmpy",
    "exactly",
    "exactly_one",
    "find_alignment",
    "from_frames",
    "from_networkx",
    "from_pgmpy",
    "from_pyagrum",
    "latex",
    "learn",
    "learn_bayesian_network",
    "lift",
    "lift_dynamic",
    "lift_on_disk",
    "parfactor",
    "prv",
    "quotient",
    "read",
    "read_graph",
    "read_quotient",
    "relation",
    "rule",
    "to_frames",
    "to_networkx",
    "to_pgmpy",
    "to_pyagrum",
    "unordered",
    "write",
    "write_quotient",
]

_HOME = {
    "daily_observations": "data.daily",
    **dict.fromkeys(["learn", "learn_bayesian_network"], "data.learning.learn"),
    "EM": "data.learning.em",
    "BDeu": "data.learning.priors",
    "Source": "data.learning.sources",
    "Template": "data.templates.template",
    **dict.fromkeys(["relation", "rule"], "data.templates.rules"),
    **dict.fromkeys(["from_frames", "to_frames"], "adapters.frames"),
    **dict.fromkeys(["from_networkx", "to_networkx"], "adapters.networkx"),
    **dict.fromkeys(["from_pgmpy", "to_pgmpy"], "adapters.pgmpy"),
    "dynamic_from_pgmpy": "adapters.pgmpy_dynamic",
    **dict.fromkeys(["from_pyagrum", "to_pyagrum"], "adapters.pyagrum"),
    **dict.fromkeys(["ComputationError", "InputError", "InputWarning", "LiftgraphError"], "errors"),
    **dict.fromkeys(["MemoryLimitError", "ParseError", "ZeroWeightError"], "errors"),
    "Explanations": "model.answers.explanations",
    "Inexact": "model.answers.inexact",
    "JointState": "model.answers.joint_states",
    "Marginal": "model.answers.marginal",
    "Marginals": "model.answers.marginals",
    **dict.fromkeys(["Assignment", "Partition"], "model.answers.weights"),
    "Sample": "model.answers.sample",
    **dict.fromkeys(["read", "read_graph", "write"], "io"),
    **dict.fromkeys(["read_quotient", "write_quotient"], "io.json.quotients"),
    "count": "model.counts",
    **dict.fromkeys(["Dynamic", "after"], "model.dynamic.dynamic"),
    "FactorGraphBuilder": "model.ground.builder",
    "FactorGraph": "model.ground.factor_graph",
    **dict.fromkeys(
        ["at_least", "at_most", "exactly", "exactly_one"], "model.ground.count_factors"
    ),
    **dict.fromkeys(["Domain", "LogVar", "different", "unordered"], "model.lifted.logvars"),
    **dict.fromkeys(["CRV", "PRV", "Parfactor"], "model.lifted.parfactor"),
    **dict.fromkeys(["crv", "parfactor", "prv"], "model.lifted.builder"),
    "ParfactorGraph": "model.lifted.parfactor_graph",
    "Table": "model.ground.table",
    "latex": "model.latex",
    **dict.fromkeys(["draw", "draw_rounds"], "plot.draw"),
    "Picture": "plot.picture",
    "colour_on_spark": "distributed.on_spark",
    "lift_on_disk": "distributed.results",
    "colour_passing": "symmetry.colours.colour_passing",
    "Colouring": "symmetry.colours.colouring",
    **dict.fromkeys(["Quotient", "quotient"], "symmetry.colours.quotient"),
    "buckets": "symmetry.tables.buckets",
    "commutative_sets": "symmetry.tables.commutative",
    **dict.fromkeys(["cosine_distance", "find_alignment"], "symmetry.tables.exchangeable"),
    "lift": "symmetry.lifting.lift",
    "lift_dynamic": "symmetry.lifting.dynamic",
}
_PARTS = ("datasets",)

# Models know nothing of symmetry, inference and pictures; these register when they are loaded.
answering.answered_by(lambda: import_module(f"{__name__}.symmetry.lifting.lift"), "lift", "colours")
answering.answered_by(lambda: import_module(f"{__name__}.inference.answer"))
answering.answered_by(lambda: import_module(f"{__name__}.inference.sample"), "sample")
answering.answered_by(lambda: import_module(f"{__name__}.inference.explain"), "explain")
answering.answered_by(lambda: import_module(f"{__name__}.inference.trade_off"))
answering.answered_by(lambda: import_module(f"{__name__}.inference.dynamic.answers"))
answering.answered_by(lambda: import_module(f"{__name__}.data.prediction.predict"))
answering.answered_by(
    lambda: import_module(f"{__name__}.data.prediction.likelihood"), "log_likelihood"
)
notebook.drawn_by(lambda: import_module(f"{__name__}.plot.draw"))

if not TYPE_CHECKING:  # type checkers know the names above, and no others

    def __getattr__(name: str) -> Any:
        """Load a public name from its module, once."""
        if name in _PARTS:
            return import_module(f"{__name__}.{name}")
        if name not in _HOME:
            asking = import_module(f"{__name__}.model.explaining").Explaining
            is_question = not name.startswith("_") and hasattr(asking, name)
            hint = f": ask a model, as in model.{name}(…)" * is_question
            hint = hint or import_module(f"{__name__}.model.elsewhere").elsewhere(name)
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")
        value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
