"""UAI models against a naive reader, round trips, and everything malformed."""

from __future__ import annotations

import gzip
import pickle
from decimal import Context, Inexact, localcontext
from fractions import Fraction
from math import prod
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.exact import numeral, parse_rational
from liftgraph.io import decimal_tables, numerals, spelling, uai
from liftgraph.io.number_text import tokenise
from liftgraph.io.spelling import needs_fractions
from tests.strategies import factor_graphs, potentials


def naive_read(text: str) -> tuple[list[int], list[tuple[list[int], list[Fraction]]]]:
    """The numbers of states, and the scope and values of each factor, one token at a time."""
    lines = [line.split("#")[0] for line in text.split("\n")]
    tokens = iter(" ".join(lines).split())
    assert next(tokens) in ("MARKOV", "BAYES")
    sizes = [int(next(tokens)) for _ in range(int(next(tokens)))]
    scopes = [
        [int(next(tokens)) for _ in range(int(next(tokens)))] for _ in range(int(next(tokens)))
    ]
    factors = []
    for scope in scopes:
        assert int(next(tokens)) == prod(sizes[variable] for variable in scope)
        count = prod(sizes[variable] for variable in scope)
        factors.append((scope, [parse_rational(next(tokens)) for _ in range(count)]))
    assert next(tokens, None) is None
    return sizes, factors


def same(
    graph: lg.FactorGraph, sizes: list[int], factors: list[tuple[list[int], list[Fraction]]]
) -> bool:
    read_factors = [factor.parts for factor in graph.factors]
    return graph.cardinalities.tolist() == sizes and factors == [
        (list(scope), [int(entry) * table.scale for entry in table.integers.ravel()])
        for scope, table in read_factors
    ]


DISTRIBUTIONS = {1: ["1.00"], 2: ["25e-2", ".75"], 3: ["1/3", "0.333", "0.334"]}


@st.composite
def uai_texts(draw: st.DrawFn) -> str:
    """Valid models with free white space, comments and numbers in every spelling."""
    sizes = draw(st.lists(st.integers(1, 3), max_size=5))
    scopes = draw(
        st.lists(st.lists(st.integers(0, len(sizes) - 1), unique=True, max_size=3), max_size=4)
        if sizes
        else st.just([])
    )
    kind = draw(st.sampled_from(["MARKOV", "BAYES"]))
    tokens = [kind, str(len(sizes)), *map(str, sizes)]
    tokens.append(str(len(scopes)))
    for scope in scopes:
        tokens += [str(len(scope)), *map(str, scope)]
    for scope in scopes:
        count = prod(sizes[variable] for variable in scope)
        tokens.append(str(count))
        if kind == "MARKOV" or not scope:
            tokens += [str(draw(potentials())) for _ in range(count)]
        else:
            size = sizes[scope[-1]]
            for _ in range(count // size):
                tokens += draw(st.permutations(DISTRIBUTIONS[size]))
    gaps = st.sampled_from([" ", "\n", "\t", "\r\n", "  \n ", " # 1 2 # 3\n", "\n#\n"])
    return "".join(token + draw(gaps) for token in tokens)


@given(uai_texts())
def test_reading_equals_the_naive_reader(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    path = tmp_path_factory.mktemp("uai") / "model.uai"
    path.write_bytes(text.encode())
    graph = uai.read(path)
    assert same(graph, *naive_read(text))
    assert pickle.loads(pickle.dumps(graph)) == graph
    assert list(graph.tables) == graph.tables[:]


@given(factor_graphs(evidence=False, named=False), st.sampled_from(["m.uai", "m.uai.gz"]))
def test_what_is_written_reads_back_equal(
    tmp_path_factory: pytest.TempPathFactory, graph: lg.FactorGraph, name: str
) -> None:
    path = tmp_path_factory.mktemp("uai") / name
    lg.write(graph, path)
    assert lg.read(path) == graph


@given(
    st.lists(
        st.sampled_from(["1", "1.0", "0.50", ".5", "1/2", "2e0", "2", "20e-1", "1/3"]), max_size=40
    )
)
def test_tables_equal_under_other_spellings_are_one(
    tmp_path_factory: pytest.TempPathFactory, spellings: list[str]
) -> None:
    path = tmp_path_factory.mktemp("uai") / "model.uai"
    count = len(spellings)
    path.write_text(
        f"MARKOV 0 {count} {'0 ' * count} {' '.join('1 ' + text for text in spellings)}"
    )
    graph = uai.read(path)
    assert len(graph.tables) == len({parse_rational(text) for text in spellings})


def test_colliding_hashes_cost_time_but_merge_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.uai"
    values = [7, 3, 7, 5, 3, 7, 5, 5]
    path.write_text(f"MARKOV 0 8 {'0 ' * 8} {' '.join(f'1 {value}' for value in values)}")
    monkeypatch.setattr(
        decimal_tables,
        "_hashes",
        lambda mantissas, exponents, generator: np.zeros(mantissas.shape[1], np.uint64),
    )
    graph = uai.read(path)
    assert [graph.factors[factor].table.potential(()) for factor in range(8)] == values
    assert len(graph.tables) == 3


@given(st.lists(potentials().map(str), min_size=1, max_size=60), st.integers(1, 7))
def test_numerals_do_not_depend_on_the_blocks_they_are_read_in(
    texts: list[str], block: int
) -> None:
    text = tokenise("text", " ".join(texts).encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numerals, "_BLOCK", block)
        parsed = numerals.parse_numerals(text, 0)
    expected = [parse_rational(numeral) for numeral in texts]
    assert [parsed.value(index) for index in range(len(texts))] == expected


MODEL = """MARKOV
2
2 3
2
1 0
2 0 1

2
 0.5 1.5
6
 1 2 3
 4 5 6
"""


@pytest.mark.parametrize(
    ("old", "new", "line", "problem"),
    [
        ("MARKOV", "MARKOW", 1, "expected MARKOV or BAYES, got MARKOW"),
        (MODEL, "", 1, "expected MARKOV or BAYES, got the end of the file"),
        (MODEL, "# nothing\n", 1, "expected MARKOV or BAYES, got the end of the file"),
        ("2\n2 3", "x\n2 3", 2, "expected a non-negative number, got 'x'"),
        ("2\n2 3", "2.5\n2 3", 2, "expected the number of variables, got 2.5"),
        ("2 3\n", "2 0\n", 3, "expected the number of states of variable 1, got 0"),
        ("2 3\n", "2. 3\n", 3, "expected the number of states of variable 0, got 2."),
        ("2 3\n", "2 3e0\n", 3, "expected the number of states of variable 1, got 3e0"),
        ("1 0\n2", "1 0\n+2", 6, r"expected the number of arguments of factor 1 .*, got \+2"),
        ("\n6\n", "\n12/2\n", 10, "expected 6, the number of values of factor 1, got 12/2"),
        ("1 0\n2 0 1", "1 0\n3 0 1 1", 6, "factor 1: expected distinct variables, got 1 twice"),
        ("1 0\n2 0 1", "1 5\n2 0 1", 5, "expected a variable below 2 for factor 0, got 5"),
        ("1 0\n2 0 1", "1 0\n2 0 0.5", 6, "expected a variable below 2 for factor 1, got 0.5"),
        ("1 0\n2 0 1", "65 0\n2 0 1", 5, "expected the number of arguments of factor 0 .*, got 65"),
        (" 0.5 1.5", " 0.5", 11, "factor 1 needs 6 values, got 1"),
        ("\n6\n", "\n7\n", 10, "factor 1 needs 6 values, got 7"),
        (" 4 5 6\n", " 4 5\n", 12, "factor 1 needs 6 values, got 5"),
        (" 4 5 6\n", " 4 5 6\n7\n", 13, "expected the end of the file, got 7"),
        (" 4 5 6\n", " 4 -5 6\n", 12, "expected a non-negative number, got '-5'"),
        (" 4 5 6\n", " 4 nan 6\n", 12, "expected a non-negative number, got 'nan'"),
        (" 4 5 6\n", " 4 1e9999 6\n", 12, "expected a number of at most 4000 digits"),
        ("2\n2 3", "99999999999\n2 3", 2, "expected the number of variables, got 99999999999"),
        ("2\n1 0", "200\n1 0", 12, "expected the scopes of 200 factors, got the end of the file"),
        (MODEL, "MARKOV 0 2000000000", 1, "expected the scopes of 2000000000 factors"),
        (MODEL, "MARKOV 2000000000 2", 1, "expected the number of states of variable 1"),
        (
            MODEL,
            "MARKOV 1 2 1 1/3 0",
            1,
            "expected the number of arguments of factor 0 .*, got 1/3",
        ),
        (MODEL, "MARKOV 1 2 2 1000000000 0", 1, "expected the number of arguments of factor 0"),
        (MODEL, "MARKOV 1 2 2000000000 1/3", 1, "expected the number of arguments of factor 0"),
        (MODEL, "MARKOV 1 100000000000000000 0", 1, "expected the number of states of variable 0"),
        (MODEL, "MARKOV 2 10 10 1 2 0 1 100 1 2 3", 1, "factor 0 needs 100 values, got 3"),
        (MODEL, "MARKOV 2 10 10 1 2 0 1 99 1 2 3", 1, "factor 0 needs 100 values, got 99"),
        (" 4 5 6\n", " 4 5\x006\n", 12, "expected a non-negative number"),
        (" 4 5 6\n", " 4 5 " + "6" * 5000 + "x\n", 12, r"got '6{37}\.\.\.'"),
    ],
)
def test_malformed_models_are_refused_with_their_line(
    tmp_path: Path, old: str, new: str, line: int, problem: str
) -> None:
    path = tmp_path / "model.uai"
    assert old in MODEL
    path.write_text(MODEL.replace(old, new, 1))
    with pytest.raises(lg.ParseError, match=problem) as caught:
        uai.read(path)
    assert str(caught.value).startswith(f"{path}:")
    assert caught.value.line == line


@given(st.data())
def test_a_damaged_model_is_refused_or_read_as_it_stands(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    content = data.draw(uai_texts()).encode()
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(start, min(len(content), start + 8)))
    damaged = content[:start] + data.draw(st.binary(max_size=4)) + content[end:]
    path = tmp_path_factory.mktemp("uai") / "model.uai"
    path.write_bytes(damaged)
    try:
        graph = uai.read(path)
    except lg.ParseError as error:
        assert error.problem
    else:
        assert same(graph, *naive_read(damaged.decode("ascii", errors="replace")))


def test_truncation_at_every_byte_is_refused_or_harmless(tmp_path: Path) -> None:
    path = tmp_path / "model.uai"
    whole = naive_read(MODEL)
    for end in range(len(MODEL.rstrip())):
        path.write_text(MODEL[:end])
        with pytest.raises(lg.ParseError):
            uai.read(path)
    path.write_text(MODEL.rstrip())
    assert same(uai.read(path), *whole)


def test_tables_of_bayes_are_distributions_of_their_last_variable(tmp_path: Path) -> None:
    path = tmp_path / "model.uai"
    preamble = "BAYES\n2\n2 3\n2\n1 0\n2 0 1\n2\n0.5 0.5\n6\n"
    path.write_text(f"{preamble}0.1 0.2 0.7 0.333 0.333 0.333\n")
    assert uai.read(path).factors[1].table.potential((1, 2)) == Fraction(333, 1000)
    path.write_text(f"{preamble}0.1 0.333 0.2 0.333 0.7 0.333\n")  # as if it came first
    with pytest.raises(lg.ParseError, match=r"factor 1: .* last variable .* sum of 633/1000") as e:
        uai.read(path)
    assert (e.value.line, e.value.column) == (10, 1)
    path.write_text(path.read_text().replace("BAYES", "MARKOV"))
    assert uai.read(path).factors[1].table.potential((0, 1)) == Fraction(333, 1000)


def test_gzipped_files_that_are_none_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.uai.gz"
    path.write_text(MODEL)
    with pytest.raises(lg.ParseError, match="expected gzipped data"):
        lg.read(path)
    path.write_bytes(gzip.compress(MODEL.encode())[:-9])
    with pytest.raises(lg.ParseError, match="expected gzipped data"):
        lg.read(path)
    with pytest.raises(lg.InputError, match="cannot be read"):
        lg.read(tmp_path / "missing.uai")
    with pytest.raises(lg.InputError, match="cannot be read"):
        lg.read(tmp_path / "missing.uai.gz")
    with pytest.raises(lg.InputError, match="expected a name ending in"):
        lg.read(tmp_path / "model.xyz")


def test_tables_whose_integers_would_be_too_long_are_refused_with_their_line(
    tmp_path: Path,
) -> None:
    path = tmp_path / "far.uai"
    far_apart = [f"{number}e{sign}3990" for sign in ("", "-") for number in range(1, 3001)]
    path.write_text("MARKOV\n1 6000\n1\n1 0\n6000\n" + " ".join(far_apart))
    with pytest.raises(lg.ParseError, match=r"far\.uai:6:1: expected numbers with a short common"):
        lg.read(path)
    path.write_text("MARKOV\n1 4\n1\n1 0\n4\n2e3990 1/3 1e-3990 0")
    assert uai.read(path).tables[0].potential((2,)) == Fraction(1, 10**3990)


def test_a_file_of_comment_signs_is_read_in_linear_time(tmp_path: Path) -> None:
    path = tmp_path / "model.uai"
    path.write_text("MARKOV 0 0 " + "#" * 1_000_000)
    assert uai.read(path).variable_count == 0


def test_reading_does_not_depend_on_the_decimal_context(tmp_path: Path) -> None:
    path = tmp_path / "model.uai"
    path.write_text("MARKOV 0 3 0 0 0 1 +1234567 1 1234567 1 1/3")
    with localcontext(Context(prec=5, traps=[Inexact])):
        assert len(uai.read(path).tables) == 2


@given(st.fractions(min_value=0, max_value=10**25))
def test_rounded_values_are_the_nearest_with_17_digits(value: Fraction) -> None:
    text = spelling.spelling(True, "model.uai")(value)
    exact = Context(prec=400).divide(value.numerator, value.denominator)
    nearest = Fraction(Context(prec=17).plus(exact))
    assert Fraction(text) == (value if "/" not in numeral(value) else nearest)


def test_writing_through_a_link_keeps_the_link(tmp_path: Path) -> None:
    graph = lg.FactorGraphBuilder().build()
    link, target = tmp_path / "link.uai", tmp_path / ("t" * 245 + ".uai")
    link.symlink_to(target)
    lg.write(graph, link)
    assert link.is_symlink()
    assert lg.read(target) == graph
    for path in ("/nowhere/m.uai", str(tmp_path / "a\0b.uai")):
        with pytest.raises(lg.InputError, match="cannot be written"):
            lg.write(graph, path)
    with pytest.raises(lg.InputError, match="cannot be read"):
        lg.read(str(tmp_path / "a\0b.uai"))
    assert [path.name for path in tmp_path.iterdir() if "partial" in path.name] == []


def test_writing_rounded_gives_decimals_others_can_read(tmp_path: Path) -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variable(states=2)
    builder.add_factor([0], ["1/3", "1/8"])
    graph = builder.build()
    assert needs_fractions(graph)
    path = tmp_path / "model.uai"
    uai.write(graph, path, rounded=True)
    assert "0.33333333333333333 0.125" in path.read_text()
    uai.write(graph, path)
    assert uai.read(path).factors[0].parts == graph.factors[0].parts
