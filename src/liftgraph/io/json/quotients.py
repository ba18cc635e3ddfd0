"""Quotients in JSON files: a line for each list of states, each table and each group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np

from liftgraph.errors import InputError, ParseError, quoted, short_traceback
from liftgraph.exact import checked_tolerance, parse_rational, shortened
from liftgraph.io.allowance import Allowance
from liftgraph.io.files import read_text
from liftgraph.io.formats import format_of
from liftgraph.io.json.documents import (
    FactorGroupEntry,
    GraphDocument,
    LiftedDocument,
    QuotientDocument,
    VariableGroupEntry,
)
from liftgraph.io.json.tables import potential_entry, potentials_of
from liftgraph.io.json.text import BYTE_COST, built, encode, place, take_values, title_of
from liftgraph.io.spelling import Spelling, spelling
from liftgraph.io.writing import write_bytes
from liftgraph.model.ground.factor_graph import pointers
from liftgraph.model.ground.names import States, checked_name, state_index, state_names
from liftgraph.model.ground.table import Potential
from liftgraph.model.memory_limit import MEMORY_LIMIT, Bytes, checked_memory_limit
from liftgraph.symmetry.colours.colouring import ALGORITHMS, Algorithm
from liftgraph.symmetry.colours.quotient import Quotient, Scales

_MOST = 2**63 - 1  # members of a group, and of all groups together


@short_traceback
def write_quotient(quotient: Quotient, path: Path | str) -> None:
    """Write a quotient as JSON; .gz after the suffix compresses. Numbers are never rounded.

    ``read_quotient`` reads back an equal one.
    """
    _check_suffix(path)
    if not isinstance(quotient, Quotient):
        raise InputError(f"{path}: expected a quotient to write, got {shortened(quoted(quotient))}")
    write_bytes(path, encode(document_of_quotient(quotient, spelling(False, path))))


@short_traceback
def read_quotient(path: Path | str, *, memory_limit: Bytes = MEMORY_LIMIT) -> Quotient:
    """Read a quotient that ``write_quotient`` wrote; errors name the place in the document.

    If reading it needs more than ``memory_limit`` bytes, 4 GiB by default, it is refused
    beforehand.
    """
    _check_suffix(path)
    allowance = Allowance(str(path), checked_memory_limit(memory_limit))
    text = read_text(path, allowance, BYTE_COST)
    take_values(allowance, text)
    title, expected = title_of(path, text), QuotientDocument.TITLE
    if title not in (None, expected):
        hint = ": lg.read reads it" * (title in (GraphDocument.TITLE, LiftedDocument.TITLE))
        problem = f"expected {expected} {QuotientDocument.VERSION}, got {shortened(title)}{hint}"
        raise ParseError(str(path), None, problem)
    return built(path, text, QuotientDocument, partial(quotient_of_document, allowance=allowance))


def _check_suffix(path: Path | str) -> None:
    if format_of(path).title != "JSON":
        expected = "a name ending in .json or .json.gz"
        raise InputError(f"{path}: expected {expected}, got {shortened(Path(path).name)}")


def document_of_quotient(quotient: Quotient, spell: Spelling) -> QuotientDocument:
    """The document of a quotient."""
    return QuotientDocument(
        QuotientDocument.TITLE,
        QuotientDocument.VERSION,
        quotient.algorithm,
        spell(quotient.tolerance),
        [list(states) for states in quotient.state_sets],
        [_variable_entry(quotient, group) for group in range(quotient.variable_group_count)],
        [potential_entry(potential, spell) for potential in quotient.potentials],
        [_factor_entry(quotient, group, spell) for group in range(quotient.factor_group_count)],
    )


def _variable_entry(quotient: Quotient, group: int) -> VariableGroupEntry:
    kind, state = int(quotient.state_set_id[group]), int(quotient.observed[group])
    observed = None if state < 0 else quotient.state_sets[kind][state]
    size = int(quotient.variable_sizes[group])
    return VariableGroupEntry(quotient.names[group], kind, size, observed)


def _factor_entry(quotient: Quotient, group: int, spell: Spelling) -> FactorGroupEntry:
    return FactorGroupEntry(
        list(quotient.arguments_of(group)),
        int(quotient.potential_id[group]),
        int(quotient.factor_sizes[group]),
        [(spell(scale), count) for scale, count in quotient.scales[group]],
    )


def quotient_of_document(document: QuotientDocument, allowance: Allowance) -> Quotient:
    """The quotient that a document describes."""
    variables, factors = document.variables, document.factors
    state_sets = tuple(_state_sets(document.states))
    observed = list(_observed(variables, state_sets))
    potentials = tuple(potentials_of(document.tables, "$.tables", allowance))
    scales = tuple(_scales(document, state_sets, potentials))
    return Quotient(
        _algorithm(document.algorithm),
        _tolerance(document.tolerance),
        state_sets,
        np.array([entry.states for entry in variables], dtype=np.int32),
        np.array(observed, dtype=np.int32),
        tuple([entry.name for entry in variables]),
        np.array([entry.size for entry in variables], dtype=np.int64),
        potentials,
        np.array([entry.table for entry in factors], dtype=np.int32),
        pointers(np.array([len(entry.arguments) for entry in factors], dtype=np.int64)),
        np.array([group for entry in factors for group in entry.arguments], dtype=np.int32),
        np.array([entry.size for entry in factors], dtype=np.int64),
        scales,
    )


def _algorithm(name: str) -> Algorithm:
    for algorithm in ALGORITHMS:
        if algorithm == name:
            return algorithm
    with place("$.algorithm"):
        raise InputError(f"expected one of {', '.join(ALGORITHMS)}, got {shortened(name)}")


def _tolerance(text: str) -> Fraction:
    with place("$.tolerance"):
        return checked_tolerance(parse_rational(text)) or Fraction(0)


def _state_sets(listed: Sequence[Sequence[str]]) -> Iterator[States]:
    earlier: set[States] = set()
    for index, names in enumerate(listed):
        with place(f"$.states[{index}]"):
            states = state_names(names)
            if states in earlier:
                raise InputError(f"expected other states, got {shortened(quoted(states))} again")
        earlier.add(states)
        yield states


def _observed(entries: Sequence[VariableGroupEntry], state_sets: Sequence[States]) -> Iterator[int]:
    """The observed state of each group of variables, -1 if there is none."""
    names: set[str] = set()
    for index, entry in enumerate(entries):
        with place(f"$.variables[{index}]"):
            if checked_name(entry.name) in names:
                raise InputError(f"expected a new name, got {shortened(entry.name)} again")
            _check_index(entry.states, len(state_sets), "states")
            _checked_size(entry.size)
            states, state = state_sets[entry.states], entry.observed
            observed = -1 if state is None else state_index(entry.name, states, state)
        names.add(entry.name)
        yield observed
    _check_total("$.variables", "variables", [entry.size for entry in entries])


def _scales(
    document: QuotientDocument, state_sets: Sequence[States], potentials: Sequence[Potential]
) -> Iterator[Scales]:
    """The scales of each group of factors, all else of which is checked."""
    shapes = [potential.shape for potential in potentials]
    variables = document.variables
    for index, entry in enumerate(document.factors):
        with place(f"$.factors[{index}]"):
            _checked_size(entry.size)
            _check_index(entry.table, len(shapes), "a table")
            for group in entry.arguments:
                _check_index(group, len(variables), "a group of variables")
            sizes = tuple([len(state_sets[variables[v].states]) for v in entry.arguments])
            if sizes != shapes[entry.table]:
                came = quoted(shapes[entry.table])
                raise InputError(f"expected a table of shape {quoted(sizes)}, got {came}")
            _check_meetings(entry, variables)
            scales = _scales_of(entry)
        yield scales
    edges = [len(entry.arguments) * entry.size for entry in document.factors]
    _check_total("$.factors", "factors", [entry.size for entry in document.factors])
    _check_total("$.factors", "arguments", edges)


def _check_meetings(entry: FactorGroupEntry, variables: Sequence[VariableGroupEntry]) -> None:
    """Refuse arguments that the variables of a group cannot be, each equally often."""
    for group, times in Counter(entry.arguments).items():
        size = variables[group].size
        if times > size:
            raise InputError(f"expected at most {size:,} arguments of group {group}, got {times:,}")
        if entry.size * times % size:
            expected = f"arguments that are each variable of group {group} equally often"
            came = f"{entry.size:,} × {times:,} for {size:,} variables"
            raise InputError(f"expected {expected}, got {came}")


def _scales_of(entry: FactorGroupEntry) -> Scales:
    scales = tuple((parse_rational(scale), count) for scale, count in entry.scales)
    values = [scale for scale, _ in scales]
    if sorted(set(values)) != values or not all(values):
        raise InputError("expected positive scales, each once, increasing")
    total = sum(_checked_size(count) for _, count in scales)
    if total != entry.size:
        raise InputError(f"expected scales of {entry.size:,} factors, got {total:,}")
    return scales


def _check_index(index: int, count: int, what: str) -> None:
    if not 0 <= index < count:
        raise InputError(f"expected {what} below {count:,}, got {index}")


def _checked_size(size: int) -> int:
    if not 1 <= size <= _MOST:
        raise InputError(f"expected a size from 1 to 2^63 - 1, got {size}")
    return size


def _check_total(path: str, what: str, sizes: Sequence[int]) -> None:
    if sum(sizes) > _MOST:
        with place(path):
            raise InputError(f"expected fewer than 2^63 {what}, got more")
