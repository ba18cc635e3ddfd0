"""Parametric factor graphs as a paper would write them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from liftgraph.display import counted, format_count
from liftgraph.model.lifted.evidence import LiftedEvidence, observed_count
from liftgraph.model.lifted.logvars import Domain
from liftgraph.model.lifted.parfactor import CRV, Parfactor, domains_of
from liftgraph.model.lifted.variables import Variables, name_of
from liftgraph.model.listing import sections


def shown_model(
    variables: Variables, parfactors: Sequence[Parfactor], evidence: LiftedEvidence
) -> str:
    """Domains, variables, parfactors and evidence, a line each."""
    prvs = variables.prvs
    domains = domains_of(prvs, parfactors)
    numbered = enumerate(parfactors, start=1)
    return sections(
        [
            ("domains", len(domains), map(str, domains)),
            ("variables", len(prvs), map(str, prvs)),
            ("parfactors", len(parfactors), (p.named(f"φ{n}") for n, p in numbered)),
            ("evidence", len(evidence), _shown_evidence(variables, evidence)),
            ("likelihoods", len(evidence.likelihoods), _shown_likelihoods(variables, evidence)),
        ]
    )


def _shown_evidence(variables: Variables, evidence: LiftedEvidence) -> Iterator[str]:
    for place, state in evidence.items():
        yield f"{name_of(variables, place)} = {variables.prvs[place[0]].states[state]}"


def _shown_likelihoods(variables: Variables, evidence: LiftedEvidence) -> Iterator[str]:
    for place, table in evidence.likelihoods.items():
        yield f"{name_of(variables, place)}: {table.first_entries()}"


def summary(variables: Variables, parfactors: Sequence[Parfactor], evidence: LiftedEvidence) -> str:
    """How far a model is compressed, its logvars, and what stayed ground and why."""
    factor_count = sum(parfactor.size for parfactor in parfactors)
    rows = [
        f"variables   {format_count(variables.count)} as {counted(len(variables.prvs), 'PRV')}",
        f"factors     {format_count(factor_count)} as {counted(len(parfactors), 'parfactor')}",
        f"domains     {_domain_list(domains_of(variables.prvs, parfactors))}",
        f"counting    {_counting(parfactors)}",
        f"ground      {_ground(variables)}",
    ]
    if observed := observed_count(variables, evidence):
        rows.append(f"observed    {format_count(observed)} of the variables")
    if uncertain := len(evidence.likelihoods):
        rows.append(f"likelihoods {format_count(uncertain)}, of single variables")
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
        f"{counted(tables, 'table')} with too many orders of arguments to compare:"
        " exchangeable only in the given order, so there may be more groups than necessary"
    )


def _domain_list(domains: Sequence[Domain]) -> str:
    listed = [f"{domain.name} ({format_count(domain.size)})" for domain in domains[:12]]
    return ", ".join(listed + ["…"] * (len(domains) > 12)) or "none"


def _counting(parfactors: Sequence[Parfactor]) -> str:
    crvs = [a for p in parfactors for a in p.arguments if isinstance(a, CRV)]
    listed = [f"{crv} of {format_count(crv.number)}" for crv in crvs[:6]]
    return ", ".join(listed + ["…"] * (len(crvs) > 6)) or "none"


def _ground(variables: Variables) -> str:
    """Variables that stayed single: unlike all others, or singled out during lifting."""
    single = sum(not prv.logvars for prv in variables.prvs)
    told_apart = 0 if variables.origin is None else len(variables.origin.singled_out)
    text = f"{counted(single, 'variable')} without logvars"
    if not told_apart:
        return text
    return (
        f"{text}; {told_apart:,} had to be singled out, because no logvars describe how members of"
        " their groups are connected (in a ring or a grid, for instance)"
    )
