"""How long the fractions of an exact answer may be."""

from __future__ import annotations

from liftgraph.display import format_count
from liftgraph.errors import ComputationError
from liftgraph.model.query import KINDS, Query
from liftgraph.semiring import uses_flint

# Python reduces fractions in time that is quadratic in their bits. Two probabilities of a million
# bits take it 7 seconds, as measured, so two minutes at this length, and ten minutes at ten million
# bits. FLINT takes 7 seconds for those.
_LONGEST = 1 << 22


def check_fraction_length(query: Query, bits: int) -> None:
    """Refuse exact probabilities from weights of this many bits that would take Python too long."""
    kind = KINDS[query.kind]
    reduces = kind.takes_variables or (kind.of_all and not kind.maximises and not kind.draws)
    if query.exact and reduces and bits > _LONGEST and not uses_flint(bits):
        raise ComputationError(
            f"fractions would have up to {format_count(bits)} bits, expected at most"
            f" {format_count(_LONGEST)} without python-flint: install it, or ask in floats"
        )
