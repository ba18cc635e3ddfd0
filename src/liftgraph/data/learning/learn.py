"""Learn the potentials of a given structure by counting in data from several sources.

Sources of different size that observe the same behaviour give tables that differ by a scale. A
scale changes no probability, and α-ACP finds such factors interchangeable as they are: nothing has
to be normalised, and counts stay integers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from liftgraph.data.learning.choosing import CountedIn, chosen_sources
from liftgraph.data.learning.completing import completed
from liftgraph.data.learning.counting import MAX_ENTRIES, counts
from liftgraph.data.learning.em import EM, EMRun
from liftgraph.data.learning.learnt import Learnt, RowCounts, Scope, Support
from liftgraph.data.learning.possible import check_possible
from liftgraph.data.learning.priors import Counted, Prior, pseudo_counts
from liftgraph.data.learning.skeletons import (
    Skeleton,
    all_states,
    bayesian_skeleton,
    factor_skeleton,
)
from liftgraph.data.learning.sources import Source, View, observers, read_sources
from liftgraph.data.learning.tables import counted_table, named_factor, support
from liftgraph.data.learning.tying import pooled, tied_factors
from liftgraph.display import format_count
from liftgraph.errors import InputError, quoted, short_traceback
from liftgraph.exact import shortened
from liftgraph.model.ground.builder import FactorGraphBuilder
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.names import States
from liftgraph.model.ground.table import MAX_ARGUMENTS, Table

Missing: TypeAlias = "Literal['skip'] | EM"
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
    missing: Missing = "skip",
) -> Learnt:
    """A Bayesian network whose distributions are relative frequencies given the parents, exactly.

    ``structure``: edges, as pairs of a parent and a child; or the parents of each variable, by
    name, empty for a root; or a directed graph of networkx (pgmpy's networks are some); or a
    Bayesian network, whose numbers are ignored. The factor of a variable has its parents first.
    If the parents' states were never observed, the distribution is uniform.
    ``prior``: pseudo-counts, as for ``learn``, with variables in place of scopes; or ``BDeu(10)``.
    Tables have axes for the parents, then for the variable.
    ``tied``: for some variables, what their parameters are called: those that are called the same
    are learnt as one table, from the observations of all.
    ``missing``: factors "skip" rows which lack a value that they need; or they complete them by
    expectation maximisation with exact inference, ``EM(restarts=5)``. Then variables may be missing
    everywhere, if their ``states`` are given.
    The other parameters are those of ``learn``.

    Without EM, these are the most likely parameters if each factor is counted in all sources, and
    each row that observes a variable also observes all its ancestors.

    >>> people = {"sick": [True, True, False], "epid": [True, False, False]}
    >>> learnt = learn_bayesian_network([("epid", "sick")], people)
    >>> learnt.graph.factors[1].parts
    ((0, 1), Table(2×2, [2 0 1 1] × 1/2))
    """
    return _learnt(bayesian_skeleton(structure), sources, states, counted_in, prior, tied, missing)


def _learnt(
    skeleton: Skeleton,
    sources: Sources,
    states: Mapping[str, Sequence[str] | int] | None,
    counted_in: CountedIn | None,
    prior: Prior,
    tied: Mapping[str, str] | None = None,
    missing: Missing = "skip",
) -> Learnt:
    _check_options(states, counted_in, tied, missing)
    views = read_sources(sources, set(skeleton.variables))
    chosen: list[list[View]] = []
    if not isinstance(missing, EM):
        chosen = chosen_sources(skeleton.scopes, views, counted_in or {})
    states_of = all_states(skeleton, views, states or {})
    added = _pseudo_counts(skeleton, states_of, prior)
    parameters = tied_factors(skeleton, states_of, added, tied or {})
    runs: list[EMRun] = []
    hidden: Scope = ()
    if isinstance(missing, EM):
        hidden = _hidden(skeleton, views)
        factors, runs = completed(skeleton, states_of, added, parameters, views, missing)
    else:
        factors = _counted(skeleton, states_of, added, parameters, chosen)
    graph = _graph(skeleton, states_of, [table for table, _ in factors])
    if skeleton.children is None:
        check_possible(graph)
    supports = tuple([support for _, support in factors])
    rows = {view.name: view.table.native.rows for view in views}
    conditional = skeleton.children is not None
    return Learnt(graph, supports, rows, conditional, prior, parameters, tuple(runs), hidden)


def _hidden(skeleton: Skeleton, views: Sequence[View]) -> Scope:
    """The variables that no source observes. Refused if these are all: names are misspelt."""
    seen = observers(views)
    hidden = tuple([variable for variable in skeleton.variables if variable not in seen])
    if hidden and not seen:
        listed = shortened(", ".join(dict.fromkeys(name for v in views for name in v.table.native)))
        problem = "expected a source which observes some variable, got none"
        raise InputError(f"{problem} (the columns are {listed or 'none'})")
    return hidden


def _check_options(states: object, counted_in: object, tied: object, missing: object) -> None:
    if not all(isinstance(mapping, Mapping | None) for mapping in (states, counted_in, tied)):
        raise InputError("expected states, tied and counted_in as mappings")
    if not isinstance(missing, EM) and missing != "skip":
        raise InputError(f"missing: expected 'skip' or lg.EM(…), got {quoted(missing)}")
    if isinstance(missing, EM) and counted_in:
        raise InputError("expected no counted_in with EM, which takes the rows of all sources")


def _pseudo_counts(
    skeleton: Skeleton, states_of: Mapping[str, States], prior: Prior
) -> list[NDArray[Any]]:
    """What is added to the counts of each factor, whose size is checked."""
    factors: list[Counted] = []
    for factor, scope in enumerate(skeleton.scopes):
        states = [states_of[variable] for variable in scope]
        _check_size(factor, scope, states)
        child = None if skeleton.children is None else skeleton.children[factor]
        key = scope if child is None else scope[child]
        factors.append(Counted(key, tuple(map(len, states)), child))
    return pseudo_counts(prior, factors, skeleton.children is not None)


def _counted(
    skeleton: Skeleton,
    states_of: Mapping[str, States],
    added: Sequence[NDArray[Any]],
    parameters: Sequence[int],
    chosen: Sequence[Sequence[View]],
) -> list[tuple[Table, Support]]:
    """The table of each factor, counted in its sources, and what supports it."""
    counted = [
        _counts(factor, scope, [states_of[variable] for variable in scope], chosen[factor])
        for factor, scope in enumerate(skeleton.scopes)
    ]
    totals = pooled([total for total, _ in counted], parameters)
    factors: list[tuple[Table, Support]] = []
    for factor, scope in enumerate(skeleton.scopes):
        total = totals[parameters[factor]]
        child = None if skeleton.children is None else skeleton.children[factor]
        table = counted_table(factor, scope, np.asarray(total + added[factor]), child)
        factors.append((table, support(scope, counted[factor][1], total, table, child)))
    return factors


def _counts(
    factor: int, scope: Scope, states: Sequence[States], views: Sequence[View]
) -> tuple[NDArray[Any], tuple[RowCounts, ...]]:
    """The counts of a factor in its sources, and in how many rows of each it was counted."""
    try:
        counted = [counts(view, scope, states) for view in views]
    except InputError as error:
        raise InputError(f"{named_factor(factor, scope)}: {error}") from None
    total = np.asarray(reduce(np.add, [source.table for source in counted]))
    rows = [
        RowCounts(view.name, source.rows, source.skipped)
        for view, source in zip(views, counted, strict=True)
    ]
    return total, tuple(rows)


def _check_size(factor: int, scope: Scope, states: Sequence[States]) -> None:
    entries = math.prod(len(names) + 1 for names in states)
    if len(states) > MAX_ARGUMENTS or entries > MAX_ENTRIES:
        limit = f"at most {MAX_ARGUMENTS} arguments and {MAX_ENTRIES:,} assignments"
        came = f"{len(states)} arguments with {format_count(entries)}"
        problem = f"expected {limit} (missing values included), got {came}"
        raise InputError(f"{named_factor(factor, scope)}: {problem}")


def _graph(skeleton: Skeleton, states_of: Mapping[str, States], tables: list[Table]) -> FactorGraph:
    builder = FactorGraphBuilder()
    for variable in skeleton.variables:
        builder.add_variable(variable, states_of[variable])
    for scope, table in zip(skeleton.scopes, tables, strict=True):
        builder.add_factor(scope, table)
    return builder.build().observing(skeleton.evidence)
