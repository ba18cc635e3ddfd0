"""Likelihoods: what an uncertain observation of a variable says of each of its states.

This is Pearl's virtual evidence (Probabilistic Reasoning in Intelligent Systems, 1988, section
2.2.2): a likelihood is a factor of one variable, and only the ratios of its numbers matter to
distributions. In a factor graph it becomes that factor; lifted models keep it with the evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from liftgraph.errors import InputError, quoted
from liftgraph.exact import rational
from liftgraph.model.ground.evidence import NamedVariables, check_evidence
from liftgraph.model.ground.names import States, find_state, is_count, state_index
from liftgraph.model.ground.table import Table

Observed = TypeVar("Observed", bound=Hashable)


def likelihood_in(value: object, states: Callable[[], States]) -> Any:
    """The likelihood that is written of an observed variable: numbers in a list or by state, or a
    table; None if a state is written.

    A tuple is a state if the variable has a state of this name, as models of other libraries may;
    otherwise its numbers are a likelihood. A series of pandas is read by its labels, unless these
    are 0, 1, …, as where nobody gave any.

    >>> likelihood_in((4, 1), lambda: ("yes", "no")), likelihood_in("yes", lambda: ("yes", "no"))
    ([4, 1], None)
    >>> likelihood_in((4, 1), lambda: ("(4, 1)", "(4, 2)")) is None
    True
    """
    if isinstance(value, tuple):
        return [*value] if all(map(_is_number, value)) and find_state(states(), value) < 0 else None
    if isinstance(value, np.ndarray):
        return value if value.ndim > 0 else None
    if isinstance(value, list | Mapping | Table):
        return value
    is_series = type(value).__name__ == "Series" and hasattr(value, "to_list")
    return _of_series(value, states) if is_series else None


def _is_number(value: object) -> bool:
    try:
        rational(value)
    except InputError:
        return False
    return True


def _of_series(series: Any, states: Callable[[], States]) -> list[Any] | dict[Any, Any]:
    numbers: list[Any] = series.to_list()
    if not hasattr(series, "index"):  # as those of polars
        return numbers
    labels: list[Any] = series.index.to_list()
    if len(set(labels)) < len(labels):
        raise InputError("expected a likelihood with distinct labels, got a series with equal ones")
    if labels != [*range(len(labels))] or not all(map(is_count, labels)):
        return dict(zip(labels, numbers, strict=True))
    if [find_state(states(), label) for label in labels] not in (labels, [-1] * len(labels)):
        came = f"got a series with labels 0 to {len(labels) - 1} for the states {_listed(states())}"
        raise InputError(f"expected a likelihood by state, {came}: their order is not clear")
    return numbers


def parted(
    written: Mapping[Any, Any], states_of: Callable[[Any], States]
) -> tuple[Mapping[Any, Any], dict[Any, Any]]:
    """Evidence without its likelihoods, and these. What is written of a count is none.

    ``states_of``: the states of a variable, by name or index.

    >>> parted({"A": "yes", "B": [3, 1]}, lambda name: ("yes", "no"))
    ({'A': 'yes'}, {'B': [3, 1]})
    """
    check_evidence(written)
    likelihoods: dict[Any, Any] = {}
    for name, value in written.items():
        if type(value) is not str and (isinstance(name, str) or is_count(name)):
            found = likelihood_in(value, partial(states_of, name))
            if found is not None:
                likelihoods[name] = found
    if not likelihoods:
        return written, {}
    return {name: value for name, value in written.items() if name not in likelihoods}, likelihoods


def likelihood(name: str, states: States, written: Any) -> Table:
    """The factor of one variable that is written as numbers for its states, by name or in order;
    or as a table.

    >>> likelihood("A", ("yes", "no"), {"no": 1, "yes": "4"})
    Table(2, [4 1] × 1)
    """
    if isinstance(written, Table):
        check_likelihood(name, states, written)
        return written
    numbers = _by_state(name, states, written) if isinstance(written, Mapping) else [*written]
    if len(numbers) != len(states):
        expected = f"a likelihood of {name} with {len(states)} numbers ({_listed(states)})"
        raise InputError(f"expected {expected}, got {len(numbers)}")
    try:
        table = Table.of(numbers, (len(states),))
    except InputError as error:
        raise InputError(f"likelihood of {name}: {error}") from None
    check_likelihood(name, states, table)
    return table


def _by_state(name: str, states: States, written: Mapping[Any, Any]) -> list[Any]:
    """The numbers that a mapping has for the states, in their order; each state has one."""
    numbers: dict[int, Any] = {}
    for state, number in written.items():
        index = state_index(name, states, state)
        if index in numbers:
            expected = f"a likelihood of {name} with one number for {states[index]}"
            raise InputError(f"expected {expected}, got two")
        numbers[index] = number
    if missing := [state for index, state in enumerate(states) if index not in numbers]:
        expected = f"a likelihood of {name} with a number for each state"
        raise InputError(f"expected {expected}, got none for {_listed(missing)}")
    return [numbers[index] for index in range(len(states))]


def _listed(states: Sequence[str]) -> str:
    return ", ".join(states[:20]) + ", …" * (len(states) > 20)


class LikelihoodReader:
    """Reads the likelihoods of many variables; those that are written alike share one table."""

    def __init__(self) -> None:
        self._tables: dict[Hashable, Table] = {}

    def table(self, name: str, states: States, written: Any) -> Table:
        """The likelihood that is written for a variable with these states."""
        if isinstance(written, Table):
            return likelihood(name, states, written)
        pairs = written.items() if isinstance(written, Mapping) else enumerate(written)
        # 1, 1.0 and True are equal as keys, but only 1.0 is measured: types are part of the key.
        key = states, tuple([(type(s), s, type(number), number) for s, number in pairs])
        try:
            known = self._tables.get(key)
        except TypeError:  # nested lists are refused, naming the variable
            known = None
        if known is None:
            known = likelihood(name, states, written)
            self._tables[key] = known
        return known


def add_distinct(read: dict[Observed, Table], variable: Observed, name: str, table: Table) -> None:
    """Add the likelihood of a variable to those read; a second one for it is refused."""
    if variable in read:
        raise InputError(f"expected one likelihood for {name}, got two in one mapping")
    read[variable] = table


def likelihoods_on(graph: NamedVariables, written: Mapping[Any, Any]) -> dict[int, Table]:
    """The likelihoods that are written for variables of a graph, by name or index; increasing."""
    reader, read = LikelihoodReader(), dict[int, Table]()
    for name, value in written.items():
        variable = graph.variable(name)
        called = graph.name(variable)
        table = reader.table(called, graph.states(variable), value)
        add_distinct(read, variable, called, table)
    return {variable: read[variable] for variable in sorted(read)}


def multiplied(first: Table, second: Table) -> Table:
    """The likelihood of two independent observations of a variable.

    >>> multiplied(Table.of([4, 1]), Table.of(["0.5", "0.25"]))
    Table(2, [8 1] × 1/4)
    """
    products = [first.potential((s,)) * second.potential((s,)) for s in range(first.shape[0])]
    return replace(Table.of(products), measured=first.measured or second.measured)


def check_likelihood(name: str, states: States, table: object) -> None:
    """Refuse anything but a table with a number for each state, some of them positive."""
    if not isinstance(table, Table) or table.shape != (len(states),):
        expected = f"a table of {len(states)} numbers ({_listed(states)})"
        raise InputError(f"likelihood of {name}: expected {expected}, got {quoted(table)}")
    if not table.integers.any():
        raise InputError(f"likelihood of {name}: expected a positive number, got only zeros")
