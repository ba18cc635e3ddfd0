"""Potentials of a given structure by counting in data from several sources.

Sources of different size that observe the same behaviour give tables that differ by a scale. That
changes no probability, and α-ACP finds such factors interchangeable as they are: nothing has to
be normalised, and counts stay the integers they are.
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
from liftgraph.data.learning.learnt import Learnt, Rows, Scope, Support
from liftgraph.data.learning.possible import check_possible
from liftgraph.data.learning.sources import Source, View, views
from liftgraph.data.learning.structures import (
    Structure,
    all_states,
    bayesian_structure,
    factor_structure,
)
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
    ``states``: of variables, by name; others have the values that the sources have, all together:
    true before false, integers by size, anything else in the order of its text.
    ``counted_in``: for a scope, the names of the sources to count in; by default all that observe
    every argument, and their counts are added up.
    ``pseudo_count``: added to each count; an integer, a fraction, or a decimal as text.

    The potentials are what the paper assumes, not the most likely parameters of a Markov network:
    where scopes overlap, a product of counts has the overlap's marginal more than once.

    >>> people = {"sick": [True, True, False], "epid": [True, False, False]}
    >>> source = Source(people, columns={"Sick.alice": "sick", "Epid": "epid"})
    >>> learnt = learn([["Epid", "Sick.alice"]], source)
    >>> learnt.graph.factor(0)
    ((0, 1), Table(2×2, [1 0 1 1] × 1))
    >>> learnt.with_zeros
    (('Epid', 'Sick.alice'),)
    """
    return _learnt(factor_structure(structure), sources, states, counted_in, pseudo_count)


def learn_bayesian_network(
    parents: FactorGraph | Mapping[str, Sequence[str]],
    sources: Sources,
    *,
    states: Mapping[str, Sequence[str] | int] | None = None,
    counted_in: CountedIn | None = None,
    pseudo_count: int | Fraction | str = 0,
) -> Learnt:
    """A Bayesian network whose distributions are relative frequencies given the parents, exactly.

    ``parents``: of each variable, by name, none for a root; or a graph that is a Bayesian network
    and whose numbers are ignored. The factor of a variable has its parents first. Where the
    parents' states were never observed, the distribution is uniform. The rest: as in ``learn``.

    These are the most likely parameters if each factor is counted in all sources, and each row
    that observes a variable observes its parents too, and theirs.

    >>> people = {"sick": [True, True, False], "epid": [True, False, False]}
    >>> learnt = learn_bayesian_network({"epid": [], "sick": ["epid"]}, Source(people))
    >>> learnt.graph.factor(1)
    ((0, 1), Table(2×2, [2 0 1 1] × 1/2))
    """
    return _learnt(bayesian_structure(parents), sources, states, counted_in, pseudo_count)


def _learnt(
    structure: Structure,
    sources: Sources,
    states: Mapping[str, Sequence[str] | int] | None,
    counted_in: CountedIn | None,
    pseudo_count: object,
) -> Learnt:
    if not isinstance(counted_in, Mapping | None) or not isinstance(states, Mapping | None):
        raise InputError("expected states and counted_in as mappings")
    seen = views(sources, set(structure.variables))
    chosen = chosen_sources(structure.scopes, seen, counted_in or {})
    known = all_states(structure, seen, states or {})
    added = _exact(pseudo_count)
    learnt: list[tuple[Table, Support]] = []
    for number, scope in enumerate(structure.scopes):
        child = None if structure.children is None else structure.children[number]
        try:
            learnt.append(_factor(scope, known, chosen[number], added, child))
        except InputError as error:
            raise InputError(f"factor {number} ({', '.join(scope)}): {error}") from None
    graph = _graph(structure, known, [table for table, _ in learnt])
    if structure.children is None:
        check_possible(graph)
    rows = {view.name: view.observations.native.rows for view in seen}
    supports = tuple(support for _, support in learnt)
    return Learnt(graph, supports, rows, structure.children is not None, added)


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
    known: Mapping[str, States],
    chosen: Sequence[View],
    added: Fraction,
    child: int | None,
) -> tuple[Table, Support]:
    """The table of a factor, counted in these sources, and what supports it.

    ``child``: which argument it is the distribution of, if it is one.
    """
    states = [known[name] for name in scope]
    _check_size(states)
    counted = [counts(view, scope, states) for view in chosen]
    total = np.asarray(reduce(np.add, [each.table for each in counted]))
    table = _table(np.asarray(total + added) if added else total, child)
    rows = tuple(
        Rows(view.name, each.rows, each.skipped) for view, each in zip(chosen, counted, strict=True)
    )
    unobserved, zeros = (int(np.count_nonzero(each == 0)) for each in (total, table.integers))
    uniform = 0 if child is None else int(np.count_nonzero(total.sum(axis=child) == 0))
    return table, Support(scope, rows, total.size, unobserved, zeros, uniform)


def _check_size(states: Sequence[States]) -> None:
    entries = math.prod(len(each) + 1 for each in states)
    if len(states) > MAX_ARGUMENTS or entries > MAX_ENTRIES:
        limit = f"at most {MAX_ARGUMENTS} arguments and {MAX_ENTRIES:,} assignments"
        came = f"{len(states)} arguments with {format_count(entries)}"
        raise InputError(f"expected {limit} (missing values included), got {came}")


def _table(total: NDArray[Any], child: int | None) -> Table:
    """Counts as potentials: as they are, or relative to their sums over the child's states.

    Where there are none, ones: a table of zeros would make the whole model impossible.
    """
    if child is None:
        return Table.of(total if total.any() else np.ones(total.shape, dtype=np.int64))
    sums = total.sum(axis=child, keepdims=True)
    rows = np.where(sums == 0, 1, total).astype(object)
    divide = np.frompyfunc(Fraction, 2, 1)
    return Table.of(divide(rows, rows.sum(axis=child, keepdims=True)))


def _graph(structure: Structure, states: Mapping[str, States], tables: list[Table]) -> FactorGraph:
    builder = FactorGraphBuilder()
    for variable in structure.variables:
        builder.add_variable(variable, states[variable])
    for scope, table in zip(structure.scopes, tables, strict=True):
        builder.add_factor(scope, table)
    return builder.build().observing(structure.evidence)
