"""The library's own JSON format for parametric factor graphs: everything kept.

::

    {"format": "liftgraph parfactor graph", "version": 1,
     "domains": [{"name": "X", "size": 2, "individuals": ["alice", "bob"]}, …],
     "prvs": [{"name": "Sick", "logvars": {"X": "X"}, "states": ["true", "false"]}, …],
     "parfactors": [{"arguments": [{"prv": "Sick", "logvars": ["X"]}],
                     "logvars": {"X": "X"},
                     "table": {"shape": [2], "values": [1, 9]}}, …],
     "origin": {…}, "evidence": {"Sick.bob": "true", …}}

Logvars are given with their domains. ``"where"`` lists constraints: ``["X", "!=", "Y"]``, or
``["X", "<", "Y"]`` for an unordered set. ``"counted"`` in an argument names the logvars a counting
variable counts over. ``"scales"`` lists by what, and in how many factors, the table is multiplied.
``"origin"`` is there for lifted models and tells how the given graph lists everything, and which
of its tables were only near those of the parfactors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np

from liftgraph.errors import InputError, ParseError
from liftgraph.exact import parse_rational
from liftgraph.io.files import write_bytes
from liftgraph.io.json_parts import TableEntry, decode, entry_of, laid_out, place, table_of
from liftgraph.model.lifted.builder import crv, parfactor, prv
from liftgraph.model.lifted.logvars import (
    Constraint,
    Different,
    Domain,
    LogVar,
    Unordered,
    constrained,
)
from liftgraph.model.lifted.origin import Origin
from liftgraph.model.lifted.origin_checks import check_origin
from liftgraph.model.lifted.parfactor import CRV, PRV, Argument, Parfactor, atom_of
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph, Place

FORMAT = "liftgraph parfactor graph"
_SIGNS = {"!=", "<"}
Known = TypeVar("Known")


class _Domain(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    name: str
    size: int
    individuals: list[str] | None = None


class _PRV(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    name: str
    states: list[str]
    logvars: dict[str, str] = {}
    where: list[list[str]] = []
    observed: str | None = None


class _Argument(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    prv: str
    logvars: list[str] = []
    counted: list[str] = []


class _Parfactor(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    arguments: list[_Argument]
    table: TableEntry
    logvars: dict[str, str] = {}
    counted: dict[str, str] = {}
    where: list[list[str]] = []
    scales: list[tuple[str, int]] = []


class _Origin(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
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


class _Document(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    format: str
    version: int
    domains: list[_Domain]
    prvs: list[_PRV]
    parfactors: list[_Parfactor]
    origin: _Origin | None = None
    evidence: dict[str, str] = {}


def read(path: Path | str) -> ParfactorGraph:
    """Read a parametric factor graph; errors name the place in the document."""
    document = decode(path, _Document)
    if (document.format, document.version) != (FORMAT, 1):
        came = f"{document.format} {document.version}"
        raise ParseError(str(path), None, f"expected {FORMAT} 1, got {came}")
    try:
        return _model(document)
    except InputError as error:
        raise ParseError(str(path), None, str(error)) from None


def _model(document: _Document) -> ParfactorGraph:
    domains: dict[str, Domain] = {}
    for index, domain in enumerate(document.domains):
        with place(f"$.domains[{index}]"):
            _new(domain.name, domains)
            domains[domain.name] = _domain(domain)
    prvs: dict[str, PRV] = {}
    for index, each in enumerate(document.prvs):
        with place(f"$.prvs[{index}]"):
            _new(each.name, prvs)
            prvs[each.name] = _prv(each, domains)
    parfactors = []
    for index, entry in enumerate(document.parfactors):
        with place(f"$.parfactors[{index}]"):
            parfactors.append(_parfactor(entry, domains, prvs))
    model = ParfactorGraph.of(parfactors, tuple(prvs.values()))
    if document.origin is not None:
        with place("$.origin"):
            model = ParfactorGraph(model.prvs, model.parfactors, _origin(document.origin))
            check_origin(model)
    with place("$.evidence"):
        return model.given(document.evidence) if document.evidence else model


def _new(name: str, known: Mapping[str, object]) -> None:
    if name in known:
        raise InputError(f"expected a new name, got {name} again")


def _domain(entry: _Domain) -> Domain:
    given = LogVar(entry.name, entry.size if entry.individuals is None else entry.individuals)
    if given.size != entry.size:
        raise InputError(f"expected {entry.size} individuals, got {given.size}")
    return given.domain


def _logvars(entry: Mapping[str, str], domains: Mapping[str, Domain]) -> dict[str, LogVar]:
    return {name: LogVar(name, _known(domain, domains, "domain")) for name, domain in entry.items()}


def _known(name: str, known: Mapping[str, Known], what: str) -> Known:
    if name not in known:
        raise InputError(f"expected a {what}, got {name}")
    return known[name]


def _prv(entry: _PRV, domains: Mapping[str, Domain]) -> PRV:
    logvars = _logvars(entry.logvars, domains)
    where = [_constraint(each, logvars) for each in entry.where]
    made = prv(entry.name, *logvars.values(), states=entry.states, where=where)
    if entry.observed is None:
        return made
    if entry.observed not in made.states:
        raise InputError(f"expected a state of {entry.name}, got {entry.observed}")
    observed = made.states.index(entry.observed)
    return PRV(made.name, made.logvars, made.constraints, made.states, observed)


def _constraint(entry: Sequence[str], logvars: Mapping[str, LogVar]) -> Constraint:
    about = tuple(_known(name, logvars, "logvar") for name in entry[::2])
    signs = set(entry[1::2])
    if len(about) < 2 or len(signs) != 1 or not signs <= _SIGNS:
        raise InputError(f"expected a constraint such as X != Y or X < Y, got {' '.join(entry)}")
    if signs == {"<"}:
        return Unordered(about)
    if len(about) != 2:
        raise InputError(f"expected two logvars that differ, got {' '.join(entry)}")
    return Different(*about)


def _parfactor(
    entry: _Parfactor, domains: Mapping[str, Domain], prvs: Mapping[str, PRV]
) -> Parfactor:
    free = _logvars(entry.logvars, domains)
    logvars = free | _logvars(entry.counted, domains)
    where = [_constraint(each, logvars) for each in entry.where]
    arguments = [_argument(each, logvars, prvs, where) for each in entry.arguments]
    table = table_of(entry.table, "table")
    made = parfactor(arguments, table, where, tuple(free.values()))
    scales = tuple((parse_rational(scale), times) for scale, times in entry.scales)
    total, fewest = sum(t for _, t in scales), min((t for _, t in scales), default=1)
    if scales and (total != made.size or fewest < 1 or not all(scale for scale, _ in scales)):
        raise InputError(f"expected positive scales for {made.size} factors")
    return Parfactor(made.arguments, made.logvars, made.table, made.constraints, scales)


def _argument(
    entry: _Argument,
    logvars: Mapping[str, LogVar],
    prvs: Mapping[str, PRV],
    where: Sequence[Constraint],
) -> Argument:
    own = [_known(name, logvars, "logvar") for name in entry.logvars]
    atom = _known(entry.prv, prvs, "PRV")(*own)
    if not entry.counted:
        return atom
    counted = [_known(name, logvars, "logvar") for name in entry.counted]
    about = [each for each in where if set(constrained(each)) & set(counted)]
    return crv(atom, *counted, where=about)


def _origin(entry: _Origin) -> Origin:
    try:
        return Origin(
            None if entry.names is None else tuple(entry.names),
            np.array(entry.variables, dtype=np.int64),
            np.array(entry.factors, dtype=np.int64),
            np.array(entry.argument_order, dtype=np.int8),
            np.array(entry.scale_id, dtype=np.int32),
            tuple(map(parse_rational, entry.scales)),
            np.array(entry.singled_out, dtype=np.int32),
            parse_rational(entry.tolerance),
            entry.log_odds_bound,
            tuple(table_of(each, f"near[{place}]") for place, each in enumerate(entry.near)),
            np.array(entry.near_id, dtype=np.int32),
        )
    except OverflowError:
        raise InputError("expected smaller numbers") from None


def write(model: ParfactorGraph, path: Path | str) -> None:
    """Write a parametric factor graph so that it reads back equal."""
    document = _Document(
        FORMAT,
        1,
        [
            _Domain(each.name, each.size, None if each.individuals is None else [*each.individuals])
            for each in model.domains
        ],
        [_prv_entry(each) for each in model.prvs],
        [_parfactor_entry(each) for each in model.parfactors],
        None if model.origin is None else _origin_entry(model.origin),
        dict(_fact(model, place, state) for place, state in model.evidence.items()),
    )
    write_bytes(path, laid_out(document))


def _fact(model: ParfactorGraph, place: Place, state: int) -> tuple[str, str]:
    """A variable and its state by name, if that is the name of no other variable."""
    name = model.name(place)
    model.locate(name)
    return name, model.prvs[place[0]].states[state]


def _domains_of(logvars: Sequence[LogVar]) -> dict[str, str]:
    return {each.name: each.domain.name for each in logvars}


def _prv_entry(given: PRV) -> _PRV:
    observed = None if given.observed is None else given.states[given.observed]
    where = [_constraint_entry(each) for each in given.constraints]
    return _PRV(given.name, [*given.states], _domains_of(given.logvars), where, observed)


def _constraint_entry(given: Constraint) -> list[str]:
    sign = "<" if isinstance(given, Unordered) else "!="
    first, *rest = (each.name for each in constrained(given))
    return [first, *(text for name in rest for text in (sign, name))]


def _parfactor_entry(given: Parfactor) -> _Parfactor:
    return _Parfactor(
        [_argument_entry(each) for each in given.arguments],
        entry_of(given.table),
        _domains_of(given.logvars),
        _domains_of(given.counted),
        [_constraint_entry(each) for each in given.constraints],
        [(str(scale), times) for scale, times in given.scales],
    )


def _argument_entry(given: Argument) -> _Argument:
    atom = atom_of(given)
    counted = [each.name for each in given.counted] if isinstance(given, CRV) else []
    return _Argument(atom.prv.name, [each.name for each in atom.logvars], counted)


def _origin_entry(origin: Origin) -> _Origin:
    return _Origin(
        None if origin.names is None else [*origin.names],
        origin.variables.tolist(),
        origin.factors.tolist(),
        origin.argument_order.tolist(),
        origin.scale_id.tolist(),
        [str(scale) for scale in origin.scales],
        origin.singled_out.tolist(),
        str(origin.tolerance),
        origin.log_odds_bound,
        [entry_of(each) for each in origin.near],
        origin.near_id.tolist(),
    )
