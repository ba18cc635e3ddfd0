"""Learn the potentials of a given structure by counting in data from several sources.

Sources of different size that observe the same behaviour give tables that differ by a scale. A
scale changes no probability, and α-ACP finds such factors interchangeable as they are: nothing has
to be normalised, and counts stay integers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.data.learning.choosing import CountedIn, chosen_sources
from liftgraph.data.learning.counting import MAX_ENTRIES, counts
from liftgraph.data.learning.learnt import Learnt, RowCounts, Scope, Support
from liftgraph.data.learning.possible import check_possible
from liftgraph.data.learning.skeletons import (
    Skeleton,
    all_states,
    bayesian_skeleton,
    factor_skeleton,
)
from liftgraph.data.learning.sources import Source, View, read_sources
from liftgraph.display import format_count
from liftgraph.errors import InputError
from liftgraph.exact import rational
from liftgraph.model.ground.builder import FactorGraphBuilder
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.names import States
from liftgraph.model.ground.table import MAX_ARGUMENTS, Table

Sources = Source | Iterable[Source]


def learn(
    structure: FactorGraph | Iterable[Sequence[str]],
    sources: Sources,
    *,
    states: Mapping[str, Sequence[str] | int] | None = None,
    counted_in: CountedIn | None = None,
    pseudo_count: int | Fraction | str = 0,
) -> Learnt:
    """A factor graph whose potentials are counts: how often each assignment was observed.

    ``structure``: the scopes of the factors, or a graph whose tables are ignored.
    ``states``: those of some variables, by name; the others have all values in the sources:
    true before false, integers by size, anything else in the order of its text.
    ``counted_in``: for a scope, the names of the sources to count in; by default all that observe
    every argument, and their counts are added up.
    ``pseudo_count``: added to each count; an integer, a fraction, or a decimal as text.

    The potentials are what the paper assumes, not the most likely parameters of a Markov network:
    if scopes overlap, a product of counts contains the overlap's marginal more than once.

    >>> people = {"sick": [True, True, False], "epid": [True, False, False]}
    >>> source = Source(people, columns={"Sick.alice": "sick", "Epid": "epid"})
    >>> learnt = learn([["Epid", "Sick.alice"]], source)
    >>> learnt.graph.factors[0].parts
    ((0, 1), Table(2×2, [1 0 1 1] × 1))
    >>> learnt.with_zeros
    (('Epid', 'Sick.alice'),)
    """
    return _learnt(factor_skeleton(structure), sources, states, counted_in, pseudo_count)


def learn_bayesian_network(
    parents: FactorGraph | Mapping[str, Sequence[str]],
    sources: Sources,
    *,
    states: Mapping[str, Sequence[str] | int] | None = None,
    counted_in: CountedIn | None = None,
    pseudo_count: int | Fraction | str = 0,
) -> Learnt:
    """A Bayesian network whose distributions are relative frequencies given the parents, exactly.

    ``parents``: those of each variable, by name, empty for a root; or a Bayesian network, whose
    numbers are ignored. The factor of a variable has its parents first. If the parents' states
    were never observed, the distribution is uniform. The other parameters are those
    of ``learn``.

    These are the most likely parameters if each factor is counted in all sources, and each row
    that observes a variable also observes all its ancestors.

    >>> people = {"sick": [True, True, False], "epid": [True, False, False]}
    >>> learnt = learn_bayesian_network({"epid": [], "sick": ["epid"]}, Source(people))
    >>> learnt.graph.factors[1].parts
    ((0, 1), Table(2×2, [2 0 1 1] × 1/2))
    """
    return _learnt(bayesian_skeleton(parents), sources, states, counted_in, pseudo_count)


def _learnt(
    skeleton: Skeleton,
    sources: Sources,
    states: Mapping[str, Sequence[str] | int] | None,
    counted_in: CountedIn | None,
    pseudo_count: object,
) -> Learnt:
    if not isinstance(counted_in, Mapping | None) or not isinstance(states, Mapping | None):
        raise InputError("expected states and counted_in as mappings")
    views = read_sources(sources, set(skeleton.variables))
    chosen = chosen_sources(skeleton.scopes, views, counted_in or {})
    states_of = all_states(skeleton, views, states or {})
    added = _exact(pseudo_count)
    tables: list[Table] = []
    supports: list[Support] = []
    for factor, scope in enumerate(skeleton.scopes):
        child = None if skeleton.children is None else skeleton.children[factor]
        try:
            table, support = _factor(scope, states_of, chosen[factor], added, child)
        except InputError as error:
            raise InputError(f"factor {factor} ({', '.join(scope)}): {error}") from None
        tables.append(table)
        supports.append(support)
    graph = _graph(skeleton, states_of, tables)
    if skeleton.children is None:
        check_possible(graph)
    rows = {view.name: view.table.native.rows for view in views}
    return Learnt(graph, tuple(supports), rows, skeleton.children is not None, added)


def _exact(pseudo_count: object) -> Fraction:
    try:
        if isinstance(pseudo_count, float | np.floating) and not pseudo_count.is_integer():
            raise InputError(
                f"expected integers, fractions or decimals as text, got {pseudo_count}"
            )
        return rational(pseudo_count)
    except InputError as error:
        raise InputError(f"pseudo_count: {error}") from None


def _factor(
    scope: Scope,
    states_of: Mapping[str, States],
    views: Sequence[View],
    added: Fraction,
    child: int | None,
) -> tuple[Table, Support]:
    """The table of a factor, counted in these sources, and what supports it.

    ``child``: the argument whose distribution it is, if it is a distribution.
    """
    states = [states_of[variable] for variable in scope]
    _check_size(states)
    counted = [counts(view, scope, states) for view in views]
    total = np.asarray(reduce(np.add, [source.table for source in counted]))
    table = _table(np.asarray(total + added) if added else total, child)
    rows = tuple(
        RowCounts(view.name, source.rows, source.skipped)
        for view, source in zip(views, counted, strict=True)
    )
    unobserved, zeros = (int(np.count_nonzero(n == 0)) for n in (total, table.integers))
    uniform = 0 if child is None else int(np.count_nonzero(total.sum(axis=child) == 0))
    return table, Support(scope, rows, total.size, unobserved, zeros, uniform)


def _check_size(states: Sequence[States]) -> None:
    entries = math.prod(len(names) + 1 for names in states)
    if len(states) > MAX_ARGUMENTS or entries > MAX_ENTRIES:
        limit = f"at most {MAX_ARGUMENTS} arguments and {MAX_ENTRIES:,} assignments"
        came = f"{len(states)} arguments with {format_count(entries)}"
        raise InputError(f"expected {limit} (missing values included), got {came}")


def _table(total: NDArray[Any], child: int | None) -> Table:
    """Counts as potentials: as they are, or relative to their sums over the child's states.

    If nothing was counted, they are ones: a table of zeros would make the whole model impossible.
    """
    if child is None:
        return Table.of(total if total.any() else np.ones(total.shape, dtype=np.int64))
    sums = total.sum(axis=child, keepdims=True)
    rows = np.where(sums == 0, 1, total).astype(object)
    divide = np.frompyfunc(Fraction, 2, 1)
    return Table.of(divide(rows, rows.sum(axis=child, keepdims=True)))


def _graph(skeleton: Skeleton, states_of: Mapping[str, States], tables: list[Table]) -> FactorGraph:
    builder = FactorGraphBuilder()
    for variable in skeleton.variables:
        builder.add_variable(variable, states_of[variable])
    for scope, table in zip(skeleton.scopes, tables, strict=True):
        builder.add_factor(scope, table)
    return builder.build().observing(skeleton.evidence)
