"""The parametric factor graph of a structure: its logvars, PRVs and parfactors, and the origin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.table import Table
from liftgraph.model.lifted.histograms import histogram_states
from liftgraph.model.lifted.logvars import Constraint, Different, Domain, LogVar, Unordered
from liftgraph.model.lifted.origin import Origin
from liftgraph.model.lifted.parfactor import CRV, PRV, Argument, Atom, Parfactor
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.model.lifted.substitutions import Pattern, numbering
from liftgraph.symmetry.colours.colouring import Colouring
from liftgraph.symmetry.lifting.given_factors import (
    GivenFactors,
    given_factors,
    near_tables,
    parfactor_table,
    write_order,
)
from liftgraph.symmetry.lifting.naming import named, prv_names
from liftgraph.symmetry.structure.fitting import Fit
from liftgraph.symmetry.structure.parfactor_fit import FittedArgument, FittedRows
from liftgraph.symmetry.structure.structure import Structure


@dataclass(frozen=True, slots=True)
class _Naming:
    """What everything is called: domains by number, PRVs by group, and the order of each group's
    coordinates in its PRV."""

    domains: dict[int, Domain]
    prvs: list[PRV]
    orders: list[tuple[int, ...]]


def lifted_model(
    graph: FactorGraph, colouring: Colouring, found: Structure, singled_out: NDArray[np.int32]
) -> ParfactorGraph:
    """The parametric factor graph a structure describes. Precondition: it is complete."""
    naming = _named(graph, found)
    known = given_factors(graph, colouring)
    parfactors = []
    for group, members in enumerate(found.groups.factors):
        made = _parfactor(graph, colouring, found, naming, known, group)
        parfactors.append((int(members[0]), group, made))
    parfactors.sort(key=lambda each: each[0])
    by_first = sorted(
        range(len(naming.prvs)), key=lambda each: int(found.groups.variables[each][0])
    )
    model = ParfactorGraph(
        tuple(naming.prvs[group] for group in by_first), tuple(each for _, _, each in parfactors)
    )
    start = np.array(model.factor_start[:-1], dtype=np.int64)
    first = np.empty(len(parfactors), dtype=np.int64)
    first[[group for _, group, _ in parfactors]] = start
    origin = Origin(
        graph.names,
        _variable_numbers(graph, found, naming, model, by_first),
        known.place + first[colouring.factor_colours],
        known.order,
        known.scale_id,
        tuple(known.scales),
        singled_out,
        colouring.tolerance,
        float(colouring.log_odds_bounds[known.near].sum()),
        *near_tables(graph, known),
    )
    return ParfactorGraph(model.prvs, model.parfactors, origin)


def _named(graph: FactorGraph, found: Structure) -> _Naming:
    domains, by_group = named(graph, found)
    prvs, orders = [], []
    for group, (name, members) in enumerate(
        zip(prv_names(graph, found), found.groups.variables, strict=True)
    ):
        variable = int(members[0])
        order = by_group.get(group, ())
        own = found.coordinates.of.get(group, ())
        in_order = _logvars([domains[own[place].domain] for place in order])
        logvars = [in_order[order.index(place)] for place in range(len(own))]
        constraints = _constraints(logvars, found.patterns[group]) if own else ()
        states, observed = graph.states(variable), graph.evidence.get(variable)
        prvs.append(PRV(name, tuple(in_order), constraints, states, observed))
        orders.append(order)
    return _Naming(domains, prvs, orders)


def _logvars(domains: list[Domain]) -> list[LogVar]:
    """A logvar over each domain; further ones over the same get a prime each."""
    used: Counter[str] = Counter()
    logvars = []
    for domain in domains:
        logvars.append(LogVar(domain.name + "'" * used[domain.name], domain))
        used[domain.name] += 1
    return logvars


def _constraints(logvars: list[LogVar], given: Pattern) -> tuple[Constraint, ...]:
    pairs = (Different(logvars[a], logvars[b]) for a, b in sorted(given.different))
    sets = (Unordered(tuple(logvars[place] for place in each)) for each in given.unordered)
    return (*pairs, *sets)


def _variable_numbers(
    graph: FactorGraph,
    found: Structure,
    naming: _Naming,
    model: ParfactorGraph,
    by_first: list[int],
) -> NDArray[np.int64]:
    """The number of each given variable in the model, int64 (n,)."""
    numbers = np.empty(graph.variable_count, dtype=np.int64)
    for place, group in enumerate(by_first):
        own = found.coordinates.of.get(group, ())
        columns = [own[each].individuals for each in naming.orders[group]]
        inside = model.numbering(place).numbers(columns) if own else 0
        numbers[found.groups.variables[group]] = model.variable_start[place] + inside
    return numbers


def _parfactor(
    graph: FactorGraph,
    colouring: Colouring,
    found: Structure,
    naming: _Naming,
    known: GivenFactors,
    group: int,
) -> Parfactor:
    members = found.groups.factors[group]
    table, scales = parfactor_table(graph, colouring, known, members)
    rows = found.groups.rows.get(group)
    if rows is None:
        start = graph.scope_ptr[members[0]]
        order = colouring.argument_order[start : graph.scope_ptr[members[0] + 1]]
        groups = colouring.variable_colours[graph.scope[start + order]].tolist()
        arguments: tuple[Argument, ...] = tuple(Atom(naming.prvs[each], ()) for each in groups)
        known.place[members] = np.arange(len(members))
        copies = _copies(group, len(members))
        return Parfactor(arguments, copies, table, (), scales)
    write_order(graph, colouring, known, rows, found.fitted[group])
    return _with_logvars(found, naming, known, found.fitted[group], table, scales, group)


def _copies(group: int, number: int) -> tuple[LogVar, ...]:
    """A logvar in no argument, for factors that occur more than once."""
    return (LogVar("N", Domain(f"N{group}", number)),) if number > 1 else ()


def _with_logvars(
    found: Structure,
    naming: _Naming,
    known: GivenFactors,
    fitted: FittedRows,
    table: Table,
    scales: tuple[tuple[Fraction, int], ...],
    group: int,
) -> Parfactor:
    described, members = fitted.fit, found.groups.factors[group]
    domains = [*described.domains, *_counted_domains(found, fitted)]
    logvars = _logvars([naming.domains[domain] for domain in domains])
    free, counted = logvars[: len(described.domains)], iter(logvars[len(described.domains) :])
    constraints = list(_constraints(free, described.pattern))
    arguments: list[Argument] = []
    for each in fitted.arguments:
        own = [next(counted) if s < 0 else free[described.logvar[s]] for s in each.slots]
        atom = Atom(naming.prvs[each.group], tuple(own[q] for q in naming.orders[each.group]))
        over = tuple(logvar for logvar, s in zip(own, each.slots, strict=True) if s < 0)
        arguments.append(CRV(atom, over, len(each.columns)) if over else atom)
        if each.but is not None:
            constraints.append(Different(free[described.logvar[each.but]], over[0]))
    known.place[members] = _places(described)
    repeated = _copies(group, described.copies)
    return Parfactor(
        tuple(arguments),
        (*free, *repeated),
        replace(table, integers=_counting(table, fitted.arguments)),
        tuple(constraints),
        scales,
    )


def _counted_domains(found: Structure, fitted: FittedRows) -> Iterator[int]:
    for argument in fitted.arguments:
        own = found.coordinates.of.get(argument.group, ())
        for coordinate, slot in zip(own, argument.slots, strict=True):
            if slot < 0:
                yield coordinate.domain


def _places(described: Fit) -> NDArray[np.int64]:
    """The number of each row among the substitutions, copies one after the other."""
    if not described.columns:
        return np.arange(described.copies)
    number = numbering(described.pattern).numbers(described.columns)
    if described.copies == 1:
        return number
    place = np.empty_like(number)
    place[np.argsort(number, kind="stable")] = np.arange(len(number))
    return place


def _counting(table: Table, arguments: Sequence[FittedArgument]) -> NDArray[Any]:
    """The integers with an axis for each argument: for counted ones, a histogram's entry is that
    of any assignment with this histogram."""
    integers = table.integers.transpose([c for each in arguments for c in each.columns])
    for axis, each in enumerate(arguments):
        number = len(each.columns)
        if each.counts:
            states = histogram_states(number, integers.shape[axis])
            moved = np.moveaxis(integers, range(axis, axis + number), range(number))
            integers = np.moveaxis(moved[tuple(states.T)], 0, axis)
    return integers.copy()
