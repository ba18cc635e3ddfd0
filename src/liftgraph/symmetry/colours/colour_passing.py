"""Colour passing: CP, ACP and α-ACP."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from liftgraph.cache import Memo
from liftgraph.errors import InputError, short_traceback
from liftgraph.exact import checked_tolerance
from liftgraph.model.ground.factor_graph import FactorGraph, checked_graph
from liftgraph.model.ground.table import Table
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph, as_graph
from liftgraph.symmetry.colours.colouring import ALGORITHMS, Algorithm, Colouring
from liftgraph.symmetry.colours.engines.engine import Refine, StableColours
from liftgraph.symmetry.colours.engines.registry import engine_named
from liftgraph.symmetry.colours.incidence import aligned_incidence, argument_order
from liftgraph.symmetry.colours.initial import Integers, dense, graph_colours
from liftgraph.symmetry.colours.numbering import canonical_colours
from liftgraph.symmetry.colours.star_colouring import without_stars
from liftgraph.symmetry.colours.stars import narrow_graph
from liftgraph.symmetry.tables.exchangeable import TableClasses, classes
from liftgraph.symmetry.tables.labelling import symmetries
from liftgraph.symmetry.tables.symmetries import Symmetries

Classified = tuple[TableClasses, list[Symmetries]]
_CLASSES: Memo[tuple[Algorithm, Fraction | None], Classified] = Memo("classes of tables", most=8)


@short_traceback
def colour_passing(
    graph: FactorGraph | ParfactorGraph,
    algorithm: Algorithm = "alpha-acp",
    tolerance: object = None,
    record: bool = False,
    initial: Integers | None = None,
    engine: str = "auto",
    device: str | None = None,
) -> Colouring:
    """Groups of variables and of factors which colour passing does not distinguish.

    The coarsest colouring in which variables of a colour have the same states and observation and
    the same number of factors of each colour at each position, and factors of a colour have
    exchangeable tables and arguments of the same colours (the paper's Algorithm 2).

    ``"alpha-acp"``: tables are exchangeable if they are equal up to a scale and the order of their
    arguments. ``"acp"``: if they are equal up to the order of their arguments (DEFT, scale 1).
    ``"cp"``: if they are equal, and every position counts (CompressFactorGraph).
    ``tolerance``: a rational ε, 0 ≤ ε < 1: tables may differ by this much, relatively, from the
    one that represents their class. By default 0, and 10⁻¹² for tables given as floats.
    A lifted model is ground first, if it needs no more than 4 GiB.
    ``record``: keep the colours after each round.
    ``initial``: integers (n,), none negative: colours which distinguish variables from the start.
    ``engine``: the code which refines the colours. ``"arrays"`` needs only NumPy, ``"compiled"``
    needs numba, ``"auto"`` changes to compiled rounds where they are faster, and ``"torch"`` works
    on a graphics card and needs torch; all find the same groups with the same numbers.
    ``device``: where the engine ``"torch"`` works, ``"cuda"`` or ``"cpu"``; None: on the card, if
    torch sees one, and otherwise on the CPU.

    Count factors and noisy-ORs with many arguments are not expanded: those that contribute alike
    commute by definition. A round then passes colours halfway through such a factor.
    If rounds are recorded or tables have symmetries which are not swaps, no rounds are compiled.
    The first rounds of ``"torch"`` are done on the device; after some tens, rounds visit only what
    changed, on the host, as those of ``"auto"``. Recorded rounds are done as by ``"arrays"``.
    ``Colouring.given_up`` counts tables with too many orders of their arguments to compare them.

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
    graph = checked_graph(as_graph(graph))
    _check(graph, algorithm, initial)
    checked, refine = checked_tolerance(tolerance), engine_named(engine, device).refine
    narrow = narrow_graph(graph, algorithm)
    centres = narrow.variable_count - graph.variable_count
    apart = None if initial is None else np.append(initial, np.zeros(centres, initial.dtype))
    return without_stars(graph, _coloured(narrow, algorithm, checked, record, apart, refine))


def with_colours(
    graph: FactorGraph, algorithm: Algorithm, tolerance: object, stable: StableColours
) -> Colouring:
    """The colouring of a graph by stable colours that were found elsewhere.

    Precondition: the graph has no count factors that are never expanded.
    """
    epsilon = checked_tolerance(tolerance)
    return _coloured(graph, algorithm, epsilon, False, None, lambda *_: stable)


def _coloured(
    graph: FactorGraph,
    algorithm: Algorithm,
    tolerance: Fraction | None,
    record: bool,
    initial: Integers | None,
    refine: Refine,
) -> Colouring:
    """The colouring of a graph without wide factors."""
    used = np.flatnonzero(np.bincount(graph.table_id))
    table = dense(graph.table_id)
    tables, class_symmetries = _classified(graph, used.tolist(), algorithm, tolerance)
    incidence, order = aligned_incidence(graph, table, tables, class_symmetries)
    variables, factors = graph_colours(graph, initial), tables.class_of[table]
    stable = refine(incidence, variables, factors, record)
    incidence = replace(incidence)  # without what the engine has cached in it
    variable_colours, factor_colours = canonical_colours(incidence, variables, factors, stable)
    return Colouring(
        algorithm,
        variable_colours,
        factor_colours,
        argument_order(incidence, order, variable_colours),
        tables,
        table,
        tuple(class_symmetries),
        stable.rounds,
        stable.changes,
        graph=graph,
    )


def _check(graph: FactorGraph, algorithm: str, initial: object) -> None:
    if algorithm not in ALGORITHMS:
        raise InputError(f"expected an algorithm among {', '.join(ALGORITHMS)}, got {algorithm}")
    if initial is not None:
        _check_initial(initial, graph.variable_count)


def _check_initial(initial: object, variable_count: int) -> None:
    """Refuse initial colours unless they are an array of one integer for each variable."""
    expected = f"expected initial colours as an array of {variable_count:,} integers"
    if not isinstance(initial, np.ndarray):
        raise InputError(f"{expected}, got {type(initial).__name__}")
    if initial.shape != (variable_count,) or not np.issubdtype(initial.dtype, np.integer):
        raise InputError(f"{expected}, got {initial.dtype} of shape {initial.shape}")
    if (initial < 0).any():
        raise InputError(f"{expected}, none negative, got {initial.min()}")


def _classified(
    graph: FactorGraph, used: list[int], algorithm: Algorithm, tolerance: Fraction | None
) -> Classified:
    """The classes of the used tables and their symmetries; evidence does not change them."""

    def classified() -> Classified:
        tables = [graph.potentials[table_index].table() for table_index in used]
        return classified_tables(tables, algorithm, tolerance)

    return _CLASSES.get(graph.cache, (algorithm, tolerance), classified)


def classified_tables(
    tables: Sequence[Table], algorithm: Algorithm, tolerance: object
) -> Classified:
    """The classes of tables that an algorithm treats alike, and the symmetries of each class."""
    table_classes = classes(
        tables,
        up_to_scale=algorithm == "alpha-acp",
        permuted=algorithm != "cp",
        tolerance=tolerance,
    )
    return table_classes, _symmetries(table_classes, commuting=algorithm != "cp")


def _symmetries(tables: TableClasses, commuting: bool) -> list[Symmetries]:
    """The symmetries of each class's representative; without commuting, none."""
    if commuting:
        return [symmetries(table.integers) for table in tables.representatives]
    arities = (len(table.shape) for table in tables.representatives)
    return [Symmetries(tuple((position,) for position in range(arity))) for arity in arities]
