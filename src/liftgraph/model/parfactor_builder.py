"""Writing parametric factor graphs directly: PRVs, counting variables and parfactors, checked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, pairwise

import numpy as np

from liftgraph.errors import InputError
from liftgraph.model.logvars import (
    Constraint,
    Different,
    LogVar,
    Unordered,
    check_constraints,
    constrained,
)
from liftgraph.model.names import BOOLEAN, checked_name, state_names
from liftgraph.model.parfactor import (
    CRV,
    PRV,
    Argument,
    Atom,
    Parfactor,
    argument_names,
    logvars_of,
)
from liftgraph.model.substitutions import count, pattern
from liftgraph.model.table import Table


def prv(
    name: str,
    *logvars: LogVar,
    states: Sequence[str] | int = BOOLEAN,
    where: Iterable[Constraint] = (),
) -> PRV:
    """A parameterised random variable, as ``Sick(P)`` is written in a paper.

    >>> P = LogVar("P", 1_000_000)
    >>> prv("Sick", P).size
    1000000
    """
    constraints = tuple(where)
    if len(set(logvars)) < len(logvars):
        raise InputError(f"PRV {name}: expected different logvars, got one twice")
    check_constraints(f"PRV {name}", logvars, constraints)
    return PRV(checked_name(name), logvars, constraints, state_names(states))


def crv(argument: Atom | PRV, *counted: LogVar, where: Iterable[Constraint] = ()) -> CRV:
    """The counting variable over some logvars of an argument, written #X[Sick(X)].

    ``where``: the constraints of its parfactor that say who is not counted, such as X ≠ Y.

    >>> X = LogVar("X", 3)
    >>> crv(prv("Sick", X), X).values
    4
    """
    atom = _atom(argument)
    if not counted or not set(counted) <= set(atom.logvars):
        raise InputError(f"{atom.prv.name}: expected to count over some of its logvars")
    constraints = tuple(where)
    if any(isinstance(each, Unordered) for each in constraints):
        raise InputError(f"{atom.prv.name}: expected ≠ on counted logvars, got an unordered set")
    return CRV(atom, counted, _counted_number(counted, constraints))


def _counted_number(counted: Sequence[LogVar], constraints: Sequence[Constraint]) -> int:
    """How many substitutions of the counted logvars each substitution of the others leaves.

    Those they must differ from have to be different themselves, or it would depend.
    """
    others = {each for one in constraints for each in constrained(one)} - set(counted)
    everyone = (*counted, *sorted(others, key=lambda logvar: logvar.name))
    apart = [Different(a, b) for a in others for b in others if a.name < b.name]
    both = count(pattern(everyone, [*constraints, *apart]))
    alone = count(pattern(everyone[len(counted) :], apart))
    return both // alone if alone else 0


def _atom(argument: Atom | PRV) -> Atom:
    return Atom(argument, argument.logvars) if isinstance(argument, PRV) else argument


def parfactor(
    arguments: Sequence[Atom | PRV | CRV],
    values: object,
    where: Iterable[Constraint] = (),
    logvars: Sequence[LogVar] | None = None,
) -> Parfactor:
    """A parfactor over arguments, given what ``Table.of`` takes, nested or flat.

    ``where``: ``different(X, Y)`` or ``unordered(X, Y)``. ``logvars``: in the order in which
    they are to be substituted, and more of them to repeat the factors.

    >>> from liftgraph import different
    >>> X = LogVar("X", 1000); Y = LogVar("Y", X)
    >>> smokes, friends = prv("Smokes", X), prv("Friends", X, Y, where=different(X, Y))
    >>> parfactor([smokes, smokes(Y), friends], [1, 2, 3, 4, 5, 6, 7, 8], different(X, Y)).size
    999000
    """
    used = tuple(
        argument if isinstance(argument, CRV) else _atom(argument) for argument in arguments
    )
    constraints = tuple(where)
    counted = {logvar for each in used if isinstance(each, CRV) for logvar in each.counted}
    found = dict.fromkeys(logvar for each in used for logvar in logvars_of(each))
    free = tuple(logvar for logvar in found if logvar not in counted)
    order = free if logvars is None else tuple(logvars)
    where_ = f"parfactor on {', '.join(argument_names(used)) or 'nothing'}"
    if not set(free) <= set(order) or len(set(order)) < len(order) or counted & set(order):
        raise InputError(f"{where_}: expected all its logvars but the counted ones, each once")
    check_constraints(where_, (*order, *counted), constraints)
    shape = tuple(each.values for each in used)
    table = values if isinstance(values, Table) else _table(where_, values, shape)
    if table.shape != shape:
        raise InputError(f"{where_}: expected a table of shape {shape}, got {table.shape}")
    made = Parfactor(used, order, table, constraints)
    check_parfactor(where_, made)
    return made


def _table(where: str, values: object, shape: tuple[int, ...]) -> Table:
    try:
        return Table.of(values, shape)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def check_parfactor(where: str, given: Parfactor) -> None:
    """Refuse arguments that may coincide or do not exist, and unordered sets that matter."""
    apart = _apart(given)
    atoms = [each.atom if isinstance(each, CRV) else each for each in given.arguments]
    for one, other in combinations(atoms, 2):
        if one.prv == other.prv and not any(
            frozenset(pair) in apart for pair in zip(one.logvars, other.logvars, strict=True)
        ):
            raise InputError(
                f"{where}: expected {one.prv.name} never twice of the same individuals"
            )
    for argument, atom in zip(given.arguments, atoms, strict=True):
        renamed = dict(zip(atom.prv.logvars, atom.logvars, strict=True))
        for constraint in atom.prv.constraints:
            for pair in _pairs(constraint):
                if frozenset(renamed[each] for each in pair) not in apart:
                    first, second = (renamed[each].name for each in pair)
                    raise InputError(f"{where}: {atom.prv.name} needs {first} ≠ {second}")
        if isinstance(argument, CRV):
            _check_count(where, argument, given)
    for each in given.constraints:
        if isinstance(each, Unordered) and set(each.logvars) <= set(given.logvars):
            for swapped in pairwise(each.logvars):
                _check_symmetric(where, given, swapped)


def _apart(given: Parfactor) -> set[frozenset[LogVar]]:
    """The pairs of logvars that must be different."""
    return {frozenset(pair) for each in given.constraints for pair in _pairs(each)}


def _pairs(constraint: Constraint) -> Iterator[tuple[LogVar, LogVar]]:
    return combinations(constrained(constraint), 2)


def _check_count(where: str, argument: CRV, given: Parfactor) -> None:
    """The counting variable counts as many as the constraints leave, for every substitution."""
    about = [each for each in given.constraints if set(constrained(each)) & set(argument.counted)]
    expected = _counted_number(argument.counted, about)
    outside = {logvar for each in about for logvar in constrained(each)} - set(argument.counted)
    known = _apart(given)
    apart = all(frozenset((a, b)) in known for a in outside for b in outside if a != b)
    if argument.number != expected or not apart or not expected:
        name = argument.atom.prv.name
        raise InputError(f"{where}: #[{name}] counts {argument.number}, expected {expected}")


def _check_symmetric(where: str, given: Parfactor, swapped: tuple[LogVar, LogVar]) -> None:
    """Swapping two logvars of an unordered set must change nothing."""
    first, second = swapped
    swap = {first: second, second: first}
    keys = [_key(argument, {}) for argument in given.arguments]
    images = [_key(argument, swap) for argument in given.arguments]
    problem = f"{where}: expected the same if {first.name} and {second.name} are swapped"
    if sorted(map(repr, keys)) != sorted(map(repr, images)):
        raise InputError(f"{problem}, got other arguments")
    axes = [keys.index(image) for image in images]
    if not np.array_equal(given.table.integers.transpose(axes), given.table.integers):
        raise InputError(f"{problem}, got another table")
    renamed = {
        frozenset(swap.get(e, e) for e in pair) for c in given.constraints for pair in _pairs(c)
    }
    if renamed != {frozenset(pair) for each in given.constraints for pair in _pairs(each)}:
        raise InputError(f"{problem}, got other constraints")


def _key(argument: Argument, swap: dict[LogVar, LogVar]) -> tuple[object, ...]:
    """An argument with logvars renamed; those in an unordered set of its PRV sorted."""
    atom = argument.atom if isinstance(argument, CRV) else argument
    names = [swap.get(each, each).name for each in atom.logvars]
    for each in atom.prv.constraints:
        if isinstance(each, Unordered):
            places = [atom.prv.logvars.index(logvar) for logvar in each.logvars]
            for place, name in zip(sorted(places), sorted(names[p] for p in places), strict=True):
                names[place] = name
    return type(argument).__name__, atom.prv.name, tuple(names)
