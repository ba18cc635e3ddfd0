"""The factor graph of rules that hold for rows of relations, made in arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from itertools import accumulate
from math import prod

import numpy as np

from liftgraph.data.templates.individuals import Indices
from liftgraph.data.templates.relation_rows import RelationRows, all_rows
from liftgraph.display import format_count
from liftgraph.errors import InputError, MemoryLimitError
from liftgraph.model.arrays import NO_INDICES, codes
from liftgraph.model.ground.builder import FactorGraphBuilder
from liftgraph.model.ground.evidence import Evidence
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.lifted.ground_prvs import GroundPRV
from liftgraph.model.lifted.grounding import GROUND_LIMIT
from liftgraph.model.lifted.instances import sorted_sets
from liftgraph.model.lifted.parfactor import PRV, Parfactor, argument_names, atom_of
from liftgraph.model.lifted.substitutions import Numbering, numbering

Mentioned = tuple[PRV, list[Indices]]  # variables of a PRV: int64 (m,) individuals of each logvar
Observed = tuple[PRV, list[Indices]]  # the same, and as the last column their states


def ground_rows(
    prvs: Sequence[PRV],
    sparse: Set[PRV],
    rules: Sequence[Parfactor | RelationRows],
    facts: Sequence[Observed],
) -> FactorGraph:
    """The factor graph of rules: factors rule after rule, variables PRV after PRV.

    Both are in the lexicographic order of their individuals. ``sparse``: PRVs that have
    variables only where rules and facts mention them. Precondition: facts are in the same order.
    """
    _check_size([prv for prv in prvs if prv not in sparse], rules)
    rows = [all_rows(rule) if isinstance(rule, Parfactor) else rule for rule in rules]
    scopes = [list(_scope(rule_rows)) for rule_rows in rows]
    mentioned = [argument for scope in scopes for argument in scope]
    mentioned += [(prv, columns[:-1]) for prv, columns in facts]
    numberings = {
        prv: _sparse_numbering(prv, mentioned) if prv in sparse else numbering(prv.pattern)
        for prv in prvs
    }
    starts = accumulate((numberings[prv].total for prv in prvs), initial=0)
    start = dict(zip(prvs, starts, strict=False))
    builder = FactorGraphBuilder()
    ground = tuple([GroundPRV(prv, start[prv], numberings[prv]) for prv in prvs])
    for ground_prv in ground:
        _add_variables(builder, ground_prv)

    def variables(prv: PRV, individuals: Sequence[Indices]) -> Indices:
        return start[prv] + numberings[prv].numbers(individuals)

    for rule_rows, scope in zip(rows, scopes, strict=True):
        _add_factors(builder, rule_rows, [variables(*argument) for argument in scope])
    evidence = [(variables(prv, columns[:-1]), columns[-1]) for prv, columns in facts]
    return replace(_observing(builder.build(), evidence), prvs=ground)


def _check_size(prvs: Iterable[PRV], rules: Iterable[Parfactor | RelationRows]) -> None:
    for prv in prvs:
        if prv.size > GROUND_LIMIT:
            raise _too_many(f"{prv.name} would have {format_count(prv.size)} variables")
    for rule in rules:
        arguments = rule.arguments if isinstance(rule, Parfactor) else rule.parfactor.arguments
        if rule.size * max(len(arguments), 1) > GROUND_LIMIT:
            names = ", ".join(argument_names(arguments))
            raise _too_many(f"the rule on {names} would have {format_count(rule.size)} factors")


def _too_many(problem: str) -> MemoryLimitError:
    most = f"{GROUND_LIMIT:,} variables or arguments of factors"
    reason = "some relation does not have all rows, so the model is grounded"
    return MemoryLimitError(f"{problem}; {reason}, and at most {most} fit")


def _scope(rows: RelationRows) -> Iterator[Mentioned]:
    """The arguments of a rule's factors."""
    column_of = dict(zip(rows.parfactor.logvars, rows.columns, strict=True))
    for atom in map(atom_of, rows.parfactor.arguments):
        yield atom.prv, sorted_sets(atom.prv.pattern, [column_of[v] for v in atom.logvars])


def _sparse_numbering(prv: PRV, mentioned: Sequence[Mentioned]) -> Numbering:
    """The numbers of those variables of a PRV that are mentioned."""
    sizes = prv.pattern.sizes
    if prod(sizes) >= 2**62:
        raise MemoryLimitError(f"{prv.name}: expected fewer individuals, got {sizes}")
    mentions = [codes(columns, sizes) for other, columns in mentioned if other == prv]
    listed = np.unique(np.concatenate(mentions))
    return Numbering(prv.pattern, len(listed), listed)


def _add_variables(builder: FactorGraphBuilder, ground: GroundPRV) -> None:
    try:
        builder.add_variables(ground.names(), ground.prv.states)
    except InputError as error:
        problem = f"{ground.prv.name}: {error} (dots in names of individuals?)"
        raise InputError(problem) from None


def _add_factors(
    builder: FactorGraphBuilder, rows: RelationRows, columns: Sequence[Indices]
) -> None:
    """``columns``: int64 (size,), the variables at each place; (1,) if it is constant."""
    scopes = np.empty((rows.size, len(columns)), dtype=np.int32)
    for place, column in enumerate(columns):
        scopes[:, place] = column
    builder.add_factors(scopes, rows.parfactor.table)


def _observing(graph: FactorGraph, evidence: Sequence[tuple[Indices, Indices]]) -> FactorGraph:
    """A graph with evidence: variables and the index of their state, int64 (k,) each.

    Precondition: variables are increasing, PRV after PRV.
    """
    observed = np.concatenate([NO_INDICES, *(variables for variables, _ in evidence)])
    observed_state = np.concatenate([NO_INDICES, *(states for _, states in evidence)])
    return replace(
        graph, evidence=Evidence(observed.astype(np.int32), observed_state.astype(np.int32))
    )
