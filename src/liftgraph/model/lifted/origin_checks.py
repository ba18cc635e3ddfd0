"""What must hold between a parametric factor graph and the origin it is said to have."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.errors import InputError
from liftgraph.model.ground.factor_graph import pointers
from liftgraph.model.ground.names import checked_name
from liftgraph.model.lifted.instances import arity
from liftgraph.model.lifted.origin import Origin
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph


def check_origin(model: ParfactorGraph) -> None:
    """Refuse an origin that does not list each variable, factor and argument exactly once."""
    origin = model.origin
    if origin is None:
        return
    _check_listing("variables", origin.variables, model.variable_count)
    _check_listing("factors", origin.factors, model.factor_count)
    names = None if origin.names is None else set(map(checked_name, origin.names))
    if names is not None and len(names) != model.variable_count:
        raise InputError(f"expected {model.variable_count:,} distinct names")
    single = np.array([arity(each) for each in model.parfactors], dtype=np.int64)
    arities = np.repeat(single, np.diff(model.factor_start))[origin.factors]
    start = np.repeat(pointers(arities)[:-1], arities)
    if len(origin.argument_order) != len(start):
        raise InputError(f"expected an order of {len(start):,} arguments")
    _check_listing("arguments", start + origin.argument_order, len(start))
    inside = (origin.scale_id >= 0) & (origin.scale_id < len(origin.scales))
    if len(origin.scale_id) != model.factor_count or not inside.all() or not all(origin.scales):
        raise InputError(f"expected positive scales for {model.factor_count:,} factors")
    within = (origin.singled_out >= 0) & (origin.singled_out < model.variable_count)
    if not within.all():
        raise InputError(f"expected variables below {model.variable_count:,} as singled out")
    _check_scales(model, origin)
    _check_near(model, origin)


def _check_scales(model: ParfactorGraph, origin: Origin) -> None:
    """Refuse scales of factors that are not those of their parfactor."""
    parfactor = np.searchsorted(model.factor_start, origin.factors, side="right") - 1
    code, times = np.unique(parfactor * len(origin.scales) + origin.scale_id, return_counts=True)
    found: list[Counter[Fraction]] = [Counter() for _ in model.parfactors]
    for each, number in zip(code.tolist(), times.tolist(), strict=True):
        place, scale = divmod(each, len(origin.scales))
        found[place][origin.scales[scale]] += number
    for place, given in enumerate(model.parfactors):
        expected = dict(given.scales) if given.scales else {Fraction(1): given.size}
        if found[place] != expected:
            raise InputError(f"expected the scales of parfactor {place} for its factors")


def _check_near(model: ParfactorGraph, origin: Origin) -> None:
    """Refuse near tables that are not of the shape of the factors that have them."""
    if len(origin.near_id) != (model.factor_count if origin.near else 0):
        raise InputError(f"expected a near table or -1 for {model.factor_count:,} factors")
    if not origin.near:
        return
    if not ((origin.near_id >= -1) & (origin.near_id < len(origin.near))).all():
        raise InputError(f"expected near tables below {len(origin.near)}")
    graph = model.ground()
    for factor in np.flatnonzero(origin.near_id >= 0).tolist():
        scope, table = graph.factor(factor)
        shape = tuple(graph.cardinalities[list(scope)].tolist())
        if table.shape != shape:
            raise InputError(f"factor {factor}: expected a table of shape {shape}")


def _check_listing(what: str, numbers: NDArray[Any], count: int) -> None:
    """Refuse anything but a permutation."""
    inside = len(numbers) == count and ((numbers >= 0) & (numbers < count)).all()
    if not inside or not (np.bincount(numbers, minlength=count) == 1).all():
        raise InputError(f"expected the {what} 0 to {count - 1:,}, each once")
