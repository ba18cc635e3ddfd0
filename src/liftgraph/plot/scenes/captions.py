"""Phrases that captions share."""

from __future__ import annotations

from liftgraph.display import format_count
from liftgraph.exact import numeral
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.plot.text import abbreviated
from liftgraph.symmetry.colours.colouring import Colouring

_ALGORITHM_NAMES = {"alpha-acp": "α-ACP", "acp": "ACP", "cp": "CP"}


def counted(count: int, noun: str) -> str:
    """A number of things.

    >>> counted(1, "variable"), counted(2000, "factor")
    ('1 variable', '2,000 factors')
    """
    return f"{format_count(count)} {noun}{'s' * (count != 1)}"


def graph_size(graph: FactorGraph) -> str:
    """How many variables and factors a graph has."""
    return (
        f"{counted(graph.variable_count, 'variable')} and {counted(graph.factor_count, 'factor')}"
    )


def group_counts(colouring: Colouring) -> str:
    """How many variables and factors are in how many groups, and which algorithm found them."""
    return (
        f"{len(colouring.variable_colours):,} variables in"
        f" {colouring.variable_group_count:,} groups, {len(colouring.factor_colours):,} factors in"
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
