"""Ground elimination on a graphics card: the same plan, for tables that are very large.

This is a method beside ``ground``, named ``torch``. Only what it carries out needs torch, an
optional extra.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from typing import Any, cast

from liftgraph.display import counted
from liftgraph.errors import ComputationError, InputError, quoted
from liftgraph.inference.ground.plan import GroundPlan, plan_ground
from liftgraph.inference.ground.run import run_sum
from liftgraph.inference.tensor.operation_memory import FLOAT_BYTES, PLAIN, contraction_bytes
from liftgraph.inference.tensor.tensors import Product, Tensor, last_uses
from liftgraph.model.answers.answer import Answer
from liftgraph.model.ground.evidence import states_beside
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph, as_graph
from liftgraph.model.memory_limit import beyond_limit
from liftgraph.model.plans import Progress
from liftgraph.model.query import Query
from liftgraph.model.questions import Given
from liftgraph.semiring import FlowSemiring

DEVICES = ("cuda", "cpu")
_LOGARITHMS = 8  # as many times as much memory as floats, at most
_BASE_BYTES = 1 << 22


@dataclass(frozen=True, repr=False)
class DevicePlan(GroundPlan):
    """How ground elimination will answer a query on a device of torch."""

    device: str

    @property
    def method(self) -> str:
        """The name of the method."""
        return "torch"

    @property
    def numbers(self) -> str:
        """What it computes in."""
        return f"floats times powers of two, with torch on {self.device}"

    @cached_property
    def peak_bytes(self) -> int:
        """A bound on the bytes that answering takes on the device."""
        tree = self.section.tree
        return _BASE_BYTES + _peak_bytes(self.section.products, tree.entries[: tree.leaves])


def checked_device(model: object, device: object) -> str | None:
    """A device by its name, or None for the card if there is one; anything else is refused."""
    if device is None or (isinstance(device, str) and device in DEVICES):
        return device
    raise InputError(f"expected a device among {', '.join(DEVICES)}, got {quoted(device)}")


def plan_on_device(
    model: FactorGraph | ParfactorGraph, query: Query, given: Given, options: Mapping[str, Any]
) -> DevicePlan:
    """The plan of ground elimination on a device, refused if that has too little memory."""
    if find_spec("torch") is None:
        raise InputError("the method torch needs torch: pip install 'liftgraph[gpu]'")
    if query.exact:
        raise InputError("expected floats for the method torch, got exact=True")
    limit, deadline = options["memory_limit"], options["search_seconds"]
    graph = as_graph(model, limit)
    states = states_beside(graph, graph.evidence, given)
    ground = plan_ground(graph, query, states, _LOGARITHMS * limit, _run, deadline)
    if not all(isinstance(product, Product) for product in ground.section.products):
        raise ComputationError("the method torch has no convolutions, which count factors need")
    from liftgraph.torch_devices import device_named, free_bytes

    device = device_named(options["device"])
    planned = DevicePlan(graph, ground.pattern, states, _run, device.type)
    free = free_bytes(device)
    allowed = limit if free is None else min(limit, free)
    if planned.peak_bytes > allowed:
        largest = counted(planned.section.largest, "entry")
        where = f"the largest table has {largest}"
        raise beyond_limit(f"needs on {device.type}", planned.peak_bytes, allowed, where)
    return planned


def _run(plan: GroundPlan, progress: Progress) -> Answer:
    from liftgraph.semiring.torch_sums import TorchSemiring

    # Tables are multiplied and summed and nothing else, so that is all this semiring can do.
    semiring = cast("FlowSemiring[Any]", TorchSemiring(cast(DevicePlan, plan).device))
    return run_sum(plan, semiring, progress)


def _peak_bytes(products: Sequence[Tensor], leaves: Sequence[int]) -> int:
    """A bound on the bytes of tables at a time. ``leaves``: the entries of those at the start."""
    live = peak = FLOAT_BYTES * sum(leaves)
    last_use = last_uses(products)
    made = set(products)
    for product in products:
        left, *right = [operand.entries for operand in product.operands]
        sizes = left, sum(right), product.entries
        peak = max(peak, live + contraction_bytes(*sizes, product.work, PLAIN))
        live += FLOAT_BYTES * product.entries
        for operand in {*product.operands} & made:
            if last_use.get(operand) is product:
                live -= FLOAT_BYTES * operand.entries
    return peak
