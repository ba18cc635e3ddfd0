"""Dynamic models from factor graphs of one day and of two.

All factors go into one graph, with one more argument that says what they are for, and each variable
is tied to itself tomorrow. What is lifted then has the same individuals today and tomorrow.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from liftgraph.errors import ComputationError, InputError, ZeroWeightError, quoted
from liftgraph.model.dynamic.dynamic import AFTER, Dynamic, after, of_a_day
from liftgraph.model.ground.builder import FactorGraphBuilder
from liftgraph.model.ground.counted import new_names
from liftgraph.model.ground.factor_graph import FactorGraph, checked_graph
from liftgraph.model.ground.table import Table
from liftgraph.model.lifted.builder import parfactor
from liftgraph.model.lifted.parfactor import CRV, PRV, Argument, Atom, Parfactor, atom_of
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.symmetry.lifting.lift import lift

_START, _STEP, _OBSERVE, _TIE = range(4)  # what a factor is for
_Tomorrow = dict[PRV, tuple[PRV, tuple[int, ...]]]  # the PRV of today, and its logvars' places


def lift_dynamic(
    start: FactorGraph,
    step: FactorGraph,
    observe: FactorGraph | None = None,
    *,
    tomorrow: Mapping[str, str] | None = None,
) -> Dynamic:
    """The dynamic model of factor graphs, lifted: about the first day, about a day and the next
    one, and about any single day.

    ``tomorrow``: the names in ``step`` of the variables of the next day, by their names today. By
    default the part before the first dot, or the whole name, gets a ``'``: ``Sick'.alice``. Tables
    are compared exactly, also those of floats. Observations name variables as the graphs do.

    >>> builder = FactorGraphBuilder()
    >>> _ = builder.add_variables(["Sick.alice", "Sick.bob"])
    >>> _ = builder.add_factor(["Sick.alice"], [1, 9]), builder.add_factor(["Sick.bob"], [1, 9])
    >>> steps = FactorGraphBuilder()
    >>> _ = steps.add_variables(["Sick.alice", "Sick.bob", "Sick'.alice", "Sick'.bob"])
    >>> _ = steps.add_factor(["Sick.alice", "Sick'.alice"], [3, 1, 1, 3])
    >>> _ = steps.add_factor(["Sick.bob", "Sick'.bob"], [3, 1, 1, 3])
    >>> model = lift_dynamic(builder.build(), steps.build())
    >>> model, model.filter([None, None], "Sick.bob", exact=True)[1].exact["true"]
    (Dynamic(Sick; parfactors: 1 in start, 1 in step, 0 in observe), Fraction(3, 10))
    """
    graphs = {_START: start, _STEP: step}
    if observe is not None:
        graphs[_OBSERVE] = observe
    for graph in graphs.values():
        if len(checked_graph(graph).evidence):
            raise InputError("expected graphs without evidence: give observations with questions")
    pairs = _pairs(graphs, tomorrow)
    apart: set[str] = set()
    while True:
        joint, purpose = _joint(graphs, pairs, sorted(apart))
        lifted = lift(joint, tolerance=0)
        groups = _by_purpose(lifted, purpose)
        crossed = _crossed(lifted, groups[_TIE], pairs)
        if not crossed:
            return _dynamic(lifted, groups, pairs)
        if crossed <= apart:  # variables with one state cannot be told apart
            raise ComputationError(f"{min(crossed)}: cannot be followed from day to day")
        apart |= crossed


def _pairs(graphs: Mapping[int, FactorGraph], tomorrow: Mapping[str, str] | None) -> dict[str, str]:
    """The names of all variables of a day, with those of the next day."""
    in_step = _names(graphs[_STEP])
    if tomorrow is None:
        later = [name for name in in_step if name.partition(".")[0].endswith(AFTER)]
        tomorrow = {_today(name): name for name in later}
    elif not isinstance(tomorrow, Mapping):
        raise InputError(f"expected names of tomorrow, by those of today, got {quoted(tomorrow)}")
    for name in tomorrow.values():
        if name not in in_step:
            raise InputError(f"step: expected a variable {name} of tomorrow, got none")
    listed = [*_names(graphs[_START]), *in_step, *_names(graphs.get(_OBSERVE)), *tomorrow]
    ahead = set(tomorrow.values())
    today = [name for name in dict.fromkeys(listed) if name not in ahead]
    for name in _names(graphs[_START]) + _names(graphs.get(_OBSERVE)):
        if name in ahead:
            raise InputError(f"expected variables of tomorrow only in the step, got {name}")
    free = iter(new_names(listed, [f"{name}{AFTER}" for name in today]))
    return {name: tomorrow.get(name, unused) for name, unused in zip(today, free, strict=True)}


def _today(name: str) -> str:
    stem, dot, rest = name.partition(".")
    return stem.removesuffix(AFTER) + dot + rest


def _names(graph: FactorGraph | None) -> list[str]:
    return [] if graph is None else [*graph.variables]


def _joint(
    graphs: Mapping[int, FactorGraph], pairs: Mapping[str, str], apart: Sequence[str]
) -> tuple[FactorGraph, str]:
    """A graph of all factors, with an argument for their purpose; and its name.

    ``apart``: variables that must not be in one group.
    """
    states: dict[str, tuple[str, ...]] = {}
    for graph in graphs.values():
        for variable in range(graph.variable_count):
            name = graph.name(variable)
            if states.setdefault(name, graph.states(variable)) != graph.states(variable):
                raise InputError(f"{name}: expected the same states in all graphs")
    builder = FactorGraphBuilder()
    for name, later in pairs.items():
        own = states.get(name, states.get(later))
        if own is None or states.get(later, own) != own:
            raise InputError(f"{later}: expected the states of {name}")
        builder.add_variable(name, own)
        builder.add_variable(later, own)
    purpose = new_names([*pairs, *pairs.values()], ["purpose"])[0]
    builder.add_variable(purpose, 4)
    for kind, graph in graphs.items():
        for factor in range(graph.factor_count):
            scope, table = graph.factors[factor].parts
            listed = [graph.name(variable) for variable in scope]
            if not table.integers.any():
                raise ZeroWeightError(f"factor on {', '.join(listed)}: all its potentials are zero")
            builder.add_factor([*listed, purpose], _for_purpose(table, kind))
    for name, later in pairs.items():
        size = len(states.get(name, states.get(later, ())))
        # No exchange of arguments leaves this as it is, and no other factor has this purpose.
        tie = Table.of(np.arange(1, size * size + 1).reshape(size, size))
        builder.add_factor([name, later, purpose], _for_purpose(tie, _TIE))
        if name in apart:
            own_weights = [1, *[apart.index(name) + 2] * (size - 1)]
            builder.add_factor([name, purpose], _for_purpose(Table.of(own_weights), _TIE))
    return builder.build(), purpose


def _for_purpose(table: Table, kind: int) -> Table:
    """A table that only has weight for its purpose."""
    integers = np.zeros((*table.shape, 4), dtype=table.integers.dtype)
    integers[..., kind] = table.integers
    return Table(integers, table.scale, table.measured)


def _by_purpose(lifted: ParfactorGraph, purpose: str) -> dict[int, list[Parfactor]]:
    """The parfactors for each purpose, without the argument that says it."""
    groups: dict[int, list[Parfactor]] = {kind: [] for kind in range(4)}
    for each in lifted.parfactors:
        names = [atom_of(argument).prv.name for argument in each.arguments]
        place = names.index(purpose)
        integers = np.moveaxis(each.table.integers, place, -1)
        kind = int(np.flatnonzero(integers.reshape(-1, 4).any(axis=0))[0])
        arguments = each.arguments[:place] + each.arguments[place + 1 :]
        table = Table(integers[..., kind].copy(), each.table.scale)
        groups[kind].append(replace(each, arguments=arguments, potential=table))
    return groups


def _crossed(
    lifted: ParfactorGraph, ties: Sequence[Parfactor], pairs: Mapping[str, str]
) -> set[str]:
    """Variables that are not tied to themselves, but to others: of two individuals X and Y, X ≠ Y
    says which is which, too."""
    prvs = {
        atom_of(argument).prv
        for tie in ties
        if len(tie.arguments) == 2 and tie.constraints
        for argument in tie.arguments
    }
    return {name for name in pairs if lifted.prvs[lifted.locate(name)[0]] in prvs}


def _dynamic(
    lifted: ParfactorGraph, groups: Mapping[int, list[Parfactor]], pairs: Mapping[str, str]
) -> Dynamic:
    """The dynamic model of a lifted graph of all factors."""
    today = {lifted.prvs[lifted.locate(name)[0]] for name in pairs}
    ties = [_ordered(tie, today) for tie in groups[_TIE] if len(tie.arguments) == 2]
    own = _names_of_today([atom.prv for atom, _ in ties])
    later = _later(ties)
    listed = [[_renamed(p, own, later) for p in groups[kind]] for kind in (_START, _STEP, _OBSERVE)]
    used = {of_a_day(atom_of(a).prv) for some in listed for p in some for a in p.arguments}
    unused = [prv for prv in own.values() if prv not in used]
    listed[2] += [parfactor([prv], [1] * len(prv.states), prv.constraints) for prv in unused]
    return Dynamic(*listed, names=_own_names(lifted, own, pairs))


def _ordered(tie: Parfactor, today: Container[PRV]) -> tuple[Atom, Atom]:
    """What is tied together, today's variables first."""
    first, second = map(atom_of, tie.arguments)
    return (first, second) if first.prv in today else (second, first)


def _later(ties: Sequence[tuple[Atom, Atom]]) -> _Tomorrow:
    """The PRV of today of each PRV of tomorrow."""
    later: _Tomorrow = {}
    for today, tomorrow in ties:
        places = tuple([tomorrow.logvars.index(logvar) for logvar in today.logvars])
        later[tomorrow.prv] = today.prv, places
    return later


def _names_of_today(prvs: Iterable[PRV]) -> dict[PRV, PRV]:
    """The PRVs of today under names that are not those of tomorrow."""
    renamed: dict[PRV, PRV] = {}
    used: set[str] = set()
    for prv in prvs:
        name = prv.name.rstrip(AFTER) or "_"
        while name in used:
            name += "_"
        used.add(name)
        renamed[prv] = replace(prv, name=name)
    return renamed


def _renamed(given: Parfactor, own: Mapping[PRV, PRV], later: _Tomorrow) -> Parfactor:
    """A parfactor with the PRVs of tomorrow as those of today, on the next day."""

    def renamed(atom: Atom) -> Atom:
        if atom.prv not in later:
            return Atom(own[atom.prv], atom.logvars)
        prv, places = later[atom.prv]
        return Atom(after(own[prv]), tuple([atom.logvars[place] for place in places]))

    def argument(one: Argument) -> Argument:
        return replace(one, atom=renamed(one.atom)) if isinstance(one, CRV) else renamed(one)

    return replace(given, arguments=tuple(map(argument, given.arguments)))


def _own_names(
    lifted: ParfactorGraph, own: Mapping[PRV, PRV], pairs: Mapping[str, str]
) -> dict[str, str]:
    """How the variables of the given graphs are called in the dynamic model."""
    prvs = tuple(own.values())
    day = ParfactorGraph.of([], prvs)
    names: dict[str, str] = {}
    for name in pairs:
        place, individuals = lifted.locate(name)
        names[name] = day.name((prvs.index(own[lifted.prvs[place]]), individuals))
    return names
