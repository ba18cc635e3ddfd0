"""Colour passing: CP, ACP and α-ACP."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from liftgraph.cache import Memo
from liftgraph.errors import InputError
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.symmetry.colours.colouring import (
    ALGORITHMS,
    Algorithm,
    Change,
    Colour,
    Colouring,
    dense,
)
from liftgraph.symmetry.colours.engines.grouping import Colours
from liftgraph.symmetry.colours.engines.rounds import Members, refine
from liftgraph.symmetry.colours.incidence import argument_order, incidence
from liftgraph.symmetry.tables.exchangeable import TableClasses, classes
from liftgraph.symmetry.tables.near import checked_tolerance
from liftgraph.symmetry.tables.symmetries import Symmetries, symmetries

Classified = tuple[TableClasses, list[Symmetries]]
_CLASSES: Memo[tuple[Algorithm, Fraction | None], Classified] = Memo("classes of tables", most=8)


def colour_passing(
    graph: FactorGraph,
    algorithm: Algorithm = "alpha-acp",
    tolerance: object = None,
    record: bool = False,
    initial: Colour | None = None,
) -> Colouring:
    """Groups of variables and of factors that colour passing does not tell apart.

    The coarsest colouring in which variables of a colour have the same states and observation
    and as many factors of each colour at each position, and factors of a colour have
    exchangeable tables and arguments of the same colours (the paper's Algorithm 2).

    ``"alpha-acp"``: tables are exchangeable up to a scale and the order of their arguments.
    ``"acp"``: up to the order of their arguments (DEFT, scale 1). ``"cp"``: if they are equal,
    and every position counts (CompressFactorGraph).
    ``tolerance``: a rational ε, 0 ≤ ε < 1: tables may be so far, relatively, from the one that
    represents their class. By default 0, and 10⁻¹² for tables given as floats.
    ``record``: keep the colours after each round.
    ``initial``: int32 (n,), colours that variables are to be told apart by from the start.

    >>> from liftgraph import FactorGraphBuilder
    >>> builder = FactorGraphBuilder()
    >>> variables = builder.add_variables(["A", "B", "C"])
    >>> first = builder.add_factor(["A", "B"], [[1, 2], [3, 4]])
    >>> second = builder.add_factor(["B", "C"], [[5, 15], [10, 20]])
    >>> colour_passing(builder.build())
    Colouring(alpha-acp: 2 groups of variables, 1 of factors, 2 rounds)
    >>> colour_passing(builder.build(), "acp")
    Colouring(acp: 3 groups of variables, 2 of factors, 2 rounds)
    """
    _check(graph, algorithm)
    used = np.flatnonzero(np.bincount(graph.table_id))
    table = dense(graph.table_id)
    found, known = _classified(graph, used.tolist(), algorithm, checked_tolerance(tolerance))
    aligned = incidence(graph, table, found, known)
    variables = _colours(_initial_variable_colours(graph, initial))
    factors = _colours(found.class_of[table])
    changes: list[Change] = []

    def keep(changed_factors: Members, changed_variables: Members) -> None:
        ours, theirs = (np.asarray(each, np.intp) for each in (changed_variables, changed_factors))
        colours = variables.of[ours], theirs, factors.of[theirs]
        changes.append(Change(ours, *colours, variables.groups, factors.groups))

    if record:
        keep(range(graph.factor_count), range(graph.variable_count))
    rounds = refine(aligned, variables, factors, keep if record else None)
    variable_colours = dense(variables.of)
    return Colouring(
        algorithm,
        variable_colours,
        dense(factors.of),
        argument_order(aligned, variable_colours),
        found,
        table,
        tuple(known),
        rounds,
        tuple(changes) if record else None,
    )


def _check(graph: object, algorithm: str) -> None:
    if not isinstance(graph, FactorGraph):
        raise InputError(f"expected a factor graph, got {graph!r}; ground it first if it is lifted")
    if algorithm not in ALGORITHMS:
        raise InputError(f"expected an algorithm among {', '.join(ALGORITHMS)}, got {algorithm}")


def _classified(
    graph: FactorGraph, used: list[int], algorithm: Algorithm, tolerance: Fraction | None
) -> tuple[TableClasses, list[Symmetries]]:
    """The classes of the used tables and their symmetries; evidence does not change them."""

    def classified() -> tuple[TableClasses, list[Symmetries]]:
        found = classes(
            [graph.tables[number] for number in used],
            up_to_scale=algorithm == "alpha-acp",
            permuted=algorithm != "cp",
            tolerance=tolerance,
        )
        return found, _symmetries(found, commuting=algorithm != "cp")

    return _CLASSES.get(graph.cache, (algorithm, tolerance), classified)


def _symmetries(found: TableClasses, commuting: bool) -> list[Symmetries]:
    """The symmetries of each class's representative; without commuting, none."""
    if commuting:
        return [symmetries(table.integers) for table in found.representatives]
    arities = (len(table.shape) for table in found.representatives)
    return [Symmetries(tuple((position,) for position in range(arity))) for arity in arities]


def _initial_variable_colours(graph: FactorGraph, initial: Colour | None) -> Colour:
    """A colour for each list of states, each observation and each given colour: int32 (n,).

    Colours are numbered by the names of the states, not by the order of the variables.
    """
    ordered = sorted(set(graph.state_sets))
    rank = {states: number for number, states in enumerate(ordered)}
    ranks = np.array([rank[states] for states in graph.state_sets], dtype=np.int32)
    colours: Colour = ranks[graph.state_set_id]
    if evidence := graph.evidence:
        events = (colours[evidence.variables].astype(np.int64) << 32) | evidence.observation_id
        colours[evidence.variables] = len(ordered) + np.unique(events, return_inverse=True)[1]
    if initial is not None:
        both = (initial.astype(np.int64) << 32) | colours
        colours = np.unique(both, return_inverse=True)[1].astype(np.int32)
    return dense(colours)


def _colours(of: Colour) -> Colours:
    size = np.zeros(len(of), dtype=np.int32)
    counts = np.bincount(of)
    size[: len(counts)] = counts
    return Colours(of, size, len(counts), len(counts))
