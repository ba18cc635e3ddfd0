"""The factor graph of rules that hold for rows of relations, made in arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from itertools import accumulate
from math import prod

import numpy as np

from liftgraph.data.templates.individuals import Numbers
from liftgraph.data.templates.relation_rows import Rows, all_rows
from liftgraph.errors import InputError, MemoryLimitError
from liftgraph.model.ground.builder import FactorGraphBuilder
from liftgraph.model.ground.factor_graph import NO_INDICES, FactorGraph
from liftgraph.model.lifted.grounding import GROUND_LIMIT
from liftgraph.model.lifted.instances import sorted_sets
from liftgraph.model.lifted.parfactor import PRV, Parfactor, argument_names, atom_of
from liftgraph.model.lifted.substitutions import Numbering, codes, numbering

Mention = tuple[PRV, list[Numbers]]  # a PRV and individuals, int64 (m,) for each logvar
Fact = tuple[PRV, list[Numbers]]  # the same of variables that were observed, and their states


def ground_rows(
    prvs: Sequence[PRV],
    sparse: Set[PRV],
    rules: Sequence[Parfactor | Rows],
    facts: Sequence[Fact],
) -> FactorGraph:
    """The factor graph of rules, rule after rule, with variables PRV after PRV.

    Both come in the lexicographic order of their individuals. ``sparse``: PRVs that have
    variables only where rules and facts mention them. Precondition: facts are in the same order.
    """
    _check_size([each for each in prvs if each not in sparse], rules)
    rows = [all_rows(each) if isinstance(each, Parfactor) else each for each in rules]
    scopes = [list(_scope(each)) for each in rows]
    mentioned = [both for scope in scopes for both in scope] + [(p, o[:-1]) for p, o in facts]
    found = {
        prv: _sparse_numbering(prv, mentioned) if prv in sparse else numbering(prv.pattern)
        for prv in prvs
    }
    first = accumulate((found[prv].total for prv in prvs), initial=0)
    start = dict(zip(prvs, first, strict=False))
    builder = FactorGraphBuilder()
    for prv in prvs:
        _add_variables(builder, prv, found[prv])
    for each, scope in zip(rows, scopes, strict=True):
        columns = [start[prv] + found[prv].numbers(own) for prv, own in scope]
        _add_factors(builder, each, columns)
    seen = [(start[prv] + found[prv].numbers(own[:-1]), own[-1]) for prv, own in facts]
    return _observing(builder.build(), seen)


def _check_size(prvs: Iterable[PRV], rules: Iterable[Parfactor | Rows]) -> None:
    for prv in prvs:
        if prv.size > GROUND_LIMIT:
            raise _too_many(f"{prv.name} would have {prv.size:,} variables")
    for each in rules:
        given = each if isinstance(each, Parfactor) else each.parfactor
        if each.size * max(len(given.arguments), 1) > GROUND_LIMIT:
            names = ", ".join(argument_names(given.arguments))
            raise _too_many(f"the rule on {names} would have {each.size:,} factors")


def _too_many(problem: str) -> MemoryLimitError:
    most = f"{GROUND_LIMIT:,} variables or arguments of factors"
    return MemoryLimitError(f"{problem}; as some relation has not all rows, at most {most} fit")


def _scope(given: Rows) -> Iterator[Mention]:
    """The arguments of a rule's factors."""
    own = dict(zip(given.parfactor.logvars, given.columns, strict=True))
    for atom in map(atom_of, given.parfactor.arguments):
        yield atom.prv, sorted_sets(atom.prv.pattern, [own[v] for v in atom.logvars])


def _sparse_numbering(prv: PRV, mentioned: Sequence[Mention]) -> Numbering:
    """The numbers of those of a PRV's variables that are mentioned."""
    sizes = prv.pattern.sizes
    if prod(sizes) >= 2**62:
        raise MemoryLimitError(f"{prv.name}: expected fewer individuals, got {sizes}")
    every = [codes(columns, sizes) for other, columns in mentioned if other == prv]
    listed = np.unique(np.concatenate(every))
    return Numbering(prv.pattern, len(listed), listed)


def _add_variables(builder: FactorGraphBuilder, prv: PRV, found: Numbering) -> None:
    code = np.arange(found.total) if found.listed is None else found.listed
    columns: list[list[str]] = []
    for logvar in reversed(prv.logvars):
        code, numbers = np.divmod(code, logvar.size)
        columns.append([logvar.domain.individual(number) for number in numbers.tolist()])
    names = [".".join((prv.name, *parts)) for parts in zip(*reversed(columns), strict=True)]
    try:
        builder.add_variables(names if prv.logvars else [prv.name], prv.states)
    except InputError as error:
        raise InputError(f"{prv.name}: {error} (dots in names of individuals?)") from None


def _add_factors(builder: FactorGraphBuilder, given: Rows, columns: Sequence[Numbers]) -> None:
    """``columns``: int64 (size,), the variables at each place; (1,) if always the same."""
    scopes = np.empty((given.size, len(columns)), dtype=np.int32)
    for place, column in enumerate(columns):
        scopes[:, place] = column
    builder.add_factors(scopes, given.parfactor.table)


def _observing(graph: FactorGraph, seen: Sequence[tuple[Numbers, Numbers]]) -> FactorGraph:
    """A graph with evidence: variables and the index of their state, int64 (k,) each.

    Precondition: variables are increasing, PRV after PRV.
    """
    variables = np.concatenate([NO_INDICES, *(each for each, _ in seen)])
    states = np.concatenate([NO_INDICES, *(each for _, each in seen)])
    return replace(
        graph, observed=variables.astype(np.int32), observed_state=states.astype(np.int32)
    )
