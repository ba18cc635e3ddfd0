"""Phrases that captions share."""

from __future__ import annotations

from liftgraph.display import counted
from liftgraph.exact import numeral
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.plot.text import abbreviated
from liftgraph.symmetry.colours.colouring import Colouring

_ALGORITHM_NAMES = {"alpha-acp": "α-ACP", "acp": "ACP", "cp": "CP"}


def graph_size(graph: FactorGraph) -> str:
    """How many variables and factors a graph has."""
    return (
        f"{counted(graph.variable_count, 'variable')} and {counted(graph.factor_count, 'factor')}"
    )


def group_counts(colouring: Colouring) -> str:
    """How many variables and factors are in how many groups, and which algorithm found them."""
    return (
        f"{counted(len(colouring.variable_colours), 'variable')} in"
        f" {counted(colouring.variable_group_count, 'group')},"
        f" {counted(len(colouring.factor_colours), 'factor')} in"
        f" {colouring.factor_group_count:,} ({algorithm_name(colouring)})"
    )


def algorithm_name(colouring: Colouring) -> str:
    """The algorithm that found the groups, with its tolerance if there is one."""
    name = _ALGORITHM_NAMES[colouring.algorithm]
    if not colouring.tolerance:
        return name
    return f"{name} with tolerance {abbreviated(numeral(colouring.tolerance))}"


def log_odds_note(bound: float) -> str:
    """What a bound on log odds says of an answer or a model."""
    return f"log odds of any event may be off by up to {bound:.3g}"
