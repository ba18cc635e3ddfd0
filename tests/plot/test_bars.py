"""Bars: as long as the probabilities, with numbers and error bars that are true."""

from __future__ import annotations

from fractions import Fraction

import pytest

import liftgraph as lg

EPIDEMIC = "examples/epidemic.json"


def test_bars_are_as_long_as_probabilities() -> None:
    answer = lg.read_graph(EPIDEMIC).query("Epid", "Sick.alice", exact=True)
    scene = lg.draw(answer).scene
    longest = max(node.size[0] for node in scene.nodes)
    values = [float(p) for p in answer.exact.values()]
    for node, value in zip(scene.nodes, values, strict=True):
        assert node.size[0] / longest == pytest.approx(value / max(values))
    told = [text.text for text in scene.texts if "-told-" in text.id]
    assert [Fraction(text.split(" = ")[1]) for text in told] == list(answer.exact.values())
    assert {t.text for t in scene.texts if "-label-" in t.id} == {", ".join(s) for s in answer}


def weighted(weights: list[int]) -> lg.FactorGraph:
    """A variable x whose states have these weights."""
    builder = lg.FactorGraphBuilder()
    builder.add_variable("x", len(weights))
    builder.add_factor([0], weights)
    return builder.build()


def test_many_states_are_told_together() -> None:
    picture = lg.draw(weighted(list(range(1, 101))).query("x"))
    told = [float(text.text) for text in picture.scene.texts if "-told-" in text.id]
    assert len(told) == 40
    assert sum(told) == pytest.approx(1)
    largest = 100 / 5050
    assert picture.caption == (
        "The 39 most likely of 100 states, the others together."
        f" The full length stands for {largest:.3g}, not for 1."
    )
    *likely, others = [node.size[0] for node in picture.scene.nodes]
    assert others == 0  # beside a bar of all others, those of single states could not be compared
    assert likely == pytest.approx([200 * n / 100 for n in range(62, 101)])


def test_rounded_numbers_are_not_called_equal() -> None:
    told = [t.text for t in lg.draw(weighted([1, 2]).query("x", exact=True)).scene.texts]
    assert told[2::2] == ["0.333333 ≈ 1/3", "0.666667 ≈ 2/3"]
    scene = lg.draw(weighted([0, 5]).query("x", exact=True)).scene
    assert [t.text for t in scene.texts][2::2] == ["0", "1"]
    assert scene.nodes[0].size[0] == 0  # what is impossible has no bar, however thin


def tolerant() -> lg.FactorGraph:
    return lg.datasets.perturbed(lg.datasets.epid(6).ground(), "0.01", seed=3)


def test_bounds_are_error_bars() -> None:
    answer = tolerant().query("Sick.1", tolerance="0.05", method="lifted")
    assert answer.log_odds_bound > 0
    picture = lg.draw(answer)
    for number, bar in enumerate(picture.scene.nodes):
        line, *caps = [x for x in picture.scene.lines if f"-bounds-{number}-" in x.id]
        start = bar.at[0] - bar.size[0] / 2
        scale = bar.size[0] / answer.probabilities[number]
        ends = [start + scale * float(each[number]) for each in answer.bounds]
        assert [x for x, _ in line.points] == pytest.approx(ends)
        assert {y for _, y in line.points} == {bar.at[1]}
        assert [cap.points[0][0] for cap in caps] == pytest.approx(ends)
        told = next(t for t in picture.scene.texts if t.id == f"marginal-told-{number}")
        assert told.at[0] > max(ends)
        assert told.text.endswith(
            f"[{answer.bounds[0][number]:.6g}, {answer.bounds[1][number]:.6g}]"
        )
    assert f"may be off by up to {answer.log_odds_bound:.3g}" in picture.caption
    marginals = tolerant().marginals(tolerance="0.05", method="lifted")
    several = lg.draw(marginals)
    assert len(several.scene.lines) == 3 * len(several.scene.nodes)
    assert "may be off by up to" in several.caption
    certain = lg.draw(tolerant().query("Sick.1"))
    assert (certain.scene.lines, certain.caption) == ((), "")


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
    assert widths == pytest.approx([100.0, 100.0, *(200 * n / 465 for n in range(1, 31))])
