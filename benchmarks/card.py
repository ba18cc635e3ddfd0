"""Colour passing by torch on a graphics card, beside arrays on the host.

python benchmarks/card.py [EDGES ...]              (default: 100000 1000000 10000000)
python benchmarks/card.py --on-card [EDGES ...]    (default: 1000000000)

The second form makes the epidemic on the card and never on the host; at 100,000 edges its colours
are compared with those of arrays first.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from math import log2
from typing import TypeVar

import numpy as np
import torch
from graphs import epidemic

import liftgraph as lg
from liftgraph.symmetry.colours.engines.engine import StableColours
from liftgraph.symmetry.colours.engines.registry import engine_named
from liftgraph.symmetry.colours.engines.torch_incidence import DeviceIncidence, device_incidence
from liftgraph.symmetry.colours.engines.torch_memory import check_device_memory, device_bytes
from liftgraph.symmetry.colours.engines.torch_refinement import stable_on_device
from liftgraph.symmetry.colours.incidence import aligned_incidence
from liftgraph.symmetry.colours.initial import graph_colours
from liftgraph.symmetry.tables.exchangeable import classes
from liftgraph.symmetry.tables.labelling import symmetries
from liftgraph.symmetry.tables.symmetries import Symmetries

Result = TypeVar("Result")
CARD = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def timed(task: Callable[[], Result], times: int = 3) -> tuple[float, Result]:
    """The shortest of some runs, in seconds by the clock: the card does its work beside ours."""
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        result = task()
        if CARD.type == "cuda":
            torch.cuda.synchronize()
        best = min(best, time.perf_counter() - start)
    return best, result


def refining(graph: lg.FactorGraph) -> Callable[[str], StableColours]:
    """The engines on this graph: from arrays on the host to arrays on the host."""
    tables = classes(graph.tables)
    own = [symmetries(table.integers) for table in tables.representatives]
    incidence, _ = aligned_incidence(graph, graph.table_id, tables, own)
    variables, factors = graph_colours(graph), tables.class_of[graph.table_id]
    return lambda engine: engine_named(engine).refine(incidence, variables, factors, False)


def engine_lines(sizes: list[int]) -> Iterator[str]:
    for size in sizes:
        graph = epidemic(size)
        refine = refining(graph)
        arrays, expected = timed(partial(refine, "arrays"))
        card, colours = timed(partial(refine, "torch"))
        assert len(np.unique(colours.factors)) == len(np.unique(expected.factors))
        whole, host = timed(partial(lg.colour_passing, graph, engine="arrays"))
        with_card, ours = timed(partial(lg.colour_passing, graph, engine="torch"))
        assert np.array_equal(ours.variable_colours, host.variable_colours)
        assert np.array_equal(ours.factor_colours, host.factor_colours)
        yield (
            f"{graph.edge_count:>11,} edges: arrays {arrays:.4f} s, {CARD.type} {card:.4f} s with"
            f" transfers = {arrays / card:.1f}×; colour_passing {whole:.3f} s and"
            f" {with_card:.3f} s = {whole / with_card:.1f}×; {colours.rounds} rounds"
        )


def epidemic_on_card(edges: int) -> tuple[DeviceIncidence, torch.Tensor, torch.Tensor]:
    """The epidemic, and its initial colours: Epid, then Travel, Sick and Treat."""
    persons = 2
    while 3 * persons * (1 + round(log2(persons))) < edges:
        persons = persons * 11 // 10 + 1
    medications = round(log2(persons))

    def numbers(first: int, count: int, each: int = 1) -> torch.Tensor:
        listed = torch.arange(first, first + count, dtype=torch.int32, device=CARD)
        return listed if each == 1 else listed.repeat_interleave(each)

    pairs = persons * medications
    travel, sick = 1, 1 + persons
    variables = 1 + 2 * persons + pairs
    people = torch.cat([numbers(travel, persons), numbers(1 + 2 * persons, pairs)])
    sicknesses = torch.cat([numbers(sick, persons), numbers(sick, persons, medications)])
    hub = torch.zeros(persons + pairs, dtype=torch.int32, device=CARD)
    priors = torch.cat([numbers(0, 1), numbers(travel, persons)])
    single, triple = Symmetries(((0,),)), Symmetries(((0,), (1,), (2,)))
    kinds = [([priors], single), ([people, hub, sicknesses], triple)]
    counts = [1 + persons, persons + pairs]
    incidence = device_incidence(variables, kinds, counts, CARD)
    table = torch.zeros(sum(counts), dtype=torch.int32, device=CARD)
    table[1 : 1 + persons], table[1 + persons : 1 + 2 * persons] = 1, 2
    table[1 + 2 * persons :] = 3
    return incidence, torch.zeros(variables, dtype=torch.int32, device=CARD), table


def card_lines(sizes: list[int]) -> Iterator[str]:
    small = epidemic(100_000)
    incidence, variables, factors = epidemic_on_card(100_000)
    expected, colours = lg.colour_passing(small), stable_on_device(incidence, variables, factors)
    groups = torch.bincount(colours.variables).tolist(), torch.bincount(colours.factors).tolist()
    assert sorted(groups[0]) == sorted(np.bincount(expected.variable_colours).tolist())
    assert sum(groups[1]) == incidence.factor_count
    del incidence, variables, factors, colours
    for size in sizes:
        yield card_line(size)


def card_line(size: int) -> str:
    incidence, variables, factors = epidemic_on_card(size)
    counts = incidence.variable_count, incidence.factor_count, incidence.edge_count
    needed = device_bytes(*counts, 0, CARD)
    check_device_memory(*counts, 0, CARD)
    if CARD.type == "cuda":
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    seconds, colours = timed(lambda: stable_on_device(incidence, variables, factors))
    peak = torch.cuda.max_memory_allocated() if CARD.type == "cuda" else 0
    return (
        f"{incidence.edge_count:>13,} edges, {incidence.variable_count:,} variables on"
        f" {CARD.type}: {seconds:.3f} s, {colours.rounds} rounds, verified:"
        f" {colours.are_stable}, peak {peak / 1e9:.1f} GB, predicted {needed / 1e9:.1f} GB"
    )


def main() -> None:
    sizes = [int(argument) for argument in sys.argv[1:] if argument.isdecimal()]
    on_card = "--on-card" in sys.argv[1:]
    if CARD.type == "cuda":
        print(torch.cuda.get_device_name(), flush=True)
    default = [1_000_000_000] if on_card else [100_000, 1_000_000, 10_000_000]
    for line in (card_lines if on_card else engine_lines)(sizes or default):
        print(line, flush=True)


if __name__ == "__main__":
    main()
