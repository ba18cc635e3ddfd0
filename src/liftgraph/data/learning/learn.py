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
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from liftgraph.data.learning.choosing import CountedIn, chosen_sources
from liftgraph.data.learning.counting import MAX_ENTRIES, counts
from liftgraph.data.learning.learnt import Learnt, RowCounts, Scope, Support
from liftgraph.data.learning.possible import check_possible
from liftgraph.data.learning.priors import Prior, pseudo_counts
from liftgraph.data.learning.skeletons import (
    Skeleton,
    all_states,
    bayesian_skeleton,
    factor_skeleton,
)
from liftgraph.data.learning.sources import Source, View, read_sources
from liftgraph.data.learning.tying import pooled, tied_factors
from liftgraph.display import format_count
from liftgraph.errors import InputError, short_traceback
from liftgraph.model.ground.builder import FactorGraphBuilder
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.names import States
from liftgraph.model.ground.table import MAX_ARGUMENTS, Table

Sources: TypeAlias = "Source | Iterable[Source] | Any"  # or a table by itself


@short_traceback
def learn(
    structure: FactorGraph | Iterable[Sequence[str]],
    sources: Sources,
    *,
    states: Mapping[str, Sequence[str] | int] | None = None,
    counted_in: CountedIn | None = None,
    prior: Prior = 0,
) -> Learnt:
    """A factor graph whose potentials are counts: how often each assignment was observed.

    ``structure``: the scopes of the factors, or a graph whose tables are ignored.
    ``states``: those of some variables, by name; the others have all values in the sources:
    true before false, integers by size, anything else in the order of its text.
    ``counted_in``: for a scope, the names of the sources to count in; by default all that observe
    every argument, and their counts are added up.
    ``prior``: pseudo-counts. An integer, a fraction, or a decimal as text is added to each count; a
    mapping says what to add for some scopes: such a number, or a table of them.

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
    return _learnt(factor_skeleton(structure), sources, states, counted_in, prior)


@short_traceback
def learn_bayesian_network(
    structure: FactorGraph | Mapping[str, Sequence[str]] | Iterable[Sequence[str]] | Any,
    sources: Sources,
    *,
    states: Mapping[str, Sequence[str] | int] | None = None,
    counted_in: CountedIn | None = None,
    prior: Prior = 0,
    tied: Mapping[str, str] | None = None,
) -> Learnt:
    """A Bayesian network whose distributions are relative frequencies given the parents, exactly.

    ``structure``: edges, as pairs of a parent and a child; or the parents of each variable, by
    name, empty for a root; or a directed graph of networkx (pgmpy's networks are some); or a
    Bayesian network, whose numbers are ignored. The factor of a variable has its parents first.
    If the parents' states were never observed, the distribution is uniform.
    ``prior``: pseudo-counts, as for ``learn``, with variables in place of scopes; or ``BDeu(10)``.
    ``tied``: for some variables, what their parameters are called: those that are called the same
    are learnt as one table, from the observations of all.
    The other parameters are those of ``learn``.

    These are the most likely parameters if each factor is counted in all sources, and each row
    that observes a variable also observes all its ancestors.

    >>> people = {"sick": [True, True, False], "epid": [True, False, False]}
    >>> learnt = learn_bayesian_network([("epid", "sick")], people)
    >>> learnt.graph.factors[1].parts
    ((0, 1), Table(2×2, [2 0 1 1] × 1/2))
    """
    return _learnt(bayesian_skeleton(structure), sources, states, counted_in, prior, tied)


def _learnt(
    skeleton: Skeleton,
    sources: Sources,
    states: Mapping[str, Sequence[str] | int] | None,
    counted_in: CountedIn | None,
    prior: Prior,
    tied: Mapping[str, str] | None = None,
) -> Learnt:
    given = (counted_in, states, tied)
    if not all(isinstance(mapping, Mapping | None) for mapping in given):
        raise InputError("expected states, tied and counted_in as mappings")
    views = read_sources(sources, set(skeleton.variables))
    chosen = chosen_sources(skeleton.scopes, views, counted_in or {})
    states_of = all_states(skeleton, views, states or {})
    added = _pseudo_counts(skeleton, states_of, prior)
    counted = _counted(skeleton, states_of, chosen)
    parameters = tied_factors(skeleton, states_of, added, tied or {})
    totals = pooled([total for total, _ in counted], parameters)
    tables: list[Table] = []
    supports: list[Support] = []
    for factor, scope in enumerate(skeleton.scopes):
        total = totals[parameters[factor]]
        child = None if skeleton.children is None else skeleton.children[factor]
        tables.append(_named_table(factor, scope, np.asarray(total + added[factor]), child))
        supports.append(_support(scope, counted[factor][1], total, tables[-1], child))
    graph = _graph(skeleton, states_of, tables)
    if skeleton.children is None:
        check_possible(graph)
    rows = {view.name: view.table.native.rows for view in views}
    return Learnt(graph, tuple(supports), rows, skeleton.children is not None, prior, parameters)


def _pseudo_counts(
    skeleton: Skeleton, states_of: Mapping[str, States], prior: Prior
) -> list[NDArray[Any]]:
    """What is added to the counts of each factor, whose size is checked."""
    factors: list[tuple[object, tuple[int, ...]]] = []
    for factor, scope in enumerate(skeleton.scopes):
        states = [states_of[variable] for variable in scope]
        _check_size(factor, scope, states)
        key = scope if skeleton.children is None else scope[skeleton.children[factor]]
        factors.append((key, tuple(map(len, states))))
    return pseudo_counts(prior, factors, skeleton.children is not None)


def _counted(
    skeleton: Skeleton, states_of: Mapping[str, States], chosen: Sequence[Sequence[View]]
) -> list[tuple[NDArray[Any], tuple[RowCounts, ...]]]:
    """The counts of each factor in its sources, and in how many rows of each it was counted."""
    listed: list[tuple[NDArray[Any], tuple[RowCounts, ...]]] = []
    for factor, scope in enumerate(skeleton.scopes):
        states = [states_of[variable] for variable in scope]
        try:
            counted = [counts(view, scope, states) for view in chosen[factor]]
        except InputError as error:
            raise InputError(f"{_named(factor, scope)}: {error}") from None
        total = np.asarray(reduce(np.add, [source.table for source in counted]))
        rows = [
            RowCounts(view.name, source.rows, source.skipped)
            for view, source in zip(chosen[factor], counted, strict=True)
        ]
        listed.append((total, tuple(rows)))
    return listed


def _named_table(factor: int, scope: Scope, total: NDArray[Any], child: int | None) -> Table:
    try:
        return _table(total, child)
    except InputError as error:
        raise InputError(f"{_named(factor, scope)}: {error}") from None


def _support(
    scope: Scope, rows: tuple[RowCounts, ...], total: NDArray[Any], table: Table, child: int | None
) -> Support:
    """What supports a factor. ``total``: its counts; ``child``: as for ``_table``."""
    unobserved, zeros = (int(np.count_nonzero(n == 0)) for n in (total, table.integers))
    uniform, states = 0, 1
    if child is not None:
        states = total.shape[child]
        constant = table.integers.max(axis=child) == table.integers.min(axis=child)
        uniform = int(np.count_nonzero((total.sum(axis=child) == 0) & constant))
    return Support(scope, rows, total.size, unobserved, zeros, uniform, states)


def _named(factor: int, scope: Scope) -> str:
    return f"factor {factor} ({', '.join(scope)})"


def _check_size(factor: int, scope: Scope, states: Sequence[States]) -> None:
    entries = math.prod(len(names) + 1 for names in states)
    if len(states) > MAX_ARGUMENTS or entries > MAX_ENTRIES:
        limit = f"at most {MAX_ARGUMENTS} arguments and {MAX_ENTRIES:,} assignments"
        came = f"{len(states)} arguments with {format_count(entries)}"
        problem = f"expected {limit} (missing values included), got {came}"
        raise InputError(f"{_named(factor, scope)}: {problem}")


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
