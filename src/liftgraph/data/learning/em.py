"""Expectation maximisation: how it is asked for, and what a run of it reports."""

from __future__ import annotations

import math
from dataclasses import dataclass

from liftgraph.errors import InputError, quoted, short_traceback
from liftgraph.model.ground.names import is_count
from liftgraph.model.memory_limit import MEMORY_LIMIT, Bytes, checked_memory_limit


@dataclass(frozen=True)
class EM:
    """How missing values are completed: by expectation maximisation with exact inference.

    ``restarts``: how many more times to start, at random; the best run counts. ``seed``: runs with
    the same seed and data are the same. A run stops when an iteration gains at most ``tolerance``,
    in natural logarithms of the likelihood (or, with a prior, of the posterior density), or after
    ``iterations``: then it has not converged. ``memory_limit``: in bytes.

    >>> EM(restarts=5).iterations
    1000
    """

    restarts: int = 0
    seed: int = 0
    iterations: int = 1000
    tolerance: float = 1e-4
    memory_limit: Bytes = MEMORY_LIMIT

    @short_traceback
    def __post_init__(self) -> None:
        for name, least in (("restarts", 0), ("seed", 0), ("iterations", 1)):
            value = getattr(self, name)
            if not is_count(value) or value < least:
                raise InputError(
                    f"{name}: expected an integer from {least} on, got {quoted(value)}"
                )
        gain = self.tolerance
        if isinstance(gain, bool) or not isinstance(gain, int | float) or not 0 <= gain < math.inf:
            raise InputError(f"tolerance: expected a number from 0 on, got {quoted(gain)}")
        checked_memory_limit(self.memory_limit)


@dataclass(frozen=True)
class EMRun:
    """One run of expectation maximisation.

    ``log_likelihoods``: natural logarithms, of the start and after each iteration.
    ``objectives``: what never decreases: with pseudo-counts, the logarithm of the posterior
    density up to a constant; without, the log-likelihood again. ``converged``: whether it stopped
    because the last iteration gained next to nothing.
    """

    log_likelihoods: tuple[float, ...]
    objectives: tuple[float, ...]
    converged: bool

    @property
    def iterations(self) -> int:
        """How often the parameters were changed."""
        return len(self.log_likelihoods) - 1

    def relative_to(self, log_total: float) -> EMRun:
        """This run for weights that were not normalised; ``log_total``: the logarithm of all."""
        logs, objectives = (
            tuple([value - log_total for value in values])
            for values in (self.log_likelihoods, self.objectives)
        )
        return EMRun(logs, objectives, self.converged)
