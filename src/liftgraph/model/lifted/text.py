"""Parametric factor graphs as a paper would write them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial

from liftgraph.exact import numeral, shown
from liftgraph.model.lifted.logvars import Constraint, Domain, LogVar, Unordered
from liftgraph.model.lifted.parfactor import CRV, PRV, Argument, Atom, Parfactor
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph, Place

_MOST = 40  # lines of a kind


def shown_model(model: ParfactorGraph) -> str:
    """Domains, variables and parfactors, a line each."""
    domains = [f"{each.name} = {shown_domain(each)}" for each in model.domains]
    numbered = enumerate(model.parfactors, start=1)
    parts: dict[str, Iterable[str]] = {
        "domains": domains,
        "variables": (shown_prv(each) for each in model.prvs),
        "parfactors": (f"φ{number}{shown_parfactor(each)}" for number, each in numbered),
    }
    parts["evidence"] = map(partial(_shown_fact, model), model.evidence.items())
    lengths = len(domains), len(model.prvs), len(model.parfactors), len(model.evidence)
    lines: list[str] = []
    for (title, entries), length in zip(parts.items(), lengths, strict=True):
        if length:
            lines += [title, *_first(entries, length)]
    return "\n".join(lines) or "nothing"


def _shown_fact(model: ParfactorGraph, fact: tuple[Place, int]) -> str:
    place, state = fact
    return f"{model.name(place)} = {model.prvs[place[0]].states[state]}"


def _first(entries: Iterable[str], length: int) -> Iterator[str]:
    for _, entry in zip(range(_MOST), entries, strict=False):
        yield f"  {entry}"
    if length > _MOST:
        yield f"  … and {length - _MOST:,} more"


def shown_domain(domain: Domain) -> str:
    """The individuals of a domain, or how many there are."""
    if domain.size > 6:
        first, last = domain.individual(0), domain.individual(domain.size - 1)
        return f"{{{first}, …, {last}}} ({domain.size:,})"
    return f"{{{', '.join(map(domain.individual, range(domain.size)))}}}"


def shown_prv(prv: PRV) -> str:
    """A PRV with its range, its constraints and what was observed of it."""
    where = _listed(prv.constraints)
    observed = "" if prv.observed is None else f", observed {prv.states[prv.observed]}"
    states = ", ".join(prv.states[:6]) + ", …" * (len(prv.states) > 6)
    return f"{_applied(prv.name, prv.logvars)} ∈ {{{states}}}{where and f' with {where}'}{observed}"


def _applied(name: str, logvars: Sequence[LogVar]) -> str:
    return f"{name}({', '.join(each.name for each in logvars)})" if logvars else name


def shown_argument(argument: Argument) -> str:
    """An argument: Sick(X), or a counting variable #X[Sick(X)]."""
    if isinstance(argument, Atom):
        return _applied(argument.prv.name, argument.logvars)
    counted = ", ".join(each.name for each in argument.counted)
    return f"#{counted}[{shown_argument(argument.atom)}]"


def _listed(constraints: Sequence[Constraint]) -> str:
    return ", ".join(map(shown_constraint, constraints))


def shown_constraint(constraint: Constraint) -> str:
    """X ≠ Y, or X < Y for a set."""
    if isinstance(constraint, Unordered):
        return " < ".join(each.name for each in constraint.logvars)
    return f"{constraint.first.name} ≠ {constraint.second.name}"


def shown_parfactor(given: Parfactor) -> str:
    """The arguments of a parfactor, its potentials, its logvars and its scale."""
    arguments = ", ".join(map(shown_argument, given.arguments))
    entries = given.table.integers.ravel()[:16].tolist()
    dots = " …" if given.table.integers.size > len(entries) else ""
    potentials = " ".join(_number(each * given.table.scale) for each in entries)
    text = f"({arguments}) = [{potentials}{dots}]"
    if given.logvars:
        text += f" for all {', '.join(each.name for each in given.logvars)}"
    if given.constraints:
        text += f" with {_listed(given.constraints)}"
    return text + _shown_scale(given.scales)


def _number(value: Fraction) -> str:
    """A decimal where that is short, otherwise a fraction."""
    decimal = numeral(value)
    return decimal if len(decimal) <= 15 else shown(value)


def _shown_scale(scales: Sequence[tuple[Fraction, int]]) -> str:
    """What the factors are multiplied with, all together."""
    if not scales:
        return ""
    powers = [
        _number(scale) + (f"^{times:,}" if times > 1 else "")
        for scale, times in scales
        if scale != 1
    ]
    return f", × {' · '.join(powers[:6])}{' · …' if len(powers) > 6 else ''} in all"


def summary(model: ParfactorGraph) -> str:
    """How far a model is compressed, its logvars, and what stayed ground and why."""
    rows = [
        f"variables   {model.variable_count:,} as {len(model.prvs):,} PRVs",
        f"factors     {model.factor_count:,} as {len(model.parfactors):,} parfactors",
        f"domains     {_domain_list(model)}",
        f"counting    {_counting(model)}",
        f"ground      {_ground(model)}",
    ]
    if model.observed_count:
        rows.append(f"observed    {model.observed_count:,} of the variables")
    if model.origin is not None and model.origin.tolerance:
        bound = f"no log odds change by more than {model.origin.log_odds_bound:.2g}"
        rows.append(f"tolerance   {float(model.origin.tolerance):g} ({bound})")
    return "\n".join(rows)


def _domain_list(model: ParfactorGraph) -> str:
    listed = [f"{each.name} ({each.size:,})" for each in model.domains[:12]]
    return ", ".join(listed + ["…"] * (len(model.domains) > 12)) or "none"


def _counting(model: ParfactorGraph) -> str:
    found = [a for each in model.parfactors for a in each.arguments if isinstance(a, CRV)]
    listed = [f"{shown_argument(each)} of {each.number}" for each in found[:6]]
    return ", ".join(listed + ["…"] * (len(found) > 6)) or "none"


def _ground(model: ParfactorGraph) -> str:
    """Variables that stayed single: unlike all others, or told apart on the way."""
    single = model.ground_variables
    told_apart = 0 if model.origin is None else len(model.origin.singled_out)
    text = f"{single:,} variable{'s' * (single != 1)} without logvars"
    if not told_apart:
        return text
    return (
        f"{text}; {told_apart:,} had to be singled out, as no logvars describe how members of"
        " their groups are connected (in a ring or a grid, for instance)"
    )
