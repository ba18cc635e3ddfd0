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
from liftgraph.io.spelling import losses_of_floats
from liftgraph.model.ground.names import BOOLEAN, States
from liftgraph.model.lifted.grounding import own_names
from liftgraph.model.lifted.logvars import Constraint, Domain, LogVar, Unordered, constrained
from liftgraph.model.lifted.parfactor import CRV, PRV, Argument, Parfactor
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph

_KEYWORDS = {"type", "guaranteed", "random", "parfactor", "factor", "obs", "Boolean"}


def write(model: object, path: Path | str, *, rounded: bool = False) -> None:
    """Write a parametric factor graph so that its PRVs and parfactors read back equal.

    A lifted model is written without the names and orders of the graph it came from, and the
    scales of its factors become factors of their own: the product is the same. Numbers are never
    rounded.
    """
    if not isinstance(model, ParfactorGraph):
        raise InputError(f"{path}: expected a lifted model for BLOG (liftgraph lift), got a graph")
    if not (model.prvs or model.parfactors):
        raise InputError(f"{path}: expected a model of something for BLOG, got an empty one")
    if model.evidence:
        raise InputError(f"{path}: BLOG has no evidence on individuals: give it with queries")
    write_bytes(path, ("\n".join(_lines(model)) + "\n").encode())


def _lines(model: ParfactorGraph) -> Iterator[str]:
    types = {each.name for each in model.domains}
    for domain in model.domains:
        yield f"type {_name(domain.name)};"
        yield f"guaranteed {_name(domain.name)} {_individuals(domain)};"
    new_ranges, new_scales = _new_names("Range", types), _new_names("Scale", types)
    ranges: dict[States, str] = {BOOLEAN: "Boolean"}
    for prv in model.prvs:
        if prv.states not in ranges:
            ranges[prv.states] = next(new_ranges)
            yield f"type {ranges[prv.states]};"
            yield f"guaranteed {ranges[prv.states]} {', '.join(map(_name, prv.states))};"
    for prv in model.prvs:
        yield f"random {ranges[prv.states]} {_declared(prv)};"
    for given in model.parfactors:
        yield _parfactor(given)
    for given in model.parfactors:
        for scale, times in given.scales:
            if scale != 1:
                yield from _constant(scale, times, next(new_scales))
    for prv in model.prvs:
        if prv.observed is not None:
            yield f"obs {_applied(prv.name, prv.logvars)} = {_name(prv.states[prv.observed])};"


def _name(name: str) -> str:
    plain = IDENTIFIER.fullmatch(name) and name not in _KEYWORDS
    return name if plain else json.dumps(name, ensure_ascii=False)


def _new_names(stem: str, taken: set[str]) -> Iterator[str]:
    return (name for number in count(1) if (name := f"{stem}{number}") not in taken)


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


def _constant(scale: Fraction, times: int, kind: str) -> Iterator[str]:
    """A factor without arguments, as often as a scale occurs."""
    yield f"type {kind};"
    yield f"guaranteed {kind} [{times}];"
    yield f"parfactor {kind} N . MultiArrayPotential[[{numeral(scale)}]] ();"


def losses(model: ParfactorGraph, *, rounded: bool = False) -> Iterator[str]:
    """What a BLOG file cannot keep of a lifted model."""
    if rounded:
        yield "BLOG files have every number exactly: nothing was rounded"
    yield from losses_of_floats(parfactor.table for parfactor in model.parfactors)
    if model.origin is None:
        return
    names = model.origin.names or tuple(map(str, range(model.variable_count)))
    called = list(own_names(model))
    own = (called[number] for number in model.origin.variables.tolist())
    other = next(((a, b) for a, b in zip(own, names, strict=True) if a != b), None)
    if other is not None:
        example = f"{other[0]} for {other[1]}"
        yield f"variables are called by their PRV and individuals in BLOG: {example}, …"
    if any(each.scales for each in model.parfactors):
        yield "scales of single factors are written as factors of their own"
