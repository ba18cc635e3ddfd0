"""Names in arrays agree with names that are split and compared one by one."""

from __future__ import annotations

import pickle
from dataclasses import replace
from itertools import pairwise

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

import liftgraph as lg
from liftgraph.model.lifted.individuals import PartsOfNames
from liftgraph.symmetry.colours.colour_passing import colour_passing
from liftgraph.symmetry.lifting.name_arrays import (
    NameArrays,
    Texts,
    are_increasing,
    are_same,
    name_arrays,
    ranks,
    share_a_text,
)
from liftgraph.symmetry.lifting.naming import by_name, vocabulary
from liftgraph.symmetry.structure.factor_rows import grouped
from liftgraph.symmetry.structure.structure import structure
from tests.relational import relational_models, shuffled
from tests.symmetry.eager_naming import named_domains, rank_by_name

# Letters of one to four bytes, dots, the letter that ends names in arrays, and common beginnings.
TEXTS = st.text(st.sampled_from("ab.\0\n\x7fäß가\U0001f600"), max_size=12).map(
    lambda text: text if len(text) % 3 else f"a common beginning {text}"
)


def whole(names: list[str]) -> tuple[NameArrays, Texts]:
    arrays = name_arrays(names)
    return arrays, arrays.whole(np.arange(len(names)))


@given(st.lists(TEXTS, min_size=1, max_size=8))
def test_parts(names: list[str]) -> None:
    arrays, texts = whole(names)
    for index, name in enumerate(names):
        encoded = [part.encode() for part in name.split(".")]
        which = np.array([index])
        assert arrays.part_counts(which).tolist() == [len(encoded)]
        for part_index, part in enumerate(encoded):
            text = arrays.part(which, part_index)
            start, length = int(text.start[0]), int(text.length[0])
            assert bytes(arrays.letters[start : start + length]) == part
    assert texts.length.tolist() == [len(name.encode()) for name in names]


@given(st.lists(st.tuples(TEXTS, st.integers(0, 2)), max_size=10, unique_by=lambda pair: pair[0]))
def test_ranks(named: list[tuple[str, int]]) -> None:
    names, cells = [name for name, _ in named], [cell for _, cell in named]
    rank, are_distinct = ranks(whole(names)[1], np.array(cells, dtype=np.int64))
    assert rank.tolist() == rank_by_name(names, cells)
    assert are_distinct


@given(st.lists(TEXTS, min_size=2, max_size=8), st.data())
def test_comparisons(names: list[str], data: st.DataObject) -> None:
    texts = whole(names)[1]
    places = st.lists(st.integers(0, len(names) - 1), min_size=len(names), max_size=len(names))
    first, second = data.draw(places), data.draw(places)
    a, b = (texts.chosen(np.array(chosen)) for chosen in (first, second))
    left, right = ([names[place] for place in chosen] for chosen in (first, second))
    assert are_same(a, b) == (left == right)
    assert share_a_text(a, b) == bool(set(left) & set(right))
    assert ranks(a, np.zeros(len(a), dtype=np.int64))[1] == (len(set(left)) == len(left))
    plain = [name for name in names if "\0" not in name]
    rising = all(one < other for one, other in pairwise(plain))
    assert are_increasing(whole(plain)[1]) == rising


@st.composite
def oddly_named(draw: st.DrawFn) -> lg.FactorGraph:
    """A ground relational model in any order, with some names exchanged or replaced."""
    graph = draw(shuffled(draw(relational_models()).ground(), named=True))
    names = [*(graph.names or ())]
    assume(names)
    for _ in range(draw(st.integers(0, 2))):
        a, b = (draw(st.integers(0, len(names) - 1)) for _ in range(2))
        names[a], names[b] = names[b], names[a]
    if draw(st.booleans()):
        new = draw(TEXTS)
        names[draw(st.integers(0, len(names) - 1))] = new if new not in names else "new"
    return replace(graph, names=tuple(names))


@given(oddly_named())
def test_the_vocabulary_is_that_of_eager_naming(graph: lg.FactorGraph) -> None:
    names = name_arrays(graph.names or ())
    groups = grouped(graph, colour_passing(graph))
    described = structure(graph, groups, by_name(names, groups))
    individuals, orders = named_domains(graph, described)
    if described.complete:
        words = vocabulary(graph, described, names)
        assert {domain: words.domains[domain].individuals for domain in words.domains} == {
            domain: individuals[domain] for domain in words.domains
        }
        assert dict(enumerate(words.orders)) == dict.fromkeys(range(len(words.orders)), ()) | orders


def test_individuals_are_found_without_reading_all_names() -> None:
    model = lg.lift(lg.datasets.employee(2000).ground())
    texts = model.domains[0].individuals
    assert isinstance(texts, PartsOfNames)
    assert texts.increasing
    assert sorted(texts) == [*texts]
    assert [model.domains[0].find(text) for text in texts] == [*range(2000)]
    assert model.domains[0].find("nobody") == -1
    assert texts[1998:] == (texts[1998], texts[1999])
    assert pickle.loads(pickle.dumps(texts)) == texts
    assert type(pickle.loads(pickle.dumps(texts))) is tuple


@given(st.permutations(["10", "9", "100", "2", "x", "a.b"[:1]]))
def test_domains_of_lifted_graphs_print_in_the_order_of_the_graph(names: list[str]) -> None:
    builder = lg.FactorGraphBuilder()
    for name in names:
        builder.add_factor([builder.add_variable(f"Sick.{name}")], [1, 3])
    domain = lg.lift(builder.build()).domains[0]
    assert str(domain) == f"X = {{{', '.join(names)}}}"
    assert all(domain.individual(domain.find(name)) == name for name in names)
