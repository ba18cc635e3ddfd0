"""A parametric factor graph: PRVs and parfactors, with plates around what is repeated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from liftgraph.display import format_count
from liftgraph.exact import numeral
from liftgraph.model.lifted.logvars import Domain, constrained
from liftgraph.model.lifted.parfactor import CRV, PRV, Argument, Parfactor, atom_of
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.model.lifted.text import shown_constraint
from liftgraph.plot.layout.columns import in_columns
from liftgraph.plot.layout.layout import laid_out, named_beside
from liftgraph.plot.scenes.bars import size_bars
from liftgraph.plot.scenes.factor_graph import counted
from liftgraph.plot.scenes.plates import all_logvars, plated_domains, repeated
from liftgraph.plot.scenes.scene import Edge, Node, Scene, grid
from liftgraph.plot.text import shortened

_MOST = 120  # PRVs and parfactors


def parfactor_graph_scene(model: ParfactorGraph) -> Scene:
    """The model with its plates; if it is too large, how many variables its PRVs stand for."""
    if len(model.prvs) + len(model.parfactors) > _MOST:
        return _sizes(model)
    domains, blocks = plated_domains(model)
    scene = Scene((*_prvs(model, domains), *_parfactors(model)), tuple(_edges(model, domains)))
    names = {f"parfactor-{n}": text for n, text in enumerate(_names(model, domains))}
    if domains:
        kinds = {f"prv-{n}": repeated(prv, domains) for n, prv in enumerate(model.prvs)}
        factors = enumerate(model.parfactors)
        kinds |= {f"parfactor-{n}": repeated(each, domains) for n, each in factors}
        labels = {domain: _plate_label(model, domain) for domain in domains}
        scene = in_columns(scene, names, kinds, labels, blocks)
    else:
        scene = named_beside(laid_out(scene), names)
    return replace(scene, caption=_caption(model, domains))


def _sizes(model: ParfactorGraph) -> Scene:
    panels = [
        size_bars("prvs", (prv.size for prv in model.prvs), "PRVs"),
        size_bars("parfactors", (each.size for each in model.parfactors), "parfactors"),
    ]
    caption = (
        f"Too many to draw each of them: {_counts(model)}."
        " This shows how many variables and factors they stand for, not how they are connected."
        f"{_evidence(model)}"
    )
    return replace(grid(panels, 2), caption=caption)


def _prvs(model: ParfactorGraph, domains: Sequence[Domain]) -> Iterator[Node]:
    """PRVs; those that stand for several have colours, as groups have."""
    several = [n for n, prv in enumerate(model.prvs) if prv.size > 1]
    rank = {n: place for place, n in enumerate(sorted(several, key=lambda n: -model.prvs[n].size))}
    for number, prv in enumerate(model.prvs):
        yield Node(
            f"prv-{number}",
            "variable",
            _prv_label(prv, domains),
            rank.get(number),
            many=not _is_plated(prv, domains),
            observed=prv.observed is not None,
        )


def _is_plated(element: PRV | Parfactor, domains: Sequence[Domain]) -> bool:
    """Whether plates say all about how often there is such a thing."""
    return all(logvar.domain in domains for logvar in element.logvars)


def _prv_label(prv: PRV, domains: Sequence[Domain]) -> str:
    logvars = ", ".join(shortened(each.name, 12) for each in prv.logvars)
    label = shortened(prv.name) + f"({logvars})" * bool(logvars)
    if prv.observed is not None:
        label += f" = {shortened(prv.states[prv.observed], 12)}"
    if _is_plated(prv, domains):
        return label
    loose = [shortened(each.name, 12) for each in prv.logvars if each.domain not in domains]
    often = (
        f"× {format_count(prv.size)}" if len(loose) == len(prv.logvars) else f"∀ {', '.join(loose)}"
    )
    return f"{label}\n{', '.join([often, *map(shown_constraint, prv.constraints)])}"


def _parfactors(model: ParfactorGraph) -> Iterator[Node]:
    start = sum(prv.size > 1 for prv in model.prvs)
    for number, each in enumerate(model.parfactors):
        group = None if each.size == 1 else start
        start += each.size > 1
        yield Node(f"parfactor-{number}", "factor", "", group, many=each.size > 1)


def _names(model: ParfactorGraph, domains: Sequence[Domain]) -> Iterator[str]:
    """φ1, with the logvars that have no plate and their constraints."""
    for number, each in enumerate(model.parfactors, 1):
        loose = [v.name for v in each.logvars if v.domain not in domains]
        told = [f"∀ {', '.join(shortened(name, 12) for name in loose)}"] if loose else []
        counted = set(each.counted)
        told += [shown_constraint(c) for c in each.constraints if not counted & set(constrained(c))]
        yield f"φ{number}{' ' * bool(told)}{', '.join(told)}"


def _plate_label(model: ParfactorGraph, domain: Domain) -> str:
    """The logvars over a domain and its size."""
    elements: list[PRV | Parfactor] = [*model.prvs, *model.parfactors]
    names = dict.fromkeys(v.name for e in elements for v in all_logvars(e) if v.domain == domain)
    called = ", ".join(shortened(name, 12) for name in list(names)[:4]) + ", …" * (len(names) > 4)
    return f"{called}: {format_count(domain.size)}"


def _edges(model: ParfactorGraph, domains: Sequence[Domain]) -> Iterator[Edge]:
    """An edge for each PRV in a parfactor, with its logvars there if they are not clear."""
    number = {prv: n for n, prv in enumerate(model.prvs)}
    for place, each in enumerate(model.parfactors):
        labels: dict[int, list[str]] = {}
        for argument in each.arguments:
            told = labels.setdefault(number[atom_of(argument).prv], [])
            told.append(_role(argument, domains))
        for prv, told in labels.items():
            yield Edge(f"prv-{prv}", f"parfactor-{place}", ", ".join(filter(None, told)))


def _role(argument: Argument, domains: Sequence[Domain]) -> str:
    """The logvars of an argument: #X of a counting variable, (X, Y) if some have no plate."""
    if isinstance(argument, CRV):
        return f"#{', '.join(shortened(each.name, 12) for each in argument.counted)}"
    if all(logvar.domain in domains for logvar in argument.logvars):
        return ""
    return f"({', '.join(shortened(each.name, 12) for each in argument.logvars)})"


def _counts(model: ParfactorGraph) -> str:
    """How much there is of a model, and how much it stands for."""
    prvs, parfactors = counted(len(model.prvs), "PRV"), counted(len(model.parfactors), "parfactor")
    variables = counted(model.variable_count, "variable")
    return f"{prvs} for {variables}, {parfactors} for {counted(model.factor_count, 'factor')}"


def _caption(model: ParfactorGraph, domains: Sequence[Domain]) -> str:
    told = f"{_counts(model)}."
    if model.origin is not None and model.log_odds_bound:
        told += (
            f" Lifted with tolerance {shortened(numeral(model.origin.tolerance))}: log odds of any"
            f" event may be off by up to {model.log_odds_bound:.3g}."
        )
    if domains:
        told += " What is on a plate is there for each individual."
    loose = [d for d in model.domains if d not in domains]
    if loose:
        sizes = ", ".join(f"{shortened(d.name)} ({format_count(d.size)})" for d in loose[:8])
        dots = ", …" * (len(loose) > 8)
        told += f" Not drawn as a plate, but written in the labels: {sizes}{dots}."
    return told + _evidence(model)


def _evidence(model: ParfactorGraph) -> str:
    """What was observed of some individuals only has no place in the picture."""
    number = len(model.evidence)
    several = f"s of {number:,} variables" if number > 1 else " of a variable"
    return f" Not drawn: the observed state{several}." * bool(number)
