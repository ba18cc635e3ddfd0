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
from liftgraph.data.templates.rules import RuleSet
from liftgraph.errors import InputError
from liftgraph.inference.rows.stacks import Structure, Term
from liftgraph.model.arrays import codes
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.table import Table
from liftgraph.model.lifted.parfactor import Parfactor, argument_names, atom_of
from liftgraph.model.lifted.parfactor_graph import as_graph


@dataclass(frozen=True, eq=False)
class GroundRules:
    """The ground model of a template.

    ``scopes``: of each rule, the variables of its factors, int32 (factors, arguments).
    ``states``: int32 (n,), -1 where nothing was observed.
    """

    template: RuleSet
    graph: FactorGraph
    scopes: Sequence[NDArray[np.int32]]
    states: NDArray[np.int32]

    @cached_property
    def shapes(self) -> dict[int, tuple[int, ...]]:
        """The shape of the table of each source: of each rule, and of uniform distributions."""
        of_rules = (rule.parfactor.table.shape for rule in self.template.rules)
        return {**dict(enumerate(of_rules)), **{~size: (size,) for _, size in self.without_rule}}

    @cached_property
    def children(self) -> list[int | None]:
        """The argument whose distribution each rule is, if it is one."""
        return [rule.parfactor.child for rule in self.template.rules]

    @cached_property
    def without_rule(self) -> list[tuple[int, int]]:
        """The variables that no rule weighs or gives a distribution, and their sizes.

        They are only causes, if anything: their distributions are uniform.
        """
        has_rule = np.zeros(self.graph.variable_count, dtype=np.bool_)
        for scopes, child in zip(self.scopes, self.children, strict=True):
            has_rule[scopes if child is None else scopes[:, child]] = True
        places = np.flatnonzero(~has_rule)
        return [*zip(places.tolist(), self.graph.cardinalities[places].tolist(), strict=True)]

    @cached_property
    def structure(self) -> Structure:
        """The factors as terms; sources are rules, and ~size for uniform distributions."""
        terms = [
            Term(place, tuple(scope), -1 if child is None else scope[child])
            for place, (scopes, child) in enumerate(zip(self.scopes, self.children, strict=True))
            for scope in scopes.tolist()
        ]
        terms += [Term(~size, (variable,), variable) for variable, size in self.without_rule]
        return Structure(terms, self.graph.cardinalities.tolist())

    def counts(self, place: int) -> NDArray[Any]:
        """How often each assignment of a rule's arguments was observed."""
        shape = self.shapes[place]
        states = self.states[self.scopes[place]]
        complete = states[(states >= 0).all(axis=1)]
        cells = codes([*complete.T], shape)
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
        replace(rule, parfactor=_marked(rule.parfactor, mark))
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
    grounded = GroundRules(template, graph, scopes, states)
    _check_network(grounded)
    _check_order(grounded)
    return grounded


def _marked(old: Parfactor, mark: int) -> Parfactor:
    table = Table(np.ones(old.table.shape, dtype=np.int64), Fraction(mark))
    return Parfactor(old.arguments, old.logvars, table, old.constraints)


def _check_network(grounded: GroundRules) -> None:
    count = np.zeros(grounded.graph.variable_count, dtype=np.int64)
    for scopes, child in zip(grounded.scopes, grounded.children, strict=True):
        if child is not None:
            np.add.at(count, scopes[:, child], 1)
    if (count > 1).any():
        name = grounded.graph.name(int(np.argmax(count > 1)))
        raise InputError(f"expected one distribution of {name}, got two rows of rules that give it")
    for place, scopes in enumerate(grounded.scopes):
        weighed = scopes[count[scopes] > 0]
        if grounded.children[place] is None and len(weighed):
            name = grounded.graph.name(int(weighed[0]))
            arguments = ", ".join(
                argument_names(grounded.template.rules[place].parfactor.arguments)
            )
            problem = f"expected no other rule to weigh {name}, which has a distribution"
            hint = "child=… says that it is a distribution, too"
            raise InputError(f"{problem}, got the one on {arguments} ({hint})")


def _check_order(grounded: GroundRules) -> None:
    """Refuse rows that make a cycle; if the PRVs make none, their variables do not either."""
    parents: dict[object, set[object]] = {}
    for rule, child in zip(grounded.template.rules, grounded.children, strict=True):
        if child is not None:
            prvs = [atom_of(argument).prv for argument in rule.parfactor.arguments]
            parents.setdefault(prvs[child], set()).update(prvs[:child] + prvs[child + 1 :])
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
