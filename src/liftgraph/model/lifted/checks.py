"""What must hold for a parfactor to make sense."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, pairwise, permutations

from liftgraph.disjoint_sets import DisjointSets
from liftgraph.display import format_count
from liftgraph.errors import InputError
from liftgraph.exact import shown
from liftgraph.model.lifted.logvars import Constraint, Different, LogVar, Unordered, constrained
from liftgraph.model.lifted.parfactor import CRV, Atom, Parfactor, atom_of, logvars_of
from liftgraph.model.lifted.renamings import symmetries
from liftgraph.model.lifted.substitutions import count, pattern

Apart = set[frozenset[LogVar]]  # pairs of logvars that must be different


def counted_number(counted: Sequence[LogVar], constraints: Sequence[Constraint]) -> int:
    """How many substitutions of the counted logvars each substitution of the others leaves.

    Those that the counted logvars must differ from must differ themselves: only then is it the
    same number for all.
    """
    about = {logvar for constraint in constraints for logvar in constrained(constraint)}
    others = sorted(about - set(counted), key=lambda logvar: logvar.name)
    apart = [Different(*pair) for pair in combinations(others, 2)]
    both = count(pattern((*counted, *others), [*constraints, *apart]))
    alone = count(pattern(others, apart))
    return both // alone if alone else 0


def check_parfactor(where: str, parfactor: Parfactor) -> None:
    """Refuse arguments that may coincide or do not exist, and unordered sets that matter."""
    apart = _apart(parfactor)
    _check_counted(where, parfactor)
    if parfactor.child is not None:
        _check_sums(where, parfactor, parfactor.child)
    for first, second in combinations(map(atom_of, parfactor.arguments), 2):
        if first.prv == second.prv and _may_coincide(first, second, apart):
            raise InputError(f"{where}: expected {first.prv.name} of different individuals only")
    for argument in parfactor.arguments:
        _check_exists(where, atom_of(argument), apart)
        if isinstance(argument, CRV):
            _check_count(where, argument, parfactor, apart)
    for constraint in parfactor.constraints:
        if isinstance(constraint, Unordered) and set(constraint.logvars) <= set(parfactor.logvars):
            for pair in pairwise(constraint.logvars):
                _check_symmetric(where, parfactor, pair)


def _check_sums(where: str, parfactor: Parfactor, child: int) -> None:
    """Refuse potentials that are not a distribution of the child given the other arguments."""
    from liftgraph.model.ground.bayesian_network import is_conditional, wrong_sums

    if not is_conditional(parfactor.table, child):
        name = parfactor.arguments[child]
        came = shown(wrong_sums(parfactor.table, child, Fraction(0))[0])
        raise InputError(f"{where}: expected potentials that sum to 1 over {name}, got {came}")


def _check_exists(where: str, atom: Atom, apart: Apart) -> None:
    """Refuse an atom that has no variable for some substitutions."""
    argument = dict(zip(atom.prv.logvars, atom.logvars, strict=True))
    for constraint in atom.prv.constraints:
        for first, second in _pairs(constraint):
            pair = argument[first], argument[second]
            if frozenset(pair) not in apart:
                needed = " ≠ ".join(logvar.name for logvar in pair)
                raise InputError(f"{where}: {atom.prv.name} needs {needed}")


def _check_counted(where: str, parfactor: Parfactor) -> None:
    """Refuse counted logvars that are used outside of their counting variable."""
    counted = Counter(parfactor.counted)
    uses = Counter(v for argument in parfactor.arguments for v in set(logvars_of(argument)))
    unordered = [c.logvars for c in parfactor.constraints if isinstance(c, Unordered)]
    in_sets = {logvar for logvars in unordered for logvar in logvars}
    for logvar in parfactor.counted:
        if uses[logvar] > 1 or counted[logvar] > 1 or logvar in in_sets:
            raise InputError(f"{where}: expected {logvar.name} in its counting variable only")


def _may_coincide(first: Atom, second: Atom, apart: Apart) -> bool:
    """Whether some substitution makes two arguments the same variable."""
    orders = [list(second.logvars)]
    for places in first.prv.pattern.unordered:
        orders = [
            [order[image.get(place, place)] for place in range(len(order))]
            for order in orders
            for images in permutations(places)
            for image in [dict(zip(places, images, strict=True))]
        ]
    return any(_unify(first.logvars, order, apart) for order in orders)


def _unify(first: Sequence[LogVar], second: Sequence[LogVar], apart: Apart) -> bool:
    """Whether logvars may be equal in pairs: not if that makes two equal that must differ."""
    equal: DisjointSets[LogVar] = DisjointSets()
    for pair in zip(first, second, strict=True):
        equal.join(pair)
    return all(len({equal.find(logvar) for logvar in pair}) > 1 for pair in apart)


def _apart(parfactor: Parfactor) -> Apart:
    """The pairs of logvars that must be different."""
    return {frozenset(pair) for constraint in parfactor.constraints for pair in _pairs(constraint)}


def _pairs(constraint: Constraint) -> Iterator[tuple[LogVar, LogVar]]:
    return combinations(constrained(constraint), 2)


def _check_count(where: str, crv: CRV, parfactor: Parfactor, apart: Apart) -> None:
    """Refuse a counting variable that does not count as many as the constraints leave."""
    name, counted = crv.atom.prv.name, set(crv.counted)
    about = [c for c in parfactor.constraints if counted & set(constrained(c))]
    expected = counted_number(crv.counted, about)
    outside = {logvar for constraint in about for logvar in constrained(constraint)} - counted
    if outside & set(parfactor.counted):
        came = "got ≠ with another counting variable"
        raise InputError(f"{where}: expected #[{name}] to count on its own, {came}")
    _check_counted_once(where, crv)
    all_differ = all(frozenset(pair) in apart for pair in combinations(outside, 2))
    if crv.number != expected or not all_differ or not expected:
        counts = f"counts {format_count(crv.number)}, expected {format_count(expected)}"
        raise InputError(f"{where}: #[{name}] {counts}")


def _check_counted_once(where: str, crv: CRV) -> None:
    """Refuse to count unordered sets in all of their orders."""
    prv = crv.atom.prv
    counted = {p for p, logvar in enumerate(crv.atom.logvars) if logvar in crv.counted}
    if any(len(counted & set(places)) > 1 for places in prv.pattern.unordered):
        raise InputError(f"{where}: expected #[{prv.name}] to count each variable once")


def _check_symmetric(where: str, parfactor: Parfactor, pair: tuple[LogVar, LogVar]) -> None:
    """Refuse an unordered set in which swapping two logvars, perhaps with others, matters."""
    if next(symmetries(parfactor, pair), None) is None:
        first, second = (logvar.name for logvar in pair)
        raise InputError(f"{where}: expected the same if {first} and {second} are swapped")
