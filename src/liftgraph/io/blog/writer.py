"""Writing BLOG files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import count
from pathlib import Path

from liftgraph.errors import InputError
from liftgraph.exact import numeral
from liftgraph.io.blog.tokens import IDENTIFIER
from liftgraph.io.files import write_bytes
from liftgraph.model.logvars import Constraint, Domain, LogVar, Unordered, constrained
from liftgraph.model.names import BOOLEAN, States
from liftgraph.model.parfactor import CRV, PRV, Argument, Parfactor
from liftgraph.model.parfactor_graph import ParfactorGraph

_KEYWORDS = {"type", "guaranteed", "random", "parfactor", "factor", "obs", "Boolean"}


def write(model: object, path: Path | str) -> None:
    """Write a parametric factor graph so that it reads back equal.

    A lifted model is written without the names and orders of the graph it came from, and the
    scales of its factors become factors of their own: the product is the same.
    """
    if not isinstance(model, ParfactorGraph):
        raise InputError(f"{path}: expected a lifted model for BLOG (liftgraph lift), got a graph")
    write_bytes(path, ("\n".join(_lines(model)) + "\n").encode())


def _lines(model: ParfactorGraph) -> Iterator[str]:
    types = {each.name for each in model.domains}
    for domain in model.domains:
        yield f"type {_name(domain.name)};"
        yield f"guaranteed {_name(domain.name)} {_individuals(domain)};"
    ranges: dict[States, str] = {BOOLEAN: "Boolean"}
    for prv in model.prvs:
        if prv.states not in ranges:
            ranges[prv.states] = _new_type("Range", types)
            yield f"type {ranges[prv.states]};"
            yield f"guaranteed {ranges[prv.states]} {', '.join(map(_name, prv.states))};"
    for prv in model.prvs:
        yield f"random {ranges[prv.states]} {_declared(prv)};"
    for given in model.parfactors:
        yield _parfactor(given)
    for given in model.parfactors:
        for scale, times in given.scales:
            yield from _constant(scale, times, types)
    for prv in model.prvs:
        if prv.observed is not None:
            yield f"obs {_applied(prv.name, prv.logvars)} = {_name(prv.states[prv.observed])};"


def _name(name: str) -> str:
    plain = IDENTIFIER.fullmatch(name) and name not in _KEYWORDS
    return name if plain else json.dumps(name, ensure_ascii=False)


def _new_type(stem: str, taken: set[str]) -> str:
    name = next(new for number in count(1) if (new := f"{stem}{number}") not in taken)
    taken.add(name)
    return name


def _individuals(domain: Domain) -> str:
    if domain.individuals is None:
        return f"[{domain.size}]"
    return ", ".join(map(_name, domain.individuals))


def _typed(logvars: Sequence[LogVar]) -> str:
    return ", ".join(f"{_name(each.domain.name)} {_name(each.name)}" for each in logvars)


def _applied(name: str, logvars: Sequence[LogVar]) -> str:
    listed = ", ".join(_name(each.name) for each in logvars)
    return f"{_name(name)}({listed})" if logvars else _name(name)


def _declared(prv: PRV) -> str:
    logvars = f"({_typed(prv.logvars)})" if prv.logvars else ""
    return f"{_name(prv.name)}{logvars}{_where(prv.constraints)}"


def _where(constraints: Sequence[Constraint]) -> str:
    listed = (
        (" < " if isinstance(each, Unordered) else " != ").join(
            _name(logvar.name) for logvar in constrained(each)
        )
        for each in constraints
    )
    return f" : {' & '.join(listed)}" if constraints else ""


def _parfactor(given: Parfactor) -> str:
    logvars = (*given.logvars, *given.counted)
    head = f"parfactor {_typed(logvars)}{_where(given.constraints)} ." if logvars else "factor"
    integers = given.table.integers.ravel().tolist()
    values = ", ".join(numeral(integer * given.table.scale) for integer in integers)
    arguments = ", ".join(map(_argument, given.arguments))
    return f"{head} MultiArrayPotential[[{values}]] ({arguments});"


def _argument(argument: Argument) -> str:
    if not isinstance(argument, CRV):
        return _applied(argument.prv.name, argument.logvars)
    counted = ", ".join(_name(each.name) for each in argument.counted)
    return f"#{counted}[{_applied(argument.atom.prv.name, argument.atom.logvars)}]"


def _constant(scale: Fraction, times: int, taken: set[str]) -> Iterator[str]:
    """A factor without arguments, as often as a scale occurs."""
    if scale == 1:
        return
    kind = _new_type("Scale", taken)
    yield f"type {kind};"
    yield f"guaranteed {kind} [{times}];"
    yield f"parfactor {kind} N . MultiArrayPotential[[{numeral(scale)}]] ();"
