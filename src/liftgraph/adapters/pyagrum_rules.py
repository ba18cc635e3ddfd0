"""Distributions that pyAgrum computes by a rule from parameters: noisy-ORs, aggregators.

pyAgrum keeps no table of these, and its tensors do not tell which rule they follow. What it writes
of a network does, with all parameters. Each rule becomes a potential that is never expanded: a
noisy-MAX, where the effects of causes are independent, or a sum.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from math import prod
from typing import Any

import numpy as np

from liftgraph.adapters.libraries import needed
from liftgraph.model.ground.count_potential import CountPotential, one_where
from liftgraph.model.ground.noisy_max import NoisyMax
from liftgraph.model.ground.table import Potential, Table

Rows = list[list[Fraction]]
_FLOAT_BYTES = 8
_MOST_SUMS = 1 << 22  # entries of the table from sums to states
_NEARLY = 1e-9  # how far apart the potential and pyAgrum's own numbers may be


@dataclass(frozen=True)
class Rule:
    """How pyAgrum computes a distribution.

    ``leak`` and ``weights``, one for each parent: the parameters of noisy rules, else 0 and none.
    ``value``: the index of the state that some aggregators look for, 1 where they have no choice.
    """

    name: str
    leak: float = 0
    weights: tuple[float, ...] = ()
    value: int = 1

    @property
    def title(self) -> str:
        """What it is called outside of pyAgrum's source."""
        return self.name.removeprefix("MultiDim").lower()


def is_computed(tensor: Any) -> bool:
    """Whether pyAgrum computes the values of a tensor, rather than keeping all of them."""
    return bool(tensor.memoryFootprint() < _FLOAT_BYTES * prod(tensor.shape))


def rules(network: Any) -> dict[str, Rule]:
    """The rule of each variable whose distribution is computed; none if pyAgrum writes no rules.

    Precondition: there is one. Writing a network dates it; its earlier dates are put back.
    """
    if not writes_rules():
        return {}
    dates = {name: network.property(name) for name in network.properties()}
    written = _written(network)
    for name, date in dates.items():
        network.setProperty(name, date)
    return {
        name: _rule(entry, written["parents"][name])
        for name, entry in written["cpt"].items()
        if isinstance(entry, Mapping)
    }


@cache
def writes_rules() -> bool:
    """Whether this version of pyAgrum writes rules; others write tables, however large."""
    pyagrum = needed("pyagrum")
    network = pyagrum.BayesNet()
    network.addOR(pyagrum.LabelizedVariable("OR", "", 2))
    return isinstance(_written(network)["cpt"]["OR"], Mapping)


def _written(network: Any) -> Any:
    return json.loads(network.saveGUMstring())


def _rule(entry: Mapping[str, Any], parents: Sequence[str]) -> Rule:
    weights = entry.get("causalWeights", {})
    listed = tuple([float(weights[parent]) for parent in parents if parent in weights])
    leak, value = float(entry.get("externalWeight", 0)), int(entry.get("value", 1))
    return Rule(str(entry.get("name")), leak, listed, value)


def rule_potential(rule: Rule, tensor: Any, decimals: bool) -> Potential | None:
    """The potential of a rule, over the parents and then the variable itself.

    None for rules that cannot be kept without a table (logit, median, amplitude), or if any number
    where at most one parent is not in its first state is not what pyAgrum says.
    """
    child, *parents = tensor.variablesSequence()
    potential: Potential | None
    if not parents:
        return None
    if rule.name in ("max", "min"):
        potential = _extreme(rule, child, parents)
    elif rule.name in ("sum", "count"):
        potential = _sum(rule, child, parents)
    else:
        potential = _noisy(rule, child, parents, decimals)
    return potential if potential is not None and _agrees(potential, tensor) else None


def _noisy(rule: Rule, child: Any, parents: Sequence[Any], decimals: bool) -> Potential | None:
    """A noisy-OR or noisy-AND; without parameters, each cause is certain to have its effect."""
    numbers = [_rational(number, decimals) for number in (rule.leak, *rule.weights)]
    rows = _chances(rule, numbers, [parent.domainSize() for parent in parents])
    if rows is None or child.domainSize() != 2:
        return None
    prevents = rule.name in ("MultiDimNoisyAND", "and", "forall")
    measured = bool(rule.weights) and not decimals
    leak, *causes = [
        replace(Table.of([_beside(p, prevents) for p in row]), measured=measured) for row in rows
    ]
    resting = Table(leak.integers[0], leak.scale, measured)
    return NoisyMax(tuple(causes), resting, (1, 0) if prevents else (0, 1))


def _chances(rule: Rule, numbers: Sequence[Fraction], sizes: Sequence[int]) -> Rows | None:
    """With which probabilities the leak, and then each parent in each state, has its effect.

    The effect puts the variable into its second state or, of the ANDs, keeps it from there.
    """
    leak, *weights = numbers
    match rule.name:
        case "or" | "exists":
            causes = [[Fraction(state == rule.value) for state in range(size)] for size in sizes]
            return [[Fraction(0)], *causes]
        case "and" | "forall":
            causes = [[Fraction(state != rule.value) for state in range(size)] for size in sizes]
            return [[Fraction(0)], *causes]
        case "MultiDimNoisyORCompound" if leak < 1:
            # The weight of a cause is the probability together with the leak.
            weights = [(weight - leak) / (1 - leak) for weight in weights]
        case "MultiDimNoisyAND":
            pairs = zip(weights, sizes, strict=True)
            return [[1 - leak], *[[w, *[1 - w] * (size - 1)] for w, size in pairs]]
        case "MultiDimNoisyORNet":
            pass
        case _:
            return None
    pairs = zip(weights, sizes, strict=True)
    return [[leak], *[[w * (state == 1) for state in range(size)] for w, size in pairs]]


def _rational(number: float, decimals: bool) -> Fraction:
    return Fraction(str(number)) if decimals else Fraction(number)


def _beside(p: Fraction, prevents: bool) -> list[Fraction]:
    return [p, 1 - p] if prevents else [1 - p, p]


def _extreme(rule: Rule, child: Any, parents: Sequence[Any]) -> Potential:
    """The largest or the least value: states of the child are in the order of their values."""
    values, size = _values(child), child.domainSize()
    causes = [
        Table.of(one_where(np.array([_closest(value, values) for value in _values(parent)]), size))
        for parent in parents
    ]
    ranks = range(size) if rule.name == "max" else range(size)[::-1]
    return NoisyMax(tuple(causes), Table.of([int(rank == 0) for rank in ranks]), tuple(ranks))


def _sum(rule: Rule, child: Any, parents: Sequence[Any]) -> Potential | None:
    """The sum of values, or how many parents are in a state; the child is the closest to it."""
    if rule.name == "count":
        sizes = [parent.domainSize() for parent in parents]
        listed = [[float(state == rule.value) for state in range(size)] for size in sizes]
        values = [*map(float, range(child.domainSize()))]
    else:
        listed, values = [_values(parent) for parent in parents], _values(child)
    if not all(value.is_integer() for row in listed for value in row):
        return None
    least = sum(map(min, listed))
    addends = tuple([tuple([int(value - min(row)) for value in row]) for row in listed])
    sums = CountPotential(addends).sums
    if sums * len(values) > _MOST_SUMS:
        return None
    states = np.array([_closest(least + total, values) for total in range(sums)])
    return CountPotential(addends, Table.of(one_where(states, len(values))))


def _values(variable: Any) -> list[float]:
    """The number that each state stands for; of labels, the index."""
    return [float(variable.numerical(state)) for state in range(variable.domainSize())]


def _closest(value: float, values: Sequence[float]) -> int:
    """The state with the closest value, the first of two."""
    return min(range(len(values)), key=lambda state: (abs(values[state] - value), state))


def _agrees(potential: Potential, tensor: Any) -> bool:
    """Whether pyAgrum has the same numbers where at most one parent is not in its first state."""
    place = needed("pyagrum").Instantiation(tensor)
    states = [0] * len(potential.shape)
    for argument, size in enumerate(potential.shape[:-1]):
        for state in range(size):
            states[argument] = state
            place.chgVal(argument + 1, state)
            if not _same_distribution(potential, states, tensor, place):
                return False
        states[argument] = 0
        place.chgVal(argument + 1, 0)
    return True


def _same_distribution(
    potential: Potential, states: Sequence[int], tensor: Any, place: Any
) -> bool:
    for state in range(potential.shape[-1]):
        place.chgVal(0, state)
        ours = float(potential.potential([*states[:-1], state]))
        if not abs(ours - tensor.get(place)) <= _NEARLY:  # also if that is not a number
            return False
    return True
