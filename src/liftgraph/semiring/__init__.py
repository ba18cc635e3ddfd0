"""What multiplying and summing out mean: in log space or exactly, summing or maximising.

``protocol`` says what evaluators need of a semiring. ``log`` computes in floats that neither
overflow nor underflow, ``scaled`` by powers of two, on ``pairs`` of floats where one has too few
digits, with exponentials and logarithms that are ``doubled``, too; ``exact`` in integers of any
size, long ones as ``power_products``; ``maximum`` maximises in either. ``multinomials`` weigh
histograms in all of them. ``choose`` picks the semiring that answers a question. ``rows`` has
numbers with a float for each row of a table; ``torch_sums`` contracts tables on a device of torch.
"""

from liftgraph.semiring.choose import choose_semiring
from liftgraph.semiring.exact import EXACT, FlintSemiring, exact_semiring, uses_flint
from liftgraph.semiring.log import LOG
from liftgraph.semiring.maximum import MAX_EXACT, MAX_LOG, MAX_PAIRS
from liftgraph.semiring.protocol import (
    CHUNK,
    Arrangement,
    Flow,
    FlowSemiring,
    Index,
    MaxSemiring,
    Normalised,
    Objects,
    Semiring,
)
from liftgraph.semiring.scaled import Scaled

__all__ = [
    "CHUNK",
    "EXACT",
    "LOG",
    "MAX_EXACT",
    "MAX_LOG",
    "MAX_PAIRS",
    "Arrangement",
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
    "uses_flint",
]
