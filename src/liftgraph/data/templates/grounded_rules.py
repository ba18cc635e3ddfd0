"""The ground model of a template whose rules are to be learnt, as a Bayesian network."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.data.learning.learnt import RowCounts
from liftgraph.data.templates.instantiation import instantiate
from liftgraph.data.templates.rules import Rule, RuleSet
from liftgraph.errors import InputError
from liftgraph.inference.rows.stacks import Structure, Term
from liftgraph.model.ground.bayesian_network import is_conditional
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.table import Table
from liftgraph.model.lifted.parfactor import Parfactor, argument_names, atom_of
from liftgraph.model.lifted.parfactor_graph import as_graph


@dataclass(frozen=True, eq=False)
class GroundRules:
    """The ground model of a template.

    ``scopes``: of each rule, the variables of its factors, int32 (factors, arguments).
    ``directed``: whether it is a distribution of its last argument. ``states``: int32 (n,), -1
    where nothing was observed; ``sizes``: the number of states of each variable.
    """

    template: RuleSet
    graph: FactorGraph
    scopes: Sequence[NDArray[np.int32]]
    directed: Sequence[bool]
    states: NDArray[np.int32]

    @cached_property
    def shapes(self) -> dict[int, tuple[int, ...]]:
        """The shape of the table of each rule."""
        return {place: rule.parfactor.table.shape for place, rule in enumerate(self.template.rules)}

    @cached_property
    def structure(self) -> Structure:
        """The factors as terms, whose sources are rules."""
        terms = [
            Term(place, tuple(scope), scope[-1] if self.directed[place] else -1)
            for place, scopes in enumerate(self.scopes)
            for scope in scopes.tolist()
        ]
        return Structure(terms, self.graph.cardinalities.tolist())

    def counts(self, place: int) -> NDArray[Any]:
        """How often each assignment of a rule's arguments was observed."""
        shape = self.shapes[place]
        states = self.states[self.scopes[place]]
        complete = states[(states >= 0).all(axis=1)]
        cells = np.ravel_multi_index([*complete.T.astype(np.int64)], shape)
        return np.bincount(cells, minlength=math.prod(shape)).reshape(shape)

    def row_counts(self, place: int) -> RowCounts:
        """For how many rows of a rule all arguments were observed, and for how many not."""
        scopes = self.scopes[place]
        used = int((self.states[scopes] >= 0).all(axis=1).sum())
        return RowCounts("rows", used, len(scopes) - used)


def ground_rules(
    template: RuleSet, data: Sequence[Mapping[str, object]], memory_limit: int
) -> GroundRules:
    """Ground a template whose rules are to be learnt. ``data``: domains, relations and evidence.

    Refused unless the weights of all assignments add up to the same whatever the distributions are
    (sum out children before their parents): each variable has at most one distribution, causes come
    before effects, and no other rule weighs a variable that has one. Then relative frequencies are
    the most likely distributions.
    """
    marked = [
        with_table(rule, Table(np.ones(rule.parfactor.table.shape, dtype=np.int64), Fraction(mark)))
        for mark, rule in enumerate(template.rules, 1)
    ]  # a scale tells the factors of each rule from those of others
    graph = as_graph(instantiate(RuleSet(marked, template.prvs), *data), memory_limit)
    marks = np.array([int(potential.scale) for potential in graph.potentials], dtype=np.int64)
    mark_of, starts = marks[graph.table_id], graph.scope_ptr[:-1]
    scopes = [
        graph.scope[starts[mark_of == mark][:, None] + np.arange(len(rule.parfactor.arguments))]
        for mark, rule in enumerate(template.rules, 1)
    ]
    states = np.full(graph.variable_count, -1, dtype=np.int32)
    states[graph.evidence.variables] = graph.evidence.states
    directed = [not rule.known or _is_distribution(rule) for rule in template.rules]
    grounded = GroundRules(template, graph, scopes, directed, states)
    _check_network(grounded)
    _check_order(grounded)
    return grounded


def with_table(rule: Rule, table: Table) -> Rule:
    """A rule with other potentials."""
    old = rule.parfactor
    parfactor = Parfactor(old.arguments, old.logvars, table, old.constraints)
    return replace(rule, parfactor=parfactor, known=True)


def _is_distribution(rule: Rule) -> bool:
    table = rule.parfactor.table
    return bool(table.shape) and is_conditional(table, len(table.shape) - 1)


def _check_network(grounded: GroundRules) -> None:
    count = np.zeros(grounded.graph.variable_count, dtype=np.int64)
    for scopes, is_directed in zip(grounded.scopes, grounded.directed, strict=True):
        if is_directed:
            np.add.at(count, scopes[:, -1], 1)
    if (count > 1).any():
        name = grounded.graph.name(int(np.argmax(count > 1)))
        raise InputError(f"expected one distribution of {name}, got two rows of rules that give it")
    for place, scopes in enumerate(grounded.scopes):
        weighed = scopes[count[scopes] > 0]
        if not grounded.directed[place] and len(weighed):
            name = grounded.graph.name(int(weighed[0]))
            arguments = ", ".join(
                argument_names(grounded.template.rules[place].parfactor.arguments)
            )
            problem = f"expected no other rule to weigh {name}, which has a distribution"
            raise InputError(f"{problem}, got the one on {arguments}")


def _check_order(grounded: GroundRules) -> None:
    """Refuse rows that make a cycle; if the PRVs make none, their variables do not either."""
    parents: dict[object, set[object]] = {}
    for rule, is_directed in zip(grounded.template.rules, grounded.directed, strict=True):
        if is_directed:
            *above, child = [atom_of(argument).prv for argument in rule.parfactor.arguments]
            parents.setdefault(child, set()).update(above)
    try:
        TopologicalSorter(parents).prepare()
    except CycleError:
        _check_rows(grounded)


def _check_rows(grounded: GroundRules) -> None:
    try:
        TopologicalSorter(grounded.structure.parents).prepare()
    except CycleError as error:
        cycle = " → ".join(map(grounded.graph.name, error.args[1]))
        raise InputError(f"expected causes before effects, got the cycle {cycle}") from None
