"""A parametric factor graph: PRVs and parfactors, with plates around what is repeated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from liftgraph.display import counted, format_count
from liftgraph.exact import numeral
from liftgraph.model.ground.interventions import certain
from liftgraph.model.lifted.logvars import Domain, LogVar, constrained
from liftgraph.model.lifted.parfactor import CRV, PRV, Argument, atom_of
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph
from liftgraph.plot.layout.arrangement import grid
from liftgraph.plot.layout.graph_layout import laid_out
from liftgraph.plot.layout.name_labels import named_beside
from liftgraph.plot.layout.plate_columns import in_columns
from liftgraph.plot.layout.plates import Element, all_logvars, plate_grid, repeated_for
from liftgraph.plot.scene import Edge, Node, Scene
from liftgraph.plot.scenes.bars import size_bars
from liftgraph.plot.scenes.captions import log_odds_note
from liftgraph.plot.scenes.factor_graph import FIXED_KEY
from liftgraph.plot.text import abbreviated

_MOST_NODES = 120
_MOST_LISTED = 8  # domains in a caption
_MOST_NAMES = 4  # logvars in the label of a plate


def parfactor_graph_scene(model: ParfactorGraph) -> Scene:
    """The model with its plates; if it is too large, how many variables its PRVs stand for."""
    if len(model.prvs) + len(model.parfactors) > _MOST_NODES:
        return _sizes(model)
    plates = plate_grid(model)
    domains = plates.domains
    elements = _elements(model)
    scene = Scene((*_prvs(model, domains), *_parfactors(model)), tuple(_edges(model, domains)))
    names = {f"parfactor-{index}": name for index, name in enumerate(_names(model, domains))}
    if domains:
        repeated = {name: repeated_for(element, domains) for name, element in elements.items()}
        labels = {domain: _plate_label(elements.values(), domain) for domain in domains}
        scene = in_columns(scene, names, repeated, labels, plates)
    else:
        scene = named_beside(laid_out(scene), names)
    return replace(scene, caption=_caption(model, domains))


def _elements(model: ParfactorGraph) -> dict[str, Element]:
    """PRVs and parfactors by the ids of their nodes."""
    return {
        **{f"prv-{index}": prv for index, prv in enumerate(model.prvs)},
        **{f"parfactor-{index}": parfactor for index, parfactor in enumerate(model.parfactors)},
    }


def _sizes(model: ParfactorGraph) -> Scene:
    panels = [
        size_bars("prvs", (prv.size for prv in model.prvs), "PRVs"),
        size_bars("parfactors", (parfactor.size for parfactor in model.parfactors), "parfactors"),
    ]
    caption = (
        f"Too many nodes to draw: {_counts(model)}. The bars show how many variables and factors"
        f" they stand for, not how they are connected.{_evidence(model)}"
    )
    return replace(grid(panels, 2), caption=caption)


def _prvs(model: ParfactorGraph, domains: Sequence[Domain]) -> Iterator[Node]:
    """PRVs; those that stand for several variables have colours, as groups have."""
    groups = [index for index, prv in enumerate(model.prvs) if prv.size > 1]
    by_size = sorted(groups, key=lambda index: -model.prvs[index].size)
    colour = {index: rank for rank, index in enumerate(by_size)}
    fixed = _set_prvs(model)
    for index, prv in enumerate(model.prvs):
        yield Node(
            f"prv-{index}",
            "variable",
            _prv_label(prv, domains, prv in fixed),
            colour.get(index),
            stacked=bool(_unplated(prv.logvars, domains)),
            observed=prv.observed is not None,
            fixed=prv in fixed,
        )


def _set_prvs(model: ParfactorGraph) -> set[PRV]:
    """The PRVs that interventions have set: as ``set_variables`` for factor graphs."""
    alone = [parfactor for parfactor in model.parfactors if len(parfactor.arguments) == 1]
    pairs = [(atom_of(parfactor.arguments[0]).prv, parfactor.table) for parfactor in alone]
    return {
        prv
        for prv, table in pairs
        if prv.observed is not None and table == certain(len(prv.states), prv.observed)
    }


def _parfactors(model: ParfactorGraph) -> Iterator[Node]:
    colour = sum(prv.size > 1 for prv in model.prvs)
    for index, parfactor in enumerate(model.parfactors):
        several = parfactor.size > 1
        group = colour if several else None
        colour += several
        yield Node(f"parfactor-{index}", "factor", "", group, stacked=several)


def _unplated(logvars: Iterable[LogVar], domains: Sequence[Domain]) -> list[LogVar]:
    """The logvars that no plate shows."""
    return [logvar for logvar in logvars if logvar.domain not in domains]


def _listed(logvars: Iterable[LogVar]) -> str:
    return ", ".join(abbreviated(logvar.name, 12) for logvar in logvars)


def _prv_label(prv: PRV, domains: Sequence[Domain], fixed: bool) -> str:
    label = abbreviated(prv.name) + f"({_listed(prv.logvars)})" * bool(prv.logvars)
    if prv.observed is not None:
        label += f" = {abbreviated(prv.states[prv.observed], 12)}"
    if fixed:
        label = f"do({label})"
    unplated = _unplated(prv.logvars, domains)
    if not unplated:
        return label
    all_unplated = len(unplated) == len(prv.logvars)
    times = f"× {format_count(prv.size)}" if all_unplated else f"∀ {_listed(unplated)}"
    return f"{label}\n{', '.join([times, *map(str, prv.constraints)])}"


def _names(model: ParfactorGraph, domains: Sequence[Domain]) -> Iterator[str]:
    """φ1, with the logvars that have no plate and their constraints."""
    for index, parfactor in enumerate(model.parfactors, 1):
        unplated = _unplated(parfactor.logvars, domains)
        details = [f"∀ {_listed(unplated)}"] if unplated else []
        details += [
            str(constraint)
            for constraint in parfactor.constraints
            if not set(parfactor.counted) & set(constrained(constraint))
        ]
        yield " ".join(filter(None, [f"φ{index}", ", ".join(details)]))


def _plate_label(elements: Iterable[Element], domain: Domain) -> str:
    """The logvars over a domain and its size."""
    names = dict.fromkeys(
        logvar.name
        for element in elements
        for logvar in all_logvars(element)
        if logvar.domain == domain
    )
    listed = [abbreviated(name, 12) for name in names][:_MOST_NAMES]
    dots = ["…"] if len(names) > _MOST_NAMES else []
    return f"{', '.join(listed + dots)}: {format_count(domain.size)}"


def _edges(model: ParfactorGraph, domains: Sequence[Domain]) -> Iterator[Edge]:
    """An edge for each PRV of a parfactor, with its logvars there if plates do not show them; an
    arrow leads to the one whose distribution it was written as."""
    prv_index = {prv: index for index, prv in enumerate(model.prvs)}
    for parfactor_index, parfactor in enumerate(model.parfactors):
        labels: dict[int, list[str]] = {}
        for argument in parfactor.arguments:
            prv = prv_index[atom_of(argument).prv]
            labels.setdefault(prv, []).append(_role(argument, domains))
        child = (
            None if parfactor.child is None else atom_of(parfactor.arguments[parfactor.child]).prv
        )
        for prv, roles in labels.items():
            label = ", ".join(filter(None, roles))
            ends = f"prv-{prv}", f"parfactor-{parfactor_index}"
            if model.prvs[prv] == child:
                yield Edge(ends[1], ends[0], label, arrow=True)
            else:
                yield Edge(*ends, label)


def _role(argument: Argument, domains: Sequence[Domain]) -> str:
    """The logvars of an argument: #X of a counting variable, (X, Y) if some have no plate."""
    if isinstance(argument, CRV):
        return f"#{_listed(argument.counted)}"
    return f"({_listed(argument.logvars)})" if _unplated(argument.logvars, domains) else ""


def _counts(model: ParfactorGraph) -> str:
    """The size of a model, and of the factor graph it stands for."""
    prvs, parfactors = counted(len(model.prvs), "PRV"), counted(len(model.parfactors), "parfactor")
    variables = counted(model.variable_count, "variable")
    return f"{prvs} for {variables}, {parfactors} for {counted(model.factor_count, 'factor')}"


def _caption(model: ParfactorGraph, domains: Sequence[Domain]) -> str:
    caption = f"{_counts(model)}."
    if model.origin is not None and model.log_odds_bound:
        tolerance = abbreviated(numeral(model.origin.tolerance))
        note = log_odds_note(model.log_odds_bound)
        caption += f" Lifted with tolerance {tolerance}: {note}."
    if any(parfactor.child is not None for parfactor in model.parfactors):
        caption += " An arrow leads to what a parfactor is a distribution of."
    if domains:
        caption += " Everything on a plate is repeated for each individual."
    unplated = [domain for domain in model.domains if domain not in domains]
    if unplated:
        listed = [
            f"{abbreviated(domain.name)} ({format_count(domain.size)})" for domain in unplated
        ]
        dots = ["…"] if len(unplated) > _MOST_LISTED else []
        without = ", ".join(listed[:_MOST_LISTED] + dots)
        caption += f" Without a plate, but written in the labels: {without}."
    return caption + FIXED_KEY * bool(_set_prvs(model)) + _evidence(model)


def _evidence(model: ParfactorGraph) -> str:
    """What was observed of single individuals has no place in the picture."""
    observed = len({*model.evidence, *model.evidence.likelihoods})
    if observed <= 1:
        return " What was observed of a variable is not drawn." * observed
    return f" What was observed of {format_count(observed)} variables is not drawn."
