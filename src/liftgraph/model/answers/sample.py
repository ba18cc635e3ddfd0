"""Samples: assignments of all variables, drawn independently from a model's distribution."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from itertools import islice
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from liftgraph.display import counted, format_count
from liftgraph.errors import InputError, printable, quoted, short_traceback
from liftgraph.exact import shortened
from liftgraph.model.answers.answer import accuracy_text
from liftgraph.model.answers.draws import Draws
from liftgraph.model.answers.frames import data_frame, framed
from liftgraph.model.ground.names import States, is_count
from liftgraph.model.lifted.parfactor import PRV
from liftgraph.model.lifted.substitutions import substitutions
from liftgraph.model.memory_limit import beyond_limit
from liftgraph.model.tabular import html_table

_LINES = 20  # how many variables or PRVs the text shows
_ROWS = 60  # how many a notebook shows
_STATES = 8  # how many states of each are shown
_CELL_BYTES = 16  # of a cell of a data frame while it is made: pointers to it


class Block(NamedTuple):
    """The variables of a PRV: their numbers, and what they have in common."""

    prv: PRV
    variables: range


class Variables(Protocol):
    """The variables of a model, by number: block after block, a block for each PRV.

    ``names``: those of the variables, in the order of the model; ``numbers``: int64 (n,), their
    numbers. ``count``: how many there are; ``block_count``: how many blocks.
    """

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def numbers(self) -> NDArray[np.int64]: ...

    @property
    def count(self) -> int: ...

    @property
    def block_count(self) -> int: ...

    def blocks(self) -> Iterator[Block]: ...

    def block(self, name: str | int) -> Block: ...

    def variable(self, name: str | int) -> tuple[int, States]: ...

    def first(self, count: int) -> Variables: ...


@dataclass(frozen=True, eq=False, repr=False)
class Sample:
    """Independent assignments of all variables, each drawn with its probability given the evidence.

    ``count``: how many; ``len`` is the same. ``variables``: those of the model. ``seed``: what the
    sample is determined by, with the model, the evidence, ``count`` and the method; it is a new one
    unless one was given. ``exact``: whether probabilities were exact, not rounded to floats.
    ``draws``: where the states come from: those of a lifted model are written out when they are
    read. ``memory_limit``: in bytes; writing out more is refused. The other fields are those of
    other answers.
    """

    count: int
    variables: Variables
    seed: int
    exact: bool
    draws: Draws
    memory_limit: int
    method: str
    log_odds_bound: float = 0.0
    approximate: bool = False

    def __len__(self) -> int:
        return self.count

    @short_traceback
    def first(self, count: int) -> Sample:
        """The samples of the first variables only, in the order of ``names``.

        A PRV of which only some variables are among them is none any more: ``counts`` and
        ``table`` take these variables one by one.
        """
        if not is_count(count) or not 0 <= count <= self.variables.count:
            expected = f"a number of variables from 0 to {self.variables.count:,}"
            raise InputError(f"expected {expected}, got {quoted(count)}")
        return replace(self, variables=self.variables.first(count))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of all variables, in the order of the model."""
        return self.variables.names

    @property
    @short_traceback
    def states(self) -> NDArray[np.integer[Any]]:
        """The index of the state of each variable, int (samples, variables), in the order of the
        model; a row for each sample. All individuals are written out."""
        self.check_size("writing out all states needs", self.variables.count, 1)
        numbers, blocks = self.variables.numbers, list(self.variables.blocks())
        place = np.empty(int(numbers.max(initial=-1)) + 1, dtype=np.int64)
        place[numbers] = np.arange(len(numbers))
        most = max([len(block.prv.states) for block in blocks], default=1)
        listed = np.empty((self.count, len(numbers)), dtype=np.min_scalar_type(most - 1))
        for block in blocks:
            row = 0
            for part in self.draws.states(block.variables):
                listed[row : row + len(part), place[block.variables]] = part
                row += len(part)
        listed.flags.writeable = False
        return listed

    @short_traceback
    def column(self, variable: str | int) -> tuple[str, ...]:
        """The state of a variable, by name or index, in each sample."""
        number, states = self.variables.variable(variable)
        return tuple([states[state] for state in self.draws.column(number).tolist()])

    @short_traceback
    def counts(self, prv: str) -> dict[str, NDArray[np.int64]]:
        """How many variables of a PRV are in each state: int64 (samples,) by state.

        Of a factor graph, a variable is asked for. Individuals are not written out where histograms
        tell the counts.
        """
        block = self.variables.block(prv)
        counts = self.draws.counts(block.variables, len(block.prv.states))
        return dict(zip(block.prv.states, counts.T.copy(), strict=True))

    @short_traceback
    def table(self, prv: str, backend: str = "pandas") -> Any:
        """A PRV as a relation: a data frame of pandas, polars or PyArrow with a row for each of its
        variables, a column for each logvar, and one for the state, which has the PRV's name.

        Unless there is one sample, the first column, ``sample``, has the index of each, from 0.
        """
        return data_frame(relation(self, prv), backend)

    @short_traceback
    def tables(self, backend: str = "pandas") -> dict[str, Any]:
        """The relation of each PRV by its name: ``table`` says what it has."""
        names = [block.prv.name for block in self.variables.blocks()]
        return {name: self.table(name, backend) for name in names}

    @framed
    @short_traceback
    def to_frame(self, backend: str = "pandas") -> Any:
        """A data frame of pandas, polars or PyArrow, a row for each sample, a column for each
        variable. All individuals are written out."""
        return data_frame(assignments(self), backend)

    def check_size(self, needs: str, variables: int, width: int) -> None:
        """Refuse to write out more than fits into the limit."""
        needed = _CELL_BYTES * width * self.count * variables
        if needed > self.memory_limit:
            reason = f"{counted(self.count, 'sample')} of {counted(variables, 'variable')}"
            raise beyond_limit(needs, needed, self.memory_limit, reason)

    @property
    def _title(self) -> str:
        variables = counted(self.variables.count, "variable")
        drawn = f"{counted(self.count, 'sample')} of {variables}"
        return f"{drawn}, seed {self.seed}{accuracy_text(self)}"

    def _shown(self, most: int) -> list[tuple[str, str]]:
        """The share of each state among the variables of each PRV, in all samples together."""
        rows = []
        for block in islice(self.variables.blocks(), most):
            name = printable(shortened(str(block.prv.atom)))
            rows.append((name, printable(self._shares(block))))
        left_out = self.variables.block_count - len(rows)
        return rows + [("…", f"{format_count(left_out)} more")] * (left_out > 0)

    def _shares(self, block: Block) -> str:
        if not self.count or not block.variables:
            return "nothing drawn"
        if len(block.prv.logvars) > 1:
            return f"{counted(len(block.variables), 'variable')}, drawn when read"
        counts = self.draws.counts(block.variables, len(block.prv.states)).sum(axis=0)
        shares = counts / (self.count * len(block.variables))
        pairs = list(zip(block.prv.states, shares.tolist(), strict=True))
        listed = [f"{shortened(state)} {share:.1%}" for state, share in pairs[:_STATES]]
        return ", ".join([*listed, *["…"] * (len(pairs) > _STATES)])

    def _repr_html_(self) -> str:
        """A table, for notebooks."""
        rows = "".join(
            f'<tr><th style="text-align:left">{escape(name)}</th><td>{escape(text)}</td></tr>'
            for name, text in self._shown(_ROWS)
        )
        return html_table(rows, self._title)

    def __repr__(self) -> str:
        """The share of each state among the variables of each PRV, or of each variable."""
        rows = self._shown(_LINES)
        width = max([len(name) for name, _ in rows], default=0)
        return "\n".join([self._title, *(f"  {name:<{width}}  {text}" for name, text in rows)])


def assignments(sample: Sample) -> dict[str, list[str]]:
    """The state of each variable in each sample, by the names of the variables."""
    sample.check_size("a data frame needs", sample.variables.count, 2)
    sets = {n: b.prv.states for b in sample.variables.blocks() for n in b.variables}
    columns = zip(sample.names, sample.states.T, sample.variables.numbers.tolist(), strict=True)
    return {
        name: [sets[number][state] for state in column.tolist()] for name, column, number in columns
    }


def relation(sample: Sample, prv: str) -> dict[str, list[Any]]:
    """The columns of the relation of a PRV: samples, individuals and states."""
    block = sample.variables.block(prv)
    size, logvars = len(block.variables), block.prv.logvars
    sample.check_size(f"writing out {block.prv.name} needs", size, 3 + 2 * len(logvars))
    names = _column_names(block.prv, sample.count != 1)
    columns: dict[str, list[Any]] = {}
    if sample.count != 1:
        columns[next(names)] = np.repeat(np.arange(sample.count), size).tolist()
    chosen = substitutions(block.prv.pattern) if logvars else []
    for logvar, column in zip(logvars, chosen, strict=True):
        individuals = [*map(logvar.domain.individual, range(logvar.size))]
        once = [individuals[individual] for individual in column.tolist()]
        columns[next(names)] = once * sample.count
    parts = sample.draws.states(block.variables)
    states = [state for part in parts for state in part.ravel().tolist()]
    columns[next(names)] = [block.prv.states[state] for state in states]
    return columns


def _column_names(prv: PRV, several: bool) -> Iterator[str]:
    """Names of columns that differ, with primes if need be; the last one is that of the PRV."""
    names: list[str] = []
    for name in [*["sample"] * several, *[logvar.name for logvar in prv.logvars]]:
        while name in (prv.name, *names):
            name += "'"
        names.append(name)
    return iter([*names, prv.name])
