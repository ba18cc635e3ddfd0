"""Random relational models as plain data, and their twins: the same models, grounded naively.

``{"domains": [3, 2], "prvs": [{"domains": [0, 0], "where": "different", "states": 2}, …],
"parfactors": [{"arguments": [{"prv": 0, "slots": [0, 1]}], "where": [[0, 0, 1, "unordered"]],
"counted": false, "repeated": false, "values": […]}, …]}``: a slot is a logvar of a domain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from random import Random

import liftgraph as lg
from liftgraph.model.lifted.logvars import Constraint, Different
from liftgraph.model.lifted.parfactor import Atom
from tests.relational import naive_ground
from tests.soak.area import Case
from tests.soak.models import plainer_values, values

MAX_ASSIGNMENTS = 300
SLOTS = 2  # logvars of each domain
RELATIONS = {"different": lg.different, "unordered": lg.unordered}


def relational_model(random: Random) -> Case:
    """A model that the library accepts, with few enough assignments."""
    while True:
        domains = [random.randint(1, 4), random.randint(1, 3)]
        prvs = [_prv(random) for _ in range(random.randint(1, 3))]
        description: Case = {"domains": domains, "prvs": prvs, "parfactors": []}
        if prod(len(prv.states) ** prv.size for prv in built_prvs(description)) > MAX_ASSIGNMENTS:
            continue
        for _ in range(random.randint(1, 3)):
            description["parfactors"].append(_parfactor(random, description))
        try:
            model_of(description)
        except lg.InputError:  # a combination that makes no sense
            continue
        return description


def _prv(random: Random) -> Case:
    domains = [random.randrange(2) for _ in range(random.randint(0, 2))]
    pair = len(domains) == 2 and domains[0] == domains[1]
    where = random.choice([None, *RELATIONS]) if pair else None
    return {"domains": domains, "where": where, "states": random.choice([1, 2, 2, 2, 3])}


def _parfactor(random: Random, description: Case) -> Case:
    arguments = []
    for _ in range(random.randint(0, 3)):
        index = random.randrange(len(description["prvs"]))
        slots = [random.randrange(SLOTS) for _ in description["prvs"][index]["domains"]]
        arguments.append({"prv": index, "slots": slots})
    where = [
        [domain, 0, 1, random.choice(list(RELATIONS))]
        for domain in range(2)
        if random.random() < 0.4
    ]
    parfactor: Case = {
        "arguments": arguments,
        "where": where,
        "counted": random.random() < 0.4,
        "repeated": random.random() < 0.15,
        "values": None,
    }
    try:
        shape = [argument.values for argument in _arguments(description, parfactor)[0]]
    except lg.InputError:
        shape = []
    return {**parfactor, "values": values(random, prod(shape))}


def _logvar(description: Case, domain: int, slot: int) -> lg.LogVar:
    name = "XM"[domain]
    first = lg.LogVar(name, description["domains"][domain])
    return lg.LogVar(f"{name}{slot}", first.domain)


def built_prvs(description: Case) -> list[lg.PRV]:
    """The PRVs of a description: A, B, C."""
    prvs = []
    for name, prv in zip("ABCDEF", description["prvs"], strict=False):
        logvars = [_logvar(description, d, place) for place, d in enumerate(prv["domains"])]
        where = RELATIONS[prv["where"]](*logvars) if prv["where"] else ()
        prvs.append(lg.prv(name, *logvars, states=prv["states"], where=where))
    return prvs


def _arguments(
    description: Case, parfactor: Case
) -> tuple[list[Atom | lg.CRV], list[Constraint], list[lg.LogVar]]:
    """The arguments, the constraints on their logvars, and the logvars that are not counted."""
    prvs = built_prvs(description)
    arguments: list[Atom | lg.CRV] = []
    logvars: dict[tuple[int, int], lg.LogVar] = {}
    for argument in parfactor["arguments"]:
        domains = description["prvs"][argument["prv"]]["domains"]
        slots = list(zip(domains, argument["slots"], strict=True))
        logvars |= {slot: _logvar(description, *slot) for slot in slots}
        arguments.append(prvs[argument["prv"]](*(logvars[slot] for slot in slots)))
    where: list[Constraint] = []
    for domain, first, second, relation in parfactor["where"]:
        if (domain, first) in logvars and (domain, second) in logvars:
            where += RELATIONS[relation](logvars[domain, first], logvars[domain, second])
    free = list(logvars.values())
    if parfactor["counted"] and arguments:
        atom = arguments[0]
        if isinstance(atom, Atom) and atom.logvars:
            counted = atom.logvars[-1]
            apart = [
                c for c in where if isinstance(c, Different) and counted in (c.first, c.second)
            ]
            arguments[0] = lg.crv(atom, counted, where=apart)
            free.remove(counted)
    return arguments, where, free


def model_of(description: Case) -> lg.ParfactorGraph:
    """The parametric factor graph that a description describes."""
    parfactors = []
    for parfactor in description["parfactors"]:
        arguments, where, free = _arguments(description, parfactor)
        shape = [argument.values for argument in arguments]
        table = lg.Table.of(parfactor["values"], shape)
        repeated = [lg.LogVar("N", 2)] if parfactor["repeated"] else []
        parfactors.append(lg.parfactor(arguments, table, where, [*free, *repeated]))
    return lg.ParfactorGraph.of(parfactors, built_prvs(description))


def naive_twin(model: lg.ParfactorGraph) -> lg.FactorGraph:
    """The ground graph, made one substitution after the other; variables are in the same order."""
    builder = lg.FactorGraphBuilder()
    for number in range(model.variable_count):
        place = model.locate(number)
        builder.add_variable(model.name(place), model.prvs[place[0]].states)
    for scope, table in naive_ground(model):
        builder.add_factor(scope, table)
    return builder.build()


def smaller_models(description: Case) -> Iterator[Case]:
    """The same model with a parfactor, an individual or a constraint less, or plainer values."""
    parfactors: Sequence[Case] = description["parfactors"]
    for index in range(len(parfactors)):
        yield {**description, "parfactors": [*parfactors[:index], *parfactors[index + 1 :]]}
    for domain, size in enumerate(description["domains"]):
        if size > 1 and not any(parfactor["counted"] for parfactor in parfactors):
            fewer = [size - (d == domain) for d, size in enumerate(description["domains"])]
            yield {**description, "domains": fewer}
    for index, parfactor in enumerate(parfactors):
        changes: list[Case] = [{"repeated": False}] if parfactor["repeated"] else []
        where: list[Case] = parfactor["where"]
        changes += [{"where": where[:count] + where[count + 1 :]} for count in range(len(where))]
        changes += [{"values": plainer} for plainer in plainer_values(parfactor["values"])]
        for change in changes:
            changed = [*parfactors[:index], {**parfactor, **change}, *parfactors[index + 1 :]]
            yield {**description, "parfactors": changed}
