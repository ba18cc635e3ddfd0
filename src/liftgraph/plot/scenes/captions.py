"""Phrases that captions share."""

from __future__ import annotations

from liftgraph.display import counted
from liftgraph.exact import numeral
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.plot.scenes.group_colours import Sizes
from liftgraph.plot.text import abbreviated
from liftgraph.symmetry.colours.colouring import Colouring
from liftgraph.symmetry.colours.quotient import Quotient

_ALGORITHM_NAMES = {"alpha-acp": "α-ACP", "acp": "ACP", "cp": "CP"}


def graph_size(graph: FactorGraph) -> str:
    """How many variables and factors a graph has."""
    return (
        f"{counted(graph.variable_count, 'variable')} and {counted(graph.factor_count, 'factor')}"
    )


def group_counts(variables: Sizes, factors: Sizes, algorithm: str) -> str:
    """How many variables and factors are in how many groups, and which algorithm found them."""
    return (
        f"{counted(sum(variables.tolist()), 'variable')} in {counted(len(variables), 'group')},"
        f" {counted(sum(factors.tolist()), 'factor')} in {len(factors):,} ({algorithm})"
    )


def algorithm_name(found: Colouring | Quotient) -> str:
    """The algorithm that found the groups, with its tolerance if there is one."""
    name = _ALGORITHM_NAMES[found.algorithm]
    if not found.tolerance:
        return name
    return f"{name} with tolerance {abbreviated(numeral(found.tolerance))}"


def log_odds_note(bound: float) -> str:
    """What a bound on log odds says of an answer or a model."""
    return f"log odds of any event may be off by up to {bound:.3g}"
