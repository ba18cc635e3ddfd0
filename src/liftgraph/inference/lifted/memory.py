"""How many bytes an answer of lifted elimination takes, beside the tensors it is computed from."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod

from liftgraph.inference.answer_memory import (
    DISTRIBUTION_BYTES,
    distribution_bytes,
    listing_bytes,
    product_logarithm_bytes,
    weight_bytes,
)
from liftgraph.inference.lifted.compile import Compiled
from liftgraph.inference.lifted.decisions import decision_bytes
from liftgraph.inference.tensor.operation_memory import LOGARITHMS, integers
from liftgraph.inference.tensor.tensors import Root
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.model.lifted.variables import Place
from liftgraph.model.query import KINDS, Query

_STATE_BYTES = 120  # a variable in an assignment: its state, and its name's entry


def answer_bytes(
    model: ParfactorGraph,
    query: Query,
    places: Sequence[Place],
    compiled: Compiled,
    asked: Sequence[Root],
) -> int:
    """The bytes of the asked distribution, or of the answers for all variables."""
    listed = product_logarithm_bytes(_constants(compiled)) + _weight_bytes(query, compiled)
    match query.kind:
        case "partition":
            return listed
        case "explanation":
            assigned = listing_bytes(model.places) + _STATE_BYTES * model.variable_count
            return listed + max(assigned, decision_bytes(compiled, query.exact))
    bits = max([root.tensor.bits for root in asked], default=1)
    numbers = integers(bits) if query.exact else LOGARITHMS
    if KINDS[query.kind].of_all:
        sizes = [shard.values for shard in compiled.world.shards if shard.counting is None]
        listed += sum([DISTRIBUTION_BYTES + distribution_bytes(size, numbers) for size in sizes])
        return listed + (listing_bytes(model.places) if query.kind == "marginals" else 0)
    entries = prod(len(model.prvs[prv].states) for prv, _ in places)
    return listed + DISTRIBUTION_BYTES + distribution_bytes(entries, numbers)


def _constants(compiled: Compiled) -> list[tuple[Fraction, int]]:
    return [*compiled.shattered.constants, *compiled.shattered.free]


def _weight_bytes(query: Query, compiled: Compiled) -> int:
    """Bytes of the total weight as a fraction, where it is asked for."""
    if not query.exact or query.kind not in ("partition", "explanation"):
        return 0
    roots = sum(root.tensor.bits * root.times for root in compiled.roots)
    return weight_bytes(_constants(compiled), roots)
