"""What writers of Bayesian networks share: the distribution of each variable, row by row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import NamedTuple

import numpy as np

from liftgraph.errors import InputError
from liftgraph.exact import shortened
from liftgraph.io.spelling import (
    Spelling,
    losses_of_floats,
    losses_of_numbers,
    numerals,
)
from liftgraph.model.ground.bayesian_network import conditional_table, own_factors
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.table import Table


class Conditional(NamedTuple):
    """The distribution of a variable given its parents; the variable is the table's last axis."""

    variable: int
    parents: tuple[int, ...]
    table: Table


def conditionals(graph: FactorGraph, path: Path | str) -> list[Conditional]:
    """The distributions of a Bayesian network in the order of its factors.

    Other graphs are refused with the reason; ``path``: the file to be written.
    """
    try:
        variables = np.argsort(own_factors(graph)).tolist()
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    return [
        Conditional(variable, *conditional_table(graph, variable, factor))
        for factor, variable in enumerate(variables)
    ]


def rows(conditional: Conditional, spell: Spelling) -> Iterator[list[str]]:
    """The probabilities for each combination of the parents' states, last parent fastest."""
    size = conditional.table.shape[-1]
    values = list(numerals(conditional.table, spell))
    return (values[start : start + size] for start in range(0, len(values), size))


def identifiers_of(graph: FactorGraph, fits: Callable[[str], bool]) -> list[str]:
    """The name of each variable if it fits as an identifier, else a new identifier."""
    names = [graph.name(variable) for variable in range(graph.variable_count)]
    taken = set(names)
    new = (name for suffix in count() if (name := f"V{suffix}") not in taken)
    return [name if fits(name) else next(new) for name in names]


def losses_of_network(graph: FactorGraph, rounded: bool) -> Iterator[str]:
    """What a file of a Bayesian network does not keep, or others may not read."""
    yield from losses_of_numbers(graph, rounded)
    for note in losses_of_floats(graph.used_tables):
        yield f"{note}; rows that do not sum to exactly 1 are normalised"


def unfit(path: Path | str, title: str, name: str) -> InputError:
    """The error for a name that a format cannot write."""
    came = shortened(repr(name))
    return InputError(f"{path}: expected names that {title} files can hold, got {came}")
