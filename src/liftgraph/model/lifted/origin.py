"""How the factor graph that was lifted lists what the lifted model says."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.model.ground.factor_graph import NO_INDICES
from liftgraph.model.ground.table import Table


@dataclass(frozen=True, eq=False, repr=False)
class Origin:
    """How the factor graph that was lifted lists what the lifted model says.

    With n variables, m factors and e edges: ``names``: of the variables, None where they are
    called by their index. ``variables``: int64 (n,), the number of each variable in the lifted
    model, PRV after PRV. ``factors``: int64 (m,), likewise, parfactor after parfactor.
    ``argument_order``: int8 (e,), factor after factor: which place in the given scope the
    parfactor's arguments have (counted ones one by one, in the order of their substitutions).
    ``scale_id``: int32 (m,), which of the ``scales`` the parfactor's table is multiplied with.
    ``singled_out``: int32, variables told apart to break up what no logvars describe.
    ``tolerance``: how far, relatively, a table may be from its parfactor's; ``log_odds_bound``:
    what that does to the log odds of any event, at most. ``near``: the given tables that are not
    exactly their parfactor's, and ``near_id``: int32 (m,), which of them a factor has, -1 for
    all others; empty if there are none.
    """

    names: tuple[str, ...] | None
    variables: NDArray[np.int64]
    factors: NDArray[np.int64]
    argument_order: NDArray[np.int8]
    scale_id: NDArray[np.int32]
    scales: tuple[Fraction, ...]
    singled_out: NDArray[np.int32]
    tolerance: Fraction = Fraction(0)
    log_odds_bound: float = 0.0
    near: tuple[Table, ...] = ()
    near_id: NDArray[np.int32] = field(default_factory=lambda: NO_INDICES)

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    def __reduce__(self) -> tuple[Any, ...]:
        return Origin, tuple(getattr(self, each.name) for each in fields(self))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Origin):
            return NotImplemented
        pairs = ((getattr(self, each.name), getattr(other, each.name)) for each in fields(self))
        return all(np.array_equal(a, b) if _is_array(a) else a == b for a, b in pairs)

    __hash__ = None  # type: ignore[assignment]


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray)
