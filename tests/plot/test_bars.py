"""Bars: as long as the probabilities, with the right numbers and error bars."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import liftgraph as lg

EPIDEMIC = "src/liftgraph/datasets/epidemic.json"


def test_bars_are_as_long_as_probabilities() -> None:
    answer = lg.read_graph(EPIDEMIC).query("Epid", "Sick.alice", exact=True)
    scene = lg.draw(answer).scene
    longest = max(node.size[0] for node in scene.nodes)
    values = [float(p) for p in answer.exact.values()]
    for node, value in zip(scene.nodes, values, strict=True):
        assert node.size[0] / longest == pytest.approx(value / max(values))
    written = [text.text for text in scene.texts if "-value-" in text.id]
    assert [Fraction(text.split(" = ")[1]) for text in written] == list(answer.exact.values())
    labels = {text.text for text in scene.texts if "-label-" in text.id}
    assert labels == {", ".join(states) for states in answer}


def weighted(weights: list[int]) -> lg.FactorGraph:
    """A variable x whose states have these weights, and names that are no numbers."""
    builder = lg.FactorGraphBuilder()
    builder.add_variable("x", [f"s{state}" for state in range(len(weights))])
    builder.add_factor([0], weights)
    return builder.build()


def test_unlikely_states_are_summed_up() -> None:
    picture = lg.draw(weighted(list(range(1, 101))).query("x"))
    written = [float(text.text) for text in picture.scene.texts if "-value-" in text.id]
    assert len(written) == 40
    assert sum(written) == pytest.approx(1)
    assert picture.caption == "The 39 most likely of 100 states; the last row sums up the others."
    weights = [*range(62, 101), sum(range(1, 62))]
    bars = [node.size[0] for node in picture.scene.nodes]
    assert bars == pytest.approx([200 * weight / 5050 for weight in weights])
    even = lg.draw(weighted([1] * 45).query("x"))
    assert even.caption.endswith(f"A bar of full length stands for {6 / 45:.3g}, not for 1.")
    assert max(node.size[0] for node in even.scene.nodes) == pytest.approx(200)  # the others


@given(
    st.lists(st.integers(0, 9), min_size=41, max_size=60),
    st.sampled_from([1, 7, 40]),
    st.integers(0, 5),
)
@settings(max_examples=25, deadline=None)
def test_many_numbers_are_a_histogram(weights: list[int], repeats: int, start: int) -> None:
    numbers = range(start, start + repeats * len(weights))
    builder = lg.FactorGraphBuilder()
    builder.add_variable("x", [str(number) for number in numbers])
    builder.add_factor([0], [weight for weight in weights for _ in range(repeats)])
    if not any(weights):
        return
    answer = builder.build().query("x")
    picture = lg.draw(answer)
    probabilities = dict(zip(numbers, answer.probabilities.tolist(), strict=True))
    heights: dict[str, float] = {}
    shown: set[int] = set()
    for node in picture.scene.nodes:
        span, _, value = node.title.replace(",", "").partition(": ")
        first, _, last = span.partition(" to ")
        columns = range(int(first), int(last or first) + 1)
        assert not shown & set(columns)
        shown |= set(columns)
        heights[node.id] = sum(probabilities.get(number, 0.0) for number in columns)
        assert float(value) == pytest.approx(heights[node.id], rel=1e-3)
    sizes = [node.size[1] for node in picture.scene.nodes]
    scale = max(sizes) / max(heights.values())
    assert sizes == pytest.approx([scale * height for height in heights.values()])
    rest = sum(p for number, p in probabilities.items() if number not in shown)
    assert rest <= 1e-3
    assert len(heights) <= 82
    assert f"The mean is {float(answer.mean):,.6g}; " in picture.caption
    assert ("not shown" in picture.caption) == (rest > 0)


def test_rounded_numbers_are_not_called_equal() -> None:
    scene = lg.draw(weighted([1, 2]).query("x", exact=True)).scene
    assert [text.text for text in scene.texts][2::2] == ["0.333333 ≈ 1/3", "0.666667 ≈ 2/3"]
    scene = lg.draw(weighted([0, 5]).query("x", exact=True)).scene
    assert [text.text for text in scene.texts][2::2] == ["0", "1"]
    assert scene.nodes[0].size[0] == 0  # an impossible state has no bar, not even a thin one


def tolerant() -> lg.FactorGraph:
    return lg.datasets.perturbed(lg.datasets.epid(6).ground(), "0.01", seed=3)


def test_bounds_are_error_bars() -> None:
    answer = tolerant().query("Sick.1", tolerance="0.05", method="lifted")
    assert answer.log_odds_bound > 0
    picture = lg.draw(answer)
    texts = {text.id: text for text in picture.scene.texts}
    for state, bar in enumerate(picture.scene.nodes):
        line, *caps = [
            polyline for polyline in picture.scene.polylines if f"-bounds-{state}-" in polyline.id
        ]
        start = bar.at[0] - bar.size[0] / 2
        scale = bar.size[0] / answer.probabilities[state]
        low, high = (float(bound[state]) for bound in answer.bounds)
        ends = [start + scale * low, start + scale * high]
        assert [x for x, _ in line.points] == pytest.approx(ends)
        assert {y for _, y in line.points} == {bar.at[1]}
        assert [cap.points[0][0] for cap in caps] == pytest.approx(ends)
        value = texts[f"marginal-value-{state}"]
        assert value.at[0] > max(ends)
        assert value.text.endswith(f"[{low:.6g}, {high:.6g}]")
    assert f"may be off by up to {answer.log_odds_bound:.3g}" in picture.caption
    marginals = tolerant().marginals(tolerance="0.05", method="lifted")
    panels = lg.draw(marginals)
    assert len(panels.scene.polylines) == 3 * len(panels.scene.nodes)
    assert "may be off by up to" in panels.caption
    certain = lg.draw(tolerant().query("Sick.1"))
    assert (certain.scene.polylines, certain.caption) == ((), "")


def test_marginals_are_drawn_once_for_interchangeable_variables() -> None:
    scene = lg.draw(lg.read_graph(EPIDEMIC).marginals()).scene
    titles = [text.text for text in scene.texts if text.id.endswith("-title")]
    assert titles == [
        "P(Epid)",
        "P(Travel.alice) and 1 more",
        "P(Sick.alice) and 1 more",
        "P(Treat.alice.m1) and 3 more",
    ]


def test_panels_have_one_scale() -> None:
    builder = lg.FactorGraphBuilder()
    builder.add_variable("few", 2)
    builder.add_variable("many", 30)
    builder.add_factor([0], [1, 1])
    builder.add_factor([1], list(range(1, 31)))
    picture = lg.draw(builder.build().marginals())
    assert "full length" not in picture.caption
    widths = [node.size[0] for node in picture.scene.nodes]
    assert widths == pytest.approx([100.0, 100.0, *(200 * weight / 465 for weight in range(1, 31))])
