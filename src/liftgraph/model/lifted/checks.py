"""What must hold for a parfactor to make sense."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise, permutations

import numpy as np

from liftgraph.errors import InputError
from liftgraph.model.lifted.logvars import Constraint, Different, LogVar, Unordered, constrained
from liftgraph.model.lifted.parfactor import CRV, Argument, Atom, Parfactor, atom_of, logvars_of
from liftgraph.model.lifted.renamings import COUNTED, Key, swapped
from liftgraph.model.lifted.substitutions import count, pattern


def counted_number(counted: Sequence[LogVar], constraints: Sequence[Constraint]) -> int:
    """How many substitutions of the counted logvars each substitution of the others leaves.

    Those they must differ from have to be different themselves, or it would depend.
    """
    others = {each for one in constraints for each in constrained(one)} - set(counted)
    everyone = (*counted, *sorted(others, key=lambda logvar: logvar.name))
    apart = [Different(a, b) for a in others for b in others if a.name < b.name]
    both = count(pattern(everyone, [*constraints, *apart]))
    alone = count(pattern(everyone[len(counted) :], apart))
    return both // alone if alone else 0


def check_parfactor(where: str, given: Parfactor) -> None:
    """Refuse arguments that may coincide or do not exist, and unordered sets that matter."""
    apart = _apart(given)
    atoms = [atom_of(each) for each in given.arguments]
    _check_counted(where, given)
    for one, other in combinations(atoms, 2):
        if one.prv == other.prv and _may_coincide(one, other, apart):
            raise InputError(f"{where}: expected {one.prv.name} of different individuals only")
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


def _check_counted(where: str, given: Parfactor) -> None:
    """Refuse counted logvars that mean something outside of their counting variable."""
    counted = given.counted
    uses = Counter(logvar for each in given.arguments for logvar in set(logvars_of(each)))
    sets = [set(each.logvars) for each in given.constraints if isinstance(each, Unordered)]
    for logvar in counted:
        if uses[logvar] > 1 or counted.count(logvar) > 1 or any(logvar in each for each in sets):
            raise InputError(f"{where}: expected {logvar.name} in its counting variable only")


def _may_coincide(one: Atom, other: Atom, apart: set[frozenset[LogVar]]) -> bool:
    """Whether some substitution makes two arguments the same variable."""
    orders = [list(other.logvars)]
    for places in one.prv.pattern.unordered:
        orders = [
            [order[image.get(place, place)] for place in range(len(order))]
            for order in orders
            for images in permutations(places)
            for image in [dict(zip(places, images, strict=True))]
        ]
    return any(_unify(one.logvars, order, apart) for order in orders)


def _unify(one: Sequence[LogVar], other: Sequence[LogVar], apart: set[frozenset[LogVar]]) -> bool:
    """Whether logvars may be equal in pairs: then all they are equal to must not have to differ."""
    leader = {logvar: logvar for logvar in (*one, *other)}
    for a, b in zip(one, other, strict=True):
        old, new = leader[a], leader[b]
        leader = {each: new if known == old else known for each, known in leader.items()}
    pairs = (tuple(pair) for pair in apart if pair <= leader.keys())
    return all(leader[a] != leader[b] for a, b in pairs)


def _apart(given: Parfactor) -> set[frozenset[LogVar]]:
    """The pairs of logvars that must be different."""
    return {frozenset(pair) for each in given.constraints for pair in _pairs(each)}


def _pairs(constraint: Constraint) -> Iterator[tuple[LogVar, LogVar]]:
    return combinations(constrained(constraint), 2)


def _check_count(where: str, argument: CRV, given: Parfactor) -> None:
    """The counting variable counts as many as the constraints leave, for every substitution."""
    about = [each for each in given.constraints if set(constrained(each)) & set(argument.counted)]
    expected = counted_number(argument.counted, about)
    outside = {logvar for each in about for logvar in constrained(each)} - set(argument.counted)
    if outside & set(given.counted):
        name = argument.atom.prv.name
        raise InputError(f"{where}: expected #[{name}] to count on its own, got ≠ another one's")
    _check_counted_once(where, argument)
    known = _apart(given)
    apart = all(frozenset((a, b)) in known for a in outside for b in outside if a != b)
    if argument.number != expected or not apart or not expected:
        name = argument.atom.prv.name
        raise InputError(f"{where}: #[{name}] counts {argument.number}, expected {expected}")


def _check_counted_once(where: str, argument: CRV) -> None:
    """Refuse to count unordered sets in all of their orders."""
    prv = argument.atom.prv
    counted = {p for p, logvar in enumerate(argument.atom.logvars) if logvar in argument.counted}
    if any(len(counted & set(each)) > 1 for each in prv.pattern.unordered):
        raise InputError(f"{where}: expected #[{prv.name}] to count each variable once")


def _check_symmetric(where: str, given: Parfactor, pair: tuple[LogVar, LogVar]) -> None:
    """Swapping two logvars of an unordered set, along with others if need be, changes nothing."""
    if next(symmetries(given, pair), None) is None:
        first, second = (logvar.name for logvar in pair)
        raise InputError(f"{where}: expected the same if {first} and {second} are swapped")


def symmetries(given: Parfactor, pair: tuple[LogVar, LogVar]) -> Iterator[tuple[int, ...]]:
    """Permutations of the logvars that swap two of them and take the parfactor to itself.

    >>> from liftgraph import LogVar, parfactor, prv, unordered
    >>> X = LogVar("X", 3); Y = LogVar("Y", X); friend = prv("F", X)
    >>> like = parfactor([friend(X), friend(Y)], [2, 1, 1, 2], unordered(X, Y))
    >>> list(symmetries(like, (X, Y)))
    [(1, 0)]
    """
    number = {logvar: place for place, logvar in enumerate(given.logvars)}
    keys = [_key(given, argument, number) for argument in given.arguments]
    domains = [logvar.domain for logvar in given.logvars]
    integers = given.table.integers
    found = swapped(keys, domains, given.pattern, (number[pair[0]], number[pair[1]]))
    for renaming, images in found:
        if np.array_equal(integers.transpose(images), integers):
            yield tuple(renaming[each] for each in range(len(domains)))


def _key(given: Parfactor, argument: Argument, number: dict[LogVar, int]) -> Key:
    atom = atom_of(argument)
    counted = set(argument.counted) if isinstance(argument, CRV) else set()
    others = {logvar for pair in _apart(given) if pair & counted for logvar in pair} - counted
    return Key(
        (isinstance(argument, CRV), atom.prv.name),
        tuple(COUNTED if each in counted else number[each] for each in atom.logvars),
        atom.prv.pattern.unordered,
        frozenset(number[each] for each in others),
    )
