"""Learning the rules of a template whose potentials are unknown, from its own tables.

A rule without potentials says how its last argument is distributed given the others. All rows for
which it holds share this distribution, so it is learnt from all of them together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from html import escape
from typing import Any, Generic, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from liftgraph.data.learning.em import EM, EMRun
from liftgraph.data.learning.expected_counts import Observed, expected_counts, observed
from liftgraph.data.learning.learnt import Support, best_of, run_lines, support_lines
from liftgraph.data.learning.maximising import Distributions, best_run
from liftgraph.data.learning.observed_rows import ObservedRows
from liftgraph.data.learning.priors import Counted, Prior, described, pseudo_counts
from liftgraph.data.learning.sources import as_floats
from liftgraph.data.learning.tables import counted_table, support
from liftgraph.data.templates.grounded_rules import GroundRules, ground_rules
from liftgraph.data.templates.rules import Rule, RuleSet
from liftgraph.display import counted
from liftgraph.errors import InputError, quoted
from liftgraph.model.ground.table import Table
from liftgraph.model.lifted.logvars import Unordered
from liftgraph.model.lifted.parfactor import Parfactor, argument_names, atom_of
from liftgraph.model.memory_limit import MEMORY_LIMIT, checked_memory_limit

T = TypeVar("T", bound=RuleSet)


@dataclass(frozen=True, eq=False, repr=False)
class LearntTemplate(Generic[T]):
    """A template whose rules have potentials from data, and the data behind them.

    ``template``: with all potentials. ``rules``: what supports those that were learnt, in order;
    their rows are those for which a rule holds. ``prior``: the pseudo-counts, as they were given.
    ``runs``: those of expectation maximisation, if missing values were completed.
    """

    template: T
    rules: tuple[Support, ...]
    prior: Prior
    runs: tuple[EMRun, ...]

    @property
    def best_run(self) -> EMRun | None:
        """The run of EM that the potentials are from; None if nothing was completed."""
        return best_of(self.runs)

    def __repr__(self) -> str:
        return f"LearntTemplate({counted(len(self.rules), 'rule')} learnt)"

    def __str__(self) -> str:
        added = described(self.prior)
        told = "relative frequencies given the other arguments" + f", {added}" * bool(added)
        lines = [f"{counted(len(self.rules), 'rule')}: {told}", *run_lines(self.runs)]
        lines.append("rows for which they hold")
        for rule in self.rules:
            (rows,) = rule.rows
            what = "with gaps" if self.runs else "skipped because a value is missing"
            lacking = f", {rows.skipped:,} {what}" * (rows.skipped > 0)
            lines.append(f"  φ({', '.join(rule.scope)}): {rows.used:,}{lacking}")
        return "\n".join([*lines, *support_lines(self.rules)])

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def learn_rules(
    template: T,
    data: Sequence[Mapping[str, object]],
    prior: Prior,
    missing: Literal["skip"] | EM,
) -> LearntTemplate[T]:
    """The template with the potentials of its unknown rules learnt; see ``Template.learn``.

    ``data``: domains, relations and evidence.
    """
    if not isinstance(missing, EM) and missing != "skip":
        raise InputError(f"missing: expected 'skip' or lg.EM(…), got {quoted(missing)}")
    unknown = [place for place, rule in enumerate(template.rules) if not rule.known]
    added = _pseudo_counts(template, unknown, prior)
    limit = checked_memory_limit(missing.memory_limit) if isinstance(missing, EM) else MEMORY_LIMIT
    grounded = ground_rules(template, data, limit)
    completed, totals, runs = dict[int, Table](), dict[int, NDArray[Any]](), list[EMRun]()
    if isinstance(missing, EM):
        completed, totals, runs = _completed(grounded, added, missing)
    rules, supports = [*template.rules], list[Support]()
    for place in unknown:
        rule, child = rules[place], _child(rules[place])
        scope = tuple(argument_names(rule.parfactor.arguments))
        total = totals[place] if place in totals else grounded.counts(place)
        table = completed.get(place)
        if table is None:
            whole = np.asarray(total + added[place])
            table = counted_table(place, scope, whole, child)
        counts = (grounded.row_counts(place),)
        supports.append(support(scope, counts, total, table, child))
        rules[place] = replace(rule, parfactor=replace(rule.parfactor, potential=table), known=True)
    learnt = replace(template, rules=rules)
    return LearntTemplate(learnt, tuple(supports), prior, tuple(runs))


def _pseudo_counts(
    template: RuleSet, unknown: Sequence[int], prior: Prior
) -> dict[int, NDArray[Any]]:
    """What is added to the counts of each unknown rule; a mapping names the PRV of its child."""
    named: list[Counted] = []
    for place in unknown:
        parfactor = template.rules[place].parfactor
        if any(isinstance(constraint, Unordered) for constraint in parfactor.constraints):
            raise InputError("a rule to learn: expected ≠ on its logvars, got an unordered set")
        child = _child(template.rules[place])
        name = atom_of(parfactor.arguments[child]).prv.name
        named.append(Counted(name, parfactor.table.shape, child))
    return dict(zip(unknown, pseudo_counts(prior, named, True), strict=True))


def _child(rule: Rule) -> int:
    """The argument whose distribution a rule is. Precondition: it is one."""
    assert rule.parfactor.child is not None
    return rule.parfactor.child


def _completed(
    grounded: GroundRules, added: Mapping[int, NDArray[Any]], settings: EM
) -> tuple[dict[int, Table], dict[int, NDArray[Any]], list[EMRun]]:
    """The tables of unknown rules with gaps, the counts that are expected of them, and the runs."""
    one = np.ones(1, dtype=np.int64)

    def seen(states: NDArray[np.int32]) -> Observed:
        rows = ObservedRows(states[:, None], one)
        limit = checked_memory_limit(settings.memory_limit)
        return observed(grounded.structure, grounded.shapes, rows, limit)

    data = seen(grounded.states)
    uniform = {~size: np.full(size, 1 / size) for _, size in grounded.without_rule}
    rules = enumerate(grounded.template.rules)
    known = {place: _floats(rule.parfactor) for place, rule in rules if rule.known}
    learnt = Distributions(
        {place: _child(grounded.template.rules[place]) for place in added},
        {place: as_floats(table, "prior") for place, table in added.items()},
        {**known, **uniform},
    )
    tables, counts, runs = best_run(data, learnt, settings)
    # The weight of everything, if there are rules that are no distributions.
    total = expected_counts(seen(np.full_like(grounded.states, -1)), tables)[1]
    completed = {place: Table.of(tables[place]) for place in added if place in data.with_gaps}
    return (
        completed,
        {place: counts[place] for place in completed},
        [run.relative_to(total) for run in runs],
    )


def _floats(parfactor: Parfactor) -> NDArray[np.float64]:
    """The potentials of a rule; relative to the largest, unless it is a distribution.

    A scale changes no probability, and without one no potential is too large for a float.
    """
    table = parfactor.table
    largest = max(int(table.integers.max()), 1)
    scale = Fraction(1, largest) if parfactor.child is None else table.scale
    values = [float(int(integer) * scale) for integer in table.integers.flat]
    return np.array(values).reshape(table.shape)
