"""Random dynamic models and observations, and what unrolled models say about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from random import Random
from typing import Any

import liftgraph as lg
from liftgraph.model.counts import Count, CountEvent
from liftgraph.model.lifted.parfactor import Argument, Atom, atom_of

Observations = list[dict[Any, Any]]


@dataclass(frozen=True)
class Example:
    """A dynamic model with observations and something to ask for."""

    model: lg.Dynamic
    observations: Observations
    asked: tuple[Any, ...]

    @property
    def size(self) -> int:
        """How many variables all days have."""
        return len(self.observations) * sum(prv.size for prv in self.model.prvs)


def example(random: Random, wide: bool = False) -> Example:
    """A random model, observations of up to three days, and what to ask for. ``wide``: potentials
    differ by more than floats do."""
    draft = _Draft(random, wide)
    model = lg.Dynamic(draft.start(), draft.step(), draft.observe())
    days = [draft.day() for _ in range(random.choice([1, 2, 3]))]
    return Example(model, days, draft.asked())


class _Draft:
    """PRVs of a random model, and parfactors of these."""

    def __init__(self, random: Random, wide: bool) -> None:
        self.random = random
        zeros: list[Any] = [0] if random.random() < 0.3 else []
        powers = [Fraction(10) ** exponent for exponent in (-300, -160, -70, 90, 250)]
        self.entries = [*zeros, 1, 2, 3, 5, *(powers if wide else [])]
        logvars = [lg.LogVar(name, random.randint(1, 3)) for name in random.choice(["P", "PQ"])]
        self.prvs = [
            lg.prv(f"S{logvar.name}{number}", logvar, states=random.choice([2, 2, 3]))
            for logvar in logvars
            for number in range(random.choice([1, 1, 2]))
        ]
        self.single = [lg.prv("W", states=random.choice([2, 3]))] * random.choice([0, 0, 1])
        self.local = [lg.prv(f"L{v.name}", v) for v in logvars if random.random() < 0.6]
        self.local_single = [lg.prv("R", states=2)] * (random.random() < 0.3)

    def parfactor(self, arguments: Sequence[Any], where: Any = ()) -> lg.Parfactor:
        size = prod([_values(argument) for argument in arguments])
        values = [self.random.choice(self.entries) for _ in range(size)]
        made = lg.parfactor(arguments, values, where)
        if self.random.random() < 0.1:  # as factors have that were lifted
            scales = ((Fraction(2), 1), (Fraction(1, 3), made.size - 1))
            return replace(made, scales=scales[: 1 + (made.size > 1)])
        return made

    def counting(self, prv: lg.PRV) -> lg.CRV:
        counted = lg.LogVar(f"X{prv.name}", prv.logvars[0])
        return lg.crv(prv(counted), counted)

    def others(self, prv: lg.PRV, own: lg.LogVar) -> tuple[lg.CRV, Any]:
        """A count of all others, and the constraint that says so."""
        counted = lg.LogVar(f"X{prv.name}", prv.logvars[0])
        apart = lg.different(own, counted)
        return lg.crv(prv(counted), counted, where=apart), apart

    def start(self) -> list[lg.Parfactor]:
        random = self.random
        listed = [self.parfactor([p]) for p in (*self.prvs, *self.single) if random.random() < 0.8]
        if random.random() < 0.3:
            listed.append(self.parfactor([self.counting(random.choice(self.prvs)), *self.single]))
        prv = random.choice(self.prvs)
        if random.random() < 0.2 and prv.size > 1:
            others, apart = self.others(prv, prv.logvars[0])
            listed.append(self.parfactor([others, prv], apart))
        return listed

    def step(self) -> list[lg.Parfactor]:
        listed = [self.step_of(prv) for prv in self.prvs]
        for prv in self.prvs:
            if self.random.random() < 0.3:
                listed += self.meetings(prv)
        for prv in self.single:
            counted = [self.counting(self.random.choice(self.prvs))] * self.random.choice([0, 1])
            listed.append(self.parfactor([prv, lg.after(prv), *counted]))
        if self.random.random() < 0.2:
            counted_later = lg.after(self.counting(self.random.choice(self.prvs)))
            listed.append(self.parfactor([counted_later, *map(lg.after, self.single)]))
        return listed

    def step_of(self, prv: lg.PRV) -> lg.Parfactor:
        """A parfactor about a PRV today and tomorrow, and perhaps something else."""
        random, logvar = self.random, prv.logvars[0]
        arguments: list[Any] = [prv, lg.after(prv)]
        other, kind = random.choice(self.prvs), random.random()
        alike = other.logvars[0].domain == logvar.domain
        if kind < 0.4 and alike and logvar.size > 1:
            others, apart = self.others(other, logvar)
            return self.parfactor([*arguments, others], apart)
        if kind < 0.5 and not alike:
            arguments.append(self.counting(other))
        elif kind < 0.6 and self.single:
            arguments.append(random.choice([self.single[0], lg.after(self.single[0])]))
        elif kind < 0.7 and alike and other != prv:
            arguments.append(other)
        return self.parfactor(arguments)

    def meetings(self, prv: lg.PRV) -> list[lg.Parfactor]:
        """A parfactor about an individual and each that it meets."""
        other, logvar = self.random.choice(self.prvs), prv.logvars[0]
        met = lg.LogVar("Y", other.logvars[0])
        alike = met.domain == logvar.domain
        if alike and other != prv and self.random.random() < 0.5:
            alike = False  # they meet themselves, too
        if alike and logvar.size < 2:
            return []
        apart = lg.different(logvar, met) if alike else ()
        return [self.parfactor([prv, other(met), lg.after(prv)], apart)]

    def observe(self) -> list[lg.Parfactor]:
        random = self.random
        listed = []
        for prv in self.local:
            own = [p for p in self.prvs if p.logvars[0].domain == prv.logvars[0].domain]
            more = self.single if random.random() < 0.2 else []
            listed.append(self.parfactor([prv, *own[: random.choice([1, 2])], *more]))
        prv = random.choice(self.prvs)
        if random.random() < 0.2 and prv.size > 1:
            met = lg.LogVar("Y", prv.logvars[0])
            listed.append(self.parfactor([prv, prv(met)], lg.different(prv.logvars[0], met)))
        counted = self.counting(random.choice(self.prvs))
        return [*listed, *[self.parfactor([single, counted]) for single in self.local_single]]

    def day(self) -> dict[Any, Any]:
        """What was observed on a day."""
        random = self.random
        observed: dict[Any, Any] = {}
        for prv in (*self.prvs, *self.local):
            for number in range(1, prv.size + 1):
                if random.random() < 0.15:
                    observed[f"{prv.name}.{number}"] = random.choice(prv.states)
                elif random.random() < 0.15:
                    observed[f"{prv.name}.{number}"] = self.likelihood(prv)
            number = random.randint(0, prv.size)
            if random.random() < 0.2:
                count = lg.count(prv.name, random.choice(prv.states))
                around = count.between(max(0, number - 1), number)
                value = random.choice([number, range(max(0, number - 1), number + 1), around])
                observed[count] = random.choice([value, (count > number) | (count == 0)])
            if random.random() < 0.1:
                observed[lg.count([f"{prv.name}.1"], prv.states[0])] = random.choice([0, 1])
        for prv in (*self.single, *self.local_single):
            if random.random() < 0.3:
                observed[prv.name] = random.choice(prv.states)
            elif random.random() < 0.2:
                observed[prv.name] = self.likelihood(prv)
        return observed

    def likelihood(self, prv: lg.PRV) -> list[Any]:
        """Numbers for the states, several of which are often alike."""
        numbers = [self.random.choice([0, 1, 2, "0.3"]) for _ in prv.states]
        return [*numbers[:-1], 3]

    def asked(self) -> tuple[Any, ...]:
        random = self.random
        every = [*self.prvs, *self.local]
        prv = random.choice(every)
        asked: list[Any] = [lg.count(prv.name, random.choice(prv.states))]
        if random.random() < 0.3:
            other = random.choice(every)
            asked.append(f"{other.name}.{random.randint(1, other.size)}")
        if self.single and random.random() < 0.3:
            asked.append(self.single[0].name)
        return tuple(asked)


def _values(argument: Argument | lg.PRV) -> int:
    if isinstance(argument, lg.CRV):
        return argument.values
    prv = atom_of(argument).prv if isinstance(argument, Atom) else argument
    return len(prv.states)


def on_day(one: Any, day: int) -> Any:
    """A variable or count of a day, in the unrolled model."""
    if isinstance(one, Count):
        names = one.variables
        if isinstance(names, str):
            return replace(one, variables=f"{names}@{day}")
        return replace(one, variables=tuple([on_day(name, day) for name in names]))
    stem, dot, individual = one.partition(".")
    return f"{stem}@{day}{dot}{individual}"


def evidence(observations: Observations) -> dict[Any, Any]:
    """All observations, of the unrolled model."""
    return {
        on_day(one, day): replace(said, count=on_day(one, day))
        if isinstance(said, CountEvent)
        else said
        for day, observed in enumerate(observations)
        for one, said in observed.items()
    }
