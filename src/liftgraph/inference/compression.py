"""The lifted model of a graph, made once, if its groups are few enough for that to pay."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from liftgraph.cache import Memo
from liftgraph.errors import MemoryLimitError
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.table import Table
from liftgraph.model.lifted.evidence import LiftedEvidence
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph

if TYPE_CHECKING:
    from liftgraph.symmetry.colours.colouring import Colouring

# Likelihoods of variables, by index or place; and whether they are measured: equal ones may be.
Likelihoods = tuple[tuple[Any, Table, bool], ...]
COMPRESSED = 2  # variables per PRV, or factors per parfactor, of a model that is worth lifting
_LARGE = 20_000  # arguments of a graph that takes seconds to lift unless it is compressed more:
_COMPRESSED_MORE = 4  # a PRV takes a few times as long to plan as a variable
# The graph to which likelihoods were added, and these; it is lifted instead, once for all of them.
WITHOUT: Memo[None, tuple[FactorGraph, Likelihoods]] = Memo("graphs without likelihoods", most=1)
_LIKELIHOOD_BYTES = 550  # a likelihood that stays in a graph, and in what it is found by
# The lifted model of a graph, by the tolerance.
LIFTED: Memo[Fraction, ParfactorGraph] = Memo("lifted models", most=4)
# How many groups of variables and of factors its colours make, by the tolerance.
_GROUPS: Memo[Fraction, tuple[int, int]] = Memo("numbers of groups", most=4)


def _coloured(graph: FactorGraph, options: Mapping[str, Any], **initial: Any) -> Colouring:
    """The colours of a narrow graph, whatever was observed."""
    from liftgraph.symmetry.colours.colour_passing import colour_passing
    from liftgraph.symmetry.colours.stars import narrow_graph
    from liftgraph.symmetry.lifting.memory import check_memory

    bare = narrow_graph(graph.observing({}))
    check_memory(bare, None, options["memory_limit"])
    return colour_passing(bare, tolerance=options["tolerance"], **initial)


def group_counts(graph: FactorGraph, options: Mapping[str, Any]) -> tuple[int, int]:
    """How many groups of variables and of factors a graph has; only at least how many, where that
    shows that they are not few. If they are, it is lifted with the same colours, and the lifted
    model is kept; if that is refused, they count as if none had two members."""
    from liftgraph.symmetry.colours.fewest_groups import fewest_groups
    from liftgraph.symmetry.colours.star_colouring import without_stars
    from liftgraph.symmetry.lifting.counting_potentials import ManyGroupsError

    if (without := WITHOUT.find(graph.cache, None)) is not None:
        variables, factors = group_counts(without[0], options)
        return variables, factors + len(without[1])

    def counted() -> tuple[int, int]:
        least = (0, 0) if options["tolerance"] else fewest_groups(graph)
        if not compresses(graph, least):
            return least
        colouring = _coloured(graph, options)
        given = without_stars(graph, colouring)
        groups = given.variable_group_count, given.factor_group_count
        try:
            if compresses(graph, groups):
                lifted(graph, options, colouring)
        except ManyGroupsError:  # lifting is refused with every limit
            return graph.variable_count, graph.factor_count
        return groups

    return _GROUPS.get(graph.cache, options["tolerance"], counted)


def lifted(
    graph: FactorGraph, options: Mapping[str, Any], colouring: Colouring | None = None
) -> ParfactorGraph:
    """The lifted model of a graph, whatever was observed; kept with it."""
    from liftgraph.symmetry.lifting.lift import lift_colouring

    def lifted_now() -> ParfactorGraph:
        if (without := WITHOUT.find(graph.cache, None)) is not None:
            return _with_likelihoods(lifted(without[0], options), without[1])
        colour = partial(_coloured, graph, options)
        colours = colouring or colour()
        return lift_colouring(graph.observing({}), colours, colour, options["memory_limit"])

    return LIFTED.get(graph.cache, options["tolerance"], lifted_now)


def added_bytes(graph: FactorGraph) -> int:
    """Bytes of the likelihoods that were added to a graph for a question."""
    without = WITHOUT.find(graph.cache, None)
    return _LIKELIHOOD_BYTES * len(without[1]) if without is not None else 0


def _with_likelihoods(model: ParfactorGraph, likelihoods: Likelihoods) -> ParfactorGraph:
    """A lifted model with likelihoods of variables that are given by their index."""
    by_place = {model.locate(variable): table for variable, table, _ in likelihoods}
    both = model.evidence.likelihoods_and(by_place)
    return replace(model, evidence=LiftedEvidence({}, both, checked_on=model.prvs))


def lifted_if_smaller(
    graph: FactorGraph, options: Mapping[str, Any], always: bool = False
) -> ParfactorGraph | None:
    """The lifted model of a graph, if lifting compresses it; or ``always``."""
    try:
        smaller = always or compresses(graph, group_counts(graph, options))
        return lifted(graph, options) if smaller else None
    except MemoryLimitError:
        if always:
            raise
        return None


def compresses(graph: FactorGraph, groups: tuple[int, int]) -> bool:
    """Whether a lifted model is small enough if each group is one PRV or parfactor: the least."""
    times = _COMPRESSED_MORE if graph.edge_count > _LARGE else COMPRESSED
    variables, factors = groups
    return graph.variable_count > times * variables or graph.factor_count > times * factors
