"""Where a PRV, or one of its variables, occurs in parfactors, and what is beside it there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations, product

from liftgraph.model.lifted.logvars import LogVar, constrained
from liftgraph.model.lifted.parfactor import CRV, PRV, Argument, Atom, Parfactor, atom_of, width
from liftgraph.model.lifted.substitutions import exists, in_order, pattern
from liftgraph.model.lifted.variables import Variables, name_of


@dataclass(frozen=True, slots=True)
class Occurrence:
    """An argument of a parfactor that a variable is, or one of those that it counts.

    ``known``: the individuals, by number, of the logvars that are no longer free.
    """

    parfactor: Parfactor
    position: int
    known: Mapping[LogVar, int]


def occurrences(
    prv: PRV, numbers: tuple[int, ...] | None, parfactor: Parfactor
) -> Iterator[Occurrence]:
    """All occurrences in a parfactor of a PRV, or of its variable with these individuals.

    >>> from liftgraph import LogVar, different, parfactor, prv
    >>> X = LogVar("X", 3); Y = LogVar("Y", X); sick = prv("Sick", X)
    >>> pairs = parfactor([sick(X), sick(Y)], [1, 2, 2, 1], where=different(X, Y))
    >>> [found.known for found in occurrences(sick, (2,), pairs)]
    [{LogVar('X', X: 3): 2}, {LogVar('Y', X: 3): 2}]
    """
    for position, argument in enumerate(parfactor.arguments):
        if atom_of(argument).prv.name != prv.name:
            continue
        if numbers is None:
            yield Occurrence(parfactor, position, {})
            continue
        for chosen in _orders(prv, numbers):
            known = _known(parfactor, argument, chosen)
            if known is not None:
                yield Occurrence(parfactor, position, known)


def _orders(prv: PRV, numbers: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The individuals in every order that means the same variable."""
    sets = prv.pattern.unordered
    for images in product(*map(permutations, sets)):
        chosen = list(numbers)
        for places, image in zip(sets, images, strict=True):
            for place, other in zip(places, image, strict=True):
                chosen[place] = numbers[other]
        yield tuple(chosen)


def _known(
    parfactor: Parfactor, argument: Argument, chosen: tuple[int, ...]
) -> dict[LogVar, int] | None:
    """What the logvars of an argument stand for, without the counted ones; None if no factor of
    the parfactor has them."""
    known = dict(zip(atom_of(argument).logvars, chosen, strict=True))
    if [known[logvar] for logvar in atom_of(argument).logvars] != [*chosen]:
        return None
    counted = argument.counted if isinstance(argument, CRV) else ()
    logvars = (*parfactor.logvars, *counted)
    about = [c for c in parfactor.constraints if set(constrained(c)) <= set(logvars)]
    numbers = {logvars.index(logvar): number for logvar, number in known.items()}
    if not any(True for _ in in_order(pattern(logvars, about), numbers)):
        return None
    return {logvar: number for logvar, number in known.items() if logvar not in counted}


def beside(occurrence: Occurrence) -> Iterator[Atom]:
    """The other arguments of the parfactor; the same one if it counts several variables."""
    for position, argument in enumerate(occurrence.parfactor.arguments):
        if position != occurrence.position or width(argument) > 1:
            yield atom_of(argument)


def with_individuals(places: Variables, atom: Atom, known: Mapping[LogVar, int]) -> str:
    """A variable by its name, or a PRV with the individuals that are known: Treat(alice, M)."""
    if all(logvar in known for logvar in atom.logvars):
        place = places.prv_index[atom.prv.name], tuple(known[logvar] for logvar in atom.logvars)
        if exists(places.pattern(place[0]), place[1]):
            return name_of(places, place)
    names = [v.domain.individual(known[v]) if v in known else v.name for v in atom.logvars]
    return f"{atom.prv.name}({', '.join(names)})"
