"""Plans: what a method will do to answer a query, known before it runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from liftgraph.model.answers.answer import Answer
from liftgraph.model.answers.marginal import Marginal
from liftgraph.model.query import Query

Progress = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class Operation:
    """A table that a plan starts from, or a step that makes a table from others.

    ``operators``: what is done, in order; ``eliminated``: the names of what is summed out in the
    end. ``axes``: what the table is over; ``entries``: how many it has.
    ``operands``: the operations that it is made from, by their indices; tables have none, nor do
    constants, whose operator is their name.
    """

    operators: tuple[str, ...] = ()
    eliminated: tuple[str, ...] = ()
    axes: tuple[str, ...] = ()
    entries: int = 1
    operands: tuple[int, ...] = ()


@runtime_checkable
class Plan(Protocol):
    """What a method will do to answer a query; printing it describes it."""

    @property
    def query(self) -> Query:
        """What is asked."""

    @property
    def names(self) -> Sequence[str]:
        """The names of the variables that are asked for."""

    @property
    def method(self) -> str:
        """The name of the method."""

    @property
    def work(self) -> int:
        """How many entries of tables will be read."""

    @property
    def peak_bytes(self) -> int:
        """A bound on the memory it will take beyond the model, in bytes."""

    @property
    def text(self) -> str:
        """What will be done, in a few lines."""

    @property
    def outline(self) -> Sequence[Operation]:
        """The tables it starts from, and its steps, operands first; empty without steps."""

    def run(self, progress: Progress = lambda share: None) -> Answer:
        """The answer; ``progress`` is called with the share of the work done so far."""


@runtime_checkable
class CompiledQuery(Protocol):
    """A query that is planned before the states of its observed variables are known."""

    @property
    def names(self) -> Sequence[str]:
        """The names of the variables that are asked for."""

    @property
    def work(self) -> int:
        """How many entries of tables a call reads, at most."""

    @property
    def peak_bytes(self) -> int:
        """A bound on the memory that a call takes beyond the model, in bytes."""

    @property
    def text(self) -> str:
        """What a call does, in a few lines."""

    def __call__(self, *states: Any) -> Marginal:
        """The distribution in these states: a mapping by variable, or one by one."""
