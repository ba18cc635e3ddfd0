"""Parametric factor graphs as a paper would write them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from liftgraph.display import format_count
from liftgraph.exact import numeral, shown
from liftgraph.model.ground.table import Table
from liftgraph.model.lifted.counting_noisy_max import CountingNoisyMax
from liftgraph.model.lifted.evidence import LiftedEvidence, observed_count
from liftgraph.model.lifted.logvars import Constraint, Domain, LogVar, Unordered
from liftgraph.model.lifted.parfactor import CRV, PRV, Argument, Atom, Parfactor, domains_of
from liftgraph.model.lifted.variables import Variables, name_of

_MOST = 40  # the most lines of each kind


def shown_model(
    variables: Variables, parfactors: Sequence[Parfactor], evidence: LiftedEvidence
) -> str:
    """Domains, variables, parfactors and evidence, a line each."""
    prvs = variables.prvs
    domains = domains_of(prvs, parfactors)
    numbered = enumerate(parfactors, start=1)
    sections: list[tuple[str, int, Iterable[str]]] = [
        ("domains", len(domains), (f"{d.name} = {shown_domain(d)}" for d in domains)),
        ("variables", len(prvs), map(shown_prv, prvs)),
        ("parfactors", len(parfactors), (f"φ{n}{shown_parfactor(p)}" for n, p in numbered)),
        ("evidence", len(evidence), _shown_evidence(variables, evidence)),
    ]
    lines: list[str] = []
    for title, length, entries in sections:
        if length:
            lines += [title, *_first(entries, length)]
    return "\n".join(lines) or "nothing"


def _shown_evidence(variables: Variables, evidence: LiftedEvidence) -> Iterator[str]:
    for place, state in evidence.items():
        yield f"{name_of(variables, place)} = {variables.prvs[place[0]].states[state]}"


def _first(entries: Iterable[str], length: int) -> Iterator[str]:
    for _, entry in zip(range(_MOST), entries, strict=False):
        yield f"  {entry}"
    if length > _MOST:
        yield f"  … and {length - _MOST:,} more"


def shown_domain(domain: Domain) -> str:
    """The individuals of a domain, or how many there are."""
    if domain.size > 6:
        first, last = domain.individual(0), domain.individual(domain.size - 1)
        return f"{{{first}, …, {last}}} ({format_count(domain.size)})"
    return f"{{{', '.join(map(domain.individual, range(domain.size)))}}}"


def shown_prv(prv: PRV) -> str:
    """A PRV with its range, its constraints and what was observed of it."""
    where = _listed(prv.constraints)
    observed = "" if prv.observed is None else f", observed {prv.states[prv.observed]}"
    states = ", ".join(prv.states[:6]) + ", …" * (len(prv.states) > 6)
    return f"{_applied(prv.name, prv.logvars)} ∈ {{{states}}}{where and f' with {where}'}{observed}"


def _applied(name: str, logvars: Sequence[LogVar]) -> str:
    return f"{name}({_names(logvars)})" if logvars else name


def _names(logvars: Sequence[LogVar]) -> str:
    return ", ".join(logvar.name for logvar in logvars)


def shown_argument(argument: Argument) -> str:
    """An argument: Sick(X), or a counting variable #X[Sick(X)]."""
    if isinstance(argument, Atom):
        return _applied(argument.prv.name, argument.logvars)
    return f"#{_names(argument.counted)}[{shown_argument(argument.atom)}]"


def _listed(constraints: Sequence[Constraint]) -> str:
    return ", ".join(map(shown_constraint, constraints))


def shown_constraint(constraint: Constraint) -> str:
    """X ≠ Y, or X < Y for a set."""
    if isinstance(constraint, Unordered):
        return " < ".join(logvar.name for logvar in constraint.logvars)
    return f"{constraint.first.name} ≠ {constraint.second.name}"


def shown_parfactor(parfactor: Parfactor) -> str:
    """The arguments of a parfactor, its potentials, its logvars and its scale."""
    arguments = ", ".join(map(shown_argument, parfactor.arguments))
    text = f"({arguments}) = {_shown_potential(parfactor)}"
    if parfactor.logvars:
        text += f" for all {_names(parfactor.logvars)}"
    if parfactor.constraints:
        text += f" with {_listed(parfactor.constraints)}"
    return text + _shown_scale(parfactor.scales)


def _shown_potential(parfactor: Parfactor) -> str:
    """The first entries of a table, or what a noisy-MAX is made of."""
    table = parfactor.potential
    if isinstance(table, CountingNoisyMax):
        causes = "; ".join([_entries(cause) for cause in table.causes])
        return f"noisy-MAX of {causes} and {_entries(table.leak)}"
    return _entries(parfactor.table) + _count_order(parfactor.arguments)


def _entries(table: Table) -> str:
    integers = table.integers.ravel()[:16].tolist()
    dots = " …" if table.integers.size > len(integers) else ""
    return f"[{' '.join(_numeral(integer * table.scale) for integer in integers)}{dots}]"


def _count_order(arguments: Sequence[Argument]) -> str:
    """In which order the potentials of counting variables of two states are listed."""
    counting = [argument for argument in arguments if isinstance(argument, CRV)]
    pairs = {argument.atom.prv.states for argument in counting}
    first = sorted({states[0] for states in pairs if len(states) == 2})
    return f" (from 0 {', '.join(first)} on)" if first else ""


def _numeral(value: Fraction) -> str:
    """A decimal where that is short, otherwise a fraction."""
    decimal = numeral(value)
    return decimal if len(decimal) <= 15 else shown(value)


def _shown_scale(scales: Sequence[tuple[Fraction, int]]) -> str:
    """The product of the scales of all factors."""
    if not scales:
        return ""
    powers = [
        _numeral(scale) + (f"^{format_count(times)}" if times > 1 else "")
        for scale, times in scales
        if scale != 1
    ]
    return f", × {' · '.join(powers[:6])}{' · …' if len(powers) > 6 else ''} in all"


def summary(variables: Variables, parfactors: Sequence[Parfactor], evidence: LiftedEvidence) -> str:
    """How far a model is compressed, its logvars, and what stayed ground and why."""
    factor_count = sum(parfactor.size for parfactor in parfactors)
    rows = [
        f"variables   {format_count(variables.count)} as {len(variables.prvs):,} PRVs",
        f"factors     {format_count(factor_count)} as {len(parfactors):,} parfactors",
        f"domains     {_domain_list(domains_of(variables.prvs, parfactors))}",
        f"counting    {_counting(parfactors)}",
        f"ground      {_ground(variables)}",
    ]
    if observed := observed_count(variables, evidence):
        rows.append(f"observed    {format_count(observed)} of the variables")
    origin = variables.origin
    if origin is not None and origin.tolerance:
        bound = f"no log odds change by more than {origin.log_odds_bound:.2g}"
        rows.append(f"tolerance   {float(origin.tolerance):g} ({bound})")
    if origin is not None and origin.given_up:
        rows.append(f"given up    {given_up_note(origin.given_up)}")
    return "\n".join(rows)


def given_up_note(tables: int) -> str:
    """What it means that lifting gave up the search for other orders of some tables' arguments."""
    return (
        f"{tables:,} table{'s' * (tables != 1)} with too many orders of arguments to compare:"
        " exchangeable only in the given order, so there may be more groups than necessary"
    )


def _domain_list(domains: Sequence[Domain]) -> str:
    listed = [f"{domain.name} ({format_count(domain.size)})" for domain in domains[:12]]
    return ", ".join(listed + ["…"] * (len(domains) > 12)) or "none"


def _counting(parfactors: Sequence[Parfactor]) -> str:
    crvs = [a for p in parfactors for a in p.arguments if isinstance(a, CRV)]
    listed = [f"{shown_argument(crv)} of {format_count(crv.number)}" for crv in crvs[:6]]
    return ", ".join(listed + ["…"] * (len(crvs) > 6)) or "none"


def _ground(variables: Variables) -> str:
    """Variables that stayed single: unlike all others, or singled out during lifting."""
    single = sum(not prv.logvars for prv in variables.prvs)
    told_apart = 0 if variables.origin is None else len(variables.origin.singled_out)
    text = f"{single:,} variable{'s' * (single != 1)} without logvars"
    if not told_apart:
        return text
    return (
        f"{text}; {told_apart:,} had to be singled out, because no logvars describe how members of"
        " their groups are connected (in a ring or a grid, for instance)"
    )
