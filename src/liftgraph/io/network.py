"""Bayesian networks from files: variables and conditional distributions become a factor graph.

Variables are in the order of the file, and so are factors, one for each distribution. The scope of
a factor has the variable itself first, then its parents in the order of the file. Distributions
that sum to one are kept exactly, rounded ones are normalised.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from fractions import Fraction
from functools import partial
from graphlib import CycleError, TopologicalSorter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liftgraph.display import counted, format_count
from liftgraph.errors import InputError, InputWarning, ParseError
from liftgraph.exact import shortened, shown
from liftgraph.io.allowance import Allowance
from liftgraph.io.decimal_tables import make_tables_at
from liftgraph.io.files import error_at
from liftgraph.io.number_costs import take_digits
from liftgraph.io.scanner import REPAIR, NumberSpans, Word
from liftgraph.model.ground.bayesian_network import ROUNDING, is_conditional, normalised, wrong_sums
from liftgraph.model.ground.builder import FactorGraphBuilder
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.names import state_names
from liftgraph.model.ground.table import MAX_ARGUMENTS, Potential, Table, UnknownDistribution

DECLARATION_COST = 1200  # of a variable or a distribution, apart from its names and numbers
_ENTRY_COST = 140
_NORMALISED_COST = 700  # of an entry that is divided by the sum of its row
_SIGN_COST = 130  # of a parenthesis: its place, the numbers before it
_PARENTHESIS = re.compile(rb"[()]")
Failure = Callable[[int, str], ParseError]  # the error at a byte of the file


class Variable(NamedTuple):
    """A variable that a file declares."""

    name: Word
    states: tuple[str, ...]


class Family(NamedTuple):
    """A variable and its parents, their numbers of states, and the byte where they are listed."""

    scope: tuple[int, ...]
    shape: tuple[int, ...]
    place: int


class ListedDistribution(NamedTuple):
    """The distribution of a family's first variable given the others, as a file lists it.

    ``places``: the index of each entry among the file's numbers, int64 of the family's shape; None
    if the distribution is uniform.
    """

    family: Family
    places: NDArray[np.int64] | None


class GivenDistribution(NamedTuple):
    """The distribution of a variable as a potential of any kind over these variables."""

    scope: tuple[int, ...]
    potential: Potential


def families(
    variables: Sequence[Variable],
    scopes: Sequence[Sequence[Word]],
    failure: Failure,
    allowance: Allowance,
    without_tables: Collection[int] = (),
) -> list[Family]:
    """The families that a file lists by name, checked: one for each variable, and no cycles.

    ``without_tables``: the scopes of distributions that do not list a number for each entry.
    """
    index = _index(variables, failure)
    listed: list[Family] = []
    children: set[int] = set()
    for scope_index, words in enumerate(scopes):
        scope = _indices(words, index, failure)
        if scope[0] in children:
            again = f"expected one distribution of {shortened(words[0].text)}, got another"
            raise failure(words[0].place, again)
        children.add(scope[0])
        shape = tuple(len(variables[variable].states) for variable in scope)
        if scope_index not in without_tables:
            _check_entries(words, shape, failure, allowance)
        listed.append(Family(scope, shape, words[0].place))
    for variable_index, variable in enumerate(variables):
        if variable_index not in children:
            missing = f"expected a distribution of {shortened(variable.name.text)}, got none"
            raise failure(variable.name.place, missing)
    _refuse_cycles(variables, listed, failure)
    return listed


def _check_entries(
    words: Sequence[Word], shape: tuple[int, ...], failure: Failure, allowance: Allowance
) -> None:
    if len(words) > MAX_ARGUMENTS:
        problem = f"expected at most {MAX_ARGUMENTS} variables, got {len(words)}"
        raise failure(words[MAX_ARGUMENTS].place, problem)
    entries = math.prod(shape)
    what = f"the distribution of {shortened(words[0].text)} has {format_count(entries)} entries"
    allowance.take(_ENTRY_COST * entries, what)


def _index(variables: Sequence[Variable], failure: Failure) -> dict[str, int]:
    """The index of each variable by its name; names and states are checked."""
    index: dict[str, int] = {}
    for variable, (name, states) in enumerate(variables):
        shown_name = shortened(name.text)
        if index.setdefault(name.text, variable) != variable:
            raise failure(name.place, f"expected a new variable, got {shown_name} again")
        try:
            state_names(states)
        except InputError as error:
            raise failure(name.place, f"{shown_name}: {error}") from None
    return index


def _indices(words: Sequence[Word], index: dict[str, int], failure: Failure) -> tuple[int, ...]:
    seen: set[str] = set()
    for name, place in words:
        if name not in index:
            raise failure(place, f"expected a variable of the network, got {shortened(name)}")
        if name in seen:
            raise failure(place, f"expected distinct variables, got {shortened(name)} again")
        seen.add(name)
    return tuple(index[word.text] for word in words)


def _refuse_cycles(
    variables: Sequence[Variable], listed: Sequence[Family], failure: Failure
) -> None:
    parents = {family.scope[0]: family.scope[1:] for family in listed}
    try:
        TopologicalSorter(parents).prepare()
    except CycleError as error:
        cycle = error.args[1]
        place = next(family.place for family in listed if family.scope[0] == cycle[0])
        names = " → ".join(variables[variable].name.text for variable in cycle)
        raise failure(place, f"expected no cycle of parents, got {shortened(names)}") from None


def network_of_arrows(
    variables: Sequence[Variable],
    scopes: Sequence[Sequence[Word]],
    failure: Failure,
    allowance: Allowance,
) -> FactorGraph:
    """The network of a file that has no tables at all: its arrows."""
    listed = families(variables, scopes, failure, allowance, range(len(scopes)))
    builder = FactorGraphBuilder()
    for name, states in variables:
        builder.add_variable(name.text, states)
    for (child, *parents), (size, *sizes), _ in listed:
        unknown = UnknownDistribution(variables[child].name.text, (*sizes, size))
        builder.add_factor((*parents, child), unknown)
    return builder.build()


def network_graph(
    variables: Sequence[Variable],
    distributions: Sequence[ListedDistribution | GivenDistribution],
    numbers: NumberSpans,
    allowance: Allowance,
    writer: str | None = None,
) -> FactorGraph:
    """The factor graph of a network; probabilities that do not sum to one are refused.

    Precondition: ``families`` has checked the families of the distributions. ``writer``: the
    program that wrote the file, if its numbers are weights, which it normalises when it reads them.
    """
    builder = FactorGraphBuilder()
    for name, states in variables:
        builder.add_variable(name.text, states)
    tables = tables_of(
        [listed for listed in distributions if isinstance(listed, ListedDistribution)],
        numbers,
        allowance,
        writer,
    )
    for distribution in distributions:
        if isinstance(distribution, GivenDistribution):
            builder.add_factor(distribution.scope, distribution.potential)
        else:
            builder.add_factor(distribution.family.scope, next(tables))
    _warn_of_sums(numbers, writer)
    return builder.build()


def tables_of(
    distributions: Sequence[ListedDistribution],
    numbers: NumberSpans,
    allowance: Allowance,
    writer: str | None = None,
) -> Iterator[Table]:
    """The table of each distribution, normalised; each distinct one is made once."""
    listed = [d.places for d in distributions if d.places is not None]
    tables, table_ids = make_tables_at(listed, numbers.numerals, numbers.text.error)
    places_and_ids = zip(listed, table_ids.tolist(), strict=True)
    normalised_tables: dict[int, Table] = {}
    for distribution in distributions:
        if distribution.places is None:
            shape = distribution.family.shape
            yield Table(np.ones(shape, dtype=np.int64), Fraction(1, shape[0]))
            continue
        places, table_id = next(places_and_ids)
        if table_id not in normalised_tables:
            table = tables[table_id]
            if not is_conditional(table, 0):
                size = table.integers.size
                allowance.take(_NORMALISED_COST * size, f"{size:,} probabilities are normalised")
                table = _normalised(table, places, numbers, writer)
            take_digits(allowance, table)
            normalised_tables[table_id] = table
        yield normalised_tables[table_id]


def _normalised(
    table: Table, places: NDArray[np.int64], numbers: NumberSpans, writer: str | None
) -> Table:
    """The table with its rows divided by their sums, which must be near one for most files."""
    if wrong_sums(table, 0):
        if wrong_sums(table, 0, None):
            raise _first_wrong(table, places, numbers, lambda total: total == 0)
        error = _first_wrong(table, places, numbers, lambda total: abs(total - 1) > ROUNDING)
        if not (writer or numbers.repair):
            raise error
        numbers.divided.append(error)
    return normalised(table, 0, None)


def _warn_of_sums(numbers: NumberSpans, writer: str | None) -> None:
    """Say that rows were divided by sums that are not near one, and where the first is."""
    if numbers.divided:
        first = str(numbers.divided[0]).partition("; ")[0]
        done = f"{counted(len(numbers.divided), 'table')} like this divided by the sums"
        by = f", as {writer} does" if writer else ""
        warnings.warn(f"{first}: {done}{by}", InputWarning, stacklevel=2)


def _first_wrong(
    table: Table,
    places: NDArray[np.int64],
    numbers: NumberSpans,
    wrong: Callable[[Fraction], bool],
) -> ParseError:
    """The error at the first probabilities in the file whose sum is wrong."""
    sums = np.asarray(table.integers.astype(object).sum(axis=0)).ravel()
    starts = places.min(axis=0).ravel()
    first, wrong_sum = min(
        (int(start), total * table.scale)
        for start, total in zip(starts, sums.tolist(), strict=True)
        if wrong(total * table.scale)
    )
    problem = f"expected probabilities that sum to 1, got a sum of {shown(wrong_sum)}"
    problem += f"; {REPAIR} divides by sums" if wrong_sum else ", and nothing to divide"
    return numbers.text.error(first, problem)


def check_parentheses(
    bounds: tuple[int, int], shape: list[int], numbers: NumberSpans, allowance: Allowance
) -> None:
    """Refuse parentheses that do not enclose the numbers of the states one by one.

    ``bounds``: of the text with all numbers of a distribution, which begins with a parenthesis.
    ``shape``: of its table, in the order of the numbers.
    """
    text = numbers.text
    failure = partial(error_at, text.path, text.data)
    start, end = bounds
    if not text.data.startswith(b"(", start):
        raise failure(start, "expected (, got a number")
    count = text.data.count(b"(", start, end) + text.data.count(b")", start, end)
    allowance.take(_SIGN_COST * count, f"its text has {count:,} parentheses in a row")
    signs = [sign.start() for sign in _PARENTHESIS.finditer(text.data, start, end)]
    numbers_before = np.searchsorted(text.starts, signs).tolist()
    opened: list[int] = []
    for place, count in zip(signs, numbers_before, strict=True):
        if text.data[place] == ord("("):
            opened.append(count)
            if len(opened) > len(shape):
                problem = f"expected at most {len(shape)} parentheses inside each other, got more"
                raise failure(place, problem)
        elif not opened:
            raise failure(place, "expected ;, got )")
        else:
            enclosed = count - opened.pop()
            expected = math.prod(shape[len(opened) :])
            if enclosed != expected:
                problem = f"expected {expected:,} numbers in parentheses, got {enclosed:,}"
                raise failure(place, problem)
    if opened:
        raise failure(end, "expected ), got ;")
