"""What is in a JSON file, as data: every field has the name and the type that it has there."""

from __future__ import annotations

from typing import ClassVar

import msgspec


class Entry(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """An object in a file; unknown fields are refused, and defaults are not written."""


class TableEntry(Entry):
    """A table: the last argument changes fastest. Its values are a list, decoded all at once.

    With ``addends``, its first axis is the sum of what counted arguments add, by state; each list
    with the number of arguments in a row that have it. With ``causes``, it is the leak of a
    noisy-MAX, whose effects have these ``ranks``.
    """

    shape: list[int]
    values: msgspec.Raw
    measured: bool = False
    addends: list[tuple[list[int], int]] = []
    causes: list[TableEntry] = []
    ranks: list[int] = []


class Document(Entry):
    """A whole file, which says what it is."""

    TITLE: ClassVar[str]
    VERSION: ClassVar[int] = 1

    format: str
    version: int


class VariableEntry(Entry):
    """A variable and its states, in their order."""

    name: str
    states: list[str]


class FactorEntry(Entry):
    """A factor: the names of its arguments, and the index of its table."""

    scope: list[str]
    table: int


class GraphDocument(Document):
    """A factor graph."""

    TITLE: ClassVar[str] = "liftgraph factor graph"

    variables: list[VariableEntry]
    tables: list[TableEntry]
    factors: list[FactorEntry]
    evidence: dict[str, str] = {}


class DomainEntry(Entry):
    """A domain; its individuals may have names."""

    name: str
    size: int
    individuals: list[str] | None = None


class PRVEntry(Entry):
    """A parametrised random variable: its logvars with their domains, and its constraints."""

    name: str
    states: list[str]
    logvars: dict[str, str] = {}
    where: list[list[str]] = []
    observed: str | None = None
    overridable: bool = False


class ArgumentEntry(Entry):
    """An argument of a parfactor; it is a counting variable if it counts over logvars."""

    prv: str
    logvars: list[str] = []
    counted: list[str] = []


class ParfactorEntry(Entry):
    """A parfactor: ``counted`` are the logvars of its counting variables, with their domains;
    ``child`` is the index of the argument whose distribution it is, if it was written as one."""

    arguments: list[ArgumentEntry]
    table: TableEntry
    logvars: dict[str, str] = {}
    counted: dict[str, str] = {}
    where: list[list[str]] = []
    scales: list[tuple[str, int]] = []
    child: int | None = None


class OriginEntry(Entry):
    """How the graph that a model was lifted from lists its variables and factors."""

    names: list[str] | None
    variables: list[int]
    factors: list[int]
    argument_order: list[int]
    scale_id: list[int]
    scales: list[str]
    singled_out: list[int]
    tolerance: str
    log_odds_bound: float
    near: list[TableEntry] = []
    near_id: list[int] = []


class LiftedDocument(Document):
    """A parametric factor graph."""

    TITLE: ClassVar[str] = "liftgraph parfactor graph"

    domains: list[DomainEntry]
    prvs: list[PRVEntry]
    parfactors: list[ParfactorEntry]
    origin: OriginEntry | None = None
    evidence: dict[str, str] = {}
    likelihoods: dict[str, TableEntry] = {}


class VariableGroupEntry(Entry):
    """A group of variables: the name of one, the index of their states, and how many there are."""

    name: str
    states: int
    size: int
    observed: str | None = None


class FactorGroupEntry(Entry):
    """A group of factors: the groups of their arguments, the index of the table that represents
    them, how many there are, and by what they multiply the table, each with how many do."""

    arguments: list[int]
    table: int
    size: int
    scales: list[tuple[str, int]]


class QuotientDocument(Document):
    """The groups of a colouring, without their members."""

    TITLE: ClassVar[str] = "liftgraph quotient"

    algorithm: str
    tolerance: str
    states: list[list[str]]
    variables: list[VariableGroupEntry]
    tables: list[TableEntry]
    factors: list[FactorGroupEntry]
