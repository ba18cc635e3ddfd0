"""How the arguments and the scale of one table relate to those of another."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from liftgraph.symmetry.tables.commutative import Positions


@dataclass(frozen=True, slots=True)
class Alignment:
    """How the arguments and the scale of a table a relate to those of a table b.

    a(r) = scale · b(r permuted), where argument k of b is argument ``permutation[k]`` of a;
    as arrays, ``a.transpose(permutation) == scale * b``.
    ``deviation``: the largest relative difference between the two sides, 0 if they are equal.
    """

    permutation: Positions
    scale: Fraction = Fraction(1)
    deviation: Fraction = Fraction(0)


def composed(first: Alignment, second: Alignment) -> Alignment:
    """The alignment of a to c, from those of a to b and of b to c.

    Precondition: at most one of them deviates.
    """
    permutation = tuple(first.permutation[k] for k in second.permutation)
    deviation = max(first.deviation, second.deviation)
    return Alignment(permutation, first.scale * second.scale, deviation)


def inverse(alignment: Alignment) -> Alignment:
    """The alignment of b to a, from that of a to b. Precondition: it is exact."""
    permutation = tuple(map(alignment.permutation.index, range(len(alignment.permutation))))
    return Alignment(permutation, 1 / alignment.scale)
