"""What multiplying and summing out mean: in log space or exactly, summing or maximising.

``protocol`` says what evaluators need of a semiring. ``log`` computes in floats that neither
overflow nor underflow, on ``pairs`` of floats where one has too few digits; ``exact`` in integers
of any size; ``maximum`` maximises in either. ``multinomials`` weigh histograms in all of them.
``choose`` picks the semiring that answers a question.
"""

from liftgraph.semiring.choose import choose_semiring
from liftgraph.semiring.exact import EXACT, FlintSemiring, exact_semiring
from liftgraph.semiring.log import LOG, Scaled
from liftgraph.semiring.maximum import MAX_EXACT, MAX_LOG
from liftgraph.semiring.protocol import (
    CHUNK,
    Flow,
    FlowSemiring,
    Index,
    MaxSemiring,
    Normalised,
    Objects,
    Semiring,
)

__all__ = [
    "CHUNK",
    "EXACT",
    "LOG",
    "MAX_EXACT",
    "MAX_LOG",
    "FlintSemiring",
    "Flow",
    "FlowSemiring",
    "Index",
    "MaxSemiring",
    "Normalised",
    "Objects",
    "Scaled",
    "Semiring",
    "choose_semiring",
    "exact_semiring",
]
