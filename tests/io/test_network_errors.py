"""Malformed files of networks and graphs: errors name line and column."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import liftgraph as lg
from tests.io.test_network_formats import NETWORK, stored

FG = "2\n\n2\n0 1\n2 3\n3\n0 1\n1 0.2\n5 1/3\n\n1\n1\n3\n1\n2 4e-1\n"
XDSL = """<smile version="1.0" id="x"><nodes>
<cpt id="A"><state id="a" /><state id="b" /><probabilities>0.5 0.5</probabilities></cpt>
<deterministic id="C"><state id="c" /><state id="d" /><parents>A</parents>
 <resultingstates>d c</resultingstates></deterministic>
<noisymax id="D"><state id="e" /><state id="f" /><parents>A C</parents>
 <strengths>0 1 1 0</strengths>
 <parameters>0.9 0.1 0 1
  0.3 0.7 0 1 0.1 0.9</parameters></noisymax>
</nodes><extensions><genie><node id="A"><name>a</name></node></genie></extensions></smile>
"""
VALID = {**NETWORK, ".fg": FG, ".xdsl": XDSL}

BIF = """network x { }
variable A { type discrete [ 2 ] { a, b }; }
variable C { type discrete [ 2 ] { c, d }; }
probability ( A ) { table 0.5, 0.5; }
probability ( C | A ) {
  (a) 0.1, 0.9;
  (b) 0.2, 0.8;
}
"""
NET = """net { }
node A { states = ("a" "b"); }
node C { states = ("c" "d"); }
potential ( A ) { data = (0.5 0.5); }
potential ( C | A ) {
  data = ((0.1 0.9)
          (0.2 0.8));
}
"""
XML = """<BIF><NETWORK>
<VARIABLE><NAME>A</NAME><OUTCOME>a</OUTCOME><OUTCOME>b</OUTCOME></VARIABLE>
<VARIABLE><NAME>C</NAME><OUTCOME>c</OUTCOME><OUTCOME>d</OUTCOME></VARIABLE>
<DEFINITION><FOR>A</FOR><TABLE>0.5 0.5</TABLE></DEFINITION>
<DEFINITION><FOR>C</FOR><GIVEN>A</GIVEN><TABLE>
 0.1 0.9
 0.2 0.8
</TABLE></DEFINITION>
</NETWORK></BIF>
"""
WRONG: list[tuple[str, str, str, str, str]] = [
    (".bif", "network x", "netwerk x", "1:1", "expected network, got netwerk"),
    (".bif", "variable C {", "variable {", "3:10", "expected the name of a variable, got {"),
    (".bif", "variable C", "variable A", "3:10", "expected a new variable, got A again"),
    (".bif", "discrete [ 2 ] { a", "continuous [ 2 ] { a", "2:19", "expected discrete, got conti"),
    (".bif", "[ 2 ] { a,", "[ 3 ] { a,", "2:30", "expected 3 states, got 2"),
    (".bif", "[ 2 ] { a,", "[\n3 ] { a,", "3:1", "expected 3 states, got 2"),
    (".bif", "[ 2 ] { a,", "[ two ] { a,", "2:30", "expected the number of states, got two"),
    (".bif", "{ c, d }", "{ c, c }", "3:10", "C: expected 1 to .* distinct states"),
    (".bif", "( A ) {", "( B ) {", "4:15", "expected a variable of the network, got B"),
    (".bif", "( C | A )", "( C | C )", "5:19", "expected distinct variables, got C again"),
    (".bif", "( C | A )", "( A | C )", "5:15", "expected one distribution of A, got another"),
    (".bif", "( A ) { table", "( A C ) { table", "4:15", "expected no cycle of parents, got A → C"),
    (".bif", "0.5, 0.5", "0.5, 0.25, 0.25", "4:15", "expected 2 numbers, got 3"),
    (".bif", "0.5, 0.5", "0.5, half", "4:32", "expected a non-negative number, got 'half'"),
    (".bif", "0.5, 0.5", "0.5, ½", "4:32", "expected a non-negative number, got '½'"),
    (".bif", "0.5, 0.5", "0.5, -0.5", "4:32", "expected a non-negative number, got '-0.5'"),
    (".bif", "0.5, 0.5", "0.5, 0.4", "4:27", "expected probabilities that sum to 1, got .*9/10"),
    (".bif", "(b) 0.2, 0.8", "(b) 0.2, 0.7", "7:7", "sum to 1, got a sum of 9/10"),
    (".bif", "(b) 0.2, 0.8", "(b) 0.2", "7:3", "expected 2 numbers, got 1"),
    (".bif", "(b)", "(e)", "7:4", "expected one of a, b, got e"),
    (".bif", "(a)", "(ab, a)", "6:3", "expected states of 1 parents, got 2"),
    (".bif", "(b)", '("a"\n)', "7:3", "expected each combination of states once"),
    (".bif", "(b)", "(a)", "7:3", "expected each combination of states once"),
    (".bif", "(b)", "(b, a)", "7:3", "expected states of 1 parents, got 2"),
    (".bif", "  (b) 0.2, 0.8;\n", "", "5:15", r"expected probabilities for \(b\), got none"),
    (".bif", "0.1, 0.9;", "0.1, 0.9", "7:3", r"expected ;, got \("),
    (".bif", "  (b) 0.2, 0.8;\n}", "", "6:16", "expected .*property, got the end of the file"),
    (".bif", "  (a)", "  table 0.1, 0.2, 0.9, 0.8; (a)", "5:15", "either a table or rows"),
    (".bif", "table 0.5, 0.5;", "table 0.5, 0.5; table 1, 0;", "4:37", "one table, got another"),
    (".bif", "table 0.5, 0.5;", "table 0.5, 0.5; default 1, 0;", "4:15", "either a table or rows"),
    (".bif", "(b)", "/* (b)", "7:3", r"expected \*/ behind this comment"),
    (".bif", "(b)", '"(b)', "7:3", "expected .* got '\"'"),
    (".bif", "(b)", "\x00(b)", "7:3", r"expected .* got '\\x00'"),
    (".bif", "probability ( A ) { table 0.5, 0.5; }\n", "", "2:10", "distribution of A, got none"),
    (".net", "net { }", "class x { }", "2:1", "one class and the end of the file, got node"),
    (".net", "node C", "instance C", "3:1", "expected a network of discrete nodes, got instance"),
    (".net", "node C", "decision C", "3:1", "expected a network of discrete nodes, got decision"),
    (".net", "node C", "continuous node C", "3:1", "discrete nodes, got continuous"),
    (".net", "node C", "node A", "3:6", "expected a new node, got A again"),
    (".net", 'states = ("c" "d");', "", "3:6", "expected states of C, got none"),
    (".net", "C | A )", "C A )", "5:15", r"expected one variable and then \| or \), got A"),
    (".net", "(0.1 0.9)", "(0.1 0.8 0.1)", "6:10", "expected 4 numbers, got 5"),
    (".net", "(0.1 0.9)\n          (0.2", "(0.1)\n(0.9 0.2", "6:15", "2 numbers in"),
    (".net", "(0.1 0.9)", "((0.1 0.9))", "6:12", "expected at most 2 parentheses"),
    (".net", "0.8));", "0.8);", "7:20", r"expected \), got ;"),
    (".net", "0.8));", "0.8)));", "7:21", r"expected ;, got \)"),
    (".net", "(0.5 0.5)", "0.5 0.5", "4:26", r"expected \(, got a number"),
    (".net", "data = (0.5 0.5)", "model_data = (Noise)", "4:19", "data, got an expression"),
    (".net", "( A ) {", "( B ) {", "4:13", "expected a node, got B"),
    (".net", "(0.2 0.8)", "(0.2 0.9)", "7:12", "got a sum of 11/10"),
    (".net", "{ data", "{ data = (1 0); data", "4:33", "expected one data, got another"),
    (".net", "potential ( A ) { data = (0.5 0.5); }\n", "", "2:6", "distribution of A, got none"),
    (".xml", "<BIF>", "<html>", "1:1", "expected BIF in the file, got html"),
    (".xml", "<NAME>A", "<NAME>A<b/>", "2:18", "expected no element in NAME, got b"),
    (".xml", "<NAME>C", "<NAME>A", "3:17", "expected a new variable, got A again"),
    (".xml", "<NAME>C</NAME>", "<NAME> </NAME>", "3:18", "expected a name in NAME, got none"),
    (".xml", "<NAME>C</NAME>", "", "3:1", "expected one NAME, got 0"),
    (".xml", "<VARIABLE><NAME>C", '<VARIABLE TYPE="utility"><NAME>C', "3:1", "nature, got utility"),
    (".xml", "<FOR>C", "<FOR>D", "5:18", "expected a variable of the network, got D"),
    (".xml", "<TABLE>0.5 0.5</TABLE>", "", "4:1", "expected a TABLE, got none"),
    (".xml", " 0.1 0.9\n", " 0.1\n", "5:41", "expected 4 numbers, got 3"),
    (".xml", " 0.1 0.9\n", " 0.1 0&#46;9\n", "6:7", "expected plain numbers in UTF-8, got ."),
    (".xml", " 0.2 0.8", " 0.2 0.9", "7:2", "got a sum of 11/10"),
    (".xml", " 0.2 0.8", " 0.2 x", "7:6", "expected a non-negative number, got 'x'"),
    (".xml", "</NETWORK></BIF>", "", "10:1", "expected XML, got no element found"),
    (".xml", "<BIF>", '<!DOCTYPE BIF [<!ENTITY a "b">]><BIF>', "1:", "no declared entities"),
    (".xml", "<BIF>", '<?xml version="1.0" encoding="no"?><BIF>', "1:", "expected XML"),
    (".xml", "<NAME>A", '<NAME>&nbsp;A', "2:17", "expected XML, got undefined entity"),
    (".xdsl", "<smile", "<simile", "1:1", "expected smile in the file, got simile"),
    (".xdsl", "<nodes>\n", "<dynamic/><nodes>", "1:29", "without time slices, got a dynamic one"),
    (".xdsl", '<cpt id="A"', '<cpt id="A" dynamic="plate"', "2:1", "without time slices"),
    (".xdsl", '<cpt id="A"', '<decision id="B"/><cpt id="A"', "2:1", "node, got decision B"),
    (".xdsl", '<cpt id="A"', '<utility id="U"/><cpt id="A"', "2:1", "node, got utility U"),
    (".xdsl", '<cpt id="A"', '<equation/><cpt id="A"', "2:1", "noisymax node, got equation$"),
    (".xdsl", "noisymax", "noisyadder", "5:1", "noisymax node, got noisyadder D"),
    (".xdsl", '<cpt id="A"', "<cpt", "2:1", "expected an id of this cpt, got none"),
    (".xdsl", '<state id="b" />', "<state />", "2:29", "expected an id of this state, got none"),
    (".xdsl", '<state id="b" />', '<state id="a" />', "2:1", "A: expected 1 to .* distinct states"),
    (".xdsl", '<state id="b" />', "<ends/>", "2:29", "expected state or .* in cpt, got ends"),
    (".xdsl", 'id="C"', 'id="A"', "3:1", "expected a new node, got A again"),
    (".xdsl", "<parents>A<", "<parents>B<", "3:64", "expected a node of the network, got B"),
    (".xdsl", "<parents>A C<", "<parents>A\nB<", "6:1", "expected a node of the network, got B"),
    (".xdsl", "<parents>A C<", "<parents>A A<", "5:61", "distinct variables, got A again"),
    (".xdsl", "<parents>A<", "<parents>D<", "5:1", "expected no cycle of parents, got D → C → D"),
    (".xdsl", "0.5 0.5", "0.5 0.25 0.25", "2:45", "expected 2 numbers, got 3"),
    (".xdsl", "0.5 0.5", "0.5 0.4", "2:60", "expected probabilities that sum to 1, got .*9/10"),
    (".xdsl", "0.5 0.5", "0.5 &#48;.5", "2:64", "expected plain numbers in UTF-8, got 0"),
    (".xdsl", "<probabilities>0.5 0.5</probabilities>", "", "2:1", "probabilities of A, got none"),
    (".xdsl", "</probabilities>", "</probabilities><probabilities/>", "2:83", "got another"),
    (".xdsl", "d c<", "d<", "3:1", "expected 2 resulting states of C, got 1"),
    (".xdsl", "d c<", "d x<", "4:21", "expected a state of C, got x"),
    (".xdsl", "1 0<", "1 1<", "6:17", "the numbers of 2 states in some order, got 1 1"),
    (".xdsl", "1 0<", "1 0.0<", "6:17", "the numbers of 2 states in some order, got 1 0.0"),
    (".xdsl", "0 1 1 0<", "0 1 1<", "6:2", "expected 4 numbers, got 3"),
    (".xdsl", "0.3 0.7", "0.3", "7:2", "expected 10 numbers, got 9"),
    (".xdsl", "0.3 0.7", "0.3 0.8", "8:3", "sum to 1, got a sum of 11/10"),
    (".xdsl", "0.7 0 1", "0.7 1 0", "8:11", "the last state of D only, in the weakest of a"),
    (".xdsl", " <strengths>0 1 1 0</strengths>\n", "", "5:1", "expected strengths of D, got none"),
    (".xdsl", "</nodes>", "</nodes><nodes/>", "9:9", "expected nodes once, got them again"),
    (".xdsl", "</nodes>", "words</nodes>", "9:1", "expected elements in nodes, got words"),
    (".xdsl", "</smile>", "", "10:1", "expected XML, got no element found"),
    (".xdsl", "<smile", '<!DOCTYPE a [<!ENTITY a "b">]><smile', "1:", "no declared entities"),
    (".fg", "2\n\n2\n", "3\n\n2\n", "15:7", "variables of factor 2 .*, got the end of the file"),
    (".fg", "2\n\n2\n", "1\n\n2\n", "11:1", "expected the end of the file, got 1"),
    (".fg", "0 1\n2 3", "0 0\n2 3", "4:3", "expected a new label of factor 0, got 0"),
    (".fg", "0 1\n2 3", "0 1\n2 0", "5:3", "expected some states of variable 1, got 0"),
    (".fg", "1\n1\n3\n", "1\n1\n4\n", "13:1", "expected 3 states of variable 1, got 4"),
    (".fg", "5 1/3", "6 1/3", "9:1", "expected a new index of factor 0 below 6, got 6"),
    (".fg", "5 1/3", "0 1/3", "9:1", "expected a new index of factor 0 below 6, got 0"),
    (".fg", "5 1/3", "5 nan", "9:3", "expected a non-negative number, got 'nan'"),
    (".fg", "2\n\n2\n", "domain People 4 {}\n", "1:1", "a libDAI graph, got a Forclift model"),
    (".fg", "2\n\n2\n", "// sick\n\n predicate ill(P)\n", "3:1", "got a Forclift model"),
]  # fmt: skip
BASE = {".bif": BIF, ".net": NET, ".xml": XML, ".xdsl": XDSL, ".fg": FG}


@pytest.mark.parametrize(("suffix", "old", "new", "place", "problem"), WRONG)
def test_errors_name_line_column_and_problem(
    tmp_path: Path, suffix: str, old: str, new: str, place: str, problem: str
) -> None:
    lg.read(stored(tmp_path, suffix, BASE[suffix]))
    assert old in BASE[suffix]
    path = stored(tmp_path, suffix, BASE[suffix].replace(old, new, 1))
    with pytest.raises(lg.ParseError, match=problem) as caught:
        lg.read(path)
    assert f"{path}:{place}" in f"{caught.value}"


def test_an_unknown_state_is_found_behind_names_it_is_part_of(tmp_path: Path) -> None:
    text = BIF.replace("probability ( C | A )", "probability ( C | A, Bab )").replace(
        "(a)", "(a, q)"
    )
    parent = (
        'variable Bab { type discrete [ 2 ] { "a b", q }; }\nprobability ( Bab ) { table 1, 0; }\n'
    )
    for row, column in (("(b, b)", 7), ('( b , "b" )', 9), ('("b","a")', 8)):
        path = stored(tmp_path, ".bif", text.replace("(b)", row) + parent)
        with pytest.raises(lg.ParseError, match="expected one of a b, q, got") as caught:
            lg.read(path)
        assert (caught.value.line, caught.value.column) == (7, column)


@pytest.mark.parametrize("suffix", VALID)
def test_bytes_that_are_no_text_are_refused(tmp_path: Path, suffix: str) -> None:
    for content in (
        b"",
        b"\x00",
        b"\xff\xfe",
        b"network \xe9 {",
        gzip.compress(b"x"),
        b"\x80" * 99,
    ):
        path = tmp_path / f"model{suffix}"
        path.write_bytes(content)
        with pytest.raises(lg.ParseError):
            lg.read(path)
    path = tmp_path / f"model{suffix}.gz"
    path.write_bytes(gzip.compress(VALID[suffix].encode())[:-9])
    with pytest.raises(lg.ParseError, match="expected gzipped data"):
        lg.read(path)


def test_columns_count_letters_not_bytes(tmp_path: Path) -> None:
    text = BIF.replace("(b) 0.2,", '/* ä漢 */ (b) "ä漢",')
    with pytest.raises(lg.ParseError, match=r":7:16: expected ;, got "):
        lg.read(stored(tmp_path, ".bif", text))
    latin = BIF.replace("variable C", "/*é*/ variable C").encode("latin-1")
    path = tmp_path / "latin.bif"
    path.write_bytes(latin)
    with pytest.raises(lg.ParseError, match=r":3:3: expected UTF-8, got 0xe9"):
        lg.read(path)


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        (".fg", "1\n30\n" + " ".join(map(str, range(30))) + "\n" + "9 " * 30 + "\n0\n"),
        (".fg", "999999999\n"),
        (".fg", "1\n1\n0\n1048576\n99999999\n"),
        (".fg", "1\n1\n99999999999999999999\n2\n0\n"),
        (".bif", "network x {}" + "variable A { type discrete [ 999999999 ] { a }; }"),
        (".bif", "network x { property " + "(" * 10**5),
        (".net", "net { a = " + "(" * 10**5),
        (".net", NET.replace("((0.1", "(" * 10**5 + "0.1")),
        (".xml", "<BIF><NETWORK>" + "<PROPERTY>" * 10**5),
        (".xdsl", "<smile><nodes/><extensions>" + "<a>" * 10**5),
        (".xml", "<BIF><NETWORK><NAME>" + "a\n" * 10**5),
        (".bif", 'network x {} "' * 10**4),
        (".bif", "/*" * 10**5),
        (".net", '"' * 10**5),
        (".net", '%\n"' + '\\"' * 10**5),
    ],
)
def test_huge_counts_and_deep_nesting_are_refused(tmp_path: Path, suffix: str, text: str) -> None:
    with pytest.raises((lg.ParseError, lg.MemoryLimitError)):
        lg.read(stored(tmp_path, suffix, text))


def test_errors_quote_little_of_the_file(tmp_path: Path) -> None:
    long = "x" * 5000
    dtd = f'<!DOCTYPE BIF [<!ATTLIST BIF a CDATA "{long}">]>'
    for suffix, text in (
        (".xml", f'<?xml version="1.0" encoding="{long}"?><BIF/>'),
        (".xml", f"{dtd}<BIF><NETWORK/></BIF>"),
        (".bif", f"network x {{}} variable {long} {{ }}"),
        (".net", f"net {{ {long} = 1; {long} = 1; }}"),
        (".blog", f"type {long}; type {long};"),
        (".blog", f"type {long}; guaranteed {long} [9]; guaranteed {long} [9];"),
        (".json", f'{{"format": "{long}"}}'),
        (".json", f'{{"format": "liftgraph factor graph", "{long}": 1}}'),
        (".json", f'{{"format": "x", "{long}": 1, "{long}": 1}}'),
    ):
        path = stored(tmp_path, suffix, text)
        with pytest.raises(lg.ParseError) as error:
            lg.read(path)
        assert len(error.value.problem) < 250


def test_tables_that_few_words_describe_have_a_limit(tmp_path: Path) -> None:
    names = [f"V{index}" for index in range(30)]
    lines = [f"variable {name} {{ type discrete [ 2 ] {{ a, b }}; }}" for name in names]
    lines += [f"probability ( {name} ) {{ table 0.5, 0.5; }}" for name in names[1:]]
    lines += [f"probability ( V0 | {', '.join(names[1:])} ) {{ default 0.5, 0.5; }}"]
    text = "\n".join(["network x { }", *lines])
    with pytest.raises(lg.MemoryLimitError, match=r"distribution of V0 has 1,073,741,824 entries"):
        lg.read(stored(tmp_path, ".bif", text))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@st.composite
def damaged(draw: st.DrawFn) -> tuple[str, bytes]:
    """A file that was valid, with a few of its bytes cut, doubled, exchanged or overwritten."""
    suffix = draw(st.sampled_from([*VALID]))
    content = VALID[suffix].strip().encode()
    for _ in range(draw(st.integers(1, 3))):
        start, end = sorted(draw(st.tuples(*[st.integers(0, len(content))] * 2)))
        end = min(end, start + draw(st.sampled_from([0, 1, 2, 20, 1000])))
        odd = st.sampled_from([b"", b"{", b"}", b"(", b")", b";", b'"', b"<", b">", b"&", b"\x00",
                               b"\xe9", b"|", b"=", b"9", b"-1", b"99999999999", b"1e999", b"/*",
                               b"%", b"#", b"\r", b"nan", b"\\", b"\xc3\xa4", b"<!--", b"]]>",
                               content[start:end] * 2])  # fmt: skip
        content = content[:start] + draw(odd | st.binary(max_size=3)) + content[end:]
    return suffix, content


@given(damaged())
@example((".xmlbif", b"<BIF><NETWORK><NAME>"))
def test_damaged_files_are_read_or_refused(folder: Path, damaged_file: tuple[str, bytes]) -> None:
    suffix, content = damaged_file
    path = folder / f"model{suffix}"
    path.write_bytes(content)
    try:
        graph = lg.read_graph(path)
    except lg.ParseError as error:
        assert error.problem
        assert error.line is None or error.line >= 1
    else:
        assert graph.factor_count >= 0
        if suffix != ".fg":
            lg.write(graph, path.with_name("again.bif.gz"))
