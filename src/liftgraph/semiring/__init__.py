"""What multiplying and summing out mean: in log space or exactly, summing or maximising."""

from liftgraph.semiring.exact import EXACT, FlintSemiring, exact_semiring
from liftgraph.semiring.log import LOG, Scaled
from liftgraph.semiring.maximum import MAX_EXACT, MAX_LOG
from liftgraph.semiring.protocol import (
    CHUNK,
    EXACT_COPIES,
    WORKING_COPIES,
    FlowSemiring,
    Index,
    MaxSemiring,
    Semiring,
)

__all__ = [
    "CHUNK",
    "EXACT",
    "EXACT_COPIES",
    "LOG",
    "MAX_EXACT",
    "MAX_LOG",
    "WORKING_COPIES",
    "FlintSemiring",
    "FlowSemiring",
    "Index",
    "MaxSemiring",
    "Scaled",
    "Semiring",
    "exact_semiring",
]
