"""Dynamic models as lifted models: a copy of each PRV for each day."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from liftgraph.errors import InputError, quoted
from liftgraph.model.dynamic.dynamic import AFTER, Dynamic
from liftgraph.model.ground.names import is_count
from liftgraph.model.lifted.parfactor import CRV, PRV, Argument, Parfactor
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph

Renamed = Callable[[PRV], PRV]


def unrolled(model: Dynamic, days: int) -> ParfactorGraph:
    """All days in one lifted model; ``Sick@3`` is the PRV Sick on day 3."""
    if not is_count(days) or days < 1:
        raise InputError(f"expected a number of days from 1 on, got {quoted(days)}")

    def on(day: int) -> Renamed:
        def renamed(prv: PRV) -> PRV:
            ahead = prv.name.endswith(AFTER)
            return replace(prv, name=f"{prv.name.removesuffix(AFTER)}@{day + ahead}")

        return renamed

    days = int(days)
    parfactors = list[Parfactor]()
    for day in range(days):
        groups = [model.start] * (day == 0) + [model.step] * (day + 1 < days) + [model.observe]
        parfactors += [_renamed(parfactor, on(day)) for group in groups for parfactor in group]
    return ParfactorGraph.of(parfactors, list(_prvs(model, on, days)))


def _prvs(model: Dynamic, on: Callable[[int], Renamed], days: int) -> Iterator[PRV]:
    for day in range(days):
        yield from map(on(day), model.prvs)


def _renamed(parfactor: Parfactor, renamed: Renamed) -> Parfactor:
    def argument(given: Argument) -> Argument:
        if isinstance(given, CRV):
            return replace(given, atom=replace(given.atom, prv=renamed(given.atom.prv)))
        return replace(given, prv=renamed(given.prv))

    return replace(parfactor, arguments=tuple(map(argument, parfactor.arguments)))
