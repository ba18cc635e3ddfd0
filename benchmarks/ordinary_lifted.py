"""Lifted models: first queries by size, lifting with names and without, evidence here and there."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from graphs import epidemic
from lifted_queries import FAMILIES, SIZES
from ordinary_rows import Row, Section, cpu_seconds, geometric_mean, once

import liftgraph as lg
from liftgraph.datasets import epid
from liftgraph.experiments.timing import lifted_query

MILLISECOND = 1e-3
LIFTED = 1024  # persons of the epidemic that is lifted with names
EDGES = 11_000_000


def first_queries() -> list[Section]:
    """First queries on lifted models: about a millisecond, and flat in the size of domains."""
    seconds = {
        (name, d): min(cpu_seconds([lifted_query(make(d), variable)], 15))
        for name, (make, variable) in FAMILIES.items()
        for d in SIZES
    }
    mean = geometric_mean(seconds.values())
    absolute = [Row("all families and sizes, mean", mean, "a millisecond", MILLISECOND)]
    growth = [
        Row(f"{name}, d = {d:,}", took, "d = 2", seconds[name, 2])
        for (name, d), took in seconds.items()
        if d > 2
    ]
    return [
        Section("First queries on lifted models", absolute, worst=1.0),
        Section("First queries on lifted models, by size", growth, worst=1.3),
    ]


def named_first_queries() -> Section:
    """First queries on models that were lifted from graphs with names."""
    rows, first = [], 0.0
    for persons in (2, 32, LIFTED, 65_536):
        model = lg.lift(epid(persons).ground())
        took = min(cpu_seconds([lifted_query(model, f"Sick.{1 + persons // 2}")], 7))
        first = first or took
        if persons > 2:
            rows.append(Row(f"epidemic, {persons:,} persons", took, "2 persons", first))
    return Section("First queries on models lifted from graphs with names", rows, worst=1.3)


def lifting() -> list[Section]:
    """Lifting with names beside lifting without, and eleven million edges."""
    named = epid(LIFTED).ground()
    unnamed = replace(named, names=None)
    tasks = partial(lg.lift, named), partial(lg.lift, unnamed)
    ours, without = cpu_seconds(tasks, 7)
    row = Row(f"epidemic, {LIFTED:,} persons", ours, "without names", without)
    sections = [Section("Lifting with names", [row], worst=1.3)]
    for title, graph in _large():
        took, _ = once(partial(lg.lift, graph))
        rows = [Row(f"{graph.edge_count:,} edges, {title}", took, "a limit", 6.0)]
        sections.append(Section(f"Lifting a large graph, {title}", rows, worst=1.0))
    return sections


def _large() -> list[tuple[str, lg.FactorGraph]]:
    unnamed = epidemic(EDGES)
    return [("without names", unnamed)]
