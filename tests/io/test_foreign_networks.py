"""Formats that are read and not written: the numbers, names and states of small files and of
random networks that a writer of a few lines spells here; what is not discrete is refused."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.cli import main
from tests.io.test_network_formats import rearranged, stored
from tests.strategies import bayesian_networks

Parents = dict[int, tuple[int, ...]]
GOLDEN = {  # P(Fire = yes) = 0.01; Bell is on iff Fire; Noise given Fire and Bell tells its place
    ".oobn": """class Alarm {
        inputs = (); HR_Color = "1"; node_size = (80 40);
        node Fire { states = ("yes" "no"); } node Bell { states = ("on" "off"); }
        potential (Fire) { data = (0.01 0.99); } % a comment
        node Noise { states = ("a" "b" "c"); }
        potential (Bell | Fire) { data = ((1 0) (0 1)); }
        potential (Noise | Fire Bell) { data = (((0.11 0.12 0.77) (0.21 0.22 0.57))
            ((0.31 0.32 0.37) (0.41 0.42 0.17))); } }""",
    ".dsl": r"""net "Alarm" { HEADER = { ID = Alarm; NAME = "a { \" ;"; }; NUMSAMPLES = 1000;
        node Fire { TYPE = CPT; HEADER = { ID = Fire; }; PARENTS = (); SCREEN = { POSITION = {
            X = 0; }; COLOR = 3; }; DEFINITION = { NAMESTATES = (yes, no); /* two
            states */ PROBABILITIES = (0.01, 0.99); }; };
        node Bell { TYPE = TRUTHTABLE; PARENTS = (Fire);
            DEFINITION = { NAMESTATES = (on, off); RESULTINGSTATES = (on, off); }; };
        node Noise { TYPE = CPT; PARENTS = (Fire, Bell); DEFINITION = { NAMESTATES = (a, b, c);
            PROBABILITIES = (0.11, 0.12, 0.77, 0.21, 0.22, 0.57, // Fire
            0.31, 0.32, 0.37, 0.41, 0.42, 0.17); }; DOCUMENTATION = { }; };
        OBSERVATION_COST = { node Fire { PARENTS = (); COSTS = (0); }; }; };""",
    ".dne": r"""// ~->[DNET-1]->~
        bnet Alarm { autoupdate = TRUE; visual V1 { font = f {shape = "A; }"; size = 9;}; };
        node Fire { kind = NATURE; discrete = TRUE; chance = CHANCE; states = (yes, no);
            parents = (); probs = // yes no
            (0.01, 0.99); title = "a \" ; }"; belief = (0.5, 0.5); };
        node Bell { chance = DETERMIN; states = (on, off); statetitles = (, "of { f");
            parents = (Fire); functable = (on, #1); visual V1 { center = (1, 2); link 1 {
            path = ((208, 239), (384, 339)); }; }; };
        node Note { kind = CONSTANT; discrete = FALSE; parents = (); value = 3; };
        node Noise { kind = NATURE; discrete = TRUE; states = (a, b, c); parents = (Fire, Bell);
            probs = ((0.11, 0.12, 0.77,  0.21, 0.22, 0.57), // yes
                     ((0.31, 0.32, 0.37), (0.41, 0.42, 0.17))); };
        ElimOrder = (Fire, Noise); };""",
    ".dsc": """belief network "Alarm"
        node Fire { name : "The fire"; type : discrete [ 2 ] = { "yes", "no" };
            position : (1, 2); }
        node Bell { type : discrete [ 2 ] = { "on", "off" }, } // as one program writes it
        node Noise { type = discrete[3] { "a", "b", "c" }; }
        probability ( Fire ) { 0.01, 0.99; }
        probability ( Bell | Fire ) { (1) : 0, 1; (0) : 1, 0; }
        probability ( Noise | Fire, Bell ) { (0, 0) = 0.11, 0.12, 0.77; (1, 0) = 0.31, 0.32, 0.37;
            (0, 1) = 0.21, 0.22, 0.57; (1, 1) = 0.41, 0.42, 0.17; }""",
    ".erg": """3\n2 2 3\n0\n1 0\n2\t0 1\n/* Probabilities */\n2\n0.01 0.99\n4\n1 0\n0 1\n
        12\n0.11 0.12 0.77\n0.21 0.22 0.57\n0.31 0.32 0.37\n0.41 0.42 0.17
        /* Names */\nFire\nBell\nNoise\n/* Labels */\nyes no\non off\na b c
        /* Centers */\n1 2\n3 4\n5 6\n""",
}


def golden_network() -> lg.FactorGraph:
    builder = lg.FactorGraphBuilder()
    for name, states in (("Fire", "yes no"), ("Bell", "on off"), ("Noise", "a b c")):
        builder.add_variable(name, states.split())
    builder.add_factor(["Fire"], ["0.01", "0.99"])
    builder.add_factor(["Bell", "Fire"], [[1, 0], [0, 1]])
    rows = [["0.11", "0.21", "0.31", "0.41"], ["0.12", "0.22", "0.32", "0.42"]]
    rows.append(["0.77", "0.57", "0.37", "0.17"])
    builder.add_factor(["Noise", "Fire", "Bell"], [[row[:2], row[2:]] for row in rows])
    return builder.build()


@pytest.mark.parametrize("suffix", GOLDEN)
@pytest.mark.parametrize("change", ["none", "crlf", "bom", "gz"])
def test_order_names_and_numbers_are_as_the_format_says(
    tmp_path: Path, suffix: str, change: str
) -> None:
    text = GOLDEN[suffix]
    text = text.replace("\n", "\r\n") if change == "crlf" else text
    text = f"\ufeff{text}" if change == "bom" else text
    path = stored(tmp_path, suffix, text)
    if change == "gz":
        import gzip

        path = tmp_path / f"model{suffix}.gz"
        path.write_bytes(gzip.compress(text.encode()))
    assert lg.read(path) == golden_network()


def own_rows(graph: lg.FactorGraph, variable: int, parents: tuple[int, ...]) -> Iterator[list[str]]:
    """The numbers of a variable, one row for each state of its parents, the last one fastest."""
    table = graph.factors[variable].parts[1]
    sizes = [len(graph.states(v)) for v in (variable, *parents)]
    for states in product(*map(range, sizes[1:])):
        yield [str(table.potential((state, *states))) for state in range(sizes[0])]


def spelt(graph: lg.FactorGraph, suffix: str) -> str:
    """A network whose factor v has variable v first, with names X0, X1, … and states s0, s1, …"""
    parents: Parents = {v: graph.factors[v].parts[0][1:] for v in range(graph.variable_count)}
    return "\n".join(WRITERS[suffix](graph, parents))


def written_oobn(graph: lg.FactorGraph, parents: Parents) -> Iterator[str]:
    yield "class x { "
    for v in parents:
        yield f"node X{v} {{ states = ({' '.join(map(repr_of, states_of(graph, v)))}); }}"
        bar = f" | {' '.join(f'X{p}' for p in parents[v])}" if parents[v] else ""
        flat = " ".join(" ".join(row) for row in own_rows(graph, v, parents[v]))
        yield f"potential (X{v}{bar}) {{ data = ({flat}); }}"
    yield "}"


def written_dsl(graph: lg.FactorGraph, parents: Parents) -> Iterator[str]:
    yield "net x { HEADER = { ID = x; };"
    for v in parents:
        flat = ", ".join(", ".join(row) for row in own_rows(graph, v, parents[v]))
        yield f"node X{v} {{ TYPE = CPT; PARENTS = ({', '.join(f'X{p}' for p in parents[v])});"
        yield f"DEFINITION = {{ NAMESTATES = ({', '.join(states_of(graph, v))});"
        yield f"PROBABILITIES = ({flat}); }}; }};"
    yield "};"


def written_dne(graph: lg.FactorGraph, parents: Parents) -> Iterator[str]:
    yield "bnet x {"
    for v in parents:
        flat = ", ".join(", ".join(row) for row in own_rows(graph, v, parents[v]))
        yield f"node X{v} {{ kind = NATURE; states = ({', '.join(states_of(graph, v))});"
        yield f"parents = ({', '.join(f'X{p}' for p in parents[v])}); probs = ({flat}); }};"
    yield "};"


def written_dsc(graph: lg.FactorGraph, parents: Parents) -> Iterator[str]:
    yield 'belief network "x"'
    for v in parents:
        states = ", ".join(map(repr_of, states_of(graph, v)))
        yield f"node X{v} {{ type : discrete [ {len(graph.states(v))} ] = {{ {states} }}; }}"
        bar = f" | {', '.join(f'X{p}' for p in parents[v])}" if parents[v] else ""
        yield f"probability ( X{v}{bar} ) {{"
        sizes = [range(len(graph.states(p))) for p in parents[v]]
        for states_of_parents, row in zip(
            product(*sizes), own_rows(graph, v, parents[v]), strict=True
        ):
            head = f"({', '.join(map(str, states_of_parents))}) : " if parents[v] else ""
            yield f"{head}{', '.join(row)};"
        yield "}"


def written_erg(graph: lg.FactorGraph, parents: Parents) -> Iterator[str]:
    yield str(len(parents))
    yield " ".join(str(len(graph.states(v))) for v in parents)
    yield from (" ".join(map(str, (len(parents[v]), *parents[v]))) for v in parents)
    yield "/* Probabilities */"
    for v in parents:
        rows = list(own_rows(graph, v, parents[v]))
        yield str(sum(map(len, rows)))
        yield from map(" ".join, rows)
    yield "/* Names */"
    yield from (f"X{v}" for v in parents)
    yield "/* Labels */"
    yield from (" ".join(states_of(graph, v)) for v in parents)


def states_of(graph: lg.FactorGraph, variable: int) -> list[str]:
    return [f"s{state}" for state in range(len(graph.states(variable)))]


def repr_of(name: str) -> str:
    return f'"{name}"'


WRITERS: dict[str, Callable[[lg.FactorGraph, Parents], Iterator[str]]] = {
    ".oobn": written_oobn,
    ".dsl": written_dsl,
    ".dne": written_dne,
    ".dsc": written_dsc,
    ".erg": written_erg,
}


def ordered(graph: lg.FactorGraph, own: list[int]) -> lg.FactorGraph:
    """A network with factor v for variable v, and plain names."""
    moved = rearranged(graph, own)
    builder = lg.FactorGraphBuilder()
    for variable in range(graph.variable_count):
        builder.add_variable(f"X{variable}", states_of(graph, variable))
    for variable in range(graph.variable_count):
        builder.add_factor(*moved.factors[own[variable]].parts)
    return builder.build()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@given(bayesian_networks(), st.sampled_from([*WRITERS]))
@settings(max_examples=150)
def test_random_networks_are_read_exactly(
    folder: Path, network: tuple[lg.FactorGraph, list[int]], suffix: str
) -> None:
    graph = ordered(*network)
    assert lg.read(stored(folder, suffix, spelt(graph, suffix))) == graph


TOKEN = re.compile(r'"[^"]*"|[\w.#-]+|\s+|.')


def damaged(text: str, generator: random.Random) -> str:
    """The text with some of its tokens left out, swapped, repeated or replaced, or cut off."""
    tokens = TOKEN.findall(text)
    for _ in range(generator.randint(1, 4)):
        first, second = generator.randrange(len(tokens)), generator.randrange(len(tokens))
        damage = generator.randrange(5)
        if damage == 0:
            del tokens[first : first + generator.randint(1, 3)]
        elif damage == 1:
            tokens[first], tokens[second] = tokens[second], tokens[first]
        elif damage == 2:
            tokens.insert(first, tokens[second])
        elif damage == 3:
            tokens[first] = generator.choice(
                ["-1", "1e999", "99999999", "#9", "\x00", "é", "{", "}", "(", ")", ";", '"', "/*"]
            )
        else:
            tokens = tokens[: max(first, 1)]
        if not tokens:
            break
    return "".join(tokens)


@pytest.mark.filterwarnings("ignore::liftgraph.InputWarning")
@pytest.mark.parametrize("suffix", GOLDEN)
def test_damaged_files_are_read_or_refused_in_one_line(folder: Path, suffix: str) -> None:
    generator = random.Random(suffix)
    refused = 0
    for _ in range(400):
        path = stored(folder, suffix, damaged(GOLDEN[suffix], generator))
        try:
            lg.read(path, memory_limit="64MiB")
        except (lg.ParseError, lg.MemoryLimitError) as error:
            refused += 1
            assert "\n" not in str(error)
            assert str(error).startswith(str(path))
    assert 100 < refused < 400


REFUSED: list[tuple[str, str, str, str]] = [
    (".oobn", "node Noise", "instance I : Other (); node Noise", "discrete nodes, got instance"),
    (".oobn", "node Noise", "utility Noise", "discrete nodes, got utility"),
    (
        ".oobn",
        "0.17))); } }",
        "0.17))); } } class B { }",
        "one class and the end of the file, got class",
    ),
    (".oobn", "potential (Fire) { data = (0.01 0.99); }", "", "a distribution of Fire, got none"),
    (".dsl", "TYPE = TRUTHTABLE", "TYPE = LIST", "Bell to be a CPT, a TRUTHTABLE or a .* got LIST"),
    (".dsl", "TYPE = CPT; PARENTS", "TYPE = EQUATION; PARENTS", "Noise to be a CPT.* got EQUATION"),
    (".dsl", "HEADER = { ID = Alarm;", "HEAD = { ID = Alarm;", "expected a HEADER of the network"),
    (".dsl", "PARENTS = (Fire);", "PARENTS = (Fir);", "expected a node of the network, got Fir"),
    (".dsl", "RESULTINGSTATES = (on,", "RESULTINGSTATES = (an,", "a state of Bell, got an"),
    (".dsl", "0.42, 0.17)", "0.42)", "expected 12 numbers, got 11"),
    (
        ".dne",
        "node Bell {",
        "node Bell { kind = DECISION;",
        "Bell to be a nature node, got a decis",
    ),
    (".dne", "node Bell {", "node Bell { kind = UTILITY;", "Bell to be a nature node, got a util"),
    (".dne", "node Bell {", "param Bell { kind = DISCONNECTED;", "distribution is in another file"),
    (
        ".dne",
        "probs = //",
        'equation = "a"; was = //',
        "probs or a functable of Fire, got an equat",
    ),
    (".dne", "title =", 'EqnDirty = TRUE; equation = "p (Fire) = 1"; title =', "got older ones"),
    (
        ".dne",
        "discrete = TRUE; chance",
        "discrete = FALSE; chance",
        "Fire to be .* got a continuous",
    ),
    (".dne", "(on, #1)", "(on, #2)", "a state of Bell, got #2"),
    (".dne", "(Fire, Bell)", "(Fire, Note)", "expected a node of the network, got Note"),
    (".dne", "(0.01, 0.99)", "((0.01), 0.99)", "at most 1 parentheses inside"),
    (".dne", "0.17)))", "0.17))", r"expected \), got ;"),
    (".dsc", "(1) : 0, 1;", "(2) : 0, 1;", "expected one of 0, 1, got 2"),
    (".dsc", "(1) : 0, 1;", "", r"expected probabilities for \(1\), got none"),
    (
        ".dsc",
        "type : discrete [ 2 ]",
        "type : continuous [ 2 ]",
        "expected discrete, got continuous",
    ),
    (
        ".dsc",
        "{ (1) : 0, 1;",
        "{ function : 1;",
        r"expected \( or table or default .* got function",
    ),
    (".erg", "2\t0 1", "2\t0 3", "expected a parent below 3, got 3"),
    (".erg", "\n0\n1 0\n", "\n1 0\n", "below 3, got 0.01"),
    (".erg", "/* Probabilities */", "", "expected /. Probabilities ./, got none"),
    (".erg", "4\n1 0", "3\n1 0", "expected 4 probabilities, got 3"),
    (".erg", "Noise\n", "", "expected 3 names, got 2"),
    (".erg", "a b c", "a b", "expected 7 labels, got 6"),
    (".erg", "0.42 0.17", "0.42", "expected 12 probabilities, got 11 until the end"),
]


@pytest.mark.parametrize(("suffix", "old", "new", "problem"), REFUSED)
def test_what_is_wrong_or_not_discrete_is_refused_by_name_and_place(
    tmp_path: Path, suffix: str, old: str, new: str, problem: str
) -> None:
    text = GOLDEN[suffix]
    assert old in text
    path = stored(tmp_path, suffix, text.replace(old, new, 1))
    with pytest.raises(lg.ParseError, match=problem) as caught:
        lg.read(path)
    assert caught.value.line is not None


def test_findings_intervals_and_levels_of_netica(tmp_path: Path) -> None:
    graph = lg.read_graph(
        stored(
            tmp_path,
            ".dne",
            """bnet b { node T { kind = NATURE; discrete = FALSE; levels = (-INFINITY, 10, 2e1);
            parents = (); probs = (0.25, 0.75); evidence = #1; };
            node L { levels = (1, 0); parents = (T); probs = (0.5, 0.5, 0.1, 0.9); };
            node N { numstates = 2; parents = (); probs = (0.5, 0.5); evidence = 1; }; }""",
        )
    )
    assert [graph.states(v) for v in range(3)] == [
        ("-INFINITY to 10", "10 to 2e1"),
        ("1", "0"),
        ("0", "1"),
    ]
    assert dict(graph.evidence) == {0: 1, 2: 1}
    assert np.isclose(graph.query("L")["1"], 0.1)


def test_a_noisy_max_of_dsl_is_that_of_xdsl(tmp_path: Path) -> None:
    parameters = "0.1 0.3 0.6 0 0 1 0.8 0.1 0.1 0 0 1 0 0.05 0.95"
    flat = ", ".join(parameters.split())
    node = """node {0} {{ TYPE = CPT; PARENTS = ();
        DEFINITION = {{ NAMESTATES = (yes, no); PROBABILITIES = (0.5, 0.5); }}; }};"""
    dsl = f"""net x {{ HEADER = {{ }}; {node.format("A")} {node.format("B")}
        node C {{ TYPE = NOISY_MAX; PARENTS = (A, B); DEFINITION = {{ NAMESTATES = (l, m, n);
        STRENGTHS = (0, 1, 1, 0); PROBABILITIES = ({flat}); }}; }}; }};"""
    cpt = """<cpt id="{0}"><state id="yes"/><state id="no"/>
        <probabilities>0.5 0.5</probabilities></cpt>"""
    xdsl = f"""<smile><nodes>{cpt.format("A")}{cpt.format("B")}<noisymax id="C"><state id="l"/>
        <state id="m"/><state id="n"/><parents>A B</parents><strengths>0 1 1 0</strengths>
        <parameters>{parameters}</parameters></noisymax></nodes></smile>"""
    assert lg.read(stored(tmp_path, ".dsl", dsl)) == lg.read(stored(tmp_path, ".xdsl", xdsl))


def test_ergo_files_may_lack_names_or_have_them_in_a_row(tmp_path: Path) -> None:
    text = GOLDEN[".erg"]
    row = text.replace("Fire\nBell\nNoise", "Fire Bell Noise")
    assert lg.read(stored(tmp_path, ".erg", row)) == golden_network()
    spaces = text.replace("Fire\nBell\nNoise", "The fire\nBell\nLoud noise")
    assert next(iter(lg.read_graph(stored(tmp_path, ".erg", spaces)).variables)) == "The fire"
    bare = lg.read_graph(stored(tmp_path, ".erg", text.partition("/* Names")[0]))
    assert [*bare.variables] == ["0", "1", "2"]
    assert bare.states(2) == ("0", "1", "2")
    tables = [factor.parts for factor in golden_network().factors]
    assert [factor.parts for factor in bare.factors] == tables


@pytest.mark.parametrize("suffix", GOLDEN)
def test_formats_that_are_only_read_are_converted_and_not_written(
    tmp_path: Path, suffix: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = stored(tmp_path, suffix, GOLDEN[suffix])
    target = tmp_path / "other.bif"
    assert main(["convert", str(path), str(target)]) == 0
    assert lg.read(target) == golden_network()
    assert main(["info", str(path)]) == 0
    assert "3" in capsys.readouterr().out
    before = path.read_bytes()
    with pytest.raises(lg.InputError, match=r"are read but not written: write \.bif"):
        lg.write(golden_network(), path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("suffix", GOLDEN)
def test_small_limits_are_refused_before_memory_is_taken(tmp_path: Path, suffix: str) -> None:
    with pytest.raises(lg.MemoryLimitError, match=r"the limit is 100\.0 KiB"):
        lg.read(stored(tmp_path, suffix, GOLDEN[suffix]), memory_limit="100KiB")
    assert isinstance(lg.read(tmp_path / f"model{suffix}", memory_limit="1MiB"), lg.FactorGraph)
    assert np.isclose(lg.read_graph(tmp_path / f"model{suffix}").query("Fire")["yes"], 0.01)
