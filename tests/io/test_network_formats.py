"""Formats of Bayesian networks: what is read, how it is ordered, and what comes back."""

from __future__ import annotations

import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.cli import main
from liftgraph.io.formats import format_of
from liftgraph.model.ground.bayesian_network import normalised, own_factors
from tests.strategies import bayesian_networks, factor_graphs

XML_SUFFIXES = [".xmlbif", ".bifxml", ".xbif", ".xml"]
SUFFIXES = [".bif", *XML_SUFFIXES, ".net", ".bif.gz", ".xmlbif.gz", ".net.gz"]
NETWORK = {  # the same network, whose numbers tell their place
    ".bif": """
        // A comment, and names in quotes or not
        network "the network" { property "software; made up"; }
        variable C { type discrete [ 2 ] { c0, "c 1" }; property position = (1, 2); }
        variable A { type discrete [ 2 ] { a/0, a1 }; }
        variable "B b" { type discrete [ 3 ] { b0 b1 b2 }; } /* no
        commas */
        probability ( A ) { table 0.25, 0.75; }
        probability ( "B b" ) { default 0.2, 3e-1, 1/2; }
        probability ( C | A, "B b" ) {
          (a/0, b0) 0.11, 0.89; (a/0, b1) 0.12, 0.88;
          (a1, b2) .16, 0.84; (a1, b1) 0.15 0.85;
          (a/0, b2) 0.13, 0.87; default 1.4E-1, 0.86;
        }
    """,
    ".net": r"""
        net { name = "the network"; node_size = (80 40); }
        node C { states = ("c0" "c 1"); label = "has a ; and a \" in it,
            and a % on another line"; }
        discrete node A { states = ("a/0" "a1"); position = (3 4); }
        node B { liftgraph_name = "B b"; states = ("b0" "b1" "b2"); }
        potential ( A ) { data = (0.25 0.75); } % A comment }
        potential ( B | ) { data = (0.2 0.3 0.5); }
        potential ( C | A B ) {
          data = (((0.11 0.89)   % a/0, b0
                   (0.12 0.88) (0.13 0.87))
                  ((0.14 0.86) (0.15 0.85) (0.16 0.84)));
        }
    """,
    ".xmlbif": """<?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE BIF [ <!ELEMENT BIF ( NETWORK )*> <!ATTLIST BIF VERSION CDATA #REQUIRED> ]>
        <BIF VERSION="0.3"><NETWORK><NAME>the network</NAME><PROPERTY>a = b</PROPERTY>
        <VARIABLE TYPE="nature"><NAME>C</NAME><OUTCOME>c0</OUTCOME><OUTCOME>c 1</OUTCOME>
          <PROPERTY>position = (73, 165)</PROPERTY></VARIABLE>
        <VARIABLE><NAME> A </NAME><OUTCOME>a/0</OUTCOME><OUTCOME>a1</OUTCOME></VARIABLE>
        <VARIABLE TYPE="nature"><NAME>B b</NAME><OUTCOME>b0</OUTCOME><OUTCOME>b1</OUTCOME>
          <OUTCOME>b2</OUTCOME></VARIABLE>
        <DEFINITION><FOR>A</FOR><TABLE>0.25 0.75</TABLE></DEFINITION>
        <DEFINITION><FOR>B b</FOR><TABLE>0.2 0.3 0.5</TABLE></DEFINITION>
        <DEFINITION><FOR>C</FOR><GIVEN>A</GIVEN><GIVEN>B b</GIVEN><TABLE> 0.11 0.89
          0.12 0.88 <!-- a/0, b1 --> 0.13 0.87 0.14 0.86 0.15 0.85 0.16 0.84 </TABLE></DEFINITION>
        </NETWORK></BIF>
    """,
}


def expected_network() -> lg.FactorGraph:
    builder = lg.FactorGraphBuilder()
    builder.add_variable("C", ["c0", "c 1"])
    builder.add_variable("A", ["a/0", "a1"])
    builder.add_variable("B b", ["b0", "b1", "b2"])
    builder.add_factor(["A"], ["0.25", "0.75"])
    builder.add_factor(["B b"], ["0.2", "0.3", "0.5"])
    first = [[Fraction(11 + b + 3 * a, 100) for b in range(3)] for a in range(2)]
    second = [[1 - value for value in row] for row in first]
    builder.add_factor(["C", "A", "B b"], [first, second])
    return builder.build()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


def stored(folder: Path, suffix: str, text: str) -> Path:
    path = folder / f"model{suffix}"
    path.write_bytes(text.encode())
    return path


def rearranged(graph: lg.FactorGraph, own: list[int]) -> lg.FactorGraph:
    """The same network with every variable first in the scope of its own factor."""
    builder = lg.FactorGraphBuilder()
    for variable in range(graph.variable_count):
        builder.add_variable(graph.name(variable), graph.states(variable))
    for factor in range(graph.factor_count):
        scope, table = graph.factors[factor].parts
        axis = scope.index(own.index(factor))
        values = np.array(
            [table.potential(states) for states in np.ndindex(table.shape)], dtype=object
        )
        moved = np.moveaxis(values.reshape(table.shape), axis, 0)
        builder.add_factor((scope[axis], *scope[:axis], *scope[axis + 1 :]), moved)
    return builder.build()


@pytest.mark.parametrize("suffix", NETWORK)
def test_arguments_names_and_numbers_are_as_the_format_says(tmp_path: Path, suffix: str) -> None:
    assert lg.read(stored(tmp_path, suffix, NETWORK[suffix])) == expected_network()


@pytest.mark.parametrize("suffix", NETWORK)
@pytest.mark.parametrize("change", ["crlf", "bom"])
def test_other_line_ends_and_marks_make_no_difference(
    tmp_path: Path, suffix: str, change: str
) -> None:
    text = NETWORK[suffix].strip()
    other = text.replace("\n", "\r\n") if change == "crlf" else f"\ufeff{text}"
    assert lg.read(stored(tmp_path, suffix, other)) == expected_network()


def test_a_table_of_bif_has_the_variable_itself_slowest(tmp_path: Path) -> None:
    text = """network x { } variable A { type discrete [ 2 ] { a, b }; }
        variable C { type discrete [ 2 ] { c, d }; } probability ( A ) { table 0.5 0.5; }
        probability ( C A ) { table 0.1 0.2 0.9 0.8; }"""
    graph = lg.read_graph(stored(tmp_path, ".bif", text))
    assert graph.factors[1].parts == ((1, 0), lg.Table.of([["0.1", "0.2"], ["0.9", "0.8"]]))


@given(bayesian_networks(), st.sampled_from(SUFFIXES))
@settings(max_examples=100)
def test_networks_read_back_equal(
    folder: Path, network: tuple[lg.FactorGraph, list[int]], suffix: str
) -> None:
    graph, own = network
    path = folder / f"model{suffix}"
    lg.write(graph, path)
    back = lg.read_graph(path)
    assert back == rearranged(graph, own)
    again = path.with_name(f"again{suffix}")
    lg.write(back, again)
    assert again.read_bytes() == path.read_bytes()


@given(bayesian_networks(), st.sampled_from(SUFFIXES))
@settings(max_examples=50)
def test_rounded_networks_read_back_normalised(
    folder: Path, network: tuple[lg.FactorGraph, list[int]], suffix: str
) -> None:
    path = folder / f"model{suffix}"
    expected = rearranged(*network)
    lg.write(network[0], path, rounded=True)
    back = lg.read_graph(path)
    assert own_factors(back).tolist() == own_factors(expected).tolist()
    for factor in range(back.factor_count):
        table, exact = back.factors[factor].table, expected.factors[factor].table
        for states in np.ndindex(table.shape):
            assert abs(table.potential(states) - exact.potential(states)) < Fraction(1, 10**16)


@given(st.data())
def test_odd_names_are_kept_or_refused(folder: Path, data: st.DataObject) -> None:
    names = st.text(st.sampled_from("aA_9 .,;|/*\\\"'{}()[]<>&=%#-\t\n\r\x00ä漢"), min_size=1)
    first, second, *states = data.draw(st.lists(names, min_size=4, max_size=4, unique=True))
    builder = lg.FactorGraphBuilder()
    builder.add_variables([first, second], states)
    builder.add_factor([first], ["0.5", "0.5"])
    builder.add_factor([second, first], [["0.1", "0.2"], ["0.9", "0.8"]])
    path = folder / f"model{data.draw(st.sampled_from(SUFFIXES))}"
    path.unlink(missing_ok=True)
    try:
        lg.write(builder.build(), path)
    except lg.InputError as error:
        assert "expected names that" in str(error)
        assert any(c in name for name in (first, second, *states) for c in '"\t\n\r\x00 ')
        assert not path.exists()
    else:
        assert lg.read(path) == builder.build()


def test_names_that_are_no_identifiers_are_kept_in_an_attribute(tmp_path: Path) -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(["Sick.alice", "V0", "node"])
    for name in ("Sick.alice", "V0", "node"):
        builder.add_factor([name], ["0.5", "0.5"])
    path = tmp_path / "model.net"
    lg.write(builder.build(), path)
    assert "node V1\n{\n  label = " in path.read_text()
    assert lg.read(path) == builder.build()
    assert "V1 for Sick.alice" in next(format_of(path).losses(builder.build()))


@pytest.mark.parametrize("suffix", [".bif", ".net", ".xmlbif"])
def test_rounded_rows_are_normalised_and_exact_ones_kept(tmp_path: Path, suffix: str) -> None:
    text = NETWORK[suffix].replace("0.5", "0.499", 1).replace("1/2", "0.499", 1)
    table = lg.read_graph(stored(tmp_path, suffix, text)).factors[1].table
    assert table == normalised(lg.Table.of(["0.2", "0.3", "0.499"]), 0)
    assert sum(table.potential([state]) for state in range(3)) == 1


@pytest.mark.parametrize("suffix", [".bif", ".net", ".xmlbif", ".xdsl"])
def test_what_is_no_network_is_refused(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"model{suffix}"
    builder = lg.FactorGraphBuilder()
    builder.add_variables(["A", "B"])
    builder.add_factor(["A", "B"], [[1, 2], [3, 4]])
    with pytest.raises(lg.InputError, match=f"{suffix}: this is not a Bayesian network: .*got 1"):
        lg.write(builder.build(), path)
    builder.add_factor(["A"], [1, 2])
    with pytest.raises(lg.InputError, match="expected a distribution of B"):
        lg.write(builder.build(), path)
    with pytest.raises(lg.InputError, match=r"have no logvars: write model\.ground"):
        lg.write(lg.datasets.epid(2), path)
    assert not path.exists()


@pytest.mark.parametrize("suffix", [".bif", ".net", ".xmlbif", ".xdsl"])
def test_evidence_and_floats_are_noted(tmp_path: Path, suffix: str) -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variable("A", 3)
    builder.add_factor(["A"], [0.1, 0.2, 0.7])
    graph = builder.build().given({"A": "0"})
    path = tmp_path / f"model{suffix}"
    with pytest.raises(lg.InputError, match="files have no evidence"):
        lg.write(graph, path)
    lg.write(graph.observing({}), path)
    notes = " ".join(format_of(path).losses(graph))
    assert "no evidence: it was left out" in notes
    assert "tables of floats" in notes
    exact = [Fraction(value) for value in (0.1, 0.2, 0.7)]
    back = lg.read_graph(path)
    assert back.factors[0].table == normalised(lg.Table.of(exact), 0)
    assert not back.evidence


def test_names_in_quotes_are_noted() -> None:
    notes = []
    for variable, state in (("A/B", "b c"), ("A b", "b"), ("A", "b//c"), ("A/B", ">=7.5")):
        builder = lg.FactorGraphBuilder()
        builder.add_variable(variable, ["a", state])
        builder.add_factor([variable], ["0.5", "0.5"])
        notes.append(" ".join(format_of("x.bif").losses(builder.build())))
    assert all("in quotes, which others may not read" in note for note in notes[:3])
    assert '"b c"' in notes[0]
    assert notes[3] == ""


@pytest.mark.parametrize("name", ["x.uai", "x.fg", "x.bif", "x.blog"])
def test_measured_tables_are_noted_if_a_format_cannot_keep_them(tmp_path: Path, name: str) -> None:
    notes = []
    for values in ([0.5, 0.5], ["0.5", "0.5"]):
        builder = lg.FactorGraphBuilder()
        builder.add_variable("A", ["a", "b"])
        builder.add_factor(["A"], values)
        graph = builder.build()
        model = lg.lift(graph) if name == "x.blog" else graph
        lg.write(model, tmp_path / name)
        assert not any(table.measured for table in lg.read_graph(tmp_path / name).tables)
        notes.append(" ".join(format_of(name).losses(model)))
    assert "tables of floats are read back as exact numbers" in notes[0]
    assert "floats" not in notes[1]


def fg_twin(text: str) -> dict[tuple[Any, ...], Fraction]:
    """The entries of a libDAI file that are not zero: by factor, labels and states."""
    words = iter(text.split())
    entries: dict[tuple[Any, ...], Fraction] = {}
    for factor in range(int(next(words))):
        arity = int(next(words))
        labels = [next(words) for _ in range(arity)]
        sizes = [int(next(words)) for _ in range(arity)]
        for _ in range(int(next(words))):
            index, states = int(next(words)), []
            for size in sizes:
                states.append(index % size)
                index //= size
            entries[(factor, tuple(labels), tuple(states))] = Fraction(next(words))
    return entries


@given(factor_graphs(evidence=False, named=False), st.sampled_from([".fg", ".fg.gz"]))
@settings(max_examples=100)
def test_graphs_read_back_from_libdai(folder: Path, graph: lg.FactorGraph, suffix: str) -> None:
    path = folder / f"model{suffix}"
    lg.write(graph, path)
    back = lg.read_graph(path)
    lonely = [v for v in range(graph.variable_count) if v not in graph.scope.tolist()]
    factors = [factor.parts for factor in graph.factors]
    factors += [((v,), lg.Table.of([1] * len(graph.states(v)))) for v in lonely]
    assert [factor.parts for factor in back.factors] == factors
    assert [back.states(v) for v in range(back.variable_count)] == [
        graph.states(v) for v in range(graph.variable_count)
    ]
    if suffix == ".fg":
        assert fg_twin(path.read_text()) == {
            (factor, tuple(map(str, scope)), states): table.potential(states)
            for factor, (scope, table) in enumerate(factors)
            for states in np.ndindex(table.shape)
            if table.potential(states)
        }
    lg.write(back, path)
    assert lg.read(path) == back


def test_labels_of_libdai_are_names_in_their_order(tmp_path: Path) -> None:
    text = "# two factors\n2\n\n2\n7 3\n2 3\n3\n0 1\n1 2\n5 .5\n\n1\n3\n3\n1\n2 4\n"
    path = stored(tmp_path, ".fg", text)
    graph = lg.read_graph(path)
    assert graph.names == ("3", "7")
    assert graph.factors[0].parts == ((1, 0), lg.Table.of([[1, 0, 0], [2, 0, "0.5"]]))
    assert graph.factors[1].parts == ((0,), lg.Table.of([0, 0, 4]))
    lg.write(graph, path)
    assert lg.read(path) == graph
    assert list(format_of(path).losses(graph)) == []


def test_what_libdai_cannot_keep_is_noted(tmp_path: Path) -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(["A", "B"])
    builder.add_factor(["A"], ["1/3", 1])
    graph = builder.build().given({"A": "true"})
    notes = " ".join(format_of("x.fg").losses(graph))
    for word in ("labelled by their index", "names of states", "factor of ones: B", "evidence"):
        assert word in notes
    lg.write(graph.observing({}), tmp_path / "x.FG", rounded=True)
    back = lg.read_graph(tmp_path / "x.FG")
    assert back.partition(exact=True).z == 2 * (1 + Fraction("0.33333333333333333"))


def test_a_potential_of_net_without_data_is_uniform(tmp_path: Path) -> None:
    text = """net { } node A { states = ("a" "b"); } node C { states = ("c" "d" "e"); }
        potential ( C | A ) { } potential ( A ) { data = (0.5 0.5); }"""
    graph = lg.read_graph(stored(tmp_path, ".net", text))
    assert graph.factors[0].parts == ((1, 0), lg.Table.of([["1/3"] * 2] * 3))


@pytest.mark.parametrize("names", [["A"], ["2147483647"], ["2", "10", "9"], ["7", "x"], ["007"]])
def test_names_that_are_no_increasing_labels_are_not_written(
    tmp_path: Path, names: list[str]
) -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(names)
    builder.add_factor(names, range(1, 1 + 2 ** len(names)))
    graph = builder.build()
    lg.write(graph, tmp_path / "x.fg")
    back = lg.read_graph(tmp_path / "x.fg")
    assert back.names == tuple(map(str, range(len(names))))
    assert back.factors[0].parts == graph.factors[0].parts


def test_a_libdai_file_that_ends_anywhere_before_its_end_is_refused(tmp_path: Path) -> None:
    words = [*map(str, (2, 2, 0, 1, 2, 3, 2, 0, 1, 5, 7, 1, 1, 3, 2, 0, 4, 2, 9))]
    whole = lg.read_graph(stored(tmp_path, ".fg", " ".join(words)))
    assert whole.factors[1].parts == ((1,), lg.Table.of([4, 0, 9]))
    for count in range(len(words)):
        with pytest.raises(lg.ParseError):
            lg.read(stored(tmp_path, ".fg", " ".join(words[:count])))


@pytest.mark.parametrize(
    ("suffix", "name"),
    [(".net", 'a\\b"c\\\\'), (".net", "\\"), (".bif", "a\\b"), (".bif", "\\\\ ")],
)
def test_backslashes_come_back(tmp_path: Path, suffix: str, name: str) -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variable(name, ["x\\y", "z"])
    builder.add_factor([name], ["0.5", "0.5"])
    lg.write(builder.build(), tmp_path / f"x{suffix}")
    assert lg.read(tmp_path / f"x{suffix}") == builder.build()


def test_words_of_net_are_no_identifiers(tmp_path: Path) -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(["potential", "node"])
    builder.add_factor(["potential"], ["0.5", "0.5"])
    builder.add_factor(["node", "potential"], ["0.5"] * 4)
    lg.write(builder.build(), tmp_path / "x.net")
    text = (tmp_path / "x.net").read_text()
    assert "node V0" in text
    assert "potential ( V1 | V0 )" in text
    assert lg.read(tmp_path / "x.net") == builder.build()


def test_an_expression_beside_data_is_passed_over(tmp_path: Path) -> None:
    changed = NETWORK[".net"].replace("data = (0.25", "model_data = (NoisyOR (A)); data = (0.25")
    assert lg.read(stored(tmp_path, ".net", changed)) == expected_network()


def test_the_name_of_a_network_may_come_last(tmp_path: Path) -> None:
    name = "<NAME>the network</NAME>"
    changed = NETWORK[".xmlbif"].replace(name, "").replace("</NETWORK>", f"{name}</NETWORK>")
    assert lg.read(stored(tmp_path, ".xmlbif", changed)) == expected_network()


def test_the_first_wrong_row_is_named_not_one_that_was_rounded(tmp_path: Path) -> None:
    text = """net { } node A { states = ("a" "b"); } node C { states = ("c" "d"); }
potential ( A ) { data = (0.5 0.5); }
potential ( C | A ) { data = ((0.333 0.666)
(0.5 0.6)); }"""
    with pytest.raises(lg.ParseError, match=r":4:2: expected .* got a sum of 11/10"):
        lg.read(stored(tmp_path, ".net", text))


def test_tables_that_are_not_listed_have_a_limit(tmp_path: Path) -> None:
    names = [f"V{index}" for index in range(25)]
    lines = [f'node {name} {{ states = ("a" "b"); }}' for name in names]
    lines += [f"potential ( V0 | {' '.join(names[1:])} ) {{ }}", "potential ( V1 ) { }"]
    with pytest.raises(lg.MemoryLimitError, match=r"the distribution of V0 has 33,554,432 entries"):
        lg.read(stored(tmp_path, ".net", "\n".join(["net { }", *lines])), memory_limit=10**9)


HUGIN = """net { node_size = (80 40); HR_Compile_AutoNormal = "1"; }
node A(m1) { states = ("yes" "no"); }
node B { states = ("yes" "no"); }
potential (A(m1)) { data = (990.0 10.0); }
potential (B | A(m1)) {
    data = ((1 1)
            (30 10)); }
"""


def counted_network(first: list[Any]) -> lg.FactorGraph:
    builder = lg.FactorGraphBuilder()
    builder.add_variable("A(m1)", ["yes", "no"])
    builder.add_variable("B", ["yes", "no"])
    builder.add_factor(["A(m1)"], first)
    builder.add_factor(["B", "A(m1)"], [["0.5", "0.75"], ["0.5", "0.25"]])
    return builder.build()


def test_counts_in_files_of_hugin_are_normalised_with_a_note(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = stored(tmp_path, ".net", HUGIN)
    note = (
        r"model.net:4:29: expected probabilities that sum to 1, got a sum of 1000: 2 tables like"
        " this divided by the sums, as HUGIN does"
    )
    with pytest.warns(lg.InputWarning, match=note):
        assert lg.read(path) == counted_network(["0.99", "0.01"])
    assert main(["query", str(path), "A(m1)", "--json"]) == 0
    assert note in capsys.readouterr().err


def test_counts_of_unknown_writers_are_refused_unless_they_are_to_be_repaired(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = stored(tmp_path, ".net", HUGIN.replace("HR_", "XX_"))
    with pytest.raises(lg.ParseError, match=r"4:29: .* a sum of 1000; repair=True .* --repair"):
        lg.read(path)
    with pytest.warns(lg.InputWarning, match=r"4:29: .*2 tables like this divided by the sums$"):
        assert lg.read(path, repair=True) == counted_network(["0.99", "0.01"])
    assert main(["info", str(path)]) == 2
    assert "--repair" in capsys.readouterr().err
    assert main(["info", str(path), "--repair"]) == 0
    assert "liftgraph: note: " in capsys.readouterr().err


ROWS = {  # files with a row of P(A) in their format
    ".net": "net {{ }} node A {{ states = (a b); }} potential (A) {{ data = ({} {}); }}",
    ".bif": "network x {{ }} variable A {{ type discrete [2] {{ a, b }}; }}"
    " probability (A) {{ table {}, {}; }}",
    ".xml": "<BIF><NETWORK><VARIABLE><NAME>A</NAME><OUTCOME>a</OUTCOME><OUTCOME>b</OUTCOME>"
    "</VARIABLE><DEFINITION><FOR>A</FOR><TABLE>{} {}</TABLE></DEFINITION></NETWORK></BIF>",
    ".xdsl": '<smile><nodes><cpt id="A"><state id="a"/><state id="b"/>'
    "<probabilities>{} {}</probabilities></cpt></nodes></smile>",
    ".dne": "bnet x {{ node A {{ states = (a, b); parents = (); probs = ({}, {}); }}; }};",
    ".dsl": "net x {{ node A {{ TYPE = CPT; DEFINITION = {{ NAMESTATES = (a, b);"
    " PROBABILITIES = ({}, {}); }}; }}; }};",
    ".dsc": "belief network x node A {{ type : discrete [2] = {{ a, b }}; }}"
    " probability (A) {{ {}, {}; }}",
    ".erg": "1 2 0 /* Probabilities */ 2 {} {} /* Names */ A /* Labels */ a b",
}


@pytest.mark.parametrize("suffix", ROWS)
def test_negative_numbers_that_rounding_left_are_refused_or_taken_as_zero(
    tmp_path: Path, suffix: str
) -> None:
    path = stored(tmp_path, suffix, ROWS[suffix].format("-1.19E-7", "1.0000001"))
    with pytest.raises(lg.ParseError, match=r"got '-1.19E-7'; repair=True .* --repair.* as 0"):
        lg.read(path)
    with pytest.warns(lg.InputWarning, match=r"got -1.19E-7: 1 negative number like this taken"):
        graph = lg.read_graph(path, repair=True)
    assert graph.factors[0].parts[1] == lg.Table.of([0, 1])
    for first, second in (("-0.02", "1.02"), ("-1e-400000000", "1"), ("-x", "1"), ("0", "0")):
        with pytest.raises(lg.ParseError):
            lg.read(stored(tmp_path, suffix, ROWS[suffix].format(first, second)), repair=True)


@given(
    st.sampled_from([*ROWS]),
    st.lists(st.integers(0, 10**6), min_size=2, max_size=2).filter(any),
)
def test_repaired_rows_are_divided_by_their_sums(folder: Path, suffix: str, row: list[int]) -> None:
    path = stored(folder, suffix, ROWS[suffix].format(*row))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lg.InputWarning)
        read = lg.read_graph(path, repair=True).factors[0].parts[1]
    shares = [read.potential((state,)) for state in range(2)]
    assert sum(shares) == 1
    assert abs(shares[0] - Fraction(row[0], sum(row))) < Fraction(1, 10**29)


def test_only_files_of_networks_are_repaired(tmp_path: Path) -> None:
    path = tmp_path / "model.uai"
    lg.write(expected_network(), path)
    with pytest.raises(lg.InputError, match="file of a Bayesian network to repair, got a UAI file"):
        lg.read(path, repair=True)


@pytest.mark.parametrize("suffix", [".xmlbif", ".xdsl"])
@pytest.mark.parametrize("before", [" ", "\n\n  ", "\r\n\t", "\ufeff\n"])
def test_white_space_before_an_xml_declaration_is_passed(
    tmp_path: Path, suffix: str, before: str
) -> None:
    declaration = '<?xml version="1.0" encoding="UTF-8"?>'
    row = ROWS[".xml" if suffix == ".xmlbif" else suffix]
    plain = stored(tmp_path, suffix, row.format(0.25, 0.75))
    expected = lg.read(plain)
    assert (
        lg.read(stored(tmp_path, suffix, before + declaration + row.format(0.25, 0.75))) == expected
    )
    lines = before.count("\n")
    column = len((before + declaration).rpartition("\n")[2]) + 1
    for text, at in ((row.format(0.25, 0.5), row.index("{}")), ("<BIF><", 6), ("<smile>\n<", 0)):
        path = stored(tmp_path, suffix, before + declaration + text)
        with pytest.raises(lg.ParseError) as caught:
            lg.read(path)
        if at and "{" in row[at:] and text == row.format(0.25, 0.5):
            assert (caught.value.line, caught.value.column) == (lines + 1, column + at)
        assert caught.value.line is not None
        assert caught.value.line >= lines + 1
