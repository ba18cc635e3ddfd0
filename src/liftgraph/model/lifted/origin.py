"""How the factor graph that was lifted lists what the lifted model says, and checks of that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgraph.display import format_count
from liftgraph.errors import InputError
from liftgraph.model.arrays import NO_INDICES, FrozenArrays, inverse
from liftgraph.model.ground.factor_graph import pointers
from liftgraph.model.ground.names import checked_name
from liftgraph.model.ground.table import Potential, Table
from liftgraph.model.lifted.ground_prvs import GroundPRV
from liftgraph.model.lifted.parfactor import Parfactor, arity, atom_of, width


@dataclass(frozen=True, eq=False, repr=False)
class Origin(FrozenArrays):
    """How the factor graph that was lifted lists what the lifted model says.

    With n variables, m factors and e edges: ``names``: of the variables, None if they are
    called by their index. ``variables``: int64 (n,), the number of each variable in the lifted
    model, PRV after PRV. ``factors``: int64 (m,), likewise, parfactor after parfactor.
    ``argument_order``: int8 (e,), factor after factor: which place in the given scope the
    parfactor's arguments have (counted ones one by one, in the order of their substitutions);
    int32 if some factor has more arguments than int8 tells apart.
    ``scale_id``: int32 (m,), which of the ``scales`` the parfactor's table is multiplied with.
    ``singled_out``: int32, variables told apart to break up what no logvars describe.
    ``tolerance``: how far, relatively, a table may be from its parfactor's; ``log_odds_bound``:
    how much that can change the log odds of any event. ``near``: the given tables that are not
    exactly their parfactor's and the potentials that are no tables, and ``near_id``: int32 (m,),
    which of them a factor has, -1 for all others; empty if there are none. ``given_up``: for how
    many tables lifting gave up the search for other orders of their arguments: there may be more
    groups than necessary. ``prvs``: which variables of the given graph stand for PRVs, if it knew
    any; ``likelihood_count``: how many of its last factors are likelihoods; not compared.
    """

    names: tuple[str, ...] | None
    variables: NDArray[np.int64]
    factors: NDArray[np.int64]
    argument_order: NDArray[np.integer[Any]]
    scale_id: NDArray[np.int32]
    scales: tuple[Fraction, ...]
    singled_out: NDArray[np.int32]
    tolerance: Fraction = Fraction(0)
    log_odds_bound: float = 0.0
    near: tuple[Potential, ...] = ()
    near_id: NDArray[np.int32] = field(default_factory=lambda: NO_INDICES)
    given_up: int = 0
    prvs: tuple[GroundPRV, ...] = field(default=(), compare=False)
    likelihood_count: int = field(default=0, compare=False)

    @cached_property
    def index_by_number(self) -> NDArray[np.int32]:
        """The index of each variable of the lifted model in the given graph, int32 (n,)."""
        return inverse(self.variables)


def given_potentials(parfactors: Sequence[Parfactor], origin: Origin | None) -> dict[int, int]:
    """The parfactors whose factors were given as potentials that are no tables, by index, and the
    number of the first factor of each."""
    if origin is None or all(isinstance(near, Table) for near in origin.near):
        return {}
    start = [*accumulate([parfactor.size for parfactor in parfactors], initial=0)]
    listed = np.array([*[not isinstance(near, Table) for near in origin.near], False])
    unexpanded = listed[origin.near_id[inverse(origin.factors)]]
    pairs = enumerate(pairwise(start))
    return {index: first for index, (first, end) in pairs if unexpanded[first:end].all()}


def check_origin(origin: Origin, variable_count: int, parfactors: Sequence[Parfactor]) -> None:
    """Refuse an origin that does not list each variable, factor and argument exactly once."""
    sizes = [parfactor.size for parfactor in parfactors]
    factor_count = sum(sizes)
    _check_listing("variables", origin.variables, variable_count)
    _check_listing("factors", origin.factors, factor_count)
    _check_names(origin.names, variable_count)
    of_factor = np.repeat(np.arange(len(sizes)), np.array(sizes, np.int64))[origin.factors]
    arities = np.array([*map(arity, parfactors)], np.int64)[of_factor]
    start = np.repeat(pointers(arities)[:-1], arities)
    if len(origin.argument_order) != len(start):
        came = len(origin.argument_order)
        raise InputError(f"expected an order of {len(start):,} arguments, got one of {came:,}")
    _check_listing("arguments", start + origin.argument_order, len(start))
    inside = (origin.scale_id >= 0) & (origin.scale_id < len(origin.scales))
    if len(origin.scale_id) != factor_count or not inside.all() or not all(origin.scales):
        raise InputError(f"expected positive scales for {format_count(factor_count)} factors")
    within = (origin.singled_out >= 0) & (origin.singled_out < variable_count)
    if not within.all():
        raise InputError(f"expected variables below {format_count(variable_count)} as singled out")
    if not (0 <= origin.tolerance < 1 and 0 <= origin.log_odds_bound < inf):
        raise InputError("expected a tolerance below 1 and a log odds bound from 0 upwards")
    _check_scales(origin, of_factor, parfactors)
    _check_near(origin, of_factor, parfactors)


def _check_listing(what: str, numbers: NDArray[Any], count: int) -> None:
    """Refuse anything but a permutation."""
    inside = len(numbers) == count and ((numbers >= 0) & (numbers < count)).all()
    if not inside or not (np.bincount(numbers, minlength=count) == 1).all():
        raise InputError(f"expected the {what} 0 to {format_count(count - 1)}, each once")


def _check_names(names: Sequence[str] | None, variable_count: int) -> None:
    if names is None:
        return
    distinct = len(set(map(checked_name, names)))
    if not len(names) == distinct == variable_count:
        came = f"{len(names):,}, of which {distinct:,} are distinct"
        raise InputError(f"expected {format_count(variable_count)} distinct names, got {came}")


def _check_scales(
    origin: Origin, of_factor: NDArray[np.int64], parfactors: Sequence[Parfactor]
) -> None:
    """Refuse scales of factors that are not those of their parfactor.

    ``of_factor``: int64 (m,), the parfactor of each factor.
    """
    code, times = np.unique(of_factor * len(origin.scales) + origin.scale_id, return_counts=True)
    scales: list[Counter[Fraction]] = [Counter() for _ in parfactors]
    for index, factor_count in zip(code.tolist(), times.tolist(), strict=True):
        place, scale = divmod(index, len(origin.scales))
        scales[place][origin.scales[scale]] += factor_count
    for place, parfactor in enumerate(parfactors):
        expected = dict(parfactor.scales) if parfactor.scales else {Fraction(1): parfactor.size}
        if scales[place] != expected:
            raise InputError(f"expected the scales of parfactor {place} for its factors")


def _check_near(
    origin: Origin, of_factor: NDArray[np.int64], parfactors: Sequence[Parfactor]
) -> None:
    """Refuse near tables whose shape is not that of their factors."""
    if len(origin.near_id) != (len(of_factor) if origin.near else 0):
        raise InputError(f"expected a near table or -1 for {len(of_factor):,} factors")
    if not ((origin.near_id >= -1) & (origin.near_id < len(origin.near))).all():
        raise InputError(f"expected near tables below {len(origin.near)}")
    if not origin.near:
        return
    shapes = [_ground_shape(parfactor) for parfactor in parfactors]
    start = [0, *accumulate(len(shapes[place]) for place in of_factor.tolist())]
    for factor in np.flatnonzero(origin.near_id >= 0).tolist():
        order = origin.argument_order[start[factor] : start[factor + 1]]
        sizes = np.array(shapes[of_factor[factor]], dtype=np.int64)
        shape = tuple(sizes[np.argsort(order)].tolist())
        came = origin.near[origin.near_id[factor]].shape
        if came != shape:
            raise InputError(f"factor {factor}: expected a table of shape {shape}, got {came}")


def _ground_shape(parfactor: Parfactor) -> tuple[int, ...]:
    """The number of states of each argument of a parfactor's factors."""
    return tuple(
        len(atom_of(argument).prv.states)
        for argument in parfactor.arguments
        for _ in range(width(argument))
    )
