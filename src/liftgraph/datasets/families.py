"""The three families of the paper's evaluation, each of any size.

The seed determines the potentials, which are uniform in 1 … 10 and the same for every d, so that a
series of models differs in size alone. With ``commutative=True``, potentials depend only on how
many arguments are true, so that all arguments of a factor may be permuted.
"""

from __future__ import annotations

from math import log2

from liftgraph.datasets.random_numbers import Draws
from liftgraph.datasets.sizes import checked_size
from liftgraph.model.lifted.builder import parfactor, prv
from liftgraph.model.lifted.logvars import LogVar
from liftgraph.model.lifted.parfactor import PRV
from liftgraph.model.lifted.parfactor_graph import ParfactorGraph

_MOST_ARGUMENTS = 20  # of a factor, which has a million potentials then


def epid(d: int, seed: int = 0, commutative: bool = False) -> ParfactorGraph:
    """The epidemic: d people who may travel, be sick and get round(log2 d) medications each.

    φ0(Epid), φ1(Travel(P), Sick(P), Epid), φ2(Sick(P), Epid, Treat(P, M)); d is at least 2.

    >>> epid(8)
    ParfactorGraph(4 PRVs for 41 variables, 3 parfactors for 33 factors)
    """
    persons = checked_size("epid", d, 2)
    person, medication = LogVar("P", persons), LogVar("M", round(log2(persons)))
    epidemic, travel = prv("Epid"), prv("Travel", person)
    sick, treat = prv("Sick", person), prv("Treat", person, medication)
    scopes = [[epidemic], [travel, sick, epidemic], [sick, epidemic, treat]]
    return _random_model("epid", scopes, seed, commutative)


def employee(d: int, seed: int = 0, commutative: bool = False) -> ParfactorGraph:
    """Employees: their competence drives the revenue of a company, and both drive their salary.

    φ1(Com(E)), φ2(Com(E), Rev), φ3(Com(E), Rev, Sal(E)) for d employees.

    >>> employee(8)
    ParfactorGraph(3 PRVs for 17 variables, 3 parfactors for 24 factors)
    """
    person = LogVar("E", checked_size("employee", d, 1))
    competence, revenue, salary = prv("Com", person), prv("Rev"), prv("Sal", person)
    scopes = [[competence], [competence, revenue], [competence, revenue, salary]]
    return _random_model("employee", scopes, seed, commutative)


def ds(d: int, n: int = 4, seed: int = 0, commutative: bool = False) -> ParfactorGraph:
    """A variable R0 with d neighbours R1(X), each in a factor with n variables of its own.

    φ1(R0, R1(X)), φ2(R1(X), R2(X), …, R(n + 1)(X)).

    >>> ds(8, n=6)
    ParfactorGraph(8 PRVs for 57 variables, 2 parfactors for 16 factors)
    """
    width = checked_size("ds: n", n, 1, _MOST_ARGUMENTS - 1)
    individual = LogVar("X", checked_size("ds", d, 1))
    repeated = [prv(f"R{index}", individual) for index in range(1, width + 2)]
    return _random_model(f"ds{width}", [[prv("R0"), repeated[0]], repeated], seed, commutative)


def _random_model(
    name: str, scopes: list[list[PRV]], seed: int, commutative: bool
) -> ParfactorGraph:
    draws = Draws(seed, name)
    shapes = [tuple(len(argument.states) for argument in scope) for scope in scopes]
    tables = [draws.potentials(shape, commutative) for shape in shapes]
    return ParfactorGraph.of(map(parfactor, scopes, tables))
