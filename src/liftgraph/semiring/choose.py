"""Which semiring answers a question."""

from __future__ import annotations

from typing import Any, Literal, overload

from liftgraph.semiring.exact import exact_semiring
from liftgraph.semiring.log import LOG
from liftgraph.semiring.maximum import MAX_EXACT, max_semiring
from liftgraph.semiring.protocol import FlowSemiring, MaxSemiring


@overload
def choose_semiring(operation: Literal["sum"], exact: bool, bits: int = 0) -> FlowSemiring[Any]: ...
@overload
def choose_semiring(
    operation: Literal["maximum"], exact: bool, bits: int = 0
) -> MaxSemiring[Any]: ...
def choose_semiring(
    operation: Literal["sum", "maximum"], exact: bool, bits: int = 0
) -> FlowSemiring[Any] | MaxSemiring[Any]:
    """The semiring whose sum over a variable is this operation, in integers or in floats.

    ``bits``: about how many an exact sum reads; for maxima in floats, how many a power has, at
    most, and 0 if there are no powers. The type of the semiring's tensors is known
    only when it runs, so it is passed on to functions with a type variable for it.
    """
    if operation == "maximum":
        return MAX_EXACT if exact else max_semiring(bits)
    return exact_semiring(bits) if exact else LOG
