"""BLOG files with individuals by name, counts and queries, beside a brute-force reading."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import comb
from pathlib import Path

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

import liftgraph as lg

HEAD = """
type Person; type Level;
guaranteed Person {people};
guaranteed Level low, mid, high;
random Boolean Rev; random Boolean Com(Person); random Level Mood(Person);
random Boolean Knows(Person X, Person Y) : X != Y;
"""
STATES = {
    "Rev": ("true", "false"),
    "Com": ("true", "false"),
    "Mood": ("low", "mid", "high"),
    "Knows": ("true", "false"),
}
ARITY = {"Rev": 0, "Com": 1, "Mood": 1, "Knows": 2}
Assignment = dict[str, str]


@dataclass
class Argument:
    """A PRV with logvars and individuals; ``counted``: over which logvar, and in which notation."""

    prv: str
    terms: list[str]
    counted: str | None = None
    inline: bool = False
    inside: list[tuple[str, str]] = field(default_factory=list)

    def text(self) -> str:
        applied = f"{self.prv}({', '.join(self.terms)})" if self.terms else self.prv
        if self.counted is None:
            return applied
        where = " & ".join(f"{a} != {b}" for a, b in self.inside)
        bound = f"(Person {self.counted}{' : ' * bool(where)}{where})"
        return f"#{bound if self.inline else self.counted}[{applied}]"


@dataclass
class Listed:
    """A parfactor as the file has it."""

    logvars: list[str]
    where: list[tuple[str, str]]
    arguments: list[Argument]
    values: list[Fraction] = field(default_factory=list)

    def text(self) -> str:
        where = " & ".join(f"{a} != {b}" for a, b in self.where)
        typed = ", ".join(f"Person {logvar}" for logvar in self.logvars)
        head = f"parfactor {typed}{' : ' * bool(where)}{where} ." if self.logvars else "factor"
        numbers = ", ".join(map(str, self.values))
        listed = ", ".join(argument.text() for argument in self.arguments)
        return f"{head} MultiArrayPotential[[{numbers}]] ({listed});\n"

    @property
    def free(self) -> list[str]:
        counted = {argument.counted for argument in self.arguments}
        return [logvar for logvar in self.logvars if logvar not in counted]

    def rows(self, people: list[str]) -> list[dict[str, str]]:
        substitutions = (
            dict(zip(self.free, row, strict=True)) for row in product(people, repeat=len(self.free))
        )
        return [row for row in substitutions if self.holds(self.where, row)]

    @staticmethod
    def holds(where: list[tuple[str, str]], row: dict[str, str]) -> bool:
        known = [(row.get(a, a), row.get(b, b)) for a, b in where]
        return all(a != b for a, b in known)


class IllegalError(Exception):
    """The file says something that is not a model."""


def variables_of(
    listed: Listed, argument: Argument, row: dict[str, str], people: list[str]
) -> list[str]:
    """The variables that an argument is about in one factor."""
    rows = [row]
    if argument.counted is not None:
        extended = [row | {argument.counted: person} for person in people]
        constraints = [*listed.where, *argument.inside]
        about = [pair for pair in constraints if argument.counted in pair]
        rows = [each for each in extended if Listed.holds(about, each)]
    found = []
    for each in rows:
        individuals = [each.get(term, term) for term in argument.terms]
        if len(set(individuals)) < len(individuals):
            raise IllegalError("Knows of one person")
        found.append(".".join([argument.prv, *individuals]))
    return found


def scopes_of(listed: Listed, people: list[str]) -> list[list[list[str]]]:
    """The variables of each argument, for each factor; refused if the file makes no sense."""
    scopes = []
    for row in listed.rows(people):
        scope = [variables_of(listed, argument, row, people) for argument in listed.arguments]
        flat = [variable for part in scope for variable in part]
        if len(set(flat)) < len(flat):
            raise IllegalError("a variable twice")
        scopes.append(scope)
    for place, argument in enumerate(listed.arguments):
        numbers = {len(scope[place]) for scope in scopes}
        if argument.counted is not None and (len(numbers) > 1 or 0 in numbers):
            raise IllegalError("different counts")
    return scopes


def histograms(argument: Argument, number: int) -> list[tuple[int, ...]]:
    """All histograms in the order of the file: from all in the first state down, or up."""
    ranges = [range(number + 1)] * len(STATES[argument.prv])
    rising = [h for h in product(*ranges) if sum(h) == number]
    return rising[::-1] if argument.inline else rising


def potential(listed: Listed, scope: list[list[str]], states: Assignment) -> Fraction:
    """The value for the states of a factor's variables; the last argument changes fastest."""
    index = 0
    for argument, variables in zip(listed.arguments, scope, strict=True):
        known = STATES[argument.prv]
        if argument.counted is None:
            index = index * len(known) + known.index(states[variables[0]])
            continue
        came = [states[variable] for variable in variables]
        listing = histograms(argument, len(variables))
        index = index * len(listing) + listing.index(tuple(came.count(state) for state in known))
    return listed.values[index]


PEOPLE = ["p1", "p2", "p3"]


@st.composite
def parfactors(draw: st.DrawFn, people: list[str], used: list[str]) -> Listed:
    logvars = draw(st.sampled_from([[], ["X"], ["X"], ["X", "Y"]]))
    pairs = [(a, b) for a in logvars for b in people]
    where = draw(st.lists(st.sampled_from(pairs), max_size=2, unique=True)) if pairs else []
    if len(logvars) == 2:
        where.append(("X", "Y"))
    terms = st.permutations([*logvars, *people])
    drawn = [
        (prv, draw(terms)[: ARITY[prv]])
        for prv in draw(st.lists(st.sampled_from(used), min_size=1, max_size=2))
    ]
    if draw(st.integers(0, 4)):  # most files make sense
        drawn = [pair for place, pair in enumerate(drawn) if pair not in drawn[:place]]
        named = {term for _, listed in drawn for term in listed} & {*people}
        where += [pair for pair in pairs if pair[1] in named and pair not in where]
    arguments = [Argument(prv, listed) for prv, listed in drawn]
    counting = [prv for prv in used if ARITY[prv]]
    counts_some = draw(st.booleans())
    if counting and counts_some:
        arguments.append(draw(counts(people, logvars, where, draw(st.sampled_from(counting)))))
    listed = Listed(logvars, where, arguments)
    if arguments[-1].counted is not None and not arguments[-1].inline:
        listed.logvars = [*logvars, "Z"]
    return listed


@st.composite
def counts(
    draw: st.DrawFn,
    people: list[str],
    logvars: list[str],
    where: list[tuple[str, str]],
    prv: str,
) -> Argument:
    others = [draw(st.sampled_from([*logvars, *people])) for _ in range(ARITY[prv] - 1)]
    argument = Argument(prv, draw(st.permutations(["Z", *others])), "Z", draw(st.booleans()))
    excluded = [("Z", each) for each in draw(st.sets(st.sampled_from([*logvars, *people])))]
    excluded += [("Z", each) for each in others if ("Z", each) not in excluded]
    if argument.inline:
        argument.inside = excluded
    else:
        where += excluded
    return argument


@st.composite
def files(draw: st.DrawFn) -> tuple[list[str], list[Listed], Assignment]:
    people = PEOPLE[: draw(st.integers(2, 3))]
    used = draw(st.sampled_from([["Rev", "Com"], ["Mood", "Rev"], ["Knows"], ["Com", "Knows"]]))
    if "Knows" in used:
        people = PEOPLE[:2] if len(used) > 1 else people
    listed = draw(st.lists(parfactors(people, used), min_size=1, max_size=3))
    for parfactor in listed:
        size = table_size(parfactor, people)
        small = st.integers(0, 5).map(Fraction)
        parfactor.values = draw(st.lists(small, min_size=size, max_size=size))
    observed = {}
    for prv in used:
        if draw(st.booleans()):
            chosen = draw(st.permutations(people))[: ARITY[prv]]
            observed[".".join([prv, *chosen])] = draw(st.sampled_from(STATES[prv]))
    return people, listed, observed


def table_size(listed: Listed, people: list[str]) -> int:
    """How many values a table needs; any number if no factor or no model comes of it."""
    try:
        scopes = scopes_of(listed, people)
    except IllegalError:
        return 1
    size = 1
    for place, argument in enumerate(listed.arguments):
        states = len(STATES[argument.prv])
        number = len(scopes[0][place]) if scopes else 1
        size *= states if argument.counted is None else comb(number + states - 1, states - 1)
    return size


def written(people: list[str], listed: list[Listed], observed: Assignment) -> str:
    text = HEAD.format(people=", ".join(people)) + "".join(each.text() for each in listed)
    for variable, state in observed.items():
        name, *individuals = variable.split(".")
        applied = f"{name}({', '.join(individuals)})" if individuals else name
        text += f"obs {applied} = {state};\nquery {applied};\n"
    return text


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("blog") / "model.blog"


def is_about(listed: list[Listed], scopes: list[list[list[list[str]]]]) -> list[str]:
    """The variables in some factor."""
    flat = {v for of_one in scopes for scope in of_one for part in scope for v in part}
    return sorted(flat)


@given(files())
def test_files_mean_what_they_say(
    path: Path, drawn: tuple[list[str], list[Listed], Assignment]
) -> None:
    people, listed, observed = drawn
    path.write_text(written(people, listed, observed))
    try:
        scopes = [scopes_of(each, people) for each in listed]
    except IllegalError as reason:
        event(f"refused: {reason}")
        with pytest.raises(lg.ParseError, match=r"model\.blog:\d+: .*(expected|needs)"):
            lg.read(path)
        return
    try:
        model = lg.read(path)
    except lg.ParseError:
        assert not all(scopes)  # without factors, it is open how many variables are counted
        return
    assert isinstance(model, lg.ParfactorGraph)
    event("as written" if model.origin is None else "lifted again")
    graph = model.ground()
    found = {graph.name(v): graph.states(v)[s] for v, s in graph.evidence.items()}
    assert found == observed
    assert model.observed_count == len(observed)
    names = is_about(listed, scopes)
    expected: dict[tuple[str, ...], Fraction] = {}
    for states in product(*(STATES[name.partition(".")[0]] for name in names)):
        assignment = dict(zip(names, states, strict=True))
        weight = Fraction(1)
        for each, of_one in zip(listed, scopes, strict=True):
            for scope in of_one:
                weight *= potential(each, scope, assignment)
        expected[states] = weight
    check(graph, names, expected)


def check(
    graph: lg.FactorGraph, names: list[str], expected: dict[tuple[str, ...], Fraction]
) -> None:
    """The product of all factors is as expected, whatever the other variables are."""
    index = [graph.variable(name) for name in names]
    for states, weight in expected.items():
        chosen = dict(zip(index, states, strict=True))
        product_of_factors = Fraction(1)
        for factor in range(graph.factor_count):
            scope, table = graph.factor(factor)
            places = [graph.states(v).index(chosen[v]) for v in scope]
            product_of_factors *= table.potential(places)
        assert product_of_factors == weight


EMPLOYEES = """
type Employee;

guaranteed Employee e[{count}];

random Boolean Rev;
random Boolean Com(Employee);
random Boolean Sal(Employee);

factor MultiArrayPotential[[{counts}]]
\t(#(Employee X1)[Com(X1)], Rev);

parfactor Employee E : {others}. MultiArrayPotential[[1.0, 0.0, 1.0, 0.0]]
\t(Rev, Sal(E));

parfactor Employee E : E != e1. MultiArrayPotential[[0.8, 0.2, 0.3, 0.7]]
\t(Rev, Sal(E));

parfactor Employee X1. MultiArrayPotential[[0.9, 0.1, 0.7, 0.3]]
\t(Com(X1), Sal(X1));

factor MultiArrayPotential[[2, 3]] (Com(e1));
factor MultiArrayPotential[[7]] ();

obs Com(e2) = true;
query Rev;
query Sal(e1);"""


def employees(count: int) -> tuple[str, lg.ParfactorGraph]:
    """A file in the dialect that published code writes, and the model written by hand."""
    falling = [f"{2 * number + 1}, {number + 2}" for number in range(count, -1, -1)]
    others = " & ".join(f"E != e{number}" for number in range(2, count + 1))
    text = EMPLOYEES.format(count=count, counts=", ".join(falling), others=others)
    E = lg.LogVar("E", [f"e{number}" for number in range(2, count + 1)])
    rev, com, sal = lg.prv("Rev"), lg.prv("Com", E), lg.prv("Sal", E)
    first_com, first_sal = lg.prv("Com.e1"), lg.prv("Sal.e1")

    def counted(among: dict[str, int], first: str, rev_state: str) -> int:
        number = among["true"] + (first == "true")
        return 2 * number + 1 if rev_state == "true" else number + 2

    model = lg.ParfactorGraph.of(
        [
            lg.parfactor([lg.crv(com, E), first_com, rev], counted),
            lg.parfactor([rev, first_sal], [1, 0, 1, 0]),
            lg.parfactor([rev, sal], ["0.8", "0.2", "0.3", "0.7"]),
            lg.parfactor([com, sal], ["0.9", "0.1", "0.7", "0.3"]),
            lg.parfactor([first_com, first_sal], ["0.9", "0.1", "0.7", "0.3"]),
            lg.parfactor([first_com], [2, 3]),
            lg.parfactor([], [7]),
        ]
    )
    return text, model.given({"Com.e2": "true"})


@pytest.mark.parametrize("count", [3, 12, 40])
def test_the_dialect_of_published_code(path: Path, count: int) -> None:
    text, expected = employees(count)
    path.write_text(text)
    model = lg.read(path)
    assert isinstance(model, lg.ParfactorGraph)
    assert len(model.prvs) < 9  # e1 and all others
    for name in ("Rev", "Sal.e1", "Com.e1", "Com.e3", "Sal.e2"):
        assert model.query(name, exact=True).exact == expected.query(name, exact=True).exact
    assert model.partition(exact=True).z == expected.partition(exact=True).z


def test_counts_of_files_without_individuals_stay_lifted(path: Path) -> None:
    path.write_text(
        "type P; guaranteed P [2000]; random Boolean S(P); random Boolean R(P, P);"
        "factor MultiArrayPotential[[" + ", ".join(["3"] + ["1"] * 2000) + "]] (#(P X)[S(X)]);"
    )
    model = lg.read(path)
    assert isinstance(model, lg.ParfactorGraph)
    assert model.parfactors[0].table.potential((2000,)) == 3
    assert model.origin is None


def test_evidence_on_individuals_is_written_and_read(path: Path) -> None:
    X = lg.LogVar("X", ["X", "Mr. Y", "z"])
    Y = lg.LogVar("Y", X)
    N = lg.LogVar("N", 10**12)
    apart = lg.different(X, Y)
    knows = lg.prv("Knows", X, Y, where=apart)
    model = lg.ParfactorGraph.of([lg.parfactor([knows, lg.prv("Of", X, N)], [1, 2, 3, 4], apart)])
    observed = model.given({"Knows.X.z": "true", "Knows.Mr. Y.X": "false", "Of.z.77": "true"})
    lg.write(observed, path)
    assert lg.read(path) == observed


def test_whole_prvs_are_observed_beside_individuals(path: Path) -> None:
    text, _ = employees(5)
    path.write_text(text + "\nobs Sal(X) = false;")
    model = lg.read_graph(path)
    observed = {model.name(v): model.states(v)[s] for v, s in model.evidence.items()}
    assert observed == {"Com.e2": "true"} | {f"Sal.e{n}": "false" for n in range(1, 6)}


def test_large_tables_beside_individuals_are_refused(path: Path) -> None:
    head = "type P; guaranteed P p[30]; type L; guaranteed L a, b, c; random L M(P);"
    ones = ", ".join(["1"] * comb(32, 2))
    count = f"factor MultiArrayPotential[[{ones}]] (#(P X)[M(X)]);"
    path.write_text(f"{head}\n{count}")
    assert isinstance(lg.read(path), lg.ParfactorGraph)
    path.write_text(f"{head}\n{count}\nfactor MultiArrayPotential[[1, 2, 3]] (M(p1));")
    with pytest.raises(lg.ParseError, match=r":2: expected a table of at most 1,048,576 entries"):
        lg.read(path)
