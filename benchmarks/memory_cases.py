"""The models and questions whose memory ``memory.py`` measures: each is a line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from graphs import hub, path, random_regular, ring, schools
from memory_models import (
    bayesian,
    blocks,
    counted,
    counted_often,
    distinct,
    facts,
    huge_power,
    irregular,
    large_states,
    long_dotted_names,
    long_individuals,
    long_names,
    long_numbers,
    many_causes,
    pairs_often,
    people,
    plate,
    stack,
    states_often,
    triangles,
    unequal_count,
    with_facts,
    with_zeros,
    without_logvars,
)
from tasks import random_grid, random_network

import liftgraph as lg
from liftgraph import datasets
from liftgraph.model.query import Query

Model = lg.FactorGraph | lg.ParfactorGraph
FEW = ("marginal", "partition")  # kinds of questions that are not about all variables


@dataclass(frozen=True)
class Question:
    """A question, in words and as a query; ``given``: evidence, ``method``: that answers it."""

    words: str
    query: Query
    method: str = "ground"
    given: Mapping[Any, Any] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """What the table calls it."""
        return f"{self.method}, {self.words}{' exactly' * self.query.exact}"


def questions(method: str, *variables: Any, exact: str = "", **given: Any) -> Iterator[Question]:
    """All kinds of questions; ``exact``: "also", "only" or not at all."""
    kinds = {
        "marginal": Query("marginal", variables[:1]),
        "joint": Query("marginal", variables),
        "marginals": Query("marginals"),
        "partition": Query("partition"),
        "MPE": Query("explanation"),
    }
    if len(variables) < 2:
        del kinds["joint"]
    for exactly in {"": [False], "also": [False, True], "only": [True]}[exact]:
        for words, query in kinds.items():
            asked = Query(query.kind, query.variables, exactly)
            yield Question(words, asked, method, given)


Cases = dict[str, tuple[Callable[[], Model], list[Question]]]


def ground_cases() -> Cases:
    return {
        "random grid 8 × 8": (
            partial(random_grid, 8),
            [*questions("ground", 20, 21, 40, exact="also")],
        ),
        "random grid 16 × 16": (partial(random_grid, 16), [*questions("ground", 100, 101)]),
        "grid 12 × 12": (partial(datasets.grid, 12, 12), [*questions("ground", 7, exact="also")]),
        "network of 60": (
            partial(random_network, 60),
            [*questions("ground", 30, 59, exact="also")],
        ),
        "network of 500": (partial(random_network, 500), [*questions("ground", 30, 490)]),
        "irregular, 40": (partial(irregular, 40, 60), [*questions("ground", 5, 9, exact="also")]),
        "irregular, 500": (partial(irregular, 500, 600), [*questions("ground", 5, 9)]),
        "400 states": (
            partial(large_states, 400),
            [*questions("ground", 0, 3)],
        ),
        "60 states": (partial(large_states, 60), [*questions("ground", 0, 3, exact="only")]),
        "zeros, 60 states": (partial(with_zeros, 60), [*questions("ground", 0, exact="also")]),
        "epid 64, ground": (
            lambda: datasets.epid(64).ground(),
            [*questions("ground", 0, 5, exact="also")],
        ),
        "star of 300": (partial(hub, 300), [*questions("ground", 5, 9)]),
        "path of 500": (partial(path, 500), [*questions("ground", 5, exact="also")]),
        "ring of 500": (partial(ring, 500), [*questions("ground", 5, 250)]),
        "random regular, 60": (partial(random_regular, 60), [*questions("ground", 5)]),
        "long names, 200": (partial(long_names, 200), [*questions("ground", 5, 9)]),
        "numbers of 1,000 digits": (
            partial(long_numbers, 15, 1000),
            [*questions("ground", 5, 9, exact="also")],
        ),
        "count of 40, 3 states": (
            partial(unequal_count, 40, 3),
            [*questions("ground", 0, 40, exact="also")],
        ),
        "count of 400, 5 states": (partial(unequal_count, 400, 5), [*questions("ground", 0, 400)]),
        "count of 3,000": (partial(unequal_count, 3000, 2), [*questions("ground", 0, 3000)]),
        "noisy-OR of 500": (
            partial(many_causes, 500),
            [q for q in questions("ground", 0, 500, exact="also") if q.words != "MPE"],
        ),
        "employee 300, half observed": (
            lambda: with_facts(datasets.employee(300), "Sal", 150).ground(),
            [*questions("ground", 0, exact="also")],
        ),
    }


def lifted_cases() -> Cases:
    ask = partial(questions, "lifted")

    def often(*variables: str) -> list[Question]:
        """Not for all variables, which are too many."""
        return [question for question in ask(*variables) if question.query.kind in FEW]

    return {
        "epid 64": (partial(datasets.epid, 64), [*ask("Sick.1", "Sick.2", exact="also")]),
        "epid 5,000": (partial(datasets.epid, 5000), [*ask("Sick.1", "Sick.2", "Epid")]),
        "epid 500": (partial(datasets.epid, 500), [*ask("Sick.1", exact="only")]),
        "epid 1,000, lifted": (
            lambda: lg.lift(datasets.epid(1000).ground()),
            [*ask(0, 5, exact="also")],
        ),
        "employee 30,000": (partial(datasets.employee, 30_000), [*ask("Sal.1", "Com.2")]),
        "ds 1,000, n = 6": (partial(datasets.ds, 1000, 6), [*ask("R2.1", "R0", exact="also")]),
        "ds 3, n = 14": (partial(datasets.ds, 3, 14), [*ask("R2.1", "R0")]),
        "smokers 100": (partial(datasets.smokers, 100), [*ask("Smokes.1", exact="also")]),
        "smokers 500": (partial(datasets.smokers, 500), [*ask("Smokes.1", "Friends.1.2")]),
        "clique 300": (partial(datasets.clique, 300), [*ask("S.1", exact="also")]),
        "clique 2,000": (partial(datasets.clique, 2000), [*ask("S.1")]),
        "workshops 1,000 × 20": (
            partial(datasets.workshops, 1000, 20),
            [*ask("Hot.1", "Attends.3")],
        ),
        "workshops 300 × 300": (partial(datasets.workshops, 300, 300), [*ask("Hot.1")]),
        "plate of 10,000": (partial(plate, 10_000), [*ask("3.1", "5.2")]),
        "plate of 30": (partial(plate, 30), [*ask("3.1", exact="only")]),
        "ring of 300, lifted": (lambda: lg.lift(ring(300)), [*ask(5)]),
        "grid 9 × 9, lifted": (lambda: lg.lift(datasets.grid(9, 9)), [*ask(5, exact="also")]),
        "random grid 9 × 9, lifted": (lambda: lg.lift(random_grid(9)), [*ask(5, 8, exact="also")]),
        "irregular, 300, lifted": (lambda: lg.lift(irregular(300, 400)), [*ask(5, 9)]),
        "schools 50, 20, 3": (lambda: lg.lift(schools(50, 20, 3)), [*ask(5, 9)]),
        "counted 400, 3": (partial(counted, 400, 3), [*ask("Mood", "Does.1")]),
        "counted 40, 4": (partial(counted, 40, 4), [*ask("Mood", exact="also")]),
        "long names, 2,000, lifted": (lambda: lg.lift(long_names(2000)), [*ask(5, 9)]),
        "long individuals, 2,000": (
            partial(long_individuals, 2000),
            [*ask("Hub", exact="also")],
        ),
        "factors 10¹² times": (partial(huge_power, 10**12), [*ask("B")]),
        "counted 1,000, 10⁵ groups": (partial(counted_often, 1000, 10**5), often("Mood")),
        "counted 1,000, 100 groups": (partial(counted_often, 1000, 100), [*ask("Mood")]),
        "pairs of 500, 10⁶ groups": (partial(pairs_often, 500, 10**6), often("Mood")),
        "stack of 50, 10⁶, 10⁶": (partial(stack, 50, 10**6, 10**6), often("A.1", "B.2.2")),
        "10⁶ states, 10⁵ times": (partial(states_often, 10**6, 10**5), often("A")),
        "triangles, 100 states": (partial(triangles, 100, 10**5), often("A.1")),
        "factors 10⁵ times": (partial(huge_power, 10**5), [*ask("B", exact="only")]),
        "epid 2,000, 500 observed": (
            lambda: with_facts(datasets.epid(2000), "Sick", 500),
            [*ask("Travel.1", "Epid")],
        ),
        "clique 500, 100 observed": (
            lambda: with_facts(datasets.clique(500), "S", 100),
            [*ask("S.300")],
        ),
        "400 states, lifted": (lambda: lg.lift(large_states(400)), [*ask(0)]),
    }


def network_cases() -> Cases:
    """pgmpy's example networks, where pgmpy is installed."""
    package = find_spec("pgmpy")
    if package is None or package.origin is None:
        return {}
    folder = Path(package.origin).parent / "utils" / "example_models"
    names = ["asia", "alarm", "barley", "hailfinder", "insurance", "pigs", "win95pts", "andes"]
    paths = {name: folder / f"{name}.bif.gz" for name in names}
    return {
        name: (partial(lg.read_graph, path), [*questions("ground", 0, 3)])
        for name, path in paths.items()
        if path.exists()
    }


def whole_cases() -> dict[str, tuple[Callable[[], Model], dict[str, Callable[..., object]]]]:
    """Models whose planning takes much, and questions that are asked under a limit."""

    def asks(*variables: Any, **given: Any) -> dict[str, Callable[..., object]]:
        """All kinds of questions."""
        return {
            "marginal": lambda model, **options: model.query(*variables, **given, **options),
            "marginals": lambda model, **options: model.marginals(**given, **options),
            "partition": lambda model, **options: model.partition(**given, **options),
            "exactly": lambda model, **options: model.partition(exact=True, **given, **options),
            "MPE": lambda model, **options: model.mpe(**given, **options),
            "best 3": lambda model, **options: model.mpe(best=3, **given, **options),
            "MAP": lambda model, **options: model.map(*variables, **given, **options),
            "sample": lambda model, **options: model.sample(3, **given, **options),
        }

    def lift(model: lg.FactorGraph, **options: Any) -> lg.ParfactorGraph:
        return lg.lift(model, **options)

    return {
        "distinct tables, 20,000": (partial(distinct, 20_000), asks(0) | {"lift": lift}),
        "star of 50,000": (partial(hub, 50_000), asks(0) | {"lift": lift}),
        "random regular, 10,000": (partial(random_regular, 10_000), asks(0) | {"lift": lift}),
        "grid 40 × 40": (partial(datasets.grid, 40, 40), asks(0) | {"lift": lift}),
        "irregular, 8,000": (partial(irregular, 8000, 10_000), asks(5)),
        "network of 3,000": (partial(bayesian, 3000), asks(2999)),
        "epid 2,000, ground": (lambda: datasets.epid(2000).ground(), asks(0) | {"lift": lift}),
        "count of 8,000": (partial(unequal_count, 8000, 2), asks(0)),
        "noisy-OR of 10,000": (partial(many_causes, 10_000), asks(0)),
        "people, 8,000": (partial(people, 8000), asks("Epid") | asks_of_counts("Sick")),
        "people, 100,000": (partial(people, 100_000), asks("Epid") | asks_of_counts("Sick")),
        "50,000 of 60,000 observed": (
            lambda: with_facts(datasets.epid(60_000), "Sick", 50_000),
            asks("Epid"),
        ),
        "50,000 of 60,000 given": (
            partial(datasets.epid, 60_000),
            asks("Epid", given=facts("Sick", 50_000)),
        ),
        "path of 20,000, unequal likelihoods": (
            partial(path, 20_000),
            asks(0, given={number: [number, 7] for number in range(1, 20_000)}),
        ),
        "people, 5,000 unequal likelihoods": (
            partial(people, 5000),
            asks("Epid", given={f"Sick.{number}": [number, 7] for number in range(1, 5001)}),
        ),
        "10,000 parfactors": (partial(without_logvars, 10_000), asks("A5")),
        "blocks of 60": (partial(blocks, 60), asks(0)),
        "smokers 2,000": (partial(datasets.smokers, 2000), asks("Smokes.1")),
    }


def asks_of_counts(prv: str) -> dict[str, Callable[..., object]]:
    """Questions about how many variables of a PRV are true, and given that."""
    some = [f"{prv}.{number}" for number in range(1, 3000)]
    return {
        "count": lambda model, **options: model.query(lg.count(prv), **options),
        "count of some": lambda model, **options: model.query(lg.count(some), **options),
        "given a count": lambda model, **options: model.partition(
            given={lg.count(prv): 5}, **options
        ),
    }


def lifting_cases() -> dict[str, Callable[[], lg.FactorGraph]]:
    """Graphs to be lifted."""
    return {
        "epid 1,000": lambda: datasets.epid(1000).ground(),
        "epid 1,000, scaled": lambda: datasets.scaled(datasets.epid(1000).ground(), 0.15),
        "epid 100, scaled": lambda: datasets.scaled(datasets.epid(100).ground(), 0.15),
        "employee 5,000, permuted": lambda: datasets.permuted(datasets.employee(5000).ground()),
        "ds 3, n = 14": lambda: datasets.ds(3, 14).ground(),
        "ds 300": lambda: datasets.ds(300).ground(),
        "smokers 100": lambda: datasets.smokers(100).ground(),
        "clique 200": lambda: datasets.clique(200).ground(),
        "workshops 200 × 50": lambda: datasets.workshops(200, 50).ground(),
        "plate of 1,000": lambda: plate(1000).ground(),
        "schools 300, 10, 3": lambda: schools(300, 10, 3),
        "grid 20 × 20": lambda: datasets.grid(20, 20),
        "random grid 20 × 20": lambda: random_grid(20),
        "irregular, 500": lambda: irregular(500, 600),
        "random regular, 500": lambda: random_regular(500),
        "path of 1,000": lambda: path(1000),
        "ring of 500": lambda: ring(500),
        "star of 100,000": lambda: hub(100_000),
        "network of 300": lambda: random_network(300),
        "1,000 states": lambda: large_states(1000),
        "long names, 2,000": lambda: long_names(2000),
        "numbers of 1,000 digits": lambda: long_numbers(60, 1000),
        "epid 1,000, half observed": lambda: with_facts(datasets.epid(1000), "Sick", 500).ground(),
        "long dotted names": lambda: long_dotted_names(1000),
        "wide commutative tables": lambda: datasets.ds(20, 12, commutative=True).ground(),
        "wide tables, permuted": lambda: datasets.permuted(datasets.ds(40, 9).ground()),
        "counted 12, 2": lambda: counted(12, 2).ground(),
        "perturbed epid 100": lambda: datasets.perturbed(datasets.epid(100).ground(), "0.01"),
        "blocks": lambda: blocks(40),
        "two variables": lambda: path(2),
    }


def reading_cases() -> dict[str, Callable[[Path], Path]]:
    """Files to be read, each written into a folder."""

    def written(graph: Callable[[], Model], name: str) -> Callable[[Path], Path]:
        def write(folder: Path) -> Path:
            lg.write(graph(), folder / name)
            return folder / name

        return write

    return {
        "random grid, UAI": written(partial(random_grid, 30), "grid.uai"),
        "random grid, libDAI": written(partial(random_grid, 30), "grid.fg"),
        "random grid, JSON": written(partial(random_grid, 30), "grid.json"),
        "300 states, UAI": written(partial(large_states, 300), "states.uai"),
        "long names, JSON": written(partial(long_names, 500), "names.json"),
        "long numbers, UAI": written(partial(long_numbers, 20, 1000), "numbers.uai"),
        "network, BIF": written(partial(bayesian, 200), "network.bif"),
        "network, XMLBIF": written(partial(bayesian, 200), "network.xml"),
        "network, NET": written(partial(bayesian, 200), "network.net"),
        "epid, BLOG": written(partial(datasets.epid, 200), "epid.blog"),
        "epid, lifted JSON": written(partial(datasets.epid, 200), "lifted.json"),
    }
