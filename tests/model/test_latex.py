"""LaTeX: braces and environments are balanced, names are escaped, and numbers are all there."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.model.latex import escaped, name_latex
from tests.strategies import tables

P, R = lg.LogVar("P", ["alice", "bob"]), lg.LogVar("R", ["alice", "bob"])
SICK = lg.prv("Sick", P)


def is_balanced(text: str) -> bool:
    """Whether braces that are not escaped, environments and dollars come in pairs."""
    bare = re.sub(r"\\.", "", text.replace(r"\\", ""))
    depths = [bare[:end].count("{") - bare[:end].count("}") for end in range(len(bare) + 1)]
    begun, ended = (re.findall(rf"\\{word}{{(.*?)}}", text) for word in ("begin", "end"))
    return min(depths) == depths[-1] == 0 and begun == ended and bare.count("$") % 2 == 0


@given(st.text(min_size=1))
@example("A\n\nB")
def test_names_are_escaped(name: str) -> None:
    assert is_balanced(name_latex(name))
    assert name_latex(name).isprintable()
    bare = re.sub(r"\\(text[a-z]+\{\}|[&%$#_{}])", "", escaped(name))
    assert not set(bare) & set("\\{}$&#^_%~")


@given(tables())
def test_a_tabular_has_a_row_for_each_entry(table: lg.Table) -> None:
    text = lg.latex(table)
    assert is_balanced(text)
    body = text.split("\\midrule\n")[1].split("\\bottomrule")[0].splitlines()
    assert len(body) == table.integers.size
    first = body[0].removesuffix(r" \\").split(" & ")[-1].strip("$")
    if re.fullmatch(r"[0-9./]+", first):
        shown, potential = Fraction(first), table.potential((0,) * len(table.shape))
        assert shown == potential or (table.measured and float(shown) == float(potential))


def test_parts_of_models_are_written_as_in_papers() -> None:
    friends = lg.prv("Friends", P, R := lg.LogVar("R", P), where=lg.different(P, R))
    epidemic = lg.prv("Epid")
    both = lg.parfactor([friends, SICK(P), SICK(R)], range(8), where=lg.different(P, R))
    counting = lg.parfactor([lg.crv(SICK, P), epidemic], range(6))
    assert lg.latex(both) == (
        r"\phi(\mathit{Friends}(P, R), \mathit{Sick}(P), \mathit{Sick}(R))_{|P \neq R}"
    )
    assert lg.latex(counting) == r"\phi(\#_{P}[\mathit{Sick}(P)], \mathit{Epid})"
    assert lg.latex(lg.LogVar("M", 10**6).domain).endswith(r"|\mathrm{dom}(M)| = 1{,}000{,}000")


def test_a_model_is_a_product_with_domains_ranges_and_evidence() -> None:
    model = lg.ParfactorGraph.of([lg.parfactor([SICK, lg.prv("Epid")], [3, 1, 1, 5])])
    lines = lg.latex(model.given({"Sick.bob": "true"})).splitlines()
    assert (lines[0], lines[-1]) == (r"\begin{align*}", r"\end{align*}")
    body = [line.removesuffix(r" \\") for line in lines[1:-1]]
    assert body[0] == r"\mathrm{dom}(P) &= \{\mathit{alice}, \mathit{bob}\}"
    assert body[-2] == r"P_G &= \frac{1}{Z} \prod_{P} \phi_{1}(\mathit{Sick}(P), \mathit{Epid})"
    assert body[-1] == r"\boldsymbol{E} &= \{\mathit{Sick.bob} = \textrm{true}\}"
    assert all(line.count("&") == 1 for line in body)


def test_large_models_and_tables_are_shortened() -> None:
    many = [lg.parfactor([lg.prv(f"Var{number}")], [1, 2]) for number in range(2000)]
    text = lg.latex(lg.ParfactorGraph.of(many))
    assert is_balanced(text)
    assert text.count("\n") < 100
    assert r"\ldots" in text
    assert "and 4,000 more" in lg.latex(lg.Table.of(list(range(5000))))


def test_tables_of_buckets_and_messages() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variables(["A", "B_1"])
    builder.add_factor(["A", "B_1"], [[1, 2], [2, 1]])
    buckets = lg.latex(lg.buckets(lg.Table.of([[1, 2], [3, 4]])))
    messages = lg.latex(lg.colour_passing(builder.build(), record=True).messages(1))
    for text in (buckets, messages):
        assert is_balanced(text)
        assert text.count(r"\begin{tabular}") == 2
    assert r"\phi^{\succ}(b)" in buckets
    assert r"$[1, 1]$ & $\langle 2, 3 \rangle$ \\" in buckets
    assert r"A, \mathit{B\_1}" in messages


def test_other_objects_are_refused() -> None:
    with pytest.raises(lg.InputError, match=r"expected a parametric factor graph, .* got 5"):
        lg.latex(5)


def test_no_state_ends_a_formula() -> None:
    model = lg.ParfactorGraph.of([lg.parfactor([lg.prv("A", states=["x\n\ny", "\x01"])], [1, 2])])
    for text in (lg.latex(model), lg.latex(model.parfactors[0])):
        assert all(line.isprintable() and line for line in text.split("\n"))


def test_conditional_distributions_are_tables() -> None:
    text = lg.latex(lg.datasets.asia().cpd("lung"))
    assert is_balanced(text)
    assert r"$\mathit{smoke}$ & $\mathit{yes}$ & $\mathit{no}$ \\" in text
    assert r"no & $0.01$ & $0.99$ \\" in text
