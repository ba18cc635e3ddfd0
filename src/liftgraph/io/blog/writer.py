"""Writing BLOG files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import count
from pathlib import Path

from liftgraph.errors import InputError
from liftgraph.io.blog.tokens import IDENTIFIER
from liftgraph.io.spelling import Spelling, losses_of_floats, numerals, spelling
from liftgraph.io.writing import write_bytes
from liftgraph.model.ground.factor_graph import FactorGraph
from liftgraph.model.ground.names import BOOLEAN, States
from liftgraph.model.lifted.logvars import Constraint, Domain, LogVar, Unordered, constrained
from liftgraph.model.lifted.parfactor import CRV, PRV, Argument, Parfactor
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.model.lifted.variables import own_names

_KEYWORDS = {"type", "guaranteed", "random", "parfactor", "factor", "obs", "query", "Boolean"}


def write(model: FactorGraph | ParfactorGraph, path: Path | str, *, rounded: bool = False) -> None:
    """Write a parametric factor graph so that its PRVs and parfactors read back equal.

    The names and orders of the graph that a model was lifted from are not kept, and the scales of
    its factors become factors of their own: the product is the same, unless factors were lifted
    whose tables differ by a tolerance. Numbers are never rounded.
    """
    if not isinstance(model, ParfactorGraph):
        raise InputError(f"{path}: expected a lifted model for BLOG (liftgraph lift), got a graph")
    if not (model.prvs or model.parfactors):
        raise InputError(f"{path}: expected PRVs or parfactors for BLOG, got an empty model")
    if model.evidence.likelihoods:
        raise InputError(f"{path}: BLOG files have no likelihoods: write .json instead")
    if set_apart := [prv.name for prv in model.prvs if prv.overridable]:
        came = f"got {set_apart[0]}, which says so of some individuals"
        raise InputError(f"{path}: expected a model without interventions for BLOG, {came}")
    write_bytes(path, ("\n".join(_lines(model, spelling(False, path))) + "\n").encode())


def _lines(model: ParfactorGraph, spell: Spelling) -> Iterator[str]:
    types = {domain.name for domain in model.domains}
    for domain in model.domains:
        yield f"type {_name(domain.name)};"
        yield f"guaranteed {_name(domain.name)} {_individuals(domain, spell)};"
    new_ranges, new_scales = _new_names("Range", types), _new_names("Scale", types)
    ranges: dict[States, str] = {BOOLEAN: "Boolean"}
    for prv in model.prvs:
        if prv.states not in ranges:
            ranges[prv.states] = next(new_ranges)
            yield f"type {ranges[prv.states]};"
            yield f"guaranteed {ranges[prv.states]} {', '.join(map(_name, prv.states))};"
    for prv in model.prvs:
        yield f"random {ranges[prv.states]} {_declared(prv)};"
    for parfactor in model.parfactors:
        yield _parfactor(parfactor, spell)
    for parfactor in model.parfactors:
        for scale, times in parfactor.scales:
            if scale != 1:
                yield from _constant(spell(scale), spell(Fraction(times)), next(new_scales))
    for prv in model.prvs:
        if prv.observed is not None:
            yield f"obs {_observed(prv)} = {_name(prv.states[prv.observed])};"
    for (place, individuals), state in model.evidence.items():
        prv = model.prvs[place]
        if prv.observed is None:
            yield f"obs {_variable(prv, individuals)} = {_name(prv.states[state])};"


def _name(name: str) -> str:
    plain = IDENTIFIER.fullmatch(name) and name not in _KEYWORDS
    return name if plain else json.dumps(name, ensure_ascii=False)


def _new_names(stem: str, taken: set[str]) -> Iterator[str]:
    return (name for suffix in count(1) if (name := f"{stem}{suffix}") not in taken)


def _individuals(domain: Domain, spell: Spelling) -> str:
    if domain.individuals is None:
        return f"[{spell(Fraction(domain.size))}]"
    return ", ".join(map(_name, domain.individuals))


def _typed(logvars: Sequence[LogVar]) -> str:
    return ", ".join(f"{_name(logvar.domain.name)} {_name(logvar.name)}" for logvar in logvars)


def _applied(name: str, logvars: Sequence[LogVar]) -> str:
    names = ", ".join(_name(logvar.name) for logvar in logvars)
    return f"{_name(name)}({names})" if logvars else _name(name)


def _observed(prv: PRV) -> str:
    """A PRV with its logvars, renamed if individuals have their names: these would be observed."""
    domains = [logvar.domain for logvar in prv.logvars]

    def is_individual(name: str) -> bool:
        return any(domain.find(name) >= 0 for domain in domains)

    logvars: Sequence[LogVar] = prv.logvars
    if any(is_individual(logvar.name) for logvar in logvars):
        new_names = (name for name in _new_names("X", set()) if not is_individual(name))
        logvars = [LogVar(next(new_names), domain) for domain in domains]
    return _applied(prv.name, logvars)


def _variable(prv: PRV, individuals: Sequence[int]) -> str:
    domains = (logvar.domain for logvar in prv.logvars)
    pairs = zip(domains, individuals, strict=True)
    names = ", ".join(_name(domain.individual(number)) for domain, number in pairs)
    return f"{_name(prv.name)}({names})" if individuals else _name(prv.name)


def _declared(prv: PRV) -> str:
    logvars = f"({_typed(prv.logvars)})" if prv.logvars else ""
    return f"{_name(prv.name)}{logvars}{_where(prv.constraints)}"


def _where(constraints: Sequence[Constraint]) -> str:
    listed = (
        (" < " if isinstance(constraint, Unordered) else " != ").join(
            _name(logvar.name) for logvar in constrained(constraint)
        )
        for constraint in constraints
    )
    return f" : {' & '.join(listed)}" if constraints else ""


def _parfactor(parfactor: Parfactor, spell: Spelling) -> str:
    logvars = (*parfactor.logvars, *parfactor.counted)
    head = f"parfactor {_typed(logvars)}{_where(parfactor.constraints)} ." if logvars else "factor"
    values = ", ".join(numerals(parfactor.table, spell))
    arguments = ", ".join(map(_argument, parfactor.arguments))
    return f"{head} MultiArrayPotential[[{values}]] ({arguments});"


def _argument(argument: Argument) -> str:
    if not isinstance(argument, CRV):
        return _applied(argument.prv.name, argument.logvars)
    counted = ", ".join(_name(logvar.name) for logvar in argument.counted)
    return f"#{counted}[{_applied(argument.atom.prv.name, argument.atom.logvars)}]"


def _constant(scale: str, times: str, new_type: str) -> Iterator[str]:
    """A scale as factors without arguments, one for each factor with this scale."""
    yield f"type {new_type};"
    yield f"guaranteed {new_type} [{times}];"
    yield f"parfactor {new_type} N . MultiArrayPotential[[{scale}]] ();"


def losses(model: FactorGraph | ParfactorGraph, *, rounded: bool = False) -> Iterator[str]:
    """What a BLOG file does not keep of a lifted model; graphs cannot be written at all."""
    if isinstance(model, FactorGraph):
        return
    if rounded:
        yield "BLOG files have every number exactly: nothing was rounded"
    yield from losses_of_floats(parfactor.table for parfactor in model.parfactors)
    if model.origin is None:
        return
    names = model.origin.names or tuple(map(str, range(model.variable_count)))
    model_names = list(own_names(model.places))
    new_names = (model_names[variable] for variable in model.origin.variables.tolist())
    for new_name, name in zip(new_names, names, strict=True):
        if new_name != name:
            example = f"{new_name} for {name}"
            yield f"variables are called by their PRV and individuals in BLOG: {example}, …"
            break
    if any(parfactor.scales for parfactor in model.parfactors):
        yield "scales of single factors are written as factors of their own"
    if bound := model.log_odds_bound:
        yield (
            "tables that differ within the tolerance are written as that of their parfactor:"
            f" no log odds change by more than {bound:.2g}"
        )
