"""Writing parametric factor graphs directly: PRVs, counting variables and parfactors, checked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

from liftgraph.errors import InputError, quoted, short_traceback
from liftgraph.model.ground.names import BOOLEAN, checked_name, state_names
from liftgraph.model.ground.table import Table
from liftgraph.model.lifted.checks import check_parfactor, counted_number
from liftgraph.model.lifted.histograms import histograms
from liftgraph.model.lifted.logvars import (
    Constraint,
    LogVar,
    Unordered,
    check_constraints,
    check_logvars,
    check_swaps,
    checked_constraints,
)
from liftgraph.model.lifted.parfactor import (
    CRV,
    PRV,
    Argument,
    Atom,
    Parfactor,
    argument_names,
    atom_of,
    logvars_of,
)


@short_traceback
def prv(
    name: str,
    *logvars: LogVar,
    states: Sequence[str] | int = BOOLEAN,
    where: Iterable[Constraint] = (),
) -> PRV:
    """A parameterised random variable; papers write it ``Sick(P)``.

    ``states``: names, or how many there are (then called 0, 1, …). ``where``: ``different(X, Y)``
    or ``unordered(X, Y)``, if not every substitution of its logvars has a variable. Called with
    other logvars over its domains, ``sick(Q)``, it is an argument with these.

    >>> P = LogVar("P", 1_000_000)
    >>> prv("Sick", P).size
    1000000
    """
    check_logvars(f"PRV {name}", logvars)
    constraints = checked_constraints(f"PRV {name}", where)
    check_constraints(f"PRV {name}", logvars, constraints)
    check_swaps(f"PRV {name}", constraints)
    return PRV(checked_name(name), logvars, constraints, state_names(states))


@short_traceback
def crv(argument: Atom | PRV, *counted: LogVar, where: Iterable[Constraint] = ()) -> CRV:
    """The counting variable over some logvars of an argument, written #X[Sick(X)].

    ``where``: the constraints of its parfactor on what is counted, such as X ≠ Y.

    >>> X = LogVar("X", 3)
    >>> crv(prv("Sick", X), X).values
    4
    """
    atom = as_atom(argument)
    if len(set(counted)) < len(counted):
        raise InputError(f"{atom.prv.name}: expected to count over each logvar once")
    if not counted or not set(counted) <= set(atom.logvars):
        raise InputError(f"{atom.prv.name}: expected to count over some of its logvars")
    constraints = checked_constraints(atom.prv.name, where)
    if any(isinstance(constraint, Unordered) for constraint in constraints):
        raise InputError(f"{atom.prv.name}: expected ≠ on counted logvars, got an unordered set")
    return CRV(atom, counted, counted_number(counted, constraints))


def as_atom(argument: Atom | PRV) -> Atom:
    """An argument with its logvars; a PRV by itself has its own."""
    if isinstance(argument, PRV):
        return Atom(argument, argument.logvars)
    if not isinstance(argument, Atom):
        raise InputError(f"expected a PRV, with or without logvars, got {quoted(argument)}")
    return argument


@short_traceback
def parfactor(
    arguments: Sequence[Atom | PRV | CRV],
    values: object,
    where: Iterable[Constraint] = (),
    logvars: Sequence[LogVar] | None = None,
    child: Atom | PRV | None = None,
) -> Parfactor:
    """A parfactor over arguments; the potentials are what ``Table.of`` takes, nested or flat.

    Or they are a function of the arguments' values: the name of a state or, for a counting
    variable, how many individuals are in each state, by its name.

    ``where``: ``different(X, Y)`` or ``unordered(X, Y)``. ``logvars``: in the order of their
    substitution; those in no argument repeat the factors. ``child``: the argument whose
    distribution given the others this is, in a parametric causal factor graph.

    >>> from liftgraph import different
    >>> X = LogVar("X", 1000); Y = LogVar("Y", X)
    >>> smokes, friends = prv("Smokes", X), prv("Friends", X, Y, where=different(X, Y))
    >>> parfactor([smokes, smokes(Y), friends], [1, 2, 3, 4, 5, 6, 7, 8], different(X, Y)).size
    999000
    """
    if not isinstance(arguments, Sequence):
        raise InputError(
            f"expected the arguments of a parfactor in a list, got {quoted(arguments)}"
        )
    used = tuple(a if isinstance(a, CRV) else as_atom(a) for a in arguments)
    constraints = checked_constraints("a parfactor", where)
    title = f"parfactor on {', '.join(argument_names(used)) or 'nothing'}"
    order, counted = _ordered_logvars(title, used, logvars)
    check_logvars(title, (*order, *counted))
    check_constraints(title, (*order, *counted), constraints)
    shape = tuple(argument.values for argument in used)
    if callable(values):
        called = [values(*meant) for meant in product(*map(_meanings, used))]
        values = [int(value) if isinstance(value, bool) else value for value in called]
    table = values if isinstance(values, Table) else _table(title, values, shape)
    if table.shape != shape:
        raise InputError(f"{title}: expected a table of shape {shape}, got {table.shape}")
    place = None if child is None else _place_of(title, as_atom(child), used)
    checked = Parfactor(used, order, table, constraints, child=place)
    check_parfactor(title, checked)
    return checked


def _place_of(title: str, child: Atom, arguments: Sequence[Argument]) -> int:
    """The place of the child among the arguments."""
    if child not in arguments:
        raise InputError(f"{title}: expected one of its arguments as the child, got {child}")
    return arguments.index(child)


def _meanings(argument: Argument) -> Sequence[str] | list[dict[str, int]]:
    """What each value of an argument means."""
    states = atom_of(argument).prv.states
    if not isinstance(argument, CRV):
        return states
    rows = histograms(argument.number, len(states)).tolist()
    return [dict(zip(states, row, strict=True)) for row in rows]


def _ordered_logvars(
    title: str, arguments: Sequence[Argument], logvars: Sequence[LogVar] | None
) -> tuple[tuple[LogVar, ...], set[LogVar]]:
    """The logvars of a parfactor in the requested order, and the counted ones."""
    counted = {logvar for a in arguments if isinstance(a, CRV) for logvar in a.counted}
    used = dict.fromkeys(logvar for argument in arguments for logvar in logvars_of(argument))
    free = tuple(logvar for logvar in used if logvar not in counted)
    order = free if logvars is None else tuple(logvars)
    if not set(free) <= set(order) or len(set(order)) < len(order) or counted & set(order):
        raise InputError(f"{title}: expected all its logvars except the counted ones, each once")
    return order, counted


def _table(where: str, values: object, shape: tuple[int, ...]) -> Table:
    try:
        return Table.of(values, shape)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
