"""The parametric factor graph of a structure: its parfactors, and what it takes to get the given
factors back from them (the origin)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.model.arrays import NO_INDICES, inverse
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.table import Table
from liftgraph.model.lifted.histograms import histogram_states
from liftgraph.model.lifted.logvars import Different, Domain, LogVar
from liftgraph.model.lifted.origin import Origin
from liftgraph.model.lifted.parfactor import CRV, Argument, Atom, Parfactor
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.model.lifted.renamings import COUNTED
from liftgraph.model.lifted.substitutions import numbering
from liftgraph.symmetry.colours.colouring import Colouring
from liftgraph.symmetry.lifting.name_arrays import NameArrays
from liftgraph.symmetry.lifting.naming import Vocabulary, constraints_on, logvars_over, vocabulary
from liftgraph.symmetry.structure.factor_rows import aligned_scopes
from liftgraph.symmetry.structure.fitting import Fit
from liftgraph.symmetry.structure.parfactor_fit import FittedArgument, FittedRows
from liftgraph.symmetry.structure.structure import Structure

Scales = tuple[tuple[Fraction, int], ...]  # scales, and how many factors have each


@dataclass(slots=True)
class _GivenFactors:
    """How the given factors follow from parfactors, filled in parfactor by parfactor.

    ``place``: int64 (m,), the index of each factor within its parfactor. ``argument_order``: int8
    (e,). ``scale_id``: int32 (m,), of ``scales``, which are distinct, 1 first. ``near``: bool (m,),
    whether the parfactor's table is only near the given one. ``tables``: those of the parfactors so
    far, by class, scale and whether they were measured.
    """

    place: NDArray[np.int64]
    argument_order: NDArray[np.integer[Any]]
    scale_id: NDArray[np.int32]
    scales: list[Fraction]
    near: NDArray[np.bool_]
    tables: dict[tuple[int, Fraction, bool], Table] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Lifting:
    """Everything from which parfactors are made."""

    graph: FactorGraph
    colouring: Colouring
    structure: Structure
    vocabulary: Vocabulary
    given: _GivenFactors


def lifted_model(
    graph: FactorGraph,
    colouring: Colouring,
    structure: Structure,
    singled_out: NDArray[np.int32],
    names: NameArrays | None,
) -> ParfactorGraph:
    """The parametric factor graph that a structure describes. Precondition: it is complete.

    ``names``: those of the graph in arrays, if it has any. PRVs and parfactors are listed in the
    order of their first variables and factors.
    """
    given = _given_factors(graph, colouring)
    words = vocabulary(graph, structure, names)
    lifting = _Lifting(graph, colouring, structure, words, given)
    parfactors = [_parfactor(lifting, group) for group in range(len(structure.groups.factors))]
    factor_groups = _by_first_member(structure.groups.factors)
    variable_groups = _by_first_member(structure.groups.variables)
    model = ParfactorGraph(
        tuple(lifting.vocabulary.prvs[group] for group in variable_groups),
        tuple(parfactors[group] for group in factor_groups),
    )
    start = np.empty(len(parfactors), dtype=np.int64)
    start[factor_groups] = model.factor_start[:-1]
    origin = Origin(
        graph.names,
        _variable_numbers(lifting, model, variable_groups),
        given.place + start[colouring.factor_colours],
        given.argument_order,
        given.scale_id,
        tuple(given.scales),
        singled_out,
        colouring.tolerance,
        float(colouring.log_odds_bounds[given.near].sum()),
        *_near_tables(graph, given.near),
        colouring.given_up,
        graph.prvs,
        graph.likelihood_count,
    )
    return ParfactorGraph(model.prvs, model.parfactors, origin)


def _by_first_member(groups: Sequence[NDArray[np.intp]]) -> list[int]:
    return sorted(range(len(groups)), key=lambda group: int(groups[group][0]))


def _given_factors(graph: FactorGraph, colouring: Colouring) -> _GivenFactors:
    """The scales and aligned orders of all factors, with no places yet."""
    alignments = colouring.classes.alignments
    scale_index = {Fraction(1): 0}
    ids = [scale_index.setdefault(alignment.scale, len(scale_index)) for alignment in alignments]
    deviates = np.array([alignment.deviation > 0 for alignment in alignments], dtype=np.bool_)
    return _GivenFactors(
        np.zeros(graph.factor_count, dtype=np.int64),
        colouring.argument_order.copy(),
        np.array(ids, dtype=np.int32)[colouring.table_id],
        list(scale_index),
        deviates[colouring.table_id],
    )


def _near_tables(
    graph: FactorGraph, near: NDArray[np.bool_]
) -> tuple[tuple[Table, ...], NDArray[np.int32]]:
    """The tables that are only near those of their parfactors, and which of them each factor has,
    int32 (m,), or -1."""
    factors = np.flatnonzero(near)
    if not len(factors):
        return (), NO_INDICES
    used, index = np.unique(graph.table_id[factors], return_inverse=True)
    near_id = np.full(graph.factor_count, -1, dtype=np.int32)
    near_id[factors] = index
    return tuple(graph.potentials[table_id].table() for table_id in used.tolist()), near_id


def _variable_numbers(
    lifting: _Lifting, model: ParfactorGraph, variable_groups: Sequence[int]
) -> NDArray[np.int64]:
    """The number of each given variable in the model, int64 (n,)."""
    numbers = np.empty(lifting.graph.variable_count, dtype=np.int64)
    for prv_index, group in enumerate(variable_groups):
        coordinates = lifting.structure.coordinates.of.get(group, ())
        individuals = [coordinates[index].individuals for index in lifting.vocabulary.orders[group]]
        within_prv = model.numbering(prv_index).numbers(individuals) if coordinates else 0
        members = lifting.structure.groups.variables[group]
        numbers[members] = model.variable_start[prv_index] + within_prv
    return numbers


def _parfactor(lifting: _Lifting, group: int) -> Parfactor:
    """The parfactor of a group of factors; their places and argument orders are written down."""
    members = lifting.structure.groups.factors[group]
    table, scales = _table(lifting, members)
    fitted = lifting.structure.fitted.get(group)
    if fitted is not None:
        return _with_logvars(lifting, group, fitted, table, scales)
    variables = aligned_scopes(lifting.graph, lifting.colouring, members[:1])[0]
    groups = lifting.colouring.variable_colours[variables].tolist()
    arguments = tuple(Atom(lifting.vocabulary.prvs[prv_group], ()) for prv_group in groups)
    lifting.given.place[members] = np.arange(len(members))
    return Parfactor(arguments, _copies(group, len(members)), table, (), scales)


def _copies(group: int, copy_count: int) -> tuple[LogVar, ...]:
    """A logvar that is in no argument, for factors that occur more than once."""
    return (LogVar("N", Domain(f"N{group}", copy_count)),) if copy_count > 1 else ()


def _table(lifting: _Lifting, members: NDArray[np.intp]) -> tuple[Table, Scales]:
    """The table of a group of factors, and the scales it is multiplied with, if they differ."""
    graph, colouring, given = lifting.graph, lifting.colouring, lifting.given
    own_table = _common_near_table(graph, colouring, members)
    if own_table is not None:
        given.near[members], given.scale_id[members] = False, 0
        return own_table, ()
    table_class = int(colouring.classes.class_of[colouring.table_id[members[0]]])
    scale, scales = _scales(given, members)
    table_ids = set(graph.table_id[members].tolist())
    measured = any(graph.potentials[table_id].measured for table_id in table_ids)
    key = table_class, scale, measured
    if key not in given.tables:
        representative = colouring.classes.representatives[table_class]
        given.tables[key] = Table(representative.integers, representative.scale * scale, measured)
    return given.tables[key], scales


def _common_near_table(
    graph: FactorGraph, colouring: Colouring, members: NDArray[np.intp]
) -> Table | None:
    """The table of all these factors, aligned, if they have the same one and it is only near its
    representative: then the parfactor can have that table, exactly.

    Not if it is less symmetric than the representative: arguments were ordered only up to the
    symmetries of that one.
    """
    index = int(colouring.table_id[members[0]])
    alignment = colouring.classes.alignments[index]
    if not alignment.deviation or (colouring.table_id[members] != index).any():
        return None
    table = graph.potentials[int(graph.table_id[members[0]])].table()
    integers = table.integers.transpose(alignment.permutation)
    symmetries = colouring.symmetries[colouring.classes.class_of[index]].generators
    if not all(np.array_equal(integers, integers.transpose(order)) for order in symmetries):
        return None
    return replace(table, integers=integers.copy())


def _scales(given: _GivenFactors, members: NDArray[np.intp]) -> tuple[Fraction, Scales]:
    """The scale that all these factors share; or 1, and how many factors have each scale."""
    scale_ids = given.scale_id[members]
    first = scale_ids[0]
    if (scale_ids == first).all():
        given.scale_id[members] = 0
        return given.scales[first], ()
    ids, counts = np.unique(scale_ids, return_counts=True)
    scales = [given.scales[scale_id] for scale_id in ids.tolist()]
    return Fraction(1), tuple(zip(scales, counts.tolist(), strict=True))


def _with_logvars(
    lifting: _Lifting, group: int, fitted: FittedRows, table: Table, scales: Scales
) -> Parfactor:
    words, fit = lifting.vocabulary, fitted.fit
    domains = [*fit.domains, *_counted_domains(lifting.structure, fitted.arguments)]
    logvars = logvars_over([words.domains[domain] for domain in domains])
    free, counted = logvars[: len(fit.domains)], iter(logvars[len(fit.domains) :])
    constraints = list(constraints_on(free, fit.pattern))
    arguments: list[Argument] = []
    for fitted_argument in fitted.arguments:
        indices, prv_group = fitted_argument.occurrences, fitted_argument.group
        atom_logvars = [next(counted) if k == COUNTED else free[fit.logvar_of[k]] for k in indices]
        over = tuple(atom_logvars[q] for q, k in enumerate(indices) if k == COUNTED)
        atom = Atom(words.prvs[prv_group], tuple(atom_logvars[q] for q in words.orders[prv_group]))
        arguments.append(CRV(atom, over, len(fitted_argument.columns)) if over else atom)
        if fitted_argument.different_from is not None:
            logvar = free[fit.logvar_of[fitted_argument.different_from]]
            constraints.append(Different(logvar, over[0]))
    _write_down(lifting, group, fitted)
    return Parfactor(
        tuple(arguments),
        (*free, *_copies(group, fit.copies)),
        replace(table, integers=_counting(table, fitted.arguments)),
        tuple(constraints),
        scales,
    )


def _counted_domains(structure: Structure, arguments: Sequence[FittedArgument]) -> list[int]:
    return [
        coordinate.domain
        for argument in arguments
        for coordinate, index in zip(
            structure.coordinates.of.get(argument.group, ()), argument.occurrences, strict=True
        )
        if index == COUNTED
    ]


def _write_down(lifting: _Lifting, group: int, fitted: FittedRows) -> None:
    """Write down the place of each factor, and which places of its scope the arguments have."""
    given, members = lifting.given, lifting.structure.groups.factors[group]
    given.place[members] = _places(fitted.fit)
    columns = [column for argument in fitted.arguments for column in argument.columns]
    start, order = lifting.graph.scope_ptr[members], lifting.colouring.argument_order
    for place, column in enumerate(columns):
        given.argument_order[start + place] = order[start + fitted.order[:, column]]


def _places(fit: Fit) -> NDArray[np.integer[Any]]:
    """The index of each row among the substitutions, copies one after the other."""
    if not fit.individuals:
        return np.arange(fit.copies)
    substitution = numbering(fit.pattern).numbers(fit.individuals)
    if fit.copies == 1:
        return substitution
    return inverse(np.argsort(substitution, kind="stable"))


def _counting(table: Table, arguments: Sequence[FittedArgument]) -> NDArray[Any]:
    """The integers with an axis for each argument. On the axis of a counting variable, the entry
    of a histogram is that of any assignment with this histogram."""
    columns = [column for argument in arguments for column in argument.columns]
    integers = table.integers.transpose(columns)
    for axis, argument in enumerate(arguments):
        if argument.counts:
            width = len(argument.columns)
            states = histogram_states(width, integers.shape[axis])
            moved = np.moveaxis(integers, range(axis, axis + width), range(width))
            integers = np.moveaxis(moved[tuple(states.T)], 0, axis)
    return integers.copy()
